#include "dotin/network/readouts.h"

namespace dotin::network {

const std::vector<ReadoutAbout>& readouts() {
  static const std::vector<ReadoutAbout> all = {{Readout::automatic, "auto"},
                                                {Readout::virtual_nodes, "virtual"},
                                                {Readout::mean, "mean"},
                                                {Readout::sum, "sum"},
                                                {Readout::max, "max"},
                                                {Readout::mean_max, "mean_max"},
                                                {Readout::set2set, "set2set"},
                                                {Readout::sortpool, "sortpool", true},
                                                {Readout::sagpool, "sagpool", true}};
  return all;
}

const ReadoutAbout& about(Readout readout) { return readouts().at(static_cast<std::size_t>(readout)); }

}  // namespace dotin::network
