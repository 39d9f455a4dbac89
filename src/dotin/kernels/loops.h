// The loops that take the time: rows gathered over edges, normalisation, exponentials. One implementation
// (loops_impl.h), compiled once per instruction set and chosen at run time.
#pragma once

#include <cstdint>

#include "dotin/kernels/dropout.h"

namespace dotin::kernels {

/// Rows that are mixed: node i of a level is row code[i] of `table`, or row i where code is null. Virtual node k
/// of the graph of node i is row virtual_row[i] + k of `virtual_table`.
template <class Scalar>
struct MixedRows {
  const Scalar* table;
  const int32_t* code;
  const Scalar* virtual_table;
  const int32_t* virtual_row;
  int64_t width;
};

/// Coefficients of one level: one for each entry of a row.
template <class Scalar>
struct RowCoefficients {
  const int32_t* row_offsets;
  const int32_t* columns;
  const Scalar* edge;        // per entry
  const Scalar* self;        // per node
  const Scalar* to_virtual;  // nodes x tasks
  int32_t tasks;
};

/// edge and to_virtual null: not wanted.
template <class Scalar>
struct RowCoefficientGradients {
  Scalar* edge;
  Scalar* self;
  Scalar* to_virtual;
};

/// What one step of Adam does to every number.
template <class Scalar>
struct AdamConstants {
  Scalar beta1, share1, beta2, share2;
  Scalar scale, l2;  // of the gradient; parameter added to it
  Scalar shrink;     // of the parameter
  Scalar rate, correction, epsilon;
};

template <class Scalar>
struct Loops {
  const char* name;  // instruction set

  /// values[i] = exp(values[i]), of values up to 88.
  void (*exponentials)(Scalar* values, int64_t count);

  /// out[e] = q[code i] . p[code j] for every entry e = (i, j).
  void (*edge_dots)(const Scalar* q, const Scalar* p, int64_t width, const int32_t* code, const int32_t* row_offsets,
                    const int32_t* columns, int32_t nodes, Scalar* out);

  /// dq[code i] += d[e] p[code j], dp[code j] += d[e] q[code i].
  void (*edge_dots_backward)(const Scalar* d, const Scalar* q, const Scalar* p, int64_t width, const int32_t* code,
                             const int32_t* row_offsets, const int32_t* columns, int32_t nodes, Scalar* dq, Scalar* dp);

  /// out[r] = sum_j S_ij x_j + S_ii x_i + sum_k S_ik v_k for every r with i = source[r] >= 0; other rows are left
  /// alone.
  void (*gather_rows)(const RowCoefficients<Scalar>& s, const MixedRows<Scalar>& x, const int32_t* source, int32_t rows,
                      Scalar* out);

  /// The backward of gather_rows: adds to the gradients of table and virtual_table, sets those of the coefficients
  /// for the nodes in source.
  void (*gather_rows_backward)(const RowCoefficients<Scalar>& s, const MixedRows<Scalar>& x, const int32_t* source,
                               int32_t rows, const Scalar* d_out, Scalar* d_table, Scalar* d_virtual,
                               const RowCoefficientGradients<Scalar>& d_s);

  /// next = gate_r elu(norm(z)), after dropout; gamma null: no norm; gate (one value per row) may be null. Keeps mean
  /// and 1/deviation per row.
  void (*norm_elu)(const Scalar* z, int64_t rows, int64_t width, const Scalar* gamma, const Scalar* beta,
                   const Dropout& dropout, const Scalar* gate, Scalar* mean, Scalar* inverse_deviation, Scalar* next);

  /// d_z and d_gate (null where there is no gate) from d_next; adds to d_gamma and d_beta.
  void (*norm_elu_backward)(const Scalar* z, int64_t rows, int64_t width, const Scalar* gamma, const Scalar* beta,
                            const Dropout& dropout, const Scalar* gate, const Scalar* mean,
                            const Scalar* inverse_deviation, const Scalar* d_next, Scalar* d_z, Scalar* d_gamma,
                            Scalar* d_beta, Scalar* d_gate);

  /// share = softmax of each row of logits; its entropy -sum share log share, and normaliser = log sum exp logits.
  void (*softmax_rows)(const Scalar* logits, int64_t rows, int64_t width, Scalar* share, Scalar* normaliser,
                       Scalar* entropy);

  /// In place, d of the shares becomes that of the logits. d_entropy (one value per row) may be null.
  void (*softmax_rows_backward)(const Scalar* logits, const Scalar* share, const Scalar* normaliser,
                                const Scalar* entropy, int64_t rows, int64_t width, const Scalar* d_entropy, Scalar* d);

  /// One step of Adam, in place.
  void (*adam)(Scalar* parameters, Scalar* gradients, Scalar* first_moment, Scalar* second_moment, int64_t size,
               const AdamConstants<Scalar>& constants);

  /// y += a x
  void (*add_scaled)(Scalar a, const Scalar* x, Scalar* y, int64_t width);
  Scalar (*dot)(const Scalar* x, const Scalar* y, int64_t width);
  double (*square_sum)(const Scalar* values, int64_t size);
};

/// The best this machine can run, or those that the environment variable DOTIN_ISA names (baseline, avx2, avx512).
/// Throws core::UsageError where this machine cannot run them.
template <class Scalar>
const Loops<Scalar>& loops();

/// All that this machine can run, the plainest first; for tests.
template <class Scalar>
const Loops<Scalar>* const* all_loops(int* count);

}  // namespace dotin::kernels
