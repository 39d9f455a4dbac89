// A program's graphs -> records, as a file would give them.
#pragma once

#include <vector>

#include "dotin/data/features.h"
#include "dotin/dataset.h"
#include "dotin/io/records.h"

namespace dotin::api {

/// What graphs must be like for a model that is there; everything may be where it was not given.
struct Wanted {
  const data::FeatureMap* features = nullptr;
  bool unknown_labels = true;  // may be
};

/// core::Error that names the first graph that makes no sense, or is not what is wanted.
io::Records records_of(const std::vector<Graph>& graphs, const std::string& name, const Wanted& wanted);

}  // namespace dotin::api
