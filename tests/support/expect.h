// Checks of messages and lists that read well.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "dotin/core/error.h"

namespace dotin::testing {

/// The message of the core::Error that the work throws; "no error" if it throws none.
inline std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

inline ::testing::AssertionResult says(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (text.find(part) != std::string::npos) continue;
    return ::testing::AssertionFailure() << "\"" << text << "\"\n  does not say\n\"" << part << "\"";
  }
  return ::testing::AssertionSuccess();
}

// Sanitizers keep freed memory, so that the peak says nothing there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kPeakIsMeaningful = false;
#else
inline constexpr bool kPeakIsMeaningful = true;
#endif

template <class Values>
auto to_vector(const Values& values) {
  return std::vector<std::decay_t<decltype(*values.begin())>>(values.begin(), values.end());
}

}  // namespace dotin::testing

/// The text has each of the given parts in it.
#define EXPECT_SAYS(text, ...) EXPECT_TRUE(::dotin::testing::says(text, {__VA_ARGS__}))

/// The container holds exactly these values.
#define EXPECT_VALUES(actual, ...) \
  EXPECT_EQ(::dotin::testing::to_vector(actual), (decltype(::dotin::testing::to_vector(actual)){__VA_ARGS__}))
