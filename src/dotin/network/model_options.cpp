#include "dotin/network/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dotin/core/error.h"
#include "dotin/network/backbones.h"
#include "dotin/network/drop_methods.h"
#include "dotin/network/readouts.h"

namespace dotin::network {

namespace {

int64_t clusters_left(double nodes, double drop_ratio) {
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(nodes * (1 - drop_ratio) - 1e-9)));
}

}  // namespace

void ModelOptions::describe(core::OptionVisitor& v) {
  v.group("Model");
  v.visit({"backbone", "how neighbours are aggregated"}, backbone);
  v.visit({"hidden", "hidden dimension D", {}}, hidden);
  v.visit({"layers", "number of layers L", {}}, layers);
  v.visit({"attention_dim", "columns A of the query and key maps; 0: max(16, hidden/8), -1: hidden", {}},
          attention_dim);
  v.visit({"temperature", "tau that divides attention logits; 0: sqrt(attention_dim), -1: attention_dim", {}},
          temperature);
  v.visit({"drop", "what leaves the graph between layers"}, drop);
  v.visit(
      {"ranking",
       "drop dotin: what ranks nodes; the attention of every layer, or relevance, learned before the model is from the "
       "evidence for every class"},
      ranking);
  v.visit({"drop_ratio",
           "share of the nodes dropped after each layer: one number, or one per layer; after the last layer only gpool "
           "and sagpool drop",
           {}},
          drop_ratio);
  v.visit({"merge", "one new node stands for the dropped ones (the paper's \"with pooling\")", {}}, merge);
  v.visit({"attentiveness", "score a node by itself, by what it has aggregated, or by both"}, attentiveness);
  v.visit({"residual", "add each row's input to its output", {}}, residual);
  v.visit({"norm", "normalisation before the activation"}, norm);
  v.visit(
      {"gate",
       "scale rows by 1 + tanh(attentiveness logit), the mean over tasks, so that the choice of nodes gets a gradient",
       {}},
      gate);
  v.visit({"edge_weights",
           "weights of edges to a merged node: softmaxed rows that multiply logits, counts whose log is added, or 1"},
          edge_weights);
  v.visit({"merge_weights",
           "weights of the nodes within a merged node: from the softmaxed attentiveness or from its logits"},
          merge_weights);
  v.visit({"dropout", "dropout on every layer's output", {}}, dropout);
  v.visit({"task_gates",
           "gcn, gin, sage with several tasks: a learnable gate per task on the edges into its virtual node",
           {}},
          task_gates);
  v.visit({"precision", "number type of the parameters"}, precision);
  v.visit({"engine", "fused: the same numbers for far less work, or the plain reference"}, engine);
  v.visit({"readout",
           "what is read at the end; auto: virtual nodes for dotin, random and none, mean and max of every layer for "
           "gpool and sagpool, the sum for diffpool and dropgnn, the mean for mincut and lapool"},
          readout);
  v.visit({"set2set_steps", "readout set2set: steps of the LSTM", {}}, set2set_steps);
  v.visit(
      {"sort_k", "readout sortpool: nodes read; 0: so many that 60% of the training graphs have them, at least 10", {}},
      sort_k);
  v.visit({"clusters",
           "diffpool, mincut: clusters after the first layer, fewer after each other by drop_ratio; 0: what the first "
           "drop leaves of the mean number of nodes",
           {}},
          clusters);
  v.visit({"auxiliary_weight", "diffpool, mincut: weight of their own losses in the objective", {}}, auxiliary_weight);
  v.visit({"dense_limit", "diffpool, mincut: MiB that clustering one graph may take; lapool: a batch", {}},
          dense_limit);
  v.visit({"dropgnn_runs", "dropgnn: runs whose mean is read", {}}, dropgnn_runs);
  v.visit({"dropgnn_p", "dropgnn: probability that a node is left out of a run", {}}, dropgnn_p);
}

int64_t ModelOptions::attention_width() const {
  if (attention_dim == -1) return hidden;
  return attention_dim > 0 ? attention_dim : std::max<int64_t>(16, hidden / 8);
}

double ModelOptions::tau() const {
  const auto width = static_cast<double>(attention_width());
  return temperature > 0 ? temperature : temperature == 0 ? std::sqrt(width) : width;
}

double ModelOptions::drop_ratio_of(int64_t layer) const {
  const DropMethod& method = about(drop);
  if (!method.has(DropTrait::drop_ratio)) return 0;
  if (layer == layers - 1 && !method.has(DropTrait::after_last_layer)) return 0;
  if (drop_ratio.size() == 1) return drop_ratio[0];
  const auto index = static_cast<std::size_t>(layer);
  return index < drop_ratio.size() ? drop_ratio[index] : 0;
}

bool ModelOptions::runs_fused() const { return engine == Engine::fused && about(backbone).kernel.has_value(); }

Readout ModelOptions::read() const { return readout == Readout::automatic ? about(drop).readout : readout; }

int64_t ModelOptions::clusters_of(int64_t layer) const {
  int64_t count = clusters;
  for (int64_t l = 1; l <= layer; ++l) count = clusters_left(static_cast<double>(count), drop_ratio_of(l));
  return count;
}

