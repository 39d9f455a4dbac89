// What is said about a wrong command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dotin::app {

/// The subcommand that was reached, e.g. that of `dotin data info` after a mistake in its options.
const CLI::App& chosen_command(const CLI::App& root);

/// "dotin data info"
std::string full_name(const CLI::App& command);

/// What was wrong, a near miss where there is one, and where to read on.
std::string usage_message(const CLI::App& root, const CLI::ParseError& error);

/// core::UsageError where help was asked for of a command that there is not.
void refuse_unknown_commands(const CLI::App& root, const CLI::ParseError& help);

/// Accepts a number of at least `least`, and no whole number that is too large to be held.
CLI::Validator at_least(double least);

/// To transform() an option with: accepts a whole number in decimal that fits into 64 bits. CLI11 would take the
/// nearest that does in silence, and 010 for 8.
CLI::Validator whole_number();

}  // namespace dotin::app
