#include "dotin/data/features.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "dotin/core/error.h"
#include "dotin/core/log.h"
#include "dotin/core/random.h"
#include "dotin/core/registry.h"

namespace dotin::data {

namespace {

using nlohmann::json;

constexpr const char* kKindNames[] = {"label", "degree", "neighbours"};

BlockKind kind_of(const std::string& name) {
  for (std::size_t kind = 0; kind < std::size(kKindNames); ++kind) {
    if (name == kKindNames[kind]) return static_cast<BlockKind>(kind);
  }
  core::fail("unknown kind of block '{}'", name);
}

FeatureMap::Block degree_block(int32_t cap) {
  DOTIN_CHECK(cap >= 1, "the degree cap is {}; it must be at least 1", cap);
  FeatureMap::Block block{"degree", BlockKind::degree, {}, 0, {}};
  for (int32_t degree = 0; degree <= cap; ++degree) block.values.push_back(std::to_string(degree));
  return block;
}

/// They come first.
std::size_t label_blocks(const FeatureMap& map) {
  return static_cast<std::size_t>(std::count_if(map.blocks.begin(), map.blocks.end(),
                                                [](const FeatureMap::Block& b) { return b.kind == BlockKind::label; }));
}

/// A round of Weisfeiler-Lehman colouring: a node's colour is a hash of its labels and of the sum of its neighbours'
/// (of degrees where there are no labels). codes: nodes x stride, those of the labels first.
std::vector<uint64_t> colours_of(const GraphView& graph, const int32_t* codes, std::size_t stride, std::size_t labels) {
  std::vector<uint64_t> own(static_cast<std::size_t>(graph.nodes), 0), colours(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t b = 0; b < labels; ++b)
      own[i] = core::mix(own[i], static_cast<uint64_t>(codes[i * stride + b] + 1));
    if (labels == 0) own[i] = core::mix(0, static_cast<uint64_t>(graph.degree(static_cast<int32_t>(i))));
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    uint64_t sum = 0;
    for (const int32_t j : graph.neighbours(static_cast<int32_t>(i))) sum += own[static_cast<std::size_t>(j)];
    colours[i] = core::mix(own[i], sum);
  }
  return colours;
}

struct Moments {
  double mean = 0, scale = 1;
};

/// Mean and 1 / deviation of one attribute over the nodes of the training graphs, in two passes and in double: one pass
/// loses everything where the mean is far larger than the deviation.
Moments moments_of(const View& train, int64_t column) {
  const Dataset& dataset = train.dataset();
  const io::FloatTable& table = dataset.node_attributes;
  const auto for_each_value = [&](auto visit) {
    for (const int64_t graph : train.indices()) {
      const int64_t end = dataset.node_offsets[static_cast<std::size_t>(graph) + 1];
      for (int64_t node = dataset.node_offsets[static_cast<std::size_t>(graph)]; node < end; ++node) {
        visit(static_cast<double>(table.values[static_cast<std::size_t>(node * table.columns + column)]));
      }
    }
  };
  double sum = 0, squares = 0;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  int64_t count = 0;
  for_each_value([&](double value) {
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
    ++count;
  });
  if (count == 0) return {};
  Moments moments;
  moments.mean = sum / static_cast<double>(count);
  DOTIN_CHECK(std::isfinite(moments.mean),
              "{}: node attribute {} has values that are not finite numbers; mend the data", dataset.name, column);
  if (least == most) return {least, 1};
  for_each_value([&](double value) { squares += (value - moments.mean) * (value - moments.mean); });
  const double scale = std::sqrt(static_cast<double>(count) / squares);
  moments.scale = std::isfinite(static_cast<float>(scale)) ? scale : 1;
  return moments;
}

void fit_attributes(const View& train, bool standardize, FeatureMap& map) {
  for (int64_t column = 0; column < train.dataset().node_attributes.columns; ++column) {
    const Moments moments = standardize ? moments_of(train, column) : Moments{};
    map.attribute_mean.push_back(static_cast<float>(moments.mean));
    map.attribute_scale.push_back(static_cast<float>(moments.scale));
  }
}

std::vector<std::string> label_names(const Dataset& dataset) {
  std::vector<std::string> names;
  for (const io::LabelColumn& column : dataset.node_labels) names.push_back(column.name);
  return names;
}

int64_t find_label_column(const Dataset& dataset, const std::string& wanted) {
  const std::vector<std::string> names = label_names(dataset);
  const auto found = std::find(names.begin(), names.end(), wanted);
  DOTIN_CHECK(found != names.end(), "{}: no node label column '{}', which the features need{}; the data has: {}",
              dataset.name, wanted, core::suggestion(wanted, names),
              names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  return found - names.begin();
}

/// For each code of the dataset's column the number of the same value in the block, -1 where it has none.
std::vector<int32_t> bind_values(const FeatureMap::Block& block, const Dataset& dataset, const io::LabelColumn& labels,
                                 UnknownLabels unknown) {
  std::unordered_map<std::string, int32_t> number_of_value;
  for (const std::string& value : block.values) number_of_value.emplace(value, number_of_value.size());
  std::vector<int32_t> numbers;
  std::vector<std::string> unseen;
  for (const std::string& value : labels.values) {
    const auto found = number_of_value.find(value);
    numbers.push_back(found == number_of_value.end() ? -1 : found->second);
    if (numbers.back() < 0) unseen.push_back(value);
  }
  if (unseen.empty()) return numbers;
  const std::size_t shown = std::min<std::size_t>(unseen.size(), 5);
  const std::string list = fmt::format("{}{}", fmt::join(unseen.begin(), unseen.begin() + shown, ", "),
                                       shown < unseen.size() ? ", ..." : "");
  DOTIN_CHECK(unknown == UnknownLabels::ignore,
              "{}: node label column '{}' has {} value(s) that the features were not fitted on: {}; fit on data that "
              "has them, or give them no feature (`unknown` ignore)",
              dataset.name, block.name, unseen.size(), list);
  core::log_warning("{}: node label column '{}': unknown value(s) {} get no feature", dataset.name, block.name, list);
  return numbers;
}

void check_map(const FeatureMap& map) {
  DOTIN_CHECK(map.attribute_mean.size() == map.attribute_scale.size(), "{} attribute means but {} scales",
              map.attribute_mean.size(), map.attribute_scale.size());
  for (const FeatureMap::Block& block : map.blocks) {
    DOTIN_CHECK(block.kind == BlockKind::label || block.width() > 0, "block '{}' has no columns", block.name);
    DOTIN_CHECK(block.kind == BlockKind::neighbours ? block.values.empty() : block.hashed == 0 && block.colours.empty(),
                "block '{}' has both values and colours", block.name);
    DOTIN_CHECK(block.hashed >= 0 && (block.hashed == 0 || block.colours.empty()),
                "block '{}' has both hashed colours and a list of them", block.name);
    DOTIN_CHECK(
        std::adjacent_find(block.colours.begin(), block.colours.end(), std::greater_equal<>()) == block.colours.end(),
        "the colours of block '{}' do not rise", block.name);
    DOTIN_CHECK(block.kind != BlockKind::neighbours || &block == &map.blocks.back(), "block '{}' is not the last",
                block.name);
    DOTIN_CHECK(std::set<std::string>(block.values.begin(), block.values.end()).size() == block.values.size(),
                "block '{}' has the same value twice", block.name);
  }
  DOTIN_CHECK(map.width() <= std::numeric_limits<int32_t>::max(), "{} columns are too many", map.width());
}

}  // namespace

int64_t FeatureMap::label_values() const {
  int64_t values = 0;
  for (const Block& block : blocks) values += block.kind == BlockKind::label ? block.width() : 0;
  return values;
}

int64_t FeatureMap::dense_width() const {
  return static_cast<int64_t>(attribute_mean.size()) + (log_degree ? 1 : 0) + (constant ? 1 : 0) +
         (neighbour_counts ? label_values() : 0);
}

int64_t FeatureMap::width() const {
  int64_t width = dense_width();
  for (const Block& block : blocks) width += block.width();
  return width;
}

std::vector<std::pair<std::string, int64_t>> FeatureMap::parts() const {
  std::vector<std::pair<std::string, int64_t>> parts;
  if (!attribute_mean.empty()) parts.emplace_back("attributes", attribute_mean.size());
  if (log_degree) parts.emplace_back("log_degree", 1);
  if (constant) parts.emplace_back("constant", 1);
  if (neighbour_counts) parts.emplace_back("neighbour_counts", label_values());
  for (const Block& block : blocks) parts.emplace_back(block.name, block.width());
  return parts;
}

std::vector<std::string> FeatureMap::column_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < attribute_mean.size(); ++i) names.push_back(fmt::format("attribute{}", i));
  if (log_degree) names.push_back("log_degree");
  if (constant) names.push_back("constant");
  for (const Block& block : blocks) {
    if (!neighbour_counts || block.kind != BlockKind::label) continue;
    for (const std::string& value : block.values) names.push_back(fmt::format("neighbours:{}={}", block.name, value));
  }
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.values.size(); ++i) {
      const bool open_ended = block.kind == BlockKind::degree && i + 1 == block.values.size();
      names.push_back(block.name + (open_ended ? ">=" : "=") + block.values[i]);
    }
    if (block.kind == BlockKind::neighbours) {
      for (int64_t i = 0; i < block.width(); ++i) names.push_back(fmt::format("{}#{}", block.name, i));
    }
  }
  return names;
}

