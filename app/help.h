// How --help looks: wrapped to the terminal, and of many options those first that people use most.
#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

namespace dotin::app {

/// Options of a run that --help shows; the others are shown by --help-all.
const std::set<std::string>& common_options();

/// `text` in lines of at most `width` columns, broken at spaces, the first of them after `used` columns and the others
/// behind `indent` spaces. A word that is too long is broken after a comma, or not at all.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t used);

class HelpFormatter : public CLI::Formatter {
 public:
  /// width: of a line; 0: of the terminal, or 100.
  explicit HelpFormatter(std::size_t width = 0);

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> opts) const override;
  std::string make_subcommand(const CLI::App* sub) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;

 private:
  /// name, padded, and what it is for.
  std::string row(const std::string& name, const std::string& about) const;

  std::size_t width_;
  // Of the help that is being made: CLI11 hands neither on.
  mutable bool all_ = false;
  mutable std::size_t hidden_ = 0;
};

}  // namespace dotin::app
