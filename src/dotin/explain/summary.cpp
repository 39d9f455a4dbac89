#include "dotin/explain/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dotin/explain/ranks.h"

namespace dotin::explain {

namespace {

double z_score(double observed, double expected, double variance) {
  return variance > 0 ? (observed - expected) / std::sqrt(variance) : 0;
}

}  // namespace

Summarizer::Summarizer(std::vector<std::string> tasks, int64_t layers, const data::Dataset& dataset)
    : tasks_(std::move(tasks)), dataset_(dataset) {
  totals_.layers = layers;
  totals_.departures.assign(static_cast<std::size_t>(layers) + 1, 0);
  const std::size_t kinds = tasks_.size() + 1;
  kept_counts_.assign(kinds, 0);
  std::vector<std::vector<Sums>> labels;
  for (const io::LabelColumn& column : dataset.node_labels) labels.emplace_back(column.values.size());
  labels_.assign(kinds, labels);
  numbers_.assign(kinds, std::vector<Sums>(static_cast<std::size_t>(1 + dataset.node_attributes.columns)));
  pairs_.resize(tasks_.size() * (tasks_.size() - 1) / 2);
}

void Summarizer::add(const Prediction& prediction) {
  const GraphExplanation& explanation = prediction.explanation;
  const data::GraphView graph = dataset_.graph(prediction.graph);
  ++totals_.graphs;
  totals_.nodes += graph.nodes;
  std::vector<double> stayed;
  for (const int32_t departure : explanation.departure) {
    ++totals_.departures[static_cast<std::size_t>(departure)];
    stayed.push_back(departure == totals_.layers ? 1 : 0);
  }
  const double count = std::accumulate(stayed.begin(), stayed.end(), 0.0);
  add_retention(graph, stayed, count, 0);
  const std::vector<std::vector<double>>& attentiveness = explanation.layers.front().attentiveness;
  std::vector<std::vector<double>> chosen;
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    chosen.push_back(among_largest(attentiveness[k], static_cast<int64_t>(count)));
    add_retention(graph, chosen[k], count, k + 1);
  }
  add_agreement(attentiveness, chosen);
}

double Summarizer::number(const data::GraphView& graph, int64_t column, int32_t node) const {
  if (column == 0) return graph.degree(node);
  const io::FloatTable& table = dataset_.node_attributes;
  return table.values[static_cast<std::size_t>((graph.first_node + node) * table.columns + column - 1)];
}

// Chance draws `count` of the graph's n nodes without replacement. The number with a label that m of them have is then
// hypergeometric: mean count m/n, variance count m/n (1 - m/n) (n - count)/(n - 1). The sum of a number with mean mu
// and variance s^2 over the nodes has mean count mu and variance count s^2 (n - count)/(n - 1).
void Summarizer::add_retention(const data::GraphView& graph, const std::vector<double>& kept, double count,
                               std::size_t by) {
  const double n = graph.nodes;
  const double spread = n > 1 ? count * (n - count) / (n - 1) : 0;
  kept_counts_[by] += count;
  for (std::size_t c = 0; c < dataset_.node_labels.size(); ++c) {
    const int32_t* const codes = dataset_.node_labels[c].codes.data() + graph.first_node;
    std::vector<Sums>& sums = labels_[by][c];
    std::vector<std::pair<int32_t, double>> members;  // by value: how many of this graph, and kept ones
    members.reserve(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) members.emplace_back(codes[i], kept[i]);
    std::sort(members.begin(), members.end());
    for (std::size_t first = 0; first < members.size();) {
      std::size_t last = first;
      Sums& sum = sums[static_cast<std::size_t>(members[first].first)];
      for (; last < members.size() && members[last].first == members[first].first; ++last)
        sum.observed += members[last].second;
      const double share = static_cast<double>(last - first) / n;
      sum.nodes += static_cast<int64_t>(last - first);
      sum.expected += count * share;
      sum.variance += spread * share * (1 - share);
      first = last;
    }
  }
  for (std::size_t column = 0; column < numbers_[by].size(); ++column) {
    double sum = 0, squares = 0, observed = 0;
    for (int32_t i = 0; i < graph.nodes; ++i) {
      const double value = number(graph, static_cast<int64_t>(column), i);
      sum += value;
      observed += value * kept[static_cast<std::size_t>(i)];
    }
    for (int32_t i = 0; i < graph.nodes; ++i) {
      const double apart = number(graph, static_cast<int64_t>(column), i) - sum / n;
      squares += apart * apart;
    }
    Sums& total = numbers_[by][column];
    total.observed += observed;
    total.expected += count * sum / n;
    total.variance += spread * squares / n;
  }
}

