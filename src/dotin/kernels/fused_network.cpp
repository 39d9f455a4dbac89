#include "dotin/kernels/fused_network.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "dotin/kernels/layer_steps.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/storage.h"

namespace dotin::kernels {

namespace {

/// Rows that enter layer l of a part: virtual rows and those of the input, or what the layer before left.
template <class Scalar>
LayerRows<Scalar> rows_of(const LayerSettings& settings, const NetworkTape<Scalar>& tape, const PartTape<Scalar>& part,
                          int64_t layer) {
  if (layer == 0) {
    if (tape.form == InputForm::factored) return part.input_factors.rows(settings.tasks);
    if (tape.form == InputForm::own_rows)
      return {part.table.data(), settings.tasks, part.level.nodes(), nullptr, true, settings.hidden};
    return {tape.table.data(), settings.tasks, tape.index.rows(), part.code, true, settings.hidden};
  }
  const LayerTape<Scalar>& before = part.layers[static_cast<std::size_t>(layer) - 1];
  const int64_t virtual_rows = static_cast<int64_t>(part.level.graphs()) * settings.tasks;
  return {before.next.data(), virtual_rows, before.next_level.nodes(), nullptr, false, settings.hidden};
}

template <class Scalar>
LayerWeights<Scalar> weights_of(const NetworkWeights<Scalar>& weights, const NetworkTape<Scalar>& tape,
                                const PartTape<Scalar>& part, int64_t layer) {
  const LayerWeights<Scalar>& own = weights.layers[static_cast<std::size_t>(layer)];
  return layer == 0 && tape.form == InputForm::factored ? part.input_factors.weights(own) : own;
}

/// Number of the first node of each part.
template <class Scalar>
std::vector<int64_t> first_nodes(const NetworkTape<Scalar>& tape) {
  std::vector<int64_t> first;
  int64_t nodes = 0;
  for (const PartTape<Scalar>& part : tape.parts) {
    first.push_back(nodes);
    nodes += part.level.nodes();
  }
  return first;
}

/// The features of nodes first, first + 1, ... of all.
InputFeatures features_from(const InputFeatures& all, int64_t first, int32_t nodes) {
  return {all.codes + first * all.codes_per_node, all.codes_per_node, all.dense + first * all.dense_width,
          all.dense_width, nodes};
}

template <class Scalar>
void fill_table(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                const InputFeatures& features, const InputIndex& index, std::vector<Scalar>& table) {
  const int64_t virtual_values = settings.tasks * settings.hidden;
  size_to(table, virtual_values + index.rows() * settings.hidden);
  std::copy_n(weights.virtual_rows, virtual_values, table.data());
  input_table(features, index, weights.input, settings.hidden, width, table.data() + virtual_values);
}

template <class Scalar>
void table_backward(const LayerSettings& settings, int64_t width, const InputFeatures& features,
                    const InputIndex& index, const std::vector<Scalar>& d_table,
                    const NetworkGradients<Scalar>& gradients) {
  const int64_t virtual_values = settings.tasks * settings.hidden;
  loops<Scalar>().add_scaled(1, d_table.data(), gradients.virtual_rows, virtual_values);
  input_table_backward(features, index, settings.hidden, width, d_table.data() + virtual_values, gradients.input);
}

/// Settles the form of the input, and what of it parts share.
template <class Scalar>
void prepare_input(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                   NetworkTape<Scalar>& tape) {
  tape.index = index_input(tape.features, settings.savings.input_table);
  if (weights.layers.size() > 1 && settings.savings.factored_input &&
      factoring_pays(settings, tape.features, tape.index.rows(), width)) {
    tape.form = InputForm::factored;
  } else if (tape.index.code.empty()) {
    tape.form = InputForm::own_rows;
  } else {
    tape.form = InputForm::shared_table;
    fill_table(settings, weights, width, tape.features, tape.index, tape.table);
    const std::vector<int64_t> first = first_nodes(tape);
    for (std::size_t p = 0; p < tape.parts.size(); ++p) tape.parts[p].code = tape.index.code.data() + first[p];
  }
}

/// Rows that a part has to itself.
template <class Scalar>
void prepare_part(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                  const InputFeatures& features, InputForm form, PartTape<Scalar>& part) {
  if (form == InputForm::factored) {
    factor_input(settings, features, width, weights.input, weights.virtual_rows, weights.layers[0], part.input_factors);
  } else if (form == InputForm::own_rows) {
    fill_table(settings, weights, width, features, index_input(features, false), part.table);
  }
}

/// The last layer as the others, but that nothing leaves and no gate opens.
LayerSettings plain_settings(LayerSettings settings) {
  settings.gate = false;
  return settings;
}

template <class Scalar>
void plain_last_layer_forward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                              const LayerRows<Scalar>& rows, const Dropout& dropout, PartTape<Scalar>& part) {
  const Level& level = part.level_of(static_cast<int64_t>(part.layers.size()));
  const Choose<Scalar> keep_all = [](const Scalar*, const Level& all, uint8_t* keep) {
    std::fill_n(keep, all.nodes(), uint8_t{1});
  };
  layer_forward(plain_settings(settings), weights, rows, level, keep_all, dropout, part.plain_last);
  const int64_t virtual_values = static_cast<int64_t>(level.graphs()) * settings.tasks * settings.hidden;
  part.last.next.assign(part.plain_last.next.begin(), part.plain_last.next.begin() + virtual_values);
  part.last.logits_by_task = part.plain_last.logits_by_task;
}

template <class Scalar>
Choose<Scalar> choose_in(const NetworkHooks<Scalar>& hooks, int64_t layer) {
  return [&hooks, layer](const Scalar* logits, const Level& level, uint8_t* keep) {
    hooks.choose(layer, logits, level, keep);
  };
}

/// Without a way back: layer l takes over what the layers before it no longer need, so that a pass takes the memory of
/// one layer and not of all.
template <class Scalar>
void take_over_memory(PartTape<Scalar>& part, int64_t l) {
  LayerTape<Scalar>&own = part.layers[static_cast<std::size_t>(l)],
  &before = part.layers[static_cast<std::size_t>(l) - 1];
  std::swap(own.products, before.products);
  std::swap(own.inner, before.inner);
  own.inputs.swap(before.inputs);
  own.mixed.swap(before.mixed);
  own.z.swap(before.z);
  if (l > 1) own.next.swap(part.layers[static_cast<std::size_t>(l) - 2].next);
}

/// Layers of one part, from `first` on; start is when the layer before it was done.
template <class Scalar>
void layers_forward(const LayerSettings& settings, const NetworkWeights<Scalar>& weights,
                    const NetworkHooks<Scalar>& hooks, const NetworkTape<Scalar>& tape, int64_t first,
                    std::chrono::steady_clock::time_point start, PartTape<Scalar>& part) {
  const auto last = static_cast<int64_t>(weights.layers.size()) - 1;
  for (int64_t l = first; l <= last; ++l) {
    const LayerRows<Scalar> rows = rows_of(settings, tape, part, l);
    const LayerWeights<Scalar> layer = weights_of(weights, tape, part, l);
    if (l < last) {
      if (!tape.way_back && l > 0) take_over_memory(part, l);
      layer_forward(settings, layer, rows, part.level_of(l), choose_in(hooks, l),
                    hooks.dropout.with(static_cast<uint64_t>(l)), part.layers[static_cast<std::size_t>(l)]);
    } else if (settings.savings.last_layer) {
      last_layer_forward(settings, layer, rows, part.level_of(l), hooks.dropout.with(static_cast<uint64_t>(l)),
                         part.last);
    } else {
      plain_last_layer_forward(settings, layer, rows, hooks.dropout.with(static_cast<uint64_t>(l)), part);
    }
    const auto now = std::chrono::steady_clock::now();
    part.layer_seconds.push_back(std::chrono::duration<double>(now - start).count());
    start = now;
  }
}

/// One layer of one part. d_next: of the rows that leave it; then of those that enter.
template <class Scalar>
void part_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                   const PartTape<Scalar>& part, int64_t layer, const LayerGradients<Scalar>& gradients,
                   std::vector<Scalar>& d_next) {
  std::vector<Scalar> d_rows(static_cast<std::size_t>(rows.count() * rows.width), Scalar(0));
  if (layer < static_cast<int64_t>(part.layers.size())) {
    layer_backward(settings, weights, rows, part.level_of(layer), part.layers[static_cast<std::size_t>(layer)],
                   d_next.data(), gradients, d_rows.data());
  } else if (settings.savings.last_layer) {
    last_layer_backward(settings, weights, rows, part.level_of(layer), part.last, d_next.data(), gradients,
                        d_rows.data());
  } else {
    d_next.resize(part.plain_last.next.size(), Scalar(0));  // nothing reads the raw rows
    layer_backward(plain_settings(settings), weights, rows, part.level_of(layer), part.plain_last, d_next.data(),
                   gradients, d_rows.data());
  }
  d_next = std::move(d_rows);
}

