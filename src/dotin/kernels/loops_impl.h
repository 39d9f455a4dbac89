// Included by one file per instruction set. Everything is in an unnamed namespace, and nothing from the standard
// library is instantiated: the linker must never pick code that was compiled for another machine.
#include <math.h>
#include <string.h>

#include "dotin/kernels/loops.h"

namespace dotin::kernels {

namespace {

inline double exponential(double x) { return ::exp(x); }
inline double square_root(double x) { return ::sqrt(x); }
inline float square_root(float x) { return ::sqrtf(x); }
inline double logarithm(double x) { return ::log(x); }
inline float logarithm(float x) { return ::logf(x); }

/// exp(x) of x <= 0 (and up to 88) with about 1 ulp, in a form that compilers turn into vector code: 2^n 2^f with |f|
/// <= 1/2.
inline float exponential(float x) {
  x = x < -87.0f ? -87.0f : x;
  const float shifted = x * 1.44269504f + 12582912.0f;  // its last bits are the nearest integer
  const float n = shifted - 12582912.0f;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;  // ln 2 in two parts
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  uint32_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits << 23) + 0x3f800000u;  // n as the exponent of 1
  float power;
  memcpy(&power, &bits, sizeof power);
  return p * power;
}

template <class Scalar>
inline Scalar positive_part(Scalar y) {
  return y < 0 ? Scalar(0) : y;  // in this order NaN stays NaN
}

/// Slope of ELU: exp(y) below 0, and exp(0) = 1 above it. The same expression without a branch.
template <class Scalar>
inline Scalar elu_slope(Scalar y) {
  return exponential(y < 0 ? y : Scalar(0));
}

template <class Scalar>
inline Scalar elu(Scalar y) {
  return positive_part(y) + (elu_slope(y) - 1);
}

template <class Scalar>
inline Scalar dot_of(const Scalar* __restrict x, const Scalar* __restrict y, int64_t width) {
  Scalar sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t c = 0; c < width; ++c) sum += x[c] * y[c];
  return sum;
}

template <class Scalar>
inline void add_scaled_to(Scalar a, const Scalar* __restrict x, Scalar* __restrict y, int64_t width) {
#pragma omp simd
  for (int64_t c = 0; c < width; ++c) y[c] += a * x[c];
}

/// Adds g d to dx and returns d . x, in one pass over x, d and dx.
template <class Scalar>
inline Scalar dot_and_add(const Scalar* __restrict d, const Scalar* __restrict x, Scalar g, Scalar* __restrict dx,
                          int64_t width) {
  Scalar sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t c = 0; c < width; ++c) {
    sum += d[c] * x[c];
    dx[c] += g * d[c];
  }
  return sum;
}

template <class Scalar>
void exponentials(Scalar* values, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) values[i] = exponential(values[i]);
}

template <class Scalar>
void edge_dots(const Scalar* q, const Scalar* p, int64_t width, const int32_t* code, const int32_t* row_offsets,
               const int32_t* columns, int32_t nodes, Scalar* out) {
  for (int32_t i = 0; i < nodes; ++i) {
    const Scalar* const query = q + static_cast<int64_t>(code != nullptr ? code[i] : i) * width;
    for (int32_t e = row_offsets[i]; e < row_offsets[i + 1]; ++e) {
      const int32_t j = columns[e];
      out[e] = dot_of(query, p + static_cast<int64_t>(code != nullptr ? code[j] : j) * width, width);
    }
  }
}

template <class Scalar>
void edge_dots_backward(const Scalar* d, const Scalar* q, const Scalar* p, int64_t width, const int32_t* code,
                        const int32_t* row_offsets, const int32_t* columns, int32_t nodes, Scalar* dq, Scalar* dp) {
  for (int32_t i = 0; i < nodes; ++i) {
    const int64_t own = code != nullptr ? code[i] : i;
    for (int32_t e = row_offsets[i]; e < row_offsets[i + 1]; ++e) {
      const int64_t j = code != nullptr ? code[columns[e]] : columns[e];
      add_scaled_to(d[e], p + j * width, dq + own * width, width);
      add_scaled_to(d[e], q + own * width, dp + j * width, width);
    }
  }
}

