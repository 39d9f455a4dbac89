#include "blas_core.h"

#include <gtest/gtest.h>

namespace dotin::app {
namespace {

TEST(BlasCore, IsChosenAnewWhereTheLibraryDoesNotKnowTheCpu) {
  EXPECT_EQ(better_blas_core("Prescott", true, true), "SkylakeX");
  EXPECT_EQ(better_blas_core("Prescott", true, false), "Haswell");
  EXPECT_EQ(better_blas_core("Nehalem", true, false), "Haswell");
}

TEST(BlasCore, StaysWhereItSuitsTheCpuOrIsUnknown) {
  EXPECT_EQ(better_blas_core("Prescott", false, false), "");
  EXPECT_EQ(better_blas_core("Zen", true, false), "");
  EXPECT_EQ(better_blas_core("SkylakeX", true, true), "");
  EXPECT_EQ(better_blas_core("", true, true), "");
}

}  // namespace
}  // namespace dotin::app
