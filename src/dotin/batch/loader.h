// Batches of a view, epoch after epoch, the next one prepared while the current one is used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dotin/batch/batch.h"

namespace dotin::batch {

struct LoaderOptions {
  int64_t batch_graphs = 8;  // graphs (with triplets: anchors) a batch; the last one of an epoch may be smaller
  /// Above 0: fill a batch until nodes + directed edges (with triplets: of all three graphs) would pass this, at least
  /// one graph each, and at most batch_graphs if that is positive.
  int64_t node_edge_budget = 0;
  bool shuffle = true;   // by (seed, epoch) alone: the same order whatever the thread count
  bool prefetch = true;  // build the next batch in a thread of its own
  BuildOptions build;    // its epoch is set by the loader; its seed also shuffles
};

/// Positions of the view, cut into batches, for one epoch. What a Loader follows; public so that a resumed run can skip
/// ahead.
std::vector<std::vector<int64_t>> plan_epoch(const data::View& view, const LoaderOptions& options, int64_t epoch);

/// To be used from one thread.
class Loader {
 public:
  Loader(data::View view, std::shared_ptr<const data::FeatureEncoder> encoder, LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Starts an epoch (from 0), skipping its first batches if asked. May be called before the last one is used up.
  void start_epoch(int64_t epoch, int64_t skip_batches = 0);
  /// The next batch, or nothing at the end of the epoch. Rethrows what building it threw.
  std::optional<Batch> next();
  /// Of the epoch started last (before the first: epoch 0). With a budget and shuffling it differs between epochs.
  int64_t batches_per_epoch() const;
  const data::View& view() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dotin::batch
