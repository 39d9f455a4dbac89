// A program outside the project: generates graphs and batches them, through installed headers and libraries only.
#include <cstdio>
#include <memory>

#include "dotin/batch/loader.h"
#include "dotin/data/generate.h"

int main() {
  using namespace dotin;
  data::GenerateOptions options;
  options.graphs = 20;
  core::NoProgress progress;
  const auto dataset = std::make_shared<const data::Dataset>(
      data::build_dataset(data::generate("motif", options, progress), data::DuplicatePolicy::merge));
  const data::View view(dataset);
  const auto encoder =
      std::make_shared<const data::FeatureEncoder>(data::fit_features(view, {}), *dataset, data::UnknownLabels::error);
  batch::Loader loader(view, encoder, {});
  loader.start_epoch(0);
  int graphs = 0;
  while (const auto next = loader.next()) graphs += next->graphs();
  std::printf("%d graphs in batches\n", graphs);
  return graphs == 20 ? 0 : 1;
}
