// Names, shapes and first values of what a model learns. The names are those of the model file (docs/formats.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/network/head.h"
#include "dotin/network/model_options.h"

namespace dotin::network {

/// Where a parameter starts: drawn from [-scale, scale], from a normal distribution with this deviation, or scale
/// itself.
enum class Start { uniform, normal, constant };

struct ParameterAbout {
  std::string name;
  std::vector<int64_t> shape;
  Start start = Start::uniform;
  double scale = 1;

  int64_t elements() const;
};
using ParameterList = std::vector<ParameterAbout>;

void append(ParameterList& list, const ParameterList& more);
/// Where torch's Linear draws the numbers of a map of so many columns: from -bound to bound.
double bound_of(int64_t columns);

/// <prefix>.weight [out, in] and <prefix>.bias [out], as torch's Linear starts them.
ParameterList linear_parameters(const std::string& prefix, int64_t out, int64_t in);

/// The map of features; with virtual nodes their rows, too.
ParameterList input_parameters(const ModelOptions& options, int64_t input_width, int64_t tasks);
/// Of one layer, without what a pooling method adds.
ParameterList layer_parameters(const ModelOptions& options, int64_t tasks, int64_t layer);
/// embedding: numbers that a head maps.
ParameterList head_parameters(const std::vector<Head>& heads, int64_t embedding);

/// All parameters of a model with virtual nodes.
ParameterList parameters(const ModelOptions& options, int64_t input_width, const std::vector<Head>& heads);

}  // namespace dotin::network
