#include "paper_table.h"

#include <fmt/format.h>

#include "dotin/data/paper_sizes.h"

namespace dotin::app {

std::string compare_with_paper(const data::Summary& summary) {
  const data::PaperSizes* const paper = data::paper_sizes(summary.name);
  if (paper == nullptr) return "";
  const bool nodes = data::agrees_with_print(summary.avg_nodes, paper->nodes);
  const bool edges = data::agrees_with_print(summary.avg_edges, paper->edges);
  if (nodes && edges) return "nodes and edges a graph agree with table 2 of the paper";
  std::string text;
  if (!nodes) text += fmt::format("{:.2f} nodes a graph where table 2 says {}", summary.avg_nodes, paper->nodes);
  if (!edges) {
    text += fmt::format("{}{:.2f} edges a graph where table 2 says {}", nodes ? "nodes agree; " : ", ",
                        summary.avg_edges, paper->edges);
  }
  if (summary.name == data::kFrankensteinAtoms)
    text += "; these are FRANKENSTEIN's molecules with atom labels in place of its 780 pixel values";
  return text;
}

}  // namespace dotin::app
