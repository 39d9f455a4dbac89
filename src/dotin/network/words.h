// The words of the options' enumerations. Those of backbones, drop methods and read-outs are in their tables.
#pragma once

#include "dotin/core/words.h"
#include "dotin/options.h"

namespace dotin::core {

template <>
const std::vector<std::string>& words<Preset>();
template <>
const std::vector<std::string>& words<Backbone>();
template <>
const std::vector<std::string>& words<Drop>();
template <>
const std::vector<std::string>& words<Readout>();
template <>
const std::vector<std::string>& words<Ranking>();
template <>
const std::vector<std::string>& words<Attentiveness>();
template <>
const std::vector<std::string>& words<Norm>();
template <>
const std::vector<std::string>& words<EdgeWeights>();
template <>
const std::vector<std::string>& words<MergeWeights>();
template <>
const std::vector<std::string>& words<Precision>();
template <>
const std::vector<std::string>& words<Engine>();
template <>
const std::vector<std::string>& words<Featureless>();
template <>
const std::vector<std::string>& words<Duplicates>();
template <>
const std::vector<std::string>& words<GedDistance>();
template <>
const std::vector<std::string>& words<GedScale>();
template <>
const std::vector<std::string>& words<ClassWeights>();
template <>
const std::vector<std::string>& words<WeightDecayKind>();
template <>
const std::vector<std::string>& words<LrSchedule>();
template <>
const std::vector<std::string>& words<Device>();

}  // namespace dotin::core
