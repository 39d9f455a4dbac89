// What the numbers mean that a model gives for a task: a class, values, answers, an embedding. The loss that teaches
// them is in tasks/, which needs libtorch; this does not.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dotin/network/task_spec.h"

namespace dotin::network {

/// One graph's output, read. What a kind of task does not have is empty.
struct Reading {
  std::string label;                  // classify: the most probable class
  std::vector<double> logits;         // classify: by class; multilabel: by question
  std::vector<double> probabilities;  // likewise
  std::vector<double> values;         // regress: in the target's own units
  std::vector<double> embedding;      // ged
};

class Output {
 public:
  explicit Output(TaskSpec spec) : spec_(std::move(spec)) {}
  virtual ~Output() = default;

  const TaskSpec& spec() const { return spec_; }
  const std::string& name() const { return spec_.name; }

  /// How many numbers the head gives; hidden is D.
  virtual int64_t width(int64_t hidden) const = 0;
  /// How many statements the task makes about a single graph (tasks::Task::statements); 0 where it makes none.
  virtual int64_t statements() const = 0;
  virtual Reading read(const double* row, int64_t width) const = 0;
  /// How far an output row has moved from what it was, e.g. because nodes were taken out of the graph; 0: not at all.
  virtual double change(const double* before, const double* after, int64_t width) const = 0;

  /// What the model file remembers of the training data.
  virtual nlohmann::json to_json() const = 0;
  virtual void from_json(const nlohmann::json& json) = 0;

 private:
  TaskSpec spec_;
};

/// One of C classes.
class ClassOutput : public Output {
 public:
  using Output::Output;
  int64_t width(int64_t hidden) const override;
  int64_t statements() const override { return static_cast<int64_t>(classes.size()); }
  Reading read(const double* row, int64_t width) const override;
  /// By how much the probability of the class that was predicted before has fallen.
  double change(const double* before, const double* after, int64_t width) const override;
  nlohmann::json to_json() const override;
  void from_json(const nlohmann::json& json) override;

  std::vector<std::string> classes;
};

/// One or several numbers, standardised by the training targets.
class NumberOutput : public Output {
 public:
  using Output::Output;
  int64_t width(int64_t hidden) const override;
  int64_t statements() const override { return 2 * static_cast<int64_t>(mean.size()); }
  Reading read(const double* row, int64_t width) const override;
  /// Mean absolute difference, in standard deviations of the training targets.
  double change(const double* before, const double* after, int64_t width) const override;
  nlohmann::json to_json() const override;
  void from_json(const nlohmann::json& json) override;

  std::vector<double> mean, deviation;  // of the training targets, per column
};

/// Several yes/no questions.
class AnswerOutput : public Output {
 public:
  using Output::Output;
  int64_t width(int64_t hidden) const override;
  int64_t statements() const override { return 2 * questions; }
  Reading read(const double* row, int64_t width) const override;
  /// By how much the probability of the answer that was given before has fallen, mean over the questions.
  double change(const double* before, const double* after, int64_t width) const override;
  nlohmann::json to_json() const override;
  void from_json(const nlohmann::json& json) override;

  int64_t questions = 0;
};

/// A row whose distances from others tell how far graphs are apart.
class EmbeddingOutput : public Output {
 public:
  using Output::Output;
  int64_t width(int64_t hidden) const override { return hidden; }
  int64_t statements() const override { return 0; }
  Reading read(const double* row, int64_t width) const override;
  /// Distance of the two embeddings, as a share of the first one's length.
  double change(const double* before, const double* after, int64_t width) const override;
  nlohmann::json to_json() const override;
  void from_json(const nlohmann::json& json) override;

  bool squared = false;  // distances are compared by their squares
  double margin = 1;
  bool by_nodes = true;  // embeddings times the nodes they average over
};

/// core::UsageError for an unknown kind.
std::shared_ptr<Output> make_output(const TaskSpec& spec);

}  // namespace dotin::network
