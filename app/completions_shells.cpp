// One writer per shell. All three find the subcommand that the words so far lead to, then offer what it accepts.
#include <fmt/format.h>

#include <functional>

#include "completions.h"

namespace dotin::app {

namespace {

void for_each_command(const CompletionCommand& command, const std::function<void(const CompletionCommand&)>& visit) {
  visit(command);
  for (const CompletionCommand& sub : command.commands) for_each_command(sub, visit);
}

std::string last_word(const std::string& path) { return path.substr(path.rfind(' ') + 1); }

/// In single quotes, for any of the shells.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// What an option without a name, or the subcommands, may be; empty: a file.
std::vector<std::string> words_after(const CompletionCommand& command) {
  std::vector<std::string> words;
  for (const CompletionCommand& sub : command.commands) words.push_back(last_word(sub.path));
  for (const CompletionOption& argument : command.arguments) {
    words.insert(words.end(), argument.values.begin(), argument.values.end());
  }
  return words;
}

std::vector<std::string> option_words(const CompletionCommand& command) {
  std::vector<std::string> words;
  for (const CompletionOption& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return words;
}

/// 'dotin data info --duplicates'|'dotin data info -d': a case pattern for an option of a command.
std::string pattern(const CompletionCommand& command, const CompletionOption& option) {
  std::vector<std::string> parts;
  for (const std::string& name : option.names) parts.push_back(quoted(command.path + " " + name));
  return fmt::format("{}", fmt::join(parts, "|"));
}

/// The case branch that follows the words into subcommands.
std::string path_patterns(const CompletionCommand& root) {
  std::vector<std::string> parts;
  for_each_command(root, [&](const CompletionCommand& command) {
    if (command.path != root.path) parts.push_back(quoted(command.path));
  });
  return fmt::format("{}", fmt::join(parts, "|"));
}

}  // namespace

std::string bash_completions(const CompletionCommand& root) {
  std::string values, words, options;
  for_each_command(root, [&](const CompletionCommand& command) {
    for (const CompletionOption& option : command.options) {
      if (!option.takes_value) continue;
      values += fmt::format("    {}) ", pattern(command, option));
      values += option.values.empty() ? "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
                                      : fmt::format("COMPREPLY=($(compgen -W {} -- \"$current\")); return ;;\n",
                                                    quoted(fmt::format("{}", fmt::join(option.values, " "))));
    }
    options += fmt::format("      {}) words={} ;;\n", quoted(command.path),
                           quoted(fmt::format("{}", fmt::join(option_words(command), " "))));
    const std::vector<std::string> next = words_after(command);
    words += fmt::format("    {}) ", quoted(command.path));
    words += next.empty() ? "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
                          : fmt::format("COMPREPLY=($(compgen -W {} -- \"$current\")) ;;\n",
                                        quoted(fmt::format("{}", fmt::join(next, " "))));
  });
  return fmt::format(R"(# bash completions of dotin: source <(dotin completions bash)
_dotin() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} path=dotin words= i
  COMPREPLY=()
  # --option=value arrives as three words.
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {0}) path+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path $previous" in
{1}  esac
  if [[ $current == -* ]]; then
    case $path in
{2}    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case $path in
{3}  esac
}}
complete -F _dotin dotin
)",
                     path_patterns(root), values, options, words);
}

std::string zsh_completions(const CompletionCommand& root) {
  const auto entry = [](const std::string& name, const std::string& about) {
    std::string escaped;
    for (const char c : name) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
    return " " + quoted(escaped + ":" + about);
  };
  std::string values, words, options;
  for_each_command(root, [&](const CompletionCommand& command) {
    options += fmt::format("      {}) words_=(", quoted(command.path));
    for (const CompletionOption& option : command.options) {
      for (const std::string& name : option.names) options += entry(name, option.about);
      if (!option.takes_value) continue;
      values += fmt::format("    {}) ", pattern(command, option));
      values += option.values.empty() ? "_files; return ;;\n"
                                      : fmt::format("compadd -- {}; return ;;\n", fmt::join(option.values, " "));
    }
    options += ") ;;\n";
    words += fmt::format("    {}) ", quoted(command.path));
    if (!command.commands.empty()) {
      words += "words_=(";
      for (const CompletionCommand& sub : command.commands) words += entry(last_word(sub.path), sub.about);
      words += "); _describe command words_ ;;\n";
    } else if (const std::vector<std::string> next = words_after(command); !next.empty()) {
      words += fmt::format("compadd -- {} ;;\n", fmt::join(next, " "));
    } else {
      words += "_files ;;\n";
    }
  });
  return fmt::format(R"(#compdef dotin
# zsh completions of dotin: put this file as _dotin into a folder of $fpath, or source it after compinit
_dotin() {{
  local current=${{words[CURRENT]}} previous=${{words[CURRENT-1]}} path_=dotin word
  local -a words_
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$path_ $word" in
      {0}) path_+=" $word" ;;
    esac
  done
  case "$path_ $previous" in
{1}  esac
  if [[ $current == -* ]]; then
    case $path_ in
{2}    esac
    _describe -o option words_
    return
  fi
  case $path_ in
{3}  esac
}}
if [[ $funcstack[1] == _dotin ]]; then _dotin "$@"; else compdef _dotin dotin; fi
)",
                     path_patterns(root), values, options, words);
}

std::string fish_completions(const CompletionCommand& root) {
  // fish escapes a quote inside quotes with a backslash.
  const auto fish_quoted = [](const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return result + "'";
  };
  std::string paths, rules;
  for_each_command(root, [&](const CompletionCommand& command) {
    if (command.path != root.path) paths += " " + fish_quoted(command.path);
    const std::string here =
        fmt::format("complete -c dotin -n {}", fish_quoted("__dotin_at " + fish_quoted(command.path)));
    const std::vector<std::string> next = words_after(command);
    for (const CompletionCommand& sub : command.commands) {
      rules += fmt::format("{} -f -a {} -d {}\n", here, last_word(sub.path), fish_quoted(sub.about));
    }
    if (command.commands.empty() && !next.empty()) {
      rules += fmt::format("{} -f -a {}\n", here, fish_quoted(fmt::format("{}", fmt::join(next, " "))));
    }
    for (const CompletionOption& option : command.options) {
      rules += here;
      for (const std::string& name : option.names) {
        rules += name.compare(0, 2, "--") == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.takes_value) rules += option.values.empty() ? " -r" : " -x";
      if (!option.values.empty()) rules += " -a " + fish_quoted(fmt::format("{}", fmt::join(option.values, " ")));
      rules += fmt::format(" -d {}\n", fish_quoted(option.about));
    }
  });
  return fmt::format(R"(# fish completions of dotin: dotin completions fish > ~/.config/fish/completions/dotin.fish
function __dotin_at --argument-names wanted
  set -l path dotin
  for word in (commandline -opc)[2..-1]
    if contains -- "$path $word"{0}
      set path "$path $word"
    end
  end
  test "$path" = "$wanted"
end
{1})",
                     paths, rules);
}

}  // namespace dotin::app
