#include "reproduce/cell_store.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "dotin/core/error.h"
#include "dotin/io/atomic_file.h"

namespace dotin::reproduce {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostBytes = int64_t{256} << 20;

nlohmann::json identity_of(const Cell& cell, const Circumstances& circumstances) {
  return {{"argv", cell.commands},
          {"version", circumstances.version},
          {"settings", circumstances.settings},
          {"data", {{"name", cell.data}, {"fingerprint", circumstances.data}}}};
}

/// Whether a record has every field of these, those within objects too.
bool agrees(const nlohmann::json& record, const nlohmann::json& fields) {
  for (const auto& [name, value] : fields.items()) {
    if (!record.contains(name)) return false;
    if (value.is_object() ? !agrees(record.at(name), value) : record.at(name) != value) return false;
  }
  return true;
}

}  // namespace

CellStore::CellStore(std::string folder, std::function<Circumstances(const Cell&)> circumstances)
    : folder_(std::move(folder)), circumstances_(std::move(circumstances)) {}

CellStore::~CellStore() = default;

std::string CellStore::key(const Cell& cell) const { return key_of(cell, circumstances_(cell)); }

void CellStore::read_all() {
  if (std::exchange(read_, true) || !fs::is_directory(folder_)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() != ".json") continue;
    nlohmann::json record =
        nlohmann::json::parse(io::read_file(entry.path().string(), kMostBytes), nullptr, /*allow_exceptions=*/false);
    DOTIN_CHECK(record.is_object(), "{}: this is no cell of dotin reproduce; remove it, and the cell is run again",
                entry.path().string());
    records_[entry.path().stem().string()] = std::move(record);
  }
}

const nlohmann::json* CellStore::find(const Cell& cell) {
  read_all();
  const Circumstances now = circumstances_(cell);
  nlohmann::json wanted = identity_of(cell, now);
  if (!now.data.empty()) {
    const auto found = records_.find(key_of(cell, now));
    return found != records_.end() && agrees(found->second, wanted) ? &found->second : nullptr;
  }
  wanted["data"].erase("fingerprint");
  for (const auto& [key, record] : records_) {
    if (agrees(record, wanted)) return &record;
  }
  return nullptr;
}

void CellStore::keep(const Cell& cell, const nlohmann::json& outcome) {
  read_all();
  const Circumstances now = circumstances_(cell);
  const std::string name = key_of(cell, now);
  nlohmann::json record = identity_of(cell, now);
  record["key"] = name;
  record["label"] = cell.label;
  record["command"] = command_line(cell);
  record["protocol"] = cell.protocol;
  record["seed"] = cell.seed;
  record.update(outcome);
  io::write_file_atomically(folder_ + "/" + name + ".json",
                            record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  records_[name] = std::move(record);
}

}  // namespace dotin::reproduce
