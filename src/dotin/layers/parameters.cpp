#include "dotin/layers/parameters.h"

#include <cmath>

#include "dotin/core/error.h"
#include "dotin/core/random.h"

namespace dotin::layers {

namespace {

uint64_t hash_of(const std::string& text) {
  uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

std::size_t elements_of(const std::vector<int64_t>& shape) {
  std::size_t elements = 1;
  for (const int64_t size : shape) elements *= static_cast<std::size_t>(size);
  return elements;
}

}  // namespace

void ParameterSet::add_values(const std::string& name, const std::vector<int64_t>& shape,
                              const std::vector<double>& values) {
  DOTIN_ASSERT(!has(name));
  at::Tensor tensor = at::tensor(values, at::kDouble).to(type_).reshape(shape).clone();
  tensor.set_requires_grad(true);
  entries_.emplace_back(name, tensor);
}

void ParameterSet::add(const network::ParameterList& list) {
  for (const network::ParameterAbout& about : list) {
    switch (about.start) {
      case network::Start::uniform:
        add_uniform(about.name, about.shape, about.scale);
        break;
      case network::Start::normal:
        add_normal(about.name, about.shape, about.scale);
        break;
      case network::Start::constant:
        add_constant(about.name, about.shape, about.scale);
        break;
    }
  }
}

void ParameterSet::add_uniform(const std::string& name, std::vector<int64_t> shape, double bound) {
  core::Rng rng({seed_, hash_of(name)});
  std::vector<double> values(elements_of(shape));
  for (double& value : values) value = (2 * rng.uniform() - 1) * bound;
  add_values(name, shape, values);
}

void ParameterSet::add_normal(const std::string& name, std::vector<int64_t> shape, double deviation) {
  core::Rng rng({seed_, hash_of(name)});
  std::vector<double> values(elements_of(shape));
  for (double& value : values) value = rng.normal() * deviation;
  add_values(name, shape, values);
}

void ParameterSet::add_constant(const std::string& name, std::vector<int64_t> shape, double value) {
  add_values(name, shape, std::vector<double>(elements_of(shape), value));
}

bool ParameterSet::has(const std::string& name) const {
  for (const auto& entry : entries_) {
    if (entry.first == name) return true;
  }
  return false;
}

at::Tensor ParameterSet::get(const std::string& name) const {
  for (const auto& entry : entries_) {
    if (entry.first == name) return entry.second.to(device_);
  }
  throw std::logic_error("no parameter " + name);
}

int64_t ParameterSet::count() const {
  int64_t total = 0;
  for (const auto& entry : entries_) total += entry.second.numel();
  return total;
}

void ParameterSet::zero_gradients() {
  if (gradients_.defined() && gradients_.numel() == count()) {
    gradients_.zero_();
    return;
  }
  gradients_ = at::zeros({count()}, type_);
  int64_t start = 0;
  for (auto& entry : entries_) {
    const int64_t size = entry.second.numel();
    entry.second.mutable_grad() = gradients_.narrow(0, start, size).view(entry.second.sizes());
    start += size;
  }
}

}  // namespace dotin::layers