/// Gradients of a layer, with the place where products are left.
template <class Scalar>
LayerGradients<Scalar> gradients_of(const NetworkGradients<Scalar>& gradients, int64_t layer,
                                    WeightProducts<Scalar>& later) {
  LayerGradients<Scalar> own = gradients.layers[static_cast<std::size_t>(layer)];
  own.later = &later;
  return own;
}

/// The first layer of parts that share its table. d_next: of the rows that leave it, for every part; then of the table,
/// for part 0.
template <class Scalar>
void shared_layer_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                           const NetworkTape<Scalar>& tape, const ForEachPart& for_each_part,
                           const std::vector<NetworkGradients<Scalar>>& gradients,
                           std::vector<WeightProducts<Scalar>>& later, std::vector<std::vector<Scalar>>& d_next) {
  std::vector<RowGradients<Scalar>> d_products(tape.parts.size(), RowGradients<Scalar>(tape.products));
  for_each_part([&](int64_t p) {
    const PartTape<Scalar>& part = tape.parts[static_cast<std::size_t>(p)];
    std::vector<Scalar> d_table(tape.table.size());
    next_rows_backward(settings, weights, rows_of(settings, tape, part, 0), part.level, tape.products, part.layers[0],
                       d_next[p].data(), gradients_of(gradients[p], 0, later[p]), d_products[p], d_table.data());
    d_next[p] = std::move(d_table);
  });
  for (std::size_t p = 1; p < tape.parts.size(); ++p) d_products[0].add(d_products[p]);
  row_products_backward(settings, weights, rows_of(settings, tape, tape.parts[0], 0), tape.products,
                        std::move(d_products[0]), gradients_of(gradients[0], 0, later[0]), d_next[0].data());
}

