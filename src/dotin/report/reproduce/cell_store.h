// The cells that have been run, one file each.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dotin/report/reproduce/cell.h"

namespace dotin::report::reproduce {

/// folder/<key>.json. A file whose commands, version or data differ from the cell's counts as absent; one that is no
/// JSON is a core::Error.
class CellStore : public Cells {
 public:
  /// fingerprint: what the content of a DATA argument is known by.
  CellStore(std::string folder, std::string version, std::function<std::string(const std::string&)> fingerprint);
  ~CellStore() override;

  std::string key(const Cell& cell) const;
  const nlohmann::json* find(const Cell& cell) override;

  /// Writes the record of a cell that was run. outcome: machine, started, seconds, and result or error.
  void keep(const Cell& cell, const nlohmann::json& outcome);

 private:
  std::string path_of(const std::string& key) const;
  nlohmann::json identity_of(const Cell& cell) const;

  std::string folder_, version_;
  std::function<std::string(const std::string&)> fingerprint_;
  std::map<std::string, std::unique_ptr<nlohmann::json>> read_;
};

}  // namespace dotin::report::reproduce
