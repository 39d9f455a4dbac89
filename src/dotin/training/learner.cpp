#include "dotin/training/learner.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <set>

#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "dotin/drop/pools.h"
#include "dotin/io/safetensors.h"
#include "dotin/network/drop_methods.h"
#include "dotin/network/memory.h"
#include "dotin/ops/values.h"
#include "dotin/training/ranking.h"
#include "dotin/training/tensors.h"

namespace dotin::training {

namespace {

constexpr int64_t kFewestHashedColumns = 16;

data::FeatureOptions feature_options(const Learner& learner, int64_t graphs) {
  const network::RunOptions& options = learner.options;
  const auto chosen = [&](const char* name) { return options.data.has_feature(name); };
  data::FeatureOptions features;
  features.labels = chosen("labels") || chosen("auto");
  features.attributes = chosen("attributes") || chosen("auto");
  if (chosen("degree")) features.degree = data::DegreeFeature::onehot;
  if (chosen("degree-log")) features.degree = data::DegreeFeature::log;
  if (chosen("auto")) features.neighbours = data::NeighbourFeature::if_few;
  if (chosen("neighbours")) features.neighbours = data::NeighbourFeature::always;
  if (chosen("auto") && learner.needs_triplets()) {
    features.neighbours = data::NeighbourFeature::always;
    // Other tasks learn from them too: with more hashed columns they learn the training graphs by heart, and counts
    // tell them what holds for other graphs as well. Triplets are new in every epoch, so that ged alone needs neither.
    if (learner.tasks.size() > 1) {
      features.hashed_columns = static_cast<int32_t>(
          std::clamp<int64_t>(graphs / data::kGraphsPerColour, kFewestHashedColumns, features.hashed_columns));
      features.neighbour_counts = data::NeighbourCounts::if_many;
    }
  }
  if (chosen("neighbour-counts")) features.neighbour_counts = data::NeighbourCounts::always;
  features.degree_cap = static_cast<int32_t>(options.data.degree_cap);
  features.standardize = options.data.standardize;
  features.constant_if_featureless = options.data.featureless == Featureless::constant;
  return features;
}

/// Nodes and directed edges of the largest batch there can be: the largest graphs together, as far as a budget of both
/// (0: none) lets them.
std::pair<int64_t, int64_t> largest_batch(const data::View& view, int64_t graphs, int64_t budget = 0) {
  std::vector<std::pair<int64_t, int64_t>> sizes;
  for (int64_t i = 0; i < view.size(); ++i) {
    const data::GraphView graph = view.get(i);
    sizes.emplace_back(graph.nodes, graph.directed_edges());
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min<int64_t>(graphs, view.size()));
  std::partial_sort(sizes.begin(), sizes.begin() + count, sizes.end(), std::greater<>());
  std::pair<int64_t, int64_t> total{0, 0};
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto [nodes, edges] = sizes[static_cast<std::size_t>(i)];
    if (budget > 0 && i > 0 && total.first + total.second + nodes + edges > budget) break;
    total.first += nodes;
    total.second += edges;
  }
  return total;
}

/// The largest graph of the dataset, whatever it is for, through all layers: a run which cannot end does not begin.
void check_clusters(const network::ModelOptions& model, const std::pair<int64_t, int64_t>& largest) {
  int64_t nodes = largest.first, edges = largest.second + nodes;
  for (int64_t l = 0; l < model.layers - 1; ++l) {
    const int64_t clusters = model.clusters_of(l);
    drop::check_cluster_bytes(nodes, edges, clusters, model.precision == Precision::float64 ? 8 : 4,
                              model.dense_limit << 20);
    nodes = clusters;
    edges = clusters * clusters;
  }
}

void check_memory(const Learner& learner, const data::View& train) {
  const network::ModelOptions& model = learner.options.model;
  if (network::about(model.drop).has(network::DropTrait::clusters))
    check_clusters(model, largest_batch(data::View(train.shared()), 1));
  const int64_t needed = predicted_bytes(learner, train), available = core::available_bytes();
  DOTIN_CHECK(available == 0 || needed <= available,
              "this model needs about {} for its largest batch, and {} are available: reduce `hidden` ({}), "
              "`layers` ({}) or `batch` ({})",
              core::format_bytes(needed), core::format_bytes(available), learner.options.model.hidden,
              learner.options.model.layers, learner.options.train.batch);
}

}  // namespace