/// Whether the first layer runs in steps, so that parts share what it makes of the table.
template <class Scalar>
bool shares_first_layer(const NetworkWeights<Scalar>& weights, const NetworkTape<Scalar>& tape) {
  return tape.form == InputForm::shared_table && weights.layers.size() > 1;
}

}  // namespace

template <class Scalar>
void network_forward(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                     const std::vector<NetworkHooks<Scalar>>& hooks, const ForEachPart& for_each_part,
                     NetworkTape<Scalar>& tape) {
  const auto start = std::chrono::steady_clock::now();
  for (PartTape<Scalar>& part : tape.parts) {
    part.layers.resize(weights.layers.size() - 1);
    part.layer_seconds.clear();
  }
  prepare_input(settings, weights, width, tape);
  if (!shares_first_layer(weights, tape)) {
    const std::vector<int64_t> first = first_nodes(tape);
    for_each_part([&](int64_t p) {
      PartTape<Scalar>& part = tape.parts[static_cast<std::size_t>(p)];
      prepare_part(settings, weights, width, features_from(tape.features, first[p], part.level.nodes()), tape.form,
                   part);
      layers_forward(settings, weights, hooks[p], tape, 0, start, part);
    });
    return;
  }
  const LayerWeights<Scalar>& layer = weights.layers[0];
  project_rows(settings, layer, rows_of(settings, tape, tape.parts[0], 0), tape.products);
  for_each_part([&](int64_t p) {
    PartTape<Scalar>& part = tape.parts[static_cast<std::size_t>(p)];
    decide_nodes(settings, layer, rows_of(settings, tape, part, 0), part.level, tape.products, choose_in(hooks[p], 0),
                 part.layers[0]);
  });
  int64_t left = 0;
  for (const PartTape<Scalar>& part : tape.parts) left += part.layers[0].rows_left;
  map_rows(settings, layer, rows_of(settings, tape, tape.parts[0], 0), left, tape.products);
  for_each_part([&](int64_t p) {
    PartTape<Scalar>& part = tape.parts[static_cast<std::size_t>(p)];
    next_rows(settings, layer, rows_of(settings, tape, part, 0), part.level, tape.products, hooks[p].dropout.with(0),
              part.layers[0]);
    const auto now = std::chrono::steady_clock::now();
    part.layer_seconds.push_back(std::chrono::duration<double>(now - start).count());
    layers_forward(settings, weights, hooks[p], tape, 1, now, part);
  });
}

