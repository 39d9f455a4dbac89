#include "dotin/kernels/segments.h"

#include <algorithm>
#include <vector>

#include "dotin/kernels/loops.h"

namespace dotin::kernels {

namespace {

template <class Scalar>
Scalar share_of(const Segments& segments, int64_t graph, bool mean) {
  const int64_t rows = segments.offsets[graph + 1] - segments.offsets[graph];
  return mean && rows > 0 ? Scalar(1) / static_cast<Scalar>(rows) : Scalar(1);
}

}  // namespace

template <class Scalar>
void segment_sums(const Segments& segments, const Scalar* rows, int64_t width, bool mean, Scalar* out, int64_t stride) {
  for (int64_t g = 0; g < segments.graphs; ++g) {
    Scalar* const sum = out + g * stride;
    std::fill_n(sum, width, Scalar(0));
    for (int64_t i = segments.offsets[g]; i < segments.offsets[g + 1]; ++i)
      loops<Scalar>().add_scaled(1, rows + i * width, sum, width);
    const Scalar share = share_of<Scalar>(segments, g, mean);
    std::transform(sum, sum + width, sum, [share](Scalar value) { return share * value; });
  }
}

template <class Scalar>
void segment_sums_backward(const Segments& segments, int64_t width, bool mean, const Scalar* d_out, int64_t stride,
                           Scalar* d_rows) {
  for (int64_t g = 0; g < segments.graphs; ++g) {
    const Scalar share = share_of<Scalar>(segments, g, mean);
    for (int64_t i = segments.offsets[g]; i < segments.offsets[g + 1]; ++i)
      loops<Scalar>().add_scaled(share, d_out + g * stride, d_rows + i * width, width);
  }
}

template <class Scalar>
void segment_max(const Segments& segments, const Scalar* rows, int64_t width, Scalar* out, int64_t stride) {
  for (int64_t g = 0; g < segments.graphs; ++g) {
    const int64_t first = segments.offsets[g], last = segments.offsets[g + 1];
    Scalar* const largest = out + g * stride;
    if (first == last) {
      std::fill_n(largest, width, Scalar(0));
      continue;
    }
    std::copy_n(rows + first * width, width, largest);
    for (int64_t i = first + 1; i < last; ++i) {
      const Scalar* const row = rows + i * width;
      for (int64_t c = 0; c < width; ++c) largest[c] = row[c] > largest[c] ? row[c] : largest[c];
    }
  }
}

template <class Scalar>
void segment_max_backward(const Segments& segments, const Scalar* rows, int64_t width, const Scalar* out,
                          const Scalar* d_out, int64_t stride, Scalar* d_rows) {
  std::vector<Scalar> share(static_cast<std::size_t>(width));
  for (int64_t g = 0; g < segments.graphs; ++g) {
    const Scalar *const largest = out + g * stride, *const d = d_out + g * stride;
    std::fill(share.begin(), share.end(), Scalar(0));
    for (int64_t i = segments.offsets[g]; i < segments.offsets[g + 1]; ++i) {
      const Scalar* const row = rows + i * width;
      for (int64_t c = 0; c < width; ++c) share[c] += row[c] == largest[c] ? Scalar(1) : Scalar(0);
    }
    for (int64_t c = 0; c < width; ++c) share[c] = d[c] / share[c];
    for (int64_t i = segments.offsets[g]; i < segments.offsets[g + 1]; ++i) {
      const Scalar* const row = rows + i * width;
      Scalar* const d_row = d_rows + i * width;
      for (int64_t c = 0; c < width; ++c) d_row[c] += row[c] == largest[c] ? share[c] : Scalar(0);
    }
  }
}

template <class Scalar>
void segment_attention(const Segments& segments, const Scalar* rows, const Scalar* queries, int64_t width,
                       Scalar* share, Scalar* out) {
  const Loops<Scalar>& loop = loops<Scalar>();
  for (int64_t g = 0; g < segments.graphs; ++g) {
    const int64_t first = segments.offsets[g], last = segments.offsets[g + 1];
    Scalar* const read = out + g * width;
    std::fill_n(read, width, Scalar(0));
    if (first == last) continue;
    for (int64_t i = first; i < last; ++i) share[i] = loop.dot(rows + i * width, queries + g * width, width);
    const Scalar largest = *std::max_element(share + first, share + last);
    for (int64_t i = first; i < last; ++i) share[i] -= largest;
    loop.exponentials(share + first, last - first);
    Scalar sum = 0;
    for (int64_t i = first; i < last; ++i) sum += share[i];
    for (int64_t i = first; i < last; ++i) {
      share[i] /= sum;
      loop.add_scaled(share[i], rows + i * width, read, width);
    }
  }
}

template <class Scalar>
void segment_attention_backward(const Segments& segments, const Scalar* rows, const Scalar* queries, int64_t width,
                                const Scalar* share, const Scalar* d_out, Scalar* d_rows, Scalar* d_queries) {
  const Loops<Scalar>& loop = loops<Scalar>();
  std::vector<Scalar> d_share;
  for (int64_t g = 0; g < segments.graphs; ++g) {
    const int64_t first = segments.offsets[g], last = segments.offsets[g + 1];
    const Scalar *const d = d_out + g * width, *const query = queries + g * width;
    d_share.resize(static_cast<std::size_t>(last - first));
    Scalar mean = 0;
    for (int64_t i = first; i < last; ++i) {
      d_share[i - first] = loop.dot(d, rows + i * width, width);
      mean += share[i] * d_share[i - first];
    }
    for (int64_t i = first; i < last; ++i) {
      const Scalar d_logit = share[i] * (d_share[i - first] - mean);
      loop.add_scaled(share[i], d, d_rows + i * width, width);
      loop.add_scaled(d_logit, query, d_rows + i * width, width);
      loop.add_scaled(d_logit, rows + i * width, d_queries + g * width, width);
    }
  }
}

#define DOTIN_INSTANTIATE(S)                                                                                  \
  template void segment_sums<S>(const Segments&, const S*, int64_t, bool, S*, int64_t);                       \
  template void segment_sums_backward<S>(const Segments&, int64_t, bool, const S*, int64_t, S*);              \
  template void segment_max<S>(const Segments&, const S*, int64_t, S*, int64_t);                              \
  template void segment_max_backward<S>(const Segments&, const S*, int64_t, const S*, const S*, int64_t, S*); \
  template void segment_attention<S>(const Segments&, const S*, const S*, int64_t, S*, S*);                   \
  template void segment_attention_backward<S>(const Segments&, const S*, const S*, int64_t, const S*, const S*, S*, S*);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
