// One step of an LSTM as one differentiable function. CPU, float or double.
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

namespace dotin::ops {

/// gates [n, 4 D]: input, forget, candidate and output gates before their activations; cell [n, D]. Gives the next
/// state and cell: cell' = sigmoid(f) cell + sigmoid(i) tanh(c), state' = sigmoid(o) tanh(cell').
std::pair<at::Tensor, at::Tensor> lstm_cell(const at::Tensor& gates, const at::Tensor& cell);

}  // namespace dotin::ops
