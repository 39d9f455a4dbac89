#include "reproduce/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dotin/core/memory.h"
#include "reproduce/outcome.h"

namespace dotin::reproduce {

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
  std::string text = entry.highest ? "**" + plain(entry.text) + "**" : plain(entry.text);
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

/// How the cells came about; the table names each by its number.
std::vector<std::string> protocols_of(const json& cells) {
  std::vector<std::string> protocols;
  for (const json& cell : cells) {
    const auto protocol = cell.at("protocol").get<std::string>();
    if (std::find(protocols.begin(), protocols.end(), protocol) == protocols.end()) protocols.push_back(protocol);
  }
  return protocols;
}

std::string run_cells_text(const json& cells) {
  const std::vector<std::string> protocols = protocols_of(cells);
  std::string text = machines_text(cells) + "\nProtocols:\n\n";
  for (std::size_t i = 0; i < protocols.size(); ++i) text += fmt::format("{}. {}\n", i + 1, plain(protocols[i]));
  text +=
      "\nEach is the outcome of a command, with `DOTIN_DATA` naming the folder of the datasets and RUN any new folder. "
      "Load: processes that wanted a core when it started. A cell that had been stopped and went on says so: time and "
      "load are of its last part.\n\n"
      "| cell | protocol | seed | started | load | took | command |\n| --- | ---: | ---: | --- | ---: | ---: | --- |\n";
  for (const json& cell : cells) {
    const std::string error = cell.contains("error") ? " failed: " + plain(cell.at("error").get<std::string>()) : "";
    const auto number = std::find(protocols.begin(), protocols.end(), cell.at("protocol").get<std::string>());
    const json& machine = cell.at("machine");
    text += fmt::format("| {} | {} | {} | {} | {} | {}{} | `{}`{} |\n", plain(cell.at("label").get<std::string>()),
                        number - protocols.begin() + 1, cell.at("seed").get<int64_t>(),
                        cell.at("started").get<std::string>(),
                        machine.contains("load") ? fmt::format("{:.1f}", machine.at("load").get<double>()) : "",
                        core::format_seconds(cell.at("seconds").get<double>()),
                        cell.value("resumed", false) ? ", went on" : "", cell.at("command").get<std::string>(), error);
  }
  return text;
}

std::string cells_text(const Outcome& outcome) {
  std::string text = fmt::format("## Where the numbers come from\n\nCells run: {} of {}{}\n", outcome.cells.size(),
                                 outcome.cells.size() + outcome.missing.size(), outcome.cells.empty() ? "." : ", on\n");
  if (!outcome.cells.empty()) text += run_cells_text(outcome.cells);
  if (!outcome.missing.empty()) {
    text += "\n**Not run:** ";
    for (std::size_t i = 0; i < outcome.missing.size(); ++i)
      text += (i == 0 ? "" : "; ") + plain(outcome.missing[i].at("label").get<std::string>());
    text += ".\n";
  }
  return text;
}

std::string charts_text(const Outcome& outcome) {
  std::string text;
  for (const Chart& chart : outcome.charts) {
    text += fmt::format("### {}\n\n![{}]({})\n\n", plain(chart.title), plain(chart.title), file_of(outcome, chart));
    if (!chart.about.empty()) text += plain(chart.about) + "\n\n";
  }
  return text;
}

}  // namespace

std::string to_markdown(const Outcome& outcome) {
  std::string text = fmt::format("# {}\n\nWritten by `{}`.\n\n", plain(outcome.title), outcome.command);
  if (outcome.quick) {
    text +=
        "> **A quick run.** Few folds and epochs, a small model, little data: it shows that everything works, not what "
        "the methods reach. Do not quote it.\n\n";
  }
  // A figure begins with its pictures, a table with its numbers, as on the page; then how they came about.
  const std::size_t before =
      outcome.item.rfind("figure-", 0) == 0 ? 0 : std::min<std::size_t>(1, outcome.tables.size());
  for (std::size_t i = 0; i < before; ++i) text += table_text(outcome.tables[i]);
  text += charts_text(outcome) + "## How\n\n";
  for (const std::string& paragraph : outcome.about) text += plain(paragraph) + "\n\n";
  for (std::size_t i = before; i < outcome.tables.size(); ++i) text += table_text(outcome.tables[i]);
  return text + cells_text(outcome);
}

}  // namespace dotin::reproduce
