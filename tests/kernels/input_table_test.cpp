#include "dotin/kernels/input_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace dotin::kernels {
namespace {

struct Nodes {
  std::vector<int32_t> codes;  // two a node
  std::vector<float> dense;    // one a node

  InputFeatures features() const { return {codes.data(), 2, dense.data(), 1, static_cast<int32_t>(dense.size())}; }
};

TEST(InputTable, NodesWithEqualCodesAndNumbersShareARow) {
  const Nodes nodes{{1, 3, 2, 3, 1, 3, 1, 3, 2, 3, 1, 3}, {0.5f, 0.5f, 0.5f, 7, 0.5f, 0.5f}};
  const InputIndex index = index_input(nodes.features(), true);
  EXPECT_EQ(index.code, (std::vector<int32_t>{0, 1, 0, 2, 1, 0}));
  EXPECT_EQ(index.example, (std::vector<int32_t>{0, 1, 3}));
  EXPECT_TRUE(index_input(nodes.features(), false).code.empty());
}

TEST(InputTable, RowsAreNodesWhereSharingSavesLittle) {
  const Nodes nodes{{1, 3, 1, 3, 1, 3, 1, 3, 1, 3}, {1, 2, 3, 4, 1}};
  const InputIndex index = index_input(nodes.features(), true);
  EXPECT_TRUE(index.code.empty());
  EXPECT_EQ(index.rows(), 5);
}

TEST(InputTable, NothingIsNoTrouble) { EXPECT_EQ(index_input(Nodes{}.features(), true).rows(), 0); }

/// Column c of row h of the weight is 100 h + c; -1 is no column.
RC_GTEST_PROP(InputTable, HoldsTheSumOfEachNodesColumns, ()) {
  const int64_t hidden = *rc::gen::inRange<int64_t>(1, 40), width = *rc::gen::inRange<int64_t>(2, 30);
  const auto count = *rc::gen::inRange<std::size_t>(1, 30);
  Nodes nodes;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.dense.push_back(static_cast<float>(*rc::gen::inRange(0, 3)));
    for (int b = 0; b < 2; ++b) {
      const auto code = static_cast<int32_t>(*rc::gen::inRange<int64_t>(0, width));
      nodes.codes.push_back(code == 0 ? -1 : code);
    }
  }
  std::vector<double> weight(static_cast<std::size_t>(hidden * width));
  for (int64_t h = 0; h < hidden; ++h) {
    for (int64_t c = 0; c < width; ++c) weight[h * width + c] = static_cast<double>(100 * h + c);
  }
  const InputIndex index = index_input(nodes.features(), *rc::gen::arbitrary<bool>());
  std::vector<double> table(static_cast<std::size_t>(index.rows() * hidden), NAN);
  input_table(nodes.features(), index, weight.data(), hidden, width, table.data());

  // Each table row passes back 1, so that a column gets one for every row that has it.
  std::vector<double> d_weight(weight.size(), 0.25), expected(weight.size(), 0.25);
  input_table_backward(nodes.features(), index, hidden, width, std::vector<double>(table.size(), 1).data(),
                       d_weight.data());
  for (std::size_t i = 0; i < count; ++i) {
    const int64_t row = index.code.empty() ? static_cast<int64_t>(i) : index.code[i];
    const bool is_example = index.example[row] == static_cast<int32_t>(i);
    for (int64_t h = 0; h < hidden; ++h) {
      double sum = static_cast<double>(nodes.dense[i]) * weight[h * width];
      if (is_example) expected[h * width] += static_cast<double>(nodes.dense[i]);
      for (int b = 0; b < 2; ++b) {
        const int32_t code = nodes.codes[2 * i + b];
        if (code < 0) continue;
        sum += weight[h * width + code];
        if (is_example) expected[h * width + code] += 1;
      }
      RC_ASSERT(table[row * hidden + h] == sum);
    }
  }
  RC_ASSERT(d_weight == expected);
}

}  // namespace
}  // namespace dotin::kernels
