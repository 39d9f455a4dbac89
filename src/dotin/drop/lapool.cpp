#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "dotin/drop/level_sums.h"
#include "dotin/drop/pools.h"

namespace dotin::drop {

namespace ref = ops::reference;

namespace {

/// v_i: how much the signal changes at a node, |(L X)_i| with L = D - A, in millionths of the graph's largest, so that
/// what differs by rounding alone is equal.
std::vector<double> variation(const PoolLevel& level) {
  const at::Tensor x = level.x.detach();
  const at::Tensor degrees = mixed(level, ops::Mixing::adjacency, at::ones({level.nodes()}, x.options())).detach();
  const at::Tensor sums = mixed(level, ops::Mixing::adjacency, x).detach();
  const at::Tensor values = (degrees.unsqueeze(1) * x - sums).norm(2, {1});
  const at::Tensor doubles = values.to(at::kCPU, at::kDouble).contiguous();
  std::vector<double> v(doubles.data_ptr<double>(), doubles.data_ptr<double>() + doubles.numel());
  for (int64_t g = 0; g < level.graphs(); ++g) {
    const auto first = v.begin() + level.offsets[g], last = v.begin() + level.offsets[g + 1];
    const double largest = first == last ? 0 : *std::max_element(first, last);
    if (largest > 0) std::transform(first, last, first, [&](double own) { return std::round(1e6 * own / largest); });
  }
  return v;
}

/// Neighbours of every node as CSR over the edges, which are sorted by row.
struct Neighbours {
  explicit Neighbours(const ref::EdgeTensors& edges)
      : columns(edges.column.cpu().contiguous()), offsets(static_cast<std::size_t>(edges.rows) + 1) {
    const at::Tensor rows = edges.row.cpu().contiguous();
    const int64_t* const row = rows.data_ptr<int64_t>();
    for (int64_t e = 0; e < rows.size(0); ++e) ++offsets[static_cast<std::size_t>(row[e]) + 1];
    for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  }
  at::Tensor columns;
  std::vector<int64_t> offsets;

  template <class Visit>
  void visit(int64_t node, Visit visit_one) const {
    const int64_t* const column = columns.data_ptr<int64_t>();
    for (int64_t e = offsets[node]; e < offsets[node + 1]; ++e) visit_one(column[e]);
  }
};

std::vector<uint8_t> leaders(const PoolLevel& level, const Neighbours& neighbours) {
  const std::vector<double> v = variation(level);
  std::vector<uint8_t> leads(v.size(), 1);
  for (int64_t i = 0; i < level.nodes(); ++i) {
    neighbours.visit(i, [&](int64_t j) {
      if (v[j] > v[i] || (v[j] == v[i] && j < i)) leads[i] = 0;
    });
  }
  return leads;
}

/// The leaders of a batch. Those of a graph are numbered from 0, and of `most` columns it uses the first.
struct Leaders {
  Leaders(const PoolLevel& level, const std::vector<uint8_t>& leads) : offsets(1, 0) {
    for (int64_t g = 0; g < level.graphs(); ++g) {
      for (int64_t i = level.offsets[g]; i < level.offsets[g + 1]; ++i) {
        if (leads[i]) nodes.push_back(i);
      }
      offsets.push_back(static_cast<int64_t>(nodes.size()));
      most = std::max(most, count(g));
    }
  }
  int64_t count(int64_t graph) const { return offsets[graph + 1] - offsets[graph]; }

  /// Per graph and column its leader, as numbers from 0 to all leaders; `none` where there is no more.
  std::vector<int64_t> by_column(int64_t none) const {
    std::vector<int64_t> result;
    for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
      for (int64_t c = 0; c < most; ++c) {
        result.push_back(c < count(static_cast<int64_t>(g)) ? offsets[g] + c : none);
      }
    }
    return result;
  }

  std::vector<int64_t> nodes;    // ascending
  std::vector<int64_t> offsets;  // graphs + 1
  int64_t most = 0;
};

/// 1 / steps from every node to each leader of its graph, 0 where there is no way (breadth first from the leaders), and
/// for leaders to themselves: [nodes, most].
std::vector<double> closeness(const PoolLevel& level, const Neighbours& neighbours, const Leaders& all) {
  std::vector<double> result(static_cast<std::size_t>(level.nodes() * all.most), 0);
  std::vector<int64_t> steps(static_cast<std::size_t>(level.nodes())), queue;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t c = 0; c < all.count(g); ++c) {
      std::fill(steps.begin() + level.offsets[g], steps.begin() + level.offsets[g + 1], -1);
      queue.assign(1, all.nodes[all.offsets[g] + c]);
      steps[queue[0]] = 0;
      for (std::size_t head = 0; head < queue.size(); ++head) {
        const int64_t node = queue[head], so_far = steps[node];
        if (so_far > 0) result[node * all.most + c] = 1 / static_cast<double>(so_far);
        neighbours.visit(node, [&](int64_t other) {
          if (steps[other] >= 0) return;
          steps[other] = so_far + 1;
          queue.push_back(other);
        });
      }
    }
  }
  return result;
}

