// A cell: one figure of a table or one point of a figure, computed by commands of dotin that a reader can run as well.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dotin::reproduce {

/// The words after `dotin`.
using Command = std::vector<std::string>;

/// Stands in commands for the folder of the cell's run.
inline constexpr const char* kRunFolder = "RUN";

struct Cell {
  std::string label;              // for people, e.g. "D&D, gPool"
  std::string data;               // the DATA argument of its commands
  std::vector<Command> commands;  // one after the other; the last prints the result as JSON
  std::string protocol;           // how the number comes about, in a few words
  int64_t seed = 0;
  bool alone = false;  // measures time or memory, so nothing else may run beside it
  double cost = 1;     // expected time by the size of the data, to say how long is left
};

/// "dotin cv DD --folds 10 && ...", quoted for a shell.
std::string command_line(const Cell& cell);

/// What a result depends on besides the commands.
struct Circumstances {
  std::string version;   // of the program
  std::string settings;  // fingerprint of the options that the commands use, given or not
  std::string data;      // fingerprint of the data
};

/// 16 hexadecimal digits from the commands and the circumstances.
std::string key_of(const Cell& cell, const Circumstances& circumstances);

/// What is known of cells. Items ask for every cell they need, whether it has been run or not.
class Cells {
 public:
  virtual ~Cells() = default;
  /// The record of a cell (docs/reproduce.md), nothing where it has not been run.
  virtual const nlohmann::json* find(const Cell& cell) = 0;
};

/// What the last command of a recorded cell printed; nothing where it was not run or failed.
const nlohmann::json* result_of(const nlohmann::json* record);

/// "not run", "failed" or "" for a record.
std::string absence_of(const nlohmann::json* record);

}  // namespace dotin::reproduce
