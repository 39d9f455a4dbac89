// Table 1: what each method takes, measured where the paper gives orders of growth.
#include <fmt/format.h>

#include <map>

#include "dotin/core/memory.h"
#include "reproduce/charts.h"
#include "reproduce/items.h"
#include "reproduce/methods.h"
#include "reproduce/outcome.h"

namespace dotin::reproduce {

namespace {

using nlohmann::json;

struct Stated {
  const char *time, *space, *parameters;
};

/// What the paper's table 1 says.
const std::map<std::string, Stated> kTable1 = {
    {"Set2Set", {"LSTM", "LSTM", "LSTM layer"}},
    {"DiffPool", {"GNN + cluster", "GNN", "GNN layer"}},
    {"MinCut", {"cluster + GNN + MLP", "GNN + MLP", "MLP + GNN layer"}},
    {"LaPool", {"cluster + linear", "linear", "linear layer"}},
    {"gPool", {"O(N log N)", "O(N)", "GNN layer"}},
    {"SAGPool", {"GCN + O(N log N)", "GCN", "GCN layer"}},
    {"DOTIN", {"O(N log N)", "O(1)", "O(1)"}},
};

Cell methods_cell(const std::string& data, const Shape& shape, int64_t steps) {
  Cell cell;
  cell.label = dataset_title(data) + ", all methods";
  cell.data = data;
  cell.commands = {{"methods", data, "--hidden", std::to_string(shape.hidden), "--layers", std::to_string(shape.layers),
                    "--batch", std::to_string(shape.batch), "--steps", std::to_string(steps), "--threads", "1",
                    "--json"}};
  cell.protocol = fmt::format(
      "medians of 3 x {} training steps, one thread, the methods one after the other in one process", steps);
  cell.alone = true;
  cell.cost = static_cast<double>(steps * shape.layers) * (64 + static_cast<double>(shape.hidden));
  return cell;
}

Entry with_paper(std::string text, const char* stated, const std::string& key) {
  if (stated == nullptr) return {std::move(text), {}, key};
  return {std::move(text), {std::string("paper ") + stated}, key};
}

Chart bars(const std::string& name, const std::string& title, const std::string& unit, const json& methods,
           const char* field, double factor) {
  RowChart chart;
  chart.x_name = unit;
  chart.kinds = {title};
  chart.bars = true;
  for (const json& method : methods)
    chart.rows.push_back({method.at("method"), {{0, factor * method.at(field).get<double>()}}});
  return {name, title, "", draw(chart, title)};
}

}  // namespace

void fill_table_methods(Outcome& outcome, const Settings& settings, Cells& cells) {
  const Shape shape = shape_of(settings, {});
  for (const std::string& data : settings.datasets_or({"DD", "PROTEINS"})) {
    const json* const record = cells.find(methods_cell(data, shape, settings.quick ? 3 : 20));
    const json* const result = result_of(record);
    Table table;
    table.title = dataset_title(data);
    table.about =
        "Time and memory of a training step, over the graphs of its batch. Extra parameters are beyond those of the "
        "same backbone that reads the mean of its nodes. Below: what table 1 of the paper says.";
    table.columns = {"method", "time a graph", "memory a graph", "extra parameters", "task-relevant"};
    if (result == nullptr) {
      table.rows.push_back({"all", std::vector<Entry>(table.columns.size() - 1, Entry{absence_of(record)})});
      outcome.values.push_back({{"dataset", dataset_title(data)}, {"absence", absence_of(record)}});
      outcome.tables.push_back(std::move(table));
      continue;
    }
    const std::string key = record->at("key");
    for (const json& method : *result) {
      const std::string name = method.at("method");
      const auto found = kTable1.find(name);
      const Stated stated = found == kTable1.end() ? Stated{} : found->second;
      const bool task_relevant = method.at("task_relevant");
      table.rows.push_back(
          {name,
           {with_paper(core::format_seconds(method.at("seconds_per_graph")), stated.time, key),
            with_paper(core::format_bytes(method.at("bytes_per_graph")), stated.space, key),
            with_paper(std::to_string(method.at("extra_parameters").get<int64_t>()), stated.parameters, key),
            with_paper(task_relevant ? "yes" : "no",
                       found == kTable1.end() ? nullptr : (name == "DOTIN" ? "yes" : "no"), key)}});
      json value = method;
      value["dataset"] = dataset_title(data);
      value["cell"] = key;
      outcome.values.push_back(std::move(value));
    }
    const std::string slug = short_name(dataset_title(data));
    outcome.charts.push_back(
        bars(slug + "-time", table.title + ": time a graph", "ms", *result, "seconds_per_graph", 1e3));
    outcome.charts.push_back(
        bars(slug + "-memory", table.title + ": memory a graph", "MiB", *result, "bytes_per_graph", 1.0 / (1 << 20)));
    outcome.tables.push_back(std::move(table));
  }
  outcome.about.push_back(fmt::format(
      "Hidden dimension {}, {} layers, batches of {}, drop ratio 0.5, preset recommended, one thread. "
      "All run on the fused engine. DOTIN, random drop and no drop are one function there, the others one a "
      "layer; what lapool, diffpool and mincut do after their first clustering is plain libtorch: part of "
      "the difference in time is that.",
      shape.hidden, shape.layers, shape.batch));
}

}  // namespace dotin::reproduce
