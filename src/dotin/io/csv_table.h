// A CSV file with a header that says what each column is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/io/csv_text.h"
#include "dotin/io/label_codes.h"
#include "dotin/io/records.h"

namespace dotin::io {

class CsvTable {
 public:
  /// Reads the header. core::Error if it lacks one of the key columns or has a column twice.
  CsvTable(const std::string& path, std::vector<std::string> keys, const Limits& limits, ProblemSink& problems);

  /// The next row with as many fields as the header and no empty key; others are reported and skipped.
  bool next();
  /// Field of the key column at this position of `keys`.
  const std::string& key(std::size_t i) const { return fields_[key_columns_[i]]; }
  const std::string& field(std::size_t column) const { return fields_[column]; }

  /// All columns but the keys.
  struct Column {
    std::size_t index;
    std::string name;
  };
  const std::vector<Column>& columns() const { return columns_; }
  CsvReader& reader() { return reader_; }

 private:
  CsvReader reader_;
  std::vector<std::string> keys_;
  std::vector<std::size_t> key_columns_;
  std::vector<Column> columns_;
  std::size_t width_ = 0;
  std::vector<std::string> fields_;
};

/// The label, label:NAME and attr:NAME columns of a table, gathered row by row.
class DescribedRows {
 public:
  /// Takes those columns out of the list and leaves the others.
  explicit DescribedRows(std::vector<CsvTable::Column>& columns);
  DescribedRows() = default;

  bool empty() const { return labels_.empty() && attributes_.empty(); }
  /// The current row of the table; false if it was reported and is to be skipped.
  bool append(CsvTable& table);

  /// place[row] is where the row belongs: a permutation of all rows.
  std::vector<LabelColumn> take_labels(const std::vector<int32_t>& place);
  FloatTable take_attributes(const std::vector<int32_t>& place);

 private:
  std::vector<CsvTable::Column> labels_, attributes_;
  std::vector<TextLabels> values_;
  std::vector<std::vector<int32_t>> codes_;
  std::vector<float> numbers_;
};

}  // namespace dotin::io
