#include "dotin/network/parameters.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "dotin/network/backbones.h"
#include "dotin/network/relevance.h"

namespace dotin::network {

double bound_of(int64_t columns) { return 1 / std::sqrt(static_cast<double>(columns)); }

void append(ParameterList& to, const ParameterList& from) { to.insert(to.end(), from.begin(), from.end()); }

int64_t ParameterAbout::elements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

ParameterList linear_parameters(const std::string& prefix, int64_t out, int64_t in) {
  return {{prefix + ".weight", {out, in}, Start::uniform, bound_of(in)},
          {prefix + ".bias", {out}, Start::uniform, bound_of(in)}};
}

ParameterList input_parameters(const ModelOptions& options, int64_t input_width, int64_t tasks) {
  ParameterList list = {{"input.weight", {options.hidden, input_width}, Start::uniform, bound_of(input_width)}};
  if (options.has_virtual_nodes()) list.push_back({"virtual", {tasks, options.hidden}, Start::normal, 1});
  return list;
}

ParameterList layer_parameters(const ModelOptions& options, int64_t tasks, int64_t layer) {
  const BackboneAbout& backbone = about(options.backbone);
  const std::string prefix = "layers." + std::to_string(layer) + ".";
  const int64_t d = options.hidden, a = options.attention_width();
  ParameterList list;
  if (options.has_virtual_nodes() || !backbone.fixed_weights) {
    list.push_back({prefix + "query.weight", {a, d}, Start::uniform, bound_of(d)});
    list.push_back({prefix + "key.weight", {a, d}, Start::uniform, bound_of(d)});
  }
  append(list, linear_parameters(prefix + "linear", d, d));
  if (options.has_virtual_nodes() && backbone.fixed_weights && tasks > 1 && options.task_gates)
    list.push_back({prefix + "task_gate.weight", {tasks, d}, Start::normal, bound_of(d)});
  for (ParameterAbout own : backbone.parameters(d)) {
    own.name = prefix + own.name;
    list.push_back(std::move(own));
  }
  if (options.norm == Norm::layer) {
    list.push_back({prefix + "norm.weight", {d}, Start::constant, 1});
    list.push_back({prefix + "norm.bias", {d}, Start::constant, 0});
  }
  return list;
}

ParameterList head_parameters(const std::vector<Head>& heads, int64_t embedding) {
  ParameterList list;
  for (const Head& head : heads) append(list, linear_parameters("heads." + head.name, head.width, embedding));
  return list;
}

ParameterList parameters(const ModelOptions& options, int64_t input_width, const std::vector<Head>& heads) {
  const auto tasks = static_cast<int64_t>(heads.size());
  ParameterList list = input_parameters(options, input_width, tasks);
  for (int64_t l = 0; l < options.layers; ++l) append(list, layer_parameters(options, tasks, l));
  append(list, head_parameters(heads, options.hidden));
  return list;
}

}  // namespace dotin::network
