#include "dotin/kernels/virtual_attention.h"

#include <algorithm>
#include <cmath>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/storage.h"

namespace dotin::kernels {

template <class Scalar>
void node_virtual_dots(const Level& level, const int32_t* code, bool shared, int64_t tasks, int64_t width,
                       const Scalar* rows, int64_t row_count, const Scalar* virtual_rows, Scalar* out) {
  const int64_t nodes = level.nodes();
  if (shared) {
    std::vector<Scalar> products(static_cast<std::size_t>(row_count * tasks));
    gemm(Op::plain, Op::transposed, row_count, tasks, width, Scalar(1), rows, virtual_rows, Scalar(0), products.data());
    for (int64_t i = 0; i < nodes; ++i)
      std::copy_n(products.data() + (code != nullptr ? code[i] : i) * tasks, tasks, out + i * tasks);
    return;
  }
  const Loops<Scalar>& loop = loops<Scalar>();
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) {
      const Scalar* const row = rows + (code != nullptr ? code[i] : i) * width;
      for (int64_t k = 0; k < tasks; ++k)
        out[i * tasks + k] = loop.dot(row, virtual_rows + (g * tasks + k) * width, width);
    }
  }
}

template <class Scalar>
void node_virtual_dots_backward(const Level& level, const int32_t* code, bool shared, int64_t tasks, int64_t width,
                                const Scalar* rows, int64_t row_count, const Scalar* virtual_rows, const Scalar* d_out,
                                Scalar* d_rows, Scalar* d_virtual) {
  const int64_t nodes = level.nodes();
  if (shared) {
    std::vector<double> exact_sums(static_cast<std::size_t>(row_count * tasks));
    for (int64_t i = 0; i < nodes; ++i) {
      for (int64_t k = 0; k < tasks; ++k)
        exact_sums[(code != nullptr ? code[i] : i) * tasks + k] += d_out[i * tasks + k];
    }
    const std::vector<Scalar> sums(exact_sums.begin(), exact_sums.end());
    gemm(Op::plain, Op::plain, row_count, width, tasks, Scalar(1), sums.data(), virtual_rows, Scalar(1), d_rows);
    gemm(Op::transposed, Op::plain, tasks, width, row_count, Scalar(1), sums.data(), rows, Scalar(1), d_virtual);
    return;
  }
  const Loops<Scalar>& loop = loops<Scalar>();
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) {
      const int64_t row = (code != nullptr ? code[i] : i) * width;
      for (int64_t k = 0; k < tasks; ++k) {
        const int64_t v = (g * tasks + k) * width;
        loop.add_scaled(d_out[i * tasks + k], virtual_rows + v, d_rows + row, width);
        loop.add_scaled(d_out[i * tasks + k], rows + row, d_virtual + v, width);
      }
    }
  }
}

template <class Scalar>
void softmax_virtual_rows(const Level& level, int64_t tasks, EdgeWeights mode, bool shared, const Scalar* self_logit,
                          std::vector<Scalar>& from_row, std::vector<Scalar>& self) {
  const int64_t graphs = level.graphs();
  const auto weighed = [mode](Scalar logit, double weight) {
    return mode == EdgeWeights::multiplicity ? logit + static_cast<Scalar>(std::log(weight))
                                             : logit * static_cast<Scalar>(weight);
  };
  size_to(self, graphs * tasks);
  for (int64_t g = 0; g < graphs; ++g) {
    const int64_t first = level.node_offsets[g], last = level.node_offsets[g + 1];
    for (int64_t k = 0; k < tasks; ++k) {
      Scalar& own = self[g * tasks + k];
      own = self_logit[(shared ? 0 : g * tasks) + k];
      if (level.weighted) own = weighed(own, level.virtual_self[g]);
      Scalar largest = own;
      for (int64_t i = first; i < last; ++i) {
        Scalar& logit = from_row[i * tasks + k];
        if (level.weighted) logit = weighed(logit, level.virtual_to_row[i]);
        largest = std::max(largest, logit);
      }
      own -= largest;
      for (int64_t i = first; i < last; ++i) from_row[i * tasks + k] -= largest;
    }
  }
  loops<Scalar>().exponentials(self.data(), graphs * tasks);
  loops<Scalar>().exponentials(from_row.data(), level.nodes() * tasks);
  for (int64_t g = 0; g < graphs; ++g) {
    for (int64_t k = 0; k < tasks; ++k) {
      double exact_sum = self[g * tasks + k];
      for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) exact_sum += from_row[i * tasks + k];
      const auto sum = static_cast<Scalar>(exact_sum);
      self[g * tasks + k] /= sum;
      for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) from_row[i * tasks + k] /= sum;
    }
  }
}

template <class Scalar>
void virtual_softmax(const Level& level, int64_t tasks, EdgeWeights mode, bool shared, const Scalar* qv,
                     const Scalar* pv, int64_t width, std::vector<Scalar>& from_row, std::vector<Scalar>& self) {
  const int64_t count = shared ? tasks : level.graphs() * tasks;
  std::vector<Scalar> self_logit(static_cast<std::size_t>(count));
  for (int64_t v = 0; v < count; ++v) self_logit[v] = loops<Scalar>().dot(qv + v * width, pv + v * width, width);
  softmax_virtual_rows(level, tasks, mode, shared, self_logit.data(), from_row, self);
}

template <class Scalar>
void virtual_softmax_backward(const Level& level, int64_t tasks, EdgeWeights mode,
                              const std::vector<Scalar>& s_from_row, const std::vector<Scalar>& s_self,
                              std::vector<Scalar>& d_from_row, std::vector<Scalar>& d_self) {
  const bool multiplied = level.weighted && mode == EdgeWeights::softmax;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    const int64_t first = level.node_offsets[g], last = level.node_offsets[g + 1];
    for (int64_t k = 0; k < tasks; ++k) {
      Scalar& own = d_self[g * tasks + k];
      double exact_mean = s_self[g * tasks + k] * own;
      for (int64_t i = first; i < last; ++i) exact_mean += s_from_row[i * tasks + k] * d_from_row[i * tasks + k];
      const auto mean = static_cast<Scalar>(exact_mean);
      own = s_self[g * tasks + k] * (own - mean);
      if (multiplied) own *= static_cast<Scalar>(level.virtual_self[g]);
      for (int64_t i = first; i < last; ++i) {
        Scalar& d = d_from_row[i * tasks + k];
        d = s_from_row[i * tasks + k] * (d - mean);
        if (multiplied) d *= static_cast<Scalar>(level.virtual_to_row[i]);
      }
    }
  }
}

#define DOTIN_INSTANTIATE(S)                                                                                           \
  template void node_virtual_dots<S>(const Level&, const int32_t*, bool, int64_t, int64_t, const S*, int64_t,          \
                                     const S*, S*);                                                                    \
  template void node_virtual_dots_backward<S>(const Level&, const int32_t*, bool, int64_t, int64_t, const S*, int64_t, \
                                              const S*, const S*, S*, S*);                                             \
  template void softmax_virtual_rows<S>(const Level&, int64_t, EdgeWeights, bool, const S*, std::vector<S>&,           \
                                        std::vector<S>&);                                                              \
  template void virtual_softmax<S>(const Level&, int64_t, EdgeWeights, bool, const S*, const S*, int64_t,              \
                                   std::vector<S>&, std::vector<S>&);                                                  \
  template void virtual_softmax_backward<S>(const Level&, int64_t, EdgeWeights, const std::vector<S>&,                 \
                                            const std::vector<S>&, std::vector<S>&, std::vector<S>&);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
