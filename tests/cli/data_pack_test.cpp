#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/expect.h"
#include "support/temporary_folder.h"

namespace dotin::testing {
namespace {

const std::string kGraph = R"({"edges": [[0,1],[1,2]], "node_labels": [1,2,3], "y": 1})"
                           "\n";

TEST(DataPack, ThePackedFileHoldsTheSame) {
  const TemporaryFolder folder;
  const std::string source = folder.write("own.jsonl", kGraph + kGraph), packed = folder / "own.safetensors";
  const Result result = run({"data", "pack", source, "-o", packed});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("graphs   2 with 6 nodes and 4 edges\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("written  " + packed + ", "), std::string::npos) << result.out;
  EXPECT_EQ(run({"data", "info", packed, "--json"}).out, run({"data", "info", source, "--json"}).out);
}

TEST(DataPack, OverwritesOnlyByForce) {
  const TemporaryFolder folder;
  const std::string source = folder.write("own.jsonl", kGraph), packed = folder.write("own.safetensors", "precious");
  const Result refused = run({"data", "pack", source, "-o", packed});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(read_text(packed), "precious");
  EXPECT_EQ(run({"data", "pack", source, "-o", packed, "--force"}).code, 0);
}

TEST(DataPack, PacksAFileOntoItself) {
  const TemporaryFolder folder;
  const std::string packed = folder / "own.safetensors";
  ASSERT_EQ(run({"data", "pack", folder.write("own.jsonl", kGraph), "-o", packed}).code, 0);
  const std::string bytes = read_text(packed);
  EXPECT_EQ(run({"data", "pack", packed, "-o", packed, "--force"}).code, 0);
  EXPECT_EQ(read_text(packed), bytes);
}

TEST(DataPack, NothingIsWrittenOnFailure) {
  const TemporaryFolder folder;
  const Result result = run({"data", "pack", folder.write("bad.jsonl", "{\n"), "-o", folder / "out.safetensors"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("bad.jsonl:1: "), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "out.safetensors"));
}

TEST(DataPack, AnUnwritablePlaceIsNamed) {
  const TemporaryFolder folder;
  const Result result = run({"data", "pack", folder.write("own.jsonl", kGraph), "-o", "/proc/none/x.safetensors"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("/proc/none"), std::string::npos) << result.err;
}

TEST(DataPack, RefusesANameThatPromisesAnotherForm) {
  const TemporaryFolder folder;
  const std::string source = folder.write("own.jsonl", kGraph);
  const Result result = run({"data", "pack", source, "-o", folder / "packed.jsonl"});
  EXPECT_EQ(result.code, 2);
  EXPECT_SAYS(result.err, "packed.jsonl", "safetensors", "packed.safetensors");
}

}  // namespace
}  // namespace dotin::testing
