#include "program.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "commands.h"
#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "help.h"
#include "signals.h"
#include "usage.h"

namespace dotin::app {

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr unsigned kGraceSeconds = 2;

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    core::fail("cannot write to standard output: is the disk full, or the reader gone?");
  }
}

std::string out_of_memory() {
  return fmt::format(
      "out of memory: at most {} were in use, and {} more are to be had (of the machine, the container, ulimit); use a "
      "smaller dataset or model, or a machine with more memory",
      core::format_bytes(core::peak_resident_bytes()), core::format_bytes(core::available_bytes()));
}

int run(int argc, char** argv, AddCommands add_commands, Context& context) {
  CLI::App root("Graph neural networks that drop the nodes a task does not need.", "dotin");
  root.formatter(std::make_shared<HelpFormatter>());
  root.set_help_flag("-h,--help", "Print this help and exit");
  root.set_help_all_flag("--help-all", "Print this help with every option and exit");
  root.set_version_flag("--version", "dotin " DOTIN_VERSION, "Print the version and exit");
  root.require_subcommand(1);
  root.fallthrough();  // so that --verbose and --quiet may stand anywhere
  bool verbose = false;
  bool quiet = false;
  auto* const verbose_flag = root.add_flag("-v,--verbose", verbose, "Say more on stderr");
  root.add_flag("-q,--quiet", quiet, "Only warnings and errors on stderr, no progress")->excludes(verbose_flag);
  set_examples(root,
               {"dotin data generate motif -o motif.jsonl", "dotin data info motif.jsonl", "dotin data check DD.zip",
                "dotin train motif.jsonl --drop-ratio 0.5", "source <(dotin completions bash)"});
  add_commands(root, context);

  try {
    root.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    context.console.out(std::string(version.what()) + "\n");
    return 0;
  } catch (const CLI::CallForHelp& help) {
    refuse_unknown_commands(root, help);
    context.console.out(root.help());
    return 0;
  } catch (const CLI::CallForAllHelp& help) {
    refuse_unknown_commands(root, help);
    context.console.out(root.help("", CLI::AppFormatMode::All));
    return 0;
  } catch (const CLI::ParseError& error) {
    throw core::UsageError(usage_message(root, error));
  }

  if (verbose) context.console.set_verbosity(Verbosity::verbose);
  if (quiet) context.console.set_verbosity(Verbosity::quiet);
  context.console.take_log();
  catch_signals(kGraceSeconds);
  return context.action();
}

}  // namespace

int run_program(int argc, char** argv, AddCommands add_commands) {
  Context context;
  catch_vanished_files();
  try {
    const int code = run(argc, argv, add_commands, context);
    flush_output();
    check_signals();
    return code;
  } catch (const core::UsageError& error) {
    context.console.error(error.what());
    return kWrongUsage;
  } catch (const core::Error& error) {
    context.console.error(error.what());
  } catch (const Interrupted& interrupted) {
    return interrupted.exit_code();
  } catch (const std::bad_alloc&) {
    context.console.error(out_of_memory());
  } catch (const std::filesystem::filesystem_error& error) {
    context.console.error(error.path1().string() + ": " + error.code().message());
  } catch (const std::system_error& error) {
    context.console.error(std::string("the system refuses: ") + error.what() +
                          "; is a limit of threads, processes or memory reached?");
  } catch (const std::exception& error) {
    const std::string what = error.what();
    // libtorch has an exception of its own for it, which this program need not know.
    const bool memory = what.find("can't allocate memory") != std::string::npos;
    context.console.error(memory ? out_of_memory() : "internal error: " + what);
  }
  return kFailed;
}

}  // namespace dotin::app
