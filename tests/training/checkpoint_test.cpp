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

NamedTensors some_tensors(double value) {
  return {{"parameter.a", at::full({2, 3}, value, at::kFloat)}, {"best.a", at::full({1}, value, at::kDouble)}};
}

TEST(Checkpoint, ComesBackToTheLastBit) {
  const TemporaryFolder folder;
  const std::string path = folder / "c.safetensors";
  write_checkpoint(path, "this run", some_state(), some_tensors(1.0 / 3));
  const NamedTensors tensors = some_tensors(0);
  const TrainingState state = read_checkpoint(path, "this run", tensors);
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
  }
  std::string reading() {
    return error_of([&] { read_checkpoint(path_, "this run", some_tensors(0)); });
  }
  /// Writes the file anew with another state.
  void edit(const std::function<void(nlohmann::json&)>& change) {
    std::map<std::string, std::string> metadata = io::SafetensorsFile(path_).metadata();
    nlohmann::json state = nlohmann::json::parse(metadata.at("dotin_checkpoint"));
    change(state);
    metadata["dotin_checkpoint"] = state.dump();
    const float a[6] = {};
    const double b[1] = {};
    io::write_safetensors(path_, {io::tensor_to_write("parameter.a", {2, 3}, a), io::tensor_to_write("best.a", {1}, b)},
                          metadata);
  }
  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(DamagedCheckpoint, OfAnotherRunIsRefused) {
  EXPECT_SAYS(error_of([&] { read_checkpoint(path_, "another run", some_tensors(0)); }),
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

TEST_F(DamagedCheckpoint, NumbersThatContradictEachOtherAreRefused) {
  edit([](nlohmann::json&) {});
  EXPECT_EQ(reading(), "no error");
  edit([](nlohmann::json& state) { state["best_epoch"] = 2; });
  EXPECT_SAYS(reading(), "contradict each other");
  edit([](nlohmann::json& state) { state["best_epoch"] = -1, state["epoch"] = 5; });
  EXPECT_SAYS(reading(), "contradict each other");
  edit([](nlohmann::json& state) { state["epoch"] = "two"; });
  EXPECT_SAYS(reading(), "the checkpoint's numbers are damaged");
  edit([](nlohmann::json& state) { state.erase("step"); });
  EXPECT_SAYS(reading(), "the checkpoint's numbers are damaged");
}

TEST_F(DamagedCheckpoint, OtherTensorsAreRefused) {
  EXPECT_SAYS(error_of([&] {
                read_checkpoint(path_, "this run", {{"parameter.b", at::zeros({1})}});
              }),
              "no tensor 'parameter.b' in it");
  EXPECT_SAYS(error_of([&] {
                read_checkpoint(path_, "this run", {{"parameter.a", at::zeros({3, 2})}});
              }),
              "tensor 'parameter.a' has shape [2, 3], expected [3, 2]");
  EXPECT_SAYS(error_of([&] {
                read_checkpoint(path_, "this run", {{"best.a", at::zeros({1})}});
              }),
              "tensor 'best.a' is F64, expected F32");
}

}  // namespace
}  // namespace dotin::training
