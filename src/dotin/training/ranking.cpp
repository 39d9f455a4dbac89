#include "dotin/training/ranking.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "dotin/batch/part.h"
#include "dotin/core/random.h"
#include "dotin/models/relevance.h"
#include "dotin/ops/values.h"
#include "dotin/training/optimizer.h"
#include "dotin/training/trainer.h"

namespace dotin::training {

namespace {

// How the two are trained (docs/experiments.md says what else was tried).
constexpr int64_t kBatch = 32, kSteps = 1000;
constexpr double kDetectorShare = 0.6;  // of the steps; the scorer learns in the others
constexpr double kDetectorRate = 3e-3, kScorerRate = 5e-3, kWeightDecay = 0.01, kClip = 2, kDecay = 0.97;
constexpr int kPoints = 2;                // at which a node's share of the evidence is measured
constexpr double kAround = 4;             // weight of the evidence around a node beside its own
constexpr int kHops = 2;                  // how far around
constexpr double kMostScore = 3;          // in standard deviations of a graph's
constexpr int64_t kGedStatements = 16;    // columns of the embedding that a ged task is given
constexpr uint64_t kStream = 0x72616e6b;  // keeps its random numbers apart from those of others

/// The running average that is kept of the scorer, and the optimiser of one network.
class Learning {
 public:
  explicit Learning(layers::ParameterSet& parameters) : parameters_(parameters), adam_(parameters) {}

  void step(const at::Tensor& loss, double rate) {
    loss.backward();
    kernels::AdamStep options;
    options.lr = rate;
    options.weight_decay = kWeightDecay;
    options.step = ++steps_;
    const double norm = gradient_norm(parameters_);
    if (norm > kClip) options.gradient_scale = kClip / norm;
    adam_.step(options);
  }
  int64_t steps() const { return steps_; }

 private:
  layers::ParameterSet& parameters_;
  Adam adam_;
  int64_t steps_ = 0;
};

/// Statements of one task, among the columns of the detectors.
struct Statements {
  int64_t first = 0, count = 0;
  bool of_graphs = true;                 // else they are an embedding, taught by the task's own loss
  std::vector<double> loss, yes, known;  // per statement: running mean; graphs it is true of, and known of

  /// What a predictor that sees no node is left with.
  double blind_loss(std::size_t statement) const {
    const double p = yes[statement] / std::max(1.0, known[statement]);
    return p <= 0 || p >= 1 ? 0 : -p * std::log(p) - (1 - p) * std::log(1 - p);
  }
  /// The share of the blind loss that evidence explains.
  double explained(std::size_t statement) const {
    const double blind = blind_loss(statement);
    return blind > 0 ? std::max(0.0, 1 - loss[statement] / blind) : 0;
  }
};

class RankingRun {
 public:
  RankingRun(Learner& learner, const BoundData& bound, const data::View& train)
      : learner_(learner),
        bound_(bound),
        columns_(batch::own_columns(learner.features)),
        seed_(static_cast<uint64_t>(learner.options.train.seed)),
        loader_(train, bound.encoder, ranking_loader(learner)),
        statements_(statements_of(learner, bound, train)),
        detectors_({columns_, learner.model->parameters().type(), core::mix(seed_, kStream)},
                   statements_.back().first + statements_.back().count, mean_nodes(train)),
        scorer_(*learner.model->scorer()),
        detector_learning_(detectors_.parameters()),
        scorer_learning_(scorer_.parameters()),
        average_(copy_values(scorer_.parameters())) {
    const int64_t asked = learner.options.train.ranking_steps;
    steps_ = asked > 0 ? asked : kSteps;
    detector_steps_ = static_cast<int64_t>(std::ceil(kDetectorShare * static_cast<double>(steps_)));
  }

  bool go(TrainObserver& observer) {
    for (int64_t epoch = 0; step_ < steps_; ++epoch) {
      loader_.start_epoch(epoch, 0);
      while (std::optional<batch::Batch> batch = loader_.next()) {
        if (++step_ > steps_) break;
        const batch::Batch own = batch::with_own_columns(*batch, columns_);
        step_ <= detector_steps_ ? teach_detectors(own) : teach_scorer(own);
        observer.on_ranking({step_, steps_, mean_loss(false), mean_loss(true)});
        if (observer.stop_requested()) return false;
      }
    }
    assign_values(scorer_.parameters(), average_);
    return true;
  }

 private:
  static batch::LoaderOptions ranking_loader(const Learner& learner) {
    batch::LoaderOptions options = loader_options(learner, true);
    options.batch_graphs = kBatch;
    options.build.seed = core::mix(options.build.seed, kStream);
    return options;
  }

