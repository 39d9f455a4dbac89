#include "dotin/batch/batch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "dotin/core/error.h"

namespace dotin::batch {

namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

[[noreturn]] void fail_damaged(const data::Dataset& dataset, int64_t graph, const std::string& what) {
  core::fail("{}: graph {}: {}; the data is damaged: pack it again from its source", dataset.name, graph, what);
}

/// Fills a batch graph by graph. All sizes are known at the start, so nothing grows.
class Builder {
 public:
  Builder(const data::Dataset& dataset, const data::FeatureEncoder& encoder, int64_t graphs, int64_t nodes,
          int64_t entries)
      : dataset_(dataset), encoder_(encoder) {
    const auto node_count = static_cast<std::size_t>(nodes);
    const auto entry_count = static_cast<std::size_t>(entries);
    batch_.graph_index.reserve(static_cast<std::size_t>(graphs));
    batch_.node_offsets.reserve(static_cast<std::size_t>(graphs) + 1);
    batch_.node_offsets.push_back(0);
    batch_.row_offsets.resize(node_count + 1);
    batch_.neighbours.resize(entry_count);
    batch_.reverse.resize(entry_count);
    batch_.codes_per_node = static_cast<int32_t>(encoder.map().codes_per_node());
    batch_.dense_width = static_cast<int32_t>(encoder.map().dense_width());
    batch_.codes.resize(node_count * static_cast<std::size_t>(batch_.codes_per_node));
    batch_.dense.resize(node_count * static_cast<std::size_t>(batch_.dense_width));
    cursors_.resize(node_count);
  }

  /// Appends a graph of the dataset, with its own edges or with others.
  void append(const data::GraphView& graph) {
    const int32_t first_node = batch_.node_offsets.back();
    const int32_t first_entry = batch_.row_offsets[static_cast<std::size_t>(first_node)];
    copy_rows(graph, first_node, first_entry);
    copy_neighbours(graph, first_node, first_entry);
    mirror_entries(graph, first_node);

    batch_.graph_index.push_back(graph.index);
    batch_.node_offsets.push_back(first_node + graph.nodes);
    const auto at = static_cast<std::size_t>(first_node);
    encoder_.encode(dataset_, graph, batch_.codes.data() + at * static_cast<std::size_t>(batch_.codes_per_node),
                    batch_.dense.data() + at * static_cast<std::size_t>(batch_.dense_width));
  }

  Batch& batch() { return batch_; }

 private:
  void copy_rows(const data::GraphView& graph, int32_t first_node, int32_t first_entry) {
    int32_t* rows = batch_.row_offsets.data() + first_node;
    int32_t* cursors = cursors_.data() + first_node;
    const int64_t shift = first_entry - graph.row_offsets[0];
    for (int32_t i = 0; i < graph.nodes; ++i) {
      const auto row = static_cast<std::size_t>(i);
      cursors[i] = static_cast<int32_t>(graph.row_offsets[row] + shift);
      rows[i + 1] = static_cast<int32_t>(graph.row_offsets[row + 1] + shift);
    }
  }

  void copy_neighbours(const data::GraphView& graph, int32_t first_node, int32_t first_entry) {
    const int32_t* const from = graph.all_neighbours + graph.row_offsets[0];
    const int32_t entries = batch_.row_offsets[static_cast<std::size_t>(first_node + graph.nodes)] - first_entry;
    int32_t* to = batch_.neighbours.data() + first_entry;
    const auto nodes = static_cast<uint32_t>(graph.nodes);
    bool in_range = true;
    for (int32_t e = 0; e < entries; ++e) {
      in_range &= static_cast<uint32_t>(from[e]) < nodes;
      to[e] = from[e] + first_node;
    }
    if (!in_range) {
      const int32_t* bad =
          std::find_if(from, from + entries, [nodes](int32_t j) { return static_cast<uint32_t>(j) >= nodes; });
      fail_damaged(dataset_, graph.index, fmt::format("neighbour {} of {} nodes", *bad, nodes));
    }
  }

  /// Rows are walked in order, so the entries (i, j) of one j come with rising i, which is how row j lists them: the
  /// next free place of row j is the mirror. That the place holds i for every entry proves the structure symmetric and
  /// its rows sorted.
  void mirror_entries(const data::GraphView& graph, int32_t first_node) {
    const int32_t* rows = batch_.row_offsets.data();
    const int32_t* neighbours = batch_.neighbours.data();
    int32_t* cursors = cursors_.data();
    for (int32_t i = first_node; i < first_node + graph.nodes; ++i) {
      for (int32_t e = rows[i]; e < rows[i + 1]; ++e) {
        const int32_t j = neighbours[e];
        const int32_t mirror = cursors[j]++;
        if (mirror >= rows[j + 1] || neighbours[mirror] != i || j == i) {
          fail_damaged(dataset_, graph.index,
                       j == i ? fmt::format("node {} is its own neighbour", i - first_node)
                              : fmt::format("the edge from node {} to {} has no mirror, or a row is not sorted",
                                            i - first_node, j - first_node));
        }
        batch_.reverse[static_cast<std::size_t>(e)] = mirror;
      }
    }
  }

