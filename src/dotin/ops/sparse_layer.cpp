#include "dotin/ops/sparse_layer.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What backward needs; owned by the autograd graph.
struct LayerMemory : torch::CustomClassHolder {
  kernels::LayerSettings settings;
  FusedLayerParameters parameters;
  std::shared_ptr<const kernels::Level> level;
  SharedRows x;
  kernels::Dropout dropout;
  kernels::LayerTape<float> float_tape;
  kernels::LayerTape<double> double_tape;

  kernels::LayerTape<float>& tape(float) { return float_tape; }
  kernels::LayerTape<double>& tape(double) { return double_tape; }
};

template <class Scalar>
kernels::LayerRows<Scalar> layer_rows(const SharedRows& x) {
  const int32_t* const code = x.code.empty() ? nullptr : x.code.data();
  return {x.rows.data_ptr<Scalar>(), 0, x.rows.size(0), code, false, x.rows.size(1)};
}

template <class Scalar>
at::Tensor layer_pass(LayerMemory& memory) {
  kernels::LayerTape<Scalar>& tape = memory.tape(Scalar());
  const kernels::Choose<Scalar> keep_all = [](const Scalar*, const kernels::Level& level, uint8_t* keep) {
    std::fill_n(keep, level.nodes(), uint8_t{1});
  };
  kernels::layer_forward(memory.settings, layer_addresses<kernels::LayerWeights<Scalar>, Scalar>(memory.parameters),
                         layer_rows<Scalar>(memory.x), *memory.level, keep_all, memory.dropout, tape);
  const at::Tensor next = at::empty({memory.level->nodes(), memory.settings.hidden}, memory.x.rows.options());
  std::copy(tape.next.begin(), tape.next.end(), next.data_ptr<Scalar>());
  tape.next = {};
  return next;
}

template <class Scalar>
at::Tensor layer_pass_back(LayerMemory& memory, const at::Tensor& d_next) {
  const at::Tensor d_x = at::zeros_like(memory.x.rows);
  auto gradients =
      layer_addresses<kernels::LayerGradients<Scalar>, Scalar>(each_parameter(memory.parameters, gradient_buffer));
  std::vector<kernels::WeightProducts<Scalar>> products(1);
  gradients.later = products.data();
  kernels::layer_backward(memory.settings, layer_addresses<kernels::LayerWeights<Scalar>, Scalar>(memory.parameters),
                          layer_rows<Scalar>(memory.x), *memory.level, memory.tape(Scalar()), d_next.data_ptr<Scalar>(),
                          gradients, d_x.data_ptr<Scalar>());
  kernels::WeightProducts<Scalar>::run(products);
  return d_x;
}

class SparseLayer : public torch::autograd::Function<SparseLayer> {
 public:
  /// anchor: any parameter, so that the result is known to depend on parameters.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& /*anchor*/,
                            const c10::intrusive_ptr<LayerMemory>& memory) {
    memory->x.rows = x.contiguous();
    context->saved_data["memory"] = c10::IValue::make_capsule(memory);
    return with_scalar(x, [&](auto zero) { return layer_pass<decltype(zero)>(*memory); });
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const auto holder = context->saved_data["memory"].toCapsule();
    auto& memory = static_cast<LayerMemory&>(*holder);
    const at::Tensor d_next = d_outputs[0].contiguous();
    const at::Tensor d_x =
        with_scalar(d_next, [&](auto zero) { return layer_pass_back<decltype(zero)>(memory, d_next); });
    return {d_x, at::Tensor(), at::Tensor()};  // what is of parameters is added already
  }
};

}  // namespace

at::Tensor sparse_layer(const kernels::LayerSettings& settings, const FusedLayerParameters& parameters,
                        std::shared_ptr<const kernels::Level> level, const SharedRows& x,
                        const kernels::Dropout& dropout) {
  const auto memory = c10::make_intrusive<LayerMemory>();
  memory->settings = settings;
  memory->settings.tasks = 0;
  memory->settings.gate = memory->settings.merge = false;
  memory->settings.attentiveness = kernels::Attentiveness::own;  // of no virtual node: 0
  if (!parameters.query.defined()) memory->settings.attention = 0;
  memory->parameters = parameters;
  memory->level = std::move(level);
  memory->x.code = x.code;
  memory->dropout = dropout;
  return SparseLayer::apply(x.rows, parameters.linear, memory);
}

}  // namespace dotin::ops
