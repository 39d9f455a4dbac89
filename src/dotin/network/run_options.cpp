#include "dotin/network/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"
#include "dotin/core/registry.h"
#include "dotin/network/drop_methods.h"
#include "dotin/network/task_spec.h"

namespace dotin::network {

bool DataOptions::has_feature(const std::string& name) const {
  return std::find(features.begin(), features.end(), name) != features.end();
}

void DataOptions::describe(core::OptionVisitor& v) {
  v.group("Data");
  v.visit({"data", "dataset: TU folder or zip, packed file, JSON Lines, CSV folder, or a name", {}}, data);
  v.visit({"validation", "train: share of the graphs that choose the best epoch", {}}, validation);
  v.visit({"test", "train: share of the graphs kept for the final test", {}}, test);
  v.visit({"folds", "cv: number of folds", {}}, folds);
  v.visit({"features",
           "what a node's row is made of; auto: labels and attributes, and neighbours (one-hot of a node's labels "
           "together with those of its neighbours) where there is a ged task, or ten training graphs for each such "
           "column; with ged beside other tasks, where there are not, neighbour-counts too (how many neighbours have "
           "each label)",
           {"auto", "labels", "attributes", "degree", "degree-log", "neighbours", "neighbour-counts"}},
          features);
  v.visit({"degree_cap", "one-hot degrees above this share a column", {}}, degree_cap);
  v.visit({"standardize", "attributes to mean 0 and deviation 1, measured on the training graphs", {}}, standardize);
  v.visit({"featureless", "what to use where the data has no labels and no attributes"}, featureless);
  v.visit({"duplicates", "edges listed more than once"}, duplicates);
}

void TaskOptions::describe(core::OptionVisitor& v) {
  v.group("Tasks");
  v.visit(
      {"tasks", "what to learn, each [NAME=]KIND[:TARGET][*WEIGHT] with KIND classify, regress, multilabel or ged", {}},
      tasks);
  v.visit({"ged_k_p", "ged: edges substituted in the closer graph of a triplet", {}}, ged_k_p);
  v.visit({"ged_k_n", "ged: edges substituted in the farther graph", {}}, ged_k_n);
  v.visit({"ged_distance", "ged: distance of embeddings that the loss compares"}, ged_distance);
  v.visit({"ged_margin", "ged: by how much the farther graph's distance is to exceed the closer one's", {}},
          ged_margin);
  v.visit({"ged_scale",
           "ged: embeddings times the graph's nodes, over which they average, before distances are taken, or as they "
           "are"},
          ged_scale);
  v.visit({"ged_weight", "ged: weight of its loss beside those of other tasks, times the one given in tasks", {}},
          ged_weight);
  v.visit(
      {"ged_triplets", "ged: triplets made of each graph to evaluate; with more, scores are less a matter of luck", {}},
      ged_triplets);
  v.visit({"label_smoothing", "classify: share of the target spread over all classes", {}}, label_smoothing);
  v.visit({"class_weights", "classify: weigh classes by the inverse of their frequency"}, class_weights);
}

void TrainOptions::describe(core::OptionVisitor& v) {
  v.group("Training");
  v.visit({"epochs", "passes over the training graphs", {}}, epochs);
  v.visit({"batch", "graphs a batch", {}}, batch);
  v.visit({"batch_budget", "above 0: fill a batch up to this many nodes + directed edges, at most `batch` graphs", {}},
          batch_budget);
  v.visit({"lr", "learning rate; 0: 0.001, and 0.001 sqrt(64 / hidden) for models wider than 64", {}}, lr);
  v.visit({"weight_decay_kind", "L2 inside Adam, or decoupled (AdamW)"}, weight_decay_kind);
  v.visit({"weight_decay", "weight decay", {}}, weight_decay);
  v.visit({"drop_warmup", "share of the epochs over which the drop ratio rises to its full value", {}}, drop_warmup);
  v.visit(
      {"drop_explore",
       "dotin: noise on the scores that choose nodes, in standard deviations of a graph's scores; falls to 0 as the "
       "ratio rises",
       {}},
      drop_explore);
  v.visit({"ranking_steps", "ranking relevance: steps of 32 graphs in which the ranking is learned; 0: 700", {}},
          ranking_steps);
  v.visit({"drop_edge",
           "share of each graph's edges left out, others in every step (DropEdge); all are there to evaluate",
           {}},
          drop_edge);
  v.visit({"schedule", "how the learning rate falls"}, schedule);
  v.visit({"schedule_step", "step: epochs between two reductions", {}}, schedule_step);
  v.visit({"schedule_factor", "step and plateau: factor of a reduction", {}}, schedule_factor);
  v.visit({"schedule_patience", "plateau: epochs without a better validation score before a reduction", {}},
          schedule_patience);
  v.visit({"lr_warmup", "epochs over which the learning rate rises from 0", {}}, lr_warmup);
  v.visit({"clip", "above 0: clip the gradient to this norm", {}}, clip);
  v.visit({"clip_bursts",
           "above 0: clip the gradient to this many times the mean of those before, which acts on outbursts alone",
           {}},
          clip_bursts);
  v.visit({"average", "above 0: evaluate a running average of the weights with this decay per step, e.g. 0.999", {}},
          average);
  v.visit({"early_stop", "above 0: stop after this many epochs without a better validation score", {}}, early_stop);
  v.visit({"seed", "seed of everything random", {}}, seed);
  v.visit({"threads", "threads to use, at most one for each processor; 0: all cores", {}}, threads);
  v.visit({"device", "where models compute; cuda needs a libtorch that has it, and uses the reference engine"}, device);
}

void RunOptions::describe(core::OptionVisitor& v) {
  v.visit({"preset", "set of defaults to start from"}, preset);
  task.describe(v);
  model.describe(v);
  train.describe(v);
  data.describe(v);
}

void RunOptions::validate() const {
  core::check_choices(*this);
  model.validate();
  if (task.tasks.empty()) core::fail_usage("`tasks` is empty: give at least one, e.g. `tasks` classify");
  if (task.ged_k_p < 1) core::fail_usage("`ged_k_p` must be at least 1, not {}", task.ged_k_p);
  if (task.ged_k_n <= task.ged_k_p) {
    core::fail_usage("`ged_k_n` ({}) must be larger than `ged_k_p` ({})", task.ged_k_n, task.ged_k_p);
  }
  if (!(task.label_smoothing >= 0 && task.label_smoothing < 1)) core::fail_usage("`label_smoothing` must be in [0, 1)");
  if (!(task.ged_margin >= 0 && std::isfinite(task.ged_margin))) {
    core::fail_usage("`ged_margin` must be a number from 0 on, not {}", task.ged_margin);
  }
  if (!(task.ged_weight > 0 && std::isfinite(task.ged_weight))) {
    core::fail_usage("`ged_weight` must be a positive number, not {}", task.ged_weight);
  }
  if (task.ged_triplets < 1 || task.ged_triplets > 1000) {
    core::fail_usage("`ged_triplets` must be from 1 to 1000, not {}", task.ged_triplets);
  }
  if (data.folds < 3) {
    core::fail_usage("`folds` must be at least 3 (training, validation and test), not {}", data.folds);
  }
  if (data.features.empty()) core::fail_usage("`features` is empty: leave it out, or give e.g. `features` labels");
  if (data.has_feature("neighbour-counts") && !data.has_feature("labels") && !data.has_feature("auto")) {
    core::fail_usage(
        "`features` neighbour-counts counts the labels of neighbours, which are no features here; add "
        "labels: `features` labels,neighbour-counts");
  }
  if (data.degree_cap < 1 || data.degree_cap > 1'000'000) {
    core::fail_usage("`degree_cap` must be from 1 to 1000000, not {}", data.degree_cap);
  }
  if (!(data.validation >= 0 && data.test >= 0 && data.validation + data.test < 1)) {
    core::fail_usage("`validation` ({}) and `test` ({}) are shares that must leave something to train on",
                     data.validation, data.test);
  }
  if (train.epochs < 1) core::fail_usage("`epochs` must be at least 1, not {}", train.epochs);
  if (train.batch < 1) core::fail_usage("`batch` must be at least 1, not {}", train.batch);
  if (train.batch_budget < 0) core::fail_usage("`batch_budget` must not be negative ({})", train.batch_budget);
  if (!(train.lr >= 0 && std::isfinite(train.lr)))
    core::fail_usage("`lr` must be a positive number, or 0 (by the width of the model), not {}", train.lr);
  if (!(train.weight_decay >= 0 && std::isfinite(train.weight_decay))) {
    core::fail_usage("`weight_decay` must be a number from 0 on, not {}", train.weight_decay);
  }
  if (!(train.clip >= 0 && std::isfinite(train.clip))) {
    core::fail_usage("`clip` must be a number from 0 on, not {}", train.clip);
  }
  if (!(train.clip_bursts == 0 || (train.clip_bursts > 1 && std::isfinite(train.clip_bursts)))) {
    core::fail_usage("`clip_bursts` must be 0 or a number above 1, not {}", train.clip_bursts);
  }
  if (train.early_stop < 0) core::fail_usage("`early_stop` must not be negative ({})", train.early_stop);
  if (!(train.lr_warmup >= 0 && std::isfinite(train.lr_warmup)))
    core::fail_usage("`lr_warmup` must be a number from 0 on, not {}", train.lr_warmup);
  if (train.schedule_step < 1) core::fail_usage("`schedule_step` must be at least 1, not {}", train.schedule_step);
  if (!(train.schedule_factor > 0 && train.schedule_factor <= 1))
    core::fail_usage("`schedule_factor` must be in (0, 1], not {}", train.schedule_factor);
  if (train.schedule_patience < 1)
    core::fail_usage("`schedule_patience` must be at least 1, not {}", train.schedule_patience);
  if (!(train.drop_warmup >= 0 && train.drop_warmup <= 1))
    core::fail_usage("`drop_warmup` must be in [0, 1], not {}", train.drop_warmup);
  if (train.ranking_steps < 0) core::fail_usage("`ranking_steps` must not be negative, not {}", train.ranking_steps);
  if (model.ranks_by_relevance() && train.device != Device::cpu)
    core::fail_usage("`ranking` relevance with `device` {}: the ranking is computed on the CPU",
                     core::word(train.device));
  if (!(train.drop_explore >= 0 && std::isfinite(train.drop_explore)))
    core::fail_usage("`drop_explore` must be a number from 0 on, not {}", train.drop_explore);
  if (!(train.drop_edge >= 0 && train.drop_edge < 1))
    core::fail_usage("`drop_edge` must be in [0, 1), not {}", train.drop_edge);
  if (!(train.average >= 0 && train.average < 1))
    core::fail_usage("`average` must be in [0, 1), not {}", train.average);
  if (train.threads < 0) core::fail_usage("`threads` must not be negative ({})", train.threads);
}

double RunOptions::learning_rate() const {
  return train.lr > 0 ? train.lr : 1e-3 * std::sqrt(std::min(1.0, 64 / static_cast<double>(model.hidden)));
}

double RunOptions::warmup_share() const {
  if (model.ranks_by_relevance()) return 0;  // the ranking is known before the first epoch
  return about(model.drop).has(DropTrait::warm_up) ? train.drop_warmup : 0;
}

std::vector<WithoutEffect> RunOptions::without_effect() const {
  std::vector<WithoutEffect> found;
  const auto unless = [&](bool used, const std::string& why, const std::vector<std::string>& options) {
    if (used) return;
    for (const std::string& option : options) found.push_back({option, why});
  };
  const std::vector<TaskSpec> specs = parse_tasks(task.tasks);
  const auto has = [&](const char* kind) {
    return std::any_of(specs.begin(), specs.end(), [&](const TaskSpec& spec) { return spec.kind == kind; });
  };
  unless(has("ged"), "without a ged task",
         {"ged_k_p", "ged_k_n", "ged_distance", "ged_margin", "ged_scale", "ged_weight", "ged_triplets"});
  unless(!has("ged") || specs.size() > 1, "without tasks beside ged", {"ged_weight"});
  unless(has("classify"), "without a classify task", {"label_smoothing", "class_weights"});
  const std::string model_is = fmt::format("with `drop` {}, `readout` {} and `backbone` {}", core::word(model.drop),
                                           core::word(model.read()), core::word(model.backbone));
  for (const std::string& option : model.without_effect()) found.push_back({option, model_is});
  unless(about(model.drop).has(DropTrait::warm_up), model_is, {"drop_warmup"});
  unless(model.drop == Drop::dotin, model_is, {"drop_explore"});
  unless(!model.ranks_by_relevance(), "with `ranking` relevance", {"drop_warmup", "drop_explore"});
  unless(model.ranks_by_relevance(), "without `ranking` relevance", {"ranking_steps"});
  unless(model.drop != Drop::dotin || train.drop_warmup > 0, "with `drop_warmup` 0", {"drop_explore"});
  const std::string schedule_is = fmt::format("with `schedule` {}", core::word(train.schedule));
  unless(train.schedule == LrSchedule::step, schedule_is, {"schedule_step"});
  unless(train.schedule == LrSchedule::step || train.schedule == LrSchedule::plateau, schedule_is, {"schedule_factor"});
  unless(train.schedule == LrSchedule::plateau, schedule_is, {"schedule_patience"});
  return found;
}

RunOptions preset(Preset name) {
  RunOptions options;
  options.preset = name;
  if (name == Preset::paper) {
    options.model.attention_dim = -1;
    options.model.temperature = 0;
    options.model.attentiveness = Attentiveness::own;
    options.model.residual = false;
    options.model.norm = Norm::none;
    options.model.gate = false;
    options.model.edge_weights = dotin::EdgeWeights::softmax;
    options.model.merge_weights = MergeWeights::softmax;
    options.task.ged_distance = GedDistance::squared;
    options.task.ged_scale = GedScale::none;
    options.task.ged_weight = 1;
    options.task.label_smoothing = 0;
    options.train.drop_warmup = 0;
    options.train.drop_explore = 0;
    options.train.clip_bursts = 0;
    options.train.average = 0;
    options.train.lr = 1e-3;
    options.train.weight_decay_kind = WeightDecayKind::l2;
    options.train.weight_decay = 8e-4;
    options.data.standardize = false;
    options.data.features = {"labels", "attributes"};
  }
  return options;
}

RunOptions run_options(const Options& options) {
  RunOptions run;
  static_cast<dotin::ModelOptions&>(run.model) = options;
  static_cast<dotin::DataOptions&>(run.data) = options;
  static_cast<dotin::TaskOptions&>(run.task) = options;
  static_cast<dotin::TrainOptions&>(run.train) = options;
  return run;
}

Options options_of(const RunOptions& run) {
  Options options;
  static_cast<dotin::ModelOptions&>(options) = run.model;
  static_cast<dotin::DataOptions&>(options) = run.data;
  static_cast<dotin::TaskOptions&>(options) = run.task;
  static_cast<dotin::TrainOptions&>(options) = run.train;
  return options;
}

}  // namespace dotin::network
