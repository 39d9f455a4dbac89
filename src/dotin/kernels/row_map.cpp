#include "dotin/kernels/row_map.h"

#include <algorithm>
#include <utility>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/storage.h"

namespace dotin::kernels {

namespace {

template <class Scalar>
const Scalar* first_bias(const LayerWeights<Scalar>& weights) {
  return weights.inner != nullptr ? weights.inner_bias : weights.bias;
}

/// out [rows, out_width] = bias + in [rows, in_width] map^T.
template <class Scalar>
void affine(int64_t rows, int64_t out_width, int64_t in_width, const Scalar* in, const Scalar* map, const Scalar* bias,
            std::vector<Scalar>& out) {
  size_to(out, rows * out_width);
  for (int64_t r = 0; r < rows; ++r) std::copy_n(bias, out_width, out.data() + r * out_width);
  gemm(Op::plain, Op::transposed, rows, out_width, in_width, Scalar(1), in, map, Scalar(1), out.data());
}

/// In blocks: of thousands of rows, added one by one to a sum that is large already, each would lose digits.
template <class Scalar>
void add_rows(int64_t rows, int64_t width, const std::vector<Scalar>& values, Scalar* sum) {
  constexpr int64_t kBlock = 64;
  std::vector<Scalar> block(static_cast<std::size_t>(width));
  for (int64_t first = 0; first < rows; first += kBlock) {
    std::fill(block.begin(), block.end(), Scalar(0));
    for (int64_t r = first; r < std::min(first + kBlock, rows); ++r)
      loops<Scalar>().add_scaled(1, values.data() + r * width, block.data(), width);
    loops<Scalar>().add_scaled(1, block.data(), sum, width);
  }
}

}  // namespace

template <class Scalar>
void map_mixed(int64_t rows, int64_t d, int64_t w, const LayerWeights<Scalar>& weights, const Scalar* mixed,
               const Scalar* inputs, std::vector<Scalar>& out) {
  affine(rows, d, w, mixed, first_map(weights), first_bias(weights), out);
  if (weights.self == nullptr) return;
  gemm(Op::plain, Op::transposed, rows, d, w, Scalar(1), inputs, weights.self, Scalar(1), out.data());
}

template <class Scalar>
void map_mixed_backward(int64_t rows, int64_t d, int64_t w, const LayerWeights<Scalar>& weights, const Scalar* mixed,
                        const Scalar* inputs, std::vector<Scalar> d_out_rows, const LayerGradients<Scalar>& gradients,
                        Scalar* d_mixed, Scalar* d_inputs) {
  const Scalar* const d_out = gradients.later->hold(std::move(d_out_rows));
  gradients.later->add(d, w, rows, 1, d_out, mixed, first_map(gradients));
  gemm(Op::plain, Op::plain, rows, w, d, Scalar(1), d_out, first_map(weights), Scalar(0), d_mixed);
  if (weights.self == nullptr) return;
  gradients.later->add(d, w, rows, 1, d_out, inputs, gradients.self);
  gemm(Op::plain, Op::plain, rows, w, d, Scalar(1), d_out, weights.self, Scalar(1), d_inputs);
}

template <class Scalar>
void add_first_bias(int64_t rows, int64_t d, const LayerWeights<Scalar>& weights, std::vector<Scalar>& z) {
  for (int64_t r = 0; r < rows; ++r) loops<Scalar>().add_scaled(1, first_bias(weights), z.data() + r * d, d);
}

template <class Scalar>
void finish_map(int64_t rows, int64_t d, const LayerWeights<Scalar>& weights, InnerTape<Scalar>& tape,
                std::vector<Scalar>& z) {
  if (weights.inner == nullptr) return;
  tape.before.swap(z);
  size_to(tape.after, rows * d);
  loops<Scalar>().norm_elu(tape.before.data(), rows, d, nullptr, nullptr, {}, nullptr, nullptr, nullptr,
                           tape.after.data());
  affine(rows, d, d, tape.after.data(), weights.linear, weights.bias, z);
}

template <class Scalar>
void finish_map_backward(int64_t rows, int64_t d, const LayerWeights<Scalar>& weights, const InnerTape<Scalar>& tape,
                         const LayerGradients<Scalar>& gradients, std::vector<Scalar>& dz) {
  add_rows(rows, d, dz, gradients.bias);
  if (weights.inner == nullptr) return;
  const Scalar* const d_out = gradients.later->hold(dz);
  gradients.later->add(d, d, rows, 1, d_out, tape.after.data(), gradients.linear);
  std::vector<Scalar> d_after(dz.size());
  gemm(Op::plain, Op::plain, rows, d, d, Scalar(1), d_out, weights.linear, Scalar(0), d_after.data());
  loops<Scalar>().norm_elu_backward(tape.before.data(), rows, d, nullptr, nullptr, {}, nullptr, nullptr, nullptr,
                                    d_after.data(), dz.data(), nullptr, nullptr, nullptr);
  add_rows(rows, d, dz, gradients.inner_bias);
}

#define DOTIN_INSTANTIATE(S)                                                                                          \
  template void map_mixed<S>(int64_t, int64_t, int64_t, const LayerWeights<S>&, const S*, const S*, std::vector<S>&); \
  template void map_mixed_backward<S>(int64_t, int64_t, int64_t, const LayerWeights<S>&, const S*, const S*,          \
                                      std::vector<S>, const LayerGradients<S>&, S*, S*);                              \
  template void add_first_bias<S>(int64_t, int64_t, const LayerWeights<S>&, std::vector<S>&);                         \
  template void finish_map<S>(int64_t, int64_t, const LayerWeights<S>&, InnerTape<S>&, std::vector<S>&);              \
  template void finish_map_backward<S>(int64_t, int64_t, const LayerWeights<S>&, const InnerTape<S>&,                 \
                                       const LayerGradients<S>&, std::vector<S>&);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
