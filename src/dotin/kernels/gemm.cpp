#include "dotin/kernels/gemm.h"

#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <chrono>

namespace dotin::kernels {

namespace {

CBLAS_TRANSPOSE blas_op(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }

void call(CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n, int k, float alpha, const float* a, int lda,
          const float* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void call(CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n, int k, double alpha, const double* a, int lda,
          const double* b, int ldb, double beta, double* c, int ldc) {
  cblas_dgemm(CblasRowMajor, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// Multiplications below which threads are not worth their waking, where columns are shared and where BLAS shares rows.
constexpr int64_t kLeastShared = 4'000'000, kLeastSharedByBlas = 16'000'000;
/// Columns that a thread gets at least, in whole vectors of any machine.
constexpr int64_t kLeastColumns = 32;

/// Threads to share the columns of C among. BLAS shares rows, which suits products with many of them: with few, every
/// thread has to read all of B.
int64_t column_shares(int64_t m, int64_t n, int64_t k) {
  if (m >= n || m * n * k < kLeastShared || omp_in_parallel() != 0) return 1;
  return std::max<int64_t>(1, std::min<int64_t>(omp_get_max_threads(), n / kLeastColumns));
}

/// While it is there, BLAS computes on the calling thread alone.
class OneThread {
 public:
  explicit OneThread(bool wanted) : before_(wanted ? omp_get_max_threads() : 1) {
    if (before_ > 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ > 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace

GemmMeter& gemm_meter() {
  thread_local GemmMeter meter;
  return meter;
}

template <class Scalar>
void gemm(Op op_a, Op op_b, int64_t m, int64_t n, int64_t k, Scalar alpha, const Scalar* a, const Scalar* b,
          Scalar beta, Scalar* c) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (int64_t i = 0; i < m * n; ++i) c[i] = beta == 0 ? Scalar(0) : beta * c[i];
    return;
  }
  const int64_t lda = op_a == Op::plain ? k : m;
  const int64_t ldb = op_b == Op::plain ? n : k;
  const auto start = std::chrono::steady_clock::now();
  const auto columns = [&](int64_t first, int64_t last) {
    call(blas_op(op_a), blas_op(op_b), static_cast<int>(m), static_cast<int>(last - first), static_cast<int>(k), alpha,
         a, static_cast<int>(lda), b + first * (op_b == Op::plain ? 1 : k), static_cast<int>(ldb), beta, c + first,
         static_cast<int>(n));
  };
  if (const int64_t shares = column_shares(m, n, k); shares == 1) {
    const OneThread one(m * n * k < kLeastSharedByBlas);
    columns(0, n);
  } else {
    const int64_t share = (n / kLeastColumns + shares - 1) / shares * kLeastColumns;
#pragma omp parallel for schedule(static, 1) num_threads(shares)
    for (int64_t s = 0; s < shares; ++s)
      columns(std::min(s * share, n), s + 1 == shares ? n : std::min((s + 1) * share, n));
  }
  gemm_meter().flops += 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  gemm_meter().seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template void gemm<float>(Op, Op, int64_t, int64_t, int64_t, float, const float*, const float*, float, float*);
template void gemm<double>(Op, Op, int64_t, int64_t, int64_t, double, const double*, const double*, double, double*);

}  // namespace dotin::kernels
