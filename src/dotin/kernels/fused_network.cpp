#include "dotin/kernels/fused_network.h"

#include <algorithm>
#include <chrono>

#include "dotin/kernels/loops.h"

namespace dotin::kernels {

namespace {

/// Rows that enter layer l: virtual rows and the input table, or what the layer before left.
template <class Scalar>
LayerRows<Scalar> rows_of(const LayerSettings& settings, const NetworkTape<Scalar>& tape, int64_t layer) {
  if (layer == 0 && tape.factored) return tape.input_factors.rows(settings.tasks);
  if (layer == 0) {
    const int32_t* const code = tape.index.code.empty() ? nullptr : tape.index.code.data();
    return {tape.table.data(), settings.tasks, tape.index.rows(), code, true, settings.hidden};
  }
  const LayerTape<Scalar>& before = tape.layers[static_cast<std::size_t>(layer) - 1];
  const int64_t virtual_rows = static_cast<int64_t>(tape.level.graphs()) * settings.tasks;
  return {before.next.data(), virtual_rows, before.next_level.nodes(), nullptr, false, settings.hidden};
}

template <class Scalar>
LayerWeights<Scalar> weights_of(const NetworkWeights<Scalar>& weights, const NetworkTape<Scalar>& tape, int64_t layer) {
  const LayerWeights<Scalar>& own = weights.layers[static_cast<std::size_t>(layer)];
  return layer == 0 && tape.factored ? tape.input_factors.weights(own) : own;
}

/// The last layer as the others, but that nothing leaves and no gate opens.
LayerSettings plain_settings(LayerSettings settings) {
  settings.gate = false;
  return settings;
}

template <class Scalar>
void plain_last_layer_forward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                              const LayerRows<Scalar>& rows, const MakeMask<Scalar>& make_mask,
                              NetworkTape<Scalar>& tape) {
  const Level& level = tape.level_of(static_cast<int64_t>(tape.layers.size()));
  const Choose<Scalar> keep_all = [](const Scalar*, const Level& all, uint8_t* keep) {
    std::fill_n(keep, all.nodes(), uint8_t{1});
  };
  layer_forward(plain_settings(settings), weights, rows, level, keep_all, make_mask, tape.plain_last);
  const int64_t virtual_values = static_cast<int64_t>(level.graphs()) * settings.tasks * settings.hidden;
  tape.last.next.assign(tape.plain_last.next.begin(), tape.plain_last.next.begin() + virtual_values);
  tape.last.logits_by_task = tape.plain_last.logits_by_task;
}

}  // namespace

template <class Scalar>
void network_forward(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                     const NetworkHooks<Scalar>& hooks, NetworkTape<Scalar>& tape) {
  const auto last = static_cast<int64_t>(weights.layers.size()) - 1;
  auto start = std::chrono::steady_clock::now();
  tape.layer_seconds.clear();
  tape.index = index_input(tape.features, settings.savings.input_table);
  tape.factored = last > 0 && settings.savings.factored_input &&
                  factor_input(settings, tape.features, tape.index.rows(), width, weights.input, weights.virtual_rows,
                               weights.layers[0], tape.input_factors);
  if (!tape.factored) {
    const int64_t virtual_values = settings.tasks * settings.hidden;
    tape.table.resize(static_cast<std::size_t>(virtual_values + tape.index.rows() * settings.hidden));
    std::copy_n(weights.virtual_rows, virtual_values, tape.table.data());
    input_table(tape.features, tape.index, weights.input, settings.hidden, width, tape.table.data() + virtual_values);
  }
  tape.layers.resize(static_cast<std::size_t>(last));
  for (int64_t l = 0; l <= last; ++l) {
    MakeMask<Scalar> make_mask;
    if (hooks.make_mask)
      make_mask = [&hooks, l](int64_t rows, std::vector<Scalar>& mask) { hooks.make_mask(l, rows, mask); };
    const LayerRows<Scalar> rows = rows_of(settings, tape, l);
    const LayerWeights<Scalar> layer = weights_of(weights, tape, l);
    if (l == last) {
      if (settings.savings.last_layer) {
        last_layer_forward(settings, layer, rows, tape.level_of(l), make_mask, tape.last);
      } else {
        plain_last_layer_forward(settings, layer, rows, make_mask, tape);
      }
    } else {
      const Choose<Scalar> choose = [&hooks, l](const Scalar* logits, const Level& level, uint8_t* keep) {
        hooks.choose(l, logits, level, keep);
      };
      layer_forward(settings, layer, rows, tape.level_of(l), choose, make_mask,
                    tape.layers[static_cast<std::size_t>(l)]);
    }
    const auto now = std::chrono::steady_clock::now();
    tape.layer_seconds.push_back(std::chrono::duration<double>(now - start).count());
    start = now;
  }
}

