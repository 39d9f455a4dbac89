// dotin methods: the compared methods side by side, from the code itself: what each takes on some data.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench_data.h"
#include "commands.h"
#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "dotin/network/drop_methods.h"
#include "dotin/network/task_spec.h"
#include "dotin/training/benchmark.h"
#include "dotin/training/trainer.h"
#include "progress_bar.h"
#include "reproduce/methods.h"
#include "run_options.h"
#include "text.h"

namespace dotin::app {

namespace {

struct MethodsOptions {
  std::string data;
  RunOptionsParser run;
  int64_t steps = 10;
  bool json = false;
};

/// One line of the table.
struct Method {
  std::string name;
  Drop drop;
  Readout readout;
  double drop_edge = 0;
  training::BenchmarkResult result = {};
  int64_t extra_parameters = 0;
};

std::vector<Method> compared(const network::RunOptions& base) {
  std::vector<Method> methods;
  for (const reproduce::Method& method : reproduce::compared_methods())
    methods.push_back(
        {method.name, core::from_word<Drop>("drop", method.drop), core::from_word<Readout>("readout", method.readout)});
  // With a share that the user gives, every method leaves edges out: then there is nothing to compare, nor with
  // triplets, whose distances count edges.
  const std::vector<network::TaskSpec> specs = network::parse_tasks(base.task.tasks);
  const bool triplets = std::any_of(specs.begin(), specs.end(), [](const auto& task) { return task.kind == "ged"; });
  if (base.train.drop_edge == 0 && !triplets) methods.push_back({"DropEdge", Drop::none, Readout::virtual_nodes, 0.2});
  return methods;
}

network::RunOptions options_of(network::RunOptions base, const Method& method) {
  base.model.drop = method.drop;
  base.model.readout = method.readout;
  base.train.drop_warmup = 0;  // what is measured is the full ratio
  if (method.drop_edge > 0) base.train.drop_edge = method.drop_edge;
  return base;
}

bool task_relevant(const Method& method) { return network::about(method.drop).has(network::DropTrait::task_relevant); }

double seconds_per_graph(const Method& method) { return 1 / method.result.graphs_per_second; }

nlohmann::ordered_json as_json(const Method& method, int64_t batch) {
  return {{"method", method.name},
          {"drop", core::word(method.drop)},
          {"readout",
           core::word(method.readout == Readout::automatic ? network::about(method.drop).readout : method.readout)},
          {"drop_edge", method.drop_edge},
          {"seconds_per_graph", seconds_per_graph(method)},
          {"bytes_per_graph", method.result.peak_bytes / batch},
          {"parameters", method.result.parameters},
          {"extra_parameters", method.extra_parameters},
          {"task_relevant", task_relevant(method)}};
}

std::string as_table(const std::vector<Method>& methods, int64_t batch) {
  std::string text = fmt::format("{:<16} {:>12} {:>13} {:>17} {:>14}   {}\n", "method", "time a graph",
                                 "memory a graph", "extra parameters", "task-relevant", "options");
  for (const Method& method : methods) {
    text += fmt::format("{:<16} {:>12} {:>14} {:>17} {:>14}   --drop {}{}{}\n", method.name,
                        core::format_seconds(seconds_per_graph(method)),
                        core::format_bytes(method.result.peak_bytes / batch), grouped(method.extra_parameters),
                        task_relevant(method) ? "yes" : "no", core::word(method.drop),
                        method.readout == Readout::automatic ? "" : " --readout " + core::word(method.readout),
                        method.drop_edge > 0 ? fmt::format(" --drop-edge {}", method.drop_edge) : "");
  }
  return text;
}

int run_methods(const MethodsOptions& options, Context& context) {
  network::RunOptions base = options.run.resolve();
  for (const std::string& given : options.run.given()) {
    if (given == "--drop" || given == "--readout")
      core::fail_usage("{} is what dotin methods compares: leave it out, or use dotin bench for one of them", given);
  }
  base.validate();
  const std::shared_ptr<const data::Dataset> dataset = open_or_generate(options.data, context);
  const int threads = training::set_threads(base.train.threads);
  const int64_t batch = std::min<int64_t>(base.train.batch, dataset->graphs());
  std::vector<Method> methods = compared(base);
  {  // What libraries set up once would count for the first method alone.
    ProgressBar bar(context.console, "warming up");
    training::benchmark(options_of(base, methods.front()), dataset, {true, 1, 1}, bar);
  }
  for (Method& method : methods) {
    ProgressBar bar(context.console, method.name);
    const network::RunOptions own = options_of(base, method);
    own.validate();
    method.result = training::benchmark(own, dataset, {true, options.steps, 3}, bar);
  }
  // Against the same backbone that reads the mean of its nodes.
  const auto plain =
      std::find_if(methods.begin(), methods.end(), [](const Method& m) { return m.readout == Readout::mean; });
  const int64_t plain_parameters = plain->result.parameters;
  for (Method& method : methods) method.extra_parameters = method.result.parameters - plain_parameters;
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Method& method : methods) list.push_back(as_json(method, batch));
    context.console.out(json_text(list));
    return 0;
  }
  context.console.out(fmt::format("{}: {}, {}, training in batches of {}, {} backbone, hidden {}, {} layers\n",
                                  printable(dataset->name), counted(dataset->graphs(), "graph"),
                                  counted(threads, "thread"), batch, core::word(base.model.backbone), base.model.hidden,
                                  base.model.layers));
  context.console.out(as_table(methods, batch));
  return 0;
}

}  // namespace

void add_methods(CLI::App& root, Context& context) {
  CLI::App& command =
      *root.add_subcommand("methods", "Compare the methods that drop or pool nodes: time, memory, parameters");
  const auto options = std::make_shared<MethodsOptions>();
  command
      .add_option("data", options->data,
                  "TU folder or zip, packed file, JSON Lines or CSV; without it, generated graphs")
      ->type_name("DATA");
  options->run.add_to(command);
  command.add_option("--steps", options->steps, "Training steps that are timed, three times")
      ->check(CLI::Range(1, 1000000));
  command.add_flag("--json", options->json, "A list of methods with all figures, for programs");
  set_examples(command, {"dotin methods", "dotin methods PROTEINS.zip --threads 1 --hidden 128 --json"},
               "Times are medians of training steps. Memory is what training added to the process, over the graphs of\n"
               "a batch. Extra parameters are counted against the same backbone that reads the mean of its nodes.");
  set_action(command, context, options, run_methods);
}

}  // namespace dotin::app