template <class Scalar>
void gather_rows(const RowCoefficients<Scalar>& s, const MixedRows<Scalar>& x, const int32_t* source, int32_t rows,
                 Scalar* out) {
  const int64_t width = x.width;
  const auto row_of = [&x](int32_t node) {
    return x.table + static_cast<int64_t>(x.code != nullptr ? x.code[node] : node) * x.width;
  };
  for (int32_t r = 0; r < rows; ++r) {
    const int32_t i = source[r];
    if (i < 0) continue;
    Scalar* __restrict const h = out + static_cast<int64_t>(r) * width;
    const Scalar* __restrict const own = row_of(i);
    const Scalar self = s.self[i];
#pragma omp simd
    for (int64_t c = 0; c < width; ++c) h[c] = self * own[c];
    for (int32_t e = s.row_offsets[i]; e < s.row_offsets[i + 1]; ++e)
      add_scaled_to(s.edge[e], row_of(s.columns[e]), h, width);
    for (int32_t k = 0; k < s.tasks; ++k) {
      add_scaled_to(s.to_virtual[i * s.tasks + k], x.virtual_table + static_cast<int64_t>(x.virtual_row[i] + k) * width,
                    h, width);
    }
  }
}

template <class Scalar>
void gather_rows_backward(const RowCoefficients<Scalar>& s, const MixedRows<Scalar>& x, const int32_t* source,
                          int32_t rows, const Scalar* d_out, Scalar* d_table, Scalar* d_virtual,
                          const RowCoefficientGradients<Scalar>& d_s) {
  const int64_t width = x.width;
  for (int32_t r = 0; r < rows; ++r) {
    const int32_t i = source[r];
    if (i < 0) continue;
    const Scalar* const d = d_out + static_cast<int64_t>(r) * width;
    const int64_t own = x.code != nullptr ? x.code[i] : i;
    d_s.self[i] = dot_and_add(d, x.table + own * width, s.self[i], d_table + own * width, width);
    for (int32_t e = s.row_offsets[i]; e < s.row_offsets[i + 1]; ++e) {
      const int64_t j = x.code != nullptr ? x.code[s.columns[e]] : s.columns[e];
      if (d_s.edge != nullptr) {
        d_s.edge[e] = dot_and_add(d, x.table + j * width, s.edge[e], d_table + j * width, width);
      } else {
        add_scaled_to(s.edge[e], d, d_table + j * width, width);
      }
    }
    for (int32_t k = 0; k < s.tasks; ++k) {
      const int64_t v = x.virtual_row[i] + k, entry = i * s.tasks + k;
      if (d_s.to_virtual != nullptr) {
        d_s.to_virtual[entry] =
            dot_and_add(d, x.virtual_table + v * width, s.to_virtual[entry], d_virtual + v * width, width);
      } else {
        add_scaled_to(s.to_virtual[entry], d, d_virtual + v * width, width);
      }
    }
  }
}

constexpr double kNormEpsilon = 1e-5;
constexpr int64_t kNormBlock = 8;

/// Mean and 1 / deviation of rows first to last (not included).
template <class Scalar>
inline void norms_of(const Scalar* z, int64_t first, int64_t last, int64_t width, Scalar* mean,
                     Scalar* inverse_deviation) {
  for (int64_t r = first; r < last; ++r) {
    const Scalar* __restrict const in = z + r * width;
    Scalar sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t c = 0; c < width; ++c) sum += in[c];
    const Scalar m = sum / static_cast<Scalar>(width);
    Scalar squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int64_t c = 0; c < width; ++c) squares += (in[c] - m) * (in[c] - m);
    mean[r] = m;
    inverse_deviation[r] =
        Scalar(1) / square_root(squares / static_cast<Scalar>(width) + static_cast<Scalar>(kNormEpsilon));
  }
}

