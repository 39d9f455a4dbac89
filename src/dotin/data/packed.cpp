#include "dotin/data/packed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/io/safetensors.h"
#include "dotin/io/text.h"

namespace dotin::data {

namespace {

using nlohmann::json;

constexpr const char* kKey = "dotin_data";
constexpr int64_t kVersion = 1;

std::string numbered(const char* name, std::size_t i) { return fmt::format("{}.{}", name, i); }

json describe(const std::vector<io::LabelColumn>& columns) {
  json list = json::array();
  for (const io::LabelColumn& column : columns) list.push_back({{"name", column.name}, {"values", column.values}});
  return list;
}

std::string metadata_of(const Dataset& dataset, const std::string& path) {
  json targets = json::array();
  for (const io::Target& target : dataset.targets) {
    targets.push_back({{"name", target.name}, {"width", target.width}, {"class_names", target.names}});
  }
  json relevant = json::array();
  for (const io::RelevantNodes& truth : dataset.relevant) relevant.push_back(truth.target);
  const json metadata = {{"version", kVersion},
                         {"name", dataset.name},
                         {"node_labels", describe(dataset.node_labels)},
                         {"edge_labels", describe(dataset.edge_labels)},
                         {"targets", targets},
                         {"relevant", relevant},
                         {"self_loops", dataset.self_loops},
                         {"duplicate_edges", dataset.duplicate_edges}};
  try {
    return metadata.dump();
  } catch (const json::exception& error) {
    core::fail("{}: cannot pack: a name or label value is not UTF-8 text ({})", path, error.what());
  }
}

/// Graph ids go into tensors, not into the header: there may be millions, and a header is parsed at every opening.
struct PackedIds {
  std::vector<uint8_t> bytes;
  std::vector<int64_t> offsets{0};
};

PackedIds pack_ids(const std::vector<std::string>& ids, const std::string& path) {
  PackedIds packed;
  for (const std::string& id : ids) {
    DOTIN_CHECK(io::is_utf8(id), "{}: cannot pack: graph id {} is not UTF-8 text", path, io::excerpt(id));
    packed.bytes.insert(packed.bytes.end(), id.begin(), id.end());
    packed.offsets.push_back(static_cast<int64_t>(packed.bytes.size()));
  }
  return packed;
}

/// One packed file being opened: every look-up checks type and shape.
class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path) {
    const auto found = file_.metadata().find(kKey);
    DOTIN_CHECK(found != file_.metadata().end(),
                "{}: a safetensors file, but not a packed dataset (no '{}' in its metadata); make one with `dotin data "
                "pack`",
                path, kKey);
    try {
      metadata_ = json::parse(found->second);
    } catch (const json::exception& error) {
      core::fail("{}: the metadata '{}' is not JSON ({}); pack the data again", path, kKey, error.what());
    }
  }

  Dataset read() {
    try {
      return read_checked();
    } catch (const json::exception& error) {
      core::fail("{}: the metadata '{}' is not as expected ({}); pack the data again", file_.path(), kKey,
                 error.what());
    }
  }

 private:
  Dataset read_checked() {
    const auto version = metadata_.at("version").get<int64_t>();
    DOTIN_CHECK(version <= kVersion,
                "{}: packed format version {}, this dotin knows up to {}; use a newer dotin or pack the data again",
                file_.path(), version, kVersion);
    require(version >= 1, "the format version is not positive");

    Dataset dataset;
    dataset.name = metadata_.at("name").get<std::string>();
    dataset.self_loops = metadata_.at("self_loops").get<int64_t>();
    dataset.duplicate_edges = metadata_.at("duplicate_edges").get<int64_t>();
    read_structure(dataset);
    const int64_t nodes = dataset.nodes(), edges = dataset.directed_edges();
    dataset.node_labels = labels("node_labels", nodes);
    dataset.edge_labels = labels("edge_labels", edges);
    dataset.node_attributes = table("node_attributes", nodes);
    dataset.edge_attributes = table("edge_attributes", edges);
    read_targets(dataset);
    read_ids(dataset);
    return dataset;
  }

  void read_structure(Dataset& dataset) {
    dataset.node_offsets = vector<int64_t>("node_offsets");
    dataset.row_offsets = vector<int64_t>("row_offsets");
    dataset.neighbours = vector<int32_t>("neighbours");
    const core::Array<int64_t>& firsts = dataset.node_offsets;
    const core::Array<int64_t>& rows = dataset.row_offsets;
    require(!firsts.empty() && firsts.front() == 0 && std::is_sorted(firsts.begin(), firsts.end()),
            "node_offsets do not rise from 0");
    require(firsts.back() < std::numeric_limits<int32_t>::max(), "too many nodes");
    require(static_cast<int64_t>(rows.size()) == firsts.back() + 1, "row_offsets do not fit the number of nodes");
    // Only where graphs meet: the rest is checked graph by graph, as they are used.
    int64_t previous = 0;
    for (const int64_t first : firsts) {
      const int64_t row = rows[static_cast<std::size_t>(first)];
      require(row >= previous, "row_offsets do not rise");
      previous = row;
    }
    require(rows.front() == 0 && rows.back() == dataset.directed_edges(),
            "row_offsets do not fit the number of neighbours");
  }

