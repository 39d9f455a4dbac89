// Every loop but norm_elu (norm_elu_test.cpp) and softmax (softmax_test.cpp), whatever the instruction set, against the
// plain loop of its definition.
#include "dotin/kernels/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/loops_support.h"

namespace dotin::kernels {
namespace {

using dotin::testing::Exact;
using dotin::testing::expect_near;
using dotin::testing::kLoopSizes;
using dotin::testing::kTolerance;
using dotin::testing::LoopScalars;
using dotin::testing::numbers;
using dotin::testing::on_every_instruction_set;
using dotin::testing::Rng;
using dotin::testing::Sum;
using dotin::testing::Sums;
using dotin::testing::sums_of;

static_assert(sizeof(Loops<float>) == 14 * sizeof(void*), "a name and thirteen loops: a new one needs a test here");

constexpr double kScales[] = {1, 1e6};

template <class Scalar>
class EveryInstructionSet : public ::testing::Test {};

TYPED_TEST_SUITE(EveryInstructionSet, LoopScalars);

TYPED_TEST(EveryInstructionSet, OfThisMachineIsListedAndTheLastOneOrTheNamedOneUsed) {
  int count = 0;
  const auto* const list = all_loops<TypeParam>(&count);
  std::vector<std::string> names, expected = {"baseline"};
  for (int v = 0; v < count; ++v) names.emplace_back(list[v]->name);
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    expected.emplace_back("avx2");
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      expected.emplace_back("avx512");
  }
#endif
  EXPECT_EQ(names, expected);
  const char* const wanted = std::getenv("DOTIN_ISA");
  if (wanted == nullptr) {
    EXPECT_EQ(&loops<TypeParam>(), list[count - 1]);
  } else {
    EXPECT_STREQ(loops<TypeParam>().name, wanted);
  }
}

TYPED_TEST(EveryInstructionSet, TakesExponentials) {
  // Floats stay at exp(88) above 88, before exp is infinite, and at exp(-87) below -87, which is nothing beside 1.
  constexpr bool is_float = std::is_same_v<TypeParam, float>;
  constexpr TypeParam largest = is_float ? 88 : 700;
  constexpr Exact least = is_float ? 2e-38L : std::numeric_limits<double>::min();
  on_every_instruction_set<TypeParam>([&](const Loops<TypeParam>& loops, Rng& rng) {
    for (const int64_t size : kLoopSizes) {
      for (const double scale : {1e-4, 1.0, 20.0, 1e3}) {
        std::vector<TypeParam> values = numbers<TypeParam>(rng, size + 1, scale);
        for (TypeParam& value : values) value = std::min(value, largest);
        Sums expected = sums_of(values);
        for (int64_t i = 0; i < size; ++i) {
          const Exact exponential = std::exp(Exact(values[i]));
          // Two to three units in the last place: a fifth of what sums may be off.
          expected[i] = {exponential, exponential / 5 + least / kTolerance<TypeParam>};
        }
        loops.exponentials(values.data(), size);
        expect_near(values, expected, "exponential");
      }
    }
    std::vector<TypeParam> ends = {0, -0.0, -87, -88, -1000};
    loops.exponentials(ends.data(), static_cast<int64_t>(ends.size()));
    EXPECT_EQ(ends[0], 1);
    EXPECT_EQ(ends[1], 1);
    for (const std::size_t small : {3, 4}) EXPECT_LE(ends[small], ends[2]);
    EXPECT_GE(ends[4], 0);
  });
}

TYPED_TEST(EveryInstructionSet, TakesDotProductsAndAddsScaledRows) {
  on_every_instruction_set<TypeParam>([](const Loops<TypeParam>& loops, Rng& rng) {
    for (const int64_t width : kLoopSizes) {
      for (const double scale : kScales) {
        const std::vector<TypeParam> x = numbers<TypeParam>(rng, width, scale);
        std::vector<TypeParam> y = numbers<TypeParam>(rng, width + 1, scale);
        const auto a = static_cast<TypeParam>(-1.7);
        Sum dot;
        Sums added = sums_of(y);
        for (int64_t c = 0; c < width; ++c) {
          dot.add(Exact(x[c]) * y[c]);
          added[c].add(Exact(a) * x[c]);
        }
        expect_near<TypeParam>({loops.dot(x.data(), y.data(), width)}, {dot}, "dot");
        loops.add_scaled(a, x.data(), y.data(), width);
        expect_near(y, added, "y");
      }
    }
  });
}

TYPED_TEST(EveryInstructionSet, SumsSquaresOfFewAndOfMany) {
  on_every_instruction_set<TypeParam>([](const Loops<TypeParam>& loops, Rng& rng) {
    for (const int64_t size : {0, 1, 17, 1000, 4095, 4096, 4097, 50'000}) {
      const std::vector<TypeParam> x = numbers<TypeParam>(rng, size, 1e3);
      Sum sum;
      for (const TypeParam value : x) sum.add(Exact(value) * value);
      expect_near<TypeParam>({static_cast<TypeParam>(loops.square_sum(x.data(), size))}, {sum}, "sum of squares");
    }
  });
}

/// Rows of neighbours, some of them empty, and the codes of nodes.
struct Graph {
  int32_t nodes, table_rows;
  std::vector<int32_t> row_offsets = {0}, columns, code;

  Graph(Rng& rng, int32_t node_count, bool with_codes)
      : nodes(node_count), table_rows(with_codes ? node_count / 2 + 1 : node_count) {
    for (int32_t i = 0; i < nodes; ++i) {
      for (int64_t e = rng.below(5); e > 0; --e) columns.push_back(static_cast<int32_t>(rng.below(nodes)));
      row_offsets.push_back(static_cast<int32_t>(columns.size()));
      if (with_codes) code.push_back(static_cast<int32_t>(rng.below(table_rows)));
    }
  }
  int64_t edges() const { return static_cast<int64_t>(columns.size()); }
  int64_t row_of(int32_t node) const { return code.empty() ? node : code[node]; }
  const int32_t* codes() const { return code.empty() ? nullptr : code.data(); }
};

/// Calls test(graph, width, scale) for graphs of no, one and several nodes, with codes and without.
template <class Test>
void on_graphs(Rng& rng, const Test& test) {
  for (const int64_t width : kLoopSizes) {
    for (const double scale : kScales) {
      for (const int32_t nodes : {0, 1, 9}) {
        for (const bool with_codes : {false, true}) test(Graph(rng, nodes, with_codes && nodes > 0), width, scale);
      }
    }
  }
}

TYPED_TEST(EveryInstructionSet, TakesDotProductsAlongEdgesAndTheirGradients) {
  on_every_instruction_set<TypeParam>([](const Loops<TypeParam>& loops, Rng& rng) {
    on_graphs(rng, [&](const Graph& graph, int64_t width, double scale) {
      const int64_t size = graph.table_rows * width;
      const auto q = numbers<TypeParam>(rng, size, scale), p = numbers<TypeParam>(rng, size, scale);
      const auto d = numbers<TypeParam>(rng, graph.edges());
      auto dots = numbers<TypeParam>(rng, graph.edges() + 1);
      auto dq = numbers<TypeParam>(rng, size + 1, scale), dp = numbers<TypeParam>(rng, size + 1, scale);
      Sums expected(dots.size()), expected_dq = sums_of(dq), expected_dp = sums_of(dp);
      expected.back().add(dots.back());
      for (int32_t i = 0; i < graph.nodes; ++i) {
        for (int32_t e = graph.row_offsets[i]; e < graph.row_offsets[i + 1]; ++e) {
          for (int64_t c = 0; c < width; ++c) {
            const int64_t to = graph.row_of(i) * width + c, from = graph.row_of(graph.columns[e]) * width + c;
            expected[e].add(Exact(q[to]) * p[from]);
            expected_dq[to].add(Exact(d[e]) * p[from]);
            expected_dp[from].add(Exact(d[e]) * q[to]);
          }
        }
      }
      loops.edge_dots(q.data(), p.data(), width, graph.codes(), graph.row_offsets.data(), graph.columns.data(),
                      graph.nodes, dots.data());
      expect_near(dots, expected, "dot");
      loops.edge_dots_backward(d.data(), q.data(), p.data(), width, graph.codes(), graph.row_offsets.data(),
                               graph.columns.data(), graph.nodes, dq.data(), dp.data());
      expect_near(dq, expected_dq, "dq");
      expect_near(dp, expected_dp, "dp");
    });
  });
}

TYPED_TEST(EveryInstructionSet, GathersRowsAndTheirGradients) {
  on_every_instruction_set<TypeParam>([](const Loops<TypeParam>& loops, Rng& rng) {
    on_graphs(rng, [&](const Graph& graph, int64_t width, double scale) {
      const auto tasks = static_cast<int32_t>(rng.below(4));
      const bool coefficient_gradients = rng.chance(0.5);
      // Two graphs, whose virtual nodes have a row each; some nodes leave, in an order of its own.
      std::vector<int32_t> virtual_row, source;
      for (int32_t i = 0; i < graph.nodes; ++i) {
        virtual_row.push_back(i < graph.nodes / 2 ? 0 : tasks);
        source.push_back(i % 3 == 1 ? -1 : graph.nodes - 1 - i);
      }
      const int64_t pairs = graph.nodes * tasks, size = graph.table_rows * width;
      const auto edge = numbers<TypeParam>(rng, graph.edges()), self = numbers<TypeParam>(rng, graph.nodes);
      const auto to_virtual = numbers<TypeParam>(rng, pairs);
      const auto table = numbers<TypeParam>(rng, size, scale);
      const auto virtual_table = numbers<TypeParam>(rng, 2 * tasks * width, scale);
      auto out = numbers<TypeParam>(rng, graph.nodes * width + 1, scale);
      const auto d_out = numbers<TypeParam>(rng, graph.nodes * width);
      auto d_table = numbers<TypeParam>(rng, size + 1), d_virtual = numbers<TypeParam>(rng, 2 * tasks * width + 1);
      auto d_edge = numbers<TypeParam>(rng, graph.edges() + 1), d_self = numbers<TypeParam>(rng, graph.nodes + 1);
      auto d_to_virtual = numbers<TypeParam>(rng, pairs + 1);

      Sums sums = sums_of(out), table_sums = sums_of(d_table), virtual_sums = sums_of(d_virtual);
      Sums edge_sums = sums_of(d_edge), self_sums = sums_of(d_self), pair_sums = sums_of(d_to_virtual);
      for (int32_t r = 0; r < graph.nodes; ++r) {
        const int32_t i = source[r];
        if (i < 0) continue;
        for (int64_t c = 0; c < width; ++c) sums[r * width + c] = Sum();
        // out[r] += coefficient rows[row], forward and backward.
        const auto mix = [&](Exact coefficient, const std::vector<TypeParam>& rows, int64_t row, Sums& d_rows,
                             Sum& d_coefficient, bool wanted) {
          if (wanted) d_coefficient = Sum();
          for (int64_t c = 0; c < width; ++c) {
            sums[r * width + c].add(coefficient * rows[row * width + c]);
            d_rows[row * width + c].add(coefficient * d_out[r * width + c]);
            if (wanted) d_coefficient.add(Exact(d_out[r * width + c]) * rows[row * width + c]);
          }
        };
        mix(self[i], table, graph.row_of(i), table_sums, self_sums[i], true);
        for (int32_t e = graph.row_offsets[i]; e < graph.row_offsets[i + 1]; ++e)
          mix(edge[e], table, graph.row_of(graph.columns[e]), table_sums, edge_sums[e], coefficient_gradients);
        for (int32_t k = 0; k < tasks; ++k) {
          const int64_t pair = i * tasks + k;
          mix(to_virtual[pair], virtual_table, virtual_row[i] + k, virtual_sums, pair_sums[pair],
              coefficient_gradients);
        }
      }

      const RowCoefficients<TypeParam> s = {
          graph.row_offsets.data(), graph.columns.data(), edge.data(), self.data(), to_virtual.data(), tasks};
      const MixedRows<TypeParam> x = {table.data(), graph.codes(), virtual_table.data(), virtual_row.data(), width};
      loops.gather_rows(s, x, source.data(), graph.nodes, out.data());
      expect_near(out, sums, "out");
      const RowCoefficientGradients<TypeParam> d_s = {coefficient_gradients ? d_edge.data() : nullptr, d_self.data(),
                                                      coefficient_gradients ? d_to_virtual.data() : nullptr};
      loops.gather_rows_backward(s, x, source.data(), graph.nodes, d_out.data(), d_table.data(), d_virtual.data(), d_s);
      expect_near(d_table, table_sums, "d_table");
      expect_near(d_virtual, virtual_sums, "d_virtual");
      expect_near(d_edge, edge_sums, "d_edge");
      expect_near(d_self, self_sums, "d_self");
      expect_near(d_to_virtual, pair_sums, "d_to_virtual");
    });
  });
}

TYPED_TEST(EveryInstructionSet, TakesAStepOfAdam) {
  on_every_instruction_set<TypeParam>([](const Loops<TypeParam>& loops, Rng& rng) {
    const auto scalar = [](double value) { return static_cast<TypeParam>(value); };
    const AdamConstants<TypeParam> a = {scalar(0.9), scalar(0.1),   scalar(0.999), scalar(0.001), scalar(0.25),
                                        scalar(0.1), scalar(0.995), scalar(0.05),  scalar(1.7),   scalar(1e-8)};
    for (const int64_t size : kLoopSizes) {
      for (const double scale : {1e-3, 1.0, 1e6}) {
        auto parameters = numbers<TypeParam>(rng, size + 1), gradients = numbers<TypeParam>(rng, size + 1, scale);
        auto first = numbers<TypeParam>(rng, size + 1, scale), second = numbers<TypeParam>(rng, size + 1, scale);
        for (TypeParam& v : second) v *= v;
        Sums p_sums = sums_of(parameters), g_sums = sums_of(gradients), m_sums = sums_of(first);
        Sums v_sums = sums_of(second);
        for (int64_t i = 0; i < size; ++i) {
          Sum g, m, v, p;
          g.add(Exact(gradients[i]) * a.scale);
          g.add(Exact(a.l2) * parameters[i]);
          m.add(Exact(a.beta1) * first[i]);
          m.add(a.share1 * g.value, a.share1 * g.size);
          v.add(Exact(a.beta2) * second[i]);
          v.add(a.share2 * g.value * g.value, a.share2 * g.size * g.size);
          p.add(Exact(a.shrink) * parameters[i]);
          const Exact rate = a.rate / (std::sqrt(v.value) * a.correction + a.epsilon);
          p.add(-rate * m.value, rate * m.size);
          g_sums[i] = Sum();  // exactly 0
          m_sums[i] = m, v_sums[i] = v, p_sums[i] = p;
        }
        loops.adam(parameters.data(), gradients.data(), first.data(), second.data(), size, a);
        expect_near(parameters, p_sums, "parameter");
        expect_near(gradients, g_sums, "gradient");
        expect_near(first, m_sums, "first moment");
        expect_near(second, v_sums, "second moment");
      }
    }
  });
}

}  // namespace
}  // namespace dotin::kernels
