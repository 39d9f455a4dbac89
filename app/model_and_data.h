// The arguments MODEL and PATH of the commands that use a trained model.
#pragma once

#include <memory>
#include <string>

#include "context.h"
#include "dotin/data/features.h"
#include "dotin/network/predictor.h"
#include "reading_options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dotin::app {

struct ModelAndDataOptions {
  std::string model;
  ReadingOptions reading;
  const CLI::Option* duplicates = nullptr;  // not given: as in training
  std::string unknown = "error";
  int64_t threads = 0;
  std::string device = "cpu";
};

/// MODEL, PATH, --unknown, --threads, --device and how data is read.
void add_model_and_data(CLI::App& command, ModelAndDataOptions& options);

struct ModelAndData {
  std::unique_ptr<network::Predictor> model;
  std::shared_ptr<const data::Dataset> dataset;
  data::UnknownLabels unknown;

  const network::Description& about() const { return model->description(); }
};

/// Sets the threads, too.
ModelAndData open_model_and_data(const ModelAndDataOptions& options, const Context& context);

}  // namespace dotin::app
