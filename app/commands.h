// The subcommands. A new one is a file that defines add_<name>, a line here, and a line in commands.cpp or its parent.
#pragma once

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
void add_explain(CLI::App& root, Context& context);
void add_bench(CLI::App& root, Context& context);
void add_methods(CLI::App& root, Context& context);
void add_reproduce(CLI::App& root, Context& context);
void add_completions(CLI::App& root, Context& context);

/// Makes it the action of the program when this subcommand is chosen.
void set_action(CLI::App& command, Context& context, std::function<int()> action);

/// Makes run(options) the action of the program when this subcommand is chosen.
template <class Options>
void set_action(CLI::App& command, Context& context, std::shared_ptr<Options> options,
                int (*run)(const Options&, Context&)) {
  set_action(command, context, [&context, options, run] { return run(*options, context); });
}

/// What every --help ends with; lines without the leading blanks. `before` is a paragraph to stand before them.
void set_examples(CLI::App& command, const std::vector<std::string>& examples, const std::string& before = "");

}  // namespace dotin::app
