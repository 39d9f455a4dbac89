// Small models in double, for the tests of this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/models/model.h"

namespace dotin::testing {

enum class Knobs { paper, recommended };

/// hidden 3, attention dimension 2, 3 layers, drop ratio 0.5, double, and the knobs of the preset.
network::ModelOptions small_options(const std::string& backbone, Knobs knobs);

/// What nodes have: a code, a code of each of two blocks, real numbers, numbers and a code, or few different ones of
/// both.
enum class Features { onehot, two_blocks, dense, mixed, repeated };

/// Graphs of many sizes; node features of the asked kind, with one unknown label where there are codes.
batch::Batch make_batch(Features features, const std::vector<int32_t>& sizes = {23, 40, 3});
int64_t width_of(Features features);

/// Largest difference, relative to the largest magnitude of the tensor b.
double difference(const at::Tensor& a, const at::Tensor& b);

/// task0 gives two numbers, the other tasks one.
std::vector<network::Head> heads_of(int64_t tasks);

void set_parameter(const models::Model& model, const std::string& name, const std::vector<double>& values);

/// Number i of a parameter becomes 0.9 sin(1.7 i + 0.37 c), c the sum of its name's characters modulo 97.
void fill_by_formula(const models::Model& model);

std::vector<double> numbers_of(const at::Tensor& tensor);

/// All outputs of all tasks, task by task.
std::vector<double> outputs_of(const models::Forward& forward);

/// For each layer the raw node that is or holds each node of the batch when the layer begins; -1 where it is gone.
std::vector<std::vector<int64_t>> holders_of(const models::Forward& forward);

models::ForwardOptions traced();

}  // namespace dotin::testing
