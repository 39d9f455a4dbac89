// dotin cv: cross-validation, all selection rules from one run.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "dotin/core/memory.h"
#include "progress_bar.h"
#include "run_report.h"
#include "run_setup.h"
#include "signals.h"
#include "text.h"
#include "usage.h"

namespace dotin::app {

namespace {

struct CvArguments : RunArguments {
  int64_t jobs = 0;
};

/// What the folds leave for the report of the run.
struct FoldRecord {
  explicit FoldRecord(const RunSetup& setup)
      : dataset(setup.dataset),
        tested(setup.dataset),
        best_epochs(static_cast<std::size_t>(setup.options.data.folds), -1) {}

  /// Columns of each feature by fold: every fold fits its own. 0 where a fold does without.
  nlohmann::json features_json() const {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& [name, columns] : features) list.push_back({{"name", name}, {"columns", columns}});
    return list;
  }

  std::shared_ptr<const data::Dataset> dataset;
  training::TestRecord tested;
  std::vector<int64_t> best_epochs;
  std::map<std::string, std::vector<int64_t>> features;
};

class Reporter : public training::CrossValidationObserver {
 public:
  Reporter(Console& console, const RunSetup& setup, FoldRecord& record)
      : console_(console),
        options_(setup.options),
        events_(setup.folder.path()),
        bar_(console, "cv", Unit::share),
        record_(record) {}

  void on_ranking(int64_t fold, const training::RankingInfo& ranking) override {
    show(fmt::format("{}/{} folds done  fold {} ranks nodes, step {}/{}", folds_done_, options_.data.folds, fold + 1,
                     ranking.step, ranking.steps));
  }

  void on_step(int64_t fold, const training::StepInfo& step) override {
    const double done =
        static_cast<double>(step.epoch) + static_cast<double>(step.batch) / static_cast<double>(step.batches);
    if (progress_.count(fold) == 0) done_before(done - 1 / static_cast<double>(step.batches));
    progress_[fold] = done;
    show(fmt::format("{}/{} folds done  fold {} epoch {}/{} loss {:.4f} {} {} graphs/s", folds_done_,
                     options_.data.folds, fold + 1, step.epoch + 1, step.epochs, step.mean_loss, last_,
                     grouped(static_cast<int64_t>(step.graphs_per_second))));
  }

  void on_epoch(int64_t fold, const std::vector<training::MetricName>& metrics,
                const training::EpochRecord& record) override {
    progress_[fold] = static_cast<double>(record.epoch + 1);
    write_events(events_, fmt::format("fold-{}/", fold), record, metrics);
    last_ = record.validation.empty() ? "" : fmt::format("{} {:.4f}", metrics[0].metric, record.validation[0]);
    if (!console_.live() && console_.verbosity() != Verbosity::quiet) {
      console_.write(fmt::format("fold {}/{}  {}\n", fold + 1, options_.data.folds,
                                 epoch_line(record, options_.train.epochs, metrics)));
    }
  }

  void on_fold(int64_t fold, const training::TrainResult& trained, const data::Split& split) override {
    // Early stopping may have ended it before its last epoch, an earlier run before its first.
    const auto epochs = static_cast<double>(options_.train.epochs);
    if (progress_.count(fold) == 0) done_before(epochs);
    progress_[fold] = epochs;
    ++folds_done_;
    record_.tested.add(trained.learner, data::View(record_.dataset, split.test));
    record_.best_epochs[static_cast<std::size_t>(fold)] = trained.best_epoch;
    for (const auto& [name, columns] : trained.learner.features.parts()) {
      std::vector<int64_t>& by_fold = record_.features[name];
      by_fold.resize(record_.best_epochs.size());
      by_fold[static_cast<std::size_t>(fold)] = columns;
    }
  }

  bool stop_requested() override { return noted_signal() != 0; }

 private:
  void done_before(double epochs) {
    before_ += epochs;
    bar_.resume_at(parts(before_));
  }

  void show(const std::string& detail) {
    double done = 0;
    for (const auto& entry : progress_) done += entry.second;
    bar_.show(parts(done), options_.data.folds * parts(static_cast<double>(options_.train.epochs)), detail);
  }

  /// Of an epoch, for a bar that counts in whole numbers.
  static int64_t parts(double epochs) { return static_cast<int64_t>(epochs * 100); }

