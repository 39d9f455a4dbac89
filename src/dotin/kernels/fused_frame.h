// What the forward and the backward pass of a fused layer share. Internal to kernels/.
#pragma once

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

/// The rows that attention mixes: those of the table, or those that the linear map made of them.
template <class Scalar>
MixedRows<Scalar> mixed_rows(const Frame<Scalar>& f, const LayerTape<Scalar>& tape) {
  const Scalar* const all = tape.table_first ? tape.transformed.data() : f.rows.all;
  const int64_t width = tape.table_first ? f.d : f.w;
  return {all + f.virtual_count * width, f.rows.code, all, tape.virtual_row.data(), width};
}

template <class Scalar>
RowCoefficients<Scalar> coefficients(const Frame<Scalar>& f, const LayerTape<Scalar>& tape) {
  return {f.level.row_offsets.data(), f.level.columns.data(),   tape.s_edge.data(),
          tape.s_self.data(),         tape.s_to_virtual.data(), static_cast<int32_t>(f.k)};
}

}  // namespace dotin::kernels
