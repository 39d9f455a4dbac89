#include <ATen/ATen.h>

#include "dotin/readout/readouts.h"
#include "dotin/readout/segments.h"

namespace dotin::readout {

at::Tensor Mean::read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet&) const {
  return mean_rows(layers.back());
}

at::Tensor Sum::read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet&) const {
  return sum_rows(layers.back());
}

at::Tensor Max::read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet&) const {
  return max_rows(layers.back());
}

at::Tensor MeanMax::read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet&) const {
  at::Tensor total;
  for (const drop::PoolLevel& layer : layers) {
    const at::Tensor both = mean_max_rows(layer);
    total = total.defined() ? total + both : both;
  }
  return total;
}

}  // namespace dotin::readout
