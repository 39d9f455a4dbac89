// Tiny runs for the tests of training.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "dotin/training/trainer.h"
#include "support/small_data.h"
#include "support/temporary_folder.h"

namespace dotin::testing {

/// A model of a few hundred numbers, a few epochs.
inline network::RunOptions small_options(const std::vector<std::string>& tasks = {"classify"}) {
  network::RunOptions options;
  options.task.tasks = tasks;
  options.model.hidden = 8;
  options.model.layers = 3;
  options.model.attention_dim = 4;
  options.train.epochs = 4;
  options.train.batch = 4;
  options.train.lr = 0.01;
  return options;
}

inline training::TrainerInput small_input(const network::RunOptions& options, int64_t graphs = 24) {
  training::TrainerInput input;
  input.dataset = small_dataset(graphs);
  for (int64_t g = 0; g < graphs; ++g) {
    (g % 5 == 0 ? input.split.validation : g % 5 == 1 ? input.split.test : input.split.train).push_back(g);
  }
  input.options = options;
  return input;
}

/// Asks to stop after so many steps (never: -1); calls `at_step` after each.
class StopAfter : public training::TrainObserver {
 public:
  explicit StopAfter(int64_t steps = -1, std::function<void(const training::StepInfo&)> at_step = nullptr)
      : left_(steps), at_step_(std::move(at_step)) {}
  void on_step(const training::StepInfo& step) override {
    if (at_step_) at_step_(step);
  }
  bool stop_requested() override { return left_ > 0 && --left_ == 0; }

 private:
  int64_t left_;
  std::function<void(const training::StepInfo&)> at_step_;
};

inline training::TrainResult train_whole(const training::TrainerInput& input) {
  StopAfter never;
  return training::train(input, never);
}

/// The bytes of its model file.
inline std::string model_bytes(const training::TrainResult& result) {
  const TemporaryFolder folder;
  training::save_model(result.learner, folder / "model.safetensors");
  return read_text(folder / "model.safetensors");
}

/// Everything about the epochs but how long they took.
inline std::string history_text(const std::vector<training::EpochRecord>& history) {
  std::string text;
  for (const training::EpochRecord& record : history) {
    text += fmt::format("{} {} {} {} {}", record.epoch, record.lr, record.drop_factor, record.train_loss, record.score);
    for (const double value : record.validation) text += fmt::format(" {}", value);
    for (const double value : record.test) text += fmt::format(" {}", value);
    text += '\n';
  }
  return text;
}

}  // namespace dotin::testing