template <class Scalar>
void norm_elu(const Scalar* z, int64_t rows, int64_t width, const Scalar* gamma, const Scalar* beta,
              const Dropout& dropout, const Scalar* gate, Scalar* mean, Scalar* inverse_deviation, Scalar* next) {
  for (int64_t r = 0; r < rows; ++r) {
    const Scalar* __restrict const in = z + r * width;
    Scalar* __restrict const out = next + r * width;
    const Scalar g = gate != nullptr ? gate[r] : Scalar(1);
    if (gamma != nullptr) {
      // A block of rows ahead: the sums of one row are a chain of additions, and those of the next need not wait for
      // it.
      if (r % kNormBlock == 0)
        norms_of(z, r, r + kNormBlock < rows ? r + kNormBlock : rows, width, mean, inverse_deviation);
      const Scalar m = mean[r], inverse = inverse_deviation[r];
#pragma omp simd
      for (int64_t c = 0; c < width; ++c) out[c] = g * elu((in[c] - m) * inverse * gamma[c] + beta[c]);
    } else {
#pragma omp simd
      for (int64_t c = 0; c < width; ++c) out[c] = g * elu(in[c]);
    }
    if (dropout.share > 0) {
      const auto columns = static_cast<int32_t>(width);
      const RowDropout<Scalar> row = dropout_of_row<Scalar>(dropout, r);
#pragma omp simd
      for (int32_t c = 0; c < columns; ++c) out[c] *= dropout_factor(row, static_cast<uint32_t>(c));
    }
  }
}

template <class Scalar>
void norm_elu_backward(const Scalar* z, int64_t rows, int64_t width, const Scalar* gamma, const Scalar* beta,
                       const Dropout& dropout, const Scalar* gate, const Scalar* mean, const Scalar* inverse_deviation,
                       const Scalar* d_next, Scalar* d_z, Scalar* __restrict d_gamma, Scalar* __restrict d_beta,
                       Scalar* d_gate) {
  for (int64_t r = 0; r < rows; ++r) {
    const Scalar* __restrict const in = z + r * width;
    const Scalar* __restrict const d = d_next + r * width;
    Scalar* __restrict const out = d_z + r * width;
    const Scalar m = gamma != nullptr ? mean[r] : Scalar(0);
    const Scalar inverse = gamma != nullptr ? inverse_deviation[r] : Scalar(1);
    const Scalar g = gate != nullptr ? gate[r] : Scalar(1);
    Scalar open = 0;  // d . (elu, dropped out), the gradient of the gate
    if (dropout.share > 0) {
      const auto columns = static_cast<int32_t>(width);
      const RowDropout<Scalar> row = dropout_of_row<Scalar>(dropout, r);
#pragma omp simd
      for (int32_t c = 0; c < columns; ++c) out[c] = d[c] * dropout_factor(row, static_cast<uint32_t>(c));
    } else {
#pragma omp simd
      for (int64_t c = 0; c < width; ++c) out[c] = d[c];
    }
    // Through the gate and ELU: out = d of the normalised, scaled value y.
    if (gamma != nullptr) {
      Scalar sum = 0, weighted = 0;
#pragma omp simd reduction(+ : sum, weighted, open)
      for (int64_t c = 0; c < width; ++c) {
        const Scalar normal = (in[c] - m) * inverse;
        const Scalar y = normal * gamma[c] + beta[c];
        const Scalar slope = elu_slope(y);
        open += out[c] * (positive_part(y) + (slope - 1));
        const Scalar dy = g * out[c] * slope;
        d_gamma[c] += dy * normal;
        d_beta[c] += dy;
        const Scalar dn = dy * gamma[c];
        out[c] = dn;
        sum += dn;
        weighted += dn * normal;
      }
      const Scalar mean_d = sum / static_cast<Scalar>(width), mean_w = weighted / static_cast<Scalar>(width);
#pragma omp simd
      for (int64_t c = 0; c < width; ++c) out[c] = inverse * (out[c] - mean_d - (in[c] - m) * inverse * mean_w);
    } else {
#pragma omp simd reduction(+ : open)
      for (int64_t c = 0; c < width; ++c) {
        const Scalar slope = elu_slope(in[c]);
        open += out[c] * (positive_part(in[c]) + (slope - 1));
        out[c] = g * out[c] * slope;
      }
    }
    if (d_gate != nullptr) d_gate[r] = open;
  }
}

