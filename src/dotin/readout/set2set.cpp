#include <ATen/ATen.h>

#include <cmath>
#include <tuple>

#include "dotin/ops/lstm_cell.h"
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

namespace {

std::pair<at::Tensor, at::Tensor> plain_lstm_cell(const at::Tensor& gates, const at::Tensor& cell) {
  const std::vector<at::Tensor> parts = gates.chunk(4, 1);  // input, forget, candidate, output
  const at::Tensor next = parts[1].sigmoid() * cell + parts[0].sigmoid() * parts[2].tanh();
  return {parts[3].sigmoid() * next.tanh(), next};
}

}  // namespace

at::Tensor Set2Set::read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const {
  const drop::PoolLevel& last = layers.back();
  const int64_t graphs = last.graphs(), d = options_.hidden;
  at::Tensor q_star = at::zeros({graphs, 2 * d}, last.x.options());
  at::Tensor state, cell = at::zeros({graphs, d}, last.x.options());
  // The first half of q* is the state, so that one product serves the maps of both.
  const at::Tensor input = parameters.get("readout.lstm.input.weight");
  const at::Tensor state_weight = parameters.get("readout.lstm.state.weight");
  const at::Tensor weight = at::cat({input.narrow(1, 0, d) + state_weight, input.narrow(1, d, d)}, 1).t();
  const at::Tensor bias = parameters.get("readout.lstm.bias");
  for (int64_t t = 0; t < options_.steps; ++t) {
    const at::Tensor gates = at::addmm(bias, q_star, weight);
    std::tie(state, cell) = last.fused ? ops::lstm_cell(gates, cell) : plain_lstm_cell(gates, cell);
    q_star = at::cat({state, attended_rows(last, state)}, 1);
  }
  return q_star;
}

}  // namespace dotin::readout
