#include "child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "dotin/core/error.h"

namespace dotin::app {

namespace {

// Only async-signal-safe calls from here: other threads of this program may hold any lock while it forks.
bool redirect(const char* path, int flags, int to) {
  const int file = open(path, flags | O_CLOEXEC, 0666);
  return file >= 0 && dup2(file, to) >= 0;
}

[[noreturn]] void become(char* const* words, const char* out, const char* err, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  constexpr int kReplace = O_WRONLY | O_CREAT | O_TRUNC;
  const bool ready = getppid() == parent && redirect("/dev/null", O_RDONLY, STDIN_FILENO) &&
                     redirect(out, kReplace, STDOUT_FILENO) && redirect(err, kReplace, STDERR_FILENO);
  if (ready) execv("/proc/self/exe", words);
  _exit(126);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Child::Child(const std::vector<std::string>& words, const std::string& out, const std::string& err) {
  std::vector<std::string> all{"dotin"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  process_ = fork();
  DOTIN_CHECK(process_ >= 0, "cannot start another process: is the limit of processes or memory reached?");
  if (process_ == 0) become(arguments.data(), out.c_str(), err.c_str(), parent);
}

Child::Child(Child&& other) noexcept : process_(std::exchange(other.process_, -1)), code_(other.code_) {}

Child::~Child() {
  if (process_ < 0) return;
  kill(process_, SIGTERM);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Child::ended() {
  if (process_ < 0) return true;
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return false;
  code_ = code_of(status);
  process_ = -1;
  return true;
}

void Child::signal(int number) const {
  if (process_ >= 0) kill(process_, number);
}

}  // namespace dotin::app
