#include "dotin/report/explain_csv.h"

#include <fmt/format.h>

#include <iterator>

#include "dotin/explain/ranks.h"

namespace dotin::report {

namespace {

/// As RFC 4180 quotes.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// "attentiveness,rank" of each task in one layer, for every node of the graph; commas alone where it did not enter.
std::vector<std::string> layer_fields(const explain::LayerExplanation& layer, std::size_t nodes) {
  std::vector<std::string> fields(nodes, std::string(2 * layer.attentiveness.size(), ','));
  for (const int32_t node : layer.entered) fields[static_cast<std::size_t>(node)].clear();
  for (const std::vector<double>& attentiveness : layer.attentiveness) {
    const std::vector<double> ranks = explain::ranks(attentiveness);
    for (std::size_t i = 0; i < layer.entered.size(); ++i) {
      fmt::format_to(std::back_inserter(fields[static_cast<std::size_t>(layer.entered[i])]), ",{},{}", attentiveness[i],
                     ranks[i]);
    }
  }
  return fields;
}

}  // namespace

std::string node_header(const network::Description& about, const data::Dataset& dataset) {
  std::string line = dataset.graph_ids.empty() ? "graph,node" : "graph,id,node";
  for (const io::LabelColumn& column : dataset.node_labels) line += "," + field(column.name);
  for (int64_t c = 0; c < dataset.node_attributes.columns; ++c) line += fmt::format(",attribute{}", c);
  line += ",degree,departure";
  for (const io::RelevantNodes& relevant : dataset.relevant) line += "," + field("planted." + relevant.target);
  for (int64_t l = 0; l < about.options.model.layers; ++l) {
    for (const auto& task : about.outputs) {
      line += "," + field(fmt::format("layer{}.{}.attentiveness", l, task->name()));
      line += "," + field(fmt::format("layer{}.{}.rank", l, task->name()));
    }
  }
  return line + "\n";
}

std::string node_rows(const explain::Prediction& prediction, const data::Dataset& dataset) {
  const data::GraphView graph = dataset.graph(prediction.graph);
  const explain::GraphExplanation& explanation = prediction.explanation;
  std::vector<std::vector<std::string>> layers;
  for (const explain::LayerExplanation& layer : explanation.layers)
    layers.push_back(layer_fields(layer, static_cast<std::size_t>(graph.nodes)));
  std::string rows;
  for (int32_t v = 0; v < graph.nodes; ++v) {
    const auto node = static_cast<std::size_t>(graph.first_node + v);
    rows += std::to_string(prediction.graph);
    if (!dataset.graph_ids.empty()) rows += "," + field(dataset.graph_ids[static_cast<std::size_t>(prediction.graph)]);
    rows += fmt::format(",{}", v);
    for (const io::LabelColumn& column : dataset.node_labels)
      rows += "," + field(column.values[static_cast<std::size_t>(column.codes[node])]);
    for (int64_t c = 0; c < dataset.node_attributes.columns; ++c) {
      rows += fmt::format(
          ",{}",
          dataset.node_attributes
              .values[node * static_cast<std::size_t>(dataset.node_attributes.columns) + static_cast<std::size_t>(c)]);
    }
    rows += fmt::format(",{},{}", graph.degree(v), explanation.departure[static_cast<std::size_t>(v)]);
    for (const io::RelevantNodes& relevant : dataset.relevant) rows += relevant.nodes[node] == 1 ? ",1" : ",0";
    for (const std::vector<std::string>& layer : layers) rows += layer[static_cast<std::size_t>(v)];
    rows += '\n';
  }
  return rows;
}

std::string retention_csv(const explain::DatasetSummary& summary) {
  std::string text = "task,feature,value,nodes,kept,expected,z\n";
  for (const explain::Retention& retention : summary.retention) {
    const std::string task = field(retention.task.empty() ? "all" : retention.task);
    for (const explain::LabelRetention& label : retention.labels) {
      text += fmt::format("{},{},{},{},{},{},{}\n", task, field(label.column), field(label.value), label.nodes,
                          label.kept, label.expected, label.z);
    }
    for (const explain::NumberRetention& number : retention.numbers) {
      text += fmt::format("{},{},mean,{},{},{},{}\n", task, field(number.name), summary.nodes, number.kept_mean,
                          number.expected_mean, number.z);
    }
  }
  return text;
}

}  // namespace dotin::report
