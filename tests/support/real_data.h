// Real datasets, where this machine has them.
#pragma once

#include <optional>
#include <string>

namespace dotin::testing {

/// Path of NAME.zip in $DOTIN_DATA, or in ../shared/data beside the checkout; nothing where neither has it.
std::optional<std::string> real_data(const std::string& name);

}  // namespace dotin::testing

/// Sets `variable` to the path of the dataset or skips the test: the data is not part of the project.
#define DOTIN_REAL_DATA(variable, name)                                                               \
  const std::optional<std::string> variable##_found = ::dotin::testing::real_data(name);              \
  if (!variable##_found) GTEST_SKIP() << name ".zip is neither in $DOTIN_DATA nor in ../shared/data"; \
  const std::string& variable = *variable##_found
