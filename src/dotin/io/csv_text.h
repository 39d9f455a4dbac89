// Records of a CSV file as RFC 4180 has them, streamed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dotin/io/limits.h"
#include "dotin/io/line_reader.h"
#include "dotin/io/problem.h"

namespace dotin::io {

class CsvReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, const Limits& limits, ProblemSink& problems)
      : lines_(std::move(source), limits.max_line_bytes), max_bytes_(limits.max_line_bytes), problems_(problems) {}

  /// The fields of the next record; false at the end. Blanks round a field do not count, those in quotes do. Blank
  /// lines are skipped; so are records with broken quotes or beyond the limits, which are reported.
  bool next(std::vector<std::string>& fields);

  /// Reports something about the record last given out. line 0: about the file.
  void report(std::string what, std::string advice);
  void report_at(int64_t line, std::string what, std::string advice);

  const std::string& file() const { return lines_.source().name(); }
  /// Of the record's start, from 1.
  int64_t line_number() const { return line_; }

 private:
  bool read_record(std::string_view line, std::vector<std::string>& fields);
  bool read_quoted(std::string_view& line, std::size_t& i, std::string& field);

  LineReader lines_;
  int64_t max_bytes_;
  ProblemSink& problems_;
  int64_t line_ = 0;
};

}  // namespace dotin::io
