#include "dotin/data/open.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "dotin/core/error.h"
#include "dotin/core/registry.h"
#include "dotin/data/catalog.h"
#include "dotin/data/packed.h"
#include "dotin/io/csv.h"
#include "dotin/io/jsonl.h"
#include "dotin/io/safetensors.h"
#include "dotin/io/tu.h"

namespace dotin::data {

namespace fs = std::filesystem;

namespace {

bool starts_like_zip(const std::string& path) {
  char start[2] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return start[0] == 'P' && start[1] == 'K';
}

}  // namespace

std::string resolve(const std::string& data) {
  DOTIN_CHECK(!data.empty(), "no dataset given: a path or a name is needed");
  std::error_code ignored;
  if (fs::exists(data, ignored)) return data;
  const std::string found = find_by_name(data);
  if (!found.empty()) return found;

  const bool is_name = data.find('/') == std::string::npos;
  if (!is_name) core::fail("{}: no such file or folder; check the path", data);
  std::vector<std::string> known;
  for (const auto& entry : local_datasets()) known.push_back(entry.first);
  for (const KnownDataset& entry : known_datasets()) known.push_back(entry.name);
  const std::string name = fs::path(data).stem().string();
  core::fail(
      "{}: neither a file or folder here nor a dataset in {}{}; download it with `dotin data get {}`, or set "
      "DOTIN_DATA to the folder that holds it",
      data, fmt::join(search_folders(), ", "), core::suggestion(data, known), name);
}

DataForm form_of(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  DOTIN_CHECK(fs::exists(status), "{}: no such file or folder", path);
  if (fs::is_directory(status)) return io::is_csv_folder(path) ? DataForm::csv : DataForm::tu;
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".zip" || starts_like_zip(path)) return DataForm::tu;
  if (extension == ".safetensors" || io::looks_like_safetensors(path)) return DataForm::packed;
  DOTIN_CHECK(extension != ".csv", "{}: a single CSV file; give the folder that holds edges.csv", path);
  DOTIN_CHECK(extension != ".txt", "{}: a single text file; give the folder or zip with the TU files", path);
  return DataForm::jsonl;
}

io::Records read_records(const std::string& path, DataForm form, const io::Limits& limits, io::ProblemSink& problems) {
  switch (form) {
    case DataForm::tu:
      return io::read_tu(path, limits, problems);
    case DataForm::jsonl:
      return io::read_jsonl(path, limits, problems);
    case DataForm::csv:
      return io::read_csv(path, limits, problems);
    case DataForm::packed:
      break;
  }
  core::fail("{}: a packed file holds a dataset, not records; open it instead", path);
}

std::shared_ptr<const Dataset> open(const std::string& data, const OpenOptions& options) {
  const std::string path = resolve(data);
  return core::naming_file(path, [&] {
    const DataForm form = form_of(path);
    io::ThrowingSink problems;
    Dataset dataset = form == DataForm::packed
                          ? open_packed(path)
                          : build_dataset(read_records(path, form, options.limits, problems), options.duplicates);
    dataset.source = path;
    return std::make_shared<const Dataset>(std::move(dataset));
  });
}

}  // namespace dotin::data
