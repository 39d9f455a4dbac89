// Products and softmax between the raw nodes of a graph and its virtual nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/kernels/level.h"

namespace dotin::kernels {

/// out[i * tasks + k] = rows[code i] . virtual_rows[base + k], with base = 0 where the virtual rows are shared, else
/// graph * tasks.
template <class Scalar>
void node_virtual_dots(const Level& level, const int32_t* code, bool shared, int64_t tasks, int64_t width,
                       const Scalar* rows, int64_t row_count, const Scalar* virtual_rows, Scalar* out);

/// Adds to d_rows and d_virtual.
template <class Scalar>
void node_virtual_dots_backward(const Level& level, const int32_t* code, bool shared, int64_t tasks, int64_t width,
                                const Scalar* rows, int64_t row_count, const Scalar* virtual_rows, const Scalar* d_out,
                                Scalar* d_rows, Scalar* d_virtual);

/// Softmax of each virtual row over the raw nodes of its graph and itself. from_row [nodes, tasks] holds the logits q_g
/// . p_i and becomes S; self [graphs, tasks] is set to S of the self-loop, whose logit is self_logit (by virtual row).
template <class Scalar>
void softmax_virtual_rows(const Level& level, int64_t tasks, EdgeWeights mode, bool shared, const Scalar* self_logit,
                          std::vector<Scalar>& from_row, std::vector<Scalar>& self);

/// The same with self_logit = qv . pv of each virtual row.
template <class Scalar>
void virtual_softmax(const Level& level, int64_t tasks, EdgeWeights mode, bool shared, const Scalar* qv,
                     const Scalar* pv, int64_t width, std::vector<Scalar>& from_row, std::vector<Scalar>& self);

/// Turns the gradients of S into those of the logits, in place.
template <class Scalar>
void virtual_softmax_backward(const Level& level, int64_t tasks, EdgeWeights mode,
                              const std::vector<Scalar>& s_from_row, const std::vector<Scalar>& s_self,
                              std::vector<Scalar>& d_from_row, std::vector<Scalar>& d_self);

}  // namespace dotin::kernels
