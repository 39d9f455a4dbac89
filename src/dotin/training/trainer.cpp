#include "dotin/training/trainer.h"

#include <ATen/Parallel.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "dotin/batch/drop_edges.h"
#include "dotin/core/denormals.h"
#include "dotin/core/error.h"
#include "dotin/core/host.h"
#include "dotin/core/log.h"
#include "dotin/core/random.h"
#include "dotin/network/config.h"
#include "dotin/training/optimizer.h"
#include "dotin/training/ranking.h"

namespace dotin::training {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Changes with anything in the data that training sees.
uint64_t fingerprint(const data::Dataset& dataset) {
  uint64_t hash = 0;
  const auto add = [&hash](const auto& values) {
    const auto* const bytes = reinterpret_cast<const char*>(values.data());
    const std::size_t size = values.size() * sizeof(values[0]);
    hash = core::mix(hash, size);
    for (std::size_t at = 0; at < size; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min(sizeof word, size - at));
      hash = core::mix(hash, word);
    }
  };
  add(dataset.node_offsets);
  add(dataset.row_offsets);
  add(dataset.neighbours);
  for (const io::LabelColumn& column : dataset.node_labels) {
    add(column.codes);
    for (const std::string& value : column.values) add(value);
  }
  add(dataset.node_attributes.values);
  for (const io::Target& target : dataset.targets) {
    add(target.name);
    add(target.values);
    for (const std::string& name : target.names) add(name);
  }
  return hash;
}

/// What a checkpoint must agree with: options, data and split.
std::string about_run(const TrainerInput& input) {
  network::RunOptions options = input.options;
  options.train.threads = 0;  // asked for by the machine, not by the run
  options.data.data.clear();  // may have moved
  uint64_t split_hash = 0;
  for (const auto* part : {&input.split.train, &input.split.validation, &input.split.test}) {
    for (const int64_t index : *part) split_hash = core::mix(split_hash, static_cast<uint64_t>(index));
    split_hash = core::mix(split_hash, part->size());
  }
  return nlohmann::json{{"options", to_json(options)},
                        {"data", input.dataset->name},
                        {"graphs", input.dataset->graphs()},
                        {"fingerprint", std::to_string(fingerprint(*input.dataset))},
                        {"split", std::to_string(split_hash)}}
      .dump();
}

class Run {
 public:
  Run(const TrainerInput& input, TrainObserver& observer)
      : input_(input),
        observer_(observer),
        all_(input.dataset),
        train_(all_.subset(input.split.train)),
        learner_(make_learner(input.options, train_)),
        options_(learner_.options.train),
        bound_(bind(learner_, *input.dataset, data::UnknownLabels::error)),
        adam_(learner_.model->parameters()),
        best_(copy_values(learner_.model->parameters())),
        schedule_(options_),
        about_(about_run(input)) {
    if (options_.average > 0) average_ = copy_values(learner_.model->parameters());
    state_.best_score = -INFINITY;
  }

  TrainResult go() {
    if (input_.resume && !input_.checkpoint.empty() && std::filesystem::exists(input_.checkpoint)) {
      restore();
    } else if (learner_.model->scorer() != nullptr && !train_scorer(learner_, bound_, train_, observer_)) {
      return result(true);  // without a checkpoint: it begins anew, and comes to the same
    }
    batch::Loader loader(train_, bound_.encoder, loader_options(learner_, true));
    last_checkpoint_ = Clock::now();
    while (!state_.finished) {
      const bool whole = train_epoch(loader);
      check_weights();
      if (!whole) {
        save();
        return result(true);
      }
      finish_epoch();
      if (state_.finished || seconds_since(last_checkpoint_) >= input_.checkpoint_seconds) save();
    }
    return result(false);
  }

 private:
  /// The first epoch that may be chosen as the best one.
  int64_t first_eligible() const { return first_full_epoch(input_.options.warmup_share(), options_.epochs); }

  layers::ParameterSet& parameters() { return learner_.model->parameters(); }

