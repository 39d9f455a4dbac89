#include "dotin/training/ranking.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dotin/batch/part.h"
#include "dotin/core/random.h"
#include "dotin/kernels/select.h"
#include "dotin/models/relevance.h"
#include "dotin/ops/values.h"
#include "dotin/training/optimizer.h"
#include "dotin/training/trainer.h"

namespace dotin::training {

namespace {

// How the two are trained (docs/experiments.md says what else was tried).
constexpr int64_t kBatch = 32, kLeastSteps = 1500, kLeastEpochs = 30;
constexpr double kJudgeRate = 2e-3, kScorerRate = 3e-3, kWeightDecay = 0.01, kClip = 2, kDecay = 0.99;
constexpr double kScorerStart = 0.25;             // share of the steps that only the judge learns in
constexpr double kWhole = 0.2;                    // share of the graphs that are shown whole
constexpr double kLargestDrop = 0.95;             // of a part
constexpr double kIndependent = 0.5;              // share of the graphs whose parts are drawn node by node
constexpr int64_t kLeastHops = 3, kMostHops = 8;  // others: noise averaged over so many hops
constexpr double kCut = 2;                        // of worth
constexpr double kLeastShare = 0.2;               // parts from this to 1 minus this tell the scorer something
// The largest drop rises by one over these shares of the steps: fast once the judge is a tenth better than blind.
constexpr double kFastRise = 0.3, kSlowRise = 0.8, kGainForFast = 0.1;
constexpr uint64_t kStream = 0x72616e6b;  // keeps its random numbers apart from those of others

/// Two parts of every graph: the k nodes with the largest values of a random field, and the k with the smallest.
struct Pair {
  std::vector<uint8_t> high, low;  // per node of the batch: 1 if it is in the part
  std::vector<double> share;       // per anchor: of its nodes that a part has
};

/// Noise, averaged `hops` times over a node and its neighbours: parts drawn by it hang together, the more the larger
/// hops is. Of equal values another draw decides.
std::vector<double> random_field(const batch::Batch& batch, int32_t graph, int64_t hops, core::Rng& rng) {
  const int32_t first = batch.node_offsets[graph], nodes = batch.node_offsets[graph + 1] - first;
  std::vector<double> field(static_cast<std::size_t>(nodes)), sums(field.size());
  for (double& value : field) value = rng.normal();
  for (int64_t hop = 0; hop < hops; ++hop) {
    for (int32_t i = 0; i < nodes; ++i) {
      const int32_t begin = batch.row_offsets[first + i], end = batch.row_offsets[first + i + 1];
      double sum = field[i];
      for (int32_t e = begin; e < end; ++e) sum += field[batch.neighbours[e] - first];
      sums[i] = sum / (1 + end - begin);
    }
    std::swap(field, sums);
  }
  for (double& value : field) value += 1e-6 * rng.normal();
  return field;
}

/// Edited copies of an anchor have the same parts.
Pair random_pair(const batch::Batch& batch, double largest_drop, uint64_t key) {
  Pair pair;
  pair.high.assign(static_cast<std::size_t>(batch.nodes()), 0);
  pair.low = pair.high;
  for (int32_t g = 0; g < batch.anchors; ++g) {
    core::Rng rng({key, static_cast<uint64_t>(g)});
    const int64_t hops = rng.chance(kIndependent) ? 0 : kLeastHops + rng.below(kMostHops - kLeastHops + 1);
    const double drop = rng.chance(kWhole) ? 0 : largest_drop * rng.uniform();
    const std::vector<double> field = random_field(batch, g, hops, rng);
    const auto nodes = static_cast<int64_t>(field.size());
    const int64_t kept = nodes - kernels::drop_count(nodes, drop);
    std::vector<int32_t> order(field.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return field[a] > field[b]; });
    for (int32_t copy = g; copy < batch.graphs(); copy += batch.anchors) {
      const int32_t first = batch.node_offsets[copy];
      for (int64_t i = 0; i < kept; ++i) {
        pair.high[first + order[i]] = 1;
        pair.low[first + order[nodes - 1 - i]] = 1;
      }
    }
    pair.share.push_back(nodes == 0 ? 1 : static_cast<double>(kept) / static_cast<double>(nodes));
  }
  return pair;
}

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

/// Evens out how far worth differs between the parts of a graph, by kind of graph: where the lack of one class's
/// pattern tells the other class, the nodes of that class's own pattern would hardly count.
class Spread {
 public:
  explicit Spread(std::size_t kinds) : square_(kinds, 1.0) {}

