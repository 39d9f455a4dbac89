// One layer of any backbone, forward and backward, with the exact savings of docs/performance.md: rows that share a
// feature row share its products, dropped rows are never widened, the linear map runs on what is left, no array has an
// entry per edge and column. ops/reference and layers/ have the same layer in plain form.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dotin/kernels/dropout.h"
#include "dotin/kernels/layer_parameters.h"
#include "dotin/kernels/level.h"

namespace dotin::kernels {

/// How neighbours are mixed: by attention, or by coefficients that edge weights alone give (layers/backbones.h).
enum class Backbone { gat, gcn, gin, sage };

/// What decides which nodes leave: a node's own logit, what attention mixes of its neighbours' and its own, or the sum.
enum class Attentiveness { own, smoothed, both };

/// The exact savings that can be left out, one at a time, to see what each is worth (dotin bench --without).
struct Savings {
  bool input_table = true;     // nodes with equal codes share a row of the first layer
  bool factored_input = true;  // the first layer in the rank of real features
  bool pair_table = true;      // logits of the first layer looked up by pairs of rows
  bool linear_first = true;    // linear map on the rows of the table, where they are fewer than the nodes left
  bool last_layer = true;      // only virtual rows in the last layer
};

struct LayerSettings {
  Backbone backbone = Backbone::gat;
  int64_t hidden = 0;     // D
  int64_t attention = 0;  // A
  int32_t tasks = 1;      // K
  double tau = 1;
  EdgeWeights edge_weights = EdgeWeights::multiplicity;
  Attentiveness attentiveness = Attentiveness::both;
  bool gate = true;
  bool merge = true;
  bool softmax_merge_weights = false;
  bool residual = true;
  Savings savings;
};

/// Rows that enter a layer, in one block: virtual rows, then those of the table. Raw node i is row code[i] of the
/// table, or row i where code is null. Virtual node k of graph g is virtual row g * K + k, or row k for every graph
/// where they are shared (the first layer). Rows on a basis [W, D] hold W coefficients: row r stands for x_r = r basis,
/// and what the weights multiply is r. That is exact where query, key and linear are given as products with basis^T,
/// and cheap where W is far below D.
template <class Scalar>
struct LayerRows {
  const Scalar* all;
  int64_t virtual_count, table_rows;
  const int32_t* code;
  bool shared_virtual;
  int64_t width;
  const Scalar* basis = nullptr;

  const Scalar* virtual_rows() const { return all; }
  const Scalar* table() const { return all + virtual_count * width; }
  int64_t count() const { return virtual_count + table_rows; }
};

/// q_g W2, so that q_g . p_i = (q_g W2) . x_i needs neither queries nor keys of raw nodes.
template <class Scalar>
struct Reach {
  std::vector<Scalar> query;  // [virtual rows, A], divided by tau
  std::vector<Scalar> row;    // [virtual rows, W]
};

/// gin: rows between its two maps, before and after the ELU.
template <class Scalar>
struct InnerTape {
  std::vector<Scalar> before, after;
};

/// What a layer's weights make of the rows that enter it, before neighbours are mixed. Parts of a batch that share the
/// rows of a table share these.
template <class Scalar>
struct RowProducts {
  std::vector<Scalar> projection;        // gat, [2A, W]: query / tau, then key
  std::vector<Scalar> q, p;              // gat: of all rows, virtual ones first
  bool table_first = false;              // linear maps were applied to the table before mixing
  std::vector<Scalar> transformed;       // of all rows, by the map that mixed rows meet first
  std::vector<Scalar> transformed_self;  // sage: of all rows, by their own map
};

/// What the backward pass needs of the forward pass, and what the caller may look at.
template <class Scalar>
struct LayerTape {
  Level next_level;
  DropMap map;
  std::vector<uint8_t> keep;
  std::vector<Scalar> logits;          // that decided the drop, per raw node
  std::vector<Scalar> logits_by_task;  // raw nodes x K, before smoothing
  std::vector<Scalar> next;            // rows that leave: graphs x K virtual ones, then the raw ones of next_level; x D

  int64_t rows_left = 0;  // rows of next

  // The rest is between forward and backward.
  RowProducts<Scalar> products;  // unless parts share them
  std::vector<int32_t> graph_of, virtual_row;
  bool pair_table = false;                           // gat: logits were looked up in a table of pairs of rows
  Reach<Scalar> reach;                               // other backbones, in place of queries and keys
  std::vector<Scalar> task_gate;                     // nodes x K, where tasks have gates
  std::vector<Scalar> s_edge, s_self, s_to_virtual;  // coefficients of raw rows
  std::vector<Scalar> s_from_row, s_virtual_self;    // of virtual rows
  std::vector<Scalar> own_virtual;                   // virtual rows x K: attentiveness before smoothing
  std::vector<Scalar> scores;                        // nodes x K: of each task, whose sum is logits
  std::vector<Scalar> task_tanh, gate_tanh, gate;    // nodes x K; per node; per row that leaves
  std::vector<Scalar> attentiveness, lambda;         // softmaxed (where the merge weights need it); 0 for kept nodes
  std::vector<Scalar> merged_virtual;                // graphs x K: weight of each virtual node in the merged row
  std::vector<Scalar> wide;    // nodes x (K + 1): weight of each node in its graph's virtual rows and merged row
  std::vector<Scalar> inputs;  // [rows that leave, W]: each row's own input, where it has to be written out
  InnerTape<Scalar> inner;
  std::vector<Scalar> mixed, z, mean, inverse_deviation;
  Dropout dropout;
};

/// Fills keep (1 stays, 0 leaves) for every raw node of the level.
template <class Scalar>
using Choose = std::function<void(const Scalar* logits, const Level& level, uint8_t* keep)>;

/// One layer whose rows are its own.
template <class Scalar>
void layer_forward(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                   const Level& level, const Choose<Scalar>& choose, const Dropout& dropout, LayerTape<Scalar>& tape);

/// d_next: gradient of tape.next. Adds to the gradients of weights, of matrices when gradients.later runs, and of the
/// rows. Rows and tape must live until it has.
template <class Scalar>
void layer_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                    const Level& level, const LayerTape<Scalar>& tape, const Scalar* d_next,
                    const LayerGradients<Scalar>& gradients, Scalar* d_rows);

/// The last layer: only virtual rows are computed.
template <class Scalar>
struct LastLayerTape {
  std::vector<Scalar> next;            // graphs x K rows
  std::vector<Scalar> logits_by_task;  // raw nodes x K

  Reach<Scalar> reach;
  std::vector<Scalar> task_gate;
  std::vector<Scalar> s_from_row, s_virtual_self;
  InnerTape<Scalar> inner;
  std::vector<Scalar> mixed, z, mean, inverse_deviation;
  Dropout dropout;
};

template <class Scalar>
void last_layer_forward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                        const LayerRows<Scalar>& rows, const Level& level, const Dropout& dropout,
                        LastLayerTape<Scalar>& tape);

template <class Scalar>
void last_layer_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                         const LayerRows<Scalar>& rows, const Level& level, const LastLayerTape<Scalar>& tape,
                         const Scalar* d_next, const LayerGradients<Scalar>& gradients, Scalar* d_rows);

}  // namespace dotin::kernels
