#include "model_and_data.h"

#include <CLI/CLI.hpp>

#include "dotin/data/open.h"
#include "usage.h"

namespace dotin::app {

void add_model_and_data(CLI::App& command, ModelAndDataOptions& options) {
  command.add_option("model", options.model, "Model file of a run")->required()->type_name("MODEL");
  add_reading_options(command, options.reading);
  options.duplicates = command.get_option("--duplicates")->default_str("as in training");
  command.add_option("--unknown", options.unknown, "Node labels that the model has never seen")
      ->check(CLI::IsMember({"error", "ignore"}))
      ->type_name("POLICY")
      ->capture_default_str();
  command.add_option("--threads", options.threads, "Threads to use, at most one for each processor; 0: all cores")
      ->type_name("INT")
      ->check(at_least(0));
  command.add_option("--device", options.device, "Where the model computes; cuda needs a libtorch that has it")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->type_name("DEVICE")
      ->capture_default_str();
}

ModelAndData open_model_and_data(const ModelAndDataOptions& options, const Context& context) {
  std::unique_ptr<network::Predictor> model = context.models->open(options.model, options.device, options.threads);
  data::OpenOptions reading = options.reading.open_options();
  if (options.duplicates->count() == 0) reading.duplicates = model->description().options.data.duplicates;
  auto dataset = data::open(options.reading.data, reading);
  return {std::move(model), std::move(dataset),
          options.unknown == "ignore" ? data::UnknownLabels::ignore : data::UnknownLabels::error};
}

}  // namespace dotin::app
