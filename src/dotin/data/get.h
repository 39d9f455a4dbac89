// Downloads of named datasets. On its own, so that programs that never download do without curl.
#pragma once

#include <string>

#include "dotin/core/progress.h"

namespace dotin::data {

struct GetOptions {
  std::string mirror;  // folder or URL that holds NAME.zip; empty: the TU collection
  bool force = false;  // download even if it is there
};

/// Puts NAME.zip into the cache and returns its path. NAME.zip.sha256 beside it records the checksum at first download;
/// a cached file that no longer matches is an error that says so. With a folder as mirror it copies. A name that could
/// leave the folder (slashes, "..") is refused.
std::string get_dataset(const std::string& name, const GetOptions& options, core::Progress& progress);

}  // namespace dotin::data
