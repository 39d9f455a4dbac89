// Small data for the tests of features, and what a map makes of a graph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dotin/data/features.h"

namespace dotin::testing {

/// Two triangles-with-a-tail of labels 6, 8, 6, 7 and attributes; the second graph's attributes are far away.
std::shared_ptr<const data::Dataset> dataset_of(bool labels, bool attributes);

/// One graph without edges whose three nodes have these labels, in this order of codes, and another column of labels.
data::Dataset other_data(const std::vector<std::string>& values);

struct Encoded {
  std::vector<int32_t> codes;
  std::vector<float> dense;
};

Encoded encode(const data::FeatureMap& map, const data::Dataset& dataset, int64_t index, data::UnknownLabels unknown);

}  // namespace dotin::testing
