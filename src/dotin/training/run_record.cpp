#include "dotin/training/run_record.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/network/metrics.h"
#include "dotin/report/explain_json.h"

namespace dotin::training {

namespace {

using nlohmann::json;

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Every n-th value, so that at most kMostValues are left.
std::vector<double> thinned(const std::vector<double>& values) {
  const std::size_t step = 1 + values.size() / (TestRecord::kMostValues + 1);
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); i += step) result.push_back(values[i]);
  return result;
}

json confusion_json(const tasks::Collected& collected, const std::vector<std::string>& classes) {
  const auto count = static_cast<int64_t>(classes.size());
  std::vector<int32_t> labels;
  for (const double target : collected.targets)
    labels.push_back(std::isnan(target) ? -1 : static_cast<int32_t>(target));
  const std::vector<int64_t> counts = network::confusion_matrix(collected.outputs, count, labels);
  json rows = json::array();
  for (int64_t c = 0; c < count; ++c)
    rows.push_back(std::vector<int64_t>(counts.begin() + c * count, counts.begin() + (c + 1) * count));
  return rows;
}

/// Per question: answers that are rightly yes, wrongly yes, wrongly no and rightly no.
json answers_json(const tasks::Collected& collected, int64_t width) {
  std::vector<std::vector<int64_t>> counts(static_cast<std::size_t>(width), std::vector<int64_t>(4, 0));
  for (std::size_t i = 0; i < collected.targets.size(); ++i) {
    const double target = collected.targets[i];
    if (std::isnan(target)) continue;
    const bool said = collected.outputs[i] > 0, is = target > 0.5;
    ++counts[i % static_cast<std::size_t>(width)][said ? (is ? 0 : 1) : (is ? 2 : 3)];
  }
  return counts;
}

/// Per column the pairs [true, predicted] that are known.
json pairs_json(const tasks::Collected& collected, int64_t width) {
  json columns = json::array();
  for (std::size_t c = 0; c < static_cast<std::size_t>(width); ++c) {
    std::vector<std::vector<double>> pairs;
    for (std::size_t i = c; i < collected.targets.size(); i += static_cast<std::size_t>(width)) {
      if (!std::isnan(collected.targets[i])) pairs.push_back({collected.targets[i], collected.outputs[i]});
    }
    const std::size_t step = 1 + pairs.size() / (TestRecord::kMostValues + 1);
    json& column = columns.emplace_back(json::array());
    for (std::size_t i = 0; i < pairs.size(); i += step) column.push_back(pairs[i]);
  }
  return columns;
}

}  // namespace

void TestRecord::add(const Learner& learner, const data::View& test) {
  if (!model_) {
    model_ = std::make_shared<const json>(report::model_json(learner, *dataset_));
    std::vector<std::string> attentive;  // tasks with a virtual node of their own
    for (const auto& task : learner.tasks) {
      TaskRecord record;
      record.name = task->name();
      record.kind = task->spec().kind;
      record.width = task->output().width(learner.options.model.hidden);
      if (record.kind == "classify")
        record.classes = task->output().to_json()["classes"].get<std::vector<std::string>>();
      if (learner.options.model.has_virtual_nodes()) attentive.push_back(record.name);
      tasks_.push_back(std::move(record));
    }
    summarizer_ = std::make_unique<explain::Summarizer>(attentive, learner.options.model.layers, *dataset_);
  }
  if (test.size() == 0) return;
  const BoundData bound = bind(learner, *dataset_, data::UnknownLabels::error);
  const Evaluation evaluation = evaluate(learner, bound, test, 1);
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    append(tasks_[k].collected.outputs, evaluation.collected[k].outputs);
    append(tasks_[k].collected.targets, evaluation.collected[k].targets);
    append(tasks_[k].collected.d_pos, evaluation.collected[k].d_pos);
    append(tasks_[k].collected.d_neg, evaluation.collected[k].d_neg);
  }
  if (!explain::can_explain(learner)) return;
  core::NoProgress silent;
  explain::predict(LearnerPredictor(learner), *bound.encoder, test, true, silent,
                   [&](const explain::Prediction& prediction) { summarizer_->add(prediction); });
}

json TestRecord::task_json(const TaskRecord& task) {
  json result = {{"name", task.name}, {"kind", task.kind}};
  if (task.kind == "classify") {
    result["classes"] = task.classes;
    result["confusion"] = confusion_json(task.collected, task.classes);
  } else if (task.kind == "multilabel") {
    result["answers"] = answers_json(task.collected, task.width);
  } else if (task.kind == "regress") {
    result["pairs"] = pairs_json(task.collected, task.width);
  } else if (task.kind == "ged") {
    result["closer"] = thinned(task.collected.d_pos);
    result["farther"] = thinned(task.collected.d_neg);
  }
  return result;
}

json TestRecord::to_json() const {
  json tested = json::array();
  for (const TaskRecord& task : tasks_) tested.push_back(task_json(task));
  return {{"model", *model_}, {"tested", std::move(tested)}, {"drops", report::summary_json(summarizer_->summary())}};
}

json history_json(const std::vector<MetricName>& metrics, const std::vector<std::vector<EpochRecord>>& histories,
                  const std::vector<int64_t>& best_epochs) {
  json names = json::array();
  for (const MetricName& metric : metrics) names.push_back({{"task", metric.task}, {"metric", metric.metric}});
  json folds = json::array();
  for (std::size_t fold = 0; fold < histories.size(); ++fold) {
    json epochs = json::array();
    for (const EpochRecord& record : histories[fold]) {
      epochs.push_back({{"epoch", record.epoch},
                        {"lr", record.lr},
                        {"drop_factor", record.drop_factor},
                        {"train_loss", record.train_loss},
                        {"validation_loss", record.validation_loss},
                        {"seconds", record.seconds},
                        {"validation", record.validation},
                        {"test", record.test}});
    }
    folds.push_back({{"best_epoch", best_epochs[fold]}, {"epochs", std::move(epochs)}});
  }
  return {{"metrics", std::move(names)}, {"folds", std::move(folds)}};
}

}  // namespace dotin::training
