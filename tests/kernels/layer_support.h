// Parameters and rows of a layer that is tested on plain arrays, drawn from a seed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dotin/core/random.h"
#include "dotin/kernels/fused_layer.h"
#include "dotin/kernels/layer_parameters.h"
#include "kernels/gradient_check.h"
#include "kernels/loops_support.h"

namespace dotin::testing {

/// Sizes without a common factor.
inline kernels::LayerSettings small_settings(kernels::Backbone backbone, int32_t tasks) {
  kernels::LayerSettings settings;
  settings.backbone = backbone;
  settings.hidden = 7;
  settings.attention = 3;
  settings.tasks = tasks;
  settings.tau = 1.7;
  return settings;
}

inline constexpr kernels::LayerParameters<const char*> kParameterNames = {
    "query", "key", "linear", "bias", "gamma", "beta", "self", "inner", "inner_bias", "eps", "task_gate"};

/// Those of the settings' backbone, with what has been added to their gradients.
class LayerNumbers {
 public:
  /// norm: with gamma and beta. task_gates: with gates where the backbone can have them. width: W.
  LayerNumbers(const kernels::LayerSettings& settings, int64_t width, bool norm, bool task_gates, core::Rng& rng) {
    const int64_t a = settings.attention, d = settings.hidden;
    // None is 0: with a gamma and a beta of 0 every row would be where ELU bends.
    const auto draw = [&rng](int64_t count) {
      Numbers drawn(static_cast<std::size_t>(count));
      for (double& number : drawn) number = 0.5 * rng.normal();
      return drawn;
    };
    values.query = draw(a * width);
    values.key = draw(a * width);
    if (settings.backbone == kernels::Backbone::gin) {
      values.inner = draw(d * width);
      values.inner_bias = draw(d);
      values.eps = {0.3};
    }
    values.linear = draw(d * (values.inner.empty() ? width : d));
    values.bias = draw(d);
    if (norm) {
      values.gamma = draw(d);
      values.beta = draw(d);
    }
    if (settings.backbone == kernels::Backbone::sage) values.self = draw(d * width);
    if (task_gates && settings.backbone != kernels::Backbone::gat) values.task_gate = draw(settings.tasks * width);
    kernels::for_each_parameter([](const Numbers& value, Numbers& gradient) { gradient = begun(value.size()); }, values,
                                d_values);
  }

  kernels::LayerWeights<double> weights() const {
    kernels::LayerWeights<double> weights;
    kernels::for_each_parameter(
        [](const double*& to, const Numbers& from) { to = from.empty() ? nullptr : from.data(); }, weights, values);
    return weights;
  }
  kernels::LayerGradients<double> gradients(kernels::WeightProducts<double>* later) {
    kernels::LayerGradients<double> gradients;
    kernels::for_each_parameter([](double*& to, Numbers& from) { to = from.empty() ? nullptr : from.data(); },
                                gradients, d_values);
    gradients.later = later;
    return gradients;
  }

  /// What was added to the gradients is the derivative of loss(), which reads the parameters; 0 for what it does not.
  void expect_gradients_of(const std::function<double()>& loss) {
    kernels::for_each_parameter(
        [&](const char* name, Numbers& value, const Numbers& gradient) {
          EXPECT_TRUE(gradient_agrees(name, value, added(gradient), loss));
        },
        kParameterNames, values, d_values);
  }

  kernels::LayerParameters<Numbers> values, d_values;
};

inline constexpr kernels::Backbone kBackbones[] = {kernels::Backbone::gat, kernels::Backbone::gcn,
                                                   kernels::Backbone::gin, kernels::Backbone::sage};

inline std::string backbone_name(kernels::Backbone backbone) {
  const char* const names[] = {"Gat", "Gcn", "Gin", "Sage"};
  return names[static_cast<int>(backbone)];
}

/// How rows enter a layer: by a table or each node with its own, virtual rows shared by all graphs or not.
struct RowsForm {
  bool coded, shared;
};

inline constexpr RowsForm kRowsForms[] = {{false, false}, {false, true}, {true, true}, {true, false}};

inline std::string in_words(RowsForm form) {
  return std::string(form.coded ? ", rows by code" : ", rows of their own") +
         (form.shared ? ", virtual rows shared" : "");
}

struct EnteringRows {
  EnteringRows(const kernels::Level& level, int64_t tasks, int64_t w, RowsForm row_form, core::Rng& rng)
      : form(row_form), width(w), virtual_count(form.shared ? tasks : level.graphs() * tasks) {
    table_rows = form.coded ? 4 : level.nodes();
    for (int32_t i = 0; i < level.nodes() && form.coded; ++i)
      code.push_back(static_cast<int32_t>(rng.below(table_rows)));
    all = numbers<double>(rng, (virtual_count + table_rows) * width);
    d_all = begun(all.size());
  }

  kernels::LayerRows<double> rows() const {
    return {all.data(),
            virtual_count,
            table_rows,
            form.coded ? code.data() : nullptr,
            form.shared,
            width,
            basis.empty() ? nullptr : basis.data()};
  }

  RowsForm form;
  int64_t width, virtual_count, table_rows = 0;
  std::vector<int32_t> code;
  Numbers all, d_all, basis;
};

}  // namespace dotin::testing
