// Products and softmax between raw and virtual nodes, against plain loops and central differences in double.
#include "dotin/kernels/virtual_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dotin/core/random.h"
#include "kernels/gradient_check.h"
#include "kernels/level_support.h"
#include "kernels/loops_support.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

/// Tasks, and whether the graphs share their virtual rows.
class VirtualAttention : public ::testing::TestWithParam<std::tuple<int64_t, bool>> {
 protected:
  int64_t tasks() const { return std::get<0>(GetParam()); }
  bool shared() const { return std::get<1>(GetParam()); }
  int64_t virtual_count(const Level& level) const { return shared() ? tasks() : level.graphs() * tasks(); }
  int64_t virtual_row(int64_t graph, int64_t task) const { return (shared() ? 0 : graph * tasks()) + task; }

  void check_dots(const Level& level, int64_t width, bool coded) const;
  void check_softmax(const Level& level, EdgeWeights mode) const;
};

void VirtualAttention::check_dots(const Level& level, int64_t width, bool coded) const {
  core::Rng rng(static_cast<uint64_t>(width));
  const int64_t count = coded ? 3 : level.nodes(), k = tasks();
  std::vector<int32_t> codes;
  for (int32_t i = 0; i < level.nodes(); ++i) codes.push_back(coded ? static_cast<int32_t>(rng.below(count)) : i);
  const int32_t* const code = coded ? codes.data() : nullptr;
  Numbers rows = numbers<double>(rng, count * width), of_virtual = numbers<double>(rng, virtual_count(level) * width);
  const Numbers d_out = numbers<double>(rng, level.nodes() * k);
  const auto forward = [&] {
    Numbers out = unset(d_out.size());
    node_virtual_dots(level, code, shared(), k, width, rows.data(), count, of_virtual.data(), out.data());
    return out;
  };
  Numbers expected(d_out.size());
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) {
      for (int64_t t = 0; t < k; ++t) {
        for (int64_t c = 0; c < width; ++c)
          expected[i * k + t] += rows[codes[i] * width + c] * of_virtual[virtual_row(g, t) * width + c];
      }
    }
  }
  expect_close(forward(), expected, "products");

  Numbers d_rows = begun(rows.size()), d_virtual = begun(of_virtual.size());
  node_virtual_dots_backward(level, code, shared(), k, width, rows.data(), count, of_virtual.data(), d_out.data(),
                             d_rows.data(), d_virtual.data());
  const auto loss = [&] { return dot(d_out, forward()); };
  EXPECT_TRUE(gradient_agrees("rows", rows, added(d_rows), loss));
  EXPECT_TRUE(gradient_agrees("virtual rows", of_virtual, added(d_virtual), loss));
}

TEST_P(VirtualAttention, ProductsAreThoseOfEachNodeWithTheVirtualRowsOfItsGraph) {
  for (const auto& [name, level] : all_levels()) {
    for (const int64_t width : {1, 3, 7, 8, 9, 31, 33}) {
      for (const bool coded : {false, true}) {
        SCOPED_TRACE(::testing::Message() << name << ", width " << width << (coded ? ", coded" : ""));
        check_dots(level, width, coded);
      }
    }
  }
}

/// A logit with its weight, as docs/method.md has it.
double weighed_logit(EdgeWeights mode, double logit, double weight) {
  if (mode == EdgeWeights::none) return logit;
  return mode == EdgeWeights::multiplicity ? logit + std::log(weight) : logit * weight;
}

void VirtualAttention::check_softmax(const Level& level, EdgeWeights mode) const {
  core::Rng rng(3);
  const int64_t k = tasks(), width = 5;
  Numbers logits = numbers<double>(rng, level.nodes() * k);
  const Numbers qv = numbers<double>(rng, virtual_count(level) * width);
  const Numbers pv = numbers<double>(rng, virtual_count(level) * width);
  Numbers self_logit;
  for (int64_t v = 0; v < virtual_count(level); ++v) {
    self_logit.push_back(0);
    for (int64_t c = 0; c < width; ++c) self_logit.back() += qv[v * width + c] * pv[v * width + c];
  }

  Numbers from_row, self;
  const auto forward = [&] {
    from_row = logits;
    softmax_virtual_rows(level, k, mode, shared(), self_logit.data(), from_row, self);
  };
  Numbers share(logits.size()), own(static_cast<std::size_t>(level.graphs() * k));
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t t = 0; t < k; ++t) {
      const double weight = level.weighted ? level.virtual_self[g] : 1;
      double sum = own[g * k + t] = std::exp(weighed_logit(mode, self_logit[virtual_row(g, t)], weight));
      for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) {
        const double of_row = level.weighted ? level.virtual_to_row[i] : 1;
        sum += share[i * k + t] = std::exp(weighed_logit(mode, logits[i * k + t], of_row));
      }
      own[g * k + t] /= sum;
      for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) share[i * k + t] /= sum;
    }
  }
  forward();
  expect_close(from_row, share, "shares of nodes");
  expect_close(self, own, "shares of virtual nodes");
  Numbers other = logits, other_self;
  virtual_softmax(level, k, mode, shared(), qv.data(), pv.data(), width, other, other_self);
  expect_close(other, share, "shares of nodes, from queries and keys");
  expect_close(other_self, own, "shares of virtual nodes, from queries and keys");

  const Numbers d_share = numbers<double>(rng, level.nodes() * k), d_own = numbers<double>(rng, level.graphs() * k);
  Numbers d_logits = d_share, d_self = d_own;
  virtual_softmax_backward(level, k, mode, from_row, self, d_logits, d_self);
  const auto loss = [&] {
    forward();
    return dot(d_share, from_row) + dot(d_own, self);
  };
  EXPECT_TRUE(gradient_agrees("logits", logits, d_logits, loss));
  // Gradients are by graph: that of a shared logit is their sum.
  Numbers d_self_logit(self_logit.size());
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t t = 0; t < k; ++t) d_self_logit[virtual_row(g, t)] += d_self[g * k + t];
  }
  EXPECT_TRUE(gradient_agrees("logits of virtual nodes", self_logit, d_self_logit, loss));
}

TEST_P(VirtualAttention, IsTheSoftmaxOverTheNodesOfAGraphAndTheVirtualNodeItself) {
  for (const auto& [name, level] : all_levels()) {
    for (const EdgeWeights mode : {EdgeWeights::softmax, EdgeWeights::multiplicity, EdgeWeights::none}) {
      if (mode == EdgeWeights::none && level.weighted) continue;  // there are no weights then
      SCOPED_TRACE(::testing::Message() << name << ", weights " << static_cast<int>(mode));
      check_softmax(level, mode);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfTasks, VirtualAttention, ::testing::Combine(::testing::Values(1, 3), ::testing::Bool()),
                         [](const auto& test) {
                           return std::to_string(std::get<0>(test.param)) +
                                  (std::get<1>(test.param) ? "Shared" : "ByGraph");
                         });

}  // namespace
}  // namespace dotin::kernels
