#include "tu_files_support.h"

#include <zip.h>

#include <stdexcept>

namespace dotin::io {
namespace {

void write_zip(const std::string& path, const ZipEntries& entries, bool encrypt) {
  int code = 0;
  zip_t* const zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (zip == nullptr) throw std::runtime_error("cannot make " + path);
  for (const auto& [name, content] : entries) {
    zip_source_t* const source = zip_source_buffer(zip, content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) throw std::runtime_error("cannot add " + name);
    if (encrypt) zip_file_set_encryption(zip, static_cast<zip_uint64_t>(index), ZIP_EM_AES_256, "secret");
  }
  if (zip_close(zip) != 0) throw std::runtime_error("cannot write " + path);
}

}  // namespace

TuContent small_dataset() {
  return {{"A", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n"},
          {"graph_indicator", "1\n1\n1\n2\n2\n"},
          {"graph_labels", "-1\n1\n"},
          {"graph_attributes", "0.5, 1e-3\n-2, 3\n"},
          {"node_labels", "7\n0\n7\n-3\n0\n"},
          {"node_attributes", "0.5, 1\n-0.5, 2\n1e-3, 3\n3, 4\n4, 5\n"},
          {"edge_labels", "1\n1\n2\n2\n1\n1\n"},
          {"edge_attributes", "0.25\n0.25\n0.5\n0.5\n1\n1\n"}};
}

std::string write_dataset(const testing::TemporaryFolder& folder, const TuContent& content) {
  for (const auto& [kind, text] : content) folder.write("D_" + kind + ".txt", text);
  return folder.path();
}

void make_zip(const std::string& path, const ZipEntries& entries) { write_zip(path, entries, false); }
void make_encrypted_zip(const std::string& path, const ZipEntries& entries) { write_zip(path, entries, true); }

ZipEntries small_entries(const std::string& prefix) {
  ZipEntries entries;
  for (const auto& [kind, text] : small_dataset()) entries.emplace_back(prefix + kind + ".txt", text);
  return entries;
}

Records read_strictly(const std::string& path, const Limits& limits) {
  ThrowingSink problems;
  return read_tu(path, limits, problems);
}

std::string error_of(const std::string& path, const Limits& limits) {
  try {
    read_strictly(path, limits);
  } catch (const core::Error& error) {
    return error.what();
  }
  return "";
}

Collected read_collecting(const std::string& path, const Limits& limits) {
  CollectingSink sink(1000);
  Collected result;
  result.records = read_tu(path, limits, sink);
  for (const Problem& problem : sink.problems()) result.problems.push_back(to_string(problem));
  return result;
}

}  // namespace dotin::io
