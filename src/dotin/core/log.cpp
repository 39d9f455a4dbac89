#include "dotin/core/log.h"

#include <mutex>

namespace dotin::core {

namespace {

std::mutex mutex;

LogSink& current_sink() {
  static LogSink sink;
  return sink;
}

}  // namespace

void set_log_sink(LogSink sink) {
  const std::lock_guard lock(mutex);
  current_sink() = std::move(sink);
}

void log(LogLevel level, const std::string& message) {
  const std::lock_guard lock(mutex);
  if (current_sink()) current_sink()(level, message);
}

}  // namespace dotin::core
