// Coefficients of all entries of a level: as kernels keep them, beside a dense matrix.
#pragma once

#include <functional>
#include <vector>

#include "dotin/kernels/fused_frame.h"
#include "kernels/gradient_check.h"
#include "kernels/layer_support.h"
#include "kernels/level_support.h"
#include "kernels/plain_layer.h"

namespace dotin::testing {

/// A layer's parameters and rows, without a norm.
struct LayerInputs {
  LayerInputs(const kernels::LayerSettings& settings, int64_t width, bool task_gates, const kernels::Level& level,
              RowsForm form)
      : rng(31),
        parameters(settings, width, false, task_gates, rng),
        entering(level, settings.tasks, width, form, rng),
        weights(parameters.weights()),
        rows(entering.rows()),
        frame(settings, rows, level),
        plain(settings, weights, rows, level) {}

  /// What was added to the gradients of rows and parameters is the derivative of loss(), which reads them.
  void expect_gradients_of(const std::function<double()>& loss) {
    EXPECT_TRUE(gradient_agrees("rows", entering.all, added(entering.d_all), loss));
    parameters.expect_gradients_of(loss);
  }

  core::Rng rng;
  LayerNumbers parameters;
  EnteringRows entering;
  kernels::LayerWeights<double> weights;
  kernels::LayerRows<double> rows;
  kernels::Frame<double> frame;
  PlainLayer plain;
};

/// A tape as decide_nodes prepares it.
inline kernels::LayerTape<double> tape_of(const kernels::Frame<double>& f) {
  kernels::LayerTape<double> tape;
  for (int64_t g = 0; g < f.graphs; ++g) {
    tape.graph_of.resize(static_cast<std::size_t>(f.level.node_offsets[g + 1]), static_cast<int32_t>(g));
    tape.virtual_row.resize(tape.graph_of.size(), static_cast<int32_t>(f.virtual_base(g)));
  }
  return tape;
}

inline void expect_virtual_rows(const Numbers& from_row, const Numbers& self, const PlainLayer& plain,
                                const kernels::Frame<double>& f) {
  Numbers expected_from_row, expected_self;
  const int64_t v = plain.virtual_rows();
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k) expected_self.push_back(plain.c(g * f.k + k, g * f.k + k));
    for (int64_t i = f.level.node_offsets[g]; i < f.level.node_offsets[g + 1]; ++i) {
      for (int64_t k = 0; k < f.k; ++k) expected_from_row.push_back(plain.c(g * f.k + k, v + i));
    }
  }
  expect_close(from_row, expected_from_row, "from rows to virtual nodes");
  expect_close(self, expected_self, "of virtual nodes themselves");
}

/// Coefficients and attentiveness before smoothing.
inline void expect_coefficients(const kernels::LayerTape<double>& tape, const PlainLayer& plain,
                                const kernels::Frame<double>& f) {
  Numbers edge, self, to_virtual, own_virtual(static_cast<std::size_t>(f.virtual_count * f.k));
  const int64_t v = plain.virtual_rows();
  for (int64_t i = 0; i < f.nodes; ++i) {
    self.push_back(plain.c(v + i, v + i));
    for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e)
      edge.push_back(plain.c(v + i, v + f.level.columns[e]));
    for (int64_t k = 0; k < f.k; ++k) to_virtual.push_back(plain.c(v + i, tape.graph_of[i] * f.k + k));
  }
  // Shared virtual rows have theirs once, the same in every graph.
  for (std::size_t r = 0; r < own_virtual.size() && f.graphs > 0; ++r) own_virtual[r] = plain.own.values[r];
  expect_close(tape.s_edge, edge, "of edges");
  expect_close(tape.s_self, self, "of nodes themselves");
  expect_close(tape.s_to_virtual, to_virtual, "from virtual nodes to rows");
  expect_virtual_rows(tape.s_from_row, tape.s_virtual_self, plain, f);
  expect_close(tape.logits_by_task, Numbers(plain.own.values.begin() + v * f.k, plain.own.values.end()),
               "attentiveness of nodes");
  if (f.graphs > 0) expect_close(tape.own_virtual, own_virtual, "attentiveness of virtual nodes");
}

/// Of all that loss_of reads; learned: coefficients of edges between nodes, and to virtual nodes, have a gradient.
inline kernels::NarrowGradients<double> drawn_gradients(const kernels::Frame<double>& f, bool learned, core::Rng& rng) {
  kernels::NarrowGradients<double> d(f);
  for (Numbers* const one : {&d.self, &d.from_row, &d.virtual_self, &d.own, &d.own_virtual})
    *one = numbers<double>(rng, static_cast<int64_t>(one->size()));
  if (!learned) return d;
  for (Numbers* const one : {&d.edge, &d.to_virtual}) *one = numbers<double>(rng, static_cast<int64_t>(one->size()));
  return d;
}

inline double loss_of(const kernels::LayerTape<double>& tape, const kernels::NarrowGradients<double>& d) {
  return dot(tape.s_edge, d.edge) + dot(tape.s_self, d.self) + dot(tape.s_to_virtual, d.to_virtual) +
         dot(tape.s_from_row, d.from_row) + dot(tape.s_virtual_self, d.virtual_self) + dot(tape.logits_by_task, d.own) +
         dot(tape.own_virtual, d.own_virtual);
}

}  // namespace dotin::testing
