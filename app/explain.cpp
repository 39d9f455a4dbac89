// dotin explain: which nodes each task needed, as a page, JSON or CSV; and whether that can be believed.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "dotin/core/error.h"
#include "dotin/data/splits.h"
#include "dotin/io/atomic_file.h"
#include "dotin/network/targets.h"
#include "dotin/report/explain_csv.h"
#include "dotin/report/explain_json.h"
#include "dotin/report/page.h"
#include "model_and_data.h"
#include "output_place.h"
#include "progress_bar.h"
#include "text.h"
#include "usage.h"

namespace dotin::app {

namespace {

struct ExplainOptions : ModelAndDataOptions {
  std::vector<int64_t> graphs;  // none: the whole dataset
  int64_t test_graphs = 0;
  std::string out;
  bool json = false;
  bool csv = false;
  bool verify = false;
  bool force = false;
};

/// So many of the graphs that `dotin train` kept for the test, spread evenly over them.
std::vector<int64_t> some_test_graphs(const ModelAndData& given, int64_t count) {
  const network::RunOptions& options = given.about().options;
  const std::vector<int64_t> test =
      data::stratified_split(network::stratification(data::View(given.dataset), options), options.data.validation,
                             options.data.test, static_cast<uint64_t>(options.train.seed))
          .test;
  const auto all = static_cast<int64_t>(test.size());
  DOTIN_CHECK(count <= all, "{} test graphs were asked for, and training kept {}", count, all);
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < count; ++i) chosen.push_back(test[static_cast<std::size_t>(i * all / count)]);
  return chosen;
}

std::string graphs_text(const ExplainOptions& options, const std::vector<int64_t>& chosen, const ModelAndData& given,
                        Context& context) {
  for (const int64_t graph : chosen) {
    if (graph < given.dataset->graphs()) continue;
    core::fail("{} has {}, numbered from 0: there is no graph {}", given.dataset->name,
               counted(given.dataset->graphs(), "graph"), graph);
  }
  const data::FeatureEncoder encoder(given.about().features, *given.dataset, given.unknown);
  ProgressBar bar(context.console, "explain");
  nlohmann::json graphs = nlohmann::json::array();
  std::string rows = options.csv ? report::node_header(given.about(), *given.dataset) : "";
  explain::predict(*given.model, encoder, data::View(given.dataset, chosen), true, bar,
                   [&](const explain::Prediction& prediction) {
                     if (options.csv) {
                       rows += report::node_rows(prediction, *given.dataset);
                     } else {
                       graphs.push_back(report::graph_json(prediction, given.about(), *given.dataset));
                     }
                   });
  if (options.csv) return rows;
  const nlohmann::json all = {{"model", report::model_json(given.about(), *given.dataset)}, {"graphs", graphs}};
  return options.json ? json_text(all, -1) : report::graphs_page(all);
}

std::string verification_text(const explain::Verification& verification) {
  const auto show = [](const explain::Interval& value) {
    return fmt::format("{:.3f} [{:.3f}, {:.3f}]", value.mean, value.low, value.high);
  };
  std::string text = fmt::format("{:<24} {:>24} {:>24} {:>24} {:>24}\n", "change of the output", "kept", "dropped",
                                 "random", "better than random by");
  for (const explain::Fidelity& fidelity : verification.fidelity) {
    const auto row = [&](const char* name, const std::array<explain::Interval, 3>& values,
                         const explain::Interval& gain) {
      text += fmt::format("{:<24} {:>24} {:>24} {:>24} {:>24}\n", fidelity.task + " " + name, show(values[0]),
                          show(values[1]), show(values[2]), show(gain));
    };
    row("fidelity+", fidelity.plus, fidelity.plus_gain);
    row("fidelity-", fidelity.minus, fidelity.minus_gain);
  }
  if (!verification.planted.empty())
    text += fmt::format("{:<24} {:>24} {:>24} {:>24} {:>24}\n", "planted nodes", "precision", "by chance", "recall",
                        "by chance");
  for (const explain::PlantedMatch& match : verification.planted) {
    text += fmt::format("{:<24} {:>24} {:>24.3f} {:>24} {:>24.3f}\n",
                        fmt::format("{} after layer {}", match.target, match.layer), show(match.precision),
                        match.chance_precision, show(match.recall), match.chance_recall);
  }
  text += two_columns({{"fidelity+", "without these nodes: high where they were needed"},
                       {"fidelity-", "with these nodes only: low where they suffice"},
                       {"intervals", "the middle 95% of 1,000 bootstrap resamples of the graphs"},
                       {"graphs", fmt::format("{}; {} left out, of which nothing was kept or nothing dropped",
                                              grouped(verification.graphs), grouped(verification.left_out))}});
  return printable(text);
}

std::string dataset_text(const ExplainOptions& options, const ModelAndData& given, Context& context) {
  const data::View view(given.dataset);
  const data::FeatureEncoder encoder(given.about().features, *given.dataset, given.unknown);
  explain::Verification verification;
  if (options.verify) {
    ProgressBar bar(context.console, "verify");
    verification = explain::verify(*given.model, given.unknown, view,
                                   static_cast<uint64_t>(given.about().options.train.seed), bar);
    if (!options.json && options.out.empty()) return verification_text(verification);
  }
  ProgressBar bar(context.console, "explain");
  const explain::DatasetSummary summary = explain::summarize(*given.model, encoder, view, bar);
  if (options.csv) return report::retention_csv(summary);
  nlohmann::json all = {{"model", report::model_json(given.about(), *given.dataset)},
                        {"summary", report::summary_json(summary)}};
  if (options.verify) all["verification"] = report::verification_json(verification);
  return options.json ? json_text(all) : report::dataset_page(all);
}

int run_explain(const ExplainOptions& options, Context& context) {
  const bool as_text = options.verify && !options.json;
  if (options.out.empty() && !options.json && !options.csv && !as_text)
    core::fail_usage("say where the page goes with -o page.html, or print with --json or --csv");
  if (!options.out.empty()) check_file_free(options.out, options.force);
  const ModelAndData given = open_model_and_data(options, context);
  const network::ModelOptions& model = given.about().options.model;
  if (!model.has_virtual_nodes()) {
    core::fail_usage(
        "{}: --drop {} with --readout {} has no virtual nodes, so no attentiveness to show; dotin predict --explain "
        "lists the nodes that each layer kept, where the method chooses nodes",
        options.model, core::word(model.drop), core::word(model.read()));
  }
  const std::vector<int64_t> graphs =
      options.test_graphs > 0 ? some_test_graphs(given, options.test_graphs) : options.graphs;
  const std::string text =
      graphs.empty() ? dataset_text(options, given, context) : graphs_text(options, graphs, given, context);
  if (options.out.empty()) {
    context.console.out(text);
  } else {
    io::write_file_atomically(options.out, text);
    const bool page = !options.json && !options.csv;
    context.console.out(two_columns({{"written", printable(options.out)}}) +
                        (page ? "open it in a browser, e.g. xdg-open " + printable(options.out) + "\n" : ""));
  }
  return 0;
}

}  // namespace

