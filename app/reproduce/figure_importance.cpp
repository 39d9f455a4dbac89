// Which nodes matter to which task: ranks of the nodes of test graphs by two tasks, one against the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dotin/explain/ranks.h"
#include "dotin/explain/summary.h"
#include "reproduce/charts.h"
#include "reproduce/items.h"
#include "reproduce/methods.h"
#include "reproduce/outcome.h"

namespace dotin::reproduce {

namespace {

using nlohmann::json;

constexpr std::size_t kApart = 0, kAlike = 1;  // blue and orange, as in the paper

Cell explained_cell(const std::string& data, const Shape& shape) {
  Cell cell;
  cell.label = dataset_title(data) + ", two test graphs";
  cell.data = data;
  cell.commands = {{"train",        data,
                    "--tasks",      "classify,ged",
                    "--preset",     "recommended",
                    "--drop",       "dotin",
                    "--drop-ratio", "0.5",
                    "--hidden",     std::to_string(shape.hidden),
                    "--layers",     std::to_string(shape.layers),
                    "--batch",      std::to_string(shape.batch),
                    "--epochs",     std::to_string(shape.epochs),
                    "--seed",       "0",
                    "--threads",    "1",
                    "--out",        kRunFolder,
                    "--json"},
                   {"explain", std::string(kRunFolder) + "/model.safetensors", data, "--test-graphs", "2", "--threads",
                    "1", "--json"}};
  cell.protocol = fmt::format(
      "one model for both tasks, {} epochs on 80% of the graphs; two of the 10% kept for the test", shape.epochs);
  cell.cost = static_cast<double>(3 * shape.epochs * shape.layers) * (64 + static_cast<double>(shape.hidden));
  return cell;
}

Entry count_entry(std::size_t count, std::size_t of, const std::string& key) {
  return {
      fmt::format("{} ({:.0f}%)", count, of == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(of)),
      {},
      key};
}

std::vector<double> of_task(const json& layer, const char* what, const char* task) {
  return layer.at(what).at(task).get<std::vector<double>>();
}

std::string number_or_dash(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "–";
}

/// The largest attentiveness of a task over the smallest.
double spread_of(const json& layer, const char* task) {
  const std::vector<double> values = of_task(layer, "attentiveness", task);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most / *least;
}

/// Nothing (NaN) where all nodes share a rank.
double correlation_of(const json& layer) {
  return explain::rank_correlation(of_task(layer, "rank", "ged"), of_task(layer, "rank", "classify"));
}

/// How sharp and how alike the tasks' scores are in every layer: a row of the table for each.
json add_layers(Table& table, const std::string& title, const json& graph, const std::string& key) {
  json told = json::array();
  for (const json& layer : graph.at("layers")) {
    const std::size_t nodes = layer.at("nodes").size();
    const double classify = spread_of(layer, "classify"), ged = spread_of(layer, "ged");
    const double correlation = correlation_of(layer);
    table.rows.push_back({fmt::format("{}, layer {}", title, told.size() + 1),
                          {{std::to_string(nodes), {}, key},
                           {number_or_dash(classify, 3), {}, key},
                           {number_or_dash(ged, 3), {}, key},
                           {number_or_dash(correlation, 2), {}, key}}});
    told.push_back(
        {{"nodes", nodes}, {"classify_spread", classify}, {"ged_spread", ged}, {"rank_correlation", correlation}});
  }
  return told;
}

/// The chart of one graph, and its rows of the tables.
void add_graph(Outcome& outcome, Table& table, Table& by_layer, const std::string& data, const json& graph,
               const std::string& key) {
  const json& layer = graph.at("layers").at(0);
  const std::vector<double> ged = of_task(layer, "rank", "ged"), classify = of_task(layer, "rank", "classify");
  const std::vector<double> by_ged = of_task(layer, "attentiveness", "ged");
  const std::vector<double> by_class = of_task(layer, "attentiveness", "classify");
  const int64_t number = graph.at("graph");
  ScatterChart chart;
  chart.x_name = "rank by graph edit distance (1: most attentive)";
  chart.y_name = "rank by classification";
  chart.kinds = {"matters to one task, less to the other", "matters alike to both"};
  json nodes = json::array();
  std::size_t alike = 0;
  for (std::size_t i = 0; i < ged.size(); ++i) {
    const auto [less, more] = std::minmax(by_ged[i], by_class[i]);
    const bool similar = less >= explain::kSimilar * more;
    alike += similar ? 1 : 0;
    const int64_t node = layer.at("nodes").at(i);
    chart.points.push_back({similar ? kAlike : kApart, ged[i], classify[i],
                            fmt::format("node {}: rank {} by ged, {} by classify", node, ged[i], classify[i])});
    nodes.push_back({{"node", node}, {"ged_rank", ged[i]}, {"classify_rank", classify[i]}, {"alike", similar}});
  }
  const std::string title = fmt::format("{}, graph {}", dataset_title(data), number);
  outcome.charts.push_back({short_name(title), title, "", draw(chart, title)});
  const double correlation = correlation_of(layer);
  table.rows.push_back({title,
                        {{std::to_string(ged.size()), {}, key},
                         count_entry(alike, ged.size(), key),
                         count_entry(ged.size() - alike, ged.size(), key),
                         {number_or_dash(correlation, 2), {}, key}}});
  outcome.values.push_back({{"dataset", dataset_title(data)},
                            {"graph", number},
                            {"nodes", std::move(nodes)},
                            {"rank_correlation", correlation},
                            {"layers", add_layers(by_layer, title, graph, key)},
                            {"cell", key}});
}

}  // namespace

void fill_figure_importance(Outcome& outcome, const Settings& settings, Cells& cells) {
  Shape own;
  own.hidden = 256;
  const Shape shape = shape_of(settings, own);
  Table table;
  table.title = "Nodes that matter alike";
  table.about =
      "Alike: the smaller attentiveness of the two tasks is at least a quarter of the larger, the paper's rule for "
      "orange points. It compares how much attention a node gets, not its place: where both tasks attend to all nodes "
      "about evenly, all are alike, whatever their order. The correlation of the ranks (Spearman) is of the order "
      "alone: "
      "1, the same; 0, none; -1, reversed.";
  table.columns = {"graph", "nodes", "alike", "apart", "rank correlation"};
  Table by_layer;
  by_layer.title = "Layer by layer";
  by_layer.about =
      "The largest attentiveness of a graph's nodes over the smallest, for each task, and the correlation of the "
      "ranks. Where the largest is hardly above the smallest the order says little: nodes are chosen by the sum of "
      "the tasks' scores, and the task with the wider spread decides.";
  by_layer.columns = {"graph", "nodes", "classification", "graph edit distance", "rank correlation"};
  for (const std::string& data : settings.datasets_or({"DD", "PROTEINS", "NCI1", "NCI109"})) {
    const json* const record = cells.find(explained_cell(data, shape));
    const json* const result = result_of(record);
    if (result == nullptr) {
      table.rows.push_back({dataset_title(data), std::vector<Entry>(4, Entry{absence_of(record)})});
      outcome.values.push_back({{"dataset", dataset_title(data)}, {"absence", absence_of(record)}});
      continue;
    }
    for (const json& graph : result->at("graphs")) add_graph(outcome, table, by_layer, data, graph, record->at("key"));
  }
  outcome.tables.push_back(std::move(table));
  if (!by_layer.rows.empty()) outcome.tables.push_back(std::move(by_layer));
  outcome.about.push_back(
      fmt::format("One model for classification and graph edit distance: hidden dimension {}, batches of {}, {} "
                  "layers, {} epochs, drop ratio 0.5, preset recommended (the paper: hidden dimension 256, batches of "
                  "8). Every node of a test graph at its rank by the attentiveness of each task's virtual node, in the "
                  "first layer, where all nodes are there. Nodes with equal features are equally attentive: they share "
                  "a rank, and are spread a little round it. The paper normalises the vectors before, which we do not.",
                  shape.hidden, shape.batch, shape.layers, shape.epochs));
}

}  // namespace dotin::reproduce
