#include <ATen/ATen.h>

#include <cmath>

#include "dotin/drop/level_sums.h"
#include "dotin/network/choose.h"
#include "dotin/ops/values.h"
#include "dotin/readout/readouts.h"
#include "dotin/readout/segments.h"

namespace dotin::readout {

void SagReadout::add_parameters(layers::ParameterSet& parameters) const {
  const int64_t width = options_.hidden * options_.layers;
  parameters.add_uniform("readout.score.weight", {width}, 1 / std::sqrt(static_cast<double>(width)));
}

at::Tensor SagReadout::read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const {
  drop::PoolLevel all = layers.back();
  all.x = side_by_side(layers);
  const at::Tensor own = all.x.mv(parameters.get("readout.score.weight"));
  const at::Tensor scores = drop::mixed(all, ops::Mixing::normalised_with_loops, own);
  const drop::PoolLevel kept = drop::induced(
      all, network::keep_highest(ops::to_doubles(scores), all.offsets, options_.drop_ratio), /*gate=*/scores.tanh());
  return mean_max_rows(kept);
}

}  // namespace dotin::readout