  /// False if asked to stop before the epoch was over.
  bool train_epoch(batch::Loader& loader) {
    loader.start_epoch(state_.epoch, state_.batches_done);
    const int64_t batches = loader.batches_per_epoch();
    const Clock::time_point start = Clock::now();
    const double seconds_before = state_.seconds_in_epoch;
    while (std::optional<batch::Batch> batch = loader.next()) {
      step(std::move(*batch), batches);
      state_.seconds_in_epoch = seconds_before + seconds_since(start);
      observer_.on_step({state_.epoch, options_.epochs, state_.batches_done, batches,
                         state_.loss_sum / static_cast<double>(state_.graphs_seen),
                         static_cast<double>(state_.graphs_seen) / state_.seconds_in_epoch});
      if (observer_.stop_requested()) return false;
    }
    return true;
  }

  void step(batch::Batch batch, int64_t batches) {
    models::ForwardOptions forward_options;
    forward_options.training = true;
    forward_options.drop_factor = drop_factor(input_.options.warmup_share(), options_.epochs, state_.epoch);
    forward_options.exploration = options_.drop_explore * (1 - forward_options.drop_factor);
    forward_options.random_key =
        core::mix(static_cast<uint64_t>(options_.seed), static_cast<uint64_t>(state_.step) + 1);
    if (options_.drop_edge > 0) batch = batch::drop_edges(batch, options_.drop_edge, forward_options.random_key);
    const models::Forward forward = learner_.model->forward(batch, forward_options);
    const at::Tensor loss = objective(learner_, forward, batch, bound_);
    const double value = loss.item<double>();
    const Place here{
        state_.batches_done + 1, batches, {batch.graph_index.begin(), batch.graph_index.begin() + batch.anchors}};
    if (!std::isfinite(value)) {
      check_weights();  // the batch before may be to blame
      fail_at(std::isnan(value) ? "the loss became NaN" : "the loss became infinite", here);
    }
    last_batch_ = here;
    loss.backward();

    kernels::AdamStep adam = next_step(options_, ++state_.step, parameters(), state_.gradients);
    adam.lr = schedule_.rate(static_cast<double>(state_.epoch) +
                             static_cast<double>(state_.batches_done) / static_cast<double>(batches));
    adam_.step(adam);
    ++state_.batches_done;
    if (const int64_t steps = steps_to_average(state_.batches_done, batches); steps > 0 && options_.average > 0) {
      update_average(average_, parameters(), options_.average, state_.step, steps);
    }
    state_.loss_sum += value * batch.anchors;
    state_.graphs_seen += batch.anchors;
  }

  /// Which batch of the epoch, and the graphs in it.
  struct Place {
    int64_t number = 0, batches = 0;
    std::vector<int64_t> graphs;
  };

  [[noreturn]] void fail_at(const char* what, const Place& place) const {
    core::fail(
        "{} in epoch {}/{}, batch {}/{} (graphs {}): lower `lr` ({}), set `clip` 1, or look at the attributes of "
        "these graphs; the last checkpoint is as it was",
        what, state_.epoch + 1, options_.epochs, place.number, place.batches, fmt::join(place.graphs, ", "),
        options_.lr);
  }

  /// A finite loss can have a gradient that is not, and a step can be too long. Such weights must neither be kept nor
  /// chosen.
  void check_weights() {
    for (const auto& entry : parameters().all()) {
      if (!entry.second.isfinite().all().item<bool>()) fail_at("the weights stopped being finite", last_batch_);
    }
  }

