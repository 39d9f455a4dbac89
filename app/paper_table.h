// The sizes that the paper's table 2 states, to tell at a glance whether a copy of a dataset is the same data.
#pragma once

#include <string>

#include "dotin/data/check.h"

namespace dotin::app {

/// One sentence for a dataset named in the paper's table 2; empty for others.
std::string compare_with_paper(const data::Summary& summary);

}  // namespace dotin::app
