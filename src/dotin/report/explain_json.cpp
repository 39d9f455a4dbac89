#include "dotin/report/explain_json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "dotin/explain/ranks.h"
#include "dotin/network/targets.h"

namespace dotin::report {

namespace {

using nlohmann::json;

/// The shortest number that reads back as this float: 0.1, not 0.10000000149011612.
double shortest(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

json by_task(const network::Description& about, const std::vector<std::vector<double>>& values) {
  json result = json::object();
  for (std::size_t k = 0; k < about.outputs.size(); ++k) result[about.outputs[k]->name()] = values[k];
  return result;
}

/// What the data says about a graph: class names for classify, numbers else; null where it says nothing.
json truth(const data::Dataset& dataset, const network::TaskSpec& spec, int64_t graph) {
  const auto has = [&](const std::string& name) {
    for (const io::Target& target : dataset.targets) {
      if (target.name == name) return true;
    }
    return false;
  };
  if (spec.kind == "ged" || !(has(spec.target) || has(spec.target.substr(0, spec.target.rfind('.'))))) return nullptr;
  const auto [target, column] = network::find_target(dataset, spec.target);
  json values = json::array();
  for (int64_t c = 0; c < target->width; ++c) {
    if (column >= 0 && c != column) continue;
    const double value = target->values[static_cast<std::size_t>(graph * target->width + c)];
    if (std::isnan(value)) {
      values.push_back(nullptr);
    } else if (spec.kind == "classify") {
      values.push_back(target->names.empty() ? fmt::format("{}", value)
                                             : target->names[static_cast<std::size_t>(value)]);
    } else {
      values.push_back(value);
    }
  }
  return values.size() == 1 ? values[0] : values;
}

json edges_json(const data::GraphView& graph) {
  json edges = json::array();
  for (int32_t v = 0; v < graph.nodes; ++v) {
    for (const int32_t u : graph.neighbours(v)) {
      if (v < u) edges.push_back({v, u});
    }
  }
  return edges;
}

json labels_json(const data::Dataset& dataset, const data::GraphView& graph) {
  json labels = json::object();
  for (const io::LabelColumn& column : dataset.node_labels) {
    json& values = labels[column.name] = json::array();
    for (int32_t v = 0; v < graph.nodes; ++v) {
      const int32_t code = column.codes[static_cast<std::size_t>(graph.first_node + v)];
      values.push_back(column.values[static_cast<std::size_t>(code)]);
    }
  }
  return labels;
}

json attributes_json(const data::Dataset& dataset, const data::GraphView& graph) {
  const io::FloatTable& table = dataset.node_attributes;
  json rows = json::array();
  for (int64_t v = 0; v < graph.nodes && table.columns > 0; ++v) {
    json& row = rows.emplace_back(json::array());
    for (int64_t c = 0; c < table.columns; ++c)
      row.push_back(shortest(table.values[static_cast<std::size_t>((graph.first_node + v) * table.columns + c)]));
  }
  return rows;
}

json planted_json(const data::Dataset& dataset, const data::GraphView& graph) {
  json planted = json::object();
  for (const io::RelevantNodes& relevant : dataset.relevant) {
    json& nodes = planted[relevant.target] = json::array();
    for (int32_t v = 0; v < graph.nodes; ++v) {
      if (relevant.nodes[static_cast<std::size_t>(graph.first_node + v)] == 1) nodes.push_back(v);
    }
  }
  return planted;
}

json interval_json(const explain::Interval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
}

json by_taken(const std::array<explain::Interval, 3>& intervals) {
  json result;
  for (std::size_t i = 0; i < intervals.size(); ++i) result[explain::kTakenNames[i]] = interval_json(intervals[i]);
  return result;
}

}  // namespace

json model_json(const network::Description& about, const data::Dataset& dataset) {
  const network::ModelOptions& model = about.options.model;
  json tasks = json::array();
  for (const auto& task : about.outputs) {
    json entry = {{"name", task->name()}, {"kind", task->spec().kind}, {"target", task->spec().target}};
    if (task->spec().kind == "ged") {
      const json meaning = task->to_json();
      for (const char* const key : {"distance", "scale"}) entry[key] = meaning.at(key);
    }
    tasks.push_back(std::move(entry));
  }
  json drop_ratio = json::array();
  for (int64_t l = 0; l < model.layers; ++l) drop_ratio.push_back(model.drop_ratio_of(l));
  return {{"dataset", dataset.name},
          {"tasks", tasks},
          {"backbone", core::word(model.backbone)},
          {"layers", model.layers},
          {"drop", core::word(model.drop)},
          {"drop_ratio", drop_ratio},
          {"merge", model.merge && model.has_virtual_nodes()}};
}

json reading_json(const network::Reading& reading) {
  json result = json::object();
  if (!reading.logits.empty()) result["logits"] = reading.logits;
  if (!reading.probabilities.empty()) result["probabilities"] = reading.probabilities;
  if (!reading.label.empty()) result["label"] = reading.label;
  if (reading.values.size() == 1) result["value"] = reading.values[0];
  if (reading.values.size() > 1) result["value"] = reading.values;
  if (!reading.embedding.empty()) result["embedding"] = reading.embedding;
  return result;
}

json layers_json(const explain::GraphExplanation& explanation, const network::Description& about) {
  json layers = json::array();
  for (const explain::LayerExplanation& layer : explanation.layers) {
    layers.push_back({{"kept", layer.kept}, {"dropped", layer.dropped}, {"nodes", layer.entered}});
    if (!layer.attentiveness.empty()) layers.back()["attentiveness"] = by_task(about, layer.attentiveness);
    if (!layer.score.empty()) layers.back()["score"] = layer.score;
  }
  return layers;
}

json graph_json(const explain::Prediction& prediction, const network::Description& about,
                const data::Dataset& dataset) {
  const explain::GraphExplanation& explanation = prediction.explanation;
  const data::GraphView graph = dataset.graph(prediction.graph);
  json result = {{"graph", prediction.graph},
                 {"nodes", graph.nodes},
                 {"edges", edges_json(graph)},
                 {"labels", labels_json(dataset, graph)},
                 {"attributes", attributes_json(dataset, graph)},
                 {"departure", explanation.departure}};
  if (!dataset.graph_ids.empty()) result["id"] = dataset.graph_ids[static_cast<std::size_t>(prediction.graph)];
  if (!dataset.relevant.empty()) result["planted"] = planted_json(dataset, graph);
  for (std::size_t k = 0; k < about.outputs.size(); ++k) {
    const network::Output& task = *about.outputs[k];
    const std::vector<double>& output = prediction.outputs[k];
    result["tasks"][task.name()] = {
        {"true", truth(dataset, task.spec(), prediction.graph)},
        {"predicted", reading_json(task.read(output.data(), static_cast<int64_t>(output.size())))}};
  }
  result["layers"] = layers_json(explanation, about);
  for (std::size_t l = 0; l < explanation.layers.size(); ++l) {
    const explain::LayerExplanation& layer = explanation.layers[l];
    json& into = result["layers"][l];
    std::vector<std::vector<double>> ranks;
    for (const std::vector<double>& attentiveness : layer.attentiveness) ranks.push_back(explain::ranks(attentiveness));
    into["rank"] = by_task(about, ranks);
    json& scores = into["score"] = json::array();
    for (const double score : layer.score) scores.push_back(shortest(static_cast<float>(score)));
    into["merged"] = layer.merged;
    into["merged_attentiveness"] = by_task(about, layer.merged_attentiveness);
  }
  result["merged"] = json::array();
  for (const explain::MergedNode& node : explanation.merged)
    result["merged"].push_back({{"layer", node.layer}, {"departure", node.departure}, {"stands_for", node.stands_for}});
  return result;
}

json summary_json(const explain::DatasetSummary& summary) {
  json retention = json::array();
  for (const explain::Retention& entry : summary.retention) {
    json labels = json::array(), numbers = json::array();
    for (const explain::LabelRetention& label : entry.labels) {
      labels.push_back({{"column", label.column},
                        {"value", label.value},
                        {"nodes", label.nodes},
                        {"kept", label.kept},
                        {"expected", label.expected},
                        {"z", label.z}});
    }
    for (const explain::NumberRetention& number : entry.numbers) {
      numbers.push_back({{"name", number.name},
                         {"kept_mean", number.kept_mean},
                         {"expected_mean", number.expected_mean},
                         {"z", number.z}});
    }
    retention.push_back({{"task", entry.task.empty() ? json() : json(entry.task)},
                         {"labels", std::move(labels)},
                         {"numbers", std::move(numbers)}});
  }
  json agreement = json::array();
  for (const explain::Agreement& pair : summary.agreement) {
    agreement.push_back({{"tasks", {pair.first, pair.second}},
                         {"graphs", pair.graphs},
                         {"correlation", pair.correlation},
                         {"correlation_error", pair.correlation_error},
                         {"overlap", pair.overlap},
                         {"similar", pair.similar}});
  }
  return {{"graphs", summary.graphs},          {"nodes", summary.nodes},
          {"layers", summary.layers},          {"departures", summary.departures},
          {"retention", std::move(retention)}, {"agreement", std::move(agreement)}};
}

json verification_json(const explain::Verification& verification) {
  json fidelity = json::object();
  for (const explain::Fidelity& task : verification.fidelity) {
    fidelity[task.task] = {{"plus", by_taken(task.plus)},
                           {"minus", by_taken(task.minus)},
                           {"plus_gain", interval_json(task.plus_gain)},
                           {"minus_gain", interval_json(task.minus_gain)}};
  }
  json planted = json::array();
  for (const explain::PlantedMatch& match : verification.planted) {
    planted.push_back({{"target", match.target},
                       {"layer", match.layer},
                       {"precision", interval_json(match.precision)},
                       {"recall", interval_json(match.recall)},
                       {"chance_precision", match.chance_precision},
                       {"chance_recall", match.chance_recall}});
  }
  return {{"graphs", verification.graphs},
          {"left_out", verification.left_out},
          {"fidelity", std::move(fidelity)},
          {"planted", std::move(planted)}};
}

}  // namespace dotin::report