  /// Scales the differences of graphs of these kinds; NaN is passed over.
  void even_out(const std::vector<std::size_t>& kinds, std::vector<double>& differences) {
    std::vector<double> sum(square_.size(), 0), count(square_.size(), 0);
    for (std::size_t g = 0; g < kinds.size(); ++g) {
      if (std::isnan(differences[g])) continue;
      sum[kinds[g]] += differences[g] * differences[g];
      ++count[kinds[g]];
    }
    double mean = 0;
    for (std::size_t c = 0; c < square_.size(); ++c) {
      if (count[c] > 0) square_[c] += kFade * (sum[c] / count[c] - square_[c]);
      mean += square_[c] / static_cast<double>(square_.size());
    }
    for (std::size_t g = 0; g < kinds.size(); ++g)
      differences[g] *= std::sqrt(mean / std::max(square_[kinds[g]], 1e-3));
  }

 private:
  static constexpr double kFade = 0.02;
  std::vector<double> square_;  // running means
};

class ScorerRun {
 public:
  ScorerRun(Learner& learner, const BoundData& bound, const data::View& train)
      : learner_(learner),
        bound_(bound),
        columns_(batch::own_columns(learner.features)),
        seed_(static_cast<uint64_t>(learner.options.train.seed)),
        loader_(train, bound.encoder, ranking_loader(learner)),
        judge_({columns_, learner.model->parameters().type(), core::mix(seed_, kStream)}, judge_heads(learner)),
        scorer_(*learner.model->scorer()),
        judge_learning_(judge_.parameters()),
        scorer_learning_(scorer_.parameters()),
        average_(copy_values(scorer_.parameters())) {
    const int64_t batches = loader_.batches_per_epoch();
    const int64_t asked = learner.options.train.ranking_steps;
    for (const auto& task : learner.tasks)
      spread_.emplace_back(task->spec().kind == "classify" ? task->output().width(models::Judge::kHidden) : 1);
    steps_ = asked > 0 ? asked : std::max(kLeastSteps, kLeastEpochs * batches);
  }

