#include "dotin/runtime/model.h"

#include <omp.h>

#include <cmath>
#include <cstring>
#include <map>
#include <mutex>

#include "dotin/batch/own_columns.h"
#include "dotin/core/error.h"
#include "dotin/core/host.h"
#include "dotin/kernels/gemm.h"
#include "dotin/network/backbones.h"
#include "dotin/network/fused_pass.h"
#include "dotin/network/layer_settings.h"
#include "dotin/network/parameters.h"
#include "dotin/network/ranking.h"
#include "dotin/network/relevance.h"

namespace dotin::runtime {

namespace {

/// The numbers of a model by name, each checked against what the options ask for.
template <class Scalar>
class Parameters {
 public:
  void read(const io::SafetensorsFile& file, const std::string& prefix, const network::ParameterList& list) {
    for (const network::ParameterAbout& about : list) {
      const std::string name = prefix + about.name;
      const core::Array<Scalar> stored = file.array<Scalar>(name);
      DOTIN_CHECK(file.get(name).shape == about.shape, "{}: tensor '{}' has shape [{}], expected [{}]", file.path(),
                  name, fmt::join(file.get(name).shape, ", "), fmt::join(about.shape, ", "));
      std::vector<Scalar>& values = by_name_[name];
      values.assign(stored.begin(), stored.end());
      for (const Scalar value : values)
        DOTIN_CHECK(std::isfinite(value), "{}: tensor '{}' has values that are not finite", file.path(), name);
    }
  }

  void check_no_more_in(const io::SafetensorsFile& file) const {
    for (const auto& entry : file.tensors()) {
      DOTIN_CHECK(by_name_.count(entry.first) == 1, "{}: tensor '{}' is not part of this model", file.path(),
                  entry.first);
    }
  }

  /// Null where there is none.
  const Scalar* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second.data();
  }

 private:
  std::map<std::string, std::vector<Scalar>> by_name_;
};

template <class Scalar>
class ModelOf : public Model {
 public:
  ModelOf(network::Description description, const io::SafetensorsFile& file)
      : description_(std::move(description)), heads_(description_.heads()) {
    const network::ModelOptions& options = description_.options.model;
    const int64_t width = description_.features.width();
    parameters_.read(file, "", network::parameters(options, width, heads_));
    if (options.ranks_by_relevance()) {
      own_columns_ = batch::own_columns(description_.features);
      relevance_ = network::relevance_shape(own_columns_.width, description_.outputs);
      parameters_.read(file, network::kScorerPrefix, network::scorer_parameters(relevance_));
    }
    parameters_.check_no_more_in(file);
    weights_.input = parameters_.find("input.weight");
    weights_.virtual_rows = parameters_.find("virtual");
    for (int64_t l = 0; l < options.layers; ++l) {
      weights_.layers.push_back(network::layer_parameters<const Scalar*>(
          l, [this](const std::string& name) { return parameters_.find(name); }));
    }
    settings_.layers = network::layer_settings(options, tasks());
    settings_.width = width;
  }

  const network::Description& description() const override { return description_; }

  network::BatchOutputs outputs(const batch::Batch& batch, bool trace) const override {
    const network::ModelOptions& options = description_.options.model;
    network::PassChoice choice;
    choice.random_key = static_cast<uint64_t>(description_.options.train.seed);
    std::vector<network::LayerTrace> ranked;
    if (options.ranks_by_relevance()) {
      ranked = network::choices_by_rank(scores_of(batch), tasks(), batch, options, 1);
      choice.repeat = &ranked;
    }
    network::PassSettings settings = settings_;
    settings.parts = network::parts_worth(options, batch, 1, omp_get_max_threads());
    const int64_t hidden = options.hidden;
    std::vector<Scalar> embeddings(static_cast<std::size_t>(batch.graphs() * tasks() * hidden));
    network::BatchOutputs result;
    {
      const Pass pass(*this);
      pass->forward(settings, weights_, batch, network::Chooser(options, batch, choice), embeddings.data());
      if (trace) result.trace = pass->trace();
    }
    for (std::size_t l = 0; l < ranked.size() && trace; ++l) {
      // What decided is the ranking, and not the attention of the layer.
      result.trace[l].logits = std::move(ranked[l].logits);
      result.trace[l].logits_by_task = std::move(ranked[l].logits_by_task);
    }
    for (int64_t k = 0; k < tasks(); ++k) result.by_task.push_back(head_outputs(k, embeddings, batch.graphs()));
    return result;
  }

