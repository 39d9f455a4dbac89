// Training and cross-validation. Needs libtorch: link with dotin::dotin.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dotin/dataset.h"
#include "dotin/options.h"
#include "dotin/predictor.h"

namespace dotin {

namespace training {
struct Learner;
}

/// One number of one task, e.g. {"classify", "accuracy", 0.79}; NaN where it cannot be told.
struct Metric {
  std::string task, name;
  double value = 0;
};

struct Epoch {
  int64_t number = 0;  // from 1
  int64_t epochs = 0;  // at most
  int64_t fold = 0;    // from 1 in a cross-validation, else 0
  double train_loss = 0;
  double validation_loss = 0;
  std::vector<Metric> validation;
};

/// Called after every epoch, one call at a time. False: stop.
using OnEpoch = std::function<bool(const Epoch&)>;

/// A trained model.
class Model {
 public:
  /// For train and load.
  Model(std::shared_ptr<const training::Learner> learner, std::vector<Epoch> history, int64_t best_epoch);

  /// Any model file, of a compared method too: `dotin::Model::load("model.safetensors")`
  static Model load(const std::string& path);
  /// `model.save("dd.safetensors");` The same model gives the same bytes.
  void save(const std::string& path) const;

  /// `model.predictor().predict(test)`. It shares the model's memory.
  Predictor predictor(const PredictorOptions& options = {}) const;
  /// How well it does on graphs whose targets are known: `model.evaluate(test)`
  std::vector<Metric> evaluate(const Dataset& graphs) const;

  /// Its epochs, where this program trained it, and the number of the one whose weights it has.
  const std::vector<Epoch>& history() const { return history_; }
  int64_t best_epoch() const { return best_epoch_; }
  Options options() const;

 private:
  std::shared_ptr<const training::Learner> learner_;
  std::vector<Epoch> history_;
  int64_t best_epoch_;
};

/// `dotin::train(graphs, options)`. A share of options.validation of the graphs chooses the best epoch. Same graphs,
/// options and number of threads: same model. If on_epoch asks to stop, the model is the best so far; dotin::Error
/// where there is none yet.
Model train(const Dataset& graphs, const Options& options = {}, const OnEpoch& on_epoch = {});

/// A metric over the folds; each fold's model is the one of its best validation epoch.
struct FoldScores {
  std::string task, name;
  double mean = 0, deviation = 0;
  std::vector<double> folds;
};

/// Every graph once in a test fold, options.folds of them:
/// `for (const auto& s : dotin::cross_validate(data, options)) std::cout << s.name << ' ' << s.mean;`
/// Empty if on_epoch asked to stop.
std::vector<FoldScores> cross_validate(const Dataset& graphs, const Options& options = {},
                                       const OnEpoch& on_epoch = {});

}  // namespace dotin
