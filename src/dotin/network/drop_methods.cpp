#include "dotin/network/drop_methods.h"

#include "dotin/core/registry.h"

namespace dotin::network {

const std::vector<DropMethod>& drop_methods() {
  using T = DropTrait;
  static const std::vector<DropMethod> all = {
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

const DropMethod& drop_method(const std::string& name) {
  for (const DropMethod& method : drop_methods()) {
    if (method.name == name) return method;
  }
  core::fail_usage("unknown drop method '{}'{}; there are: {}", name, core::suggestion(name, drop_method_names()),
                   fmt::join(drop_method_names(), ", "));
}

std::vector<std::string> drop_method_names() {
  std::vector<std::string> names;
  for (const DropMethod& method : drop_methods()) names.push_back(method.name);
  return names;
}

}  // namespace dotin::network
