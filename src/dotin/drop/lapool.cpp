#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dotin/drop/pools.h"

namespace dotin::drop {

namespace ref = ops::reference;

namespace {

/// v_i: how much the signal changes at a node, |(L X)_i| with L = D - A, in millionths of the graph's largest, so that
/// what differs by rounding alone is equal.
std::vector<double> variation(const PoolLevel& level, const ref::EdgeTensors& edges) {
  const at::Tensor a = adjacency_weights(edges).detach();
  const at::Tensor x = level.x.detach();
  const at::Tensor degrees = ref::segment_sum(a, edges.row, edges.rows);
  const at::Tensor values = (degrees.unsqueeze(1) * x - ref::aggregate(a, x, edges)).norm(2, {1});
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

std::vector<uint8_t> leaders(const PoolLevel& level, const ref::EdgeTensors& edges, const Neighbours& neighbours) {
  const std::vector<double> v = variation(level, edges);
  std::vector<uint8_t> leads(v.size(), 1);
  for (int64_t i = 0; i < level.nodes(); ++i) {
    neighbours.visit(i, [&](int64_t j) {
      if (v[j] > v[i] || (v[j] == v[i] && j < i)) leads[i] = 0;
    });
  }
  return leads;
}

/// 1 / steps from every node of [first, last) to each leader, 0 where there is no way: breadth first from the leaders.
std::vector<double> closeness(const Neighbours& neighbours, int64_t first, int64_t last,
                              const std::vector<int64_t>& leader_nodes) {
  const auto nodes = static_cast<std::size_t>(last - first), count = leader_nodes.size();
  std::vector<double> result(nodes * count, 0);
  std::vector<int64_t> steps(nodes), queue;
  for (std::size_t c = 0; c < count; ++c) {
    std::fill(steps.begin(), steps.end(), -1);
    queue.assign(1, leader_nodes[c]);
    steps[static_cast<std::size_t>(leader_nodes[c] - first)] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const int64_t node = queue[head], so_far = steps[static_cast<std::size_t>(node - first)];
      if (so_far > 0) result[static_cast<std::size_t>(node - first) * count + c] = 1 / static_cast<double>(so_far);
      neighbours.visit(node, [&](int64_t other) {
        if (steps[static_cast<std::size_t>(other - first)] >= 0) return;
        steps[static_cast<std::size_t>(other - first)] = so_far + 1;
        queue.push_back(other);
      });
    }
  }
  return result;
}

/// S of one graph: one-hot for leaders, sparsemax of cosine times closeness for the others.
at::Tensor shares(const at::Tensor& x, int64_t first, const std::vector<int64_t>& leader_nodes,
                  const Neighbours& neighbours) {
  const int64_t nodes = x.size(0), count = static_cast<int64_t>(leader_nodes.size());
  const at::Tensor beta = at::tensor(closeness(neighbours, first, first + nodes, leader_nodes), at::kDouble)
                              .to(x.scalar_type())
                              .view({nodes, count});
  const at::Tensor unit = x / x.norm(2, {1}, true).clamp_min(1e-12);
  const at::Tensor index = ref::index_tensor(leader_nodes, x) - first;
  at::Tensor logits = (unit.mm(unit.index_select(0, index).t()) * beta)
                          .masked_fill(beta == 0, -std::numeric_limits<double>::infinity());
  // A leader's row is certain whatever its features are.
  const at::Tensor own = at::zeros({nodes, count}, x.options())
                             .index_put_({index, at::arange(count, at::kLong)}, at::ones({count}, x.options()));
  const at::Tensor leads = own.sum(1, true) > 0;
  logits = logits.masked_fill(leads, 0);
  return at::where(leads, own, sparsemax(logits));
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
  result.level.fused = level.fused;
  result.keep = input.fixed_keep != nullptr ? *input.fixed_keep : leaders(level, all_edges, neighbours);
  result.new_of_old = renumbered(result.keep);
  result.level.offsets.push_back(0);

  const at::Tensor a = adjacency_weights(all_edges);
  const std::vector<int64_t> edge_starts = edge_offsets(all_edges, level.offsets);
  std::vector<at::Tensor> rows, row, column, weight;
  std::vector<int64_t> graph_of;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    const int64_t first = level.offsets[g], nodes = level.offsets[g + 1] - first, before = result.level.nodes();
    std::vector<int64_t> leader_nodes;
    for (int64_t i = first; i < first + nodes; ++i) {
      if (result.keep[i]) leader_nodes.push_back(i);
    }
    const auto count = static_cast<int64_t>(leader_nodes.size());
    result.level.offsets.push_back(before + count);
    graph_of.insert(graph_of.end(), leader_nodes.size(), g);
    if (count == 0) continue;
    const at::Tensor x = level.x.narrow(0, first, nodes);
    const at::Tensor s = shares(x, first, leader_nodes, neighbours);
    const int64_t first_edge = edge_starts[g], edges = edge_starts[g + 1] - first_edge;
    const at::Tensor from = all_edges.row.narrow(0, first_edge, edges) - first;
    const at::Tensor to = all_edges.column.narrow(0, first_edge, edges) - first;
    const at::Tensor gathered = a.narrow(0, first_edge, edges).unsqueeze(1) * s.index_select(0, to);
    const at::Tensor joined = s.t().mm(ref::segment_sum(gathered, from, nodes)) + at::eye(count, level.x.options());
    const at::Tensor there = joined.detach().nonzero();  // sorted by row
    rows.push_back(s.t().mm(x));
    row.push_back(there.select(1, 0) + before);
    column.push_back(there.select(1, 1) + before);
    weight.push_back(joined.index({there.select(1, 0), there.select(1, 1)}));
  }
  const at::Tensor& theta = input.parameters.get("cluster.weight");
  const at::Tensor all = rows.empty() ? level.x : at::cat(rows);
  result.level.x = at::elu(at::addmm(input.parameters.get("cluster.bias"), all, theta.t()));
  ref::EdgeTensors& edges = result.level.edges;
  if (rows.empty()) {
    edges = all_edges;
    return result;
  }
  edges.row = at::cat(row);
  edges.column = at::cat(column);
  edges.weight = at::cat(weight);
  edges.graph_of = ref::index_tensor(graph_of, level.x);
  edges.rows = result.level.nodes();
  edges.graphs = level.graphs();
  return result;
}

}  // namespace dotin::drop