template <class Scalar>
void network_backward(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                      const NetworkTape<Scalar>& tape, std::vector<std::vector<Scalar>> d_next,
                      const ForEachPart& for_each_part, const std::vector<NetworkGradients<Scalar>>& gradients) {
  const std::size_t parts = tape.parts.size();
  std::vector<WeightProducts<Scalar>> later(parts);
  std::vector<FactoredGradients<Scalar>> of_factors;
  if (tape.form == InputForm::factored) {
    for (const PartTape<Scalar>& part : tape.parts) of_factors.emplace_back(settings, part.input_factors);
  }
  for (auto l = static_cast<int64_t>(weights.layers.size()) - 1; l >= 0; --l) {
    if (l == 0 && shares_first_layer(weights, tape)) {
      shared_layer_backward(settings, weights.layers[0], tape, for_each_part, gradients, later, d_next);
    } else {
      for_each_part([&](int64_t p) {
        const PartTape<Scalar>& part = tape.parts[static_cast<std::size_t>(p)];
        LayerGradients<Scalar> own = gradients_of(gradients[p], l, later[p]);
        if (l == 0 && tape.form == InputForm::factored) own = of_factors[p].gradients(own);
        part_backward(settings, weights_of(weights, tape, part, l), rows_of(settings, tape, part, l), part, l, own,
                      d_next[p]);
      });
    }
    WeightProducts<Scalar>::run(later);
  }

  const std::vector<int64_t> first = first_nodes(tape);
  for (std::size_t p = 0; p < parts; ++p) {
    if (tape.form == InputForm::factored) {
      of_factors[p].spread(weights.layers[0], gradients[0].layers[0], width, gradients[0].input,
                           gradients[0].virtual_rows);
    } else if (tape.form == InputForm::own_rows) {
      const InputFeatures features = features_from(tape.features, first[p], tape.parts[p].level.nodes());
      table_backward(settings, width, features, index_input(features, false), d_next[p], gradients[0]);
    } else if (p > 0) {
      loops<Scalar>().add_scaled(1, d_next[p].data(), d_next[0].data(), static_cast<int64_t>(d_next[0].size()));
    }
  }
  if (tape.form == InputForm::shared_table)
    table_backward(settings, width, tape.features, tape.index, d_next[0], gradients[0]);
}

#define DOTIN_INSTANTIATE(S)                                                                                        \
  template void network_forward<S>(const LayerSettings&, const NetworkWeights<S>&, int64_t,                         \
                                   const std::vector<NetworkHooks<S>>&, const ForEachPart&, NetworkTape<S>&);       \
  template void network_backward<S>(const LayerSettings&, const NetworkWeights<S>&, int64_t, const NetworkTape<S>&, \
                                    std::vector<std::vector<S>>, const ForEachPart&,                                \
                                    const std::vector<NetworkGradients<S>>&);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
