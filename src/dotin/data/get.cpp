#include "dotin/data/get.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "dotin/core/error.h"
#include "dotin/core/log.h"
#include "dotin/data/catalog.h"
#include "dotin/io/atomic_file.h"
#include "dotin/io/download.h"
#include "dotin/io/tu.h"

namespace dotin::data {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCollection = "https://www.chrsmrrs.com/graphkerneldatasets";

/// Holds for names that stay within a folder and need no escaping in a URL.
bool is_plain_name(const std::string& name) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '+' || c == '.';
  };
  return !name.empty() && name.front() != '.' && name.find("..") == std::string::npos &&
         std::all_of(name.begin(), name.end(), plain);
}

bool is_url(const std::string& mirror) { return mirror.find("://") != std::string::npos; }

void copy_from_folder(const std::string& folder, const std::string& name, io::AtomicFile& out,
                      core::Progress& progress) {
  const std::string source = folder + "/" + name + ".zip";
  std::error_code error;
  DOTIN_CHECK(fs::is_regular_file(source, error),
              "{}: no such file; the mirror must be a folder or URL that holds {}.zip", source, name);
  const auto total = static_cast<int64_t>(fs::file_size(source, error));
  std::ifstream in(source, std::ios::binary);
  DOTIN_CHECK(in.good(), "{}: cannot read; check its permissions", source);
  std::string piece(std::size_t{1} << 20, '\0');
  int64_t done = 0;
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0) {
    out.write(piece.data(), static_cast<std::size_t>(in.gcount()));
    done += in.gcount();
    progress.update(done, total, name);
  }
  DOTIN_CHECK(in.eof() && !in.bad() && done == total, "{}: cannot read all of it: {} of {} bytes", source, done, total);
}

void fetch(const std::string& name, const GetOptions& options, io::AtomicFile& file, core::Progress& progress) {
  if (!options.mirror.empty() && !is_url(options.mirror)) {
    copy_from_folder(options.mirror, name, file, progress);
    return;
  }
  std::string base = options.mirror.empty() ? kCollection : options.mirror;
  while (base.back() == '/') base.pop_back();
  try {
    io::download(base + "/" + name + ".zip", file, io::DownloadOptions{}, progress);
  } catch (const core::Error& error) {
    core::fail("{}; or put {}.zip into a folder named by $DOTIN_DATA, or use `mirror` DIR|URL", error.what(), name);
  }
}

/// What came in part, or is another thing, must not be taken for the dataset from now on.
void check_download(const std::string& path, const std::string& name) {
  char start[2] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  DOTIN_CHECK(start[0] == 'P' && start[1] == 'K',
              "{}.zip: what came is not a zip file, and was not kept (a log-in page, perhaps); check the network or "
              "the mirror",
              name);
  try {
    io::check_tu(path, {});
  } catch (const core::Error& error) {
    std::string reason = error.what();
    for (std::size_t at = 0; (at = reason.find(path, at)) != std::string::npos;)
      reason.replace(at, path.size(), name + ".zip");
    core::fail("{}; what came was not kept: check the network or the mirror", reason);
  }
}

std::string recorded_checksum(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return "";
  return io::read_file(path, 4096).substr(0, 64);
}

/// As sha256sum writes it, so that `sha256sum -c` can check it too.
void record_checksum(const std::string& path, const std::string& checksum, const std::string& name) {
  io::write_file_atomically(path, checksum + "  " + name + ".zip\n");
}

}  // namespace

std::string get_dataset(const std::string& name, const GetOptions& options, core::Progress& progress) {
  DOTIN_CHECK(is_plain_name(name), "'{}' cannot be the name of a dataset: letters, digits, '_', '-', '+' and '.' only",
              name);
  const std::string path = cache_folder() + "/" + name + ".zip";
  const std::string checksum_path = path + ".sha256";
  const std::string recorded = recorded_checksum(checksum_path);
  std::error_code error;
  if (fs::exists(path, error) && !options.force) {
    const std::string checksum = io::sha256_of_file(path);
    DOTIN_CHECK(recorded.empty() || recorded == checksum,
                "{}: it is no longer what was downloaded (SHA-256 {}, recorded {}); download it again with `force`",
                path, checksum, recorded);
    if (recorded.empty()) record_checksum(checksum_path, checksum, name);
    return path;
  }

  io::AtomicFile file(path);
  fetch(name, options, file, progress);
  check_download(file.temporary(), name);
  const std::string checksum = io::sha256_of_file(file.temporary());
  if (!recorded.empty() && recorded != checksum) {
    core::log_warning("{}: SHA-256 is now {}, it was {} at the first download", name, checksum, recorded);
  }
  // In this order a new file never stands beside an old checksum, whenever the process is killed.
  fs::remove(checksum_path, error);
  file.commit();
  record_checksum(checksum_path, checksum, name);
  return path;
}

}  // namespace dotin::data
