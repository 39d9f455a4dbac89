#include "dotin/network/fused_pass.h"

#include <algorithm>
#include <exception>

#include "dotin/kernels/gemm.h"

namespace dotin::network {

namespace {

/// Numbers of rows and edges in all layers that are worth a thread. Measured with two, where 25,000, 50,000 and 100,000
/// were tried: with 50,000, batches of D&D at hidden 64 and 128, and of PROTEINS and NCI1 without drop at hidden 128
/// take 0.7 to 0.95 of the time of one thread; NCI1 with drop, and small graphs at hidden 64, take as long as on one.
constexpr double kNumbersPerThread = 40'000;

/// Runs work(0), work(1), ... of the parts, each on a thread of its own. BLAS sees that it is called from a thread
/// among several and uses no more of them.
void for_each_part(int64_t parts, const std::function<void(int64_t)>& work) {
  if (parts == 1) {
    work(0);
    return;
  }
  std::vector<kernels::GemmMeter> meters(static_cast<std::size_t>(parts));
  std::vector<std::exception_ptr> errors(meters.size());
  const kernels::GemmMeter before = kernels::gemm_meter();
#pragma omp parallel for schedule(static, 1)
  for (int64_t p = 0; p < parts; ++p) {
    kernels::gemm_meter() = {};
    try {
      work(p);
    } catch (...) {
      errors[static_cast<std::size_t>(p)] = std::current_exception();
    }
    meters[static_cast<std::size_t>(p)] = kernels::gemm_meter();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  // Threads run at the same time: all that they computed, in the time of the longest.
  kernels::GemmMeter sum = before;
  double longest = 0;
  for (const kernels::GemmMeter& meter : meters) {
    sum.flops += meter.flops;
    longest = std::max(longest, meter.seconds);
  }
  sum.seconds += longest;
  kernels::gemm_meter() = sum;
}

template <class To, class From>
void append(std::vector<To>& to, const std::vector<From>& from, int64_t first, int64_t last) {
  to.insert(to.end(), from.begin() + first, from.begin() + last);
}

template <class Scalar>
kernels::NetworkHooks<Scalar> hooks_of(const Chooser& chooser, const kernels::Dropout& dropout,
                                       const std::vector<int32_t>& graphs) {
  kernels::NetworkHooks<Scalar> hooks;
  hooks.choose = [&chooser, &graphs](int64_t layer, const Scalar* logits, const kernels::Level& level, uint8_t* keep) {
    const std::vector<uint8_t> chosen =
        chooser.choose(layer, graphs, std::vector<double>(logits, logits + level.nodes()),
                       {level.node_offsets.begin(), level.node_offsets.end()});
    std::copy(chosen.begin(), chosen.end(), keep);
  };
  const bool first = graphs.empty() || graphs.front() == 0;
  hooks.dropout = first ? dropout : dropout.with(static_cast<uint64_t>(graphs.front()));
  return hooks;
}

}  // namespace

template <class Scalar>
void FusedPass<Scalar>::forward(const PassSettings& settings, const kernels::NetworkWeights<Scalar>& weights,
                                const batch::Batch& batch, const Chooser& chooser, Scalar* embeddings) {
  settings_ = settings;
  batch_ = split_batch(batch, settings.parts);
  graphs_ = batch.graphs();
  layers_ = static_cast<int64_t>(weights.layers.size());
  tape_.way_back = settings.way_back;
  tape_.features = {batch_.codes.data(), batch.codes_per_node, batch_.dense.data(), batch.dense_width, batch.nodes()};
  tape_.parts.resize(batch_.parts.size());
  std::vector<kernels::NetworkHooks<Scalar>> hooks;
  for (int64_t p = 0; p < parts(); ++p) {
    tape_.parts[p].level = std::move(batch_.parts[p].level);
    hooks.push_back(hooks_of<Scalar>(chooser, settings.dropout, batch_.parts[p].graphs));
  }
  kernels::network_forward(
      settings.layers, weights, settings.width, hooks,
      [this](const std::function<void(int64_t)>& work) { for_each_part(parts(), work); }, tape_);
  const int64_t values = graph_values();
  for (int64_t p = 0; p < parts(); ++p) {
    const std::vector<int32_t>& graphs = batch_.parts[p].graphs;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      std::copy_n(tape_.parts[p].embeddings().data() + static_cast<int64_t>(g) * values, values,
                  embeddings + graphs[g] * values);
    }
  }
}

template <class Scalar>
void FusedPass<Scalar>::backward(const kernels::NetworkWeights<Scalar>& weights, const Scalar* d_embeddings,
                                 const std::vector<kernels::NetworkGradients<Scalar>>& gradients) {
  const int64_t values = graph_values();
  std::vector<std::vector<Scalar>> d_parts(batch_.parts.size());
  for (int64_t p = 0; p < parts(); ++p) {
    for (const int32_t graph : batch_.parts[p].graphs) {
      const Scalar* const d = d_embeddings + graph * values;
      d_parts[p].insert(d_parts[p].end(), d, d + values);
    }
  }
  kernels::network_backward(
      settings_.layers, weights, settings_.width, tape_, std::move(d_parts),
      [this](const std::function<void(int64_t)>& work) { for_each_part(parts(), work); }, gradients);
}

/// One layer of all parts, graph by graph in the order of the batch.
template <class Scalar>
LayerTrace FusedPass<Scalar>::layer_trace(int64_t layer) const {
  struct Place {
    const kernels::PartTape<Scalar>* tape;
    int64_t graph;  // within its part
  };
  std::vector<Place> places(static_cast<std::size_t>(graphs_));
  for (int64_t p = 0; p < parts(); ++p) {
    const std::vector<int32_t>& in_part = batch_.parts[p].graphs;
    for (std::size_t g = 0; g < in_part.size(); ++g) places[in_part[g]] = {&tape_.parts[p], static_cast<int64_t>(g)};
  }
  LayerTrace trace;
  trace.raw_offsets.push_back(0);
  int64_t next_start = 0;  // of the graph among the raw nodes that leave the layer
  for (const Place& place : places) {
    const kernels::Level& level = place.tape->level_of(layer);
    const int64_t first = level.node_offsets[place.graph], last = level.node_offsets[place.graph + 1];
    trace.raw_offsets.push_back(trace.raw_offsets.back() + last - first);
    const int64_t tasks = settings_.layers.tasks;
    if (layer == static_cast<int64_t>(place.tape->layers.size())) {
      // The last layer decides nothing: only its products with the virtual nodes exist.
      append(trace.logits_by_task, place.tape->last.logits_by_task, first * tasks, last * tasks);
      trace.keep.insert(trace.keep.end(), static_cast<std::size_t>(last - first), 1);
      for (int64_t i = first; i < last; ++i) trace.new_raw_of_raw.push_back(next_start++);
      continue;
    }
    const kernels::LayerTape<Scalar>& own = place.tape->layers[static_cast<std::size_t>(layer)];
    append(trace.logits, own.logits, first, last);
    append(trace.logits_by_task, own.logits_by_task, first * tasks, last * tasks);
    append(trace.keep, own.keep, first, last);
    const int64_t next_first = own.next_level.node_offsets[place.graph];
    for (int64_t i = first; i < last; ++i) {
      const int64_t now = own.map.new_of_old[i];
      trace.new_raw_of_raw.push_back(now < 0 ? -1 : next_start + now - next_first);
    }
    next_start += own.next_level.node_offsets[place.graph + 1] - next_first;
  }
  return trace;
}

template <class Scalar>
std::vector<LayerTrace> FusedPass<Scalar>::trace() const {
  std::vector<LayerTrace> traces;
  for (int64_t l = 0; l < layers_; ++l) traces.push_back(layer_trace(l));
  return traces;
}

template <class Scalar>
std::vector<double> FusedPass<Scalar>::layer_seconds() const {
  std::vector<double> seconds(static_cast<std::size_t>(layers_), 0);
  for (const kernels::PartTape<Scalar>& part : tape_.parts) {
    for (std::size_t l = 0; l < part.layer_seconds.size(); ++l)
      seconds[l] = std::max(seconds[l], part.layer_seconds[l]);
  }
  return seconds;
}

int64_t parts_worth(const ModelOptions& options, const batch::Batch& batch, double drop_factor, int64_t threads) {
  // Rows and edges of the layers but the last, where only virtual nodes are computed; the first has its shared rows.
  double layers = 0.2, left = 1;
  for (int64_t l = 1; l < options.layers - 1; ++l) {
    left *= 1 - options.drop_ratio_of(l - 1) * drop_factor;
    layers += left;
  }
  const auto size = static_cast<double>(batch.nodes() + static_cast<int64_t>(batch.neighbours.size()));
  const double numbers = size * static_cast<double>(options.hidden) * layers;
  return std::min<int64_t>(threads, static_cast<int64_t>(numbers / kNumbersPerThread));
}

template class FusedPass<float>;
template class FusedPass<double>;

}  // namespace dotin::network
