#include "dotin/batch/loader.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "dotin/core/error.h"
#include "dotin/core/random.h"

namespace dotin::batch {

namespace {

/// Twice as many batches are ready ahead of use, and when so few are left the worker is woken to build more: waking it
/// for every single one takes as long as a batch of small graphs. Of batches with more entries than these it is one,
/// for they take memory.
constexpr std::size_t kFewBatches = 2, kEntriesOfLargeBatch = 100'000;

}  // namespace

std::vector<std::vector<int64_t>> plan_epoch(const data::View& view, const LoaderOptions& options, int64_t epoch) {
  DOTIN_CHECK(options.batch_graphs > 0 || options.node_edge_budget > 0,
              "a batch needs a size: at least 1 graph (got {}), or a budget of nodes and edges (got {})",
              options.batch_graphs, options.node_edge_budget);
  std::vector<int64_t> order(static_cast<std::size_t>(view.size()));
  std::iota(order.begin(), order.end(), int64_t{0});
  if (options.shuffle) core::Rng({options.build.seed, static_cast<uint64_t>(epoch)}).shuffle(order);

  const int64_t copies = options.build.triplets ? 3 : 1;
  std::vector<std::vector<int64_t>> plan;
  int64_t used = 0;
  for (const int64_t position : order) {
    int64_t cost = 0;
    if (options.node_edge_budget > 0) {
      const data::GraphView graph = view.get(position);
      cost = copies * (graph.nodes + graph.directed_edges());
    }
    const bool full = plan.empty() ||
                      (options.batch_graphs > 0 && static_cast<int64_t>(plan.back().size()) >= options.batch_graphs) ||
                      (options.node_edge_budget > 0 && used + cost > options.node_edge_budget);
    if (full) {
      plan.emplace_back();
      used = 0;
    }
    plan.back().push_back(position);
    used += cost;
  }
  return plan;
}

class Loader::Impl {
 public:
  Impl(data::View view, std::shared_ptr<const data::FeatureEncoder> encoder, LoaderOptions options)
      : view_(std::move(view)), encoder_(std::move(encoder)), options_(std::move(options)) {
    plan_ = plan_epoch(view_, options_, 0);
  }

  ~Impl() { stop_worker(); }

  void start_epoch(int64_t epoch, int64_t skip_batches) {
    DOTIN_CHECK(epoch >= 0 && skip_batches >= 0, "cannot start epoch {} after {} batches: both count from 0", epoch,
                skip_batches);
    stop_worker();
    started_ = false;
    ready_.clear();
    failure_ = nullptr;
    stop_ = false;
    plan_ = plan_epoch(view_, options_, epoch);
    options_.build.epoch = epoch;
    next_ = static_cast<std::size_t>(std::min(skip_batches, static_cast<int64_t>(plan_.size())));
    if (options_.prefetch && next_ < plan_.size()) worker_ = std::thread([this, from = next_] { work(from); });
    started_ = true;
  }

  std::optional<Batch> next() {
    DOTIN_CHECK(started_, "no batch before start_epoch");
    if (next_ >= plan_.size()) return std::nullopt;
    // A batch that cannot be built stays the next one: asking again fails again, with or without a worker.
    std::optional<Batch> batch = options_.prefetch ? wait_for_ready() : build(next_);
    ++next_;
    return batch;
  }

  int64_t batches_per_epoch() const { return static_cast<int64_t>(plan_.size()); }
  const data::View& view() const { return view_; }

 private:
  Batch build(std::size_t number) const {
    std::vector<int64_t> graphs;
    for (const int64_t position : plan_[number]) {
      graphs.push_back(view_.indices()[static_cast<std::size_t>(position)]);
    }
    return build_batch(view_.dataset(), *encoder_, graphs, options_.build);
  }

  Batch wait_for_ready() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !ready_.empty() || failure_; });
    if (ready_.empty()) std::rethrow_exception(failure_);
    Batch batch = std::move(ready_.front());
    ready_.pop_front();
    const bool few = ready_.size() <= few_batches();
    lock.unlock();
    if (few) changed_.notify_all();
    return batch;
  }

  void work(std::size_t from) {
    for (std::size_t number = from; number < plan_.size(); ++number) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        if (ready_.size() >= 2 * few_batches()) {
          changed_.wait(lock, [this] { return stop_ || ready_.size() <= few_batches(); });
        }
        if (stop_) return;
      }
      std::optional<Batch> batch;
      std::exception_ptr failure;
      try {
        batch = build(number);
      } catch (...) {
        failure = std::current_exception();
      }
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (batch) ready_.push_back(std::move(*batch));
        failure_ = failure;
      }
      changed_.notify_all();
      if (failure) return;
    }
  }

  std::size_t few_batches() const {
    return !ready_.empty() && ready_.back().neighbours.size() > kEntriesOfLargeBatch ? 1 : kFewBatches;
  }

  void stop_worker() {
    if (!worker_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  const data::View view_;
  const std::shared_ptr<const data::FeatureEncoder> encoder_;
  // Written only while no worker runs.
  LoaderOptions options_;
  std::vector<std::vector<int64_t>> plan_;
  // The caller's alone.
  std::size_t next_ = 0;
  bool started_ = false;
  // Shared with the worker, under the mutex.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> ready_;
  std::exception_ptr failure_;
  bool stop_ = false;
  std::thread worker_;
};

Loader::Loader(data::View view, std::shared_ptr<const data::FeatureEncoder> encoder, LoaderOptions options)
    : impl_(std::make_unique<Impl>(std::move(view), std::move(encoder), std::move(options))) {}

Loader::~Loader() = default;

void Loader::start_epoch(int64_t epoch, int64_t skip_batches) { impl_->start_epoch(epoch, skip_batches); }

std::optional<Batch> Loader::next() { return impl_->next(); }

int64_t Loader::batches_per_epoch() const { return impl_->batches_per_epoch(); }

const data::View& Loader::view() const { return impl_->view(); }

}  // namespace dotin::batch
