#include "dotin/explain/verify.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dotin/core/random.h"
#include "dotin/data/subgraphs.h"

namespace dotin::explain {

namespace {

constexpr int kResamples = 1000;
using Masks = std::vector<std::vector<uint8_t>>;  // per graph and node: 1 for those taken

std::vector<Prediction> predictions_of(const network::Predictor& predictor, data::UnknownLabels unknown,
                                       const data::View& view, bool explain, core::Progress& progress) {
  const data::FeatureEncoder encoder(predictor.description().features, view.dataset(), unknown);
  std::vector<Prediction> all;
  predict(predictor, encoder, view, explain, progress, [&](const Prediction& one) { all.push_back(one); });
  return all;
}

/// Flags `count` of the candidates, drawn at random.
std::vector<uint8_t> draw(std::vector<int32_t> candidates, std::size_t count, std::size_t nodes, core::Rng& rng) {
  rng.shuffle(candidates);
  std::vector<uint8_t> flags(nodes, 0);
  for (std::size_t i = 0; i < std::min(count, candidates.size()); ++i)
    flags[static_cast<std::size_t>(candidates[i])] = 1;
  return flags;
}

std::array<Masks, 3> masks_of(const std::vector<Prediction>& whole, uint64_t seed) {
  std::array<Masks, 3> masks;
  for (const Prediction& prediction : whole) {
    const std::vector<int32_t>& kept = prediction.explanation.layers.back().kept;
    const std::size_t nodes = prediction.explanation.departure.size();
    core::Rng rng({seed, static_cast<uint64_t>(prediction.graph)});
    std::vector<int32_t> all(nodes);
    std::iota(all.begin(), all.end(), 0);
    std::vector<int32_t> dropped;
    std::set_difference(all.begin(), all.end(), kept.begin(), kept.end(), std::back_inserter(dropped));
    masks[0].push_back(draw(kept, kept.size(), nodes, rng));
    masks[1].push_back(draw(dropped, kept.size(), nodes, rng));
    masks[2].push_back(draw(all, kept.size(), nodes, rng));
  }
  return masks;
}

/// Per task and graph, how far the output moves when only the nodes whose flag is `stays` are left.
std::vector<std::vector<double>> changes(const network::Predictor& predictor, data::UnknownLabels unknown,
                                         const data::View& view, const std::vector<Prediction>& whole, Masks masks,
                                         uint8_t stays) {
  for (std::vector<uint8_t>& mask : masks) {
    for (uint8_t& flag : mask) flag = flag == stays ? 1 : 0;
  }
  const data::View masked(std::make_shared<const data::Dataset>(data::induced_subgraphs(view, masks)));
  core::NoProgress silent;
  const std::vector<Prediction> after = predictions_of(predictor, unknown, masked, false, silent);
  std::vector<std::vector<double>> result(predictor.description().outputs.size());
  for (std::size_t k = 0; k < predictor.description().outputs.size(); ++k) {
    for (std::size_t g = 0; g < whole.size(); ++g) {
      const std::vector<double>& before = whole[g].outputs[k];
      result[k].push_back(predictor.description().outputs[k]->change(before.data(), after[g].outputs[k].data(),
                                                                     static_cast<int64_t>(before.size())));
    }
  }
  return result;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::minus<>());
  return result;
}

std::vector<PlantedMatch> match_planted(const data::Dataset& dataset, const std::vector<Prediction>& whole,
                                        int64_t layers, uint64_t seed) {
  std::vector<PlantedMatch> result;
  for (const io::RelevantNodes& relevant : dataset.relevant) {
    for (int64_t l = 0; l + 1 < layers; ++l) {
      std::vector<double> precision, recall, chance_precision, chance_recall;
      for (const Prediction& prediction : whole) {
        const uint8_t* const flags =
            relevant.nodes.data() + dataset.node_offsets[static_cast<std::size_t>(prediction.graph)];
        const auto nodes = static_cast<double>(prediction.explanation.departure.size());
        const double planted = static_cast<double>(std::count(flags, flags + static_cast<int64_t>(nodes), 1));
        const std::vector<int32_t>& left = prediction.explanation.layers[static_cast<std::size_t>(l)].kept;
        if (planted == 0) continue;
        const auto found =
            static_cast<double>(std::count_if(left.begin(), left.end(), [&](int32_t i) { return flags[i] == 1; }));
        recall.push_back(found / planted);
        chance_recall.push_back(static_cast<double>(left.size()) / nodes);
        if (left.empty()) continue;
        precision.push_back(found / static_cast<double>(left.size()));
        chance_precision.push_back(planted / nodes);
      }
      result.push_back({relevant.target, l, bootstrap(precision, seed), bootstrap(recall, seed),
                        bootstrap(chance_precision, seed).mean, bootstrap(chance_recall, seed).mean});
    }
  }
  return result;
}

}  // namespace

