#include "learner_model.h"

#include "dotin/training/trainer.h"

namespace dotin::app {

namespace {

/// A learner and the predictor that it is.
class LearnerModel : public network::Predictor {
 public:
  explicit LearnerModel(training::Learner learner) : learner_(std::move(learner)), predictor_(learner_) {}
  const network::Description& description() const override { return learner_; }
  network::BatchOutputs outputs(const batch::Batch& batch, bool trace) const override {
    return predictor_.outputs(batch, trace);
  }

 private:
  training::Learner learner_;
  training::LearnerPredictor predictor_;
};

}  // namespace

std::unique_ptr<network::Predictor> LearnerModels::open(const std::string& path, const std::string& device,
                                                        int64_t threads) const {
  training::set_threads(threads);
  training::Learner learner = training::load_model(path);
  training::use_device(learner, core::from_word<Device>("device", device));
  return std::make_unique<LearnerModel>(std::move(learner));
}

}  // namespace dotin::app
