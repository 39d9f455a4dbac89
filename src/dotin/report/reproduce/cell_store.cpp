#include "dotin/report/reproduce/cell_store.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "dotin/core/error.h"
#include "dotin/io/atomic_file.h"

namespace dotin::report::reproduce {

namespace {

constexpr int64_t kMostBytes = int64_t{256} << 20;

}  // namespace

CellStore::CellStore(std::string folder, std::string version,
                     std::function<std::string(const std::string&)> fingerprint)
    : folder_(std::move(folder)), version_(std::move(version)), fingerprint_(std::move(fingerprint)) {}

CellStore::~CellStore() = default;

std::string CellStore::key(const Cell& cell) const { return key_of(cell, version_, fingerprint_(cell.data)); }

std::string CellStore::path_of(const std::string& key) const { return folder_ + "/" + key + ".json"; }

nlohmann::json CellStore::identity_of(const Cell& cell) const {
  return {{"argv", cell.commands},
          {"version", version_},
          {"data", {{"name", cell.data}, {"fingerprint", fingerprint_(cell.data)}}}};
}

const nlohmann::json* CellStore::find(const Cell& cell) {
  const std::string name = key(cell);
  const auto known = read_.find(name);
  if (known != read_.end()) return known->second.get();
  const std::string path = path_of(name);
  if (!std::filesystem::exists(path)) return nullptr;
  auto record = std::make_unique<nlohmann::json>(
      nlohmann::json::parse(io::read_file(path, kMostBytes), nullptr, /*allow_exceptions=*/false));
  DOTIN_CHECK(record->is_object(), "{}: this is no cell of dotin reproduce; remove it, and the cell is run again",
              path);
  const nlohmann::json wanted = identity_of(cell);
  for (const auto& [field, value] : wanted.items()) {
    if (!record->contains(field) || record->at(field) != value) return nullptr;
  }
  return (read_[name] = std::move(record)).get();
}

void CellStore::keep(const Cell& cell, const nlohmann::json& outcome) {
  const std::string name = key(cell);
  nlohmann::json record = identity_of(cell);
  record["key"] = name;
  record["label"] = cell.label;
  record["command"] = command_line(cell);
  record["protocol"] = cell.protocol;
  record["seed"] = cell.seed;
  record.update(outcome);
  io::write_file_atomically(path_of(name),
                            record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  read_[name] = std::make_unique<nlohmann::json>(std::move(record));
}

}  // namespace dotin::report::reproduce