json FeatureMap::to_json() const {
  json list = json::array();
  for (const Block& block : blocks) {
    list.push_back({{"name", block.name},
                    {"kind", kKindNames[static_cast<std::size_t>(block.kind)]},
                    {"values", block.values},
                    {"hashed", block.hashed},
                    {"colours", block.colours}});
  }
  return {{"attribute_mean", attribute_mean},
          {"attribute_scale", attribute_scale},
          {"log_degree", log_degree},
          {"constant", constant},
          {"neighbour_counts", neighbour_counts},
          {"blocks", list}};
}

FeatureMap FeatureMap::from_json(const json& source) {
  FeatureMap map;
  try {
    source.at("attribute_mean").get_to(map.attribute_mean);
    source.at("attribute_scale").get_to(map.attribute_scale);
    source.at("log_degree").get_to(map.log_degree);
    source.at("constant").get_to(map.constant);
    source.at("neighbour_counts").get_to(map.neighbour_counts);
    for (const json& entry : source.at("blocks")) {
      Block block;
      entry.at("name").get_to(block.name);
      entry.at("values").get_to(block.values);
      block.kind = kind_of(entry.at("kind").get<std::string>());
      entry.at("hashed").get_to(block.hashed);
      entry.at("colours").get_to(block.colours);
      map.blocks.push_back(std::move(block));
    }
    check_map(map);
  } catch (const json::exception& error) {
    core::fail("damaged feature map: {}", error.what());
  } catch (const core::Error& error) {
    core::fail("damaged feature map: {}", error.what());
  }
  return map;
}

