#include "dotin/training/ranking.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "dotin/batch/own_columns.h"
#include "dotin/core/random.h"
#include "dotin/models/relevance.h"
#include "dotin/ops/values.h"
#include "dotin/training/optimizer.h"
#include "dotin/training/trainer.h"

namespace dotin::training {

namespace {

// How the two are trained (docs/experiments.md says what else was tried).
constexpr int64_t kBatch = 32, kSteps = 700;
constexpr double kDetectorShare = 5.0 / 7;  // of the steps; the ranker learns in the others
constexpr double kDetectorRate = 3e-3, kRankerRate = 5e-3, kWeightDecay = 0.01, kClip = 2, kDecay = 0.97;
constexpr std::size_t kLessons = 32;       // batches that the ranker learns from
constexpr int64_t kLessonNodes = 200'000;  // fewer of them where they have more nodes
constexpr int kPoints = 4;                 // at which a node's share of the evidence is measured
constexpr double kAround = 4;              // weight of the evidence around a node beside its own
constexpr int kHops = 2;                   // how far around
constexpr double kMostScore = 3;           // in standard deviations of a graph's
constexpr uint64_t kStream = 0x72616e6b;   // keeps its random numbers apart from those of others

/// The optimiser of one network.
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
        columns_(learner.model->scorer()->options().columns),
        seed_(static_cast<uint64_t>(learner.options.train.seed)),
        loader_(train, bound.encoder, ranking_loader(learner)),
        statements_(statements_of(learner)),
        scorer_(*learner.model->scorer()),
        detectors_(scorer_.options(), mean_nodes(train)),
        ranker_(scorer_.options()),
        detector_learning_(detectors_.parameters()),
        ranker_learning_(ranker_.parameters()),
        average_(copy_values(ranker_.parameters())) {
    const int64_t asked = learner.options.train.ranking_steps;
    steps_ = asked > 0 ? asked : kSteps;
    detector_steps_ = static_cast<int64_t>(std::ceil(kDetectorShare * static_cast<double>(steps_)));
  }

  bool go(TrainObserver& observer) {
    while (step_ < detector_steps_) {
      teach_detectors(next_batch());
      if (!tell(observer)) return false;
    }
    int64_t nodes = 0;
    while (lessons_.size() < kLessons && nodes < kLessonNodes) {
      lessons_.push_back(lesson_of(next_batch()));
      nodes += lessons_.back().batch.nodes();
      if (observer.stop_requested()) return false;
    }
    while (step_ < steps_) {
      core::Rng rng({seed_, kStream, static_cast<uint64_t>(step_)});
      teach_ranker(lessons_[static_cast<std::size_t>(rng.below(static_cast<int64_t>(lessons_.size())))]);
      if (!tell(observer)) return false;
    }
    assign_values(ranker_.parameters(), average_);
    scorer_.take(detectors_, ranker_);
    return true;
  }

 private:
  /// A batch, and what the ranker is to say of it.
  struct Lesson {
    batch::Batch batch;
    at::Tensor features;        // of its nodes
    at::Tensor scores, weight;  // [nodes of the anchors, tasks], [nodes of the anchors, 1]
  };

  /// False where the observer asks to stop.
  bool tell(TrainObserver& observer) {
    ++step_;
    observer.on_ranking({step_, steps_, mean_loss(false), mean_loss(true)});
    return !observer.stop_requested();
  }

  batch::Batch next_batch() {
    std::optional<batch::Batch> batch;
    if (epoch_ > 0) batch = loader_.next();
    if (!batch) {
      loader_.start_epoch(epoch_++, 0);
      batch = loader_.next();
    }
    return batch::with_own_columns(*batch, columns_);
  }

  static batch::LoaderOptions ranking_loader(const Learner& learner) {
    batch::LoaderOptions options = loader_options(learner, true);
    options.batch_graphs = kBatch;
    options.build.seed = core::mix(options.build.seed, kStream);
    return options;
  }

