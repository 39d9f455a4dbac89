#include "dotin/ops/fused_network.h"

#include <torch/csrc/autograd/custom_function.h>
#include <algorithm>

#include "dotin/kernels/fused_network.h"

namespace dotin::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class Scalar>
const Scalar* data_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<Scalar>() : nullptr;
}

template <class Scalar>
Scalar* mutable_data_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<Scalar>() : nullptr;
}

template <class Scalar>
kernels::NetworkWeights<Scalar> weights_of(const FusedParameters& p) {
  kernels::NetworkWeights<Scalar> weights{data_of<Scalar>(p.input), data_of<Scalar>(p.virtual_rows), {}};
  for (const FusedLayerParameters& layer : p.layers) {
    weights.layers.push_back({data_of<Scalar>(layer.query), data_of<Scalar>(layer.key), data_of<Scalar>(layer.linear),
                              data_of<Scalar>(layer.bias), data_of<Scalar>(layer.gamma), data_of<Scalar>(layer.beta)});
  }
  return weights;
}

template <class Scalar>
kernels::NetworkGradients<Scalar> gradients_of(const FusedParameters& p) {
  kernels::NetworkGradients<Scalar> gradients{
      mutable_data_of<Scalar>(p.input), mutable_data_of<Scalar>(p.virtual_rows), {}};
  for (const FusedLayerParameters& layer : p.layers) {
    gradients.layers.push_back({mutable_data_of<Scalar>(layer.query), mutable_data_of<Scalar>(layer.key),
                                mutable_data_of<Scalar>(layer.linear), mutable_data_of<Scalar>(layer.bias),
                                mutable_data_of<Scalar>(layer.gamma), mutable_data_of<Scalar>(layer.beta)});
  }
  return gradients;
}

/// The .grad of every parameter, made where there is none. Backward adds to it directly: a tensor per parameter and
/// step, handed through the autograd engine, took a sixth of the time of small models.
FusedParameters gradient_buffers(const FusedParameters& p) {
  const auto buffer = [](const at::Tensor& parameter) {
    if (!parameter.defined()) return at::Tensor();
    at::Tensor& gradient = parameter.mutable_grad();
    if (!gradient.defined()) gradient = at::zeros_like(parameter.detach());
    return gradient;
  };
  FusedParameters buffers{buffer(p.input), buffer(p.virtual_rows), {}};
  for (const FusedLayerParameters& layer : p.layers) {
    buffers.layers.push_back({buffer(layer.query), buffer(layer.key), buffer(layer.linear), buffer(layer.bias),
                              buffer(layer.gamma), buffer(layer.beta)});
  }
  return buffers;
}

/// What backward needs; owned by the autograd graph.
struct Memory : torch::CustomClassHolder {
  kernels::LayerSettings settings;
  int64_t width = 0;
  FusedParameters parameters;
  std::vector<int32_t> codes;
  std::vector<float> dense;
  kernels::NetworkTape<float> float_tape;
  kernels::NetworkTape<double> double_tape;

  kernels::NetworkTape<float>& tape(float) { return float_tape; }
  kernels::NetworkTape<double>& tape(double) { return double_tape; }
};

template <class Scalar>
std::vector<double> doubles(const std::vector<Scalar>& values) {
  return {values.begin(), values.end()};
}

template <class Scalar>
void fill_trace(const kernels::NetworkTape<Scalar>& tape, std::vector<FusedTrace>& trace) {
  const std::size_t layers = tape.layers.size() + 1;
  for (std::size_t l = 0; l < layers; ++l) {
    const kernels::Level& level = tape.level_of(static_cast<int64_t>(l));
    FusedTrace& entry = trace.emplace_back();
    entry.raw_offsets.assign(level.node_offsets.begin(), level.node_offsets.end());
    if (l + 1 < layers) {
      entry.logits = doubles(tape.layers[l].logits);
      entry.logits_by_task = doubles(tape.layers[l].logits_by_task);
      entry.keep = tape.layers[l].keep;
      entry.new_raw_of_raw.assign(tape.layers[l].map.new_of_old.begin(), tape.layers[l].map.new_of_old.end());
    } else {
      // The last layer decides nothing: only its products with the virtual nodes exist.
      entry.logits_by_task = doubles(tape.last.logits_by_task);
      entry.keep.assign(static_cast<std::size_t>(level.nodes()), 1);
      for (int64_t i = 0; i < level.nodes(); ++i) entry.new_raw_of_raw.push_back(i);
    }
  }
}

