#include <ATen/ATen.h>

#include <cmath>

#include "dotin/readout/readouts.h"
#include "dotin/readout/segments.h"

namespace dotin::readout {

void Set2Set::add_parameters(layers::ParameterSet& parameters) const {
  const int64_t d = options_.hidden;
  const double bound = 1 / std::sqrt(static_cast<double>(d));
  parameters.add_uniform("readout.lstm.input.weight", {4 * d, 2 * d}, bound);
  parameters.add_uniform("readout.lstm.state.weight", {4 * d, d}, bound);
  parameters.add_uniform("readout.lstm.bias", {4 * d}, bound);
}

at::Tensor Set2Set::read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const {
  const drop::PoolLevel& last = layers.back();
  const int64_t graphs = last.graphs(), d = options_.hidden;
  at::Tensor q_star = at::zeros({graphs, 2 * d}, last.x.options());
  at::Tensor state = at::zeros({graphs, d}, last.x.options());
  at::Tensor cell = at::zeros({graphs, d}, last.x.options());
  for (int64_t t = 0; t < options_.steps; ++t) {
    const at::Tensor gates =
        at::addmm(parameters.get("readout.lstm.bias"), q_star, parameters.get("readout.lstm.input.weight").t()) +
        state.mm(parameters.get("readout.lstm.state.weight").t());
    const std::vector<at::Tensor> parts = gates.chunk(4, 1);  // input, forget, candidate, output
    cell = parts[1].sigmoid() * cell + parts[0].sigmoid() * parts[2].tanh();
    state = parts[3].sigmoid() * cell.tanh();
    q_star = at::cat({state, attended_rows(last, state)}, 1);
  }
  return q_star;
}

}  // namespace dotin::readout
