#include "dotin/core/options.h"

#include <algorithm>

namespace dotin::core {

std::size_t place_of_word(const std::string& what, const std::string& word, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    fail_usage("{} cannot be '{}'{}; there are: {}", what, word, suggestion(word, words), fmt::join(words, ", "));
  }
  return static_cast<std::size_t>(found - words.begin());
}

void ChoiceCheck::visit(const OptionAbout& about, Choice value) {
  if (!value.valid())
    fail_usage("{} is a number that stands for none of: {}", about.name, fmt::join(about.choices, ", "));
}

void ChoiceCheck::visit(const OptionAbout& about, std::vector<std::string>& value) {
  if (about.choices.empty()) return;
  for (const std::string& word : value) place_of_word(about.name, word, about.choices);
}

}  // namespace dotin::core
