// What the forward and the backward pass of a fused layer share. Internal to kernels/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dotin/kernels/fused_layer.h"
#include "dotin/kernels/loops.h"

namespace dotin::kernels {

/// Sizes and addresses that every step of a layer needs.
template <class Scalar>
struct Frame {
  Frame(const LayerSettings& settings, const LayerRows<Scalar>& layer_rows, const Level& layer_level)
      : level(layer_level),
        rows(layer_rows),
        d(settings.hidden),
        w(layer_rows.width),
        a(settings.attention),
        k(settings.tasks),
        graphs(layer_level.graphs()),
        nodes(layer_level.nodes()),
        edges(layer_level.edges()),
        virtual_count(layer_rows.virtual_count) {}

  int64_t row_of(int64_t node) const { return rows.code != nullptr ? rows.code[node] : node; }
  int64_t virtual_base(int64_t graph) const { return rows.shared_virtual ? 0 : graph * k; }

  const Level& level;
  const LayerRows<Scalar>& rows;
  int64_t d, w, a, k, graphs, nodes, edges, virtual_count;
};

template <class Scalar>
std::vector<Scalar> zeros(int64_t size) {
  return std::vector<Scalar>(static_cast<std::size_t>(size), Scalar(0));
}

/// Gradients of everything between the wide arrays and what the coefficients come from.
template <class Scalar>
struct NarrowGradients {
  explicit NarrowGradients(const Frame<Scalar>& f)
      : edge(zeros<Scalar>(f.edges)),
        self(zeros<Scalar>(f.nodes)),
        to_virtual(zeros<Scalar>(f.nodes * f.k)),
        from_row(zeros<Scalar>(f.nodes * f.k)),
        virtual_self(zeros<Scalar>(f.graphs * f.k)),
        tanh(zeros<Scalar>(f.nodes)),
        lambda(zeros<Scalar>(f.nodes)),
        logits(zeros<Scalar>(f.nodes)),
        own(zeros<Scalar>(f.nodes * f.k)),
        own_virtual(zeros<Scalar>(f.virtual_count * f.k)) {}

  std::vector<Scalar> edge, self, to_virtual, from_row, virtual_self;  // of the coefficients
  std::vector<Scalar> tanh, lambda, logits;                            // per node
  std::vector<Scalar> own, own_virtual;                                // attentiveness of nodes and virtual rows, x K
};

template <class Scalar>
int64_t rows_that_leave(const Frame<Scalar>& f, const LayerTape<Scalar>& tape) {
  return f.graphs * f.k + static_cast<int64_t>(tape.map.source.size());
}

/// Whether any row that leaves sums over all nodes of its graph: those of virtual nodes, and merged ones.
template <class Scalar>
bool has_wide_rows(const Frame<Scalar>& f, const LayerTape<Scalar>& tape) {
  return f.k > 0 || std::any_of(tape.map.merged.begin(), tape.map.merged.end(), [](int32_t node) { return node >= 0; });
}

/// Whether each row's own input is wanted as a matrix: for sage's map of it, or for the residual of rows on a basis.
template <class Scalar>
bool writes_inputs(const Frame<Scalar>& f, const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                   const RowProducts<Scalar>& products) {
  return (weights.self != nullptr && !products.table_first) || (settings.residual && f.rows.basis != nullptr);
}

/// The rows that are mixed: those of the table, or those that the linear map made of them.
template <class Scalar>
MixedRows<Scalar> mixed_rows(const Frame<Scalar>& f, const RowProducts<Scalar>& products,
                             const LayerTape<Scalar>& tape) {
  const Scalar* const all = products.table_first ? products.transformed.data() : f.rows.all;
  const int64_t width = products.table_first ? f.d : f.w;
  return {all + f.virtual_count * width, f.rows.code, all, tape.virtual_row.data(), width};
}

template <class Scalar>
RowCoefficients<Scalar> coefficients(const Frame<Scalar>& f, const LayerTape<Scalar>& tape) {
  return {f.level.row_offsets.data(), f.level.columns.data(),   tape.s_edge.data(),
          tape.s_self.data(),         tape.s_to_virtual.data(), static_cast<int32_t>(f.k)};
}

}  // namespace dotin::kernels
