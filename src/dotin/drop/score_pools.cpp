#include <ATen/ATen.h>

#include <cmath>

#include "dotin/drop/level_sums.h"
#include "dotin/drop/pools.h"
#include "dotin/network/choose.h"
#include "dotin/ops/values.h"

namespace dotin::drop {

namespace {

std::string score_name(int64_t layer) { return "layers." + std::to_string(layer) + ".score.weight"; }

Pooled pooled_by(const PoolLevel& level, std::vector<uint8_t> keep, const at::Tensor& gate = {}) {
  Pooled result;
  result.level = induced(level, keep, gate);
  result.new_of_old = renumbered(keep);
  result.keep = std::move(keep);
  return result;
}

}  // namespace

Pooled ScorePool::pool(const PoolInput& input) const {
  const at::Tensor score = scores(input);
  Pooled result = pooled_by(input.level,
                            input.fixed_keep != nullptr
                                ? *input.fixed_keep
                                : network::keep_highest(ops::to_doubles(score), input.level.offsets, input.drop_ratio),
                            gate(score));
  result.scores = score;
  return result;
}

void GPool::add_parameters(layers::ParameterSet& parameters, int64_t layer) const {
  parameters.add_uniform(score_name(layer), {hidden_}, 1 / std::sqrt(static_cast<double>(hidden_)));
}

at::Tensor GPool::scores(const PoolInput& input) const {
  const at::Tensor& p = input.parameters.get("score.weight");
  return input.level.x.mv(p / p.norm());
}

at::Tensor GPool::gate(const at::Tensor& scores) const { return scores.sigmoid(); }

void SagPool::add_parameters(layers::ParameterSet& parameters, int64_t layer) const {
  parameters.add_uniform(score_name(layer), {hidden_}, 1 / std::sqrt(static_cast<double>(hidden_)));
}

at::Tensor SagPool::scores(const PoolInput& input) const {
  const at::Tensor own = input.level.x.mv(input.parameters.get("score.weight"));
  return mixed(input.level, ops::Mixing::normalised_with_loops, own);
}

at::Tensor SagPool::gate(const at::Tensor& scores) const { return scores.tanh(); }

Pooled RandomPool::pool(const PoolInput& input) const {
  return pooled_by(input.level, input.fixed_keep != nullptr
                                    ? *input.fixed_keep
                                    : network::keep_any(input.level.offsets, input.drop_ratio, input.graph_keys));
}

Pooled NoPool::pool(const PoolInput& input) const {
  Pooled result;
  result.level = input.level;
  result.keep.assign(static_cast<std::size_t>(input.level.nodes()), 1);
  result.new_of_old = renumbered(result.keep);
  return result;
}

}  // namespace dotin::drop
