// The numbers that the paper prints, typed once. Table 2 is in data/paper_sizes.h.
#pragma once

#include <optional>
#include <string>

namespace dotin::reproduce {

struct PaperNumber {
  double mean = 0, std = 0;  // percent
};

/// What a table (3 to 6) says in a row, in the column of a dataset and metric (accuracy, triplet_accuracy or pair_auc).
/// Rows are called as our own: "DOTIN", "DOTIN without pooling", "SAGPool, global", "GCN, drop 0.1".
std::optional<PaperNumber> paper_number(int table, const std::string& row, const std::string& dataset,
                                        const std::string& metric);

/// Training speed on a GTX 2080 that the text gives for D&D: batches a second without drop and at drop 0.9.
inline constexpr double kPaperSpeedNoDrop = 12.23, kPaperSpeedDrop09 = 18.81;
/// Peak memory of 16 layers, batch 8, hidden 512, in MB, without drop and at drop 0.9.
inline constexpr double kPaperMemoryNoDrop = 3135.55, kPaperMemoryDrop09 = 664.47;

}  // namespace dotin::reproduce
