// Rows that mix all nodes of a graph, against a plain loop and central differences in double.
#include "dotin/kernels/wide_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "dotin/core/random.h"
#include "kernels/gradient_check.h"
#include "kernels/level_support.h"
#include "kernels/loops_support.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

Numbers plain_wide_rows(const Level& level, const NodeRows<double>& x, int64_t count, const Numbers& coefficients) {
  Numbers out(static_cast<std::size_t>(level.graphs() * count * x.width));
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) {
      const int64_t row = x.code != nullptr ? x.code[i] : i;
      for (int64_t r = 0; r < count; ++r) {
        for (int64_t c = 0; c < x.width; ++c)
          out[(g * count + r) * x.width + c] += coefficients[i * count + r] * x.table[row * x.width + c];
      }
    }
  }
  return out;
}

/// table_rows 0: every node has a row of its own.
void check_wide_rows(const Level& level, int64_t count, int64_t width, int64_t table_rows) {
  SCOPED_TRACE(::testing::Message() << "count " << count << ", width " << width << ", table rows " << table_rows);
  core::Rng rng(static_cast<uint64_t>(count + 10 * width));
  std::vector<int32_t> code;
  for (int32_t i = 0; i < level.nodes() && table_rows > 0; ++i)
    code.push_back(static_cast<int32_t>(rng.below(table_rows)));
  const int64_t rows = table_rows > 0 ? table_rows : level.nodes();
  Numbers table = numbers<double>(rng, rows * width);
  Numbers coefficients = numbers<double>(rng, level.nodes() * count);
  const Numbers d_out = numbers<double>(rng, level.graphs() * count * width);
  const NodeRows<double> x = {table.data(), rows, table_rows > 0 ? code.data() : nullptr, width};

  const auto forward = [&] {
    Numbers out = unset(d_out.size());
    wide_rows(level, x, count, coefficients.data(), out.data());
    return out;
  };
  const auto loss = [&] { return dot(d_out, forward()); };
  expect_close(forward(), plain_wide_rows(level, x, count, coefficients), "wide rows");

  Numbers d_table = begun(table.size()), d_alone = d_table, d_coefficients = unset(coefficients.size());
  wide_rows_backward(level, x, count, coefficients.data(), d_out.data(), d_coefficients.data(), d_table.data());
  EXPECT_TRUE(gradient_agrees("table", table, added(d_table), loss));
  EXPECT_TRUE(gradient_agrees("coefficients", coefficients, d_coefficients, loss));
  wide_rows_backward<double>(level, x, count, coefficients.data(), d_out.data(), nullptr, d_alone.data());
  EXPECT_EQ(d_alone, d_table) << "without the gradient of the coefficients";
}

class WideRows : public ::testing::TestWithParam<int64_t> {};

TEST_P(WideRows, MixTheNodesOfTheirGraphWhereEachHasItsOwnRow) {
  for (const auto& [name, level] : all_levels()) {
    SCOPED_TRACE(name);
    for (const int64_t count : {1, 4}) check_wide_rows(level, count, GetParam(), 0);
  }
}

TEST_P(WideRows, MixTheNodesOfTheirGraphWhereFewRowsServeMany) {
  for (const auto& [name, level] : all_levels()) {
    SCOPED_TRACE(name);
    for (const int64_t count : {1, 4}) check_wide_rows(level, count, GetParam(), 3);
  }
}

TEST_P(WideRows, MixTheNodesOfTheirGraphWhereTheTableHasFarMoreRowsThanNodes) {
  for (const auto& [name, level] : all_levels()) {
    SCOPED_TRACE(name);
    check_wide_rows(level, 2, GetParam(), 8 * level.nodes() + 9);
  }
}

INSTANTIATE_TEST_SUITE_P(OfWidth, WideRows, ::testing::Values(1, 3, 7, 8, 9, 31, 33));

}  // namespace
}  // namespace dotin::kernels
