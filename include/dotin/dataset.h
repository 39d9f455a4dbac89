// Graphs: from files, or from a program's own memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dotin/error.h"
#include "dotin/options.h"

namespace dotin {

namespace data {
class View;
}

/// What is known of a graph and may be learned: a class by name, or numbers.
struct Target {
  Target() = default;
  Target(std::string name) : text(std::move(name)) {}
  Target(const char* name) : text(name) {}
  Target(double number) : numbers{number} {}
  Target(std::vector<double> values) : numbers(std::move(values)) {}

  std::string text;             // empty where it is numbers
  std::vector<double> numbers;  // NaN where one is missing
};

/// One graph. Its nodes count from 0.
struct Graph {
  std::string id;                                  // what it is called; may be empty
  int64_t nodes = 0;                               // 0: as many as labels, attributes or edges say
  std::vector<std::pair<int64_t, int64_t>> edges;  // undirected; each once, or in both directions
  std::vector<std::vector<std::string>> labels;    // per label column a word for every node; most data has one column
  std::vector<std::vector<double>> attributes;     // for every node a row of numbers
  std::map<std::string, Target> targets;           // by name; "label" is what a classify task learns
};

/// Graphs that do not change. Copies and parts share memory, so that they cost next to nothing.
class Dataset {
 public:
  /// For open, dataset and split.
  explicit Dataset(std::shared_ptr<const data::View> view) : view_(std::move(view)) {}

  int64_t size() const;
  const std::string& name() const;
  /// `dotin::Graph graph = data[12];` dotin::Error for an index that is not from 0 to size() - 1.
  Graph operator[](int64_t index) const;
  /// The graphs at these places, in this order: `data.subset({0, 2, 4})`
  Dataset subset(const std::vector<int64_t>& places) const;
  /// {the others, a share of `test`}, drawn by the seed, with the classes of target "label" in proportion:
  /// `const auto [train, test] = data.split(0.1, 0);`
  std::pair<Dataset, Dataset> split(double test = 0.1, uint64_t seed = 0) const;

  /// What the other parts of the library read.
  const data::View& view() const { return *view_; }

 private:
  std::shared_ptr<const data::View> view_;
};

/// A TU folder or zip, a JSON Lines file, a folder of CSV files, a packed file, or a name to look for in $DOTIN_DATA
/// and the download cache: `dotin::open("DD.zip")`
Dataset open(const std::string& path, Duplicates duplicates = Duplicates::merge);

/// A dataset of one's own: `dotin::dataset(graphs)`. dotin::Error that names the first graph that makes no sense, by
/// place and id: an edge to a node that is not there, a label for some nodes only, a number that is not finite.
Dataset dataset(const std::vector<Graph>& graphs, const std::string& name = "graphs");

}  // namespace dotin
