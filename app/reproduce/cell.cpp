#include "reproduce/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "dotin/core/random.h"

namespace dotin::reproduce {

namespace {

std::string quoted(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string("-_./,:=+@%").find(static_cast<char>(c)) != std::string::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Words are told apart by their lengths, so that no two lists of words look alike.
void mix_into(uint64_t& hash, const std::string& word) {
  hash = core::mix(hash, word.size());
  for (const unsigned char c : word) hash = core::mix(hash, c);
}

}  // namespace

std::string command_line(const Cell& cell) {
  std::string line;
  for (const Command& command : cell.commands) {
    if (!line.empty()) line += " && ";
    line += "dotin";
    for (const std::string& word : command) line += " " + quoted(word);
  }
  return line;
}

std::string key_of(const Cell& cell, const Circumstances& circumstances) {
  uint64_t hash = 0;
  for (const std::string& each : {circumstances.version, circumstances.settings, circumstances.data})
    mix_into(hash, each);
  for (const Command& command : cell.commands) {
    hash = core::mix(hash, command.size());
    for (const std::string& word : command) mix_into(hash, word);
  }
  return fmt::format("{:016x}", hash);
}

const nlohmann::json* result_of(const nlohmann::json* record) {
  if (record == nullptr) return nullptr;
  const auto found = record->find("result");
  return found == record->end() ? nullptr : &*found;
}

std::string absence_of(const nlohmann::json* record) {
  if (record == nullptr) return "not run";
  return record->contains("result") ? "" : "failed";
}

}  // namespace dotin::reproduce
