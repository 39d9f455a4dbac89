#include "reproduce/methods.h"

#include <cctype>

namespace dotin::reproduce {

std::vector<Method> compared_methods() {
  return {
      {"no drop", "none", "virtual"},   {"no drop, mean", "none", "mean"}, {"DropGNN", "dropgnn", "auto"},
      {"Set2Set", "none", "set2set"},   {"SortPool", "none", "sortpool"},  {"SAGPool, global", "none", "sagpool"},
      {"DiffPool", "diffpool", "auto"}, {"MinCut", "mincut", "auto"},      {"LaPool", "lapool", "auto"},
      {"gPool", "gpool", "auto"},       {"SAGPool", "sagpool", "auto"},    {"random drop", "random", "virtual"},
      {"DOTIN", "dotin", "virtual"},
  };
}

std::string short_name(const std::string& name) {
  std::string result;
  for (const unsigned char c : name) {
    if (std::isalnum(c) != 0 || c == '.') {
      result += static_cast<char>(std::tolower(c));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

}  // namespace dotin::reproduce