  static std::vector<Statements> statements_of(const Learner& learner, const BoundData& bound,
                                               const data::View& train) {
    const std::vector<int64_t> one = {train.indices().front()};
    const batch::Batch batch = batch::build_batch(train.dataset(), *bound.encoder, one, {});
    std::vector<Statements> all;
    int64_t first = 0;
    for (std::size_t k = 0; k < learner.tasks.size(); ++k) {
      Statements statements;
      statements.first = first;
      statements.count = learner.tasks[k]->statements(batch, bound.targets[k]).size(1);
      statements.of_graphs = statements.count > 0;
      if (!statements.of_graphs) statements.count = kGedStatements;
      statements.loss.assign(static_cast<std::size_t>(statements.count), std::nan(""));
      statements.yes.assign(statements.loss.size(), 0);
      statements.known = statements.yes;
      first += statements.count;
      all.push_back(std::move(statements));
    }
    return all;
  }

  static double mean_nodes(const data::View& train) {
    double nodes = 0;
    for (int64_t i = 0; i < train.size(); ++i) nodes += static_cast<double>(train.get(i).nodes);
    return std::max(1.0, nodes / static_cast<double>(train.size()));
  }

  /// Over all statements about graphs: what the detectors are left with, or a predictor that sees no node.
  double mean_loss(bool blind) const {
    double sum = 0, count = 0;
    for (const Statements& statements : statements_) {
      for (std::size_t c = 0; c < statements.loss.size() && statements.of_graphs; ++c) {
        if (std::isnan(statements.loss[c])) continue;
        sum += blind ? statements.blind_loss(c) : statements.loss[c];
        ++count;
      }
    }
    return count > 0 ? sum / count : 0;
  }

  void teach_detectors(const batch::Batch& batch) {
    const at::Tensor evidence = detectors_.forward(batch), gains = detectors_.gains();
    at::Tensor total = at::zeros({}, evidence.options());
    for (std::size_t k = 0; k < statements_.size(); ++k) {
      Statements& own = statements_[k];
      const at::Tensor logs = evidence.narrow(1, own.first, own.count);
      total = total + (own.of_graphs ? statement_loss(k, logs * gains.narrow(0, own.first, own.count), batch)
                                     : learner_.tasks[k]->loss(logs, batch, bound_.targets[k]));
    }
    const double left = 1 - static_cast<double>(step_) / static_cast<double>(detector_steps_ + 1);
    detector_learning_.step(total, kDetectorRate * std::min(1.0, 4 * left));
  }

  /// One statement against its contrary, each for itself: the sum over statements of the mean over graphs.
  at::Tensor statement_loss(std::size_t task, const at::Tensor& logits, const batch::Batch& batch) {
    Statements& own = statements_[task];
    const at::Tensor truth = learner_.tasks[task]->statements(batch, bound_.targets[task]).to(logits.scalar_type());
    const at::Tensor known = truth.isnan().logical_not();
    const at::Tensor yes = at::where(known, truth, at::zeros_like(truth)), counts = known.to(truth.scalar_type());
    const at::Tensor rows = logits.narrow(0, 0, batch.anchors);
    const at::Tensor losses = (at::softplus(rows) - rows * yes) * counts;
    const at::Tensor means = losses.sum(0) / counts.sum(0).clamp_min(1);
    const std::vector<double> now = ops::to_doubles(means), is_true = ops::to_doubles(yes.sum(0)),
                              told = ops::to_doubles(counts.sum(0));
    for (std::size_t c = 0; c < now.size(); ++c) {
      if (told[c] == 0) continue;
      own.yes[c] += is_true[c];
      own.known[c] += told[c];
      own.loss[c] = std::isnan(own.loss[c]) ? now[c] : own.loss[c] + 0.05 * (now[c] - own.loss[c]);
    }
    return means.sum();
  }

  /// [statements of the task]: how much each counts, by the square of what it explains.
  at::Tensor weights_of(const Statements& own) const {
    std::vector<double> weights(static_cast<std::size_t>(own.count), 1);
    double most = 0;
    for (std::size_t c = 0; c < weights.size() && own.of_graphs; ++c) most = std::max(most, own.explained(c));
    for (std::size_t c = 0; c < weights.size() && most > 0; ++c) weights[c] = std::pow(own.explained(c) / most, 2);
    return at::tensor(weights, at::kDouble);
  }

  /// [nodes of the anchors]: what each adds to the evidence of the task as all gates of its graph rise from 0 to 1.
  std::vector<double> evidence_of(std::size_t task, const batch::Batch& batch) {
    std::vector<double> sum(static_cast<std::size_t>(batch.node_offsets[batch.anchors]), 0);
    const Statements& own = statements_[task];
    for (int point = 0; point < kPoints; ++point) {
      std::vector<double> gates;
      for (int32_t g = 0; g < batch.graphs(); ++g) {
        core::Rng rng({seed_, kStream, static_cast<uint64_t>(step_), static_cast<uint64_t>(point),
                       static_cast<uint64_t>(g % batch.anchors)});
        const double gate = (point + rng.uniform()) / kPoints;
        gates.insert(gates.end(), static_cast<std::size_t>(batch.node_offsets[g + 1] - batch.node_offsets[g]), gate);
      }
      const at::Tensor gate =
          at::tensor(gates, at::kDouble).to(detectors_.parameters().type()).unsqueeze(1).requires_grad_();
      const at::Tensor amount = at::softplus(detectors_.forward(batch, gate).narrow(1, own.first, own.count));
      (amount * weights_of(own).to(amount.scalar_type())).narrow(0, 0, batch.anchors).sum().backward();
      const std::vector<double> slopes = ops::to_doubles(gate.grad());
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += slopes[i] / kPoints;
    }
    return sum;
  }

