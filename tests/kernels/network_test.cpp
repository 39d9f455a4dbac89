// All layers on plain arrays, whatever form the input takes and however many parts the batch is in, against plain
// layers one after the other and central differences in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "dotin/kernels/fused_network.h"
#include "kernels/gradient_check.h"
#include "kernels/layer_support.h"
#include "kernels/level_support.h"
#include "kernels/plain_layer.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

constexpr int64_t kNetworkFeatures = 6;  // F: a dense column, then codes

/// One after the other.
Level joined(const std::vector<Level>& levels) {
  Level all;
  all.node_offsets = {0};
  all.row_offsets = {0};
  for (const Level& level : levels) {
    const int32_t nodes = all.nodes(), edges = all.edges();
    for (int32_t g = 0; g < level.graphs(); ++g) all.node_offsets.push_back(nodes + level.node_offsets[g + 1]);
    for (int32_t i = 0; i < level.nodes(); ++i) all.row_offsets.push_back(edges + level.row_offsets[i + 1]);
    for (const int32_t column : level.columns) all.columns.push_back(nodes + column);
  }
  return all;
}

const char* form_name(InputForm form) {
  const char* const names[] = {"SharedTable", "Factored", "OwnRows"};
  return names[static_cast<int>(form)];
}

/// A backbone, tasks, where the input's rows come from.
class Network : public ::testing::TestWithParam<std::tuple<Backbone, int32_t, InputForm>> {
 protected:
  Network()
      : settings_(small_settings(std::get<0>(GetParam()), std::get<1>(GetParam()))),
        form_(std::get<2>(GetParam())),
        rng_(81),
        input_(numbers<double>(rng_, settings_.hidden * kNetworkFeatures)),
        virtual_rows_(numbers<double>(rng_, settings_.tasks * settings_.hidden)) {
    settings_.savings.factored_input = form_ == InputForm::factored;
    for (const std::vector<int32_t>& sizes : {std::vector<int32_t>{6, 1}, {4, 5}, {3}})
      levels_.push_back(level_of(sizes, 0.5, rng_));
    const int32_t nodes = joined(levels_).nodes();
    for (int32_t i = 0; i < nodes; ++i) {
      const bool few = form_ == InputForm::shared_table;
      codes_.push_back(few ? static_cast<int32_t>(rng_.below(4)) + 1 : -1);
      dense_.push_back(few ? 0.5F : static_cast<float>(rng_.normal()));
    }
  }

  void draw_layers(int64_t count) {
    layers_.clear();
    for (int64_t l = 0; l < count; ++l) layers_.emplace_back(settings_, settings_.hidden, true, true, rng_);
    d_input_ = begun(input_.size());
    d_virtual_rows_ = begun(virtual_rows_.size());
  }

  NetworkWeights<double> weights() const {
    NetworkWeights<double> weights = {input_.data(), virtual_rows_.data(), {}};
    for (const LayerNumbers& layer : layers_) weights.layers.push_back(layer.weights());
    return weights;
  }

  /// In as many parts as there are levels.
  NetworkTape<double> tape_of(const std::vector<Level>& levels) const {
    NetworkTape<double> tape;
    tape.features = {codes_.data(), 1, dense_.data(), 1, static_cast<int32_t>(codes_.size())};
    for (const Level& level : levels) {
      tape.parts.emplace_back();
      tape.parts.back().level = level;
    }
    return tape;
  }

  static ForEachPart one_by_one(const NetworkTape<double>& tape) {
    return [parts = static_cast<int64_t>(tape.parts.size())](const std::function<void(int64_t)>& work) {
      for (int64_t p = 0; p < parts; ++p) work(p);
    };
  }

  /// Embeddings of all parts.
  Numbers forward(NetworkTape<double>& tape) const {
    NetworkHooks<double> hooks;
    hooks.choose = [](int64_t, const double*, const Level& level, uint8_t* keep) { keep_few(level, keep); };
    hooks.dropout = dropout_;
    network_forward(settings_, weights(), kNetworkFeatures, std::vector<NetworkHooks<double>>(tape.parts.size(), hooks),
                    one_by_one(tape), tape);
    Numbers all;
    for (const PartTape<double>& part : tape.parts)
      all.insert(all.end(), part.embeddings().begin(), part.embeddings().end());
    return all;
  }

  Numbers plain_forward() const;
  void expect_exact(const std::vector<Level>& levels);

  LayerSettings settings_;
  InputForm form_;
  core::Rng rng_;
  Numbers input_, virtual_rows_, d_input_, d_virtual_rows_;
  std::vector<LayerNumbers> layers_;
  std::vector<Level> levels_;
  std::vector<int32_t> codes_;
  std::vector<float> dense_;
  Dropout dropout_;
};

