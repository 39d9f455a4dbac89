#include "reproduce/paper.h"

#include <algorithm>
#include <vector>

#include "dotin/data/paper_sizes.h"

namespace dotin::reproduce {

namespace {

struct PaperRow {
  const char* name;
  std::vector<PaperNumber> numbers;  // a column each
};

struct PaperColumn {
  const char* dataset;
  const char* metric;
};

struct PaperTable {
  int number;
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;
};

const std::vector<PaperColumn> kAccuracyOfFive = {{"DD", "accuracy"},
                                                  {"PROTEINS", "accuracy"},
                                                  {"NCI1", "accuracy"},
                                                  {"NCI109", "accuracy"},
                                                  {"FRANKENSTEIN", "accuracy"}};

const PaperTable kTables[] = {
    {3,
     kAccuracyOfFive,
     {
         {"Set2Set", {{71.27, 0.84}, {66.06, 1.66}, {68.55, 1.92}, {69.78, 1.16}, {61.92, 0.73}}},
         {"SortPool", {{72.53, 1.19}, {66.72, 3.56}, {73.82, 0.96}, {74.02, 1.18}, {60.61, 0.77}}},
         {"SAGPool, global", {{76.19, 0.94}, {70.04, 1.47}, {74.18, 1.20}, {74.06, 0.78}, {62.57, 0.60}}},
         {"DiffPool", {{66.95, 2.41}, {68.20, 2.02}, {62.32, 1.90}, {61.98, 1.98}, {60.60, 1.62}}},
         {"gPool", {{75.01, 0.86}, {71.10, 0.90}, {67.02, 2.25}, {66.12, 1.60}, {61.46, 0.84}}},
         {"SAGPool", {{76.45, 0.97}, {71.86, 0.97}, {67.45, 1.11}, {67.86, 1.41}, {61.73, 0.76}}},
         {"DOTIN without pooling", {{77.41, 0.72}, {73.50, 0.5}, {68.12, 1.07}, {67.27, 1.12}, {62.41, 1.12}}},
         {"DOTIN", {{78.25, 0.61}, {74.63, 0.37}, {69.39, 1.02}, {67.62, 1.04}, {63.01, 0.92}}},
     }},
    {4,
     {{"DD", "triplet_accuracy"},
      {"DD", "pair_auc"},
      {"PROTEINS", "triplet_accuracy"},
      {"PROTEINS", "pair_auc"},
      {"NCI1", "triplet_accuracy"},
      {"NCI1", "pair_auc"}},
     {
         {"DiffPool", {{85.19, 0.52}, {72.29, 1.64}, {71.12, 1.08}, {54.44, 2.99}, {80.68, 1.71}, {59.98, 3.38}}},
         {"gPool", {{88.26, 0.61}, {72.89, 1.66}, {72.17, 1.02}, {54.91, 2.27}, {85.54, 1.29}, {62.29, 2.98}}},
         {"SAGPool", {{90.17, 0.44}, {73.01, 1.29}, {73.31, 1.14}, {59.18, 2.46}, {85.92, 1.19}, {64.48, 2.70}}},
         {"DOTIN without pooling",
          {{90.67, 0.31}, {73.09, 1.22}, {75.89, 0.69}, {58.81, 2.19}, {87.34, 0.84}, {65.45, 2.61}}},
         {"DOTIN", {{91.88, 0.24}, {74.27, 1.13}, {76.76, 0.57}, {59.91, 2.01}, {88.38, 0.73}, {66.83, 2.28}}},
     }},
    {5,
     {{"DD", "accuracy"},
      {"DD", "triplet_accuracy"},
      {"DD", "pair_auc"},
      {"PROTEINS", "accuracy"},
      {"PROTEINS", "triplet_accuracy"},
      {"PROTEINS", "pair_auc"},
      {"NCI1", "accuracy"},
      {"NCI1", "triplet_accuracy"},
      {"NCI1", "pair_auc"}},
     {
         {"DiffPool",
          {{64.67, 2.92},
           {81.17, 0.77},
           {68.23, 1.99},
           {65.20, 2.18},
           {69.47, 1.42},
           {52.41, 2.06},
           {59.92, 1.97},
           {74.15, 1.86},
           {54.16, 3.21}}},
         {"gPool",
          {{72.06, 0.99},
           {89.38, 0.68},
           {69.38, 1.79},
           {69.92, 0.94},
           {70.25, 1.16},
           {52.77, 2.09},
           {64.28, 2.49},
           {82.47, 1.67},
           {57.37, 3.06}}},
         {"SAGPool",
          {{75.53, 1.04},
           {88.31, 0.57},
           {71.39, 1.44},
           {70.61, 0.93},
           {71.16, 1.37},
           {57.18, 2.16},
           {68.19, 1.32},
           {81.92, 2.24},
           {59.94, 2.99}}},
         {"DOTIN without pooling",
          {{77.36, 0.78},
           {90.49, 0.38},
           {73.01, 1.21},
           {73.41, 0.62},
           {75.24, 0.57},
           {58.44, 2.21},
           {67.99, 1.14},
           {86.99, 0.92},
           {64.56, 2.73}}},
         {"DOTIN",
          {{78.14, 0.72},
           {91.49, 0.31},
           {74.16, 1.12},
           {74.43, 0.49},
           {76.16, 0.42},
           {59.16, 2.03},
           {68.92, 1.09},
           {87.97, 0.89},
           {66.29, 2.24}}},
     }},
    {6,
     kAccuracyOfFive,
     {
         {"GCN, drop 0.1", {{73.69, 0.32}, {73.29, 0.37}, {66.18, 0.89}, {65.16, 1.14}, {60.21, 1.01}}},
         {"GCN, drop 0.5", {{72.81, 0.48}, {72.51, 0.64}, {64.93, 1.03}, {63.39, 1.51}, {58.19, 1.27}}},
         {"GCN, drop 0.9", {{71.17, 0.66}, {71.14, 0.71}, {63.37, 1.24}, {61.74, 1.79}, {54.49, 1.38}}},
         {"GAT, drop 0.1", {{75.63, 0.43}, {73.41, 0.48}, {67.91, 1.09}, {67.11, 1.28}, {62.18, 1.17}}},
         {"GAT, drop 0.5", {{76.41, 0.69}, {73.28, 0.61}, {67.58, 1.26}, {66.88, 1.67}, {61.26, 1.48}}},
         {"GAT, drop 0.9", {{75.99, 0.82}, {72.17, 0.79}, {66.98, 1.63}, {66.15, 1.99}, {60.99, 1.61}}},
     }},
};

}  // namespace

std::optional<PaperNumber> paper_number(int table, const std::string& row, const std::string& dataset,
                                        const std::string& metric) {
  // Where only the atoms of FRANKENSTEIN's molecules can be had, that is still the column to set beside.
  const std::string column_of = dataset == data::kFrankensteinAtoms ? "FRANKENSTEIN" : dataset;
  for (const PaperTable& paper : kTables) {
    if (paper.number != table) continue;
    const auto column = std::find_if(paper.columns.begin(), paper.columns.end(), [&](const PaperColumn& c) {
      return c.dataset == column_of && c.metric == metric;
    });
    const auto found =
        std::find_if(paper.rows.begin(), paper.rows.end(), [&](const PaperRow& r) { return r.name == row; });
    if (column == paper.columns.end() || found == paper.rows.end()) continue;
    return found->numbers[static_cast<std::size_t>(column - paper.columns.begin())];
  }
  return std::nullopt;
}

}  // namespace dotin::reproduce
