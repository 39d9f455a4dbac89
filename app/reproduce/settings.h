// How much of the paper is run, and the cells that follow from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reproduce/cell.h"

namespace dotin::reproduce {

struct Settings {
  bool quick = false;
  std::vector<std::string> datasets;          // DATA arguments; none: the item's own
  std::vector<std::string> methods;           // short names of rows; none: all
  int64_t folds = 0, epochs = 0, hidden = 0;  // 0: the item's own

  /// Those given; else, in a quick run, PROTEINS and generated graphs; else the item's own.
  std::vector<std::string> datasets_or(const std::vector<std::string>& own) const;
  /// Whether a row was asked for.
  bool wants(const std::string& row) const;
};

/// "dotin reproduce ITEM --datasets ...": the call with these settings.
std::string command_of(const std::string& item, const Settings& settings);

/// Generated where it is asked for and there is no data of that name.
inline constexpr const char* kGenerated = "motif";

/// "DD" -> "D&D"; a path becomes the name of its file.
std::string dataset_title(const std::string& data);

/// Sizes of a model and a run.
struct Shape {
  int64_t hidden = 64, layers = 3, batch = 8, epochs = 50, folds = 10;
};

/// The item's own shape with what was asked for, or made small for a quick run.
Shape shape_of(const Settings& settings, Shape own);

/// Cross-validation: `dotin cv`. options: what differs from row to row, such as --drop.
Cell cv_cell(const std::string& label, const std::string& data, const std::string& tasks, const Command& options,
             const Shape& shape);

/// Speed and memory of training: `dotin bench`.
Cell bench_cell(const std::string& label, const std::string& data, const std::string& tasks, const Command& options,
                const Shape& shape, int64_t steps, int64_t repetitions);

}  // namespace dotin::reproduce