namespace {

/// The colours of the training graphs' nodes, rising; none where there are more than `most`.
std::vector<uint64_t> few_colours(const View& train, const FeatureMap& map, int64_t most) {
  const FeatureEncoder encoder(map, train.dataset(), UnknownLabels::error);
  const std::size_t stride = map.blocks.size(), labels = label_blocks(map);
  std::set<uint64_t> colours;
  std::vector<int32_t> codes;
  std::vector<float> dense;
  for (int64_t g = 0; g < train.size(); ++g) {
    const GraphView graph = train.get(g);
    codes.resize(static_cast<std::size_t>(graph.nodes) * stride);
    dense.resize(static_cast<std::size_t>(graph.nodes * map.dense_width()));
    encoder.encode(train.dataset(), graph, codes.data(), dense.data());
    for (const uint64_t colour : colours_of(graph, codes.data(), stride, labels)) colours.insert(colour);
    if (static_cast<int64_t>(colours.size()) > most) return {};
  }
  return {colours.begin(), colours.end()};
}

void fit_neighbours(const View& train, const FeatureOptions& options, FeatureMap& map) {
  const bool labels = label_blocks(map) > 0;
  const bool if_many = options.neighbour_counts == NeighbourCounts::if_many;
  std::vector<uint64_t> few;
  if (labels && (if_many || options.neighbours == NeighbourFeature::if_few))
    few = few_colours(train, map, train.size() / kGraphsPerColour);
  map.neighbour_counts = labels && (options.neighbour_counts == NeighbourCounts::always ||
                                    (if_many && few.empty() && map.label_values() <= kMostCountedValues));

  FeatureMap::Block block{"neighbours", BlockKind::neighbours, {}, 0, {}};
  if (options.neighbours == NeighbourFeature::always) block.hashed = options.hashed_columns;
  if (options.neighbours == NeighbourFeature::if_few) block.colours = std::move(few);
  if (block.width() > 0) map.blocks.push_back(std::move(block));
}

}  // namespace

