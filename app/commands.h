// The subcommands. A new one is a file that defines add_<name>, a line here, and a line in commands.cpp or its parent.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "context.h"

namespace dotin::app {

/// All of them, in the order of --help.
void add_commands(CLI::App& root, Context& context);

void add_data(CLI::App& root, Context& context);
void add_data_list(CLI::App& data, Context& context);
void add_data_get(CLI::App& data, Context& context);
void add_data_info(CLI::App& data, Context& context);
void add_data_check(CLI::App& data, Context& context);
void add_data_generate(CLI::App& data, Context& context);
void add_data_pack(CLI::App& data, Context& context);
void add_train(CLI::App& root, Context& context);
void add_cv(CLI::App& root, Context& context);
void add_predict(CLI::App& root, Context& context);
void add_completions(CLI::App& root, Context& context);

/// Makes run(options) the action of the program when this subcommand is chosen.
template <class Options>
void set_action(CLI::App& command, Context& context, std::shared_ptr<Options> options,
                int (*run)(const Options&, Context&)) {
  command.callback(
      [&context, options, run] { context.action = [&context, options, run] { return run(*options, context); }; });
}

/// What every --help ends with; lines without the leading blanks. `before` is a paragraph to stand before them.
inline void set_examples(CLI::App& command, const std::vector<std::string>& examples, const std::string& before = "") {
  std::string text = before.empty() ? "Examples:" : before + "\n\nExamples:";
  for (const std::string& example : examples) text += "\n  " + example;
  command.footer(text);
}

}  // namespace dotin::app
