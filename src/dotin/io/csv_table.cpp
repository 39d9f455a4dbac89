#include "dotin/io/csv_table.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "dotin/core/error.h"
#include "dotin/io/text.h"

namespace dotin::io {

CsvTable::CsvTable(const std::string& path, std::vector<std::string> keys, const Limits& limits, ProblemSink& problems)
    : reader_(open_file(path), limits, problems), keys_(std::move(keys)) {
  std::vector<std::string> header;
  DOTIN_CHECK(reader_.next(header), "{}: the file is empty (its first line must name the columns: {}, ...)", path,
              fmt::join(keys_, ","));
  for (const std::string& key : keys_) {
    const auto found = std::find(header.begin(), header.end(), key);
    DOTIN_CHECK(found != header.end(), "{}:{}: there is no column '{}' (the first line must name the columns: {}, ...)",
                path, reader_.line_number(), key, fmt::join(keys_, ","));
    key_columns_.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  std::vector<std::string> sorted = header;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  DOTIN_CHECK(twice == sorted.end(), "{}:{}: there are two columns {} (rename or remove one)", path,
              reader_.line_number(), excerpt(*twice));
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::find(keys_.begin(), keys_.end(), header[i]) == keys_.end()) columns_.push_back({i, header[i]});
  }
  width_ = header.size();
}

bool CsvTable::next() {
  while (reader_.next(fields_)) {
    if (fields_.size() != width_) {
      reader_.report(fmt::format("{} fields, but {} columns in the header", fields_.size(), width_),
                     "give each row a field for each column; a comma within a field needs quotes");
      continue;
    }
    bool good = true;
    for (std::size_t i = 0; i < keys_.size() && good; ++i) {
      good = !key(i).empty();
      if (!good) reader_.report(fmt::format("column '{}' is empty", keys_[i]), "give each row one");
    }
    if (good) return true;
  }
  return false;
}

DescribedRows::DescribedRows(std::vector<CsvTable::Column>& columns) {
  std::vector<CsvTable::Column> others;
  for (CsvTable::Column& column : columns) {
    if (column.name.compare(0, 6, "label:") == 0 && column.name.size() > 6) {
      labels_.push_back({column.index, column.name.substr(6)});
    } else if (column.name == kLabelTarget) {
      labels_.push_back(column);
    } else if (column.name.compare(0, 5, "attr:") == 0) {
      attributes_.push_back(column);
    } else {
      others.push_back(column);
    }
  }
  columns = std::move(others);
  values_.resize(labels_.size());
  codes_.resize(labels_.size());
}

bool DescribedRows::append(CsvTable& table) {
  for (const CsvTable::Column& column : labels_) {
    if (!table.field(column.index).empty()) continue;
    table.reader().report(fmt::format("label '{}' is empty", column.name), "give each row one");
    return false;
  }
  const std::size_t before = numbers_.size();
  for (const CsvTable::Column& column : attributes_) {
    const std::string& text = table.field(column.index);
    float value = 0;
    if (!parse_number(text, value)) {
      table.reader().report(fmt::format("column '{}': {} {}", column.name, excerpt(text), why_not_a_number(text)),
                            "replace it by a number");
      numbers_.resize(before);
      return false;
    }
    numbers_.push_back(value);
  }
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    codes_[i].push_back(values_[i].code_of(table.field(labels_[i].index)));
  }
  return true;
}

std::vector<LabelColumn> DescribedRows::take_labels(const std::vector<int32_t>& place) {
  std::vector<LabelColumn> columns;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const std::vector<int32_t> rank = values_[i].sort();
    std::vector<int32_t> codes(place.size());
    for (std::size_t row = 0; row < place.size(); ++row) {
      codes[static_cast<std::size_t>(place[row])] = rank[static_cast<std::size_t>(codes_[i][row])];
    }
    columns.push_back({labels_[i].name, std::move(codes), values_[i].values()});
  }
  return columns;
}

FloatTable DescribedRows::take_attributes(const std::vector<int32_t>& place) {
  const std::size_t width = attributes_.size();
  std::vector<float> values(place.size() * width);
  for (std::size_t row = 0; row < place.size() && width > 0; ++row) {
    std::copy_n(numbers_.data() + row * width, width, values.data() + static_cast<std::size_t>(place[row]) * width);
  }
  return {static_cast<int64_t>(width), std::move(values)};
}

}  // namespace dotin::io