template <class Scalar>
at::Tensor run_forward(Memory& memory, const batch::Batch& batch, const FusedHooks& hooks,
                       std::vector<FusedTrace>* trace) {
  kernels::NetworkTape<Scalar>& tape = memory.tape(Scalar());
  tape.features = {memory.codes.data(), batch.codes_per_node, memory.dense.data(), batch.dense_width, batch.nodes()};
  tape.level.node_offsets = batch.node_offsets;
  tape.level.row_offsets = batch.row_offsets;
  tape.level.columns = batch.neighbours;
  const at::TensorOptions options = memory.parameters.input.options();
  kernels::NetworkHooks<Scalar> network_hooks;
  network_hooks.choose = [&](int64_t layer, const Scalar* logits, const kernels::Level& level, uint8_t* keep) {
    const at::Tensor view = at::from_blob(const_cast<Scalar*>(logits), {level.nodes()}, options.requires_grad(false));
    const std::vector<uint8_t> chosen =
        hooks.choose(layer, view, {level.node_offsets.begin(), level.node_offsets.end()});
    std::copy(chosen.begin(), chosen.end(), keep);
  };
  if (hooks.make_mask) {
    network_hooks.make_mask = [&](int64_t layer, int64_t rows, std::vector<Scalar>& mask) {
      const at::Tensor tensor = hooks.make_mask(layer, rows).contiguous();
      mask.assign(tensor.data_ptr<Scalar>(), tensor.data_ptr<Scalar>() + tensor.numel());
    };
  }
  kernels::network_forward(memory.settings, weights_of<Scalar>(memory.parameters), memory.width, network_hooks, tape);
  if (trace != nullptr) fill_trace(tape, *trace);
  at::Tensor embeddings =
      at::empty({static_cast<int64_t>(batch.graphs()) * memory.settings.tasks, memory.settings.hidden},
                options.requires_grad(false));
  std::copy(tape.embeddings().begin(), tape.embeddings().end(), embeddings.data_ptr<Scalar>());
  return embeddings;
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
    const FusedParameters into = gradient_buffers(memory.parameters);
    const at::Tensor d_embeddings = d_outputs[0].contiguous();
    if (d_embeddings.scalar_type() == at::kDouble) {
      kernels::network_backward(memory.settings, weights_of<double>(memory.parameters), memory.width,
                                memory.double_tape, d_embeddings.data_ptr<double>(), gradients_of<double>(into));
    } else {
      kernels::network_backward(memory.settings, weights_of<float>(memory.parameters), memory.width, memory.float_tape,
                                d_embeddings.data_ptr<float>(), gradients_of<float>(into));
    }
    return {at::Tensor(), at::Tensor(), at::Tensor()};  // all is added where it belongs already
  }
};

}  // namespace

at::Tensor fused_network(const kernels::LayerSettings& settings, const FusedParameters& parameters,
                         const batch::Batch& batch, const FusedHooks& hooks, std::vector<FusedTrace>* trace) {
  const auto memory = c10::make_intrusive<Memory>();
  memory->settings = settings;
  memory->width = parameters.input.size(1);
  memory->parameters = parameters;
  memory->codes = batch.codes;
  memory->dense = batch.dense;
  at::Tensor embeddings;
  {
    const at::NoGradGuard no_gradients;
    embeddings = parameters.input.scalar_type() == at::kDouble ? run_forward<double>(*memory, batch, hooks, trace)
                                                               : run_forward<float>(*memory, batch, hooks, trace);
  }
  return Function::apply(parameters.input, memory, embeddings);
}

}  // namespace dotin::ops
