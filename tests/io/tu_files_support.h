// Small TU datasets for tests, as files of a folder or of a zip.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dotin/io/problem.h"
#include "dotin/io/records.h"
#include "dotin/io/tu.h"
#include "support/temporary_folder.h"

namespace dotin::io {

/// Content by kind: "A", "graph_indicator", ...
using TuContent = std::map<std::string, std::string>;

/// Two graphs, a path of three nodes and a pair; all eight files.
TuContent small_dataset();

/// Writes them as NAME_<kind>.txt into the folder, and gives its path.
std::string write_dataset(const testing::TemporaryFolder& folder, const TuContent& content);

/// Entries (name, content) into a zip.
using ZipEntries = std::vector<std::pair<std::string, std::string>>;
void make_zip(const std::string& path, const ZipEntries& entries);
/// The same with entries encrypted.
void make_encrypted_zip(const std::string& path, const ZipEntries& entries);
/// small_dataset() as entries under the prefix, e.g. "D/D_".
ZipEntries small_entries(const std::string& prefix);

/// Reads with a sink that throws.
Records read_strictly(const std::string& path, const Limits& limits = {});

/// The message of the core::Error that reading throws; empty if it does not.
std::string error_of(const std::string& path, const Limits& limits = {});

/// All problems, as text.
struct Collected {
  Records records;
  std::vector<std::string> problems;
};
Collected read_collecting(const std::string& path, const Limits& limits = {});

}  // namespace dotin::io
