// dotin predict: a trained model on any data.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "dotin/explain/predict.h"
#include "dotin/io/atomic_file.h"
#include "dotin/report/explain_json.h"
#include "model_and_data.h"
#include "output_place.h"
#include "progress_bar.h"
#include "text.h"

namespace dotin::app {

namespace {

struct PredictOptions : ModelAndDataOptions {
  std::string out;
  bool explain = false;
  bool force = false;
};

int run_predict(const PredictOptions& options, Context& context) {
  if (!options.out.empty()) check_file_free(options.out, options.force);
  const ModelAndData given = open_model_and_data(options, context);
  const network::Description& about = given.about();
  const data::Dataset& dataset = *given.dataset;
  const data::FeatureEncoder encoder(about.features, dataset, given.unknown);
  std::unique_ptr<io::AtomicFile> file;
  if (!options.out.empty()) file = std::make_unique<io::AtomicFile>(options.out);
  ProgressBar bar(context.console, "predict");
  const auto write = [&](const explain::Prediction& prediction) {
    nlohmann::json line = {{"graph", prediction.graph}};
    if (!dataset.graph_ids.empty()) line["id"] = dataset.graph_ids[static_cast<std::size_t>(prediction.graph)];
    for (std::size_t k = 0; k < about.outputs.size(); ++k) {
      const std::vector<double>& output = prediction.outputs[k];
      line[about.outputs[k]->name()] =
          report::reading_json(about.outputs[k]->read(output.data(), static_cast<int64_t>(output.size())));
    }
    if (options.explain) line["layers"] = report::layers_json(prediction.explanation, about);
    const std::string text = json_text(line, -1);
    if (file) {
      file->write(text);
    } else {
      context.console.out(text);
    }
  };
  explain::predict(*given.model, encoder, data::View(given.dataset), options.explain, bar, write);
  if (file) file->commit();
  return 0;
}

}  // namespace

void add_predict(CLI::App& root, Context& context) {
  CLI::App& command = *root.add_subcommand("predict", "Predict with a trained model: JSON Lines, one object per graph");
  const auto options = std::make_shared<PredictOptions>();
  add_model_and_data(command, *options);
  command.add_option("-o,--out", options->out, "File to write instead of stdout")->type_name("FILE");
  command.add_flag("--force", options->force, "Overwrite the file");
  command.add_flag("--explain", options->explain,
                   "Add per layer the original nodes kept and dropped, and attentiveness per task");
  set_examples(command, {"dotin predict runs/DD/model.safetensors DD.zip -o predictions.jsonl",
                         "dotin predict model.safetensors new.jsonl --explain --unknown ignore | head -1"});
  set_action(command, context, options, run_predict);
}

}  // namespace dotin::app
