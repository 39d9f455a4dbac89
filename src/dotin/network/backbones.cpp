#include "dotin/network/backbones.h"

#include <cmath>

#include "dotin/core/registry.h"

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
      {"gat", false, kernels::Backbone::gat, nothing},
      {"gcn", true, kernels::Backbone::gcn, nothing},
      {"gin", true, kernels::Backbone::gin, of_gin},
      {"sage", true, kernels::Backbone::sage, of_sage},
  };
  return all;
}

const BackboneAbout& backbone(const std::string& name) {
  for (const BackboneAbout& about : backbones()) {
    if (about.name == name) return about;
  }
  core::fail_usage("unknown backbone '{}'{}; there are: {}", name, core::suggestion(name, backbone_names()),
                   fmt::join(backbone_names(), ", "));
}

std::vector<std::string> backbone_names() {
  std::vector<std::string> names;
  for (const BackboneAbout& about : backbones()) names.push_back(about.name);
  return names;
}

}  // namespace dotin::network
