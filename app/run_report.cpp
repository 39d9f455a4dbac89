#include "run_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/network/config.h"
#include "dotin/report/page.h"

namespace dotin::app {

std::vector<std::string> metric_columns(const std::vector<training::MetricName>& metrics, bool with_test) {
  std::vector<std::string> columns;
  for (const char* const split : {"validation", "test"}) {
    if (split == std::string("test") && !with_test) continue;
    for (const training::MetricName& metric : metrics)
      columns.push_back(fmt::format("{}.{}.{}", split, metric.task, metric.metric));
  }
  return columns;
}

training::MetricsRow metrics_row(int64_t fold, const training::EpochRecord& record) {
  training::MetricsRow row;
  row.fold = fold;
  row.epoch = record.epoch;
  row.lr = record.lr;
  row.drop_factor = record.drop_factor;
  row.train_loss = record.train_loss;
  row.validation_loss = record.validation_loss;
  row.seconds = record.seconds;
  row.values = record.validation;
  row.values.insert(row.values.end(), record.test.begin(), record.test.end());
  return row;
}

std::string epoch_line(const training::EpochRecord& record, int64_t epochs,
                       const std::vector<training::MetricName>& metrics) {
  std::string line = fmt::format("epoch {}/{}  loss {:.4f} ", record.epoch + 1, epochs, record.train_loss);
  std::string last_task;
  for (std::size_t i = 0; i < metrics.size() && i < record.validation.size(); ++i) {
    if (metrics[i].task == last_task) continue;  // the main metric of each task is enough
    last_task = metrics[i].task;
    line += fmt::format(" {} {} {:.4f}", metrics[i].task, metrics[i].metric, record.validation[i]);
  }
  return line;
}

void write_events(training::EventWriter& events, const std::string& prefix, const training::EpochRecord& record,
                  const std::vector<training::MetricName>& metrics) {
  const auto write = [&](const std::string& tag, double value) {
    if (!std::isnan(value)) events.scalar(prefix + tag, record.epoch, value);
  };
  write("train/loss", record.train_loss);
  write("validation/loss", record.validation_loss);
  write("train/lr", record.lr);
  write("train/drop_factor", record.drop_factor);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const std::string name = metrics[i].task + "/" + metrics[i].metric;
    if (i < record.validation.size()) write("validation/" + name, record.validation[i]);
    if (i < record.test.size()) write("test/" + name, record.test[i]);
  }
  events.flush();
}

void write_report(const training::RunFolder& folder, const std::string& command, const nlohmann::json& result,
                  const nlohmann::json& history, const training::TestRecord& tested) {
  nlohmann::json data = tested.to_json();
  data["command"] = command;
  data["result"] = result;
  data["history"] = history;
  data["config"] = folder.config_text();
  folder.write(kReport, report::run_page(data));
}

std::vector<training::MetricName> metrics_in(const nlohmann::json& by_task) {
  std::vector<training::MetricName> names;
  for (const auto& task : by_task.items()) {
    for (const auto& metric : task.value().items()) names.push_back({task.key(), metric.key(), true});
  }
  return names;
}

nlohmann::json metrics_json(const std::vector<training::MetricName>& metrics, const std::vector<double>& values) {
  nlohmann::json json = nlohmann::json::object();
  for (std::size_t i = 0; i < metrics.size() && i < values.size(); ++i) {
    json[metrics[i].task][metrics[i].metric] = std::isnan(values[i]) ? nlohmann::json() : nlohmann::json(values[i]);
  }
  return json;
}

}  // namespace dotin::app
