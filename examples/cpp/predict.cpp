// Predicts a graph of the program's own, without libtorch: predict MODEL
#include <dotin/predictor.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: predict MODEL\n", 2;
  try {
    const dotin::Predictor predictor(argv[1]);
    dotin::Graph graph;
    graph.labels = {{"0", "1", "1", "2"}};  // one column of labels
    graph.edges = {{0, 1}, {1, 2}, {2, 3}};
    const dotin::Prediction prediction = predictor.predict(graph);
    std::cout << prediction["classify"].label << ' ' << prediction["classify"].probability << '\n';

    graph.edges.emplace_back(3, 9);  // a node that is not there
    predictor.predict(graph);
  } catch (const dotin::Error& error) {
    std::cout << error.what() << '\n';
  }
}
