// Log lines. The library is silent until a program sets a sink; app/ sets one that writes to stderr.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>

namespace dotin::core {

enum class LogLevel { debug, info, warning };

using LogSink = std::function<void(LogLevel, const std::string&)>;

/// Replaces the sink; an empty one silences the library again.
void set_log_sink(LogSink sink);

void log(LogLevel level, const std::string& message);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace dotin::core
