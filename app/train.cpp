// dotin train: one model on one split of the data.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "dotin/explain/predict.h"
#include "progress_bar.h"
#include "run_report.h"
#include "run_setup.h"
#include "signals.h"
#include "text.h"

namespace dotin::app {

namespace {

/// Draws the bar on a terminal, writes a line per epoch elsewhere, and keeps metrics.csv and the event file.
class Reporter : public training::TrainObserver {
 public:
  Reporter(Console& console, const RunSetup& setup, std::vector<training::MetricName> metrics)
      : console_(console),
        epochs_(setup.options.train.epochs),
        metrics_(std::move(metrics)),
        file_(setup.folder.file("metrics.csv"), metric_columns(metrics_, false)),
        events_(setup.folder.path()) {}

  void on_ranking(const training::RankingInfo& ranking) override {
    const std::string losses =
        fmt::format("loss {:.4f}, {:.4f} without seeing nodes", ranking.loss, ranking.blind_loss);
    if (!bar_) bar_.emplace(console_, "rank nodes", Unit::share);
    bar_->show(ranking.step, ranking.steps, losses);
    if (ranking.step < ranking.steps) return;
    bar_.reset();
    if (!console_.live() && console_.verbosity() != Verbosity::quiet)
      console_.write(fmt::format("nodes ranked in {} steps  {}\n", ranking.steps, losses));
  }

  void on_step(const training::StepInfo& step) override {
    const int64_t done = step.epoch * step.batches + step.batch;
    if (!bar_) {
      bar_.emplace(console_, "train", Unit::share);
      bar_->resume_at(done - 1);
    }
    bar_->show(done, step.epochs * step.batches,
               fmt::format("epoch {}/{} loss {:.4f} {} {} graphs/s", step.epoch + 1, step.epochs, step.mean_loss, last_,
                           grouped(static_cast<int64_t>(step.graphs_per_second))));
  }

  void on_epoch(const training::EpochRecord& record) override {
    if (!started_) {
      // A checkpoint may be older than the last row written before the run was stopped.
      file_.truncate_after(0, record.epoch - 1);
      started_ = true;
    }
    file_.append(metrics_row(0, record));
    write_events(events_, "", record, metrics_);
    last_ = record.validation.empty() ? "" : fmt::format("{} {:.4f}", metrics_[0].metric, record.validation[0]);
    if (!console_.live() && console_.verbosity() != Verbosity::quiet)
      console_.write(epoch_line(record, epochs_, metrics_) + "\n");
  }

  bool stop_requested() override { return noted_signal() != 0; }

 private:
  Console& console_;
  int64_t epochs_;
  std::vector<training::MetricName> metrics_;
  training::MetricsFile file_;
  training::EventWriter events_;
  std::optional<ProgressBar> bar_;  // of the ranking, then of the epochs
  std::string last_;
  bool started_ = false;
};

nlohmann::json survival_json(const std::vector<explain::Survival>& survivals) {
  nlohmann::json json = nlohmann::json::object();
  for (const explain::Survival& survival : survivals) {
    json[survival.target] = {{"planted", survival.planted},
                             {"after_layer", survival.after_layer},
                             {"auc", std::isnan(survival.auc) ? nlohmann::json() : nlohmann::json(survival.auc)}};
  }
  return json;
}

/// What people read of a result.
std::string table_of(const nlohmann::json& result, const std::vector<training::MetricName>& metrics) {
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<std::string> features;
  for (const nlohmann::json& part : result.at("features")) {
    features.push_back(
        fmt::format("{} ({})", printable(part.at("name").get<std::string>()), part.at("columns").get<int64_t>()));
  }
  rows.emplace_back("features", fmt::format("{}", fmt::join(features, ", ")));
  rows.emplace_back("best epoch", fmt::format("{} of {}", result.at("best_epoch").get<int64_t>() + 1,
                                              result.at("epochs").get<int64_t>()));
  for (const char* const split : {"validation", "test"}) {
    for (const training::MetricName& metric : metrics) {
      const nlohmann::json& value = result.at(split).at(metric.task).at(metric.metric);
      rows.emplace_back(
          split, fmt::format("{} {} {}", metric.task, metric.metric,
                             value.is_null() ? std::string("unknown") : fmt::format("{:.4f}", value.get<double>())));
    }
  }
  const nlohmann::json none = nlohmann::json::object();
  for (const auto& target : (result.contains("planted") ? result.at("planted") : none).items()) {
    const auto planted = target.value().at("planted").get<double>();
    const auto after_layer = target.value().at("after_layer").get<std::vector<double>>();
    if (after_layer.empty() || planted == 0) continue;
    rows.emplace_back(
        "planted nodes",
        fmt::format("{:.1f}% of those that decide '{}' survived the first drop, {:.1f}% the last",
                    100 * after_layer.front() / planted, target.key(), 100 * after_layer.back() / planted));
    if (const nlohmann::json& auc = target.value().at("auc"); !auc.is_null())
      rows.emplace_back("", fmt::format("AUC of the score that decides the drop: {:.3f}", auc.get<double>()));
  }
  rows.emplace_back("time", core::format_seconds(result.at("seconds").get<double>()));
  rows.emplace_back("peak memory", core::format_bytes(result.at("peak_bytes").get<int64_t>()));
  rows.emplace_back("run folder", printable(result.at("run").get<std::string>()));
  return two_columns(rows);
}

int run_train(const RunArguments& arguments, Context& context) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<training::RunFolder> resumed = resumed_folder("train", arguments);
  if (show_finished("train", arguments, resumed, "validation", table_of, context)) return 0;
  training::TrainerInput input;
  std::vector<training::MetricName> metrics;
  const auto check = [&](const network::RunOptions& options, const std::shared_ptr<const data::Dataset>& dataset) {
    input.split = data::stratified_split(network::stratification(data::View(dataset), options), options.data.validation,
                                         options.data.test, static_cast<uint64_t>(options.train.seed));
    const training::Learner learner = training::make_learner(options, data::View(dataset).subset(input.split.train));
    training::bind(learner, *dataset, data::UnknownLabels::error);
    metrics = training::metric_names(learner.tasks);
    return training::values_used(options, learner);
  };
  const RunSetup setup = set_up_run("train", arguments, std::move(resumed), check, context);
  training::set_threads(setup.options.train.threads);

