// dotin completions: the subcommand, and what the three shells share.
#include "completions.h"

#include <CLI/CLI.hpp>

#include "commands.h"

namespace dotin::app {

namespace {

/// The choices of CLI::IsMember, which CLI11 keeps only as text: "TEXT:{merge,keep,error}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

CompletionOption describe_option(const CLI::Option& option, const Suggestions& suggestions) {
  CompletionOption result;
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  result.about = option.get_description();
  result.takes_value = option.get_type_size() != 0;
  const auto suggested = suggestions.find(&option);
  result.values = suggested == suggestions.end() ? choices_of(option) : suggested->second;
  return result;
}

void describe_into(CompletionCommand& result, const CLI::App& command, const Suggestions& suggestions,
                   std::vector<CompletionOption> inherited) {
  result.about = command.get_description();
  result.options = std::move(inherited);
  for (const CLI::Option* option : command.get_options()) {
    // Every command has a --help of its own.
    if (option == command.get_help_ptr() && command.get_parent() != nullptr) continue;
    CompletionOption described = describe_option(*option, suggestions);
    (option->get_positional() ? result.arguments : result.options).push_back(std::move(described));
  }
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    CompletionCommand& child = result.commands.emplace_back();
    child.path = result.path + " " + sub->get_name();
    describe_into(child, *sub, suggestions, result.options);
  }
}

struct CompletionsOptions {
  std::string shell;
  const CLI::App* root = nullptr;
};

int run_completions(const CompletionsOptions& options, Context& context) {
  const CompletionCommand root = describe(*options.root, context.suggestions);
  if (options.shell == "bash") context.console.out(bash_completions(root));
  if (options.shell == "zsh") context.console.out(zsh_completions(root));
  if (options.shell == "fish") context.console.out(fish_completions(root));
  return 0;
}

}  // namespace

CompletionCommand describe(const CLI::App& root, const Suggestions& suggestions) {
  CompletionCommand result;
  result.path = root.get_name();
  describe_into(result, root, suggestions, {});
  return result;
}

void add_completions(CLI::App& root, Context& context) {
  CLI::App& command = *root.add_subcommand("completions", "Print a completion script for a shell");
  const auto options = std::make_shared<CompletionsOptions>();
  options->root = &root;
  command.add_option("shell", options->shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  set_examples(command, {"source <(dotin completions bash)", "dotin completions zsh > ~/.zfunc/_dotin",
                         "dotin completions fish > ~/.config/fish/completions/dotin.fish"});
  set_action(command, context, options, run_completions);
}

}  // namespace dotin::app
