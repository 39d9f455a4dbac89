// dotin data check: what is wrong with a dataset, and what to know before trusting a score on it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "dotin/batch/batch.h"
#include "dotin/data/check.h"
#include "dotin/data/features.h"
#include "dotin/data/packed.h"
#include "progress_bar.h"
#include "reading_options.h"
#include "text.h"
#include "usage.h"

namespace dotin::app {

namespace {

struct CheckOptions {
  ReadingOptions reading;
  bool json = false;
  int64_t folds = 10;
  uint64_t seed = 0;
  std::size_t max_problems = 100;
};

struct Report {
  std::string path;
  std::shared_ptr<const data::Dataset> dataset;  // none if it could not be read
  data::DuplicateReport duplicates;
};

/// Packed files are mapped, not parsed: reading every graph is what shows damage.
std::shared_ptr<const data::Dataset> check_packed(const std::string& path, ProgressBar& bar) {
  const auto dataset = std::make_shared<const data::Dataset>(data::open_packed(path));
  const data::FeatureEncoder encoder(data::fit_features(data::View(dataset), {}), *dataset, data::UnknownLabels::error);
  for (int64_t g = 0; g < dataset->graphs(); ++g) {
    batch::build_batch(*dataset, encoder, {&g, 1}, {});
    bar.update(g + 1, dataset->graphs(), "reading graphs");
  }
  return dataset;
}

std::shared_ptr<const data::Dataset> check_text(const std::string& path, data::DataForm form,
                                                const data::OpenOptions& options, io::CollectingSink& problems,
                                                ProgressBar& bar) {
  bar.update(0, 0, "reading " + path);
  io::Records records = data::read_records(path, form, options.limits, problems);
  if (problems.count() > 0) return nullptr;
  return std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), options.duplicates));
}

Report check(const CheckOptions& options, io::CollectingSink& problems, Context& context) {
  ProgressBar bar(context.console, "check");
  Report report;
  report.path = data::resolve(options.reading.data);
  const data::DataForm form = data::form_of(report.path);
  try {
    report.dataset = form == data::DataForm::packed
                         ? check_packed(report.path, bar)
                         : check_text(report.path, form, options.reading.open_options(), problems, bar);
  } catch (const core::UsageError&) {
    throw;
  } catch (const core::Error& error) {
    // Where a reader cannot go on, whatever the sink; the message names the place.
    io::Problem problem;
    problem.what = error.what();
    problems.report(std::move(problem));
  }
  if (report.dataset != nullptr && report.dataset->graphs() >= 2) {
    bar.update(0, 0, "looking for copies");
    report.duplicates =
        data::find_duplicates(*report.dataset, std::min(options.folds, report.dataset->graphs()), options.seed);
  }
  return report;
}

std::string text_of(const io::Problem& problem) {
  return problem.where.file.empty() ? problem.what : io::to_string(problem);
}

std::string as_json(const Report& report, const io::CollectingSink& sink, const CheckOptions& options) {
  nlohmann::ordered_json json;
  json["path"] = report.path;
  json["problem_count"] = sink.count();
  json["problems"] = nlohmann::json::array();
  for (const io::Problem& problem : sink.problems()) {
    json["problems"].push_back({{"file", problem.where.file},
                                {"line", problem.where.line},
                                {"what", problem.what},
                                {"advice", problem.advice}});
  }
  json["duplicates"] = nullptr;
  if (report.dataset != nullptr) {
    json["name"] = report.dataset->name;
    json["graphs"] = report.dataset->graphs();
    const data::DuplicateReport& found = report.duplicates;
    json["duplicates"] = {
        {"sets", found.groups},           {"graphs", found.graphs}, {"conflicting", found.conflicting},
        {"straddling", found.straddling}, {"folds", found.folds},   {"seed", options.seed},
        {"examples", found.examples}};
  }
  return json_text(json);
}

std::string duplicates_text(const Report& report, const CheckOptions& options) {
  const data::DuplicateReport& found = report.duplicates;
  if (report.dataset->graphs() < 2) return "";
  const bool edge_data = !report.dataset->edge_labels.empty() || report.dataset->edge_attributes.columns > 0;
  const std::string how = edge_data ? "by Weisfeiler-Lehman hash, without what the edges carry: models do not see it"
                                    : "by Weisfeiler-Lehman hash";
  if (found.groups == 0) return fmt::format("No graph is a copy of another ({}).\n", how);
  std::string text = fmt::format(
      "{} are copies of others, in {} ({})\n"
      "  {} in sets whose members carry different labels{}\n"
      "  {} would have a copy in the training part of a {}-fold split with seed {}\n",
      counted(found.graphs, "graph"), counted(found.groups, "set"), how, grouped(found.conflicting),
      found.conflicting > 0 ? ": no model can get all of them right" : "", counted(found.straddling, "test graph"),
      found.folds, options.seed);
  std::vector<std::string> sets;
  for (const auto& example : found.examples) {
    std::vector<std::string> members;
    for (const int64_t graph : example) members.push_back(std::to_string(graph));
    sets.push_back("{" + listed(members, 8) + "}");
  }
  return text + "  for example, counting graphs from 0: " + listed(sets, sets.size()) + "\n";
}

std::string as_text(const Report& report, const io::CollectingSink& sink, const CheckOptions& options) {
  std::string text;
  for (const io::Problem& problem : sink.problems()) text += printable(text_of(problem)) + "\n";
  const auto shown = static_cast<int64_t>(sink.problems().size());
  if (sink.count() > shown) {
    text += fmt::format("... and {} more; --max-problems shows them\n", grouped(sink.count() - shown));
  }
  if (sink.count() > 0) return text + printable(report.path) + ": " + counted(sink.count(), "problem") + "\n";
  return fmt::format("{}: no problem in {}, {}, {}\n{}", printable(report.path),
                     counted(report.dataset->graphs(), "graph"), counted(report.dataset->nodes(), "node"),
                     counted(report.dataset->directed_edges() / 2, "edge"), duplicates_text(report, options));
}

int run_check(const CheckOptions& options, Context& context) {
  io::CollectingSink problems(options.max_problems);
  const Report report = check(options, problems, context);
  context.console.out(options.json ? as_json(report, problems, options) : as_text(report, problems, options));
  return problems.count() > 0 ? 1 : 0;
}

}  // namespace

void add_data_check(CLI::App& data, Context& context) {
  CLI::App& command = *data.add_subcommand(
      "check", "Every problem of a dataset with file and line, and graphs that are copies of one another");
  const auto options = std::make_shared<CheckOptions>();
  add_reading_options(command, options->reading);
  command.add_flag("--json", options->json, "Print JSON");
  command.add_option("--folds", options->folds, "Folds of the split in which copies are looked for on both sides")
      ->check(at_least(2))
      ->type_name("K")
      ->capture_default_str();
  command.add_option("--seed", options->seed, "Seed of that split")
      ->transform(whole_number())
      ->check(at_least(0))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--max-problems", options->max_problems, "Problems to show")
      ->check(at_least(1))
      ->type_name("N")
      ->capture_default_str();
  set_examples(command, {"dotin data check DD.zip", "dotin data check my_graphs.jsonl --max-problems 1000",
                         "dotin data check NCI1 --folds 5 --seed 3 --json"});
  set_action(command, context, options, run_check);
}

}  // namespace dotin::app
