#include "dotin/drop/drop.h"

#include "dotin/core/registry.h"
#include "dotin/drop/choose.h"

namespace dotin::drop {

namespace {

/// The nodes with the lowest attentiveness leave.
class Dotin : public DropMethod {
 public:
  std::vector<uint8_t> choose(const DropInput& input) const override {
    const bool explore = input.exploration > 0;
    return keep_highest(
        explore ? with_noise(input.logits, input.raw_offsets, input.exploration, input.graph_keys) : input.logits,
        input.raw_offsets, input.drop_ratio);
  }
};

/// Any nodes leave, each as likely as the other.
class Random : public DropMethod {
 public:
  std::vector<uint8_t> choose(const DropInput& input) const override {
    return keep_any(input.raw_offsets, input.drop_ratio, input.graph_keys);
  }
};

/// Nothing leaves.
class None : public DropMethod {
 public:
  std::vector<uint8_t> choose(const DropInput& input) const override {
    return std::vector<uint8_t>(static_cast<std::size_t>(input.raw_offsets.back()), 1);
  }
};

using Factory = std::unique_ptr<DropMethod> (*)();

template <class T>
std::unique_ptr<DropMethod> make() {
  return std::make_unique<T>();
}

const core::Registry<Factory>& registry() {
  static const core::Registry<Factory> methods(
      "drop method", {{"dotin", make<Dotin>}, {"random", make<Random>}, {"none", make<None>}});
  return methods;
}

}  // namespace

std::unique_ptr<DropMethod> make_drop_method(const std::string& name) { return registry().get(name)(); }

std::vector<std::string> drop_method_names() { return registry().names(); }

}  // namespace dotin::drop
