#include "dotin/data/paper_sizes.h"

#include <fmt/format.h>

namespace dotin::data {

namespace {

constexpr PaperSizes kTable2[] = {
    {"DD", 1178, 2, "284.32", "715.66", 1060, 118},        {"PROTEINS", 1113, 2, "39.06", "72.82", 1001, 112},
    {"NCI1", 4110, 2, "29.87", "32.3", 3699, 411},         {"NCI109", 4127, 2, "29.68", "32.13", 3714, 413},
    {"FRANKENSTEIN", 4337, 2, "16.9", "17.88", 3903, 434},
};

}  // namespace

const PaperSizes* paper_sizes(const std::string& name) {
  for (const PaperSizes& row : kTable2) {
    if (name == row.name || (name == kFrankensteinAtoms && row.name == std::string("FRANKENSTEIN"))) return &row;
  }
  return nullptr;
}

bool agrees_with_print(double value, const std::string& printed) {
  const std::size_t point = printed.find('.');
  const std::size_t digits = point == std::string::npos ? 0 : printed.size() - point - 1;
  return fmt::format("{:.{}f}", value, digits) == printed;
}

}  // namespace dotin::data
