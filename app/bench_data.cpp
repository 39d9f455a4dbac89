#include "bench_data.h"

#include "dotin/data/generate.h"
#include "dotin/data/open.h"
#include "progress_bar.h"

namespace dotin::app {

std::shared_ptr<const data::Dataset> open_or_generate(const std::string& path, Context& context) {
  ProgressBar bar(context.console, "open");
  if (!path.empty()) {
    bar.update(0, 0, path);
    return data::open(path, {});
  }
  data::GenerateOptions generate;
  return std::make_shared<const data::Dataset>(
      data::build_dataset(data::generate("motif", generate, bar), data::DuplicatePolicy::merge));
}

}  // namespace dotin::app
