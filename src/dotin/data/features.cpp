#include "dotin/data/features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <unordered_map>

#include "dotin/core/error.h"
#include "dotin/core/log.h"
#include "dotin/core/registry.h"

namespace dotin::data {

namespace {

using nlohmann::json;

constexpr const char* kDegree = "degree";

FeatureMap::Block degree_block(int32_t cap) {
  DOTIN_CHECK(cap >= 1, "the degree cap is {}; it must be at least 1", cap);
  FeatureMap::Block block;
  block.name = kDegree;
  block.is_degree = true;
  for (int32_t degree = 0; degree <= cap; ++degree) block.values.push_back(std::to_string(degree));
  return block;
}

/// One degree more than the training graphs have gets a column too: edited graphs have it, and it is what gives them
/// away.
FeatureMap::Block label_degree_block(const View& train, const io::LabelColumn& labels, int32_t cap) {
  FeatureMap::Block block{labels.name, labels.values, false, std::vector<int32_t>(labels.values.size(), 0)};
  for (int64_t g = 0; g < train.size(); ++g) {
    const GraphView graph = train.get(g);
    for (int32_t i = 0; i < graph.nodes; ++i) {
      const auto code = static_cast<std::size_t>(labels.codes[static_cast<std::size_t>(graph.first_node + i)]);
      DOTIN_CHECK(code < labels.values.size(), "{}: graph {}: node {} has a label without a value; pack the data again",
                  train.dataset().name, graph.index, i);
      const auto degree = static_cast<int32_t>(graph.neighbours(i).size());
      block.last_degree[code] = std::max(block.last_degree[code], std::min(degree + 1, cap));
    }
  }
  return block;
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
              "has them, or give them no feature (--unknown ignore)",
              dataset.name, block.name, unseen.size(), list);
  core::log_warning("{}: node label column '{}': unknown value(s) {} get no feature", dataset.name, block.name, list);
  return numbers;
}

/// values[numbers[c]] for each code c, `none` where it is -1.
std::vector<int32_t> reordered(const std::vector<int32_t>& values, const std::vector<int32_t>& numbers, int32_t none) {
  std::vector<int32_t> result;
  for (const int32_t number : numbers) result.push_back(number < 0 ? none : values[static_cast<std::size_t>(number)]);
  return result;
}

/// The first column of each value, counted from the block's own first.
std::vector<int32_t> first_columns(const FeatureMap::Block& block) {
  std::vector<int32_t> first;
  int32_t next = 0;
  for (std::size_t v = 0; v < block.values.size(); ++v) {
    first.push_back(next);
    next += block.last_degree.empty() ? 1 : block.last_degree[v] + 1;
  }
  return first;
}

void check_map(const FeatureMap& map) {
  DOTIN_CHECK(map.attribute_mean.size() == map.attribute_scale.size(), "{} attribute means but {} scales",
              map.attribute_mean.size(), map.attribute_scale.size());
  for (const FeatureMap::Block& block : map.blocks) {
    DOTIN_CHECK(!block.values.empty() || !block.is_degree, "the degree block has no columns");
    DOTIN_CHECK(std::set<std::string>(block.values.begin(), block.values.end()).size() == block.values.size(),
                "block '{}' has the same value twice", block.name);
    DOTIN_CHECK(block.last_degree.empty() || (block.last_degree.size() == block.values.size() && !block.is_degree),
                "block '{}' has {} values but {} last degrees", block.name, block.values.size(),
                block.last_degree.size());
    for (const int32_t last : block.last_degree)
      DOTIN_CHECK(last >= 0, "block '{}' has a last degree of {}", block.name, last);
  }
  DOTIN_CHECK(map.width() <= std::numeric_limits<int32_t>::max(), "{} columns are too many", map.width());
}

}  // namespace

int64_t FeatureMap::Block::width() const {
  return std::accumulate(last_degree.begin(), last_degree.end(), static_cast<int64_t>(values.size()));
}

int64_t FeatureMap::dense_width() const {
  return static_cast<int64_t>(attribute_mean.size()) + (log_degree ? 1 : 0) + (constant ? 1 : 0);
}

int64_t FeatureMap::width() const {
  int64_t width = dense_width();
  for (const Block& block : blocks) width += block.width();
  return width;
}

std::vector<std::string> FeatureMap::column_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < attribute_mean.size(); ++i) names.push_back(fmt::format("attribute{}", i));
  if (log_degree) names.push_back("log_degree");
  if (constant) names.push_back("constant");
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.values.size(); ++i) {
      if (block.last_degree.empty()) {
        const bool open_ended = block.is_degree && i + 1 == block.values.size();
        names.push_back(block.name + (open_ended ? ">=" : "=") + block.values[i]);
        continue;
      }
      for (int32_t degree = 0; degree <= block.last_degree[i]; ++degree) {
        names.push_back(fmt::format("{}={}, degree{}{}", block.name, block.values[i],
                                    degree == block.last_degree[i] ? ">=" : "=", degree));
      }
    }
  }
  return names;
}

