#include "dotin/readout/readout.h"

#include "dotin/core/registry.h"
#include "dotin/readout/readouts.h"

namespace dotin::readout {

namespace {

using Factory = std::unique_ptr<Readout> (*)(const ReadoutOptions&);

template <class T>
std::unique_ptr<Readout> make(const ReadoutOptions& options) {
  return std::make_unique<T>(options);
}

const core::Registry<Factory>& registry() {
  static const core::Registry<Factory> readouts("read-out", {
                                                                {"mean", make<Mean>},
                                                                {"sum", make<Sum>},
                                                                {"max", make<Max>},
                                                                {"mean_max", make<MeanMax>},
                                                                {"set2set", make<Set2Set>},
                                                                {"sortpool", make<SortReadout>},
                                                                {"sagpool", make<SagReadout>},
                                                            });
  return readouts;
}

}  // namespace

std::unique_ptr<Readout> make_readout(const std::string& name, const ReadoutOptions& options) {
  return registry().get(name)(options);
}

}  // namespace dotin::readout
