// What train and cv show while they run and when they are done.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dotin/training/cross_validation.h"
#include "dotin/training/events.h"
#include "dotin/training/run_folder.h"
#include "dotin/training/run_record.h"

namespace dotin::app {

/// The page that a run leaves last.
inline constexpr const char* kReport = "report.html";

/// The tasks and metrics that a result has values for.
std::vector<training::MetricName> metrics_in(const nlohmann::json& by_task);

/// "validation.classify.accuracy", ... in the order of MetricsRow::values.
std::vector<std::string> metric_columns(const std::vector<training::MetricName>& metrics, bool with_test);

training::MetricsRow metrics_row(int64_t fold, const training::EpochRecord& record);

/// "epoch 12/50  loss 0.4312  validation classify.accuracy 0.7812"
std::string epoch_line(const training::EpochRecord& record, int64_t epochs,
                       const std::vector<training::MetricName>& metrics);

void write_events(training::EventWriter& events, const std::string& prefix, const training::EpochRecord& record,
                  const std::vector<training::MetricName>& metrics);

/// {"classify": {"accuracy": 0.81, ...}, ...}; NaN becomes null.
nlohmann::json metrics_json(const std::vector<training::MetricName>& metrics, const std::vector<double>& values);

/// report.html of the run folder. tested: what the models said of the test graphs.
void write_report(const training::RunFolder& folder, const std::string& command, const nlohmann::json& result,
                  const nlohmann::json& history, const training::TestRecord& tested);

}  // namespace dotin::app
