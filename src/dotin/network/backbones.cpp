#include "dotin/network/backbones.h"

#include <cmath>

namespace dotin::network {

namespace {

ParameterList nothing(int64_t) { return {}; }

ParameterList of_gin(int64_t hidden) {
  ParameterList list = linear_parameters("inner", hidden, hidden);
  list.push_back({"eps", {1}, Start::constant, 0});
  return list;
}

ParameterList of_sage(int64_t hidden) {
  return {{"self.weight", {hidden, hidden}, Start::uniform, 1 / std::sqrt(static_cast<double>(hidden))}};
}

}  // namespace

const std::vector<BackboneAbout>& backbones() {
  static const std::vector<BackboneAbout> all = {
      {Backbone::gat, "gat", false, kernels::Backbone::gat, nothing},
      {Backbone::gcn, "gcn", true, kernels::Backbone::gcn, nothing},
      {Backbone::gin, "gin", true, kernels::Backbone::gin, of_gin},
      {Backbone::sage, "sage", true, kernels::Backbone::sage, of_sage},
  };
  return all;
}

const BackboneAbout& about(Backbone backbone) { return backbones().at(static_cast<std::size_t>(backbone)); }

}  // namespace dotin::network
