#include "dotin/training/run_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>

#include "dotin/core/error.h"
#include "dotin/io/atomic_file.h"
#include "dotin/network/config.h"

namespace dotin::training {

namespace fs = std::filesystem;

namespace {

// Ten folds of a million epochs: no run has more.
constexpr int64_t kMaxMetricsBytes = int64_t{4} << 30;

/// Only letters, digits, _ . and -, the last two never in front.
std::string file_name_of(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c == '.' && !result.empty());
    if (plain) {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

/// "DD" of DD, data/DD/, data/DD.zip
std::string data_name(const std::string& data) {
  fs::path path(data);
  if (path.filename().empty()) path = path.parent_path();
  const std::string name = file_name_of(path.stem().string());
  return name.empty() ? "run" : name;
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  DOTIN_CHECK(!error, "{}: cannot make the folder: {}", path, error.message());
}

constexpr const char* kLock = ".lock";

/// Whether nothing is in the folder but what a run that was killed at its start may have left.
bool is_unused(const std::string& path) {
  std::error_code error;
  bool unused = true;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    unused = unused && (name == kLock || io::is_temporary_name(name));
  }
  DOTIN_CHECK(!error, "{}: cannot read the folder: {}", path, error.message());
  return unused;
}

void check_unused(const std::string& path) {
  DOTIN_CHECK(is_unused(path), "{}: the folder is not empty; choose another, or continue the run in it with `resume`",
              path);
}

/// A field of a CSV line: in quotes where it has to be.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string header_of(const std::vector<std::string>& columns) {
  std::string header = "fold,epoch,lr,drop_factor,train_loss,validation_loss,seconds";
  for (const std::string& column : columns) header += "," + csv_field(column);
  return header + "\n";
}

/// The first two fields of a row; nothing if they are not numbers.
std::optional<std::pair<int64_t, int64_t>> fold_and_epoch(std::string_view line) {
  int64_t fold = 0, epoch = 0;
  const char* const end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, fold);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ',') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, epoch);
  if (second.ec != std::errc() || second.ptr == end || *second.ptr != ',') return std::nullopt;
  return std::pair{fold, epoch};
}

}  // namespace

std::string default_run_name(const std::string& data, const std::vector<std::string>& tasks, std::time_t time) {
  std::tm local{};
  ::localtime_r(&time, &local);
  char stamp[32] = {};
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  std::string name = data_name(data);
  for (const std::string& task : tasks) {
    // [NAME=]KIND[:TARGET][*WEIGHT]: NAME, or KIND
    name += "-" + file_name_of(task.substr(0, task.find_first_of("=:*")));
  }
  return name + "-" + stamp;
}

RunFolder::RunFolder(std::string path)
    : path_(std::move(path)), lock_(std::make_shared<const io::FileLock>(file(kLock), path_)) {
  io::remove_stale_temporaries(path_);
}

RunFolder RunFolder::create(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error)) {
    DOTIN_CHECK(fs::is_directory(path, error), "{}: is a file; give the run a folder of its own", path);
    // Where a run may be at work, who it is says more than that the folder is not empty.
    if (!fs::exists(path + "/" + kLock, error)) check_unused(path);
  }
  make_folder(path);
  RunFolder folder(path);
  check_unused(path);
  return folder;
}

RunFolder RunFolder::create_numbered(const std::string& root, const std::string& name) {
  make_folder(root);
  for (int number = 1;; ++number) {
    const std::string path = number == 1 ? root + "/" + name : fmt::format("{}/{}-{}", root, name, number);
    std::error_code error;
    // True only for the one that made it, so two runs never share a folder.
    if (fs::create_directory(path, error)) return RunFolder(path);
    std::error_code ignored;
    DOTIN_CHECK(!error || fs::exists(path, ignored), "{}: cannot make the folder: {}", path, error.message());
  }
}

RunFolder RunFolder::open(const std::string& path) {
  std::error_code error;
  DOTIN_CHECK(fs::is_directory(path, error), "{}: no such run folder", path);
  DOTIN_CHECK(fs::is_regular_file(path + "/config.toml", error),
              "{}: no run to continue: there is no config.toml in it", path);
  return RunFolder(path);
}

void RunFolder::write_config(const network::RunOptions& options, const network::ValuesUsed& used) const {
  write("config.toml", network::to_toml(options, used));
}

std::string RunFolder::config_text() const { return io::read_file(file("config.toml"), network::kMaxConfigBytes); }

void RunFolder::write_result(const nlohmann::json& result) const {
  // The folder's own path is in it, and may have any bytes.
  write("result.json", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void RunFolder::write(const std::string& name, const std::string& content) const {
  io::write_file_atomically(file(name), content, io::Folders::must_exist);
}

MetricsFile::MetricsFile(std::string path, std::vector<std::string> columns)
    : path_(std::move(path)), columns_(columns.size()) {
  const std::string header = header_of(columns);
  std::error_code error;
  if (!fs::exists(path_, error)) {
    io::write_file_atomically(path_, header, io::Folders::must_exist);
  } else {
    const std::string content = io::read_file(path_, kMaxMetricsBytes);
    DOTIN_CHECK(content.compare(0, header.size(), header) == 0,
                "{}:1: the columns differ from those of this run: it is the file of another run", path_);
    const std::size_t complete = content.rfind('\n') + 1;
    if (complete < content.size())
      io::write_file_atomically(path_, content.substr(0, complete), io::Folders::must_exist);
  }
  open();
}

MetricsFile::~MetricsFile() { close(); }

void MetricsFile::open() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  DOTIN_CHECK(file_ >= 0, "{}: cannot write: {}", path_, std::generic_category().message(errno));
}

void MetricsFile::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void MetricsFile::append(const MetricsRow& row) {
  DOTIN_ASSERT(row.values.size() == columns_);
  std::string line = fmt::format("{},{},{},{},{},{},{}", row.fold, row.epoch, row.lr, row.drop_factor, row.train_loss,
                                 row.validation_loss, row.seconds);
  for (const double value : row.values) line += fmt::format(",{}", value);
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = ::write(file_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    DOTIN_CHECK(written > 0, "{}: cannot write: {}", path_, std::generic_category().message(errno));
    done += static_cast<std::size_t>(written);
  }
}

void MetricsFile::truncate_after(int64_t fold, int64_t epoch) {
  const std::string content = io::read_file(path_, kMaxMetricsBytes);
  std::size_t from = content.find('\n') + 1;
  std::string kept = content.substr(0, from);
  for (int64_t number = 2; from < content.size(); ++number) {
    const std::size_t end = content.find('\n', from);
    if (end == std::string::npos) break;
    const std::string_view line(content.data() + from, end + 1 - from);
    const auto place = fold_and_epoch(line);
    DOTIN_CHECK(place.has_value(), "{}:{}: not a row of metrics: it must start with fold,epoch", path_, number);
    if (*place <= std::pair{fold, epoch}) kept += line;
    from = end + 1;
  }
  close();
  io::write_file_atomically(path_, kept, io::Folders::must_exist);
  open();
}

}  // namespace dotin::training