void Summarizer::add_agreement(const std::vector<std::vector<double>>& attentiveness,
                               const std::vector<std::vector<double>>& chosen) {
  std::size_t at = 0;
  for (std::size_t a = 0; a < tasks_.size(); ++a) {
    for (std::size_t b = a + 1; b < tasks_.size(); ++b) {
      PairSums& pair = pairs_[at++];
      const double correlation = rank_correlation(attentiveness[a], attentiveness[b]);
      if (!std::isnan(correlation)) {
        ++pair.graphs;
        pair.correlation += correlation;
        pair.squares += correlation * correlation;
      }
      double both = 0, either = 0;
      for (std::size_t i = 0; i < chosen[a].size(); ++i) {
        both += std::min(chosen[a][i], chosen[b][i]);
        either += std::max(chosen[a][i], chosen[b][i]);
        const auto [less, more] = std::minmax(attentiveness[a][i], attentiveness[b][i]);
        pair.similar += less >= kSimilar * more ? 1 : 0;
      }
      pair.overlap += either > 0 ? both / either : 1;
    }
  }
}

DatasetSummary Summarizer::summary() const {
  DatasetSummary summary = totals_;
  for (std::size_t by = 0; by <= tasks_.size(); ++by) {
    Retention& retention = summary.retention.emplace_back();
    if (by > 0) retention.task = tasks_[by - 1];
    for (std::size_t c = 0; c < dataset_.node_labels.size(); ++c) {
      const io::LabelColumn& column = dataset_.node_labels[c];
      for (std::size_t v = 0; v < column.values.size(); ++v) {
        const Sums& sums = labels_[by][c][v];
        if (sums.nodes == 0) continue;
        retention.labels.push_back({column.name, column.values[v], sums.nodes, sums.observed, sums.expected,
                                    z_score(sums.observed, sums.expected, sums.variance)});
      }
    }
    for (std::size_t column = 0; column < numbers_[by].size(); ++column) {
      const Sums& sums = numbers_[by][column];
      const double kept = std::max(kept_counts_[by], 1.0);
      retention.numbers.push_back({column == 0 ? "degree" : fmt::format("attribute {}", column - 1),
                                   sums.observed / kept, sums.expected / kept,
                                   z_score(sums.observed, sums.expected, sums.variance)});
    }
  }
  std::size_t at = 0;
  for (std::size_t a = 0; a < tasks_.size(); ++a) {
    for (std::size_t b = a + 1; b < tasks_.size(); ++b) {
      const PairSums& pair = pairs_[at++];
      const auto graphs = static_cast<double>(pair.graphs);
      const double mean = pair.correlation / graphs;
      const double variance = (pair.squares - graphs * mean * mean) / (graphs - 1);
      summary.agreement.push_back({tasks_[a], tasks_[b], pair.graphs, mean, std::sqrt(std::max(0.0, variance) / graphs),
                                   pair.overlap / static_cast<double>(totals_.graphs),
                                   pair.similar / static_cast<double>(totals_.nodes)});
    }
  }
  return summary;
}

DatasetSummary summarize(const network::Predictor& predictor, const data::FeatureEncoder& encoder,
                         const data::View& view, core::Progress& progress) {
  std::vector<std::string> tasks;
  for (const auto& output : predictor.description().outputs) tasks.push_back(output->name());
  Summarizer summarizer(std::move(tasks), predictor.description().options.model.layers, view.dataset());
  predict(predictor, encoder, view, true, progress, [&](const Prediction& prediction) { summarizer.add(prediction); });
  return summarizer.summary();
}

}  // namespace dotin::explain
