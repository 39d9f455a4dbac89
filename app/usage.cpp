#include "usage.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <vector>

#include "dotin/core/registry.h"

namespace dotin::app {

namespace {

std::vector<std::string> subcommand_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

/// Options of a command and of those above it, which it accepts too.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::string what_was_wrong(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(root);
  const std::vector<std::string> commands = subcommand_names(command);
  for (const std::string& extra : root.remaining(true)) {
    if (extra == "--") continue;
    if (extra.size() > 1 && extra.front() == '-') {
      const std::string name = extra.substr(0, extra.find('='));
      return fmt::format("unknown option '{}'{}", name, core::suggestion(name, option_names(command)));
    }
    if (!commands.empty()) {
      return fmt::format("unknown command '{}'{}; there are: {}", extra, core::suggestion(extra, commands),
                         fmt::join(commands, ", "));
    }
    return fmt::format("unexpected argument '{}'", extra);
  }
  if (!commands.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return fmt::format("'{}' needs a command: {}", full_name(command), fmt::join(commands, ", "));
  }
  return error.what();
}

}  // namespace

const CLI::App& chosen_command(const CLI::App& root) {
  const CLI::App* command = &root;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

std::string full_name(const CLI::App& command) {
  if (command.get_parent() == nullptr) return command.get_name();
  return full_name(*command.get_parent()) + " " + command.get_name();
}

std::string usage_message(const CLI::App& root, const CLI::ParseError& error) {
  return fmt::format("{} (see '{} --help')", what_was_wrong(root, error), full_name(chosen_command(root)));
}

void refuse_unknown_commands(const CLI::App& root, const CLI::ParseError& help) {
  if (subcommand_names(chosen_command(root)).empty()) return;
  for (const std::string& extra : root.remaining(true)) {
    if (!extra.empty() && extra.front() != '-') throw core::UsageError(usage_message(root, help));
  }
}

namespace {

std::errc parse_whole(const std::string& text, int64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped != end ? std::errc::invalid_argument : error;
}

std::string too_large(const std::string& text) {
  return fmt::format("{} is too large, the most is {}", text, std::numeric_limits<int64_t>::max());
}

}  // namespace

CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        int64_t number = 0;
        const std::errc error = parse_whole(text, number);
        if (error == std::errc::result_out_of_range) return too_large(text);
        if (error != std::errc()) return fmt::format("'{}' is not a whole number", text);
        text = std::to_string(number);
        return "";
      },
      "");
}

CLI::Validator at_least(double least) {
  return CLI::Validator(
      [least](std::string& text) -> std::string {
        double number = 0;
        int64_t whole = 0;
        if (parse_whole(text, whole) == std::errc::result_out_of_range && text[0] != '-') return too_large(text);
        if (!CLI::detail::lexical_cast(text, number)) return fmt::format("'{}' is not a number", text);
        if (!(number >= least)) return fmt::format("{} is too small, the least is {}", text, least);
        return "";
      },
      "");
}

}  // namespace dotin::app
