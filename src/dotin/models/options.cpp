#include "dotin/models/options.h"

#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"

namespace dotin::models {

void ModelOptions::describe(core::OptionVisitor& v) {
  v.group("Model");
  v.visit({"backbone", "how neighbours are aggregated", {"gat", "gcn", "gin", "sage"}}, backbone);
  v.visit({"hidden", "hidden dimension D", {}}, hidden);
  v.visit({"layers", "number of layers L", {}}, layers);
  v.visit({"attention_dim", "columns A of the query and key maps; 0: max(16, hidden/8), -1: hidden", {}},
          attention_dim);
  v.visit({"temperature", "tau that divides attention logits; 0: sqrt(attention_dim)", {}}, temperature);
  v.visit({"drop", "what leaves the graph between layers", {"dotin", "random", "none"}}, drop);
  v.visit({"drop_ratio",
           "share of the nodes dropped after each layer: one number, or one per layer; the last layer never drops",
           {}},
          drop_ratio);
  v.visit({"merge", "one new node stands for the dropped ones (the paper's \"with pooling\")", {}}, merge);
  v.visit(
      {"attentiveness", "score a node by itself, by what it has aggregated, or by both", {"own", "smoothed", "both"}},
      attentiveness);
  v.visit({"residual", "add each row's input to its output", {}}, residual);
  v.visit({"norm", "normalisation before the activation", {"none", "layer"}}, norm);
  v.visit({"gate", "scale rows by 1 + tanh(attentiveness logit), so that the choice of nodes gets a gradient", {}},
          gate);
  v.visit({"edge_weights",
           "weights of edges to a merged node: softmaxed rows that multiply logits, counts whose log is added, or 1",
           {"softmax", "multiplicity", "none"}},
          edge_weights);
  v.visit({"merge_weights",
           "weights of the nodes within a merged node: from the softmaxed attentiveness or from its logits",
           {"softmax", "logits"}},
          merge_weights);
  v.visit({"dropout", "dropout on every layer's output", {}}, dropout);
  v.visit({"task_gates",
           "gcn, gin, sage with several tasks: a learnable gate per task on the edges into its virtual node",
           {}},
          task_gates);
  v.visit({"precision", "number type of the parameters", {"float", "double"}}, precision);
  v.visit({"engine",
           "fused: the same numbers for far less work (gat; other backbones use the reference), or the plain reference",
           {"fused", "reference"}},
          engine);
}

int64_t ModelOptions::attention_width() const {
  if (attention_dim == -1) return hidden;
  return attention_dim > 0 ? attention_dim : std::max<int64_t>(16, hidden / 8);
}

double ModelOptions::tau() const {
  return temperature > 0 ? temperature : std::sqrt(static_cast<double>(attention_width()));
}

double ModelOptions::drop_ratio_of(int64_t layer) const {
  if (drop == "none" || layer >= layers - 1) return 0;
  return drop_ratio.size() == 1 ? drop_ratio[0] : drop_ratio[static_cast<std::size_t>(layer)];
}

void ModelOptions::validate() const {
  if (hidden < 1 || hidden > 65536) core::fail_usage("--hidden must be from 1 to 65536, not {}", hidden);
  if (layers < 1 || layers > 64)
    core::fail_usage("--layers must be from 1 to 64, not {}: deeper graph networks only oversmooth", layers);
  if (attention_dim < -1)
    core::fail_usage("--attention-dim must be positive, 0 (automatic) or -1 (hidden), not {}", attention_dim);
  if (!(temperature >= 0)) core::fail_usage("--temperature must not be negative ({})", temperature);
  const auto ratios = static_cast<int64_t>(drop_ratio.size());
  if (ratios != 1 && ratios != layers && ratios != layers - 1) {
    core::fail_usage("--drop-ratio has {} values: give one for all layers, or one for each of the {} layers", ratios,
                     layers);
  }
  for (const double value : drop_ratio) {
    if (!(value >= 0 && value < 1))
      core::fail_usage("--drop-ratio must be in [0, 1), not {}: 0.9 drops nine nodes in ten", value);
  }
  if (!(dropout >= 0 && dropout < 1)) core::fail_usage("--dropout must be in [0, 1), not {}", dropout);
}

}  // namespace dotin::models
