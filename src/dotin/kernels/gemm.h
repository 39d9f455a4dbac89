// Dense matrix products, by BLAS. All matrices are row-major and contiguous.
#pragma once

#include <cstdint>

namespace dotin::kernels {

enum class Op { plain, transposed };

/// C [m, n] = alpha op(A) op(B) + beta C, with op(A) [m, k] and op(B) [k, n]. Sizes of 0 are fine (k = 0 scales C by
/// beta).
template <class Scalar>
void gemm(Op op_a, Op op_b, int64_t m, int64_t n, int64_t k, Scalar alpha, const Scalar* a, const Scalar* b,
          Scalar beta, Scalar* c);

/// What gemm did on this thread since the meter was last assigned; for benchmarks. Two looks at the clock per call.
struct GemmMeter {
  double flops = 0, seconds = 0;
};
GemmMeter& gemm_meter();

}  // namespace dotin::kernels