json FeatureMap::to_json() const {
  json list = json::array();
  for (const Block& block : blocks) {
    list.push_back({{"name", block.name},
                    {"values", block.values},
                    {"is_degree", block.is_degree},
                    {"last_degree", block.last_degree}});
  }
  return {{"attribute_mean", attribute_mean},
          {"attribute_scale", attribute_scale},
          {"log_degree", log_degree},
          {"constant", constant},
          {"blocks", list}};
}

FeatureMap FeatureMap::from_json(const json& source) {
  FeatureMap map;
  try {
    source.at("attribute_mean").get_to(map.attribute_mean);
    source.at("attribute_scale").get_to(map.attribute_scale);
    source.at("log_degree").get_to(map.log_degree);
    source.at("constant").get_to(map.constant);
    for (const json& entry : source.at("blocks")) {
      Block block;
      entry.at("name").get_to(block.name);
      entry.at("values").get_to(block.values);
      entry.at("is_degree").get_to(block.is_degree);
      entry.at("last_degree").get_to(block.last_degree);
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

FeatureMap fit_features(const View& train, const FeatureOptions& options) {
  const Dataset& dataset = train.dataset();
  FeatureMap map;
  if (options.attributes) fit_attributes(train, options.standardize, map);
  if (options.labels) {
    for (const io::LabelColumn& column : dataset.node_labels)
      map.blocks.push_back({column.name, column.values, false, {}});
  }
  map.log_degree = options.degree == DegreeFeature::log;
  if (options.degree == DegreeFeature::onehot) map.blocks.push_back(degree_block(options.degree_cap));
  if (options.label_degree) {
    for (const io::LabelColumn& column : dataset.node_labels)
      map.blocks.push_back(label_degree_block(train, column, options.degree_cap));
  }
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
  int64_t first_column = map_.dense_width();
  for (const FeatureMap::Block& block : map_.blocks) {
    std::vector<int32_t> columns = first_columns(block), last_degree = block.last_degree;
    for (int32_t& column : columns) column += static_cast<int32_t>(first_column);
    label_column_.push_back(block.is_degree ? -1 : find_label_column(dataset, block.name));
    if (!block.is_degree) {
      const io::LabelColumn& labels = dataset.node_labels[static_cast<std::size_t>(label_column_.back())];
      const std::vector<int32_t> numbers = bind_values(block, dataset, labels, unknown);
      columns = reordered(columns, numbers, -1);
      if (!last_degree.empty()) last_degree = reordered(last_degree, numbers, 0);
    }
    column_of_code_.push_back(std::move(columns));
    last_degree_.push_back(std::move(last_degree));
    first_column += block.width();
  }
}

void FeatureEncoder::encode(const Dataset& dataset, const GraphView& graph, core::Span<const int32_t> degrees,
                            int32_t* codes, float* dense) const {
  DOTIN_ASSERT(degrees.size() == static_cast<std::size_t>(graph.nodes));
  const auto nodes = static_cast<std::size_t>(graph.nodes);
  const auto first = static_cast<std::size_t>(graph.first_node);
  const std::size_t stride = map_.blocks.size();
  for (std::size_t b = 0; b < stride; ++b) {
    const std::vector<int32_t>& columns = column_of_code_[b];
    if (label_column_[b] < 0) {
      const auto cap = static_cast<int32_t>(columns.size()) - 1;
      for (std::size_t i = 0; i < nodes; ++i) {
        codes[i * stride + b] = columns[static_cast<std::size_t>(std::min(degrees[i], cap))];
      }
      continue;
    }
    const io::LabelColumn& labels = dataset.node_labels[static_cast<std::size_t>(label_column_[b])];
    const std::vector<int32_t>& last_degree = last_degree_[b];
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto code = static_cast<uint32_t>(labels.codes[first + i]);
      DOTIN_CHECK(code < columns.size(), "{}: graph {}: node {} has a label without a value; pack the data again",
                  dataset.name, graph.index, i);
      int32_t& column = codes[i * stride + b];
      column = columns[code];
      if (!last_degree.empty() && column >= 0) column += std::min(degrees[i], last_degree[code]);
    }
  }

  const auto width = static_cast<std::size_t>(map_.dense_width());
  const std::size_t attributes = map_.attribute_mean.size();
  for (std::size_t i = 0; i < nodes && width > 0; ++i) {
    float* const row = dense + i * width;
    const float* const values = dataset.node_attributes.values.data() + (first + i) * attributes;
    for (std::size_t a = 0; a < attributes; ++a) {
      row[a] = (values[a] - map_.attribute_mean[a]) * map_.attribute_scale[a];
    }
    std::size_t next = attributes;
    if (map_.log_degree) row[next++] = std::log1p(static_cast<float>(degrees[i]));
    if (map_.constant) row[next] = 1;
  }
}

}  // namespace dotin::data