Numbers Network::plain_forward() const {
  const int64_t d = settings_.hidden;
  Level level = joined(levels_), next_level;
  DenseMatrix features(level.nodes(), kNetworkFeatures);
  for (int32_t i = 0; i < level.nodes(); ++i) {
    features(i, 0) = dense_[i];
    if (codes_[i] >= 0) features(i, codes_[i]) += 1;
  }
  const Numbers raw = times_transposed(features, DenseMatrix(d, kNetworkFeatures, input_.data())).values;
  Numbers rows;
  for (int32_t g = 0; g < level.graphs(); ++g) rows.insert(rows.end(), virtual_rows_.begin(), virtual_rows_.end());
  rows.insert(rows.end(), raw.begin(), raw.end());
  const int64_t virtual_count = level.graphs() * settings_.tasks;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    LayerSettings settings = settings_;
    std::vector<uint8_t> keep(static_cast<std::size_t>(level.nodes()), 1);
    if (l + 1 < layers_.size()) {
      keep_few(level, keep.data());
    } else {
      settings.gate = false;
    }
    const LayerWeights<double> weights = layers_[l].weights();
    const LayerRows<double> entering = {rows.data(), virtual_count, level.nodes(), nullptr, false, d};
    rows = PlainLayer(settings, weights, entering, level).next(keep, dropout_.with(l)).values;
    DropMap map;
    coarsen(level, keep.data(), settings.merge, settings.edge_weights, settings.tasks, next_level, map);
    std::swap(level, next_level);
  }
  rows.resize(static_cast<std::size_t>(virtual_count * d));
  return rows;
}

void Network::expect_exact(const std::vector<Level>& levels) {
  NetworkTape<double> tape = tape_of(levels);
  const Numbers embeddings = forward(tape);
  expect_close(embeddings, plain_forward(), "embeddings");

  const Numbers d_embeddings = numbers<double>(rng_, static_cast<int64_t>(embeddings.size()));
  std::vector<std::vector<double>> d_parts;
  auto from = d_embeddings.begin();
  for (const PartTape<double>& part : tape.parts) {
    const auto end = from + static_cast<std::ptrdiff_t>(part.embeddings().size());
    d_parts.emplace_back(from, end);
    from = end;
  }
  NetworkGradients<double> gradients = {d_input_.data(), d_virtual_rows_.data(), {}};
  for (LayerNumbers& layer : layers_) gradients.layers.push_back(layer.gradients(nullptr));
  // One part after the other, so that all may add to the same.
  network_backward(settings_, weights(), kNetworkFeatures, tape, d_parts, one_by_one(tape),
                   std::vector<NetworkGradients<double>>(levels.size(), gradients));
  const auto loss = [&] { return dot(d_embeddings, forward(tape)); };
  EXPECT_TRUE(gradient_agrees("input", input_, added(d_input_), loss));
  EXPECT_TRUE(gradient_agrees("virtual rows", virtual_rows_, added(d_virtual_rows_), loss));
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    SCOPED_TRACE(::testing::Message() << "layer " << l);
    layers_[l].expect_gradients_of(loss);
  }
}

TEST_P(Network, IsOneLayerAfterTheOtherInOnePart) {
  for (const int64_t layers : {1, 3}) {
    SCOPED_TRACE(::testing::Message() << layers << " layers");
    draw_layers(layers);
    expect_exact({joined(levels_)});
  }
}

TEST_P(Network, IsTheSameInParts) {
  for (const int64_t layers : {1, 2}) {
    SCOPED_TRACE(::testing::Message() << layers << " layers");
    draw_layers(layers);
    expect_exact(levels_);
  }
}

TEST_P(Network, IsTheSameWithDropoutOrWithoutTheSavingOfTheLastLayer) {
  draw_layers(2);
  dropout_ = {0.3, 4};
  expect_exact({joined(levels_)});
  draw_layers(2);
  settings_.savings.last_layer = false;
  expect_exact({joined(levels_)});
}

TEST_P(Network, GivesTheSameWhereNoWayBackFollows) {
  draw_layers(4);
  NetworkTape<double> tape = tape_of(levels_), short_lived = tape_of(levels_);
  short_lived.way_back = false;
  const Numbers embeddings = forward(tape);
  for (int pass = 0; pass < 2; ++pass) EXPECT_EQ(forward(short_lived), embeddings) << "pass " << pass;
}

TEST_P(Network, TakesTheInputInTheFormThatPays) {
  draw_layers(2);
  NetworkTape<double> tape = tape_of(levels_);
  forward(tape);
  EXPECT_EQ(tape.form, form_);
}

INSTANTIATE_TEST_SUITE_P(OfBackbone, Network,
                         ::testing::Combine(::testing::ValuesIn(kBackbones), ::testing::Values(1, 3),
                                            ::testing::Values(InputForm::shared_table, InputForm::factored,
                                                              InputForm::own_rows)),
                         [](const auto& test) {
                           return backbone_name(std::get<0>(test.param)) + std::to_string(std::get<1>(test.param)) +
                                  form_name(std::get<2>(test.param));
                         });

}  // namespace
}  // namespace dotin::kernels
