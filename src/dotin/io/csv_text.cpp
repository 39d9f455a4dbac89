#include "dotin/io/csv_text.h"

#include <algorithm>

#include "dotin/io/text.h"

namespace dotin::io {
namespace {

// A field costs far more memory than the comma that makes it.
constexpr std::size_t kMaxFields = 100'000;
constexpr const char* kTooLong = "the line is too long";
constexpr const char* kTooLongAdvice = "is this a text file? if so, raise the limit on the bytes of a line";

std::size_t skip_blanks(std::string_view line, std::size_t i) {
  while (i < line.size() && is_blank(line[i])) ++i;
  return i;
}

}  // namespace

bool CsvReader::next(std::vector<std::string>& fields) {
  std::string_view line;
  while (lines_.next(line)) {
    line_ = lines_.line_number();
    fields.clear();
    if (lines_.too_long()) {
      report(kTooLong, kTooLongAdvice);
    } else if (!trim(line).empty() && read_record(line, fields)) {
      if (std::all_of(fields.begin(), fields.end(), is_utf8)) return true;
      report("not UTF-8 text", "save the file as UTF-8");
    }
  }
  return false;
}

bool CsvReader::read_record(std::string_view line, std::vector<std::string>& fields) {
  for (std::size_t i = 0;; ++i) {
    std::string field;
    i = skip_blanks(line, i);
    if (i < line.size() && line[i] == '"') {
      if (!read_quoted(line, ++i, field)) return false;
      i = skip_blanks(line, i);
      if (i < line.size() && line[i] != ',') {
        report("text after a closing quote", "a quote within quotes is written twice");
        return false;
      }
    } else {
      const std::size_t end = std::min(line.find(',', i), line.size());
      field = trim(line.substr(i, end - i));
      i = end;
      if (field.find('"') != std::string::npos) {
        report("a quote in the middle of field " + excerpt(field),
               "put the whole field in quotes, its own quotes twice");
        return false;
      }
    }
    if (fields.size() == kMaxFields) {
      report("more than 100,000 fields", "is this the right file?");
      return false;
    }
    fields.push_back(std::move(field));
    if (i >= line.size()) return true;
  }
}

/// From behind the opening quote to behind the closing one, which may stand some lines below.
bool CsvReader::read_quoted(std::string_view& line, std::size_t& i, std::string& field) {
  for (;;) {
    if (i == line.size()) {
      field += '\n';
      const bool too_much = static_cast<int64_t>(field.size()) > max_bytes_;
      if (too_much || !lines_.next(line) || lines_.too_long()) {
        report("a quote is never closed", "close it; a quote within quotes is written twice");
        return false;
      }
      i = 0;
    } else if (line[i] != '"') {
      field += line[i++];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      field += '"';
      i += 2;
    } else {
      ++i;
      return true;
    }
  }
}

void CsvReader::report(std::string what, std::string advice) { report_at(line_, std::move(what), std::move(advice)); }

void CsvReader::report_at(int64_t line, std::string what, std::string advice) {
  problems_.report({{file(), line}, std::move(what), std::move(advice)});
}

}  // namespace dotin::io