int64_t predicted_bytes(const Learner& learner, const data::View& train) {
  const network::TrainOptions& options = learner.options.train;
  const auto [nodes, edges] = largest_batch(train, options.batch, options.batch_budget);
  const int64_t copies = learner.needs_triplets() ? 3 : 1;
  const network::ModelOptions& model = learner.options.model;
  // Weights, gradients, two moments and the best weights; the average, and a copy of the weights while it is evaluated.
  const int64_t of_weights = options.average > 0 ? 7 : 5;
  const int64_t numbers =
      of_weights * network::predicted_parameters(model, learner.features.width(), learner.heads()) +
      network::predicted_activations(model, static_cast<int64_t>(learner.tasks.size()), nodes * copies, edges * copies);
  return numbers * (model.precision == Precision::float64 ? 8 : 4);
}

bool Learner::needs_triplets() const {
  return std::any_of(tasks.begin(), tasks.end(), [](const auto& task) { return task->needs_triplets(); });
}

std::vector<std::unique_ptr<tasks::Task>> make_tasks(const network::RunOptions& options, const data::View& train) {
  tasks::LossOptions loss;
  loss.label_smoothing = options.task.label_smoothing;
  loss.balanced_classes = options.task.class_weights == ClassWeights::balanced;
  loss.ged_squared = options.task.ged_distance == GedDistance::squared;
  loss.ged_margin = options.task.ged_margin;
  loss.ged_by_nodes = options.task.ged_scale == GedScale::nodes;
  std::vector<std::unique_ptr<tasks::Task>> made;
  std::vector<network::TaskSpec> specs = network::parse_tasks(options.task.tasks);
  for (network::TaskSpec& spec : specs) {
    if (spec.kind == "ged" && specs.size() > 1) spec.weight *= options.task.ged_weight;
    made.push_back(tasks::make_task(network::make_output(spec)));
    made.back()->fit(train, loss);
  }
  return made;
}

namespace {

/// A model does not depend on where its data lay, nor on what it was made with.
void forget_place(network::RunOptions& options) {
  options.data.data.clear();
  options.train.threads = 0;
  options.train.device = Device::cpu;
}

}  // namespace

network::ValuesUsed values_used(network::RunOptions options, const Learner& learner) {
  forget_place(options);
  network::ValuesUsed used = network::differences(options, learner.options);
  std::vector<std::string> features;
  for (const auto& [name, columns] : learner.features.parts())
    features.push_back(fmt::format("{} ({})", name, columns));
  used["features"] = fmt::format("{}", fmt::join(features, ", "));
  return used;
}

Learner make_learner(const network::RunOptions& options, const data::View& train) {
  options.validate();
  DOTIN_CHECK(train.size() > 0, "no training graphs");
  Learner learner;
  learner.options = options;
  forget_place(learner.options);
  learner.options.train.lr = options.learning_rate();
  learner.tasks = make_tasks(options, train);
  for (const auto& task : learner.tasks) learner.outputs.push_back(task->shared_output());
  if (options.train.drop_edge > 0 && learner.needs_triplets()) {
    core::fail_usage("`drop_edge` with a ged task: distances count edges, and leaving some out would change them");
  }
  learner.features = data::fit_features(train, feature_options(learner, train.size()));
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < train.size(); ++i) sizes.push_back(train.get(i).nodes);
  learner.options.model.fit(std::move(sizes));
  check_memory(learner, train);
  learner.model = std::make_unique<models::Model>(learner.options.model, learner.features.width(), learner.heads(),
                                                  static_cast<uint64_t>(options.train.seed));
  if (learner.options.model.ranks_by_relevance()) make_scorer(learner);
  use_device(learner, options.train.device);
  return learner;
}

