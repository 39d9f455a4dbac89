// Rows of a TU file: line k is about node, edge or graph k.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dotin/io/line_reader.h"
#include "dotin/io/problem.h"
#include "dotin/io/records.h"

namespace dotin::io {

/// Gives out the rows of one file. Blank lines at the end do not count; one between two rows is reported, and so is a
/// line that is too long.
class RowReader {
 public:
  RowReader(std::unique_ptr<ByteSource> source, int64_t max_line_bytes, ProblemSink& problems)
      : lines_(std::move(source), max_line_bytes), problems_(problems) {}

  bool next(std::string_view& row);
  /// True if the row just given out could not be read and has been reported.
  bool broken() const { return lines_.too_long(); }
  /// Rows given out so far.
  int64_t rows() const { return rows_; }
  int64_t line_number() const { return lines_.line_number(); }
  const std::string& file() const { return lines_.source().name(); }

  /// Reports something about the row just given out.
  void report(std::string what, std::string advice) {
    reported_ = true;
    report_at(line_number(), std::move(what), std::move(advice));
  }
  /// True if that has been done: one bad cell is enough to find the row.
  bool reported() const { return reported_; }
  void report_at(int64_t line, std::string what, std::string advice) {
    problems_.report({{file(), line}, std::move(what), std::move(advice)});
  }

  /// Makes room in a vector that is full: for all rows the file seems to have, judging by what has been read, but never
  /// for more than some dozens of times that, whatever size the file claims.
  template <class T>
  void make_room(std::vector<T>& values) const {
    if (values.size() < values.capacity()) return;
    const double seen = static_cast<double>(std::max<int64_t>(lines_.consumed_bytes(), 1));
    const double growth = 1.02 * static_cast<double>(lines_.source().expected_bytes()) / seen;
    const double size = static_cast<double>(values.size());
    values.reserve(static_cast<std::size_t>(size * std::clamp(growth, 1.25, 64.0)) + 4096);
  }

 private:
  LineReader lines_;
  ProblemSink& problems_;
  int64_t rows_ = 0;
  bool reported_ = false;
  int64_t blank_line_ = 0;  // the first of the blank lines just passed, or 0
};

/// Which rows a file must have, and which of them are wanted.
struct RowPlan {
  int64_t rows = 0;
  std::string reason;                                 // "as many as NAME_A.txt has edges"
  std::vector<std::pair<int64_t, int64_t>> left_out;  // sorted ranges of rows, from 0, that the reader gave up

  void leave_out(int64_t begin, int64_t end);
};

/// The readers of columns report what is wrong and return nothing where the file is of no use then (another number of
/// rows, rows of different lengths); otherwise a bad cell counts as 0, or as missing in a target.
std::vector<LabelColumn> read_label_columns(RowReader rows, const RowPlan& plan);
FloatTable read_float_table(RowReader rows, const RowPlan& plan);
/// One target for each column of graph labels.
std::vector<Target> read_label_targets(RowReader rows, const RowPlan& plan);
/// One target with all columns.
std::vector<Target> read_attribute_target(RowReader rows, const RowPlan& plan);
/// The names are to be had from another file.
std::vector<RelevantNodes> read_relevant_nodes(RowReader rows, const RowPlan& plan);

}  // namespace dotin::io
