// Trained models on training's own engines: every method, other devices.
#pragma once

#include "context.h"

namespace dotin::app {

class LearnerModels : public ModelOpener {
 public:
  std::unique_ptr<network::Predictor> open(const std::string& path, const std::string& device,
                                           int64_t threads) const override;
};

}  // namespace dotin::app
