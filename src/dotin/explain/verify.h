// Can explanations be believed? What a model says of a graph without the nodes it kept, or with nothing but those,
// against as many others.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dotin/explain/predict.h"

namespace dotin::explain {

/// A mean over graphs with the middle 95% of its bootstrap distribution.
struct Interval {
  double mean = 0, low = 0, high = 0;
};

/// Which nodes were taken: those that stayed to the end, as many of the dropped ones at random (all, where there are
/// fewer), or as many of all nodes at random.
enum class Taken { kept, dropped, random };
inline constexpr std::array<const char*, 3> kTakenNames = {"kept", "dropped", "random"};

/// Fidelity as Yuan et al. (2022) define it, of the model's own prediction: network::Output::change between the output
/// for the whole graph and the output for the masked one.
struct Fidelity {
  std::string task;
  std::array<Interval, 3> plus;   // by Taken: without these nodes. High: they were needed
  std::array<Interval, 3> minus;  // by Taken: with these nodes only. Low: they suffice
  Interval plus_gain;             // kept minus random, graph by graph. Above 0: better than chance
  Interval minus_gain;            // random minus kept. Above 0: better than chance
};

/// How well the nodes left after a layer match the planted ones of a target, mean over the graphs that have any.
struct PlantedMatch {
  std::string target;
  int64_t layer = 0;
  Interval precision;  // of the nodes left, the share that is planted
  Interval recall;     // of the planted nodes, the share that is left
  double chance_precision = 0, chance_recall = 0;
};

struct Verification {
  int64_t graphs = 0;  // that fidelity is of
  int64_t left_out =
      0;  // nothing kept as a node of its own, or nothing dropped: a mask would leave no node, or take none
  std::vector<Fidelity> fidelity;     // per task
  std::vector<PlantedMatch> planted;  // on generated data: per target and layer that may drop
};

/// Masking takes nodes and their edges out of the graph before the forward pass; dropping then goes on as usual.
/// The same seed draws the same nodes and resamples.
Verification verify(const network::Predictor& predictor, data::UnknownLabels unknown, const data::View& view,
                    uint64_t seed, core::Progress& progress);

/// Mean of the values and the middle 95% of the means of 1,000 resamples; NaN where there is none.
Interval bootstrap(const std::vector<double>& values, uint64_t seed);

}  // namespace dotin::explain
