// dotin predict: a trained model on any data.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "dotin/explain/predict.h"
#include "dotin/io/atomic_file.h"
#include "dotin/training/trainer.h"
#include "output_place.h"
#include "progress_bar.h"
#include "reading_options.h"

namespace dotin::app {

namespace {

struct Options {
  std::string model;
  ReadingOptions reading;
  const CLI::Option* duplicates = nullptr;  // not given: as in training
  std::string out;
  std::string unknown = "error";
  bool explain = false;
  bool force = false;
  int64_t threads = 0;
};

nlohmann::json explanation_json(const explain::GraphExplanation& explanation, const training::Learner& learner) {
  nlohmann::json layers = nlohmann::json::array();
  for (const explain::LayerExplanation& layer : explanation.layers) {
    nlohmann::json attentiveness;
    for (std::size_t k = 0; k < learner.tasks.size(); ++k)
      attentiveness[learner.tasks[k]->name()] = layer.attentiveness[k];
    layers.push_back(
        {{"kept", layer.kept}, {"dropped", layer.dropped}, {"nodes", layer.entered}, {"attentiveness", attentiveness}});
  }
  return layers;
}

int run(const Options& options, Context& context) {
  if (!options.out.empty()) check_file_free(options.out, options.force);
  training::set_threads(options.threads);
  const training::Learner learner = training::load_model(options.model);
  ReadingOptions reading = options.reading;
  if (options.duplicates->count() == 0) reading.duplicates = learner.options.data.duplicates;
  const auto dataset = data::open(reading.data, reading.open_options());
  const data::FeatureEncoder encoder(
      learner.features, *dataset,
      options.unknown == "ignore" ? data::UnknownLabels::ignore : data::UnknownLabels::error);
  std::unique_ptr<io::AtomicFile> file;
  if (!options.out.empty()) file = std::make_unique<io::AtomicFile>(options.out);
  ProgressBar bar(context.console, "predict");
  explain::predict(learner, encoder, data::View(dataset), options.explain, bar,
                   [&](const explain::Prediction& prediction) {
                     nlohmann::json line = {{"graph", prediction.graph}};
                     if (!dataset->graph_ids.empty())
                       line["id"] = dataset->graph_ids[static_cast<std::size_t>(prediction.graph)];
                     for (std::size_t k = 0; k < learner.tasks.size(); ++k) {
                       const std::vector<double>& output = prediction.outputs[k];
                       line[learner.tasks[k]->name()] =
                           learner.tasks[k]->prediction(output.data(), static_cast<int64_t>(output.size()));
                     }
                     if (options.explain) line["layers"] = explanation_json(prediction.explanation, learner);
                     const std::string text = line.dump() + "\n";
                     if (file) {
                       file->write(text);
                     } else {
                       context.console.out(text);
                     }
                   });
  if (file) file->commit();
  return 0;
}

}  // namespace

void add_predict(CLI::App& root, Context& context) {
  CLI::App& command = *root.add_subcommand("predict", "Predict with a trained model: JSON Lines, one object per graph");
  const auto options = std::make_shared<Options>();
  command.add_option("model", options->model, "Model file of a run")->required()->type_name("MODEL");
  add_reading_options(command, options->reading);
  options->duplicates = command.get_option("--duplicates")->default_str("as in training");
  command.add_option("-o,--out", options->out, "File to write instead of stdout")->type_name("FILE");
  command.add_flag("--force", options->force, "Overwrite the file");
  command.add_flag("--explain", options->explain,
                   "Add per layer the original nodes kept and dropped, and attentiveness per task");
  command.add_option("--unknown", options->unknown, "Node labels that the model has never seen")
      ->check(CLI::IsMember({"error", "ignore"}))
      ->type_name("POLICY")
      ->capture_default_str();
  command.add_option("--threads", options->threads, "Threads to use; 0: all cores")
      ->type_name("INT")
      ->check(CLI::NonNegativeNumber);
  set_examples(command, {"dotin predict runs/DD/model.safetensors DD.zip -o predictions.jsonl",
                         "dotin predict model.safetensors new.jsonl --explain --unknown ignore | head -1"});
  set_action(command, context, options, run);
}

}  // namespace dotin::app