  input.dataset = setup.dataset;
  input.options = setup.options;
  input.checkpoint = setup.folder.file(kTrainCheckpoint);
  input.resume = setup.resuming;
  const data::View all(setup.dataset);
  training::TrainResult trained;
  {
    Reporter reporter(context.console, setup, metrics);
    trained = training::train(input, reporter);
  }
  if (trained.interrupted) stop_interrupted(setup, context);

  training::save_model(trained.learner, setup.folder.file("model.safetensors"));
  const data::View test = all.subset(input.split.test);
  const training::BoundData bound = training::bind(trained.learner, *setup.dataset, data::UnknownLabels::error);
  const training::Evaluation tested = training::evaluate(trained.learner, bound, test, 1);
  const std::vector<explain::Survival> survivals =
      explain::planted_survival(training::LearnerPredictor(trained.learner), test.size() > 0 ? test : all);

  nlohmann::json result;
  result["data"] = setup.dataset->name;
  result["graphs"] = {{"train", input.split.train.size()},
                      {"validation", input.split.validation.size()},
                      {"test", input.split.test.size()}};
  for (const auto& [name, columns] : trained.learner.features.parts())
    result["features"].push_back({{"name", name}, {"columns", columns}});
  result["parameters"] = trained.learner.model->parameters().count();
  result["epochs"] = trained.history.size();
  result["best_epoch"] = trained.best_epoch;
  result["validation"] =
      metrics_json(trained.metrics, trained.history[static_cast<std::size_t>(trained.best_epoch)].validation);
  result["test"] = metrics_json(trained.metrics, tested.values);
  if (!survivals.empty()) result["planted"] = survival_json(survivals);
  result["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result["peak_bytes"] = core::peak_resident_bytes();
  result["run"] = setup.folder.path();
  setup.folder.write_result(result);
  training::TestRecord record(setup.dataset);
  record.add(trained.learner, test);
  write_report(setup.folder, "train", result,
               training::history_json(trained.metrics, {trained.history}, {trained.best_epoch}), record);
  context.console.out(arguments.json ? json_text(result) : table_of(result, trained.metrics));
  return 0;
}

}  // namespace

void add_train(CLI::App& root, Context& context) {
  CLI::App& command = *root.add_subcommand("train", "Train a model on a dataset and test it on graphs kept aside");
  const auto arguments = std::make_shared<RunArguments>();
  add_run_arguments(command, *arguments);
  set_examples(
      command,
      {"dotin train DD.zip --drop-ratio 0.9", "dotin train PROTEINS --tasks classify,ged --epochs 30",
       "dotin train data.jsonl --tasks regress:logp,tox=multilabel:tox --backbone gcn",
       "dotin train DD.zip --preset paper --hidden 512", "dotin train --resume runs/DD-classify-20240131-120000"},
      RunOptionsParser::preset_table());
  set_action(command, context, arguments, run_train);
}

}  // namespace dotin::app
