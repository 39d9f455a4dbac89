#include "dotin/network/words.h"

#include "dotin/network/backbones.h"
#include "dotin/network/drop_methods.h"
#include "dotin/network/readouts.h"

namespace dotin::core {

namespace {

/// The names of a table whose rows stand in the order of the enumerators.
template <class Row, class Enum>
std::vector<std::string> names_of(const std::vector<Row>& table, Enum Row::*value) {
  std::vector<std::string> names;
  for (const Row& row : table) {
    DOTIN_ASSERT(static_cast<std::size_t>(row.*value) == names.size());
    names.push_back(row.name);
  }
  return names;
}

}  // namespace

template <>
const std::vector<std::string>& words<Backbone>() {
  static const std::vector<std::string> all = names_of(network::backbones(), &network::BackboneAbout::backbone);
  return all;
}

template <>
const std::vector<std::string>& words<Drop>() {
  static const std::vector<std::string> all = names_of(network::drop_methods(), &network::DropMethod::drop);
  return all;
}

template <>
const std::vector<std::string>& words<Readout>() {
  static const std::vector<std::string> all = names_of(network::readouts(), &network::ReadoutAbout::readout);
  return all;
}

template <>
const std::vector<std::string>& words<Preset>() {
  static const std::vector<std::string> all = {"recommended", "paper"};
  return all;
}

template <>
const std::vector<std::string>& words<Ranking>() {
  static const std::vector<std::string> all = {"attention", "relevance"};
  return all;
}

template <>
const std::vector<std::string>& words<Attentiveness>() {
  static const std::vector<std::string> all = {"own", "smoothed", "both"};
  return all;
}

template <>
const std::vector<std::string>& words<Norm>() {
  static const std::vector<std::string> all = {"none", "layer"};
  return all;
}

template <>
const std::vector<std::string>& words<EdgeWeights>() {
  static const std::vector<std::string> all = {"softmax", "multiplicity", "none"};
  return all;
}

template <>
const std::vector<std::string>& words<MergeWeights>() {
  static const std::vector<std::string> all = {"softmax", "logits"};
  return all;
}

template <>
const std::vector<std::string>& words<Precision>() {
  static const std::vector<std::string> all = {"float", "double"};
  return all;
}

template <>
const std::vector<std::string>& words<Engine>() {
  static const std::vector<std::string> all = {"fused", "reference"};
  return all;
}

template <>
const std::vector<std::string>& words<Featureless>() {
  static const std::vector<std::string> all = {"degree", "constant"};
  return all;
}

template <>
const std::vector<std::string>& words<Duplicates>() {
  static const std::vector<std::string> all = {"merge", "keep", "error"};
  return all;
}

template <>
const std::vector<std::string>& words<GedDistance>() {
  static const std::vector<std::string> all = {"euclidean", "squared"};
  return all;
}

template <>
const std::vector<std::string>& words<GedScale>() {
  static const std::vector<std::string> all = {"nodes", "none"};
  return all;
}

template <>
const std::vector<std::string>& words<ClassWeights>() {
  static const std::vector<std::string> all = {"none", "balanced"};
  return all;
}

template <>
const std::vector<std::string>& words<WeightDecayKind>() {
  static const std::vector<std::string> all = {"l2", "decoupled"};
  return all;
}

template <>
const std::vector<std::string>& words<LrSchedule>() {
  static const std::vector<std::string> all = {"constant", "cosine", "step", "plateau"};
  return all;
}

template <>
const std::vector<std::string>& words<Device>() {
  static const std::vector<std::string> all = {"cpu", "cuda"};
  return all;
}

}  // namespace dotin::core
