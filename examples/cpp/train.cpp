// Trains a model, saves it, and predicts the graphs that it has not seen: train DATA MODEL
#include <dotin/dotin.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: train DATA MODEL\n", 2;
  try {
    const dotin::Dataset data = dotin::open(argv[1]);
    const auto [train, test] = data.split(/*test=*/0.1, /*seed=*/0);
    dotin::Options options;
    options.drop_ratio = {0.9};
    options.backbone = dotin::Backbone::gcn;
    options.epochs = 10;
    const dotin::Model model = dotin::train(train, options, [](const dotin::Epoch& epoch) {
      std::cerr << "epoch " << epoch.number << " of " << epoch.epochs << ", loss " << epoch.train_loss << '\n';
      return true;  // false stops
    });
    model.save(argv[2]);
    for (const dotin::Metric& metric : model.evaluate(test))
      std::cout << metric.task << ' ' << metric.name << ' ' << metric.value << '\n';

    const dotin::Predictor predictor(argv[2]);
    for (const dotin::Prediction& p : predictor.predict(test))
      std::cout << p.graph << ' ' << p["classify"].label << ' ' << p["classify"].probability << '\n';
    const dotin::Explanation why = predictor.explain(test[0]);
    std::cout << "graph 0 keeps";
    for (const int32_t node : why.layers[0].kept) std::cout << ' ' << node;
    std::cout << '\n';
  } catch (const dotin::Error& error) {
    return std::cerr << error.what() << '\n', 1;
  }
}
