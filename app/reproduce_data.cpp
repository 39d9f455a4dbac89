#include "reproduce_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "dotin/core/error.h"
#include "dotin/data/catalog.h"
#include "dotin/data/generate.h"
#include "dotin/data/open.h"
#include "dotin/io/download.h"
#include "dotin/io/jsonl.h"
#include "reproduce/settings.h"

namespace dotin::app {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kGeneratedGraphs = 300;

bool is_here(const std::string& data) { return fs::exists(data) || !data::find_by_name(data).empty(); }

}  // namespace

ReproduceData::ReproduceData(std::string folder, const std::string& extra) : folder_(std::move(folder)) {
  std::string folders = fs::absolute(folder_ + "/data").string();
  if (!extra.empty()) {
    DOTIN_CHECK(fs::is_directory(extra), "--data {}: there is no such folder", extra);
    folders += ":" + fs::absolute(extra).string();
  }
  const char* const given = std::getenv("DOTIN_DATA");
  if (given != nullptr) folders += std::string(":") + given;
  setenv("DOTIN_DATA", folders.c_str(), 1);
}

void ReproduceData::require(const std::vector<std::string>& datasets) {
  for (const std::string& data : datasets) {
    if (data == reproduce::kGenerated && !is_here(data)) {
      data::GenerateOptions options;
      options.graphs = kGeneratedGraphs;
      core::NoProgress silent;
      io::write_jsonl(data::generate(data, options, silent), folder_ + "/data/" + data + ".jsonl");
    }
    data::resolve(data);
  }
  known_.clear();
}

std::string ReproduceData::fingerprint(const std::string& data) { return known(data).fingerprint; }

double ReproduceData::bytes(const std::string& data) { return known(data).bytes; }

const ReproduceData::Known& ReproduceData::known(const std::string& data) {
  const auto found = known_.find(data);
  if (found != known_.end()) return found->second;
  if (!is_here(data)) return known_[data] = {"", 0};
  const std::string path = data::resolve(data);
  if (!fs::is_directory(path))
    return known_[data] = {io::sha256_of_file(path), static_cast<double>(fs::file_size(path))};
  std::vector<std::string> files;
  double bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (!entry.is_regular_file()) continue;
    files.push_back(fmt::format("{}:{}", entry.path().filename().string(), entry.file_size()));
    bytes += static_cast<double>(entry.file_size());
  }
  std::sort(files.begin(), files.end());
  return known_[data] = {fmt::format("{}", fmt::join(files, " ")), bytes};
}

}  // namespace dotin::app
