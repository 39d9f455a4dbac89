// Rows reduced graph by graph, against plain loops and central differences in double.
#include "dotin/kernels/segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dotin/core/random.h"
#include "kernels/gradient_check.h"
#include "kernels/loops_support.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

constexpr double kNotOurs = 77;  // in columns beyond the width

/// Graphs of so many rows each, with all that a reduction reads.
struct Batch {
  Batch(const std::vector<int64_t>& sizes, int64_t w, int64_t columns) : width(w), stride(columns), offsets{0} {
    for (const int64_t size : sizes) offsets.push_back(offsets.back() + size);
    core::Rng rng(static_cast<uint64_t>(100 * w + offsets.back()));
    rows = numbers<double>(rng, offsets.back() * width);
    queries = numbers<double>(rng, graphs() * width, 0.5);
    d_out = numbers<double>(rng, graphs() * stride);
  }

  int64_t graphs() const { return static_cast<int64_t>(offsets.size()) - 1; }
  Segments segments() const { return {offsets.data(), graphs()}; }

  /// A matrix [graphs, stride] with one(graph, column) in the columns that are reduced, kNotOurs in the others.
  template <class One>
  Numbers by_graph(const One& one) const {
    Numbers result(static_cast<std::size_t>(graphs() * stride), kNotOurs);
    for (int64_t g = 0; g < graphs(); ++g) {
      for (int64_t c = 0; c < width; ++c) result[g * stride + c] = one(g, c);
    }
    return result;
  }

  int64_t width, stride;
  std::vector<int64_t> offsets;
  Numbers rows, queries, d_out;
};

