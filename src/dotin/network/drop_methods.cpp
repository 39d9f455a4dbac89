#include "dotin/network/drop_methods.h"

namespace dotin::network {

const std::vector<DropMethod>& drop_methods() {
  using T = DropTrait;
  static const std::vector<DropMethod> all = {
      {Drop::dotin,
       "dotin",
       Readout::virtual_nodes,
       {T::virtual_nodes, T::drop_ratio, T::warm_up, T::chooses_nodes, T::task_relevant},
       "DOTIN"},
      {Drop::random,
       "random",
       Readout::virtual_nodes,
       {T::virtual_nodes, T::drop_ratio, T::warm_up, T::chooses_nodes},
       "DOTIN's ablation"},
      {Drop::none,
       "none",
       Readout::virtual_nodes,
       {T::virtual_nodes, T::chooses_nodes, T::every_node},
       "DOTIN's baseline"},
      {Drop::gpool,
       "gpool",
       Readout::mean_max,
       {T::drop_ratio, T::chooses_nodes, T::after_last_layer},
       "Gao and Ji 2019"},
      {Drop::sagpool,
       "sagpool",
       Readout::mean_max,
       {T::drop_ratio, T::chooses_nodes, T::after_last_layer},
       "Lee et al. 2019"},
      {Drop::lapool, "lapool", Readout::mean, {T::chooses_nodes}, "Noutahi et al. 2019"},
      {Drop::diffpool, "diffpool", Readout::sum, {T::drop_ratio, T::clusters}, "Ying et al. 2018"},
      {Drop::mincut, "mincut", Readout::mean, {T::drop_ratio, T::clusters}, "Bianchi et al. 2020"},
      {Drop::dropgnn, "dropgnn", Readout::sum, {T::every_node}, "Papp et al. 2021"},
  };
  return all;
}

const DropMethod& about(Drop drop) { return drop_methods().at(static_cast<std::size_t>(drop)); }

}  // namespace dotin::network
