#include "dotin/training/checkpoint.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "dotin/io/safetensors.h"
#include "support/small_data.h"
#include "support/temporary_folder.h"

namespace dotin::training {
namespace {

using dotin::testing::error_of;
using dotin::testing::read_text;
using dotin::testing::TemporaryFolder;

TrainingState some_state() {
  TrainingState state;
  state.epoch = 2;
  state.batches_done = 3;
  state.step = 17;
  state.loss_sum = 0.1 + 0.2;
  state.graphs_seen = 12;
  state.seconds_in_epoch = 1.5;
  state.best_score = -INFINITY;
  state.schedule = {1.0 / 3, 2, 0.25};
  state.gradients = {1.0 / 9, 17};
  for (int64_t e = 0; e < 2; ++e) {
    EpochRecord record;
    record.epoch = e;
    record.lr = 1e-3 / 3;
    record.train_loss = std::nan("");
    record.score = INFINITY;
    record.validation = {1.0 / 7, std::nan("")};
    state.history.push_back(record);
  }
  return state;
}

StateBounds some_bounds() {
  StateBounds bounds;
  bounds.epochs = 5;
  bounds.first_eligible = 2;
  bounds.graphs = 24;
  bounds.validation_values = 2;
  return bounds;
}

NamedTensors some_tensors(double value) {
  return {{"parameter.a", at::full({2, 3}, value, at::kFloat)}, {"second_moment.a", at::full({1}, value, at::kDouble)}};
}

TEST(Checkpoint, ComesBackToTheLastBit) {
  const TemporaryFolder folder;
  const std::string path = folder / "c.safetensors";
  write_checkpoint(path, "this run", some_state(), some_tensors(1.0 / 3));
  const NamedTensors tensors = some_tensors(0);
  const TrainingState state = read_checkpoint(path, "this run", some_bounds(), tensors);
  EXPECT_EQ(state.epoch, 2);
  EXPECT_EQ(state.batches_done, 3);
  EXPECT_EQ(state.step, 17);
  EXPECT_EQ(state.loss_sum, 0.1 + 0.2);
  EXPECT_EQ(state.graphs_seen, 12);
  EXPECT_EQ(state.best_score, -INFINITY);
  EXPECT_EQ(state.best_epoch, -1);
  EXPECT_EQ(state.schedule.best, 1.0 / 3);
  EXPECT_EQ(state.schedule.factor, 0.25);
  EXPECT_EQ(state.gradients.mean_norm, 1.0 / 9);
  EXPECT_EQ(state.gradients.steps, 17);
  ASSERT_EQ(state.history.size(), 2u);
  EXPECT_EQ(state.history[1].lr, 1e-3 / 3);
  EXPECT_TRUE(std::isnan(state.history[1].train_loss));
  EXPECT_EQ(state.history[1].score, INFINITY);
  EXPECT_EQ(state.history[1].validation[0], 1.0 / 7);
  EXPECT_TRUE(std::isnan(state.history[1].validation[1]));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_TRUE(tensors[i].second.equal(some_tensors(1.0 / 3)[i].second)) << tensors[i].first;
  }
}

class DamagedCheckpoint : public ::testing::Test {
 protected:
  DamagedCheckpoint() : path_(folder_ / "c.safetensors") {
    write_checkpoint(path_, "this run", some_state(), some_tensors(1));
    metadata_ = io::SafetensorsFile(path_).metadata();
    written_ = nlohmann::json::parse(metadata_.at("dotin_checkpoint"));
  }
  std::string reading() {
    return error_of([&] { read_checkpoint(path_, "this run", some_bounds(), some_tensors(0)); });
  }
  /// Writes the file anew with another state.
  void edit(const std::function<void(nlohmann::json&)>& change, float parameter = 1, double moment = 1) {
    nlohmann::json state = written_;
    change(state);
    metadata_["dotin_checkpoint"] = state.dump();
    const float a[6] = {parameter};
    io::write_safetensors(
        path_, {io::tensor_to_write("parameter.a", {2, 3}, a), io::tensor_to_write("second_moment.a", {1}, &moment)},
        metadata_);
  }
  TemporaryFolder folder_;
  std::string path_;
  std::map<std::string, std::string> metadata_;
  nlohmann::json written_;
};

TEST_F(DamagedCheckpoint, OfAnotherRunIsRefused) {
  EXPECT_SAYS(error_of([&] { read_checkpoint(path_, "another run", some_bounds(), some_tensors(0)); }),
              "this checkpoint is of a run with other options or other data");
}

TEST_F(DamagedCheckpoint, CutShortIsRefused) {
  const std::string content = read_text(path_);
  for (std::size_t size : {std::size_t{0}, std::size_t{5}, content.size() / 2, content.size() - 1}) {
    std::ofstream(path_, std::ios::binary) << content.substr(0, size);
    EXPECT_SAYS(reading(), path_) << size;
    EXPECT_NE(reading(), "no error") << size;
  }
}

TEST_F(DamagedCheckpoint, AModelFileIsNoCheckpoint) {
  const float value = 1;
  io::write_safetensors(path_, {io::tensor_to_write("a", {1}, &value)}, {{"dotin", "{}"}});
  EXPECT_SAYS(reading(), "not a dotin checkpoint");
}

TEST_F(DamagedCheckpoint, AStateThatTheRunCannotHaveIsRefused) {
  using Json = nlohmann::json;
  edit([](Json&) {});
  EXPECT_EQ(reading(), "no error");
  const std::vector<std::pair<std::string, std::function<void(Json&)>>> changes = {
      {"finished", [](Json& state) { state["finished"] = true; }},
      {"epoch", [](Json& state) { state["epoch"] = 5; }},
      {"epoch", [](Json& state) { state["history"].clear(); }},
      {"epoch", [](Json& state) { state["epoch"] = "two"; }},
      {"epoch", [](Json& state) { state["epoch"] = 2.5; }},
      {"epoch", [](Json& state) { state["epoch"] = 1e300; }},
      {"epoch", [](Json& state) { state["epoch"] = UINT64_MAX; }},
      {"epoch", [](Json& state) { state["epoch"] = true; }},
      {"epoch", [](Json& state) { std::swap(state["history"][0], state["history"][1]); }},
      {"best_epoch", [](Json& state) { state["best_epoch"] = 2; }},
      {"best_epoch", [](Json& state) { state["best_epoch"] = 1; }},
      {"best_epoch", [](Json& state) { state["best_epoch"] = -2; }},
      {"best_epoch",  // one that is eligible is always chosen
       [](Json& state) {
         state["history"].push_back(state["history"][1]), state["history"][2]["epoch"] = 2, state["epoch"] = 3;
       }},
      {"best_score", [](Json& state) { state["best_score"] = 0.5; }},
      {"batches_done", [](Json& state) { state["batches_done"] = 25; }},
      {"batches_done", [](Json& state) { state["batches_done"] = 0; }},
      {"graphs_seen", [](Json& state) { state["graphs_seen"] = 2; }},
      {"loss_sum", [](Json& state) { state["loss_sum"] = nullptr; }},
      {"loss_sum", [](Json& state) { state["loss_sum"] = "infinite"; }},
      {"step", [](Json& state) { state["step"] = 4; }},
      {"step", [](Json& state) { state["step"] = INT64_MAX; }},
      {"step", [](Json& state) { state.erase("step"); }},
      {"schedule", [](Json& state) { state["schedule"].push_back(1); }},
      {"schedule",
       [](Json& state) {
         state["schedule"] = Json{{"a", 1}, {"b", 2}, {"c", 1}};
       }},
      {"schedule", [](Json& state) { state["schedule"][2] = 7; }},
      {"mean_norm", [](Json& state) { state["gradients"]["mean_norm"] = -1; }},
      {"gradients", [](Json& state) { state["gradients"] = 3, state.erase("gradients"); }},
      {"history", [](Json& state) { state["history"] = "long"; }},
      {"validation", [](Json& state) { state["history"][1]["validation"].erase(0); }},
      {"validation", [](Json& state) { state["history"][1]["validation"][0] = Json::array(); }},
      {"validation", [](Json& state) { state["history"][1]["validation"] = 3; }},
      {"test", [](Json& state) { state["history"][0]["test"].push_back(0.5); }},
      {"seconds", [](Json& state) { state["history"][0]["seconds"] = "-inf"; }},
      {"lr", [](Json& state) { state["history"][0]["lr"] = false; }},
      {"damaged", [](Json& state) { state["history"][0] = 3; }},
      {"damaged", [](Json& state) { state = Json::array(); }}};
  for (const auto& [named, change] : changes) {
    edit(change);
    EXPECT_SAYS(reading(), path_ + ": the checkpoint's numbers are damaged", named);
  }
}

TEST_F(DamagedCheckpoint, WhateverStandsInPlaceOfAValueItIsReadOrRefused) {
  const nlohmann::json whole = nlohmann::json(written_).flatten();
  const nlohmann::json values = {nullptr, true, 0, -1, INT64_MAX, 1e300, "inf", "x", nlohmann::json::array()};
  for (const auto& entry : whole.items()) {
    for (const nlohmann::json& value : values) {
      edit([&](nlohmann::json& state) { state[nlohmann::json::json_pointer(entry.key())] = value; });
      const std::string said = reading();
      EXPECT_TRUE(said == "no error" || said.find(path_) == 0) << entry.key() << " = " << value << ": " << said;
    }
  }
}

TEST_F(DamagedCheckpoint, TensorsWithoutFiniteValuesAreRefused) {
  const auto nothing = [](nlohmann::json&) {};
  edit(nothing, NAN);
  EXPECT_SAYS(reading(), path_ + ": tensor 'parameter.a' has values that no run can have");
  edit(nothing, INFINITY);
  EXPECT_SAYS(reading(), "parameter.a");
  edit(nothing, 1, -1);
  EXPECT_SAYS(reading(), "second_moment.a");
  edit(nothing, 1, NAN);
  EXPECT_SAYS(reading(), "second_moment.a");
  edit(nothing, 1, INFINITY);
  EXPECT_EQ(reading(), "no error") << "the square of a large gradient";
}

TEST_F(DamagedCheckpoint, OtherTensorsAreRefused) {
  EXPECT_SAYS(
      error_of([&] {
        read_checkpoint(path_, "this run", some_bounds(), {{"parameter.b", at::zeros({1})}, {"c", at::zeros({1})}});
      }),
      "no tensor 'parameter.b' in it");
  EXPECT_SAYS(error_of([&] {
                read_checkpoint(path_, "this run", some_bounds(), {{"parameter.a", at::zeros({2, 3})}});
              }),
              "has 2 tensors, a checkpoint of this run has 1");
  EXPECT_SAYS(
      error_of([&] {
        read_checkpoint(path_, "this run", some_bounds(), {{"parameter.a", at::zeros({3, 2})}, {"c", at::zeros({1})}});
      }),
      "tensor 'parameter.a' has shape [2, 3], expected [3, 2]");
  EXPECT_SAYS(error_of([&] {
                read_checkpoint(path_, "this run", some_bounds(),
                                {{"parameter.a", at::zeros({2, 3})}, {"second_moment.a", at::zeros({1})}});
              }),
              "tensor 'second_moment.a' is F64, expected F32");
}

}  // namespace
}  // namespace dotin::training
