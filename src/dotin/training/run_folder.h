// The folder of one run: config.toml, metrics.csv, result.json and what else a run leaves (docs/formats.md).
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dotin/io/file_lock.h"
#include "dotin/network/config.h"

namespace dotin::training {

/// "DD-classify-ged-20240131-235959" in local time. data may be a path; characters that are awkward in a file name
/// become '-'.
std::string default_run_name(const std::string& data, const std::vector<std::string>& tasks, std::time_t time);

/// Locked as long as it or a copy of it lives: no other run may write there. What a killed run has left half written is
/// removed. A folder that goes missing is not made again: writing into it is a core::Error then.
class RunFolder {
 public:
  /// A new folder, or one that is there and empty. core::Error for one with anything in it: a run never mixes with
  /// another. core::Error that says who has it where another run is in it.
  static RunFolder create(const std::string& path);

  /// root/name, or root/name-2, root/name-3 ... where that is taken, be it by a run started at the same moment.
  static RunFolder create_numbered(const std::string& root, const std::string& name);

  /// A folder that a run has left; core::Error if there is no config.toml in it, or a run at work.
  static RunFolder open(const std::string& path);

  const std::string& path() const { return path_; }
  /// path()/name
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  void write_config(const network::RunOptions& options, const network::ValuesUsed& used = {}) const;
  /// What is in config.toml: options, and as comments what was used.
  std::string config_text() const;
  void write_result(const nlohmann::json& result) const;
  /// Writes path()/name.
  void write(const std::string& name, const std::string& content) const;

 private:
  explicit RunFolder(std::string path);

  std::string path_;
  std::shared_ptr<const io::FileLock> lock_;
};

/// One line of metrics.csv: an epoch of a fold (fold 0 where there is but one).
struct MetricsRow {
  int64_t fold = 0, epoch = 0;
  double lr = 0, drop_factor = 1, train_loss = 0, validation_loss = 0, seconds = 0;
  std::vector<double> values;  // one per column
};

/// metrics.csv. A row is in the file when append returns, whatever happens next. Numbers are the shortest that read
/// back exactly; missing ones are nan. Nothing but `seconds` depends on when or how fast a run was.
class MetricsFile {
 public:
  /// columns are split.task.metric, after the fixed fold, epoch, lr, drop_factor, train_loss, validation_loss, seconds.
  /// A new file gets the header; one that is there must have the same (core::Error), and loses a last line that was cut
  /// short.
  MetricsFile(std::string path, std::vector<std::string> columns);
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  void append(const MetricsRow& row);

  /// Removes all rows of later folds, and of this fold all later epochs, so that a run resumed behind (fold, epoch)
  /// ends with the file of a run that never stopped. epoch -1 removes the whole fold. The file is replaced at once.
  void truncate_after(int64_t fold, int64_t epoch);

 private:
  void open();
  void close();

  std::string path_;
  std::size_t columns_;
  int file_ = -1;
};

}  // namespace dotin::training
