#include "dotin/drop/drop.h"

#include "dotin/core/random.h"
#include "dotin/core/registry.h"
#include "dotin/kernels/select.h"

namespace dotin::drop {

namespace {

/// The nodes with the lowest attentiveness leave.
class Dotin : public DropMethod {
 public:
  std::vector<uint8_t> choose(const DropInput& input) const override {
    std::vector<uint8_t> keep(static_cast<std::size_t>(input.raw_offsets.back()));
    const at::Tensor logits = input.logits.detach().cpu().contiguous();
    if (logits.scalar_type() == at::kDouble) {
      choose_from(logits.data_ptr<double>(), input, keep);
    } else {
      choose_from(logits.data_ptr<float>(), input, keep);
    }
    return keep;
  }

 private:
  template <class Scalar>
  static void choose_from(const Scalar* logits, const DropInput& input, std::vector<uint8_t>& keep) {
    for (std::size_t g = 0; g + 1 < input.raw_offsets.size(); ++g) {
      const int64_t first = input.raw_offsets[g], nodes = input.raw_offsets[g + 1] - first;
      kernels::select_nodes(logits + first, nodes, kernels::drop_count(nodes, input.drop_ratio), keep.data() + first);
    }
  }
};

/// Any nodes leave, each as likely as the other.
class Random : public DropMethod {
 public:
  std::vector<uint8_t> choose(const DropInput& input) const override {
    std::vector<uint8_t> keep(static_cast<std::size_t>(input.raw_offsets.back()), 1);
    for (std::size_t g = 0; g + 1 < input.raw_offsets.size(); ++g) {
      const int64_t first = input.raw_offsets[g], nodes = input.raw_offsets[g + 1] - first;
      const int64_t drops = kernels::drop_count(nodes, input.drop_ratio);
      std::vector<uint8_t> draw(static_cast<std::size_t>(nodes), 1);
      std::fill_n(draw.begin(), drops, uint8_t{0});
      core::Rng(input.graph_keys[g]).shuffle(draw);
      std::copy(draw.begin(), draw.end(), keep.begin() + first);
    }
    return keep;
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
