#include "commands.h"

#include "dotin/kernels/loops.h"
#include "learner_model.h"

namespace dotin::app {

void add_commands(CLI::App& root, Context& context) {
  kernels::loops<float>();  // a wrong DOTIN_ISA is refused before any work
  context.models = std::make_shared<LearnerModels>();
  add_data(root, context);
  add_train(root, context);
  add_cv(root, context);
  add_predict(root, context);
  add_explain(root, context);
  add_bench(root, context);
  add_methods(root, context);
  add_reproduce(root, context);
  add_completions(root, context);
}

}  // namespace dotin::app
