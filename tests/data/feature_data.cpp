#include "feature_data.h"

namespace dotin::testing {

std::shared_ptr<const data::Dataset> dataset_of(bool labels, bool attributes) {
  io::Records records;
  records.name = "test";
  records.node_offsets = {0, 4, 8};
  records.edge_from = {0, 1, 2, 2, 4, 5, 6, 6};
  records.edge_to = {1, 2, 0, 3, 5, 6, 4, 7};
  if (labels) {
    records.node_labels.push_back({"label", std::vector<int32_t>{0, 2, 0, 1, 0, 2, 0, 1}, {"6", "7", "8"}});
  }
  if (attributes) {
    records.node_attributes = {2, std::vector<float>{1, 5, 2, 5, 3, 5, 4, 5, 1000, 7, 1000, 7, 1000, 7, 1000, 7}};
  }
  return std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
}

Encoded encode(const data::FeatureMap& map, const data::Dataset& dataset, int64_t index, data::UnknownLabels unknown) {
  const data::FeatureEncoder encoder(map, dataset, unknown);
  const data::GraphView graph = dataset.graph(index);
  Encoded result;
  result.codes.resize(static_cast<std::size_t>(graph.nodes * map.codes_per_node()), -99);
  result.dense.resize(static_cast<std::size_t>(graph.nodes * map.dense_width()), -99.f);
  encoder.encode(dataset, graph, result.codes.data(), result.dense.data());
  return result;
}

data::Dataset other_data(const std::vector<std::string>& values) {
  io::Records records;
  records.name = "other";
  records.node_offsets = {0, 3};
  records.node_labels.push_back({"extra", std::vector<int32_t>{0, 0, 0}, {"z"}});
  records.node_labels.push_back({"label", std::vector<int32_t>{0, 1, 2}, values});
  return data::build_dataset(std::move(records), data::DuplicatePolicy::merge);
}

}  // namespace dotin::testing
