// dotin bench: how fast models train and predict here, on any data, and where the time goes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench_data.h"
#include "commands.h"
#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "dotin/training/benchmark.h"
#include "dotin/training/trainer.h"
#include "progress_bar.h"
#include "run_options.h"
#include "text.h"

namespace dotin::app {

namespace {

struct BenchOptions {
  std::string data;
  RunOptionsParser run;
  int64_t steps = 50, repetitions = 5;
  bool quick = false, json = false, scaling = false;
  std::vector<std::string> without;
};

/// The savings of the fused engine that can be left out, by name.
const std::vector<std::pair<std::string, bool kernels::Savings::*>> kSavings = {
    {"input-table", &kernels::Savings::input_table}, {"factored-input", &kernels::Savings::factored_input},
    {"pair-table", &kernels::Savings::pair_table},   {"linear-first", &kernels::Savings::linear_first},
    {"last-layer", &kernels::Savings::last_layer},
};

std::vector<std::string> saving_names() {
  std::vector<std::string> names;
  for (const auto& saving : kSavings) names.push_back(saving.first);
  return names;
}

kernels::Savings savings_without(const std::vector<std::string>& names) {
  kernels::Savings savings;
  for (const auto& [name, member] : kSavings) {
    if (std::find(names.begin(), names.end(), name) != names.end()) savings.*member = false;
  }
  return savings;
}

/// One line of the table.
struct Work {
  std::string name;
  network::RunOptions options;
  bool training = true;
  training::BenchmarkResult result;
  std::optional<training::ThreadGain> gain;  // with --scaling
};

std::string ratio_text(const std::vector<double>& ratios) { return fmt::format("{}", fmt::join(ratios, ",")); }

/// Training and prediction as the options say; where no drop ratio is given, training at several, if the method has
/// one.
std::vector<Work> works_of(const network::RunOptions& options, bool ratio_given) {
  const std::vector<std::string> unused = options.model.without_effect();
  if (std::find(unused.begin(), unused.end(), "drop_ratio") != unused.end())
    return {{"train", options, true, {}, {}}, {"predict", options, false, {}, {}}};
  std::vector<Work> works;
  const auto add = [&](const std::string& what, bool training, const std::vector<double>& ratios) {
    network::RunOptions changed = options;
    changed.model.drop_ratio = ratios;
    works.push_back({fmt::format("{}, drop {}", what, ratio_text(ratios)), changed, training, {}, {}});
  };
  if (ratio_given) {
    add("train", true, options.model.drop_ratio);
  } else {
    for (const double ratio : {0.0, 0.5, 0.9}) add("train", true, {ratio});
  }
  add("predict", false, options.model.drop_ratio);
  return works;
}

/// Without what weights take, which no drop makes smaller.
int64_t activation_bytes(const training::BenchmarkResult& result) {
  return std::max<int64_t>(0, result.peak_bytes - result.weight_bytes);
}

nlohmann::ordered_json as_json(const Work& work, int threads, double roof) {
  const training::BenchmarkResult& r = work.result;
  nlohmann::ordered_json json = {
      {"work", work.name},
      {"threads", threads},
      {"batch", work.options.train.batch},
      {"steps_per_second", r.steps_per_second},
      {"graphs_per_second", r.graphs_per_second},
      {"edges_per_second", r.edges_per_second},
      {"peak_bytes", r.peak_bytes},
      {"step_seconds", {{"median", r.step}, {"fastest", r.fastest_step}, {"slowest", r.slowest_step}}},
      {"phase_seconds",
       {{"batch", r.batch}, {"forward", r.forward}, {"backward", r.backward}, {"optimizer", r.optimizer}}},
      {"forward_layer_seconds", r.forward_layers},
      {"gemm_seconds", r.gemm},
      {"gemm_flops", r.gemm_flops},
      {"machine_gemm_flops", roof},
      {"roof_share", r.gemm_flops / roof},
      {"parameters", r.parameters}};
  if (work.training) {
    json["activation_bytes"] = activation_bytes(r);
    json["gemm_and_adam_share"] = (r.gemm + r.optimizer) / r.step;
  }
  if (work.gain)
    json["thread_gain"] = {{"median", work.gain->median}, {"least", work.gain->least}, {"most", work.gain->most}};
  return json;
}

/// The products that are metered are those of the fused engine's kernels.
std::string products_text(const training::BenchmarkResult& result, double roof) {
  if (result.gemm == 0) return fmt::format("{:>8} {:>8} {:>8}", "-", "-", "-");
  return fmt::format("{:>7.0f}% {:>8.1f} {:>7.0f}%", 100 * result.gemm / result.step, result.gemm_flops / 1e9,
                     100 * result.gemm_flops / roof);
}

std::string as_table(const std::vector<Work>& works, int threads, double roof) {
  std::string text =
      fmt::format("{:<18} {:>9} {:>9} {:>11} {:>9} {:>9}   {:<31} {:>8} {:>8} {:>8}\n", "work", "steps/s", "graphs/s",
                  "edges/s", "peak", "spread", "ms: batch forward backward adam", "products", "GFLOP/s", "of roof");
  for (const Work& work : works) {
    const training::BenchmarkResult& r = work.result;
    text += fmt::format("{:<18} {:>9.1f} {:>9} {:>11} {:>9} {:>8.0f}%   {:>9.2f} {:>7.2f} {:>8.2f} {:>4.2f} {}\n",
                        work.name, r.steps_per_second, grouped(static_cast<int64_t>(r.graphs_per_second)),
                        grouped(static_cast<int64_t>(r.edges_per_second)), core::format_bytes(r.peak_bytes),
                        100 * (r.slowest_step - r.fastest_step) / r.step, 1e3 * r.batch, 1e3 * r.forward,
                        1e3 * r.backward, 1e3 * r.optimizer, products_text(r, roof));
  }
  for (const Work& work : works) {
    if (work.result.forward_layers.empty()) continue;
    std::vector<std::string> layers;
    for (const double seconds : work.result.forward_layers) layers.push_back(fmt::format("{:.2f}", 1e3 * seconds));
    text += fmt::format("{:<18} forward by layer, ms: {}\n", work.name, fmt::join(layers, " "));
  }
  for (const Work& work : works) {
    if (!work.training) continue;
    text += fmt::format("{:<18} activations {}", work.name, core::format_bytes(activation_bytes(work.result)));
    if (work.result.gemm > 0) {
      text += fmt::format(", products and Adam {:.0f}% of a step",
                          100 * (work.result.gemm + work.result.optimizer) / work.result.step);
    }
    text += "\n";
  }
  for (const Work& work : works) {
    if (!work.gain) continue;
    text += fmt::format("{:<18} {} threads are {:.2f} times as fast as one ({:.2f} to {:.2f})\n", work.name, threads,
                        work.gain->median, work.gain->least, work.gain->most);
  }
  return text +
         fmt::format("roof: this machine reaches {:.1f} GFLOP/s in one 512 x 512 x 512 matrix product\n", roof / 1e9);
}

/// What libraries set up once is to be in no work's peak.
void warm_up(const Work& work, const std::shared_ptr<const data::Dataset>& dataset) {
  training::BenchmarkSettings once;
  once.steps = once.repetitions = 1;
  core::NoProgress silent;
  training::benchmark(work.options, dataset, once, silent);
}

int run_bench(const BenchOptions& options, Context& context) {
  network::RunOptions resolved = options.run.resolve();
  resolved.validate();
  options.run.warn_without_effect(resolved);
  const std::vector<std::string> given = options.run.given();
  const bool ratio_given = std::find(given.begin(), given.end(), "--drop-ratio") != given.end();
  const std::shared_ptr<const data::Dataset> dataset = open_or_generate(options.data, context);
  const int threads = training::set_threads(resolved.train.threads);
  DOTIN_CHECK(!options.scaling || threads > 1, "--scaling compares threads with one, and only one is to be used");

  training::BenchmarkSettings settings;
  settings.steps = options.quick ? std::min<int64_t>(10, options.steps) : options.steps;
  settings.repetitions = options.quick ? std::min<int64_t>(3, options.repetitions) : options.repetitions;
  settings.savings = savings_without(options.without);
  const double roof = training::measured_gemm_flops();
  std::vector<Work> works = works_of(resolved, ratio_given);
  warm_up(works.front(), dataset);
  for (Work& work : works) {
    ProgressBar bar(context.console, work.name);
    settings.training = work.training;
    work.result = training::benchmark(work.options, dataset, settings, bar);
    if (options.scaling) work.gain = training::thread_gain(work.options, dataset, settings, threads, bar);
  }
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Work& work : works) list.push_back(as_json(work, threads, roof));
    context.console.out(json_text(list));
    return 0;
  }
  context.console.out(fmt::format(
      "{}: {}, {}, batches of {}, {} x {} steps, {} backbone, hidden {}, {} layers\n", printable(dataset->name),
      counted(dataset->graphs(), "graph"), counted(threads, "thread"), resolved.train.batch, settings.repetitions,
      settings.steps, core::word(resolved.model.backbone), resolved.model.hidden, resolved.model.layers));
  context.console.out(as_table(works, threads, roof));
  return 0;
}

}  // namespace

