// What a model is and how it is trained. Names and defaults are those of the command line (docs/options.md), and the
// equations of the method are in docs/method.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dotin {

/// A set of defaults: what works best, or the literal reading of the paper.
enum class Preset { recommended, paper };

/// How a layer aggregates neighbours.
enum class Backbone { gat, gcn, gin, sage };

/// What leaves the graph between layers.
enum class Drop { dotin, random, none, gpool, sagpool, lapool, diffpool, mincut, dropgnn };

/// What is read at the end. automatic: what suits `drop`.
enum class Readout { automatic, virtual_nodes, mean, sum, max, mean_max, set2set, sortpool, sagpool };

/// What ranks nodes: the attention of every layer, or their relevance, learned before the model.
enum class Ranking { attention, relevance };

/// Whether a node is scored by itself, by what it has aggregated, or by both.
enum class Attentiveness { own, smoothed, both };

enum class Norm { none, layer };

/// Weights of edges to a merged node: softmaxed rows that multiply logits, counts whose logarithm is added, or 1.
enum class EdgeWeights { softmax, multiplicity, none };

/// Weights of the nodes within a merged node: from the softmaxed attentiveness or from its logits.
enum class MergeWeights { softmax, logits };

/// Number type of the parameters; on the command line float and double.
enum class Precision { float32, float64 };

/// The same numbers for far less work, or the plain reference.
enum class Engine { fused, reference };

/// What a node's row is where the data has no labels and no attributes.
enum class Featureless { degree, constant };

/// What becomes of edges that are listed more than once.
enum class Duplicates { merge, keep, error };

enum class GedDistance { euclidean, squared };

/// Whether embeddings are multiplied by the number of nodes before distances are taken.
enum class GedScale { nodes, none };

enum class ClassWeights { none, balanced };

/// L2 inside Adam, or decoupled (AdamW).
enum class WeightDecayKind { l2, decoupled };

/// How the learning rate falls.
enum class LrSchedule { constant, cosine, step, plateau };

enum class Device { cpu, cuda };

/// What a model is.
struct ModelOptions {
  Backbone backbone = Backbone::gat;
  int64_t hidden = 64;        // hidden dimension D
  int64_t layers = 3;         // number of layers L
  int64_t attention_dim = 0;  // columns of the query and key maps; 0: max(16, hidden / 8), -1: hidden
  double temperature = -1;    // divides attention logits; 0: sqrt(attention_dim), -1: attention_dim
  Drop drop = Drop::dotin;
  Ranking ranking = Ranking::attention;
  std::vector<double> drop_ratio = {0.5};  // share of nodes dropped after a layer: one for all, or one per layer
  bool merge = true;                       // one new node stands for the dropped ones
  Attentiveness attentiveness = Attentiveness::both;
  bool residual = true;     // a row's input is added to its output
  Norm norm = Norm::layer;  // before the activation
  bool gate = true;         // rows times 1 + tanh(score), so that the choice of nodes gets a gradient
  EdgeWeights edge_weights = EdgeWeights::multiplicity;
  MergeWeights merge_weights = MergeWeights::logits;
  double dropout = 0;      // on every layer's output
  bool task_gates = true;  // gcn, gin, sage with several tasks: a gate on the edges into virtual nodes
  Precision precision = Precision::float32;
  Engine engine = Engine::fused;
  Readout readout = Readout::automatic;
  int64_t set2set_steps = 4;    // set2set: steps of the LSTM
  int64_t sort_k = 0;           // sortpool: nodes read; 0: from the training graphs
  int64_t clusters = 0;         // diffpool, mincut: clusters of the first layer; 0: from the training graphs
  double auxiliary_weight = 1;  // diffpool, mincut: weight of their own losses
  int64_t dense_limit = 2048;   // diffpool, mincut, lapool: MiB that clustering may take
  int64_t dropgnn_runs = 8;     // dropgnn: runs whose mean is read
  double dropgnn_p = 0.1;       // dropgnn: probability that a node is left out of a run
};

/// What a node's row is made of, and how the data is split.
struct DataOptions {
  std::string data;                              // command line: path or name; of no meaning to dotin::train
  double validation = 0.1;                       // share of the graphs that choose the best epoch
  double test = 0.1;                             // command line: share kept for the final test
  int64_t folds = 10;                            // of a cross-validation
  std::vector<std::string> features = {"auto"};  // auto, or of labels, attributes, degree, degree-log, neighbours, ...
  int64_t degree_cap = 64;                       // one-hot degrees above this share a column
  bool standardize = true;                       // attributes to mean 0 and deviation 1
  Featureless featureless = Featureless::degree;
  Duplicates duplicates = Duplicates::merge;
};

/// What is learned.
struct TaskOptions {
  /// Each [NAME=]KIND[:TARGET][*WEIGHT], e.g. classify, ged, tox=multilabel:tox*0.5, regress:attributes.3
  std::vector<std::string> tasks = {"classify"};
  int64_t ged_k_p = 1;  // ged: edges substituted in the closer graph of a triplet
  int64_t ged_k_n = 2;  // ged: edges substituted in the farther graph
  GedDistance ged_distance = GedDistance::euclidean;
  double ged_margin = 1.0;  // ged: by how much the farther distance is to exceed the closer one
  GedScale ged_scale = GedScale::nodes;
  double ged_weight = 0.1;       // ged: weight of its loss beside other tasks
  int64_t ged_triplets = 4;      // ged: triplets made of each graph to evaluate
  double label_smoothing = 0.1;  // classify: share of the target spread over all classes
  ClassWeights class_weights = ClassWeights::none;
};

/// How it is learned.
struct TrainOptions {
  int64_t epochs = 50;
  int64_t batch = 8;         // graphs a batch
  int64_t batch_budget = 0;  // above 0: fill a batch up to this many nodes + directed edges
  double lr = 0;             // learning rate; 0: by the width of the model
  WeightDecayKind weight_decay_kind = WeightDecayKind::decoupled;
  double weight_decay = 0.01;
  double drop_warmup = 0.4;   // share of the epochs over which the drop ratio rises to its full value
  double drop_explore = 2;    // noise on the scores that choose nodes while the ratio rises
  int64_t ranking_steps = 0;  // ranking relevance: steps that learn it; 0: by the number of graphs
  double drop_edge = 0;       // share of each graph's edges left out, others in every step (DropEdge)
  LrSchedule schedule = LrSchedule::constant;
  int64_t schedule_step = 20;     // step: epochs between two reductions
  double schedule_factor = 0.5;   // step, plateau: factor of a reduction
  int64_t schedule_patience = 5;  // plateau: epochs without a better validation score before a reduction
  double lr_warmup = 0;           // epochs over which the learning rate rises from 0
  double clip = 0;                // above 0: clip the gradient to this norm
  double clip_bursts = 5;         // above 0: clip it to this many times the mean norm of those before
  double average = 0.999;         // above 0: what is evaluated is a running average of the weights
  int64_t early_stop = 0;         // above 0: stop after this many epochs without a better validation score
  int64_t seed = 0;
  int64_t threads = 0;  // 0: all processors
  Device device = Device::cpu;
};

/// All of them, e.g. `options.drop_ratio = {0.9}; options.epochs = 30;`. A value that makes no sense is a dotin::Error
/// of the function that is given it, and names the option.
struct Options : ModelOptions, DataOptions, TaskOptions, TrainOptions {};

/// `dotin::Options options = dotin::defaults(dotin::Preset::paper);`
Options defaults(Preset preset);

}  // namespace dotin