  bool go(TrainObserver& observer) {
    for (int64_t epoch = 0; step_ < steps_; ++epoch) {
      loader_.start_epoch(epoch, 0);
      while (std::optional<batch::Batch> batch = loader_.next()) {
        if (++step_ > steps_) break;
        step(batch::with_own_columns(*batch, columns_));
        observer.on_ranking({step_, steps_, whole_loss_, blind_loss_});
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

  static std::vector<network::Head> judge_heads(const Learner& learner) {
    std::vector<network::Head> heads;
    for (const auto& task : learner.tasks)
      heads.push_back({task->name(), task->output().width(models::Judge::kHidden)});
    return heads;
  }

  double share_left() const { return 1 - static_cast<double>(step_) / static_cast<double>(steps_ + 1); }

  /// Per task, of every anchor.
  std::vector<at::Tensor> losses(const std::vector<at::Tensor>& outputs, const batch::Batch& batch) const {
    std::vector<at::Tensor> result;
    for (std::size_t k = 0; k < learner_.tasks.size(); ++k)
      result.push_back(learner_.tasks[k]->graph_losses(outputs[k], batch, bound_.targets[k]));
    return result;
  }

  /// The mean over the tasks and the graphs that have a target; 0 where none has.
  static at::Tensor mean_of(const std::vector<at::Tensor>& losses) {
    at::Tensor total;
    for (const at::Tensor& loss : losses) {
      const at::Tensor known = loss.isnan().logical_not().nonzero().squeeze(1);
      const at::Tensor mean = loss.index_select(0, known).sum() / std::max<int64_t>(1, known.size(0));
      total = total.defined() ? total + mean : mean;
    }
    return total / static_cast<double>(losses.size());
  }

  void step(const batch::Batch& batch) {
    const uint64_t key = core::mix(core::mix(seed_, kStream), static_cast<uint64_t>(step_));
    const Pair pair = random_pair(batch, kLargestDrop * rise_, key);
    const batch::Batch high = batch::part_of(batch, pair.high), low = batch::part_of(batch, pair.low);
    const std::vector<at::Tensor> of_high = losses(judge_.forward(high), high),
                                  of_low = losses(judge_.forward(low), low),
                                  of_none = losses(judge_.forward_blind(batch.graphs()), batch);
    const at::Tensor blind = mean_of(of_none);
    raise_drop(pair, of_high, blind.item<double>());
    judge_learning_.step((mean_of(of_high) + mean_of(of_low)) / 2 + blind,
                         kJudgeRate * std::min(1.0, 4 * share_left()));
    if (static_cast<double>(step_) > kScorerStart * static_cast<double>(steps_)) score(batch, pair, of_high, of_low);
  }

  /// Parts become smaller as the judge learns to tell whole graphs, or as time goes by.
  void raise_drop(const Pair& pair, const std::vector<at::Tensor>& of_high, double blind) {
    double sum = 0, count = 0;
    for (const at::Tensor& loss : of_high) {
      const std::vector<double> values = ops::to_doubles(loss);
      for (std::size_t g = 0; g < values.size(); ++g) {
        if (pair.share[g] < 1 || std::isnan(values[g])) continue;
        sum += values[g];
        ++count;
      }
    }
    const double fresh = step_ == 1 ? 1 : 0.05;
    blind_loss_ += fresh * (blind - blind_loss_);
    if (count > 0) whole_loss_ += fresh * (sum / count - whole_loss_);
    const double gain = blind_loss_ > 0 ? std::max(0.0, 1 - whole_loss_ / blind_loss_) : 0;
    const auto steps = static_cast<double>(steps_);
    rise_ += std::max(1 / (kSlowRise * steps), std::min(1.0, gain / kGainForFast) / (kFastRise * steps));
    rise_ = std::min(1.0, rise_);
  }

  /// The class of every anchor, where task k has classes; else 0.
  std::vector<std::size_t> kinds_of(const batch::Batch& batch, int64_t k) const {
    std::vector<std::size_t> kinds(static_cast<std::size_t>(batch.anchors), 0);
    if (learner_.tasks[k]->spec().kind != "classify") return kinds;
    for (int32_t g = 0; g < batch.anchors; ++g) {
      const double label = bound_.targets[k].values[static_cast<std::size_t>(batch.graph_index[g])];
      if (!std::isnan(label)) kinds[g] = static_cast<std::size_t>(label);
    }
    return kinds;
  }

  /// How sure of the truth a loss is, as the log-odds of p = exp(-loss).
  static at::Tensor worth(const at::Tensor& loss) {
    return (-loss.detach().expm1().clamp_min(1e-6).log()).clamp(-kCut, kCut);
  }

  /// One step towards s_ik = E[worth | i in the part] - E[worth | i not in it], by the difference of the two parts.
  void score(const batch::Batch& batch, const Pair& pair, const std::vector<at::Tensor>& of_high,
             const std::vector<at::Tensor>& of_low) {
    const int64_t nodes = batch.node_offsets[batch.anchors], tasks = scorer_.tasks();
    std::vector<double> curve(static_cast<std::size_t>(nodes * tasks)), slope(curve.size());
    for (int64_t k = 0; k < tasks; ++k) {
      const std::vector<double> high = ops::to_doubles(worth(of_high[k])), low = ops::to_doubles(worth(of_low[k]));
      std::vector<double> more;  // NaN where nothing can be told
      for (std::size_t g = 0; g < high.size(); ++g) {
        const bool tells = pair.share[g] >= kLeastShare && pair.share[g] <= 1 - kLeastShare;
        more.push_back(tells ? (high[g] - low[g]) / 2 : std::nan(""));
      }
      spread_[k].even_out(kinds_of(batch, k), more);
      for (int32_t g = 0; g < batch.anchors; ++g) {
        if (std::isnan(more[g])) continue;
        for (int64_t i = batch.node_offsets[g]; i < batch.node_offsets[g + 1]; ++i) {
          curve[i * tasks + k] = 4 * pair.share[g] * (1 - pair.share[g]);
          slope[i * tasks + k] = 4 * more[g] * (pair.high[i] - pair.low[i]);
        }
      }
    }
    const at::Tensor scores = scorer_.forward(batch).narrow(0, 0, nodes);
    const auto rows = [&](const std::vector<double>& values) {
      return at::tensor(values, at::kDouble).view({nodes, tasks}).to(scores.scalar_type());
    };
    const at::Tensor loss = (rows(curve) * scores.square() - rows(slope) * scores).mean();
    scorer_learning_.step(loss, kScorerRate * std::min(1.0, 2 * share_left()));
    update_average(average_, scorer_.parameters(), kDecay, scorer_learning_.steps(), 1);
  }

  Learner& learner_;
  const BoundData& bound_;
  const batch::OwnColumns columns_;
  const uint64_t seed_;
  batch::Loader loader_;
  models::Judge judge_;
  models::Scorer& scorer_;
  Learning judge_learning_, scorer_learning_;
  std::vector<at::Tensor> average_;
  std::vector<Spread> spread_;  // per task
  int64_t step_ = 0, steps_ = 0;
  double rise_ = 0, whole_loss_ = 0, blind_loss_ = 0;
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
  return ScorerRun(learner, bound, train).go(observer);
}

}  // namespace dotin::training
