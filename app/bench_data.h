// What is measured on where no data is given.
#pragma once

#include <memory>
#include <string>

#include "context.h"
#include "dotin/data/dataset.h"

namespace dotin::app {

/// The dataset of that path or name; for an empty one, generated graphs.
std::shared_ptr<const data::Dataset> open_or_generate(const std::string& path, Context& context);

}  // namespace dotin::app