void ModelOptions::fit(std::vector<int64_t> graph_sizes) {
  temperature = tau();
  attention_dim = attention_width();
  readout = read();
  std::sort(graph_sizes.begin(), graph_sizes.end());
  const auto graphs = static_cast<double>(graph_sizes.size());
  if (sort_k == 0 && read() == Readout::sortpool) {
    sort_k = std::max<int64_t>(10, graph_sizes[static_cast<std::size_t>(0.4 * graphs)]);
  }
  if (clusters == 0 && about(drop).has(DropTrait::clusters)) {
    const double nodes = std::accumulate(graph_sizes.begin(), graph_sizes.end(), 0.0);
    clusters = clusters_left(nodes / graphs, drop_ratio_of(0));
  }
}

void ModelOptions::validate() const {
  core::check_choices(*this);
  if (hidden < 1 || hidden > 65536) core::fail_usage("`hidden` must be from 1 to 65536, not {}", hidden);
  if (layers < 1 || layers > 64)
    core::fail_usage("`layers` must be from 1 to 64, not {}: deeper graph networks only oversmooth", layers);
  if (attention_dim < -1)
    core::fail_usage("`attention_dim` must be positive, 0 (automatic) or -1 (hidden), not {}", attention_dim);
  if (!((temperature >= 0 || temperature == -1) && std::isfinite(temperature)))
    core::fail_usage("`temperature` must be a number from 0 on, or -1, not {}", temperature);
  const auto ratios = static_cast<int64_t>(drop_ratio.size());
  if (ratios != 1 && ratios != layers && ratios != layers - 1) {
    core::fail_usage("`drop_ratio` has {} values: give one for all layers, or one for each of the {} layers", ratios,
                     layers);
  }
  for (const double value : drop_ratio) {
    if (!(value >= 0 && value < 1))
      core::fail_usage("`drop_ratio` must be in [0, 1), not {}: 0.9 drops nine nodes in ten", value);
  }
  if (!(dropout >= 0 && dropout < 1)) core::fail_usage("`dropout` must be in [0, 1), not {}", dropout);
  validate_method();
}

void ModelOptions::validate_method() const {
  const DropMethod& method = about(drop);
  const Readout reads = read();
  if (has_virtual_nodes() && !method.has(DropTrait::virtual_nodes)) {
    core::fail_usage("`drop` {} with `readout` virtual: it has no virtual nodes; leave `readout` out for its own ({})",
                     method.name, about(method.readout).name);
  }
  if (drop == Drop::dotin && !has_virtual_nodes()) {
    core::fail_usage(
        "`drop` dotin with `readout` {}: the virtual nodes that choose what to drop learn from being read; use "
        "`readout` virtual, or `drop` random or none",
        about(reads).name);
  }
  if (about(reads).all_layers_by_node && !method.has(DropTrait::every_node)) {
    core::fail_usage(
        "`readout` {} with `drop` {}: it reads every node in all layers, and nodes leave between them; use `drop` none "
        "or dropgnn, or another read-out",
        about(reads).name, method.name);
  }
  if (set2set_steps < 1 || set2set_steps > 1000) {
    core::fail_usage("`set2set_steps` must be from 1 to 1000, not {}", set2set_steps);
  }
  if (sort_k != 0 && (sort_k < 10 || sort_k > 100'000)) {
    core::fail_usage("`sort_k` must be 0 (automatic) or from 10, which its filters need, to 100000, not {}", sort_k);
  }
  if (clusters < 0 || clusters > 65536) {
    core::fail_usage("`clusters` must be 0 (automatic) or from 1 to 65536, not {}", clusters);
  }
  if (!(auxiliary_weight >= 0 && std::isfinite(auxiliary_weight))) {
    core::fail_usage("`auxiliary_weight` must be a number from 0 on, not {}", auxiliary_weight);
  }
  if (dense_limit < 1) core::fail_usage("`dense_limit` is in MiB and must be at least 1, not {}", dense_limit);
  if (dropgnn_runs < 1 || dropgnn_runs > 10'000) {
    core::fail_usage("`dropgnn_runs` must be from 1 to 10000, not {}", dropgnn_runs);
  }
  if (!(dropgnn_p >= 0 && dropgnn_p < 1)) core::fail_usage("`dropgnn_p` must be in [0, 1), not {}", dropgnn_p);
}

std::vector<std::string> ModelOptions::without_effect() const {
  const DropMethod& method = about(drop);
  std::vector<std::string> names;
  const auto unless = [&](bool used, std::initializer_list<const char*> options) {
    if (!used) names.insert(names.end(), options.begin(), options.end());
  };
  unless(method.has(DropTrait::drop_ratio) || read() == Readout::sagpool, {"drop_ratio"});
  unless(drop == Drop::dotin, {"ranking"});
  unless(has_virtual_nodes(), {"attentiveness", "gate"});
  unless(has_virtual_nodes() && drop != Drop::none, {"merge", "edge_weights", "merge_weights"});
  unless(has_virtual_nodes() && backbone != Backbone::gat, {"task_gates"});
  unless(has_virtual_nodes() || backbone == Backbone::gat, {"attention_dim", "temperature"});
  unless(read() == Readout::set2set, {"set2set_steps"});
  unless(read() == Readout::sortpool, {"sort_k"});
  unless(method.has(DropTrait::clusters), {"clusters", "auxiliary_weight"});
  unless(method.has(DropTrait::clusters) || drop == Drop::lapool, {"dense_limit"});
  unless(drop == Drop::dropgnn, {"dropgnn_runs", "dropgnn_p"});
  return names;
}

}  // namespace dotin::network
