#include "dotin/network/output.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/core/registry.h"

namespace dotin::network {

namespace {

std::vector<double> softmax(const double* logits, int64_t width) {
  const double largest = *std::max_element(logits, logits + width);
  std::vector<double> probabilities;
  double sum = 0;
  for (int64_t c = 0; c < width; ++c) sum += probabilities.emplace_back(std::exp(logits[c] - largest));
  for (double& probability : probabilities) probability /= sum;
  return probabilities;
}

double sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

using Factory = std::shared_ptr<Output> (*)(const TaskSpec&);

template <class T>
std::shared_ptr<Output> make(const TaskSpec& spec) {
  return std::make_shared<T>(spec);
}

const core::Registry<Factory>& registry() {
  static const core::Registry<Factory> kinds("task", {
                                                         {"classify", make<ClassOutput>},
                                                         {"regress", make<NumberOutput>},
                                                         {"multilabel", make<AnswerOutput>},
                                                         {"ged", make<EmbeddingOutput>},
                                                     });
  return kinds;
}

}  // namespace

std::vector<std::string> task_kinds() { return registry().names(); }

std::shared_ptr<Output> make_output(const TaskSpec& spec) { return registry().get(spec.kind)(spec); }

int64_t ClassOutput::width(int64_t) const { return static_cast<int64_t>(classes.size()); }

Reading ClassOutput::read(const double* row, int64_t width) const {
  Reading reading;
  reading.logits.assign(row, row + width);
  reading.probabilities = softmax(row, width);
  reading.label = classes[static_cast<std::size_t>(std::max_element(row, row + width) - row)];
  return reading;
}

double ClassOutput::change(const double* before, const double* after, int64_t width) const {
  const auto best = static_cast<std::size_t>(std::max_element(before, before + width) - before);
  return softmax(before, width)[best] - softmax(after, width)[best];
}

nlohmann::json ClassOutput::to_json() const { return {{"classes", classes}}; }

void ClassOutput::from_json(const nlohmann::json& json) {
  classes = json.at("classes").get<std::vector<std::string>>();
  DOTIN_CHECK(classes.size() >= 2, "task '{}' has {} class(es)", name(), classes.size());
}

int64_t NumberOutput::width(int64_t) const { return static_cast<int64_t>(mean.size()); }

Reading NumberOutput::read(const double* row, int64_t width) const {
  Reading reading;
  for (int64_t c = 0; c < width; ++c) reading.values.push_back(row[c] * deviation[c] + mean[c]);
  return reading;
}

double NumberOutput::change(const double* before, const double* after, int64_t width) const {
  double sum = 0;
  for (int64_t c = 0; c < width; ++c) sum += std::abs(after[c] - before[c]);
  return sum / static_cast<double>(width);
}

nlohmann::json NumberOutput::to_json() const { return {{"mean", mean}, {"deviation", deviation}}; }

void NumberOutput::from_json(const nlohmann::json& json) {
  mean = json.at("mean").get<std::vector<double>>();
  deviation = json.at("deviation").get<std::vector<double>>();
  DOTIN_CHECK(!mean.empty() && mean.size() == deviation.size(), "task '{}' has {} means and {} deviations", name(),
              mean.size(), deviation.size());
}

int64_t AnswerOutput::width(int64_t) const { return questions; }

Reading AnswerOutput::read(const double* row, int64_t width) const {
  Reading reading;
  reading.logits.assign(row, row + width);
  for (int64_t c = 0; c < width; ++c) reading.probabilities.push_back(sigmoid(row[c]));
  return reading;
}

double AnswerOutput::change(const double* before, const double* after, int64_t width) const {
  // The probability of no is that of yes for the opposite logit.
  double sum = 0;
  for (int64_t c = 0; c < width; ++c) {
    const double answer = before[c] > 0 ? 1 : -1;
    sum += sigmoid(answer * before[c]) - sigmoid(answer * after[c]);
  }
  return sum / static_cast<double>(width);
}

nlohmann::json AnswerOutput::to_json() const { return {{"width", questions}}; }

void AnswerOutput::from_json(const nlohmann::json& json) {
  questions = json.at("width").get<int64_t>();
  DOTIN_CHECK(questions >= 1 && questions <= 1'000'000, "task '{}' has {} labels", name(), questions);
}

Reading EmbeddingOutput::read(const double* row, int64_t width) const {
  Reading reading;
  reading.embedding.assign(row, row + width);
  return reading;
}

double EmbeddingOutput::change(const double* before, const double* after, int64_t width) const {
  double apart = 0, length = 0;
  for (int64_t c = 0; c < width; ++c) {
    apart += (after[c] - before[c]) * (after[c] - before[c]);
    length += before[c] * before[c];
  }
  return apart > 0 ? std::sqrt(apart / length) : 0;
}

nlohmann::json EmbeddingOutput::to_json() const {
  return {{"distance", squared ? "squared" : "euclidean"}, {"margin", margin}, {"scale", by_nodes ? "nodes" : "none"}};
}

void EmbeddingOutput::from_json(const nlohmann::json& json) {
  squared = json.at("distance").get<std::string>() == "squared";
  margin = json.at("margin").get<double>();
  by_nodes = json.at("scale").get<std::string>() == "nodes";
}

}  // namespace dotin::network
