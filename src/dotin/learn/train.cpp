#include "dotin/train.h"

#include <atomic>

#include "dotin/core/error.h"
#include "dotin/learn/metrics.h"
#include "dotin/network/targets.h"
#include "dotin/training/cross_validation.h"
#include "dotin/training/trainer.h"

namespace dotin {

namespace {

class Watch : public training::TrainObserver, public training::CrossValidationObserver {
 public:
  Watch(const OnEpoch& on_epoch, int64_t epochs) : on_epoch_(on_epoch), epochs_(epochs) {}

  void take_names(std::vector<training::MetricName> names) { names_ = std::move(names); }
  std::vector<Epoch> take_history() { return std::move(history_); }

  void on_epoch(const training::EpochRecord& record) override { tell(learn::epoch_of(names_, record, epochs_, 0)); }
  void on_epoch(int64_t fold, const std::vector<training::MetricName>& names,
                const training::EpochRecord& record) override {
    tell(learn::epoch_of(names, record, epochs_, fold + 1));
  }
  bool stop_requested() override { return stop_; }

 private:
  void tell(Epoch epoch) {
    if (on_epoch_ && !on_epoch_(epoch)) stop_ = true;
    history_.push_back(std::move(epoch));
  }

  const OnEpoch& on_epoch_;
  int64_t epochs_;
  std::vector<training::MetricName> names_;
  std::vector<Epoch> history_;
  std::atomic<bool> stop_{false};
};

network::RunOptions checked(const Options& options) {
  network::RunOptions run = network::run_options(options);
  run.validate();
  return run;
}

}  // namespace

Model train(const Dataset& graphs, const Options& options, const OnEpoch& on_epoch) {
  training::TrainerInput input;
  input.options = checked(options);
  const data::View& view = graphs.view();
  DOTIN_CHECK(view.size() >= 2, "{}: {} graphs are too few to train on", graphs.name(), view.size());
  input.dataset = view.shared();
  // Places in the view -> graphs of the dataset.
  const data::Split places =
      data::stratified_split(network::stratification(view, input.options), input.options.data.validation, 0,
                             static_cast<uint64_t>(input.options.train.seed));
  input.split.train = view.subset(places.train).indices();
  input.split.validation = view.subset(places.validation).indices();
  training::set_threads(input.options.train.threads);
  Watch watch(on_epoch, input.options.train.epochs);
  watch.take_names(training::metric_names(training::make_tasks(input.options, view.subset(places.train))));
  training::TrainResult trained = training::train(input, watch);
  DOTIN_CHECK(trained.best_epoch >= 0, "{}: training was stopped before any epoch had the full drop ratio",
              graphs.name());
  return {std::make_shared<const training::Learner>(std::move(trained.learner)), watch.take_history(),
          trained.best_epoch + 1};
}

std::vector<FoldScores> cross_validate(const Dataset& graphs, const Options& options, const OnEpoch& on_epoch) {
  training::CrossValidationInput input;
  input.options = checked(options);
  input.folds = input.options.data.folds;
  input.graphs = graphs.view().indices();
  input.dataset = graphs.view().shared();
  training::set_threads(input.options.train.threads);
  Watch watch(on_epoch, input.options.train.epochs);
  const training::CrossValidationResult result = training::cross_validate(input, watch);
  std::vector<FoldScores> scores;
  for (const training::MetricResult& metric : result.results) {
    const training::Summary& test = metric.by_validation.test;
    scores.push_back({metric.name.task, metric.name.metric, test.mean, test.std, test.folds});
  }
  return scores;
}

}  // namespace dotin