template <class Scalar>
void network_backward(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                      const NetworkTape<Scalar>& tape, const Scalar* d_embeddings,
                      const NetworkGradients<Scalar>& gradients) {
  const auto last = static_cast<int64_t>(weights.layers.size()) - 1;
  const int64_t virtual_rows = static_cast<int64_t>(tape.level.graphs()) * settings.tasks;
  std::vector<Scalar> d_next(d_embeddings, d_embeddings + virtual_rows * settings.hidden);
  FactoredGradients<Scalar> of_factors(settings, tape.input_factors);
  for (int64_t l = last; l >= 0; --l) {
    const LayerRows<Scalar> rows = rows_of(settings, tape, l);
    const LayerWeights<Scalar> layer = weights_of(weights, tape, l);
    const bool factored = l == 0 && tape.factored;
    const LayerGradients<Scalar>& own = gradients.layers[static_cast<std::size_t>(l)];
    const LayerGradients<Scalar> d_layer = factored ? of_factors.gradients(own) : own;
    std::vector<Scalar> d_rows(static_cast<std::size_t>(rows.count() * rows.width), Scalar(0));
    if (l == last && settings.savings.last_layer) {
      last_layer_backward(settings, layer, rows, tape.level_of(l), tape.last, d_next.data(), d_layer, d_rows.data());
    } else if (l == last) {
      d_next.resize(tape.plain_last.next.size(), Scalar(0));  // nothing reads the raw rows
      layer_backward(plain_settings(settings), layer, rows, tape.level_of(l), tape.plain_last, d_next.data(), d_layer,
                     d_rows.data());
    } else {
      layer_backward(settings, layer, rows, tape.level_of(l), tape.layers[static_cast<std::size_t>(l)], d_next.data(),
                     d_layer, d_rows.data());
    }
    if (factored) {
      of_factors.spread(weights.layers[0], own, width, gradients.input, gradients.virtual_rows);
    } else if (l == 0) {
      const int64_t virtual_values = settings.tasks * settings.hidden;
      loops<Scalar>().add_scaled(1, d_rows.data(), gradients.virtual_rows, virtual_values);
      input_table_backward(tape.features, tape.index, settings.hidden, width, d_rows.data() + virtual_values,
                           gradients.input);
    }
    d_next = std::move(d_rows);
  }
}

template void network_forward<float>(const LayerSettings&, const NetworkWeights<float>&, int64_t,
                                     const NetworkHooks<float>&, NetworkTape<float>&);
template void network_forward<double>(const LayerSettings&, const NetworkWeights<double>&, int64_t,
                                      const NetworkHooks<double>&, NetworkTape<double>&);
template void network_backward<float>(const LayerSettings&, const NetworkWeights<float>&, int64_t,
                                      const NetworkTape<float>&, const float*, const NetworkGradients<float>&);
template void network_backward<double>(const LayerSettings&, const NetworkWeights<double>&, int64_t,
                                       const NetworkTape<double>&, const double*, const NetworkGradients<double>&);

}  // namespace dotin::kernels