FeatureMap fit_features(const View& train, const FeatureOptions& options) {
  const Dataset& dataset = train.dataset();
  FeatureMap map;
  if (options.attributes) fit_attributes(train, options.standardize, map);
  if (options.labels) {
    for (const io::LabelColumn& column : dataset.node_labels)
      map.blocks.push_back({column.name, BlockKind::label, column.values, 0, {}});
  }
  map.log_degree = options.degree == DegreeFeature::log;
  if (options.degree == DegreeFeature::onehot) map.blocks.push_back(degree_block(options.degree_cap));
  fit_neighbours(train, options, map);
  if (map.width() > 0) return map;

  if (options.constant_if_featureless) {
    map.constant = true;
    core::log_info("{}: neither node labels nor attributes to use; every node gets the constant feature 1",
                   dataset.name);
  } else {
    map.blocks.push_back(degree_block(options.degree_cap));
    core::log_info("{}: neither node labels nor attributes to use; features are the one-hot degree, up to {}",
                   dataset.name, options.degree_cap);
  }
  return map;
}

FeatureEncoder::FeatureEncoder(FeatureMap map, const Dataset& dataset, UnknownLabels unknown) : map_(std::move(map)) {
  check_map(map_);
  const auto attributes = static_cast<int64_t>(map_.attribute_mean.size());
  const int64_t there = dataset.node_attributes.columns;
  DOTIN_CHECK(attributes == 0 || there > 0, "{}: no node attributes, but the features need {} column(s) of them",
              dataset.name, attributes);
  DOTIN_CHECK(attributes == 0 || there == attributes, "{}: {} node attribute column(s), but the features need {}",
              dataset.name, there, attributes);
  auto first_column = static_cast<int32_t>(map_.dense_width());
  for (const FeatureMap::Block& block : map_.blocks) {
    Bound bound{block.kind, first_column, static_cast<int32_t>(block.width()), -1, {}, block.colours};
    if (block.kind == BlockKind::label) {
      bound.label_column = find_label_column(dataset, block.name);
      const io::LabelColumn& labels = dataset.node_labels[static_cast<std::size_t>(bound.label_column)];
      bound.column_of_code = bind_values(block, dataset, labels, unknown);
      for (int32_t& column : bound.column_of_code) column += column < 0 ? 0 : first_column;
    }
    first_column += bound.width;
    blocks_.push_back(std::move(bound));
  }
}

