#include "dotin/data/catalog.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "dotin/core/error.h"
#include "dotin/io/csv.h"

namespace dotin::data {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEndings[] = {"", ".zip", ".jsonl", ".safetensors"};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Empty where the user has no home.
std::string cache_folder_or_none() {
  const std::string cache = environment("XDG_CACHE_HOME");
  if (!cache.empty() && cache.front() == '/') return cache + "/dotin/datasets";  // XDG: relative ones are ignored
  std::string home = environment("HOME");
  if (home.empty()) {
    const passwd* const user = ::getpwuid(::getuid());
    if (user != nullptr && user->pw_dir != nullptr) home = user->pw_dir;
  }
  return home.empty() ? "" : home + "/.cache/dotin/datasets";
}

bool is_data_folder(const fs::path& folder) {
  if (io::is_csv_folder(folder.string())) return true;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() > 6 && name.compare(name.size() - 6, 6, "_A.txt") == 0) return true;
  }
  return false;
}

/// The name by which the thing at this path can be asked for; empty if it is no dataset.
std::string dataset_name(const fs::path& path) {
  const std::string file = path.filename().string();
  if (file.empty() || file.front() == '.') return "";
  std::error_code error;
  if (fs::is_directory(path, error)) return is_data_folder(path) ? file : "";
  const std::string ending = path.extension().string();
  const bool known = std::find(std::begin(kEndings) + 1, std::end(kEndings), ending) != std::end(kEndings);
  return known ? path.stem().string() : "";
}

}  // namespace

std::string cache_folder() {
  const std::string folder = cache_folder_or_none();
  DOTIN_CHECK(!folder.empty(), "no place for the download cache: set HOME or XDG_CACHE_HOME");
  return folder;
}

std::vector<std::string> search_folders() {
  std::vector<std::string> folders;
  const std::string listed = environment("DOTIN_DATA");
  for (std::size_t from = 0; from <= listed.size();) {
    const std::size_t colon = std::min(listed.find(':', from), listed.size());
    if (colon > from) folders.push_back(listed.substr(from, colon - from));
    from = colon + 1;
  }
  const std::string cache = cache_folder_or_none();
  if (!cache.empty()) folders.push_back(cache);
  return folders;
}

std::string find_by_name(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) return "";
  for (const std::string& folder : search_folders()) {
    for (const char* ending : kEndings) {
      const fs::path path = fs::path(folder) / (name + ending);
      std::error_code error;
      const fs::file_status status = fs::status(path, error);
      if (fs::is_directory(status) ? is_data_folder(path) : fs::exists(status)) return path.string();
    }
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> local_datasets() {
  std::set<std::string> names;
  for (const std::string& folder : search_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = dataset_name(entry.path());
      if (!name.empty()) names.insert(name);
    }
  }
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& name : names) found.emplace_back(name, find_by_name(name));
  return found;
}

const std::vector<KnownDataset>& known_datasets() {
  static const std::vector<KnownDataset> known{
      {"AIDS", 2000, 2, "molecules, active against HIV or not"},
      {"BZR", 405, 2, "molecules, ligands of the benzodiazepine receptor"},
      {"COLLAB", 5000, 3, "collaborations of physicists, by field; no node labels"},
      {"COX2", 467, 2, "molecules, cyclooxygenase-2 inhibitors"},
      {"DD", 1178, 2, "protein structures, enzymes or not; amino acids are nodes"},
      {"DHFR", 756, 2, "molecules, inhibitors of dihydrofolate reductase"},
      {"ENZYMES", 600, 6, "protein structures, by enzyme class"},
      {"FRANKENSTEIN", 4337, 2, "molecules, mutagenic or not; 780 attributes per node"},
      {"IMDB-BINARY", 1000, 2, "actors that appear together, by genre; no node labels"},
      {"IMDB-MULTI", 1500, 3, "actors that appear together, by genre; no node labels"},
      {"MUTAG", 188, 2, "molecules, mutagenic or not; small, for a first try"},
      {"Mutagenicity", 4337, 2, "molecules, mutagenic or not"},
      {"NCI1", 4110, 2, "molecules, active against lung cancer cells or not"},
      {"NCI109", 4127, 2, "molecules, active against ovarian cancer cells or not"},
      {"PROTEINS", 1113, 2, "protein structures, enzymes or not; secondary structure elements are nodes"},
      {"PTC_FM", 349, 2, "molecules, carcinogenic to female mice or not"},
      {"PTC_FR", 351, 2, "molecules, carcinogenic to female rats or not"},
      {"PTC_MM", 336, 2, "molecules, carcinogenic to male mice or not"},
      {"PTC_MR", 344, 2, "molecules, carcinogenic to male rats or not"},
      {"REDDIT-BINARY", 2000, 2, "discussion threads, by kind of community; no node labels"},
      {"REDDIT-MULTI-5K", 4999, 5, "discussion threads, by community; no node labels"},
  };
  return known;
}

}  // namespace dotin::data