batch::LoaderOptions loader_options(const Learner& learner, bool training) {
  batch::LoaderOptions loader;
  loader.batch_graphs = training ? learner.options.train.batch : std::max<int64_t>(learner.options.train.batch, 32);
  loader.node_edge_budget = training ? learner.options.train.batch_budget : 0;
  loader.shuffle = training;
  loader.build.triplets = learner.needs_triplets();
  loader.build.ged.k_p = static_cast<int32_t>(learner.options.task.ged_k_p);
  loader.build.ged.k_n = static_cast<int32_t>(learner.options.task.ged_k_n);
  loader.build.seed = static_cast<uint64_t>(learner.options.train.seed);
  return loader;
}

void save_model(const Learner& learner, const std::string& path) {
  std::vector<io::TensorToWrite> tensors;
  for (const auto& [name, tensor] : learner.model->parameters().all()) tensors.push_back(to_write(name, tensor));
  if (const models::Scorer* const scorer = learner.model->scorer()) {
    for (const auto& [name, tensor] : scorer->parameters().all())
      tensors.push_back(to_write(network::kScorerPrefix + name, tensor));
  }
  io::write_safetensors(path, tensors, {{network::kDescriptionKey, network::to_text(learner)}});
}

namespace {

void read_parameters(models::Model& model, const io::SafetensorsFile& file) {
  std::set<std::string> known;
  const auto read_all = [&](const std::string& prefix, const layers::ParameterSet& parameters) {
    for (const auto& [own_name, tensor] : parameters.all()) {
      const std::string name = prefix + own_name;
      read_into(file, name, tensor.detach());
      DOTIN_CHECK(tensor.isfinite().all().item<bool>(), "{}: tensor '{}' has values that are not finite", file.path(),
                  name);
      known.insert(name);
    }
  };
  read_all("", model.parameters());
  if (model.scorer() != nullptr) read_all(network::kScorerPrefix, model.scorer()->parameters());
  for (const auto& entry : file.tensors()) {
    DOTIN_CHECK(known.count(entry.first) == 1, "{}: tensor '{}' is not part of this model", file.path(), entry.first);
  }
}

}  // namespace

Learner load_model(const std::string& path) {
  const io::SafetensorsFile file(path);
  Learner learner;
  static_cast<network::Description&>(learner) = network::read_description(file);
  for (const auto& output : learner.outputs) learner.tasks.push_back(tasks::make_task(output));
  try {
    learner.model =
        std::make_unique<models::Model>(learner.options.model, learner.features.width(), learner.heads(), 0);
    if (learner.options.model.ranks_by_relevance()) make_scorer(learner);
  } catch (const core::Error& error) {
    // Also what would be wrong usage on the command line: here the file is at fault.
    core::fail("{}: not a model that can be read: {}", path, error.what());
  }
  read_parameters(*learner.model, file);
  return learner;
}

network::BatchOutputs LearnerPredictor::outputs(const batch::Batch& batch, bool trace) const {
  const at::NoGradGuard no_gradients;
  models::ForwardOptions options;
  options.trace = trace;
  options.random_key = static_cast<uint64_t>(learner_.options.train.seed);
  models::Forward forward = learner_.model->forward(batch, options);
  network::BatchOutputs result;
  for (const at::Tensor& output : forward.outputs) result.by_task.push_back(ops::to_doubles(output));
  result.trace = std::move(forward.trace);
  return result;
}

void use_device(Learner& learner, Device device) {
  if (device == Device::cuda && !at::hasCUDA()) {
    core::fail_usage(
        "`device` cuda: this libtorch has no CUDA, or finds no such device; build against one that has "
        "(-DCMAKE_PREFIX_PATH=/path/to/libtorch), or leave `device` out");
  }
  learner.model->parameters().use_device(at::Device(core::word(device)));
}

}  // namespace dotin::training
