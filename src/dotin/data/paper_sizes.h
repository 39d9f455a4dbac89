// The sizes that the paper's table 2 states, to tell whether a copy of a dataset is the same data.
#pragma once

#include <string>

namespace dotin::data {

struct PaperSizes {
  const char* name;
  int graphs, classes;
  const char *nodes, *edges;  // averages a graph, as printed there
  int training, test;         // graphs of a fold
};

/// FRANKENSTEIN's molecules with atom labels in place of its 780 pixel values.
inline constexpr const char* kFrankensteinAtoms = "FRANKENSTEIN-atoms";

/// The row of a dataset, that of FRANKENSTEIN for its atoms; nothing for a dataset that is not in the paper.
const PaperSizes* paper_sizes(const std::string& name);

/// Whether a value is the printed number, to as many digits as it has.
bool agrees_with_print(double value, const std::string& printed);

}  // namespace dotin::data