  static std::vector<Statements> statements_of(const Learner& learner) {
    std::vector<Statements> all;
    int64_t first = 0;
    for (const auto& task : learner.tasks) {
      Statements statements;
      statements.first = first;
      statements.count = network::evidence_columns(task->output());
      statements.of_graphs = task->output().statements() > 0;
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
    const double left = 1 - static_cast<double>(step_ + 1) / static_cast<double>(detector_steps_ + 1);
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
        core::Rng rng({seed_, kStream, static_cast<uint64_t>(lessons_.size()), static_cast<uint64_t>(point),
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

  /// What the ranker is taught of a task: a node's evidence and, four times, the mean around it; of mean 0 and
  /// deviation 1 in every graph.
  std::vector<double> wanted_scores(std::size_t task, const batch::Batch& batch) {
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
  Lesson lesson_of(batch::Batch batch) {
    const int64_t nodes = batch.node_offsets[batch.anchors], tasks = scorer_.tasks();
    std::vector<double> scores(static_cast<std::size_t>(nodes * tasks)), weight(static_cast<std::size_t>(nodes));
    for (int64_t k = 0; k < tasks; ++k) {
      const std::vector<double> own = wanted_scores(static_cast<std::size_t>(k), batch);
      for (int64_t i = 0; i < nodes; ++i) scores[i * tasks + k] = own[i];
    }
    for (int32_t g = 0; g < batch.anchors; ++g) {
      const int32_t first = batch.node_offsets[g], last = batch.node_offsets[g + 1];
      std::fill(weight.begin() + first, weight.begin() + last, 1.0 / (last - first));
    }
    const at::Tensor features = detectors_.features(batch);
    const auto rows = [&](const std::vector<double>& values, int64_t width) {
      return at::tensor(values, at::kDouble).view({nodes, width}).to(features.scalar_type());
    };
    return {std::move(batch), features, rows(scores, tasks), rows(weight, 1)};
  }

  void teach_ranker(const Lesson& lesson) {
    const at::Tensor scores = ranker_.forward(lesson.batch, lesson.features).narrow(0, 0, lesson.scores.size(0));
    const at::Tensor loss = ((scores - lesson.scores).square() * lesson.weight).sum() /
                            static_cast<double>(lesson.batch.anchors * scorer_.tasks());
    const double left = static_cast<double>(steps_ - step_) / static_cast<double>(steps_ + 1 - detector_steps_);
    ranker_learning_.step(loss, kRankerRate * std::min(1.0, 2 * left));
    update_average(average_, ranker_.parameters(), kDecay, ranker_learning_.steps(), 1);
  }

  Learner& learner_;
  const BoundData& bound_;
  const batch::OwnColumns columns_;
  const uint64_t seed_;
  batch::Loader loader_;
  std::vector<Statements> statements_;  // per task
  models::Scorer& scorer_;
  models::Detectors detectors_;
  models::Ranker ranker_;
  Learning detector_learning_, ranker_learning_;
  std::vector<at::Tensor> average_;  // of the ranker
  std::vector<Lesson> lessons_;
  int64_t epoch_ = 0, step_ = 0, steps_ = 0, detector_steps_ = 0;
};

}  // namespace

void make_scorer(Learner& learner) {
  models::RelevanceOptions options;
  options.columns = batch::own_columns(learner.features);
  options.shape = network::relevance_shape(options.columns.width, learner.outputs);
  options.type = learner.model->parameters().type();
  options.seed = core::mix(static_cast<uint64_t>(learner.options.train.seed), kStream);
  learner.model->use_scorer(std::make_shared<models::Scorer>(options));
}

bool train_scorer(Learner& learner, const BoundData& bound, const data::View& train, TrainObserver& observer) {
  return RankingRun(learner, bound, train).go(observer);
}

}  // namespace dotin::training
