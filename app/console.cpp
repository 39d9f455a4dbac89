#include "console.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "dotin/core/log.h"
#include "text.h"

namespace dotin::app {

namespace {

/// Where spdlog's lines meet the progress bar.
class ConsoleSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ConsoleSink(Console& console) : console_(console) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    console_.write(printable(with_flags(std::string(line.data(), line.size()))));
  }
  void flush_() override {}

 private:
  Console& console_;
};

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool dumb_terminal() {
  const char* const terminal = std::getenv("TERM");
  return terminal != nullptr && std::string(terminal) == "dumb";
}

}  // namespace

Console::Console() {
  live_ = isatty(STDERR_FILENO) == 1 && !dumb_terminal();
  colour_ = live_ && !is_set("NO_COLOR");
}

int Console::columns() const {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void Console::take_log() {
  auto logger = std::make_shared<spdlog::logger>("dotin", std::make_shared<ConsoleSink>(*this));
  logger->set_pattern(verbosity_ == Verbosity::verbose ? "[%H:%M:%S.%e] %l: %v" : "%v");
  switch (verbosity_) {
    case Verbosity::quiet:
      logger->set_level(spdlog::level::warn);
      break;
    case Verbosity::normal:
      logger->set_level(spdlog::level::info);
      break;
    case Verbosity::verbose:
      logger->set_level(spdlog::level::debug);
      break;
  }
  core::set_log_sink([this, logger](core::LogLevel level, const std::string& message) {
    {
      // Every fold of a cross-validation has the same to say.
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!said_.insert(message).second) return;
    }
    switch (level) {
      case core::LogLevel::debug:
        logger->debug("{}", message);
        break;
      case core::LogLevel::info:
        logger->info("{}", message);
        break;
      case core::LogLevel::warning:
        logger->warn("dotin: warning: {}", message);
        break;
    }
  });
}

void Console::out(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void Console::error(const std::string& message) {
  write("dotin: " + coloured("1;31", "error:") + " " + printable(with_flags(message)) + "\n");
}

void Console::write(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!live_line_.empty()) std::fputs("\r\033[K", stderr);
  std::fputs(text.c_str(), stderr);
  std::fputs(live_line_.c_str(), stderr);
  std::fflush(stderr);
}

void Console::set_live_line(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!live_ || (text.empty() && live_line_.empty())) return;
  std::fputs(("\r" + text + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  live_line_ = text;
}

std::string Console::coloured(const char* code, const std::string& text) const {
  if (!colour_) return text;
  return std::string("\033[") + code + "m" + text + "\033[0m";
}

}  // namespace dotin::app
