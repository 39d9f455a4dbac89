#include "dotin/options.h"

#include "dotin/network/run_options.h"

namespace dotin {

Options defaults(Preset preset) { return network::options_of(network::preset(preset)); }

}  // namespace dotin