Interval bootstrap(const std::vector<double>& values, uint64_t seed) {
  const auto count = static_cast<int64_t>(values.size());
  if (count == 0) return {std::nan(""), std::nan(""), std::nan("")};
  core::Rng rng(seed);
  std::vector<double> means;
  for (int r = 0; r < kResamples; ++r) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += values[static_cast<std::size_t>(rng.below(count))];
    means.push_back(sum / static_cast<double>(count));
  }
  std::sort(means.begin(), means.end());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
  return {mean, means[kResamples / 40], means[kResamples - 1 - kResamples / 40]};
}

Verification verify(const network::Predictor& predictor, data::UnknownLabels unknown, const data::View& view,
                    uint64_t seed, core::Progress& progress) {
  std::vector<Prediction> whole = predictions_of(predictor, unknown, view, true, progress);
  Verification result;
  result.planted = match_planted(view.dataset(), whole, predictor.description().options.model.layers, seed);

  const auto has_no_question = [](const Prediction& prediction) {
    const std::vector<int32_t>& kept = prediction.explanation.layers.back().kept;
    return kept.empty() || kept.size() == prediction.explanation.departure.size();
  };
  whole.erase(std::remove_if(whole.begin(), whole.end(), has_no_question), whole.end());
  result.graphs = static_cast<int64_t>(whole.size());
  result.left_out = view.size() - result.graphs;
  for (const auto& output : predictor.description().outputs) result.fidelity.emplace_back().task = output->name();
  if (whole.empty()) return result;

  std::vector<int64_t> indices;
  for (const Prediction& prediction : whole) indices.push_back(prediction.graph);
  const data::View asked(view.shared(), indices);
  const std::array<Masks, 3> masks = masks_of(whole, seed);
  std::array<std::vector<std::vector<double>>, 3> plus, minus;  // [taken][task][graph]
  for (std::size_t taken = 0; taken < 3; ++taken) {
    plus[taken] = changes(predictor, unknown, asked, whole, masks[taken], 0);
    minus[taken] = changes(predictor, unknown, asked, whole, masks[taken], 1);
    progress.update(static_cast<int64_t>(taken) + 1, 3, "masking");
  }
  constexpr auto kept = static_cast<std::size_t>(Taken::kept), random = static_cast<std::size_t>(Taken::random);
  for (std::size_t k = 0; k < predictor.description().outputs.size(); ++k) {
    Fidelity& fidelity = result.fidelity[k];
    for (std::size_t taken = 0; taken < 3; ++taken) {
      fidelity.plus[taken] = bootstrap(plus[taken][k], seed);
      fidelity.minus[taken] = bootstrap(minus[taken][k], seed);
    }
    fidelity.plus_gain = bootstrap(difference(plus[kept][k], plus[random][k]), seed);
    fidelity.minus_gain = bootstrap(difference(minus[random][k], minus[kept][k]), seed);
  }
  return result;
}

}  // namespace dotin::explain
