#include "dotin/ops/fused_network.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "dotin/kernels/fused_network.h"
#include "dotin/kernels/gemm.h"
#include "dotin/ops/batch_parts.h"

namespace dotin::ops {

/// What a pass writes down for the way back.
struct Tapes {
  kernels::NetworkTape<float> of_float;
  kernels::NetworkTape<double> of_double;
};

/// Tapes that no pass uses now.
class SpareTapes {
 public:
  std::unique_ptr<Tapes> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (tapes_.empty()) return std::make_unique<Tapes>();
    std::unique_ptr<Tapes> tapes = std::move(tapes_.back());
    tapes_.pop_back();
    return tapes;
  }

  void give_back(std::unique_ptr<Tapes> tapes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    tapes_.push_back(std::move(tapes));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Tapes>> tapes_;
};

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Addresses of all numbers, as weights or as gradients.
template <class Scalar, class Network, class Layer>
Network addresses_of(const FusedParameters& p) {
  Network network{data_of<Scalar>(p.input), data_of<Scalar>(p.virtual_rows), {}};
  for (const FusedLayerParameters& layer : p.layers) network.layers.push_back(layer_addresses<Layer, Scalar>(layer));
  return network;
}

template <class Scalar>
kernels::NetworkWeights<Scalar> weights_of(const FusedParameters& p) {
  return addresses_of<Scalar, kernels::NetworkWeights<Scalar>, kernels::LayerWeights<Scalar>>(p);
}

template <class Scalar>
kernels::NetworkGradients<Scalar> gradients_of(const FusedParameters& p) {
  return addresses_of<Scalar, kernels::NetworkGradients<Scalar>, kernels::LayerGradients<Scalar>>(p);
}

/// What f makes of every parameter that is there.
template <class F>
FusedParameters each(const FusedParameters& p, const F& f) {
  FusedParameters result{f(p.input), f(p.virtual_rows), {}};
  for (const FusedLayerParameters& layer : p.layers) result.layers.push_back(each_parameter(layer, f));
  return result;
}

/// Gradients of a part that is not the first. Matrices, input and virtual rows are those of the first part: the kernels
/// add to them for all parts in turn.
FusedParameters part_gradients(const FusedParameters& first) {
  FusedParameters own = first;
  for (FusedLayerParameters& layer : own.layers) {
    for (at::Tensor* const vector :
         {&layer.bias, &layer.gamma, &layer.beta, &layer.inner_bias, &layer.eps, &layer.task_gate}) {
      if (vector->defined()) *vector = at::zeros_like(*vector);
    }
  }
  return own;
}

void add_all(const FusedParameters& to, const FusedParameters& from) {
  const auto add = [](const at::Tensor& sum, const at::Tensor& value) {
    if (value.defined() && !value.is_same(sum)) sum.add_(value);
  };
  add(to.input, from.input);
  add(to.virtual_rows, from.virtual_rows);
  for (std::size_t l = 0; l < to.layers.size(); ++l) kernels::for_each_parameter(add, to.layers[l], from.layers[l]);
}

/// What backward needs; owned by the autograd graph.
struct Memory : torch::CustomClassHolder {
  explicit Memory(std::shared_ptr<SpareTapes> from) : spare(std::move(from)), tapes(spare->take()) {}
  ~Memory() override { spare->give_back(std::move(tapes)); }

  kernels::LayerSettings settings;
  int64_t width = 0;
  FusedParameters parameters;
  SplitBatch batch;
  std::shared_ptr<SpareTapes> spare;
  std::unique_ptr<Tapes> tapes;

  kernels::NetworkTape<float>& tape(float) { return tapes->of_float; }
  kernels::NetworkTape<double>& tape(double) { return tapes->of_double; }

  int64_t parts() const { return static_cast<int64_t>(batch.parts.size()); }
  /// Numbers in the embeddings of one graph.
  int64_t graph_values() const { return settings.tasks * settings.hidden; }
};

/// Runs work(0), work(1), ... of the parts, each on a thread of its own. BLAS sees that it is called from a thread
/// among several and uses no more of them.
void for_each_part(int64_t parts, const std::function<void(int64_t)>& work) {
  if (parts == 1) {
    work(0);
    return;
  }
  std::vector<kernels::GemmMeter> meters(static_cast<std::size_t>(parts));
  const kernels::GemmMeter before = kernels::gemm_meter();
  at::parallel_for(0, parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      kernels::gemm_meter() = {};
      work(p);
      meters[static_cast<std::size_t>(p)] = kernels::gemm_meter();
    }
  });
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

