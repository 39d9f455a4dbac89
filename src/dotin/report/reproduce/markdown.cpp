#include "dotin/report/reproduce/markdown.h"

#include <fmt/format.h>

#include <set>

#include "dotin/core/memory.h"
#include "dotin/report/reproduce/outcome.h"

namespace dotin::report::reproduce {

namespace {

using nlohmann::json;

/// Text that Markdown takes as it is, in a table as well.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<' || c == '`' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string entry_text(const Entry& entry) {
  std::string text = plain(entry.text);
  for (const std::string& note : entry.notes) text += "<br>" + plain(note);
  return text;
}

std::string table_text(const Table& table) {
  std::string text = fmt::format("## {}\n\n{}\n\n|", plain(table.title), plain(table.about));
  for (const std::string& column : table.columns) text += " " + plain(column) + " |";
  text += "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += i == 0 ? " --- |" : " ---: |";
  text += "\n";
  for (const Row& row : table.rows) {
    text += "| " + plain(row.name) + " |";
    for (const Entry& entry : row.entries) text += " " + entry_text(entry) + " |";
    text += "\n";
  }
  return text + "\n";
}

std::string machines_text(const json& cells) {
  std::set<std::string> machines;
  for (const json& cell : cells) {
    const json& machine = cell.at("machine");
    machines.insert(fmt::format("{}, {} cores, {}, dotin {}", machine.at("cpu").get<std::string>(),
                                machine.at("cores").get<int64_t>(), machine.at("system").get<std::string>(),
                                cell.at("version").get<std::string>()));
  }
  std::string text;
  for (const std::string& machine : machines) text += "- " + plain(machine) + "; one thread a cell\n";
  return text;
}

std::string cells_text(const Outcome& outcome) {
  std::string text =
      fmt::format("## Where the numbers come from\n\nCells run: {} of {}, on\n\n{}\n", outcome.cells.size(),
                  outcome.cells.size() + outcome.missing.size(), machines_text(outcome.cells));
  text +=
      "Each is the outcome of a command, with `DOTIN_DATA` naming the folder of the datasets and RUN any new folder. "
      "Cross-validations are of seed 0.\n\n| cell | started | took | command |\n| --- | --- | ---: | --- |\n";
  for (const json& cell : outcome.cells) {
    const std::string error = cell.contains("error") ? " failed: " + plain(cell.at("error").get<std::string>()) : "";
    text += fmt::format("| {} | {} | {} | `{}`{} |\n", plain(cell.at("label").get<std::string>()),
                        cell.at("started").get<std::string>(), core::format_seconds(cell.at("seconds").get<double>()),
                        cell.at("command").get<std::string>(), error);
  }
  if (!outcome.missing.empty()) {
    text += "\n**Not run:** ";
    for (std::size_t i = 0; i < outcome.missing.size(); ++i)
      text += (i == 0 ? "" : "; ") + plain(outcome.missing[i].at("label").get<std::string>());
    text += ".\n";
  }
  return text;
}

}  // namespace

std::string to_markdown(const Outcome& outcome) {
  std::string text = fmt::format("# {}\n\nWritten by `dotin reproduce {}{}`.\n\n", plain(outcome.title), outcome.item,
                                 outcome.quick ? " --quick" : "");
  if (outcome.quick) {
    text +=
        "> **A quick run.** Few folds and epochs, a small model, little data: it shows that everything works, not what "
        "the methods reach. Do not quote it.\n\n";
  }
  for (const std::string& paragraph : outcome.about) text += plain(paragraph) + "\n\n";
  for (const Table& table : outcome.tables) text += table_text(table);
  for (const Chart& chart : outcome.charts) {
    text += fmt::format("### {}\n\n![{}]({})\n\n", plain(chart.title), plain(chart.title), file_of(outcome, chart));
    if (!chart.about.empty()) text += plain(chart.about) + "\n\n";
  }
  return text + cells_text(outcome);
}

}  // namespace dotin::report::reproduce
