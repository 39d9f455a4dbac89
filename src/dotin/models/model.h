// The model: input map, layers that drop nodes between them, a read-out (one virtual node per task, or one embedding
// for all), and one head per task.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/drop/pool.h"
#include "dotin/kernels/fused_layer.h"
#include "dotin/layers/backbone.h"
#include "dotin/models/layer_clock.h"
#include "dotin/models/relevance.h"
#include "dotin/network/choose.h"
#include "dotin/network/head.h"
#include "dotin/network/model_options.h"
#include "dotin/network/trace.h"
#include "dotin/ops/fused_network.h"
#include "dotin/readout/readout.h"

namespace dotin::models {

/// random_key is that of dropout, too.
struct ForwardOptions : network::PassChoice {
  bool training = false;  // dropout
  bool trace = false;
  kernels::Savings savings;  // of the fused engine; all, but to measure what one of them is worth
  int64_t parts = 0;         // of the fused engine: that a batch is cut into, one per thread; 0: as many as pay
};

struct Forward {
  std::vector<at::Tensor> embeddings;      // per task: x_{g_k}, [graphs, D]; without virtual nodes the same for all
  std::vector<at::Tensor> outputs;         // per task: [graphs, width]
  at::Tensor auxiliary;                    // what the drop method adds to the objective; undefined where nothing
  std::vector<network::LayerTrace> trace;  // per layer, if asked for; none where the method chooses no nodes
  std::vector<double> layer_seconds;       // per layer; on other devices only what it took to ask for it
};

class Model {
 public:
  /// input_width: F. Throws core::UsageError for options that make no sense together.
  Model(const network::ModelOptions& options, int64_t input_width, std::vector<network::Head> heads, uint64_t seed);

  Forward forward(const batch::Batch& batch, const ForwardOptions& options) const;

  /// Where nodes are ranked by relevance (options().ranking), what ranks them; forward needs it.
  void use_scorer(std::shared_ptr<Scorer> scorer) { scorer_ = std::move(scorer); }
  Scorer* scorer() const { return scorer_.get(); }

  const network::ModelOptions& options() const { return options_; }
  const std::vector<network::Head>& heads() const { return heads_; }
  int64_t tasks() const { return static_cast<int64_t>(heads_.size()); }
  int64_t input_width() const { return input_width_; }
  layers::ParameterSet& parameters() { return parameters_; }
  const layers::ParameterSet& parameters() const { return parameters_; }

 private:
  struct Rows;
  /// forward() once it is known who chooses.
  Forward run(const batch::Batch& batch, const ForwardOptions& options) const;
  /// Whether the fused engine runs, which is of the CPU.
  bool fused() const;
  void make_pooling();
  at::Tensor reference_forward(const batch::Batch& batch, const ForwardOptions& options, Forward& result) const;
  /// Without virtual nodes: one embedding per graph.
  at::Tensor pooled_forward(const batch::Batch& batch, const ForwardOptions& options, Forward& result) const;
  /// The rows that leave a layer, before anything is pooled.
  at::Tensor pooled_layer(int64_t layer, const drop::PoolLevel& level, const ForwardOptions& options) const;
  at::Tensor read_once(drop::PoolLevel level, const batch::Batch& batch, const ForwardOptions& options,
                       LayerClock& clock, Forward& result) const;
  at::Tensor fused_forward(const batch::Batch& batch, const ForwardOptions& options, Forward& result) const;
  /// None outside of training. A layer draws with its number.
  kernels::Dropout dropout(const ForwardOptions& options) const;
  /// The linear map of the method, with norm, ELU, gate, dropout and residual. x: the layer's input of the same rows.
  /// gate [rows, 1]: undefined for none.
  at::Tensor next_rows(int64_t layer, const at::Tensor& h, const at::Tensor& x, const at::Tensor& gate,
                       const ForwardOptions& options) const;
  void layer_forward(int64_t layer, Rows& rows, const batch::Batch& batch, const ForwardOptions& options,
                     Forward& result) const;
  void drop_and_merge(int64_t layer, Rows& rows, at::Tensor& h, const at::Tensor& logits, const batch::Batch& batch,
                      const ForwardOptions& options, network::LayerTrace& trace) const;

  network::ModelOptions options_;
  int64_t input_width_;
  std::vector<network::Head> heads_;
  layers::ParameterSet parameters_;
  std::unique_ptr<layers::Backbone> backbone_;
  std::unique_ptr<drop::Pool> pool_;           // without virtual nodes
  std::unique_ptr<readout::Readout> readout_;  // without
  ops::reference::EdgeWeights edge_weights_;
  ops::FusedNetwork fused_network_;
  std::shared_ptr<Scorer> scorer_;
};

}  // namespace dotin::models
