// What there is to know about each value of --drop: one line each, for options, help and `dotin methods`.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dotin/options.h"

namespace dotin::network {

enum class DropTrait {
  virtual_nodes,     // can be read through virtual nodes
  drop_ratio,        // drop_ratio decides how much leaves
  warm_up,           // the ratio may rise over the first epochs (drop_warmup)
  chooses_nodes,     // a node stays or leaves, so that an explanation can list them
  after_last_layer,  // acts after the last layer as well
  every_node,        // all layers have the same rows, so that a read-out may put them side by side
  clusters,          // soft clusters, as many in every graph
  task_relevant,     // what stays depends on the tasks, each of which has an embedding of its own
};

struct DropMethod {
  Drop drop;
  std::string name;
  Readout readout;  // what is read unless --readout says otherwise
  std::set<DropTrait> traits;
  std::string paper;  // whose it is
  bool has(DropTrait trait) const { return traits.count(trait) > 0; }
};

const std::vector<DropMethod>& drop_methods();

const DropMethod& about(Drop drop);

}  // namespace dotin::network
