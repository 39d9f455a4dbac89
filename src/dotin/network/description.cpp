#include "dotin/network/description.h"

#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/network/config.h"
#include "dotin/network/memory.h"

namespace dotin::network {

namespace {

constexpr int kFormatVersion = 1;

Description description_from(const nlohmann::json& about, const std::string& path) {
  const int64_t version = about.at("format_version").get<int64_t>();
  DOTIN_CHECK(version == kFormatVersion, "model format {} is not known to this version of dotin (it knows {})", version,
              kFormatVersion);
  Description description;
  description.options = options_from_json(about.at("options"), path);
  description.options.validate();
  description.features = data::FeatureMap::from_json(about.at("features"));
  for (const nlohmann::json& entry : about.at("tasks")) {
    TaskSpec spec;
    spec.name = entry.at("name").get<std::string>();
    spec.kind = entry.at("kind").get<std::string>();
    spec.target = entry.at("target").get<std::string>();
    spec.weight = entry.at("weight").get<double>();
    description.outputs.push_back(make_output(spec));
    description.outputs.back()->from_json(entry.at("fitted"));
  }
  return description;
}

/// The metadata may ask for a model of any size: what is allocated must not be far more than what the file holds.
void check_size(const Description& description, const io::SafetensorsFile& file) {
  int64_t there = 0;
  for (const auto& entry : file.tensors()) there += entry.second.elements;
  const int64_t wanted =
      predicted_parameters(description.options.model, description.features.width(), description.heads());
  constexpr int64_t kSmall = 1 << 20;
  DOTIN_CHECK(wanted / 4 < there + kSmall, "its options ask for about {} numbers, but it holds {}", wanted, there);
}

}  // namespace

std::vector<Head> Description::heads() const {
  std::vector<Head> heads;
  for (const auto& output : outputs) heads.push_back({output->name(), output->width(options.model.hidden)});
  return heads;
}

std::string to_text(const Description& description) {
  nlohmann::json about;
  about["format_version"] = kFormatVersion;
  about["options"] = to_json(description.options);
  about["features"] = description.features.to_json();
  for (const auto& output : description.outputs) {
    const TaskSpec& spec = output->spec();
    about["tasks"].push_back({{"name", spec.name},
                              {"kind", spec.kind},
                              {"target", spec.target},
                              {"weight", spec.weight},
                              {"fitted", output->to_json()}});
  }
  return about.dump();
}

Description read_description(const io::SafetensorsFile& file) {
  const std::string& path = file.path();
  const auto found = file.metadata().find(kDescriptionKey);
  DOTIN_CHECK(found != file.metadata().end(), "{}: not a dotin model: its metadata has no '{}'", path, kDescriptionKey);
  try {
    Description description = description_from(nlohmann::json::parse(found->second), path);
    check_size(description, file);
    return description;
  } catch (const nlohmann::json::exception& error) {
    core::fail("{}: the metadata of the model is damaged: {}", path, error.what());
  } catch (const core::Error& error) {
    // Also what would be wrong usage on the command line: here the file is at fault.
    core::fail("{}: not a model that can be read: {}", path, error.what());
  }
}

}  // namespace dotin::network
