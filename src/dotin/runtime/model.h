// A model file that predicts, on plain arrays: nothing here knows libtorch.
#pragma once

#include <memory>
#include <string>

#include "dotin/network/predictor.h"

namespace dotin::runtime {

/// Whether a model has a form that runs here: virtual nodes, and a backbone with a kernel, on the fused engine. The
/// compared methods need libtorch.
bool can_run(const network::ModelOptions& options);
/// The same of a model file.
bool can_run(const std::string& path);

/// Sets the threads that predictions use from the calling thread on, see core::usable_threads. Returns how many.
int set_threads(int64_t threads);

/// A loaded model. May be used from several threads at once. Numbers are those of training's fused engine, to the last
/// bit on the same machine and number of threads.
class Model : public network::Predictor {
 public:
  /// core::Error with the reason for anything that is not a whole, unedited model file of a known version, and for one
  /// that cannot run here.
  static std::unique_ptr<Model> load(const std::string& path);
};

}  // namespace dotin::runtime