  /// What the scorer is taught: a node's evidence and, four times, the mean around it; of mean 0 and deviation 1 in
  /// every graph.
  std::vector<double> lesson_of(std::size_t task, const batch::Batch& batch) {
    const std::vector<double> own = evidence_of(task, batch);
    std::vector<double> around = own, next = own;
    for (int hop = 0; hop < kHops; ++hop) {
      for (std::size_t i = 0; i < own.size(); ++i) {
        double sum = around[i];
        for (int32_t e = batch.row_offsets[i]; e < batch.row_offsets[i + 1]; ++e) sum += around[batch.neighbours[e]];
        next[i] = sum / (1 + batch.row_offsets[i + 1] - batch.row_offsets[i]);
      }
      std::swap(around, next);
    }
    std::vector<double> lesson(own.size());
    for (int32_t g = 0; g < batch.anchors; ++g) {
      const int32_t first = batch.node_offsets[g], last = batch.node_offsets[g + 1];
      double mean = 0, square = 0;
      for (int32_t i = first; i < last; ++i) {
        lesson[i] = own[i] + kAround * around[i];
        mean += lesson[i] / (last - first);
      }
      for (int32_t i = first; i < last; ++i) square += (lesson[i] - mean) * (lesson[i] - mean) / (last - first);
      const double scale = 1 / (std::sqrt(square) + 1e-9);
      for (int32_t i = first; i < last; ++i)
        lesson[i] = std::clamp((lesson[i] - mean) * scale, -kMostScore, kMostScore);
    }
    return lesson;
  }

  /// Every graph counts the same, whatever its size.
  void teach_scorer(const batch::Batch& batch) {
    const int64_t nodes = batch.node_offsets[batch.anchors], tasks = scorer_.tasks();
    std::vector<double> lesson(static_cast<std::size_t>(nodes * tasks)), weight(static_cast<std::size_t>(nodes));
    for (int64_t k = 0; k < tasks; ++k) {
      const std::vector<double> own = lesson_of(static_cast<std::size_t>(k), batch);
      for (int64_t i = 0; i < nodes; ++i) lesson[i * tasks + k] = own[i];
    }
    for (int32_t g = 0; g < batch.anchors; ++g) {
      const int32_t first = batch.node_offsets[g], last = batch.node_offsets[g + 1];
      std::fill(weight.begin() + first, weight.begin() + last, 1.0 / (last - first));
    }
    const at::Tensor scores = scorer_.forward(batch).narrow(0, 0, nodes);
    const auto rows = [&](const std::vector<double>& values, int64_t width) {
      return at::tensor(values, at::kDouble).view({nodes, width}).to(scores.scalar_type());
    };
    const at::Tensor loss =
        ((scores - rows(lesson, tasks)).square() * rows(weight, 1)).sum() / static_cast<double>(batch.anchors * tasks);
    const double left = static_cast<double>(steps_ + 1 - step_) / static_cast<double>(steps_ + 1 - detector_steps_);
    scorer_learning_.step(loss, kScorerRate * std::min(1.0, 2 * left));
    update_average(average_, scorer_.parameters(), kDecay, scorer_learning_.steps(), 1);
  }

  Learner& learner_;
  const BoundData& bound_;
  const batch::OwnColumns columns_;
  const uint64_t seed_;
  batch::Loader loader_;
  std::vector<Statements> statements_;  // per task
  models::Detectors detectors_;
  models::Scorer& scorer_;
  Learning detector_learning_, scorer_learning_;
  std::vector<at::Tensor> average_;
  int64_t step_ = 0, steps_ = 0, detector_steps_ = 0;
};

}  // namespace

void make_scorer(Learner& learner) {
  models::RelevanceOptions options;
  options.columns = batch::own_columns(learner.features);
  options.type = learner.model->parameters().type();
  options.seed = core::mix(static_cast<uint64_t>(learner.options.train.seed), kStream);
  learner.model->use_scorer(std::make_shared<models::Scorer>(options, static_cast<int64_t>(learner.tasks.size())));
}

bool train_scorer(Learner& learner, const BoundData& bound, const data::View& train, TrainObserver& observer) {
  return RankingRun(learner, bound, train).go(observer);
}

}  // namespace dotin::training