  const data::Dataset& dataset_;
  const data::FeatureEncoder& encoder_;
  Batch batch_;
  std::vector<int32_t> cursors_;
};

/// What everything after it relies on to stay within the dataset's arrays.
void check_offsets(const data::Dataset& dataset, int64_t index) {
  DOTIN_CHECK(index >= 0 && index < dataset.graphs(), "{}: no graph {}: there are {}", dataset.name, index,
              dataset.graphs());
  const auto g = static_cast<std::size_t>(index);
  const int64_t begin = dataset.node_offsets[g], end = dataset.node_offsets[g + 1];
  if (begin < 0 || end < begin || end - begin > kMost || end >= static_cast<int64_t>(dataset.row_offsets.size()))
    fail_damaged(dataset, index, "its nodes do not lie within the dataset");
  const int64_t* rows = dataset.row_offsets.data() + begin;
  const int64_t nodes = end - begin;
  bool rising = rows[0] >= 0;
  for (int64_t i = 0; i < nodes; ++i) rising &= rows[i + 1] >= rows[i];
  if (!rising || rows[nodes] > dataset.directed_edges())
    fail_damaged(dataset, index, "its rows do not lie one after the other within the dataset");
}

void append_edited(Builder& builder, const data::GraphView& graph, int32_t k, uint64_t which,
                   const BuildOptions& options) {
  core::Rng rng({options.seed, static_cast<uint64_t>(options.epoch), static_cast<uint64_t>(graph.index), which});
  const data::EditedGraph edited = data::substitute_edges(graph, k, rng);
  data::GraphView view = graph;
  view.row_offsets = edited.row_offsets;
  view.all_neighbours = edited.neighbours.data();
  builder.append(view);
}

std::vector<double> copy_target(const data::Dataset& dataset, const std::string& name,
                                core::Span<const int64_t> graphs) {
  const io::Target& target = dataset.target(name);
  const auto width = static_cast<std::size_t>(target.width);
  DOTIN_CHECK(target.values.size() == static_cast<std::size_t>(dataset.graphs()) * width,
              "{}: target '{}' has {} values for {} graphs of {} each", dataset.name, name, target.values.size(),
              dataset.graphs(), width);
  std::vector<double> values;
  values.reserve(graphs.size() * width);
  for (const int64_t g : graphs) {
    const double* row = target.values.data() + static_cast<std::size_t>(g) * width;
    values.insert(values.end(), row, row + width);
  }
  return values;
}

}  // namespace

Batch build_batch(const data::Dataset& dataset, const data::FeatureEncoder& encoder, core::Span<const int64_t> graphs,
                  const BuildOptions& options) {
  DOTIN_CHECK(!options.triplets || (options.ged.k_p >= 1 && options.ged.k_n > options.ged.k_p),
              "triplets need 1 <= k_p < k_n, got k_p {} and k_n {}", options.ged.k_p, options.ged.k_n);
  int64_t nodes = 0, entries = 0;
  for (const int64_t g : graphs) {
    check_offsets(dataset, g);
    const data::GraphView graph = dataset.graph(g);
    nodes += graph.nodes;
    entries += graph.directed_edges();
  }
  const int64_t copies = options.triplets ? 3 : 1;
  const auto anchors = static_cast<int64_t>(graphs.size());
  DOTIN_CHECK(anchors * copies <= kMost && nodes * copies < kMost && entries * copies <= kMost,
              "{}: a batch of {} graphs{} has {} nodes and {} directed edges, more than {}: make batches smaller",
              dataset.name, anchors, options.triplets ? " as triplets" : "", nodes * copies, entries * copies, kMost);

  Builder builder(dataset, encoder, anchors * copies, nodes * copies, entries * copies);
  // The anchors come first: by the time a graph is edited, it has been found sound.
  for (const int64_t g : graphs) {
    const data::GraphView graph = dataset.graph(g);
    builder.append(graph);
  }
  if (options.triplets) {
    for (const int64_t g : graphs) append_edited(builder, dataset.graph(g), options.ged.k_p, 0, options);
    for (const int64_t g : graphs) append_edited(builder, dataset.graph(g), options.ged.k_n, 1, options);
  }
  Batch& batch = builder.batch();
  batch.anchors = static_cast<int32_t>(anchors);
  for (const std::string& name : options.targets) batch.targets.push_back(copy_target(dataset, name, graphs));
  return std::move(batch);
}

}  // namespace dotin::batch