/// One layer of all parts, graph by graph in the order of the batch.
template <class Scalar>
FusedTrace layer_trace(Memory& memory, int64_t layer, int64_t graphs) {
  struct Place {
    const kernels::PartTape<Scalar>* tape;
    int64_t graph;  // within its part
  };
  std::vector<Place> places(static_cast<std::size_t>(graphs));
  for (int64_t p = 0; p < memory.parts(); ++p) {
    const std::vector<int32_t>& in_part = memory.batch.parts[p].graphs;
    for (std::size_t g = 0; g < in_part.size(); ++g)
      places[in_part[g]] = {&memory.tape(Scalar()).parts[p], static_cast<int64_t>(g)};
  }
  FusedTrace trace;
  trace.raw_offsets.push_back(0);
  int64_t next_start = 0;  // of the graph among the raw nodes that leave the layer
  for (const Place& place : places) {
    const kernels::Level& level = place.tape->level_of(layer);
    const int64_t first = level.node_offsets[place.graph], last = level.node_offsets[place.graph + 1];
    trace.raw_offsets.push_back(trace.raw_offsets.back() + last - first);
    const int64_t tasks = memory.settings.tasks;
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
kernels::NetworkHooks<Scalar> network_hooks(const FusedHooks& hooks, const std::vector<int32_t>& graphs,
                                            const at::TensorOptions& options) {
  kernels::NetworkHooks<Scalar> result;
  result.choose = [&hooks, &graphs, options](int64_t layer, const Scalar* logits, const kernels::Level& level,
                                             uint8_t* keep) {
    const at::Tensor view = at::from_blob(const_cast<Scalar*>(logits), {level.nodes()}, options);
    const std::vector<uint8_t> chosen =
        hooks.choose(layer, graphs, view, {level.node_offsets.begin(), level.node_offsets.end()});
    std::copy(chosen.begin(), chosen.end(), keep);
  };
  const bool first = graphs.empty() || graphs.front() == 0;
  result.dropout = first ? hooks.dropout : hooks.dropout.with(static_cast<uint64_t>(graphs.front()));
  return result;
}

template <class Scalar>
at::Tensor run_forward(Memory& memory, const batch::Batch& batch, const FusedHooks& hooks,
                       std::vector<FusedTrace>* trace) {
  const at::TensorOptions options = memory.parameters.input.options().requires_grad(false);
  at::Tensor embeddings =
      at::empty({static_cast<int64_t>(batch.graphs()) * memory.settings.tasks, memory.settings.hidden}, options);
  const kernels::NetworkWeights<Scalar> weights = weights_of<Scalar>(memory.parameters);
  kernels::NetworkTape<Scalar>& tape = memory.tape(Scalar());
  tape.features = {memory.batch.codes.data(), batch.codes_per_node, memory.batch.dense.data(), batch.dense_width,
                   batch.nodes()};
  tape.parts.resize(memory.batch.parts.size());
  std::vector<kernels::NetworkHooks<Scalar>> part_hooks;
  for (int64_t p = 0; p < memory.parts(); ++p) {
    tape.parts[p].level = std::move(memory.batch.parts[p].level);
    part_hooks.push_back(network_hooks<Scalar>(hooks, memory.batch.parts[p].graphs, options));
  }
  kernels::network_forward(
      memory.settings, weights, memory.width, part_hooks,
      [&memory](const std::function<void(int64_t)>& work) { for_each_part(memory.parts(), work); }, tape);
  const int64_t values = memory.graph_values();
  for (int64_t p = 0; p < memory.parts(); ++p) {
    const std::vector<int32_t>& graphs = memory.batch.parts[p].graphs;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      std::copy_n(tape.parts[p].embeddings().data() + static_cast<int64_t>(g) * values, values,
                  embeddings.data_ptr<Scalar>() + graphs[g] * values);
    }
  }
  if (trace != nullptr) {
    for (int64_t l = 0; l < static_cast<int64_t>(weights.layers.size()); ++l)
      trace->push_back(layer_trace<Scalar>(memory, l, batch.graphs()));
  }
  return embeddings;
}

/// Adds to the .grad of the parameters.
template <class Scalar>
void run_backward(Memory& memory, const at::Tensor& d_embeddings) {
  const int64_t parts = memory.parts(), values = memory.graph_values();
  std::vector<FusedParameters> into{each(memory.parameters, gradient_buffer)};
  for (int64_t p = 1; p < parts; ++p) into.push_back(part_gradients(into[0]));
  std::vector<kernels::NetworkGradients<Scalar>> gradients;
  for (const FusedParameters& sums : into) gradients.push_back(gradients_of<Scalar>(sums));
  std::vector<std::vector<Scalar>> d_parts(static_cast<std::size_t>(parts));
  for (int64_t p = 0; p < parts; ++p) {
    for (const int32_t graph : memory.batch.parts[p].graphs) {
      const Scalar* const d = d_embeddings.data_ptr<Scalar>() + graph * values;
      d_parts[p].insert(d_parts[p].end(), d, d + values);
    }
  }
  kernels::network_backward(
      memory.settings, weights_of<Scalar>(memory.parameters), memory.width, memory.tape(Scalar()), std::move(d_parts),
      [parts](const std::function<void(int64_t)>& work) { for_each_part(parts, work); }, gradients);
  for (int64_t p = 1; p < parts; ++p) add_all(into[0], into[p]);
}

class Function : public torch::autograd::Function<Function> {
 public:
  /// anchor: any parameter, so that the result is known to depend on parameters.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& /*anchor*/,
                            const c10::intrusive_ptr<Memory>& memory, const at::Tensor& embeddings) {
    context->saved_data["memory"] = c10::IValue::make_capsule(memory);
    return embeddings;
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const auto holder = context->saved_data["memory"].toCapsule();
    auto& memory = static_cast<Memory&>(*holder);
    const at::Tensor d_embeddings = d_outputs[0].contiguous();
    if (d_embeddings.scalar_type() == at::kDouble) {
      run_backward<double>(memory, d_embeddings);
    } else {
      run_backward<float>(memory, d_embeddings);
    }
    return {at::Tensor(), at::Tensor(), at::Tensor()};  // all is added where it belongs already
  }
};

}  // namespace

