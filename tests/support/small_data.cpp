#include "support/small_data.h"

#include <cmath>

#include "dotin/core/error.h"

namespace dotin::testing {

io::Records small_records(int64_t graphs) {
  io::Records records;
  records.name = "small";
  std::vector<int32_t> codes;
  std::vector<float> attributes;
  std::vector<double> label, kind, numbers, tox;
  for (int64_t g = 0; g < graphs; ++g) {
    const bool path = g % 2 == 1;
    const auto first = static_cast<int32_t>(records.nodes());
    const int32_t nodes = g == 3 ? 1 : 5 + static_cast<int32_t>(g / 2 % 4);
    for (int32_t i = 0; i < nodes; ++i) {
      codes.push_back((i + static_cast<int32_t>(g)) % 3);
      attributes.push_back(static_cast<float>(i) - 0.25f * static_cast<float>(g % 7));
      if (i + 1 == nodes && (path || nodes < 3)) break;
      records.edge_from.push_back(first + i);
      records.edge_to.push_back(first + (i + 1) % nodes);
    }
    records.node_offsets.push_back(first + nodes);
    const double missing = std::nan("");
    const bool has = g != 4;
    label.push_back(has ? (path ? 1 : -1) : missing);
    kind.push_back(has ? (path ? 0 : 1) : missing);
    numbers.push_back(has ? nodes : missing);
    numbers.push_back(has ? (path ? nodes - 1 : nodes) : missing);
    tox.push_back(has && g % 5 != 1 ? (path ? 1 : 0) : missing);
    tox.push_back(has ? static_cast<double>(nodes % 2) : missing);
  }
  records.node_labels.push_back({"atom", std::move(codes), {"C", "N", "O"}});
  records.node_attributes = {1, std::move(attributes)};
  records.targets.push_back({"label", 1, std::move(label), {}});
  records.targets.push_back({"kind", 1, std::move(kind), {"path", "ring"}});
  records.targets.push_back({"attributes", 2, std::move(numbers), {}});
  records.targets.push_back({"tox", 2, std::move(tox), {}});
  return records;
}

std::shared_ptr<const data::Dataset> small_dataset(int64_t graphs) {
  return std::make_shared<const data::Dataset>(
      data::build_dataset(small_records(graphs), data::DuplicatePolicy::merge));
}

std::shared_ptr<const data::Dataset> featureless_dataset(int64_t graphs) {
  io::Records records = small_records(graphs);
  records.node_labels.clear();
  records.node_attributes = {};
  return std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
}

std::shared_ptr<const data::Dataset> dataset_with(std::vector<io::Target> targets) {
  io::Records records;
  records.name = "given";
  const std::size_t graphs = targets.at(0).values.size() / static_cast<std::size_t>(targets[0].width);
  for (std::size_t g = 0; g < graphs; ++g) records.node_offsets.push_back(static_cast<int64_t>(g) + 1);
  records.targets = std::move(targets);
  return std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
}

}  // namespace dotin::testing