template <class Scalar>
void softmax_rows(const Scalar* logits, int64_t rows, int64_t width, Scalar* share, Scalar* normaliser,
                  Scalar* entropy) {
  for (int64_t r = 0; r < rows; ++r) {
    const Scalar* __restrict const z = logits + r * width;
    Scalar* __restrict const s = share + r * width;
    Scalar largest = z[0];
#pragma omp simd reduction(max : largest)
    for (int64_t c = 1; c < width; ++c) largest = z[c] > largest ? z[c] : largest;
    Scalar sum = 0, weighted = 0;
#pragma omp simd reduction(+ : sum, weighted)
    for (int64_t c = 0; c < width; ++c) {
      const Scalar power = exponential(z[c] - largest);
      s[c] = power;
      sum += power;
      weighted += power * (z[c] - largest);
    }
    const Scalar inverse = 1 / sum, log_sum = logarithm(sum);
#pragma omp simd
    for (int64_t c = 0; c < width; ++c) s[c] *= inverse;
    normaliser[r] = largest + log_sum;
    entropy[r] = log_sum - weighted * inverse;  // log share = z - largest - log_sum: no logarithm of each
  }
}

template <class Scalar>
void softmax_rows_backward(const Scalar* logits, const Scalar* share, const Scalar* normaliser, const Scalar* entropy,
                           int64_t rows, int64_t width, const Scalar* d_entropy, Scalar* d) {
  for (int64_t r = 0; r < rows; ++r) {
    const Scalar* __restrict const z = logits + r * width;
    const Scalar* __restrict const s = share + r * width;
    Scalar* __restrict const out = d + r * width;
    const Scalar mean = dot_of(s, out, width);
    // d entropy / d z_c = -s_c (log s_c + entropy)
    const Scalar slope = d_entropy != nullptr ? d_entropy[r] : Scalar(0), shift = entropy[r] - normaliser[r];
#pragma omp simd
    for (int64_t c = 0; c < width; ++c) out[c] = s[c] * (out[c] - mean - slope * (z[c] + shift));
  }
}

template <class Scalar>
void adam(Scalar* __restrict parameters, Scalar* __restrict gradients, Scalar* __restrict first_moment,
          Scalar* __restrict second_moment, int64_t size, const AdamConstants<Scalar>& constants) {
  const AdamConstants<Scalar> a = constants;
#pragma omp simd
  for (int64_t i = 0; i < size; ++i) {
    const Scalar gradient = gradients[i] * a.scale + a.l2 * parameters[i];
    gradients[i] = 0;
    const Scalar m = a.beta1 * first_moment[i] + a.share1 * gradient;
    const Scalar v = a.beta2 * second_moment[i] + a.share2 * gradient * gradient;
    first_moment[i] = m;
    second_moment[i] = v;
    parameters[i] = a.shrink * parameters[i] - a.rate * m / (square_root(v) * a.correction + a.epsilon);
  }
}

template <class Scalar>
void add_scaled(Scalar a, const Scalar* x, Scalar* y, int64_t width) {
  add_scaled_to(a, x, y, width);
}

template <class Scalar>
Scalar dot(const Scalar* x, const Scalar* y, int64_t width) {
  return dot_of(x, y, width);
}

template <class Scalar>
double square_sum(const Scalar* values, int64_t size) {
  // Four sums at once, or each addition would wait for the one before; blocks, so that none becomes long.
  constexpr int64_t kQuarter = 1024;
  double sum = 0;
  int64_t at = 0;
  for (; at + 4 * kQuarter <= size; at += 4 * kQuarter) {
    const Scalar* const x = values + at;
    Scalar a = 0, b = 0, c = 0, d = 0;
#pragma omp simd reduction(+ : a, b, c, d)
    for (int64_t i = 0; i < kQuarter; ++i) {
      a += x[i] * x[i];
      b += x[i + kQuarter] * x[i + kQuarter];
      c += x[i + 2 * kQuarter] * x[i + 2 * kQuarter];
      d += x[i + 3 * kQuarter] * x[i + 3 * kQuarter];
    }
    sum += static_cast<double>(a + b + (c + d));
  }
  return sum + static_cast<double>(dot_of(values + at, values + at, size - at));
}

template <class Scalar>
constexpr Loops<Scalar> make_loops(const char* name) {
  return {name,
          exponentials<Scalar>,
          edge_dots<Scalar>,
          edge_dots_backward<Scalar>,
          gather_rows<Scalar>,
          gather_rows_backward<Scalar>,
          norm_elu<Scalar>,
          norm_elu_backward<Scalar>,
          softmax_rows<Scalar>,
          softmax_rows_backward<Scalar>,
          adam<Scalar>,
          add_scaled<Scalar>,
          dot<Scalar>,
          square_sum<Scalar>};
}

}  // namespace

}  // namespace dotin::kernels
