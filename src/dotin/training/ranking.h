// Learns which nodes matter, before the model is trained: docs/method.md, "Ranking by relevance".
#pragma once

#include "dotin/training/evaluate.h"

namespace dotin::training {

class TrainObserver;

/// A scorer with fresh weights for the learner's model, which uses it from then on.
void make_scorer(Learner& learner);

/// Trains the scorer of the learner's model on the training graphs. Same data, options and thread count: same bits.
/// False if the observer asked to stop before the end; the scorer is then of no use.
bool train_scorer(Learner& learner, const BoundData& bound, const data::View& train, TrainObserver& observer);

}  // namespace dotin::training
