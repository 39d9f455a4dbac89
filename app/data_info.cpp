// dotin data info: what is in a dataset.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "dotin/data/check.h"
#include "paper_table.h"
#include "progress_bar.h"
#include "reading_options.h"
#include "text.h"

namespace dotin::app {

namespace {

constexpr std::size_t kMostListed = 10;

struct InfoOptions {
  ReadingOptions reading;
  bool json = false;
};

nlohmann::json label_columns(const std::vector<io::LabelColumn>& columns) {
  nlohmann::json result = nlohmann::json::array();
  for (const io::LabelColumn& column : columns) result.push_back({{"name", column.name}, {"values", column.values}});
  return result;
}

std::string as_json(const data::Dataset& dataset, const data::Summary& summary) {
  nlohmann::ordered_json json;
  json["name"] = summary.name;
  json["graphs"] = summary.graphs;
  json["classes"] = summary.class_names.size();
  json["class_names"] = summary.class_names;
  json["class_sizes"] = summary.class_sizes;
  json["nodes"] = summary.nodes;
  json["edges"] = summary.directed_edges / 2;
  json["avg_nodes"] = summary.avg_nodes;
  json["avg_edges"] = summary.avg_edges;
  json["min_nodes"] = summary.min_nodes;
  json["max_nodes"] = summary.max_nodes;
  json["max_degree"] = summary.max_degree;
  json["node_features"] = summary.node_features;
  json["node_labels"] = label_columns(dataset.node_labels);
  json["node_attributes"] = summary.attribute_columns;
  json["edge_labels"] = label_columns(dataset.edge_labels);
  json["edge_attributes"] = summary.edge_attribute_columns;
  json["targets"] = summary.targets;
  json["isolated_nodes"] = summary.isolated_nodes;
  json["graphs_without_edges"] = summary.graphs_without_edges;
  json["self_loops"] = summary.self_loops;
  json["duplicate_edges"] = summary.duplicate_edges;
  for (const io::RelevantNodes& truth : dataset.relevant) {
    json["planted_nodes"][truth.target] = std::count(truth.nodes.begin(), truth.nodes.end(), uint8_t{1});
  }
  const std::string paper = compare_with_paper(summary);
  if (!paper.empty()) json["paper"] = paper;
  return json_text(json);
}

std::string classes_text(const data::Summary& summary) {
  if (summary.class_names.empty()) return "none";
  std::vector<std::string> items;
  for (std::size_t i = 0; i < summary.class_names.size(); ++i) {
    items.push_back(printable(summary.class_names[i]) + " (" + grouped(summary.class_sizes[i]) + ")");
  }
  return grouped(static_cast<int64_t>(items.size())) + ": " + listed(items, kMostListed);
}

std::string features_text(const data::Summary& summary) {
  std::vector<std::string> parts;
  if (summary.attribute_columns > 0) parts.push_back(counted(summary.attribute_columns, "attribute"));
  for (const int64_t values : summary.label_values) parts.push_back("one-hot label of " + counted(values, "value"));
  if (parts.empty()) parts.push_back("neither labels nor attributes, so one-hot degree");
  return counted(summary.node_features, "column") + ": " + listed(parts, kMostListed);
}

std::string edge_data_text(const data::Summary& summary) {
  std::vector<std::string> parts;
  if (summary.edge_label_columns > 0) parts.push_back(counted(summary.edge_label_columns, "label column"));
  if (summary.edge_attribute_columns > 0) parts.push_back(counted(summary.edge_attribute_columns, "attribute"));
  return listed(parts, kMostListed);
}

std::string as_table(const data::Dataset& dataset, const data::Summary& summary) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"name", printable(summary.name)},
      {"graphs", grouped(summary.graphs)},
      {"classes", classes_text(summary)},
      {"nodes", fmt::format("{}, {:.2f} a graph, {} to {}", grouped(summary.nodes), summary.avg_nodes,
                            grouped(summary.min_nodes), grouped(summary.max_nodes))},
      {"edges", fmt::format("{} undirected, {:.2f} a graph, highest degree {}", grouped(summary.directed_edges / 2),
                            summary.avg_edges, grouped(summary.max_degree))},
      {"features", features_text(summary)},
  };
  const std::string edge_data = edge_data_text(summary);
  if (!edge_data.empty()) rows.emplace_back("edge data", edge_data);
  rows.emplace_back("targets", summary.targets.empty() ? "none" : printable(listed(summary.targets, kMostListed)));
  for (const io::RelevantNodes& truth : dataset.relevant) {
    rows.emplace_back(
        "planted",
        fmt::format("{} decide {}", counted(std::count(truth.nodes.begin(), truth.nodes.end(), uint8_t{1}), "node"),
                    printable(truth.target)));
  }
  rows.emplace_back("untidy", fmt::format("{}, {}, {}, {} without edges", counted(summary.self_loops, "self-loop"),
                                          counted(summary.duplicate_edges, "duplicate edge"),
                                          counted(summary.isolated_nodes, "isolated node"),
                                          counted(summary.graphs_without_edges, "graph")));
  const std::string paper = compare_with_paper(summary);
  if (!paper.empty()) rows.emplace_back("paper", paper);
  return two_columns(rows);
}

int run_info(const InfoOptions& options, Context& context) {
  std::shared_ptr<const data::Dataset> dataset;
  data::Summary summary;
  {
    ProgressBar bar(context.console, "info");
    bar.update(0, 0, "reading " + options.reading.data);
    dataset = data::open(options.reading.data, options.reading.open_options());
    summary = data::summarize(*dataset);
  }
  context.console.out(options.json ? as_json(*dataset, summary) : as_table(*dataset, summary));
  return 0;
}

}  // namespace

void add_data_info(CLI::App& data, Context& context) {
  CLI::App& command = *data.add_subcommand("info", "Graphs, classes, sizes, features and targets of a dataset");
  const auto options = std::make_shared<InfoOptions>();
  add_reading_options(command, options->reading);
  command.add_flag("--json", options->json, "Print JSON");
  set_examples(command, {"dotin data info DD.zip", "dotin data info my_graphs.jsonl --json",
                         "dotin data info big.zip --max-unpacked 100G"});
  set_action(command, context, options, run_info);
}

}  // namespace dotin::app
