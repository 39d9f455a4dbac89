#include "reading_options.h"

#include <CLI/CLI.hpp>

#include "usage.h"

namespace dotin::app {

namespace {

constexpr const char* kLimits = "Limits (a file beyond them is refused; sizes may be written 10M or 2G)";

void add_size(CLI::App& command, const std::string& name, int64_t& value, const std::string& about) {
  const bool giga = value % (int64_t{1} << 30) == 0;
  command.add_option(name, value, about)
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(at_least(1))
      ->type_name("SIZE")
      ->default_str(std::to_string(giga ? value >> 30 : value >> 20) + (giga ? "G" : "M"))
      ->group(kLimits);
}

}  // namespace

data::OpenOptions ReadingOptions::open_options() const {
  data::OpenOptions result;
  result.limits = limits;
  if (duplicates == "keep") result.duplicates = data::DuplicatePolicy::keep;
  if (duplicates == "error") result.duplicates = data::DuplicatePolicy::error;
  return result;
}

void add_reading_options(CLI::App& command, ReadingOptions& options) {
  command
      .add_option("path", options.data,
                  "TU folder or zip, packed file, JSON Lines file, CSV folder, or a name to look for in $DOTIN_DATA "
                  "and the download cache")
      ->required()
      ->type_name("PATH");
  command.add_option("--duplicates", options.duplicates, "What to do with an edge that is listed more than once")
      ->check(CLI::IsMember({"merge", "keep", "error"}))
      ->type_name("POLICY")
      ->capture_default_str();
  command.add_option("--max-entries", options.limits.max_entries, "Files in a zip")
      ->check(at_least(1))
      ->type_name("N")
      ->capture_default_str()
      ->group(kLimits);
  add_size(command, "--max-unpacked", options.limits.max_unpacked_bytes, "Unpacked bytes of a zip");
  command.add_option("--max-compression", options.limits.max_compression, "Unpacked by packed size of a zip")
      ->check(at_least(1))
      ->type_name("N")
      ->capture_default_str()
      ->group(kLimits);
  add_size(command, "--max-line", options.limits.max_line_bytes, "Bytes in one line of text");
}

}  // namespace dotin::app
