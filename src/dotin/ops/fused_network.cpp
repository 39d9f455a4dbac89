#include "dotin/ops/fused_network.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mutex>
#include <utility>

#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

/// What a pass writes down for the way back.
struct Passes {
  network::FusedPass<float> of_float;
  network::FusedPass<double> of_double;

  network::FusedPass<float>& of(float) { return of_float; }
  network::FusedPass<double>& of(double) { return of_double; }
};

/// Passes whose memory nobody uses now.
class SparePasses {
 public:
  std::unique_ptr<Passes> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (passes_.empty()) return std::make_unique<Passes>();
    std::unique_ptr<Passes> passes = std::move(passes_.back());
    passes_.pop_back();
    return passes;
  }

  void give_back(std::unique_ptr<Passes> passes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    passes_.push_back(std::move(passes));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Passes>> passes_;
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
  explicit Memory(std::shared_ptr<SparePasses> from) : spare(std::move(from)), passes(spare->take()) {}
  ~Memory() override { spare->give_back(std::move(passes)); }

  FusedParameters parameters;
  std::shared_ptr<SparePasses> spare;
  std::unique_ptr<Passes> passes;
};

/// Adds to the .grad of the parameters.
template <class Scalar>
void run_backward(Memory& memory, const at::Tensor& d_embeddings) {
  network::FusedPass<Scalar>& pass = memory.passes->of(Scalar());
  std::vector<FusedParameters> into{each(memory.parameters, gradient_buffer)};
  for (int64_t p = 1; p < pass.parts(); ++p) into.push_back(part_gradients(into[0]));
  std::vector<kernels::NetworkGradients<Scalar>> gradients;
  for (const FusedParameters& sums : into) gradients.push_back(gradients_of<Scalar>(sums));
  pass.backward(weights_of<Scalar>(memory.parameters), d_embeddings.data_ptr<Scalar>(), gradients);
  for (std::size_t p = 1; p < into.size(); ++p) add_all(into[0], into[p]);
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
    with_scalar(d_embeddings, [&](auto zero) { run_backward<decltype(zero)>(memory, d_embeddings); });
    return {at::Tensor(), at::Tensor(), at::Tensor()};  // all is added where it belongs already
  }
};

}  // namespace

FusedNetwork::FusedNetwork() : spare_(std::make_shared<SparePasses>()) {}

FusedNetwork::~FusedNetwork() = default;

FusedNetwork::FusedNetwork(FusedNetwork&&) noexcept = default;

at::Tensor FusedNetwork::forward(network::PassSettings settings, const FusedParameters& parameters,
                                 const batch::Batch& batch, const network::Chooser& chooser, FusedFacts& facts) const {
  const auto memory = c10::make_intrusive<Memory>(spare_);
  memory->parameters = parameters;
  settings.width = parameters.input.size(1);
  settings.way_back = at::GradMode::is_enabled();
  const at::Tensor embeddings =
      at::empty({static_cast<int64_t>(batch.graphs()) * settings.layers.tasks, settings.layers.hidden},
                parameters.input.options().requires_grad(false));
  with_scalar(embeddings, [&](auto zero) {
    using Scalar = decltype(zero);
    network::FusedPass<Scalar>& pass = memory->passes->of(zero);
    pass.forward(settings, weights_of<Scalar>(parameters), batch, chooser, embeddings.data_ptr<Scalar>());
    facts.layer_seconds = pass.layer_seconds();
    if (facts.trace) facts.layers = pass.trace();
  });
  if (!settings.way_back) return embeddings;
  return Function::apply(parameters.input, memory, embeddings);
}

}  // namespace dotin::ops
