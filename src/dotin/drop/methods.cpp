#include "dotin/drop/methods.h"

#include "dotin/core/registry.h"

namespace dotin::drop {

const std::vector<MethodAbout>& methods() {
  using T = Trait;
  static const std::vector<MethodAbout> all = {
      {"dotin", "virtual", {T::virtual_nodes, T::drop_ratio, T::warm_up, T::chooses_nodes, T::task_relevant}, "DOTIN"},
      {"random", "virtual", {T::virtual_nodes, T::drop_ratio, T::warm_up, T::chooses_nodes}, "DOTIN's ablation"},
      {"none", "virtual", {T::virtual_nodes, T::chooses_nodes, T::every_node}, "DOTIN's baseline"},
      {"gpool", "mean_max", {T::drop_ratio, T::chooses_nodes, T::after_last_layer}, "Gao and Ji 2019"},
      {"sagpool", "mean_max", {T::drop_ratio, T::chooses_nodes, T::after_last_layer}, "Lee et al. 2019"},
      {"lapool", "mean", {T::chooses_nodes}, "Noutahi et al. 2019"},
      {"diffpool", "sum", {T::drop_ratio, T::clusters}, "Ying et al. 2018"},
      {"mincut", "mean", {T::drop_ratio, T::clusters}, "Bianchi et al. 2020"},
      {"dropgnn", "sum", {T::every_node}, "Papp et al. 2021"},
  };
  return all;
}

const MethodAbout& about(const std::string& name) {
  for (const MethodAbout& method : methods()) {
    if (method.name == name) return method;
  }
  core::fail_usage("unknown drop method '{}'{}; there are: {}", name, core::suggestion(name, method_names()),
                   fmt::join(method_names(), ", "));
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodAbout& method : methods()) names.push_back(method.name);
  return names;
}

}  // namespace dotin::drop
