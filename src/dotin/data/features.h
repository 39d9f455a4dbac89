// From labels, attributes and degrees to the rows that a model reads: F columns, dense ones first, then one-hot blocks.
//
// A one-hot block is never written out: each node has one code per block, the column that is 1. The first layer uses
// that.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dotin/data/dataset.h"

namespace dotin::data {

/// The old rule of thumb of ten examples for each number to be learned: with fewer, what is learned of a colour is
/// chance (docs/experiments.md has what it is worth on either side).
inline constexpr int64_t kGraphsPerColour = 10;
/// Counts of neighbours cost memory and time by the number of label values.
inline constexpr int64_t kMostCountedValues = 256;

enum class DegreeFeature { none, onehot, log };
/// if_few: where labels are features and there are kGraphsPerColour training graphs for each of their colours.
enum class NeighbourFeature { none, always, if_few };
/// if_many: where there are fewer, and no more than kMostCountedValues label values.
enum class NeighbourCounts { none, always, if_many };
enum class UnknownLabels { error, ignore };
/// What a block of one-hot columns tells of a node.
enum class BlockKind { label, degree, neighbours };

struct FeatureOptions {
  bool labels = true;      // one-hot of every node label column
  bool attributes = true;  // node attributes
  DegreeFeature degree = DegreeFeature::none;
  int32_t degree_cap = 64;  // one-hot degree: larger degrees share the last column
  /// One-hot of a node's colour: its labels together with those of its neighbours (a carbon between an oxygen and two
  /// carbons), or with their degrees where labels are no features. `always` hashes them, because edits of edges make
  /// new ones.
  NeighbourFeature neighbours = NeighbourFeature::none;
  /// neighbours = always: how many there are for a hash to choose from. Enough for few colours to share one (NCI1 has
  /// 292).
  int32_t hashed_columns = 1024;
  /// A dense column for each label value: how many neighbours have it. What is learned of it holds for colours that
  /// were never seen. Nothing where labels are no features.
  NeighbourCounts neighbour_counts = NeighbourCounts::none;
  bool standardize = true;  // attributes to mean 0 and deviation 1, as measured on the training graphs
  /// With neither labels nor attributes (in the data, or switched off) and no degree: one-hot degree, or one constant
  /// column.
  bool constant_if_featureless = false;
};

/// The map from a node to its feature row, fitted once and stored with the model, so that new data gets the same
/// columns by label value.
struct FeatureMap {
  struct Block {
    std::string name;  // label column, "degree" or "neighbours"
    BlockKind kind = BlockKind::label;
    std::vector<std::string> values;  // one column each; for degree the text of 0..cap, the last for all from cap on
    // neighbours: either so many columns, of which a hash of the colour decides, or one for each of these colours,
    // which rise, and none for others.
    int32_t hashed = 0;
    std::vector<uint64_t> colours;

    int64_t width() const { return hashed + static_cast<int64_t>(values.size() + colours.size()); }
  };
  std::vector<float> attribute_mean;   // one per attribute column
  std::vector<float> attribute_scale;  // x -> (x - mean) * scale
  bool log_degree = false;             // one dense column log(1 + degree)
  bool constant = false;               // one dense column of ones
  bool neighbour_counts = false;       // the last dense columns: for each label value how many neighbours have it
  std::vector<Block> blocks;

  int64_t label_values() const;  // columns of all label blocks
  int64_t dense_width() const;
  int64_t width() const;  // F: dense columns and all one-hot columns
  int64_t codes_per_node() const { return static_cast<int64_t>(blocks.size()); }
  /// What the columns tell of a node, and how many tell it: ("attributes", 1), ("label", 3), ("neighbours", 292).
  std::vector<std::pair<std::string, int64_t>> parts() const;
  /// Dense columns first, then "label=6", ..., "neighbours#0", ..., in column order.
  std::vector<std::string> column_names() const;

  nlohmann::json to_json() const;
  static FeatureMap from_json(const nlohmann::json& json);
};

/// One column per label value that occurs (DD: F = 82, where PyG counts 89 because it goes from the least value to the
/// largest). Label values come from the whole dataset, means and deviations from the training graphs only (a constant
/// column gets scale 1). Logs what it chose where the data has neither labels nor attributes.
FeatureMap fit_features(const View& train, const FeatureOptions& options);

/// A feature map bound to a dataset, which may be another than the one it was fitted on.
class FeatureEncoder {
 public:
  /// Throws core::Error that names a missing label column, a missing or wider attribute table, or (with
  /// UnknownLabels::error) an unseen label value.
  FeatureEncoder(FeatureMap map, const Dataset& dataset, UnknownLabels unknown);

  const FeatureMap& map() const { return map_; }
  /// Writes codes (nodes x codes_per_node; a column in [dense_width, width), or -1 for an ignored unknown value) and
  /// dense values (nodes x dense_width). graph: one of the dataset; its edges may be others than the stored ones, as
  /// after edge substitution.
  void encode(const Dataset& dataset, const GraphView& graph, int32_t* codes, float* dense) const;

 private:
  /// A block of the map, bound.
  struct Bound {
    BlockKind kind;
    int32_t first_column = 0, width = 0;
    int64_t label_column = -1;            // index into dataset.node_labels
    std::vector<int32_t> column_of_code;  // label: dataset code -> column or -1
    std::vector<uint64_t> colours;        // neighbours: of the columns, where they are not hashed
  };
  void encode_labels(const Dataset& dataset, const GraphView& graph, std::size_t block, int32_t* codes) const;
  void encode_neighbours(const GraphView& graph, std::size_t block, int32_t* codes) const;
  void count_neighbours(const GraphView& graph, const int32_t* codes, float* dense) const;

  FeatureMap map_;
  std::vector<Bound> blocks_;
};

}  // namespace dotin::data
