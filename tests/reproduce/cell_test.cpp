#include "reproduce/cell.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "reproduce/cell_store.h"
#include "support/temporary_folder.h"

namespace dotin::reproduce {
namespace {

using dotin::testing::TemporaryFolder;

Cell cell_of(std::vector<Command> commands) {
  Cell cell;
  cell.label = "a cell";
  cell.data = "DD";
  cell.commands = std::move(commands);
  return cell;
}

Circumstances same(const Cell&) { return {"1.0", "set", "content"}; }

TEST(Cell, KeyDependsOnCommandsVersionSettingsAndDataAlone) {
  Cell cell = cell_of({{"cv", "DD", "--folds", "10"}});
  const std::string key = key_of(cell, {"1.0", "set", "content"});
  EXPECT_EQ(key.size(), 16u);
  cell.label = "another name";
  cell.cost = 7;
  EXPECT_EQ(key_of(cell, {"1.0", "set", "content"}), key);
  EXPECT_NE(key_of(cell, {"1.1", "set", "content"}), key);
  EXPECT_NE(key_of(cell, {"1.0", "set", "other content"}), key);
  EXPECT_NE(key_of(cell, {"1.0", "other defaults", "content"}), key);
  EXPECT_NE(key_of(cell_of({{"cv", "DD", "--folds", "11"}}), {"1.0", "set", "content"}), key);
  EXPECT_NE(key_of(cell_of({{"cv", "DD", "--folds"}, {"10"}}), {"1.0", "set", "content"}), key)
      << "words of another command";
  EXPECT_NE(key_of(cell_of({{"cv", "DD", "--folds1", "0"}}), {"1.0", "set", "content"}), key) << "words cut elsewhere";
}

TEST(Cell, CommandLineCanBePasted) {
  EXPECT_EQ(command_line(cell_of({{"train", "it's here", "--out", kRunFolder}, {"explain", "RUN/model.safetensors"}})),
            "dotin train 'it'\\''s here' --out RUN && dotin explain RUN/model.safetensors");
}

TEST(CellStore, FindsWhatWasKeptInALaterCall) {
  const TemporaryFolder folder;
  const Cell cell = cell_of({{"cv", "DD"}});
  {
    CellStore store(folder.path(), same);
    EXPECT_EQ(store.find(cell), nullptr);
    store.keep(cell, {{"result", 42}, {"seconds", 1}});
    EXPECT_EQ(store.find(cell)->at("result"), 42);
  }
  CellStore later(folder.path(), same);
  const nlohmann::json* const record = later.find(cell);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(*result_of(record), 42);
  EXPECT_EQ(record->at("command"), "dotin cv DD");
  EXPECT_EQ(record->at("key"), later.key(cell));
  EXPECT_EQ(absence_of(record), "");
  const auto in = [&](const Circumstances& circumstances) {
    return CellStore(folder.path(), [=](const Cell&) { return circumstances; }).find(cell) != nullptr;
  };
  EXPECT_TRUE(in({"1.0", "set", "content"}));
  EXPECT_FALSE(in({"1.1", "set", "content"})) << "another version of the program";
  EXPECT_FALSE(in({"1.0", "other defaults", "content"})) << "the preset has changed";
  EXPECT_FALSE(in({"1.0", "set", "changed"})) << "other data of the same name";
  EXPECT_TRUE(in({"1.0", "set", ""})) << "the data is not here, so that results can only be shown";
  EXPECT_FALSE(in({"1.1", "set", ""}));
}

TEST(CellStore, ACellThatFailedHasNoResult) {
  const TemporaryFolder folder;
  CellStore store(folder.path(), same);
  const Cell cell = cell_of({{"cv", "DD"}});
  store.keep(cell, {{"error", "too large"}});
  EXPECT_EQ(result_of(store.find(cell)), nullptr);
  EXPECT_EQ(absence_of(store.find(cell)), "failed");
  EXPECT_EQ(absence_of(nullptr), "not run");
}

TEST(CellStore, AFileOfAnotherCellDoesNotCountAndABrokenOneIsNamed) {
  const TemporaryFolder folder;
  CellStore store(folder.path(), same);
  const Cell cell = cell_of({{"cv", "DD"}}), other = cell_of({{"cv", "NCI1"}});
  store.keep(cell, {{"result", 1}});
  std::filesystem::copy_file(folder / (store.key(cell) + ".json"), folder / (store.key(other) + ".json"));
  EXPECT_EQ(store.find(other), nullptr);
  folder.write(store.key(other) + ".json", "{ half of");
  EXPECT_THROW(CellStore(folder.path(), same).find(other), core::Error);
}

}  // namespace
}  // namespace dotin::reproduce
