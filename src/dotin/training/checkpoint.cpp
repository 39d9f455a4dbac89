#include "dotin/training/checkpoint.h"

#include <ATen/ATen.h>

#include <cfloat>
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

nlohmann::json json_of(const std::vector<double>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) list.push_back(json_of(value));
  return list;
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

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// A state on its way out of a file that anything may have been written into: every value is looked at before it is
/// used.
class StateReader {
 public:
  StateReader(std::string path, const StateBounds& bounds) : path_(std::move(path)), bounds_(bounds) {}

  TrainingState read(const std::string& text) const {
    try {
      return state_from(nlohmann::json::parse(text));
    } catch (const nlohmann::json::exception& error) {
      core::fail("{}: the checkpoint's numbers are damaged: {}", path_, error.what());
    }
  }

 private:
  TrainingState state_from(const nlohmann::json& json) const {
    TrainingState state;
    const nlohmann::json& history = list(json, "history");
    for (const nlohmann::json& entry : history) state.history.push_back(record_from(entry, state.history.size()));
    state.epoch = whole(json, "epoch", 0, bounds_.epochs);
    require(state.epoch == static_cast<int64_t>(history.size()), "epoch");
    state.batches_done = whole(json, "batches_done", 0, bounds_.graphs);
    state.graphs_seen = whole(json, "graphs_seen", 0, bounds_.graphs);
    require(state.graphs_seen >= state.batches_done, "graphs_seen");  // no batch is empty
    state.loss_sum = finite(json, "loss_sum");
    state.seconds_in_epoch = finite(json, "seconds_in_epoch", 0);
    if (state.batches_done == 0)
      require(state.graphs_seen == 0 && state.loss_sum == 0 && state.seconds_in_epoch == 0, "batches_done");
    const int64_t least_steps = state.epoch + state.batches_done;
    state.step = whole(json, "step", least_steps, state.epoch * bounds_.graphs + state.batches_done);

    state.best_epoch = whole(json, "best_epoch", -1, state.epoch - 1);
    state.best_score = number(json, "best_score");
    state.best_loss = number(json, "best_loss");
    check_best(state);
    require(json.at("finished").is_boolean(), "finished");
    state.finished = json.at("finished").get<bool>();
    require(state.finished == is_finished(state, bounds_.epochs, bounds_.early_stop), "finished");

    const std::vector<double> schedule = numbers(json, "schedule", 3);
    state.schedule = {schedule[0], schedule[1], schedule[2]};
    require(!std::isnan(schedule[0]) && schedule[1] >= 0 && schedule[1] <= static_cast<double>(state.epoch) &&
                schedule[2] >= 0 && schedule[2] <= 1,
            "schedule");
    const nlohmann::json& gradients = json.at("gradients");
    state.gradients.mean_norm = finite(gradients, "mean_norm", 0);
    state.gradients.steps = whole(gradients, "steps", 0, state.step);
    return state;
  }

  EpochRecord record_from(const nlohmann::json& json, std::size_t number_of_epoch) const {
    EpochRecord record;
    record.epoch = whole(json, "epoch", static_cast<int64_t>(number_of_epoch), static_cast<int64_t>(number_of_epoch));
    record.lr = finite(json, "lr", 0);
    record.drop_factor = finite(json, "drop_factor", 0);
    require(record.drop_factor <= 1, "drop_factor");
    record.train_loss = number(json, "train_loss");
    record.validation_loss = number(json, "validation_loss");
    record.seconds = finite(json, "seconds", 0);
    record.score = number(json, "score");
    record.validation = numbers(json, "validation", bounds_.validation_values);
    record.test = numbers(json, "test", bounds_.test_values);
    return record;
  }

