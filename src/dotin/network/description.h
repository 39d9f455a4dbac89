// What a model file says besides its numbers: the run's options, how nodes become feature rows, what outputs mean.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dotin/data/features.h"
#include "dotin/io/safetensors.h"
#include "dotin/network/head.h"
#include "dotin/network/output.h"
#include "dotin/network/run_options.h"

namespace dotin::network {

/// Of the names of a scorer's tensors in model files and checkpoints.
inline constexpr const char* kScorerPrefix = "scorer.";

struct Description {
  RunOptions options;
  data::FeatureMap features;
  std::vector<std::shared_ptr<Output>> outputs;  // one per task

  std::vector<Head> heads() const;
};

/// The key of the description in the metadata of a model file, and its text.
inline constexpr const char* kDescriptionKey = "dotin";
std::string to_text(const Description& description);

/// core::Error with the reason for anything that is not a model file of a known version.
Description read_description(const io::SafetensorsFile& file);

}  // namespace dotin::network
