// name -> factory, filled by an explicit list. An unknown name is a usage error that lists the valid ones.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dotin/core/error.h"

namespace dotin::core {

/// " (did you mean 'gcn'?)", or nothing where no candidate is close (edit distance at most 2) or the name is one of
/// them.
std::string suggestion(const std::string& name, const std::vector<std::string>& candidates);

template <class Factory>
class Registry {
 public:
  /// kind names what is registered in error messages, e.g. "backbone".
  Registry(std::string kind, std::vector<std::pair<std::string, Factory>> entries)
      : kind_(std::move(kind)), entries_(std::move(entries)) {}

  const Factory& get(const std::string& name) const {
    for (const auto& [key, factory] : entries_) {
      if (key == name) return factory;
    }
    fail_usage("unknown {} '{}'{}; there are: {}", kind_, name, suggestion(name, names()), fmt::join(names(), ", "));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : entries_) result.push_back(entry.first);
    return result;
  }

 private:
  std::string kind_;
  std::vector<std::pair<std::string, Factory>> entries_;
};

}  // namespace dotin::core
