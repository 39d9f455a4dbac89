// A run's options as config.toml, as JSON inside model files, and as docs/options.md: all made from the one
// description in options.h, so that none of them can miss an option.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dotin/network/run_options.h"

namespace dotin::network {

inline constexpr int64_t kMaxConfigBytes = 1 << 20;

/// By an option's name, what a run used where the option stands for something that depends on others or on the data.
using ValuesUsed = std::map<std::string, std::string>;

/// The options in which `used` differs from `given`, as config.toml writes them.
ValuesUsed differences(const RunOptions& given, const RunOptions& used);

/// Every option, with its help text as a comment, and what was used behind those that stand for it. Reading it back
/// gives equal options, numbers exact to the last bit.
std::string to_toml(RunOptions options, const ValuesUsed& used = {});

/// Sets the options that the text has. If it has `preset`, all others are first set to that preset's defaults.
/// An unknown key, a wrong type or an invalid word is a core::Error that names file and line; options are then as they
/// were before. An integer will do where a real number is wanted. Ranges are not checked: RunOptions::validate does.
void apply_toml(RunOptions& options, const std::string& text, const std::string& file);
void apply_toml_file(RunOptions& options, const std::string& path);

/// One flat object with every option.
nlohmann::json to_json(RunOptions options);

/// The inverse. Options that are missing have the defaults of the object's `preset`; an unknown key, a wrong type or an
/// invalid word is a core::Error that names `where` (the model file, say) and the key.
RunOptions options_from_json(const nlohmann::json& object, const std::string& where);

/// An option that the presets set differently (`preset` itself among them), with its value in each as config.toml
/// writes it, in the order of preset_names().
struct PresetKnob {
  std::string name;
  std::vector<std::string> values;
};
std::vector<PresetKnob> preset_knobs();

/// Sets what the presets differ in to the values of this one; all other options stay as they are.
void apply_preset(RunOptions& options, Preset name);

/// The page docs/options.md: each option with its default in every preset, its choices and its help.
std::string options_markdown();

}  // namespace dotin::network