void add_explain(CLI::App& root, Context& context) {
  CLI::App& command = *root.add_subcommand(
      "explain", "Show which nodes each task needed: of some graphs (--graph), or of the whole dataset");
  const auto options = std::make_shared<ExplainOptions>();
  add_model_and_data(command, *options);
  auto* const graphs =
      command
          .add_option("--graph", options->graphs, "Graphs to show, numbered from 0; without it, the dataset as a whole")
          ->delimiter(',')
          ->type_name("INT,...")
          ->check(at_least(0));
  auto* const test_graphs =
      command
          .add_option("--test-graphs", options->test_graphs,
                      "So many of the graphs that training kept for the test; the data must be that of training")
          ->type_name("INT")
          ->check(at_least(1))
          ->excludes(graphs);
  command.add_option("-o,--out", options->out, "File to write: a page to open in a browser, unless --json or --csv")
      ->type_name("FILE");
  command.add_flag("--force", options->force, "Overwrite the file");
  auto* const json = command.add_flag("--json", options->json, "JSON instead of a page, on stdout or in the file");
  auto* const csv = command.add_flag("--csv", options->csv,
                                     "CSV instead of a page: a row per node, or for the dataset per label and number");
  csv->excludes(json);
  command
      .add_flag("--verify", options->verify,
                "Mask the kept nodes against as many others: fidelity with intervals, and on generated data precision "
                "and recall of the planted nodes; a table on stdout, or part of the page or JSON")
      ->excludes(graphs)
      ->excludes(test_graphs)
      ->excludes(csv);
  set_examples(command, {"dotin explain runs/DD/model.safetensors DD.zip --graph 12,40 -o page.html",
                         "dotin explain runs/DD/model.safetensors DD.zip -o dataset.html",
                         "dotin explain model.safetensors motif.jsonl --verify",
                         "dotin explain model.safetensors new.jsonl --graph 0 --csv > nodes.csv"});
  set_action(command, context, options, run_explain);
}

}  // namespace dotin::app
