#include "dotin/network/readouts.h"

#include <algorithm>

namespace dotin::network {

const std::vector<ReadoutAbout>& readouts() {
  static const std::vector<ReadoutAbout> all = {
      {"mean"}, {"sum"}, {"max"}, {"mean_max"}, {"set2set"}, {"sortpool", true}, {"sagpool", true}};
  return all;
}

std::vector<std::string> readout_names() {
  std::vector<std::string> names;
  for (const ReadoutAbout& readout : readouts()) names.push_back(readout.name);
  return names;
}

bool reads_all_layers_by_node(const std::string& name) {
  const std::vector<ReadoutAbout>& all = readouts();
  return std::any_of(all.begin(), all.end(),
                     [&](const ReadoutAbout& readout) { return readout.name == name && readout.all_layers_by_node; });
}

}  // namespace dotin::network
