#include "dotin/ops/reference/structure.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "dotin/core/error.h"

namespace dotin::ops::reference {

std::vector<int64_t> Structure::graph_of_row() const {
  std::vector<int64_t> graph;
  graph.reserve(static_cast<std::size_t>(rows()));
  for (int64_t g = 0; g < graphs; ++g) graph.insert(graph.end(), static_cast<std::size_t>(tasks), g);
  for (int64_t g = 0; g < graphs; ++g)
    graph.insert(graph.end(), static_cast<std::size_t>(raw_offsets[g + 1] - raw_offsets[g]), g);
  return graph;
}

Structure structure_of(const batch::Batch& batch, int64_t tasks) {
  Structure s;
  s.graphs = batch.graphs();
  s.tasks = tasks;
  s.raw_offsets.assign(batch.node_offsets.begin(), batch.node_offsets.end());
  s.row_offsets.push_back(0);
  const int64_t first_raw = s.virtual_rows();
  const auto end_row = [&s] {
    s.weights.resize(s.columns.size(), 1.0);
    s.row_offsets.push_back(s.edges());
  };
  for (int64_t g = 0; g < s.graphs; ++g) {
    for (int64_t k = 0; k < tasks; ++k) {
      s.columns.push_back(g * tasks + k);
      for (int64_t i = s.raw_offsets[g]; i < s.raw_offsets[g + 1]; ++i) s.columns.push_back(first_raw + i);
      end_row();
    }
  }
  for (int64_t g = 0; g < s.graphs; ++g) {
    for (int64_t i = s.raw_offsets[g]; i < s.raw_offsets[g + 1]; ++i) {
      for (int64_t k = 0; k < tasks; ++k) s.columns.push_back(g * tasks + k);
      bool self_done = false;
      for (int32_t e = batch.row_offsets[i]; e < batch.row_offsets[i + 1]; ++e) {
        const int64_t j = batch.neighbours[e];
        if (j > i && !self_done) {
          s.columns.push_back(first_raw + i);
          self_done = true;
        }
        s.columns.push_back(first_raw + j);
      }
      if (!self_done) s.columns.push_back(first_raw + i);
      end_row();
    }
  }
  return s;
}

namespace {

void softmax_row(Structure& s, int64_t row) {
  const int64_t begin = s.row_offsets[row], end = s.row_offsets[row + 1];
  const double largest = *std::max_element(s.weights.begin() + begin, s.weights.begin() + end);
  double sum = 0;
  for (int64_t e = begin; e < end; ++e) sum += s.weights[e] = std::exp(s.weights[e] - largest);
  for (int64_t e = begin; e < end; ++e) s.weights[e] /= sum;
}

}  // namespace

Coarsening coarsen(const Structure& old, const std::vector<uint8_t>& keep, bool merge, EdgeWeights edge_weights) {
  DOTIN_ASSERT(static_cast<int64_t>(keep.size()) == old.raw_nodes());
  Coarsening result;
  Structure& s = result.structure;
  s.graphs = old.graphs;
  s.tasks = old.tasks;
  s.raw_offsets.push_back(0);
  const int64_t first_raw = old.virtual_rows();  // the same before and after

  // Where each old row goes. Virtual nodes always stay.
  constexpr int64_t kGone = -1;
  std::vector<int64_t> new_row(static_cast<std::size_t>(old.rows()), kGone);
  for (int64_t row = 0; row < first_raw; ++row) {
    new_row[row] = row;
    result.source.push_back(row);
  }
  std::vector<bool> graph_merges;
  for (int64_t g = 0; g < old.graphs; ++g) {
    std::vector<int64_t> dropped;
    for (int64_t i = old.raw_offsets[g]; i < old.raw_offsets[g + 1]; ++i) {
      if (keep[i]) {
        new_row[first_raw + i] = static_cast<int64_t>(result.source.size());
        result.source.push_back(first_raw + i);
      } else {
        dropped.push_back(first_raw + i);
      }
    }
    const bool has_merged = merge && !dropped.empty();
    graph_merges.push_back(has_merged);
    for (const int64_t row : dropped) {
      result.dropped_rows.push_back(row);
      result.merged_into.push_back(has_merged ? result.merged_nodes : -1);
      if (has_merged) new_row[row] = static_cast<int64_t>(result.source.size());
    }
    if (has_merged) result.source.push_back(old.rows() + result.merged_nodes++);
    s.raw_offsets.push_back(static_cast<int64_t>(result.source.size()) - first_raw);
  }
  for (int64_t i = 0; i < old.raw_nodes(); ++i) {
    const int64_t row = new_row[first_raw + i];
    result.new_raw_of_raw.push_back(row == kGone ? -1 : row - first_raw);
  }

  // w_{i,new} = w_{new,i} = sum over dropped j of w_ij, for kept or virtual i; the merged node's self-loop weighs 1.
  const auto is_dropped = [&](int64_t row) { return row >= first_raw && !keep[row - first_raw]; };
  using Entry = std::pair<int64_t, double>;  // column, weight
  std::vector<std::vector<Entry>> rows(result.source.size());
  std::map<std::pair<int64_t, int64_t>, double> to_merged;  // (kept or virtual row, merged row) -> sum
  for (int64_t row = 0; row < old.rows(); ++row) {
    if (is_dropped(row)) continue;
    for (int64_t e = old.row_offsets[row]; e < old.row_offsets[row + 1]; ++e) {
      const int64_t i = new_row[row], j = new_row[old.columns[e]];
      if (!is_dropped(old.columns[e])) {
        rows[i].emplace_back(j, old.weights[e]);
      } else if (merge) {
        to_merged[{i, j}] += old.weights[e];
      }
    }
  }
  for (const auto& [edge, weight] : to_merged) {
    rows[edge.first].emplace_back(edge.second, weight);
    rows[edge.second].emplace_back(edge.first, weight);
  }
  for (std::size_t row = 0; row < result.source.size(); ++row) {
    if (result.source[row] >= old.rows()) rows[row].emplace_back(static_cast<int64_t>(row), 1.0);
  }

  s.row_offsets.push_back(0);
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    for (const auto& [column, weight] : row) {
      s.columns.push_back(column);
      s.weights.push_back(edge_weights == EdgeWeights::none ? 1.0 : weight);
    }
    s.row_offsets.push_back(s.edges());
  }
  if (edge_weights == EdgeWeights::softmax) {
    const std::vector<int64_t> graph = s.graph_of_row();
    for (int64_t row = 0; row < s.rows(); ++row) {
      if (graph_merges[graph[row]]) softmax_row(s, row);
    }
  }
  return result;
}

}  // namespace dotin::ops::reference
