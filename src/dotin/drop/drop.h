// What leaves a graph that is read through virtual nodes, between two layers. Other methods: pool.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "dotin/ops/reference/structure.h"

namespace dotin::drop {

/// What a method may look at when it chooses.
struct DropInput {
  const at::Tensor& logits;  // attentiveness logit of every raw node
  const std::vector<int64_t>& raw_offsets;
  double drop_ratio;
  /// One key per graph: random choices depend on it alone, so a graph's fate does not depend on its batch.
  const std::vector<uint64_t>& graph_keys;
  double exploration = 0;  // of choices by score: noise on the scores, in standard deviations of a graph's scores
};

class DropMethod {
 public:
  virtual ~DropMethod() = default;
  /// 1 for every raw node that stays. Exactly kernels::drop_count(n, drop_ratio) of a graph's n nodes leave.
  virtual std::vector<uint8_t> choose(const DropInput& input) const = 0;
};

std::unique_ptr<DropMethod> make_drop_method(const std::string& name);
std::vector<std::string> drop_method_names();

}  // namespace dotin::drop
