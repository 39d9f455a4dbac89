// dotin-predict: the commands that use a trained model, without libtorch. What it cannot do it hands to dotin-learn.
// Called by dotin, see main.cpp.
#include "address_space.h"
#include "blas_core.h"
#include "commands.h"
#include "descriptors.h"
#include "dotin/core/denormals.h"
#include "dotin/core/host.h"
#include "dotin/runtime/model.h"
#include "program.h"
#include "program_path.h"

namespace {

using namespace dotin;

/// The models that need no libtorch.
class RuntimeModels : public app::ModelOpener {
 public:
  std::unique_ptr<network::Predictor> open(const std::string& path, const std::string& device,
                                           int64_t threads) const override {
    const bool learn_has_room =
        app::too_little_address_space(app::address_space_limit(), core::processors(), app::Libraries::torch).empty();
    if (device != "cpu" || (learn_has_room && !runtime::can_run(path))) throw app::HandOver();
    runtime::set_threads(threads);
    return runtime::Model::load(path);
  }
};

void add_commands(CLI::App& root, app::Context& context) {
  context.models = std::make_shared<RuntimeModels>();
  app::add_predict(root, context);
  app::add_explain(root, context);
}

}  // namespace

int main(int argc, char** argv) {
  app::keep_standard_descriptors();
  if (app::choose_blas_core()) return app::become("dotin-predict", argv);  // it is chosen as OpenBLAS is loaded
  const core::FlushDenormals flush;
  try {
    return app::run_program(argc, argv, add_commands);
  } catch (const app::HandOver&) {
    return app::become("dotin-learn", argv);
  }
}
