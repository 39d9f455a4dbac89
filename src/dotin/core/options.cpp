#include "dotin/core/options.h"

#include <algorithm>

#include "dotin/core/registry.h"

namespace dotin::core {

void ChoiceCheck::visit(const OptionAbout& about, std::string& value) {
  const std::vector<std::string>& choices = about.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  fail_usage("{} cannot be '{}'{}; there are: {}", about.name, value, suggestion(value, choices),
             fmt::join(choices, ", "));
}

void ChoiceCheck::visit(const OptionAbout& about, std::vector<std::string>& value) {
  for (std::string& word : value) visit(about, word);
}

}  // namespace dotin::core
