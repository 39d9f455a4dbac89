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

/// Multiplications below which threads are not worth their waking, and from which on BLAS shares rows by itself.
constexpr int64_t kLeastShared = 1'000'000, kLeastSharedByBlas = 16'000'000;
/// Rows or columns that a thread gets at least, in whole vectors of any machine.
constexpr int64_t kLeastShare = 32;

/// Threads to share the rows or columns of C among, whichever are more. Large products with many rows are left to BLAS.
/// With few rows it would have every thread read all of B, and the gradient of a matrix from few rows it computes on
/// one.
int64_t shares_of(int64_t m, int64_t n, int64_t k) {
  const int64_t work = m * n * k;
  if (work < kLeastShared || (m >= n && work >= kLeastSharedByBlas) || omp_in_parallel() != 0) return 1;
  return std::max<int64_t>(1, std::min<int64_t>(omp_get_max_threads(), std::max(m, n) / kLeastShare));
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
  // Rows first_row to last_row and columns first to last of C, not included.
  const auto block = [&](int64_t first_row, int64_t last_row, int64_t first, int64_t last) {
    if (first_row == last_row || first == last) return;
    call(blas_op(op_a), blas_op(op_b), static_cast<int>(last_row - first_row), static_cast<int>(last - first),
         static_cast<int>(k), alpha, a + first_row * (op_a == Op::plain ? k : 1), static_cast<int>(lda),
         b + first * (op_b == Op::plain ? 1 : k), static_cast<int>(ldb), beta, c + first_row * n + first,
         static_cast<int>(n));
  };
  if (const int64_t shares = shares_of(m, n, k); shares == 1) {
    const OneThread one(m * n * k < kLeastSharedByBlas);
    block(0, m, 0, n);
  } else {
    const int64_t longer = std::max(m, n), share = (longer / kLeastShare + shares - 1) / shares * kLeastShare;
#pragma omp parallel for schedule(static, 1) num_threads(shares)
    for (int64_t s = 0; s < shares; ++s) {
      const int64_t first = std::min(s * share, longer);
      const int64_t last = s + 1 == shares ? longer : std::min(first + share, longer);
      if (m > n) {
        block(first, last, 0, n);
      } else {
        block(0, m, first, last);
      }
    }
  }
  gemm_meter().flops += 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  gemm_meter().seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template void gemm<float>(Op, Op, int64_t, int64_t, int64_t, float, const float*, const float*, float, float*);
template void gemm<double>(Op, Op, int64_t, int64_t, int64_t, double, const double*, const double*, double, double*);

}  // namespace dotin::kernels
