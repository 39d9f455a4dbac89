#include "dotin/training/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/training/tensors.h"

namespace dotin::training {

namespace {

constexpr const char* kStateKey = "dotin_checkpoint";
constexpr const char* kAboutKey = "dotin_run";

// JSON has no NaN and no infinity; null and text stand for them.
nlohmann::json json_of(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from(const nlohmann::json& json) {
  if (json.is_null()) return std::nan("");
  if (json.is_string()) return json.get<std::string>() == "inf" ? INFINITY : -INFINITY;
  return json.get<double>();
}

nlohmann::json json_of(const std::vector<double>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) list.push_back(json_of(value));
  return list;
}

std::vector<double> numbers_from(const nlohmann::json& list) {
  std::vector<double> values;
  for (const nlohmann::json& entry : list) values.push_back(number_from(entry));
  return values;
}

nlohmann::json to_json(const EpochRecord& record) {
  return {{"epoch", record.epoch},
          {"lr", record.lr},
          {"drop_factor", record.drop_factor},
          {"train_loss", json_of(record.train_loss)},
          {"validation_loss", json_of(record.validation_loss)},
          {"seconds", record.seconds},
          {"score", json_of(record.score)},
          {"validation", json_of(record.validation)},
          {"test", json_of(record.test)}};
}

EpochRecord record_from(const nlohmann::json& json) {
  EpochRecord record;
  record.epoch = json.at("epoch").get<int64_t>();
  record.lr = json.at("lr").get<double>();
  record.drop_factor = json.at("drop_factor").get<double>();
  record.train_loss = number_from(json.at("train_loss"));
  record.validation_loss = number_from(json.at("validation_loss"));
  record.seconds = json.at("seconds").get<double>();
  record.score = number_from(json.at("score"));
  record.validation = numbers_from(json.at("validation"));
  record.test = numbers_from(json.at("test"));
  return record;
}

}  // namespace

void write_checkpoint(const std::string& path, const std::string& about, const TrainingState& state,
                      const NamedTensors& tensors) {
  nlohmann::json json = {{"epoch", state.epoch},
                         {"batches_done", state.batches_done},
                         {"step", state.step},
                         {"loss_sum", json_of(state.loss_sum)},
                         {"graphs_seen", state.graphs_seen},
                         {"seconds_in_epoch", state.seconds_in_epoch},
                         {"best_score", json_of(state.best_score)},
                         {"best_loss", json_of(state.best_loss)},
                         {"best_epoch", state.best_epoch},
                         {"finished", state.finished},
                         {"schedule", json_of(std::vector<double>{state.schedule.best, state.schedule.epochs_since,
                                                                  state.schedule.factor})},
                         {"gradients", {{"mean_norm", state.gradients.mean_norm}, {"steps", state.gradients.steps}}},
                         {"history", nlohmann::json::array()}};
  for (const EpochRecord& record : state.history) json["history"].push_back(to_json(record));
  std::vector<io::TensorToWrite> to_be_written;
  for (const auto& [name, tensor] : tensors) to_be_written.push_back(to_write(name, tensor));
  io::write_safetensors(path, to_be_written, {{kStateKey, json.dump()}, {kAboutKey, about}});
}

TrainingState read_checkpoint(const std::string& path, const std::string& about, const NamedTensors& tensors) {
  const io::SafetensorsFile file(path);
  DOTIN_CHECK(file.metadata().count(kStateKey) == 1 && file.metadata().count(kAboutKey) == 1,
              "{}: not a dotin checkpoint", path);
  DOTIN_CHECK(file.metadata().at(kAboutKey) == about,
              "{}: this checkpoint is of a run with other options or other data; resume with those it was started with",
              path);
  TrainingState state;
  try {
    const nlohmann::json json = nlohmann::json::parse(file.metadata().at(kStateKey));
    state.epoch = json.at("epoch").get<int64_t>();
    state.batches_done = json.at("batches_done").get<int64_t>();
    state.step = json.at("step").get<int64_t>();
    state.loss_sum = number_from(json.at("loss_sum"));
    state.graphs_seen = json.at("graphs_seen").get<int64_t>();
    state.seconds_in_epoch = json.at("seconds_in_epoch").get<double>();
    state.best_score = number_from(json.at("best_score"));
    state.best_loss = number_from(json.at("best_loss"));
    state.best_epoch = json.at("best_epoch").get<int64_t>();
    state.finished = json.at("finished").get<bool>();
    const std::vector<double> schedule = numbers_from(json.at("schedule"));
    DOTIN_CHECK(schedule.size() == 3, "{}: the checkpoint's schedule is damaged", path);
    state.schedule = {schedule[0], schedule[1], schedule[2]};
    state.gradients.mean_norm = json.at("gradients").at("mean_norm").get<double>();
    state.gradients.steps = json.at("gradients").at("steps").get<int64_t>();
    for (const nlohmann::json& entry : json.at("history")) state.history.push_back(record_from(entry));
    const auto epochs = static_cast<int64_t>(state.history.size());
    DOTIN_CHECK(state.epoch == epochs && state.best_epoch >= -1 && state.best_epoch < std::max<int64_t>(epochs, 1) &&
                    state.batches_done >= 0 && state.step >= 0 && state.graphs_seen >= 0,
                "{}: the checkpoint's numbers contradict each other", path);
  } catch (const nlohmann::json::exception& error) {
    core::fail("{}: the checkpoint's numbers are damaged: {}", path, error.what());
  }
  for (const auto& [name, tensor] : tensors) read_into(file, name, tensor);
  return state;
}

}  // namespace dotin::training