void add_bench(CLI::App& root, Context& context) {
  CLI::App& command = *root.add_subcommand("bench", "Measure how fast models train and predict on this machine");
  const auto options = std::make_shared<BenchOptions>();
  command
      .add_option("data", options->data,
                  "TU folder or zip, packed file, JSON Lines or CSV; without it, generated graphs")
      ->type_name("DATA");
  options->run.add_to(command);
  command.add_option("--steps", options->steps, "Steps per repetition")->check(CLI::Range(1, 1000000));
  command.add_option("--repeat", options->repetitions, "Repetitions; figures are medians over them")
      ->check(CLI::Range(1, 1000));
  command
      .add_option("--without", options->without, "Savings of the fused engine to leave out, to see what they are worth")
      ->delimiter(',')
      ->check(CLI::IsMember(saving_names()))
      ->type_name("SAVING,...");
  command.add_flag("--scaling", options->scaling, "Also the same batches on one thread, in turn: what threads gain");
  command.add_flag("--quick", options->quick, "At most 3 repetitions of 10 steps");
  command.add_flag("--json", options->json, "A list of works with all figures, for programs");
  set_examples(
      command,
      {"dotin bench", "dotin bench DD.zip --hidden 512 --threads 1",
       "dotin bench DD.zip --hidden 512 --threads 1 --without input-table,last-layer",
       "dotin bench DD.zip --hidden 512 --scaling",
       "dotin bench NCI1.zip --drop-ratio 0.5 --engine reference --quick --json"},
      "Figures are medians over the repetitions, spread is (slowest - fastest) / median step. Peak memory is what\n"
      "the work added to the process. Batch is the time spent waiting for the loader, which prepares the next batch\n"
      "meanwhile. Products is the share of the step inside matrix products of the fused engine's kernels; of roof, "
      "how\n"
      "much of the machine's rate in a large product the whole step reaches.");
  set_action(command, context, options, run_bench);
}

}  // namespace dotin::app
