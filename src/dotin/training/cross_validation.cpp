#include "dotin/training/cross_validation.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>

#include "dotin/core/error.h"
#include "dotin/core/host.h"
#include "dotin/core/log.h"
#include "dotin/core/memory.h"
#include "dotin/network/targets.h"

namespace dotin::training {

namespace {

/// Passes one fold's events on, one at a time.
class FoldObserver : public TrainObserver {
 public:
  FoldObserver(int64_t fold, CrossValidationObserver& observer, std::mutex& mutex, std::atomic<bool>& stop,
               const std::vector<MetricName>& metrics)
      : fold_(fold), observer_(observer), mutex_(mutex), stop_(stop), metrics_(metrics) {}

  void on_ranking(const RankingInfo& ranking) override {
    const std::lock_guard lock(mutex_);
    observer_.on_ranking(fold_, ranking);
  }
  void on_step(const StepInfo& step) override {
    const std::lock_guard lock(mutex_);
    observer_.on_step(fold_, step);
  }
  void on_epoch(const EpochRecord& record) override {
    const std::lock_guard lock(mutex_);
    observer_.on_epoch(fold_, metrics_, record);
  }
  bool stop_requested() override {
    const std::lock_guard lock(mutex_);
    if (observer_.stop_requested()) stop_ = true;
    return stop_;
  }

 private:
  int64_t fold_;
  CrossValidationObserver& observer_;
  std::mutex& mutex_;
  std::atomic<bool>& stop_;
  const std::vector<MetricName>& metrics_;
};

class Folds {
 public:
  Folds(const CrossValidationInput& input, CrossValidationObserver& observer)
      : input_(input),
        observer_(observer),
        view_(input.graphs.empty() ? data::View(input.dataset) : data::View(input.dataset, input.graphs)),
        folds_(data::stratified_folds(network::stratification(view_, input.options), input.folds,
                                      static_cast<uint64_t>(input.options.train.seed))) {
    result_.histories.resize(static_cast<std::size_t>(input.folds));
    // What the metrics are called, before any fold has begun.
    const data::View train = view_.subset(data::split_of_fold(folds_, 0).train);
    const Learner learner = make_learner(input.options, train);
    result_.scores.metrics = metric_names(learner.tasks);
    bytes_each_ = std::max<int64_t>(1, predicted_bytes(learner, train));
    if (!input.checkpoint_folder.empty()) make_checkpoint_folder();
  }

  CrossValidationResult go() {
    const int threads = set_threads(input_.options.train.threads);
    const int64_t wanted = input_.jobs > 0 ? input_.jobs : threads;
    const int64_t jobs = std::min({wanted, input_.folds, int64_t{core::processors()}});
    const int64_t threads_each = std::max<int64_t>(1, threads / jobs);
    const int64_t available = core::available_bytes();
    const int64_t fitting = available == 0 ? jobs : std::clamp<int64_t>(available / bytes_each_, 1, jobs);
    std::vector<std::thread> workers;
    const auto run = [this, threads_each] {
      set_threads(threads_each);
      work();
    };
    try {
      for (int64_t job = 0; job < fitting; ++job) workers.emplace_back(run);
    } catch (const std::system_error& error) {
      // A limit of the system: those that have begun do the work of the others.
      core::log_warning("{} folds at once in place of {}: {}", workers.size(), fitting, error.what());
    }
    if (workers.empty()) run();
    for (std::thread& worker : workers) worker.join();
    set_threads(input_.options.train.threads);
    if (error_) std::rethrow_exception(error_);
    result_.interrupted = stop_;
    if (!stop_) select();
    return std::move(result_);
  }

 private:
  /// Once: if it is removed later, it must not come back with some folds only.
  void make_checkpoint_folder() const {
    std::error_code error;
    std::filesystem::create_directories(input_.checkpoint_folder, error);
    DOTIN_CHECK(!error, "{}: cannot make the folder: {}", input_.checkpoint_folder, error.message());
  }

  void work() {
    try {
      for (int64_t fold = next_++; fold < input_.folds && !stop_; fold = next_++) run_fold(fold);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  /// Places in the view -> graphs of the dataset.
  data::Split graphs_of(const data::Split& places) const {
    return {view_.subset(places.train).indices(), view_.subset(places.validation).indices(),
            view_.subset(places.test).indices()};
  }

  void run_fold(int64_t fold) {
    TrainerInput input;
    input.dataset = input_.dataset;
    input.split = graphs_of(data::split_of_fold(folds_, fold));
    input.options = input_.options;
    input.test_every_epoch = true;
    if (!input_.checkpoint_folder.empty())
      input.checkpoint = fmt::format("{}/fold-{}.ckpt.safetensors", input_.checkpoint_folder, fold);
    input.resume = input_.resume;
    FoldObserver observer(fold, observer_, mutex_, stop_, result_.scores.metrics);
    const TrainResult trained = train_fold(fold, input, observer);
    result_.histories[static_cast<std::size_t>(fold)] = trained.history;
    if (trained.interrupted) return;
    const std::lock_guard lock(mutex_);
    observer_.on_fold(fold, trained, input.split);
  }

  TrainResult train_fold(int64_t fold, const TrainerInput& input, FoldObserver& observer) const {
    try {
      return train(input, observer);
    } catch (const core::UsageError&) {
      throw;  // the same in every fold
    } catch (const core::Error& error) {
      core::fail("fold {}/{}: {}", fold + 1, input_.folds, error.what());
    }
  }

  void select() {
    result_.scores.first_eligible_epoch = first_full_epoch(input_.options.warmup_share(), input_.options.train.epochs);
    for (const auto& history : result_.histories) {
      std::vector<EpochScores> epochs;
      for (const EpochRecord& record : history)
        epochs.push_back({record.score, record.validation, record.test, record.validation_loss});
      result_.scores.folds.push_back(std::move(epochs));
    }
    result_.results = select_epochs(result_.scores);
  }

  const CrossValidationInput& input_;
  CrossValidationObserver& observer_;
  data::View view_;
  std::vector<std::vector<int64_t>> folds_;
  CrossValidationResult result_;
  int64_t bytes_each_ = 0;
  std::atomic<int64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::exception_ptr error_;
  std::mutex mutex_;
};

}  // namespace

CrossValidationResult cross_validate(const CrossValidationInput& input, CrossValidationObserver& observer) {
  if (input.folds < 3)
    core::fail_usage("`folds` must be at least 3 (training, validation and test), not {}", input.folds);
  return Folds(input, observer).go();
}

}  // namespace dotin::training
