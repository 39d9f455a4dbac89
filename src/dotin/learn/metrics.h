// What the front door's model and training share.
#pragma once

#include <vector>

#include "dotin/train.h"
#include "dotin/training/trainer.h"

namespace dotin::learn {

/// Values in the order of the names.
std::vector<Metric> metrics_of(const std::vector<training::MetricName>& names, const std::vector<double>& values);

Epoch epoch_of(const std::vector<training::MetricName>& names, const training::EpochRecord& record, int64_t epochs,
               int64_t fold);

}  // namespace dotin::learn
