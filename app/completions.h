// Shell completions, generated from the tree of subcommands and options, so that they cannot go stale.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dotin::app {

struct CompletionOption {
  std::vector<std::string> names;  // "--json", "-o"; empty for an argument without a name
  std::string about;
  bool takes_value = false;
  std::vector<std::string> values;  // to choose from; empty: a file
};

struct CompletionCommand {
  std::string path;  // "dotin data info"
  std::string about;
  std::vector<CompletionCommand> commands;
  std::vector<CompletionOption> options;    // those of the commands above included
  std::vector<CompletionOption> arguments;  // by position
};

using Suggestions = std::map<const CLI::Option*, std::vector<std::string>>;

CompletionCommand describe(const CLI::App& root, const Suggestions& suggestions);

std::string bash_completions(const CompletionCommand& root);
std::string zsh_completions(const CompletionCommand& root);
std::string fish_completions(const CompletionCommand& root);

}  // namespace dotin::app