  Console& console_;
  const network::RunOptions& options_;
  training::EventWriter events_;
  ProgressBar bar_;
  FoldRecord& record_;
  std::map<int64_t, double> progress_;  // epochs done per fold
  double before_ = 0;                   // of them, by the run that this one goes on with
  int64_t folds_done_ = 0;
  std::string last_;
};

/// What people read of a result.
std::string table_of(const nlohmann::json& about, const std::vector<training::MetricName>& metrics) {
  const auto number = [](const nlohmann::json& value) { return value.is_null() ? NAN : value.get<double>(); };
  std::string text =
      fmt::format("{:<28} {:>16} {:>16} {:>16} {:>16}\n", "test", "validation", "last", "best mean", "best test");
  for (const training::MetricName& metric : metrics) {
    const nlohmann::json& rules = about.at("tasks").at(metric.task).at(metric.metric);
    text += fmt::format("{:<28}", metric.task + " " + metric.metric);
    for (const char* const rule : {"validation", "last", "best_mean", "best_test"}) {
      const nlohmann::json& found = rules.at(rule);
      text +=
          fmt::format(" {:>16}", fmt::format("{:.4f} +- {:.4f}", number(found.at("mean")), number(found.at("std"))));
    }
    text += "\n";
  }
  std::vector<std::string> features;
  for (const nlohmann::json& part : about.at("features")) {
    const auto columns = part.at("columns").get<std::vector<int64_t>>();
    if (columns.empty()) continue;
    const auto [least, most] = std::minmax_element(columns.begin(), columns.end());
    features.push_back(
        fmt::format("{} ({})", printable(part.at("name").get<std::string>()),
                    *least == *most ? fmt::format("{}", *most) : fmt::format("{} to {}", *least, *most)));
  }
  return text +
         two_columns({{"features", fmt::format("{}", fmt::join(features, ", "))},
                      {"epoch chosen by", "validation: each fold's validation score, no look at the test set"},
                      {"", "best mean and best test look at the test set, as some papers do: compare, do not quote"},
                      {"time", core::format_seconds(about.at("seconds").get<double>())},
                      {"peak memory", core::format_bytes(about.at("peak_bytes").get<int64_t>())},
                      {"run folder", printable(about.at("run").get<std::string>())}});
}

int run_cv(const CvArguments& arguments, Context& context) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<training::RunFolder> resumed = resumed_folder("cv", arguments);
  if (show_finished("cv", arguments, resumed, "tasks", table_of, context)) return 0;
  const auto check = [](const network::RunOptions& options, const std::shared_ptr<const data::Dataset>& dataset) {
    const auto folds = data::stratified_folds(network::stratification(data::View(dataset), options), options.data.folds,
                                              static_cast<uint64_t>(options.train.seed));
    for (int64_t fold = 0; fold < options.data.folds; ++fold) {
      training::make_tasks(options, data::View(dataset).subset(data::split_of_fold(folds, fold).train));
    }
    network::ValuesUsed used = training::values_used(options, training::make_learner(options, data::View(dataset)));
    for (const char* const fitted : {"features", "sort_k", "clusters"}) used.erase(fitted);  // by each fold for itself
    return used;
  };
  const RunSetup setup = set_up_run("cv", arguments, std::move(resumed), check, context);
  training::CrossValidationInput input;
  input.dataset = setup.dataset;
  input.options = setup.options;
  input.folds = setup.options.data.folds;
  input.jobs = arguments.jobs;
  input.checkpoint_folder = setup.folder.file(kCvCheckpoints);
  input.resume = setup.resuming;
  FoldRecord folds(setup);
  training::CrossValidationResult validated;
  {
    Reporter reporter(context.console, setup, folds);
    validated = training::cross_validate(input, reporter);
  }
  if (validated.interrupted) stop_interrupted(setup, context);

  // Folds run side by side, so the rows are written in order once all are there.
  training::MetricsFile metrics(setup.folder.file("metrics.csv"), metric_columns(validated.scores.metrics, true));
  metrics.truncate_after(0, -1);
  for (std::size_t fold = 0; fold < validated.histories.size(); ++fold) {
    for (const training::EpochRecord& record : validated.histories[fold])
      metrics.append(metrics_row(static_cast<int64_t>(fold), record));
  }
  nlohmann::json result = training::to_json(validated.results);
  result["data"] = setup.dataset->name;
  result["folds"] = input.folds;
  result["features"] = folds.features_json();
  result["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result["peak_bytes"] = core::peak_resident_bytes();
  result["run"] = setup.folder.path();
  setup.folder.write_result(result);
  write_report(setup.folder, "cv", result,
               training::history_json(validated.scores.metrics, validated.histories, folds.best_epochs), folds.tested);
  context.console.out(arguments.json ? json_text(result) : table_of(result, validated.scores.metrics));
  return 0;
}

}  // namespace

void add_cv(CLI::App& root, Context& context) {
  CLI::App& command =
      *root.add_subcommand("cv", "Cross-validate: seeded stratified folds, every selection rule from one run");
  const auto arguments = std::make_shared<CvArguments>();
  add_run_arguments(command, *arguments);
  command
      .add_option("--jobs", arguments->jobs,
                  "Folds trained at once, at most one for each processor; 0: as many as there are threads")
      ->type_name("INT")
      ->check(at_least(0));
  set_examples(command,
               {"dotin cv DD.zip --folds 10 --drop-ratio 0.5", "dotin cv NCI1 --tasks ged --json > ged.json",
                "dotin cv --resume runs/NCI1-ged-20240131-120000"},
               RunOptionsParser::preset_table());
  set_action(command, context, arguments, run_cv);
}

}  // namespace dotin::app
