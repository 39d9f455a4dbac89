// What there is to know about each read-out.
#pragma once

#include <string>
#include <vector>

#include "dotin/options.h"

namespace dotin::network {

struct ReadoutAbout {
  Readout readout;
  std::string name;
  bool all_layers_by_node = false;  // puts the rows of all layers side by side: no node may have left between them
};

const std::vector<ReadoutAbout>& readouts();

const ReadoutAbout& about(Readout readout);

}  // namespace dotin::network
