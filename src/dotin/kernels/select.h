// Which nodes of a graph leave: the ones with the lowest attentiveness.
#pragma once

#include <cstdint>

namespace dotin::kernels {

/// floor(nodes * drop_ratio), never so many that no node is left. 0 for a graph without nodes.
int64_t drop_count(int64_t nodes, double drop_ratio);

/// Sets keep[i] to 0 for the `drops` nodes with the lowest logits and to 1 for the others. Logits closer than 1e-6 of
/// the largest magnitude among them count as equal (chained in sorted order, so float noise decides nothing); of equal
/// ones the lower index is kept. Expects 0 <= drops < nodes, or nodes == 0. A NaN counts as the lowest value of all.
template <class Scalar>
void select_nodes(const Scalar* logits, int64_t nodes, int64_t drops, uint8_t* keep);

}  // namespace dotin::kernels
