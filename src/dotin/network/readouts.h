// What there is to know about each read-out.
#pragma once

#include <string>
#include <vector>

namespace dotin::network {

struct ReadoutAbout {
  std::string name;
  bool all_layers_by_node = false;  // puts the rows of all layers side by side: no node may have left between them
};

/// Those that read the rows of all nodes; virtual nodes are read without one.
const std::vector<ReadoutAbout>& readouts();

std::vector<std::string> readout_names();

/// False for "virtual", too.
bool reads_all_layers_by_node(const std::string& name);

}  // namespace dotin::network
