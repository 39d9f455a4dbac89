#include "dotin/core/registry.h"

#include <gtest/gtest.h>

#include "dotin/core/memory.h"

namespace dotin::core {
namespace {

const Registry<int> kShapes("shape", {{"circle", 1}, {"square", 2}});

TEST(Registry, FindsWhatIsThere) { EXPECT_EQ(kShapes.get("square"), 2); }

TEST(Registry, AnUnknownNameListsTheValidOnesAndSuggestsTheNearest) {
  try {
    kShapes.get("sqare");
    FAIL() << "expected an error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown shape 'sqare' (did you mean 'square'?); there are: circle, square");
  }
}

TEST(Registry, SuggestsNothingWhereNothingIsNear) { EXPECT_EQ(suggestion("triangle", kShapes.names()), ""); }
TEST(Registry, SuggestsNothingForAWordThatIsThere) { EXPECT_EQ(suggestion("NCI1", {"NCI109", "NCI1"}), ""); }

TEST(Memory, SizesAndTimesReadWell) {
  EXPECT_EQ(format_bytes(7), "7 B");
  EXPECT_EQ(format_bytes(12 * 1024), "12.0 KiB");
  EXPECT_EQ(format_bytes(int64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(format_seconds(0.000139), "139 us");
  EXPECT_EQ(format_seconds(0.0012), "1.2 ms");
  EXPECT_EQ(format_seconds(307), "5 min 07 s");
  EXPECT_EQ(format_seconds(7500), "2 h 05 min");
}

TEST(Memory, ResidentMemoryIsSeen) {
  EXPECT_GT(resident_bytes(), 100'000);
  EXPECT_GE(peak_resident_bytes(), resident_bytes() / 2);
}

}  // namespace
}  // namespace dotin::core
