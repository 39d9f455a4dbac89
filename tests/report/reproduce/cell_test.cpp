#include "dotin/report/reproduce/cell.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/report/reproduce/cell_store.h"
#include "support/temporary_folder.h"

namespace dotin::report::reproduce {
namespace {

using dotin::testing::TemporaryFolder;

Cell cell_of(std::vector<Command> commands) {
  Cell cell;
  cell.label = "a cell";
  cell.data = "DD";
  cell.commands = std::move(commands);
  return cell;
}

std::string same(const std::string&) { return "content"; }

TEST(Cell, KeyDependsOnCommandsVersionAndDataAlone) {
  Cell cell = cell_of({{"cv", "DD", "--folds", "10"}});
  const std::string key = key_of(cell, "1.0", "content");
  EXPECT_EQ(key.size(), 16u);
  cell.label = "another name";
  cell.cost = 7;
  EXPECT_EQ(key_of(cell, "1.0", "content"), key);
  EXPECT_NE(key_of(cell, "1.1", "content"), key);
  EXPECT_NE(key_of(cell, "1.0", "other content"), key);
  EXPECT_NE(key_of(cell_of({{"cv", "DD", "--folds", "11"}}), "1.0", "content"), key);
  EXPECT_NE(key_of(cell_of({{"cv", "DD", "--folds"}, {"10"}}), "1.0", "content"), key) << "words of another command";
  EXPECT_NE(key_of(cell_of({{"cv", "DD", "--folds1", "0"}}), "1.0", "content"), key) << "words cut elsewhere";
}

TEST(Cell, CommandLineCanBePasted) {
  EXPECT_EQ(command_line(cell_of({{"train", "it's here", "--out", kRunFolder}, {"explain", "RUN/model.safetensors"}})),
            "dotin train 'it'\\''s here' --out RUN && dotin explain RUN/model.safetensors");
}

TEST(CellStore, FindsWhatWasKeptInALaterCall) {
  const TemporaryFolder folder;
  const Cell cell = cell_of({{"cv", "DD"}});
  {
    CellStore store(folder.path(), "1.0", same);
    EXPECT_EQ(store.find(cell), nullptr);
    store.keep(cell, {{"result", 42}, {"seconds", 1}});
    EXPECT_EQ(store.find(cell)->at("result"), 42);
  }
  CellStore later(folder.path(), "1.0", same);
  const nlohmann::json* const record = later.find(cell);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(*result_of(record), 42);
  EXPECT_EQ(record->at("command"), "dotin cv DD");
  EXPECT_EQ(record->at("key"), later.key(cell));
  EXPECT_EQ(absence_of(record), "");
  CellStore newer(folder.path(), "1.1", same);
  EXPECT_EQ(newer.find(cell), nullptr) << "another version of the program";
  CellStore changed(folder.path(), "1.0", [](const std::string&) { return "changed"; });
  EXPECT_EQ(changed.find(cell), nullptr) << "other data of the same name";
}

TEST(CellStore, ACellThatFailedHasNoResult) {
  const TemporaryFolder folder;
  CellStore store(folder.path(), "1.0", same);
  const Cell cell = cell_of({{"cv", "DD"}});
  store.keep(cell, {{"error", "too large"}});
  EXPECT_EQ(result_of(store.find(cell)), nullptr);
  EXPECT_EQ(absence_of(store.find(cell)), "failed");
  EXPECT_EQ(absence_of(nullptr), "not run");
}

TEST(CellStore, AFileOfAnotherCellDoesNotCountAndABrokenOneIsNamed) {
  const TemporaryFolder folder;
  CellStore store(folder.path(), "1.0", same);
  const Cell cell = cell_of({{"cv", "DD"}}), other = cell_of({{"cv", "NCI1"}});
  store.keep(cell, {{"result", 1}});
  std::filesystem::copy_file(folder / (store.key(cell) + ".json"), folder / (store.key(other) + ".json"));
  EXPECT_EQ(store.find(other), nullptr);
  folder.write(store.key(other) + ".json", "{ half of");
  EXPECT_THROW(store.find(other), core::Error);
}

}  // namespace
}  // namespace dotin::report::reproduce
