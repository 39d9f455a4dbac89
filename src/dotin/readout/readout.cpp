#include "dotin/readout/readout.h"

#include "dotin/core/error.h"
#include "dotin/readout/readouts.h"

namespace dotin::readout {

std::unique_ptr<Readout> make_readout(dotin::Readout name, const ReadoutOptions& options) {
  switch (name) {
    case dotin::Readout::mean:
      return std::make_unique<Mean>(options);
    case dotin::Readout::sum:
      return std::make_unique<Sum>(options);
    case dotin::Readout::max:
      return std::make_unique<Max>(options);
    case dotin::Readout::mean_max:
      return std::make_unique<MeanMax>(options);
    case dotin::Readout::set2set:
      return std::make_unique<Set2Set>(options);
    case dotin::Readout::sortpool:
      return std::make_unique<SortReadout>(options);
    case dotin::Readout::sagpool:
      return std::make_unique<SagReadout>(options);
    case dotin::Readout::automatic:
    case dotin::Readout::virtual_nodes:
      break;
  }
  DOTIN_ASSERT(false);
}

}  // namespace dotin::readout
