// The packed form of a dataset: one safetensors file, memory-mapped, open in milliseconds whatever its size
// (docs/formats.md).
#pragma once

#include <memory>
#include <string>

#include "dotin/data/dataset.h"

namespace dotin::data {

void write_packed(const Dataset& dataset, const std::string& path);

/// Maps the file; checks names, types, shapes and that offsets rise, but leaves the neighbours unread: build_batch
/// checks those as it goes.
Dataset open_packed(const std::string& path);

}  // namespace dotin::data
