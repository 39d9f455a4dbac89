// The zip half of file_set.h.
#pragma once

#include <memory>
#include <string>

#include "dotin/io/file_set.h"

namespace dotin::io {

std::unique_ptr<FileSet> open_zip(const std::string& path, const Limits& limits);

/// True if a part of the name starts with a dot or is __MACOSX: never data.
bool is_clutter(const std::string& name);

}  // namespace dotin::io