  /// The first eligible epoch becomes the best one whatever its score, so that there is one from then on.
  void check_best(const TrainingState& state) const {
    const bool chosen = state.best_epoch >= 0;
    require(chosen == (state.epoch > bounds_.first_eligible), "best_epoch");
    if (!chosen) {
      require(state.best_score == -INFINITY && state.best_loss == 0, "best_score");
      return;
    }
    require(state.best_epoch >= bounds_.first_eligible, "best_epoch");
    const EpochRecord& best = state.history[static_cast<std::size_t>(state.best_epoch)];
    require(same(state.best_score, best.score) && same(state.best_loss, best.validation_loss), "best_score");
  }

  void require(bool good, const char* name) const {
    DOTIN_CHECK(good,
                "{}: the checkpoint's numbers are damaged: '{}' is not what this run can have; resume from a copy of "
                "the file, or start the run again",
                path_, name);
  }

  // The JSON library would make whole numbers of fractions and numbers of true and false.
  int64_t whole(const nlohmann::json& json, const char* name, int64_t least, int64_t most) const {
    const nlohmann::json& value = json.at(name);
    require(value.is_number_integer() && !(value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX), name);
    const auto result = value.get<int64_t>();
    require(result >= least && result <= most, name);
    return result;
  }

  double number_from(const nlohmann::json& value, const char* name) const {
    if (value.is_null()) return std::nan("");
    if (value == "inf") return INFINITY;
    if (value == "-inf") return -INFINITY;
    require(value.is_number(), name);
    return value.get<double>();
  }
  double number(const nlohmann::json& json, const char* name) const { return number_from(json.at(name), name); }

  double finite(const nlohmann::json& json, const char* name, double least = -DBL_MAX) const {
    const double value = number(json, name);
    require(std::isfinite(value) && value >= least, name);
    return value;
  }

  const nlohmann::json& list(const nlohmann::json& json, const char* name) const {
    require(json.at(name).is_array(), name);
    return json.at(name);
  }

  std::vector<double> numbers(const nlohmann::json& json, const char* name, std::size_t count) const {
    std::vector<double> values;
    for (const nlohmann::json& entry : list(json, name)) values.push_back(number_from(entry, name));
    require(values.size() == count, name);
    return values;
  }

  std::string path_;
  const StateBounds& bounds_;
};

/// Fills them in place from a file that has exactly these, with values that a run can go on from.
void read_tensors(const io::SafetensorsFile& file, const NamedTensors& tensors) {
  DOTIN_CHECK(file.tensors().size() <= tensors.size(), "{}: has {} tensors, a checkpoint of this run has {}",
              file.path(), file.tensors().size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    read_into(file, name, tensor);
    const bool squares = name.rfind(kSecondMoment, 0) == 0;
    const bool good = (squares ? tensor.ge(0) : tensor.isfinite()).all().item<bool>();
    DOTIN_CHECK(good, "{}: tensor '{}' has values that no run can have (not finite, or negative squares): damaged",
                file.path(), name);
  }
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
  io::write_safetensors(path, to_be_written, {{kStateKey, json.dump()}, {kAboutKey, about}}, io::Folders::must_exist);
}

bool is_finished(const TrainingState& state, int64_t epochs, int64_t early_stop) {
  const bool stalled = early_stop > 0 && state.best_epoch >= 0 && state.epoch - 1 - state.best_epoch >= early_stop;
  return state.epoch >= epochs || stalled;
}

TrainingState read_checkpoint(const std::string& path, const std::string& about, const StateBounds& bounds,
                              const NamedTensors& tensors) {
  const io::SafetensorsFile file(path);
  DOTIN_CHECK(file.metadata().count(kStateKey) == 1 && file.metadata().count(kAboutKey) == 1,
              "{}: not a dotin checkpoint", path);
  DOTIN_CHECK(file.metadata().at(kAboutKey) == about,
              "{}: this checkpoint is of a run with other options or other data; resume with those it was started with",
              path);
  TrainingState state = StateReader(path, bounds).read(file.metadata().at(kStateKey));
  read_tensors(file, tensors);
  return state;
}

}  // namespace dotin::training
