// What is kept over a whole dataset: which nodes, how much the tasks agree, and where nodes leave.
#pragma once

#include <string>
#include <vector>

#include "dotin/explain/predict.h"

namespace dotin::explain {

/// How often nodes with one label value were kept, against a drop that chooses at random within each graph.
struct LabelRetention {
  std::string column, value;
  int64_t nodes = 0;
  double kept = 0;      // nodes
  double expected = 0;  // by chance
  double z = 0;         // (kept - expected) in standard deviations of chance (hypergeometric, summed over the graphs)
};

/// The mean of a number (degree, an attribute) over the kept nodes, against chance.
struct NumberRetention {
  std::string name;
  double kept_mean = 0, expected_mean = 0;
  double z = 0;
};

struct Retention {
  /// Empty: the nodes that stayed to the end, which all tasks decide together. Else: of each graph's nodes as many as
  /// stayed, but those this task is most attentive to in the first layer, where all nodes compare; of ties at the edge
  /// each counts in part.
  std::string task;
  std::vector<LabelRetention> labels;
  std::vector<NumberRetention> numbers;
};

/// How much two tasks look at the same nodes, in the first layer.
struct Agreement {
  std::string first, second;
  int64_t graphs = 0;            // with a rank correlation: more than one node, and not all alike
  double correlation = 0;        // Spearman's, mean over the graphs
  double correlation_error = 0;  // standard error of that mean
  double overlap = 0;            // of the nodes each would keep: intersection by union, mean over the graphs
  double similar = 0;            // share of nodes whose attentiveness differs less than kSimilar allows
};

/// The paper's rule for nodes that matter alike to two tasks: the smaller attentiveness is at least this share of the
/// larger.
inline constexpr double kSimilar = 0.25;

struct DatasetSummary {
  int64_t graphs = 0, nodes = 0, layers = 0;
  std::vector<int64_t> departures;  // nodes dropped by each layer; at the end those that stayed
  std::vector<Retention> retention;
  std::vector<Agreement> agreement;
};

/// Takes explained predictions of graphs of one dataset, in any order.
class Summarizer {
 public:
  /// tasks: those with attentiveness, in order; none for a model without virtual nodes.
  Summarizer(std::vector<std::string> tasks, int64_t layers, const data::Dataset& dataset);
  void add(const Prediction& prediction);
  DatasetSummary summary() const;

 private:
  struct Sums {
    double observed = 0, expected = 0, variance = 0;
    int64_t nodes = 0;
  };
  struct PairSums {
    double correlation = 0, squares = 0, overlap = 0, similar = 0;
    int64_t graphs = 0;
  };
  void add_retention(const data::GraphView& graph, const std::vector<double>& kept, double count, std::size_t by);
  void add_agreement(const std::vector<std::vector<double>>& attentiveness,
                     const std::vector<std::vector<double>>& chosen);
  double number(const data::GraphView& graph, int64_t column, int32_t node) const;

  std::vector<std::string> tasks_;
  const data::Dataset& dataset_;
  DatasetSummary totals_;
  std::vector<double> kept_counts_;                     // per retention: nodes kept
  std::vector<std::vector<std::vector<Sums>>> labels_;  // [retention][column][value]
  std::vector<std::vector<Sums>> numbers_;              // [retention][degree, then attributes]
  std::vector<PairSums> pairs_;
};

/// Runs the model over a view.
DatasetSummary summarize(const network::Predictor& predictor, const data::FeatureEncoder& encoder,
                         const data::View& view, core::Progress& progress);

}  // namespace dotin::explain
