#include "batch/random_dataset.h"

#include <string>
#include <utility>

#include "dotin/core/random.h"

namespace dotin::testing {

std::shared_ptr<const data::Dataset> random_dataset(uint64_t seed, int64_t graphs, data::DuplicatePolicy duplicates,
                                                    int64_t least_nodes) {
  core::Rng rng(seed);
  io::Records records;
  records.name = "random";
  std::vector<double> label, energy;
  for (int64_t g = 0; g < graphs; ++g) {
    const int64_t first = records.nodes();
    const int64_t nodes = least_nodes + rng.below(9);
    for (int64_t u = 0; u < nodes; ++u) {
      for (int64_t v = u + 1; v < nodes; ++v) {
        for (int64_t copies = rng.below(3) == 0 ? 1 + rng.below(3) : 0; copies > 0; --copies) {
          records.edge_from.push_back(static_cast<int32_t>(first + u));
          records.edge_to.push_back(static_cast<int32_t>(first + v));
        }
      }
    }
    records.node_offsets.push_back(first + nodes);
    label.push_back(static_cast<double>(g % 2));
    energy.push_back(rng.normal());
  }
  for (const char* name : {"atom", "charge"}) {
    std::vector<int32_t> codes;
    for (int64_t i = 0; i < records.nodes(); ++i) codes.push_back(static_cast<int32_t>(i < 3 ? i % 3 : rng.below(3)));
    io::LabelColumn column;
    column.name = name;
    column.codes = std::move(codes);
    column.values = {"-1", "0", "4"};
    records.node_labels.push_back(std::move(column));
  }
  std::vector<float> attributes;
  for (int64_t i = 0; i < records.nodes(); ++i) attributes.push_back(static_cast<float>(rng.normal()));
  records.node_attributes = {1, std::move(attributes)};
  records.targets.push_back({"label", 1, std::move(label), {}});
  records.targets.push_back({"energy", 1, std::move(energy), {}});
  return std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), duplicates));
}

}  // namespace dotin::testing