template <class Test>
void on_all_batches(int64_t more_columns, const Test& test) {
  for (const int64_t width : {1, 3, 7, 8, 9, 31, 33}) {
    for (const std::vector<int64_t>& sizes :
         std::vector<std::vector<int64_t>>{{}, {0}, {1}, {3, 0, 1}, {7, 8, 9}, {31, 0, 33}}) {
      SCOPED_TRACE(::testing::Message() << "width " << width << ", graphs " << ::testing::PrintToString(sizes));
      Batch batch(sizes, width, width + more_columns);
      test(batch);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

double dot_of_ours(const Batch& batch, const Numbers& out) {
  double sum = 0;
  for (int64_t g = 0; g < batch.graphs(); ++g) {
    for (int64_t i = g * batch.stride; i < g * batch.stride + batch.width; ++i) sum += batch.d_out[i] * out[i];
  }
  return sum;
}

TEST(Segments, SumsAndMeansAreOfTheGraphsOwnRowsAndLeaveOtherColumnsAlone) {
  for (const bool mean : {false, true}) {
    on_all_batches(2, [mean](Batch& batch) {
      const auto forward = [&] {
        Numbers out(batch.d_out.size(), kNotOurs);
        segment_sums(batch.segments(), batch.rows.data(), batch.width, mean, out.data(), batch.stride);
        return out;
      };
      const Numbers expected = batch.by_graph([&](int64_t g, int64_t c) {
        double sum = 0;
        for (int64_t i = batch.offsets[g]; i < batch.offsets[g + 1]; ++i) sum += batch.rows[i * batch.width + c];
        const int64_t count = batch.offsets[g + 1] - batch.offsets[g];
        return mean && count > 0 ? sum / static_cast<double>(count) : sum;
      });
      expect_close(forward(), expected, mean ? "means" : "sums");

      Numbers d_rows = begun(batch.rows.size());
      segment_sums_backward(batch.segments(), batch.width, mean, batch.d_out.data(), batch.stride, d_rows.data());
      EXPECT_TRUE(gradient_agrees("rows", batch.rows, added(d_rows), [&] { return dot_of_ours(batch, forward()); }));
    });
  }
}

TEST(Segments, MaximaAreThoseOfEachColumnAndPassTheirGradientToTheLargestRow) {
  on_all_batches(1, [](Batch& batch) {
    // No two are equal, nor nearly: there the maximum has no derivative.
    core::Rng rng(5);
    for (std::size_t i = 0; i < batch.rows.size(); ++i) batch.rows[i] = 0.01 * static_cast<double>(i) - 3;
    rng.shuffle(batch.rows);
    const auto forward = [&] {
      Numbers out(batch.d_out.size(), kNotOurs);
      segment_max(batch.segments(), batch.rows.data(), batch.width, out.data(), batch.stride);
      return out;
    };
    const Numbers out = forward();
    expect_close(out, batch.by_graph([&](int64_t g, int64_t c) {
      double largest = batch.offsets[g] == batch.offsets[g + 1] ? 0 : -INFINITY;
      for (int64_t i = batch.offsets[g]; i < batch.offsets[g + 1]; ++i)
        largest = std::max(largest, batch.rows[i * batch.width + c]);
      return largest;
    }),
                 "maxima");

    Numbers d_rows = begun(batch.rows.size());
    segment_max_backward(batch.segments(), batch.rows.data(), batch.width, out.data(), batch.d_out.data(), batch.stride,
                         d_rows.data());
    EXPECT_TRUE(gradient_agrees("rows", batch.rows, added(d_rows), [&] { return dot_of_ours(batch, forward()); }));
  });
}

TEST(Segments, EqualLargestValuesShareTheGradient) {
  const std::vector<int64_t> offsets = {0, 4, 6};
  const Numbers rows = {2, -1, 5, -1, 5, -3, 5, -1, /* */ 0, 4, 0, 3}, d_out = {6, 9, 8, 7};
  Numbers out = unset(4), d_rows = begun(rows.size());
  segment_max({offsets.data(), 2}, rows.data(), 2, out.data(), 2);
  segment_max_backward({offsets.data(), 2}, rows.data(), 2, out.data(), d_out.data(), 2, d_rows.data());
  EXPECT_EQ(out, (Numbers{5, -1, 0, 4}));
  EXPECT_EQ(added(d_rows), (Numbers{0, 3, 2, 3, 2, 0, 2, 3, /* */ 4, 7, 4, 0}));
}

TEST(Segments, AttentionIsTheSoftmaxOfEachGraphsRowsWithGradientsOfRowsAndQueries) {
  on_all_batches(0, [](Batch& batch) {
    Numbers share;
    const auto forward = [&] {
      share = unset(static_cast<std::size_t>(batch.offsets.back()));
      Numbers out = unset(batch.d_out.size());
      segment_attention(batch.segments(), batch.rows.data(), batch.queries.data(), batch.width, share.data(),
                        out.data());
      return out;
    };
    Numbers expected(batch.d_out.size()), shares(static_cast<std::size_t>(batch.offsets.back()));
    for (int64_t g = 0; g < batch.graphs(); ++g) {
      double sum = 0;
      for (int64_t i = batch.offsets[g]; i < batch.offsets[g + 1]; ++i) {
        double logit = 0;
        for (int64_t c = 0; c < batch.width; ++c)
          logit += batch.rows[i * batch.width + c] * batch.queries[g * batch.width + c];
        sum += shares[i] = std::exp(logit);
      }
      for (int64_t i = batch.offsets[g]; i < batch.offsets[g + 1]; ++i) {
        shares[i] /= sum;
        for (int64_t c = 0; c < batch.width; ++c)
          expected[g * batch.width + c] += shares[i] * batch.rows[i * batch.width + c];
      }
    }
    expect_close(forward(), expected, "read");
    expect_close(share, shares, "share");

    Numbers d_rows = begun(batch.rows.size()), d_queries = begun(batch.queries.size());
    segment_attention_backward(batch.segments(), batch.rows.data(), batch.queries.data(), batch.width, share.data(),
                               batch.d_out.data(), d_rows.data(), d_queries.data());
    const auto loss = [&] { return dot(batch.d_out, forward()); };
    EXPECT_TRUE(gradient_agrees("rows", batch.rows, added(d_rows), loss));
    EXPECT_TRUE(gradient_agrees("queries", batch.queries, added(d_queries), loss));
  });
}

TEST(Segments, AttentionTakesLogitsBeyondTheRangeOfAnExponential) {
  const std::vector<int64_t> offsets = {0, 3};
  const Numbers rows = {-2000, 1000, 1000}, query = {1};
  Numbers share = unset(3), out = unset(1);
  segment_attention({offsets.data(), 1}, rows.data(), query.data(), 1, share.data(), out.data());
  EXPECT_EQ(share, (Numbers{0, 0.5, 0.5}));
  EXPECT_EQ(out, (Numbers{1000}));
}

}  // namespace
}  // namespace dotin::kernels
