#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "dotin/readout/readouts.h"
#include "dotin/readout/segments.h"

namespace dotin::readout {

namespace {

constexpr int64_t kNodeFilters = 16, kPathFilters = 32, kPath = 5;

/// For each graph its k rows of the highest last channel, as indices into the rows; `rows` itself (one past the last)
/// where the graph has no more.
std::vector<int64_t> sorted_rows(const at::Tensor& x, const std::vector<int64_t>& offsets, int64_t k) {
  const at::Tensor values = x.detach().to(at::kCPU, at::kDouble).contiguous();
  const int64_t width = values.size(1);
  const double* const data = values.data_ptr<double>();
  const auto before = [&](int64_t a, int64_t b) {
    for (int64_t c = width - 1; c >= 0; --c) {
      if (data[a * width + c] != data[b * width + c]) return data[a * width + c] > data[b * width + c];
    }
    return a < b;
  };
  std::vector<int64_t> chosen;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    std::vector<int64_t> order(static_cast<std::size_t>(offsets[g + 1] - offsets[g]));
    std::iota(order.begin(), order.end(), offsets[g]);
    const int64_t count = std::min<int64_t>(k, static_cast<int64_t>(order.size()));
    std::partial_sort(order.begin(), order.begin() + count, order.end(), before);
    order.resize(static_cast<std::size_t>(k), values.size(0));
    chosen.insert(chosen.end(), order.begin(), order.end());
  }
  return chosen;
}

}  // namespace

void SortReadout::add_parameters(layers::ParameterSet& parameters) const {
  const int64_t pairs = options_.sort_k / 2;
  layers::add_linear(parameters, "readout.node_filters", kNodeFilters, options_.hidden * options_.layers);
  layers::add_linear(parameters, "readout.path_filters", kPathFilters, kNodeFilters * kPath);
  layers::add_linear(parameters, "readout.dense", options_.hidden, kPathFilters * (pairs - kPath + 1));
}

at::Tensor SortReadout::read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const {
  const int64_t graphs = layers.back().graphs(), k = options_.sort_k;
  const at::Tensor x = side_by_side(layers);
  const at::Tensor padded = at::cat({x, at::zeros({1, x.size(1)}, x.options())});
  const at::Tensor sorted =
      padded.index_select(0, ops::reference::index_tensor(sorted_rows(x, layers.back().offsets, k), x));
  // A convolution over one node at a time is a linear map of the rows.
  const at::Tensor nodes =
      at::addmm(parameters.get("readout.node_filters.bias"), sorted, parameters.get("readout.node_filters.weight").t())
          .relu()
          .view({graphs, k, kNodeFilters})
          .transpose(1, 2);
  const at::Tensor filters = parameters.get("readout.path_filters.weight").view({kPathFilters, kNodeFilters, kPath});
  const at::Tensor paths =
      at::conv1d(at::max_pool1d(nodes, 2, 2), filters, parameters.get("readout.path_filters.bias")).relu();
  return at::addmm(parameters.get("readout.dense.bias"), paths.reshape({graphs, -1}),
                   parameters.get("readout.dense.weight").t())
      .relu();
}

}  // namespace dotin::readout