FusedNetwork::FusedNetwork() : spare_(std::make_shared<SpareTapes>()) {}

FusedNetwork::~FusedNetwork() = default;

FusedNetwork::FusedNetwork(FusedNetwork&&) noexcept = default;

at::Tensor FusedNetwork::forward(const kernels::LayerSettings& settings, const FusedParameters& parameters,
                                 const batch::Batch& batch, const FusedHooks& hooks, std::vector<FusedTrace>* trace,
                                 std::vector<double>* layer_seconds) const {
  const auto memory = c10::make_intrusive<Memory>(spare_);
  memory->settings = settings;
  memory->width = parameters.input.size(1);
  memory->parameters = parameters;
  memory->batch = split_batch(batch, hooks.parts);
  memory->tapes->of_float.way_back = memory->tapes->of_double.way_back = at::GradMode::is_enabled();
  at::Tensor embeddings;
  {
    const at::NoGradGuard no_gradients;
    embeddings = parameters.input.scalar_type() == at::kDouble ? run_forward<double>(*memory, batch, hooks, trace)
                                                               : run_forward<float>(*memory, batch, hooks, trace);
  }
  if (layer_seconds != nullptr) {
    layer_seconds->assign(parameters.layers.size(), 0);
    const auto take_longest = [&](const auto& tape) {
      for (const auto& part : tape.parts) {
        for (std::size_t l = 0; l < part.layer_seconds.size(); ++l)
          (*layer_seconds)[l] = std::max((*layer_seconds)[l], part.layer_seconds[l]);
      }
    };
    take_longest(memory->tapes->of_float);
    take_longest(memory->tapes->of_double);
  }
  if (!at::GradMode::is_enabled()) return embeddings;
  return Function::apply(parameters.input, memory, embeddings);
}

}  // namespace dotin::ops