 private:
  /// A pass of this model's, for as long as one batch needs it.
  class Pass {
   public:
    explicit Pass(const ModelOf& model) : model_(model) {
      const std::lock_guard<std::mutex> lock(model.mutex_);
      if (model.spare_.empty()) {
        pass_ = std::make_unique<network::FusedPass<Scalar>>();
      } else {
        pass_ = std::move(model.spare_.back());
        model.spare_.pop_back();
      }
    }
    ~Pass() {
      const std::lock_guard<std::mutex> lock(model_.mutex_);
      model_.spare_.push_back(std::move(pass_));
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    network::FusedPass<Scalar>* operator->() const { return pass_.get(); }

   private:
    const ModelOf& model_;
    std::unique_ptr<network::FusedPass<Scalar>> pass_;
  };

  int64_t tasks() const { return static_cast<int64_t>(heads_.size()); }

  std::vector<double> scores_of(const batch::Batch& batch) const {
    return network::relevance_scores<Scalar>(
        batch::with_own_columns(batch, own_columns_), relevance_,
        [this](const std::string& name) { return parameters_.find(network::kScorerPrefix + name); });
  }

  std::vector<double> head_outputs(int64_t task, const std::vector<Scalar>& embeddings, int64_t graphs) const {
    const int64_t hidden = description_.options.model.hidden;
    const network::Head& head = heads_[static_cast<std::size_t>(task)];
    const Scalar* const bias = parameters_.find("heads." + head.name + ".bias");
    std::vector<Scalar> rows, out;
    for (int64_t g = 0; g < graphs; ++g) {
      const auto own = embeddings.begin() + (g * tasks() + task) * hidden;
      rows.insert(rows.end(), own, own + hidden);
      out.insert(out.end(), bias, bias + head.width);
    }
    kernels::gemm(kernels::Op::plain, kernels::Op::transposed, graphs, head.width, hidden, Scalar(1), rows.data(),
                  parameters_.find("heads." + head.name + ".weight"), Scalar(1), out.data());
    return {out.begin(), out.end()};
  }

  network::Description description_;
  std::vector<network::Head> heads_;
  Parameters<Scalar> parameters_;
  batch::OwnColumns own_columns_;
  network::RelevanceShape relevance_;
  kernels::NetworkWeights<Scalar> weights_{};
  network::PassSettings settings_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<network::FusedPass<Scalar>>> spare_;  // passes whose memory nobody uses now
};

}  // namespace

bool can_run(const network::ModelOptions& options) {
  return options.has_virtual_nodes() && options.runs_fused() && network::about(options.backbone).kernel.has_value();
}

bool can_run(const std::string& path) {
  return can_run(network::read_description(io::SafetensorsFile(path)).options.model);
}

int set_threads(int64_t threads) {
  const int count = core::usable_threads(threads);
  omp_set_num_threads(count);
  return count;
}

std::unique_ptr<Model> Model::load(const std::string& path) {
  const io::SafetensorsFile file(path);
  network::Description description = network::read_description(file);
  const network::ModelOptions& options = description.options.model;
  DOTIN_CHECK(can_run(options),
              "{}: a model with drop {}, read-out {}, backbone {} on the {} engine needs libtorch, which this library "
              "does without; predict with the program dotin",
              path, core::word(options.drop), core::word(options.read()), core::word(options.backbone),
              core::word(options.engine));
  if (options.precision == Precision::float64) return std::make_unique<ModelOf<double>>(std::move(description), file);
  return std::make_unique<ModelOf<float>>(std::move(description), file);
}

}  // namespace dotin::runtime