  void finish_epoch() {
    EpochRecord record;
    record.epoch = state_.epoch;
    record.lr = schedule_.rate(static_cast<double>(state_.epoch));
    record.drop_factor = drop_factor(input_.options.warmup_share(), options_.epochs, state_.epoch);
    record.train_loss = state_.loss_sum / static_cast<double>(std::max<int64_t>(1, state_.graphs_seen));
    record.seconds = state_.seconds_in_epoch;

    // The averaged weights are what is evaluated and kept; training goes on with its own.
    const bool averaged = options_.average > 0;
    const std::vector<at::Tensor> own = averaged ? copy_values(parameters()) : std::vector<at::Tensor>();
    if (averaged) assign_values(parameters(), average_);
    const Evaluation validation = evaluate(learner_, bound_, all_.subset(input_.split.validation), record.drop_factor);
    record.validation = validation.values;
    record.score = validation.score;
    record.validation_loss = validation.loss;
    if (input_.test_every_epoch)
      record.test = evaluate(learner_, bound_, all_.subset(input_.split.test), record.drop_factor).values;
    const bool eligible = state_.epoch >= first_eligible();
    // Where there is no score (no validation graphs, say), the last eligible epoch counts as the best.
    const bool better = state_.best_epoch < 0 || std::isnan(state_.best_score) ||
                        is_better(record.score, validation.loss, state_.best_score, state_.best_loss);
    if (eligible && better) {
      state_.best_score = record.score;
      state_.best_loss = validation.loss;
      state_.best_epoch = state_.epoch;
      best_ = copy_values(parameters());
    }
    if (averaged) assign_values(parameters(), own);

    if (eligible) schedule_.epoch_done(record.score);  // scores at other drop ratios do not compare
    state_.history.push_back(record);
    ++state_.epoch;
    state_.batches_done = 0;
    state_.loss_sum = 0;
    state_.graphs_seen = 0;
    state_.seconds_in_epoch = 0;
    state_.finished = is_finished(state_, options_.epochs, options_.early_stop);
    observer_.on_epoch(record);
  }

  NamedTensors checkpoint_tensors() {
    NamedTensors tensors;
    const auto& all = parameters().all();
    for (std::size_t i = 0; i < all.size(); ++i) {
      tensors.emplace_back("parameter." + all[i].first, all[i].second.detach());
      tensors.emplace_back("first_moment." + all[i].first, adam_.first_moments()[i]);
      tensors.emplace_back(kSecondMoment + all[i].first, adam_.second_moments()[i]);
      tensors.emplace_back("best." + all[i].first, best_[i]);
      if (options_.average > 0) tensors.emplace_back("average." + all[i].first, average_[i]);
    }
    if (const models::Scorer* const scorer = learner_.model->scorer()) {
      for (const auto& [name, tensor] : scorer->parameters().all())
        tensors.emplace_back(network::kScorerPrefix + name, tensor.detach());
    }
    return tensors;
  }

  void save() {
    if (input_.checkpoint.empty()) return;
    state_.schedule = schedule_.state();
    write_checkpoint(input_.checkpoint, about_, state_, checkpoint_tensors());
    last_checkpoint_ = Clock::now();
  }

  void restore() {
    StateBounds bounds;
    bounds.epochs = options_.epochs;
    bounds.first_eligible = first_eligible();
    bounds.early_stop = options_.early_stop;
    bounds.graphs = train_.size();
    bounds.validation_values = metric_names(learner_.tasks).size();
    bounds.test_values = input_.test_every_epoch ? bounds.validation_values : 0;
    state_ = read_checkpoint(input_.checkpoint, about_, bounds, checkpoint_tensors());
    schedule_.restore(state_.schedule);
  }

  TrainResult result(bool interrupted) {
    TrainResult result;
    if (state_.best_epoch >= 0) assign_values(parameters(), best_);
    result.metrics = metric_names(learner_.tasks);
    result.learner = std::move(learner_);
    result.history = state_.history;
    result.best_epoch = state_.best_epoch;
    result.interrupted = interrupted;
    return result;
  }

  const TrainerInput& input_;
  TrainObserver& observer_;
  data::View all_, train_;
  Learner learner_;
  const network::TrainOptions options_;
  BoundData bound_;
  Adam adam_;
  std::vector<at::Tensor> best_, average_;
  Schedule schedule_;
  std::string about_;
  TrainingState state_;
  Place last_batch_;
  Clock::time_point last_checkpoint_;
};

}  // namespace

TrainResult train(const TrainerInput& input, TrainObserver& observer) {
  // libtorch sets the threads of OpenMP when it first needs them. That must not be between two steps, which would be
  // rounded otherwise from then on.
  at::get_num_threads();
  const core::FlushDenormals flush;
  return Run(input, observer).go();
}

int set_threads(int64_t threads) {
  const int count = core::usable_threads(threads);
  at::set_num_threads(count);
  return count;
}

}  // namespace dotin::training