/// S [nodes, most]: one-hot for leaders, sparsemax of cosine times closeness for the others, 0 where no leader is in
/// reach.
at::Tensor shares(const PoolLevel& level, const Leaders& all, const Neighbours& neighbours) {
  const at::Tensor& x = level.x;
  const std::vector<int64_t> shape = {level.nodes(), all.most};
  std::vector<double> own(static_cast<std::size_t>(level.nodes() * all.most), 0);
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t c = 0; c < all.count(g); ++c) own[all.nodes[all.offsets[g] + c] * all.most + c] = 1;
  }
  const auto constant = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kDouble).to(x.options()).view(shape);
  };
  const at::Tensor one_hot = constant(own), beta = constant(closeness(level, neighbours, all));

  const at::Tensor unit = x / x.norm(2, {1}, true).clamp_min(1e-12);
  const at::Tensor padded =
      at::cat({unit.index_select(0, ref::index_tensor(all.nodes, x)), at::zeros({1, x.size(1)}, x.options())});
  const at::Tensor by_column =
      padded.index_select(0, ref::index_tensor(all.by_column(static_cast<int64_t>(all.nodes.size())), x));
  const at::Tensor cosine =
      graph_maps(level, unit, by_column.view({level.graphs(), all.most, x.size(1)}).transpose(1, 2));
  // A leader's row is certain whatever its features are, and so is one without leaders.
  const at::Tensor certain = (one_hot.sum(1, true) > 0) | (beta.sum(1, true) == 0);
  const at::Tensor logits =
      (cosine * beta).masked_fill(beta == 0, -std::numeric_limits<double>::infinity()).masked_fill(certain, 0);
  return at::where(certain, one_hot, sparsemax(logits));
}

/// core::Error with the figure where S, as wide as the graph with the most leaders needs, would take more than the
/// limit: what is counted are the arrays of that size that shares() and sparsemax() hold at once.
void check_share_bytes(const PoolLevel& level, const Leaders& all, int64_t limit) {
  constexpr int64_t kArrays = 12;
  const int64_t bytes =
      level.x.element_size() * (kArrays * level.nodes() * all.most + 2 * level.graphs() * all.most * all.most);
  DOTIN_CHECK(
      bytes <= limit,
      "lapool: a graph has {} leaders, and the shares of a batch of {} nodes in so many take about {}, more than "
      "the {} of `dense_limit`: use a smaller `batch`, raise `dense_limit`, or use a method that stays sparse, "
      "e.g. `drop` sagpool",
      all.most, level.nodes(), core::format_bytes(bytes), core::format_bytes(limit));
}

}  // namespace

at::Tensor sparsemax(const at::Tensor& rows) {
  const at::Tensor sorted = std::get<0>(rows.sort(1, true));
  const at::Tensor sums = sorted.cumsum(1);
  const at::Tensor ranks = at::arange(1, rows.size(1) + 1, rows.options());
  const at::Tensor support = (1 + ranks * sorted > sums).sum(1, true).clamp_min(1);
  const at::Tensor threshold = (sums.gather(1, support - 1) - 1) / support.to(rows.scalar_type());
  return (rows - threshold).clamp_min(0);
}

void LaPool::add_parameters(layers::ParameterSet& parameters, int64_t layer) const {
  layers::add_linear(parameters, "layers." + std::to_string(layer) + ".cluster", hidden_, hidden_);
}

Pooled LaPool::pool(const PoolInput& input) const {
  const PoolLevel& level = input.level;
  const ref::EdgeTensors all_edges = edges_of(level);
  const Neighbours neighbours(all_edges);
  Pooled result;
  result.keep = input.fixed_keep != nullptr ? *input.fixed_keep : leaders(level, neighbours);
  result.new_of_old = renumbered(result.keep);
  const Leaders all(level, result.keep);
  check_share_bytes(level, all, limit_);
  result.level.offsets = all.offsets;
  result.level.fused = level.fused;
  ref::EdgeTensors& edges = result.level.edges;
  at::Tensor rows = level.x;
  if (all.nodes.empty()) {
    edges = all_edges;
  } else {
    const int64_t graphs = level.graphs();
    const at::Tensor s = shares(level, all, neighbours);
    const at::Tensor columns = ref::index_tensor(all.by_column(-1), level.x);  // [graphs * most]
    const at::Tensor used = columns.ge(0).nonzero().squeeze(1);
    rows = graph_products(level, s, level.x).view({graphs * all.most, -1}).index_select(0, used);
    const at::Tensor loops = at::diag_embed(columns.ge(0).to(s.scalar_type()).view({graphs, all.most}));
    const at::Tensor joined = (graph_products(level, s, mixed(level, ops::Mixing::adjacency, s)) + loops).flatten();
    const at::Tensor there = joined.detach().nonzero().squeeze(1);  // sorted by graph and row
    const at::Tensor from = at::div(there, all.most, "floor");
    edges.row = columns.index_select(0, from);
    edges.column =
        columns.index_select(0, at::div(from, all.most, "floor") * all.most + at::remainder(there, all.most));
    edges.weight = joined.index_select(0, there);
    edges.graph_of = at::div(used, all.most, "floor");
    edges.rows = result.level.nodes();
    edges.graphs = graphs;
  }
  const at::Tensor& theta = input.parameters.get("cluster.weight");
  result.level.x = at::elu(at::addmm(input.parameters.get("cluster.bias"), rows, theta.t()));
  return result;
}

}  // namespace dotin::drop
