#include <CLI/CLI.hpp>

#include "commands.h"

namespace dotin::app {

void set_action(CLI::App& command, Context& context, std::function<int()> action) {
  command.callback([&context, action = std::move(action)] { context.action = action; });
}

void set_examples(CLI::App& command, const std::vector<std::string>& examples, const std::string& before) {
  std::string text = before.empty() ? "Examples:" : before + "\n\nExamples:";
  for (const std::string& example : examples) text += "\n  " + example;
  command.footer(text);
}

}  // namespace dotin::app
