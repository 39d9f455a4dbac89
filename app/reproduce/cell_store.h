// The cells that have been run, one file each.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "reproduce/cell.h"

namespace dotin::reproduce {

/// folder/<key>.json, all of which are read at the first question; one that is no JSON is a core::Error. Where commands
/// or circumstances differ from a cell's, it is none of it. Data that is not here has no fingerprint: then the record
/// with the same commands counts, whatever the data of that name was, so that results can be shown anywhere.
class CellStore : public Cells {
 public:
  CellStore(std::string folder, std::function<Circumstances(const Cell&)> circumstances);
  ~CellStore() override;

  std::string key(const Cell& cell) const;
  const nlohmann::json* find(const Cell& cell) override;

  /// Writes the record of a cell that was run. outcome: machine, started, seconds, and result or error.
  void keep(const Cell& cell, const nlohmann::json& outcome);

 private:
  void read_all();

  std::string folder_;
  std::function<Circumstances(const Cell&)> circumstances_;
  bool read_ = false;
  std::map<std::string, nlohmann::json> records_;  // by key
};

}  // namespace dotin::reproduce