void FeatureEncoder::encode_labels(const Dataset& dataset, const GraphView& graph, std::size_t block,
                                   int32_t* codes) const {
  const Bound& bound = blocks_[block];
  const io::LabelColumn& labels = dataset.node_labels[static_cast<std::size_t>(bound.label_column)];
  const auto first = static_cast<std::size_t>(graph.first_node);
  for (std::size_t i = 0; i < static_cast<std::size_t>(graph.nodes); ++i) {
    const auto code = static_cast<uint32_t>(labels.codes[first + i]);
    DOTIN_CHECK(code < bound.column_of_code.size(),
                "{}: graph {}: node {} has a label without a value; pack the data again", dataset.name, graph.index, i);
    codes[i * blocks_.size() + block] = bound.column_of_code[code];
  }
}

void FeatureEncoder::encode_neighbours(const GraphView& graph, std::size_t block, int32_t* codes) const {
  const std::size_t stride = blocks_.size();
  const Bound& bound = blocks_[block];
  const std::vector<uint64_t> colours = colours_of(graph, codes, stride, label_blocks(map_));
  for (std::size_t i = 0; i < colours.size(); ++i) {
    int32_t& code = codes[i * stride + block];
    if (bound.colours.empty()) {
      code = bound.first_column + static_cast<int32_t>(colours[i] % static_cast<uint64_t>(bound.width));
    } else {
      const auto found = std::lower_bound(bound.colours.begin(), bound.colours.end(), colours[i]);
      const bool known = found != bound.colours.end() && *found == colours[i];
      code = known ? bound.first_column + static_cast<int32_t>(found - bound.colours.begin()) : -1;
    }
  }
}

void FeatureEncoder::count_neighbours(const GraphView& graph, const int32_t* codes, float* dense) const {
  const std::size_t stride = blocks_.size(), labels = label_blocks(map_);
  const auto width = static_cast<std::size_t>(map_.dense_width());
  const std::size_t values = static_cast<std::size_t>(map_.label_values());
  for (int32_t i = 0; i < graph.nodes; ++i) {
    float* const counts = dense + static_cast<std::size_t>(i) * width + (width - values);
    std::fill_n(counts, values, 0.f);
    for (const int32_t j : graph.neighbours(i)) {
      for (std::size_t b = 0; b < labels; ++b) {
        const int32_t column = codes[static_cast<std::size_t>(j) * stride + b];
        if (column >= 0) counts[static_cast<std::size_t>(column) - width] += 1;
      }
    }
  }
}

void FeatureEncoder::encode(const Dataset& dataset, const GraphView& graph, int32_t* codes, float* dense) const {
  const std::size_t stride = blocks_.size();
  for (std::size_t b = 0; b < stride; ++b) {
    switch (blocks_[b].kind) {
      case BlockKind::label:
        encode_labels(dataset, graph, b, codes);
        break;
      case BlockKind::degree:
        for (int32_t i = 0; i < graph.nodes; ++i) {
          const int32_t column = std::min(graph.degree(i), blocks_[b].width - 1);
          codes[static_cast<std::size_t>(i) * stride + b] = blocks_[b].first_column + column;
        }
        break;
      case BlockKind::neighbours:
        encode_neighbours(graph, b, codes);
        break;
    }
  }

  const auto first = static_cast<std::size_t>(graph.first_node);
  const auto width = static_cast<std::size_t>(map_.dense_width());
  const std::size_t attributes = map_.attribute_mean.size();
  for (std::size_t i = 0; i < static_cast<std::size_t>(graph.nodes) && width > 0; ++i) {
    float* const row = dense + i * width;
    const float* const values = dataset.node_attributes.values.data() + (first + i) * attributes;
    for (std::size_t a = 0; a < attributes; ++a) {
      row[a] = (values[a] - map_.attribute_mean[a]) * map_.attribute_scale[a];
    }
    std::size_t next = attributes;
    if (map_.log_degree) row[next++] = std::log1p(static_cast<float>(graph.degree(static_cast<int32_t>(i))));
    if (map_.constant) row[next] = 1;
  }
  if (map_.neighbour_counts) count_neighbours(graph, codes, dense);
}

}  // namespace dotin::data