  void read_targets(Dataset& dataset) {
    const json& targets = metadata_.at("targets");
    for (std::size_t i = 0; i < targets.size(); ++i) {
      io::Target target;
      target.name = targets[i].at("name").get<std::string>();
      target.width = targets[i].at("width").get<int64_t>();
      target.names = targets[i].at("class_names").get<std::vector<std::string>>();
      target.values = shaped<double>(numbered("targets", i), {dataset.graphs(), target.width});
      const auto names_one = [&](double value) {
        return std::isnan(value) ||
               (value >= 0 && value < static_cast<double>(target.names.size()) && value == std::floor(value));
      };
      require(target.names.empty() || std::all_of(target.values.begin(), target.values.end(), names_one),
              "a target has a class without a name");
      dataset.targets.push_back(std::move(target));
    }
    const json& relevant = metadata_.at("relevant");
    for (std::size_t i = 0; i < relevant.size(); ++i) {
      dataset.relevant.push_back(
          {relevant[i].get<std::string>(), shaped<uint8_t>(numbered("relevant", i), {dataset.nodes()})});
    }
  }

  void read_ids(Dataset& dataset) {
    if (!file_.has("graph_ids")) return;
    const auto bytes = vector<uint8_t>("graph_ids");
    const auto offsets = shaped<int64_t>("graph_id_offsets", {dataset.graphs() + 1});
    require(offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
                offsets.back() == static_cast<int64_t>(bytes.size()),
            "graph_id_offsets do not rise from 0 to the end of graph_ids");
    for (int64_t graph = 0; graph < dataset.graphs(); ++graph) {
      const auto* const start = bytes.data() + offsets[static_cast<std::size_t>(graph)];
      dataset.graph_ids.emplace_back(start, bytes.data() + offsets[static_cast<std::size_t>(graph) + 1]);
      require(io::is_utf8(dataset.graph_ids.back()), fmt::format("the id of graph {} is not UTF-8 text", graph));
    }
  }

  std::vector<io::LabelColumn> labels(const char* name, int64_t rows) {
    const json& columns = metadata_.at(name);
    std::vector<io::LabelColumn> result;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      io::LabelColumn column;
      column.name = columns[i].at("name").get<std::string>();
      column.values = columns[i].at("values").get<std::vector<std::string>>();
      column.codes = shaped<int32_t>(numbered(name, i), {rows});
      result.push_back(std::move(column));
    }
    return result;
  }

  io::FloatTable table(const char* name, int64_t rows) {
    if (!file_.has(name)) return {};
    const std::vector<int64_t>& shape = file_.get(name).shape;
    require(shape.size() == 2 && shape[0] == rows && shape[1] > 0, fmt::format("{} has the wrong shape", name));
    return {shape[1], file_.array<float>(name)};
  }

  template <class T>
  core::Array<T> vector(const std::string& name) {
    require(file_.get(name).shape.size() == 1, fmt::format("{} has the wrong shape", name));
    return file_.array<T>(name);
  }

  template <class T>
  core::Array<T> shaped(const std::string& name, const std::vector<int64_t>& shape) {
    require(file_.get(name).shape == shape, fmt::format("{} has the wrong shape", name));
    return file_.array<T>(name);
  }

  void require(bool good, const std::string& what) const {
    DOTIN_CHECK(good, "{}: damaged: {}; pack the data again", file_.path(), what);
  }

  io::SafetensorsFile file_;
  json metadata_;
};

}  // namespace

void write_packed(const Dataset& dataset, const std::string& path) {
  const int64_t graphs = dataset.graphs(), nodes = dataset.nodes(), edges = dataset.directed_edges();
  std::vector<io::TensorToWrite> tensors;
  const auto add = [&](std::string name, std::vector<int64_t> shape, const auto& values) {
    tensors.push_back(io::tensor_to_write(std::move(name), std::move(shape), values.data()));
  };
  add("node_offsets", {graphs + 1}, dataset.node_offsets);
  add("row_offsets", {nodes + 1}, dataset.row_offsets);
  add("neighbours", {edges}, dataset.neighbours);
  for (std::size_t i = 0; i < dataset.node_labels.size(); ++i) {
    add(numbered("node_labels", i), {nodes}, dataset.node_labels[i].codes);
  }
  for (std::size_t i = 0; i < dataset.edge_labels.size(); ++i) {
    add(numbered("edge_labels", i), {edges}, dataset.edge_labels[i].codes);
  }
  const io::FloatTable& node_table = dataset.node_attributes;
  if (node_table.columns > 0) add("node_attributes", {nodes, node_table.columns}, node_table.values);
  const io::FloatTable& edge_table = dataset.edge_attributes;
  if (edge_table.columns > 0) add("edge_attributes", {edges, edge_table.columns}, edge_table.values);
  for (std::size_t i = 0; i < dataset.targets.size(); ++i) {
    add(numbered("targets", i), {graphs, dataset.targets[i].width}, dataset.targets[i].values);
  }
  for (std::size_t i = 0; i < dataset.relevant.size(); ++i) {
    add(numbered("relevant", i), {nodes}, dataset.relevant[i].nodes);
  }
  const PackedIds ids = pack_ids(dataset.graph_ids, path);
  if (!dataset.graph_ids.empty()) {
    add("graph_ids", {static_cast<int64_t>(ids.bytes.size())}, ids.bytes);
    add("graph_id_offsets", {graphs + 1}, ids.offsets);
  }
  io::write_safetensors(path, tensors, {{kKey, metadata_of(dataset, path)}});
}

Dataset open_packed(const std::string& path) { return Reader(path).read(); }

}  // namespace dotin::data
