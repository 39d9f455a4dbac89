#include "help.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "usage.h"

namespace dotin::app {

namespace {

constexpr std::size_t kColumn = 26;  // where descriptions begin
constexpr std::size_t kLeast = 60, kMost = 120, kUsual = 100;

std::size_t terminal_width() {
  winsize size{};
  if (const char* const columns = std::getenv("COLUMNS")) {
    const int64_t given = std::strtoll(columns, nullptr, 10);
    if (given > 0) return std::clamp(static_cast<std::size_t>(given), kLeast, kMost);
  }
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp(static_cast<std::size_t>(size.ws_col), kLeast, kMost);
  return kUsual;
}

bool is_common(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return common_options().count(name) > 0; });
}

/// A word in pieces that fit, each but the last ending with a comma.
std::vector<std::string> pieces_of(const std::string& word, std::size_t most) {
  std::vector<std::string> pieces;
  std::size_t start = 0;
  while (word.size() - start > most) {
    const std::size_t comma = word.rfind(',', start + most - 1);
    if (comma == std::string::npos || comma < start) break;
    pieces.push_back(word.substr(start, comma + 1 - start));
    start = comma + 1;
  }
  pieces.push_back(word.substr(start));
  return pieces;
}

}  // namespace

const std::set<std::string>& common_options() {
  static const std::set<std::string> names = {"tasks", "drop-ratio", "backbone", "hidden", "layers", "epochs",
                                              "batch", "lr",         "seed",     "folds",  "threads"};
  return names;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t used) {
  std::string lines;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    std::string before = lines.empty() ? "" : " ";
    for (const std::string& piece : pieces_of(word, width - indent)) {
      if (!lines.empty() && used + before.size() + piece.size() > width) {
        lines += "\n" + std::string(indent, ' ') + piece;
        used = indent + piece.size();
      } else {
        lines += before + piece;
        used += before.size() + piece.size();
      }
      before.clear();
    }
  }
  return lines;
}

HelpFormatter::HelpFormatter(std::size_t width) : width_(width > 0 ? width : terminal_width()) {}

std::string HelpFormatter::row(const std::string& name, const std::string& about) const {
  std::string text = "  " + wrapped(name, width_, 6, 2);
  const std::size_t last = text.rfind('\n');
  std::size_t used = last == std::string::npos ? text.size() : text.size() - last - 1;
  if (about.empty()) return text + "\n";
  if (used + 2 > kColumn) {
    text += "\n";
    used = 0;
  }
  return text + std::string(kColumn - used, ' ') + wrapped(about, width_, kColumn, kColumn) + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = make_option_name(option, is_positional);
  // Of a flag that can be taken back CLI11 shows how it does so.
  if (const std::size_t brace = name.find("{false}"); brace != std::string::npos) name.erase(brace, 7);
  std::string kind = make_option_opts(option);
  if (kind.rfind(" :{", 0) == 0) kind.erase(1, 1);  // a choice has no name of a type before it
  return row(name + kind, make_option_desc(option));
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> opts) const {
  // A group that has options which people often use shows these alone.
  if (!all_ && group != "Options" &&
      std::any_of(opts.begin(), opts.end(), [](const CLI::Option* option) { return is_common(*option); })) {
    const auto rest =
        std::stable_partition(opts.begin(), opts.end(), [](const CLI::Option* option) { return is_common(*option); });
    hidden_ += static_cast<std::size_t>(opts.end() - rest);
    opts.erase(rest, opts.end());
  }
  return CLI::Formatter::make_group(std::move(group), is_positional, std::move(opts));
}

std::string HelpFormatter::make_subcommand(const CLI::App* sub) const {
  return row(sub->get_name(), sub->get_description());
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  const std::string footer = CLI::Formatter::make_footer(app);
  if (hidden_ == 0) return footer;
  const std::string more = fmt::format("\n{} more options: {} --help-all\n\n", hidden_, full_name(*app));
  hidden_ = 0;
  return more + footer;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  all_ = mode == CLI::AppFormatMode::All;
  hidden_ = 0;
  std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
  return text;
}

}  // namespace dotin::app
