// The arguments MODEL and PATH of the commands that use a trained model.
#pragma once

#include <memory>
#include <string>

#include "dotin/training/learner.h"
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
  training::Learner learner;
  std::shared_ptr<const data::Dataset> dataset;
  data::UnknownLabels unknown;
};

/// Sets the threads, too.
ModelAndData open_model_and_data(const ModelAndDataOptions& options);

}  // namespace dotin::app
