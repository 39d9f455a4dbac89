// Where named datasets are: the user's cache and $DOTIN_DATA. Downloads: get.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dotin::data {

/// $XDG_CACHE_HOME/dotin/datasets, or ~/.cache/dotin/datasets.
std::string cache_folder();

/// Where named datasets are looked for, in this order: the folders of $DOTIN_DATA (colon-separated), then the cache.
std::vector<std::string> search_folders();

/// The path of a dataset given by name (NAME, NAME.zip, NAME.jsonl, NAME.safetensors or a folder NAME), looked for in
/// search_folders(); empty if nowhere.
std::string find_by_name(const std::string& name);

struct KnownDataset {
  std::string name;
  int64_t graphs;
  int64_t classes;
  std::string about;
};
/// Datasets of the TU collection worth knowing, for `dotin data list`.
const std::vector<KnownDataset>& known_datasets();

/// Datasets found in search_folders(): name and path, by name.
std::vector<std::pair<std::string, std::string>> local_datasets();

}  // namespace dotin::data
