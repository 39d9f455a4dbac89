#include "dotin/data/subgraphs.h"

#include "dotin/core/error.h"

namespace dotin::data {

Dataset induced_subgraphs(const View& view, const std::vector<std::vector<uint8_t>>& keep) {
  const Dataset& from = view.dataset();
  std::vector<int64_t> node_offsets{0}, row_offsets{0};
  std::vector<int32_t> neighbours;
  std::vector<std::vector<int32_t>> codes(from.node_labels.size());
  std::vector<float> attributes;
  const int64_t columns = from.node_attributes.columns;
  for (int64_t g = 0; g < view.size(); ++g) {
    const GraphView graph = view.get(g);
    const std::vector<uint8_t>& flags = keep[static_cast<std::size_t>(g)];
    DOTIN_ASSERT(static_cast<int32_t>(flags.size()) == graph.nodes);
    std::vector<int32_t> new_of_old(flags.size(), -1);
    int32_t nodes = 0;
    for (std::size_t v = 0; v < flags.size(); ++v) {
      if (flags[v]) new_of_old[v] = nodes++;
    }
    DOTIN_CHECK(nodes > 0, "{}: graph {} would have no node left", from.name, graph.index);
    for (int32_t v = 0; v < graph.nodes; ++v) {
      if (!flags[static_cast<std::size_t>(v)]) continue;
      for (const int32_t u : graph.neighbours(v)) {
        if (flags[static_cast<std::size_t>(u)]) neighbours.push_back(new_of_old[static_cast<std::size_t>(u)]);
      }
      row_offsets.push_back(static_cast<int64_t>(neighbours.size()));
      const auto node = static_cast<std::size_t>(graph.first_node + v);
      for (std::size_t c = 0; c < codes.size(); ++c) codes[c].push_back(from.node_labels[c].codes[node]);
      const float* const row = from.node_attributes.values.data() + static_cast<int64_t>(node) * columns;
      attributes.insert(attributes.end(), row, row + columns);
    }
    node_offsets.push_back(node_offsets.back() + nodes);
  }
  Dataset result;
  result.name = from.name;
  result.node_offsets = std::move(node_offsets);
  result.row_offsets = std::move(row_offsets);
  result.neighbours = std::move(neighbours);
  for (std::size_t c = 0; c < codes.size(); ++c)
    result.node_labels.push_back({from.node_labels[c].name, std::move(codes[c]), from.node_labels[c].values});
  result.node_attributes = {columns, std::move(attributes)};
  return result;
}

}  // namespace dotin::data
