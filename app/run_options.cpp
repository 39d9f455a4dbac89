#include "run_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <variant>

#include "dotin/core/log.h"
#include "dotin/network/config.h"
#include "text.h"
#include "usage.h"

namespace dotin::app {

namespace {

/// A value of config.toml as one would give it on the command line: without quotes and brackets.
std::string as_given(const std::string& written) {
  if (written == "true") return "on";
  if (written == "false") return "off";
  std::string text;
  for (const char c : written) {
    if (c != '"' && c != '[' && c != ']' && c != ' ') text += c;
  }
  return text;
}

/// Registers an option per field.
class Registrar : public core::OptionVisitor {
 public:
  Registrar(CLI::App& command, std::map<std::string, CLI::Option*>& options) : command_(command), options_(options) {}

  void group(const std::string& title) override { group_ = title; }
  void visit(const core::OptionAbout& about, bool& value) override {
    const std::string flag = flag_of(about.name);
    note(about, command_.add_flag(flag + ",!--no-" + flag.substr(2), value, about.help + (value ? " (on)" : " (off)")));
  }
  void visit(const core::OptionAbout& about, int64_t& value) override {
    add(about, value, "INT")->transform(whole_number());
  }
  void visit(const core::OptionAbout& about, double& value) override { add(about, value, "NUMBER"); }
  void visit(const core::OptionAbout& about, std::string& value) override {
    if (about.name == "data") return;  // positional
    add(about, value, "WORD");
  }
  void visit(const core::OptionAbout& about, core::Choice value) override {
    CLI::Option* const option = command_.add_option_function<std::string>(
        flag_of(about.name), [name = about.name, value](const std::string& word) { value.set(name, word); },
        about.help);
    option->default_str(value.word())->check(CLI::IsMember(about.choices))->type_name("");
    note(about, option);
  }
  void visit(const core::OptionAbout& about, std::vector<double>& value) override {
    add(about, value, "NUMBER,...")->delimiter(',')->allow_extra_args(false);
  }
  void visit(const core::OptionAbout& about, std::vector<std::string>& value) override {
    CLI::Option* const option = add(about, value, "WORD,...")->delimiter(',')->allow_extra_args(false);
    if (!about.choices.empty()) option->check(CLI::IsMember(about.choices))->type_name("");
  }

 private:
  template <class T>
  CLI::Option* add(const core::OptionAbout& about, T& value, const char* type) {
    CLI::Option* const option =
        command_.add_option(flag_of(about.name), value, about.help)->capture_default_str()->type_name(type);
    note(about, option);
    return option;
  }
  void note(const core::OptionAbout& about, CLI::Option* option) {
    if (!group_.empty()) option->group(group_);
    options_[about.name] = option;
  }

  CLI::App& command_;
  std::map<std::string, CLI::Option*>& options_;
  std::string group_;
};

using Value = std::variant<bool, int64_t, double, std::string, std::vector<double>, std::vector<std::string>>;

/// Reads the fields that were given on the command line, or writes them into other options.
class Transfer : public core::OptionVisitor {
 public:
  explicit Transfer(const std::map<std::string, CLI::Option*>& options) : options_(options) {}
  void start_writing() { writing_ = true; }

  void group(const std::string&) override {}
  void visit(const core::OptionAbout& about, bool& value) override { move(about, value); }
  void visit(const core::OptionAbout& about, int64_t& value) override { move(about, value); }
  void visit(const core::OptionAbout& about, double& value) override { move(about, value); }
  void visit(const core::OptionAbout& about, std::string& value) override { move(about, value); }
  void visit(const core::OptionAbout& about, core::Choice value) override {
    std::string word = value.word();
    move(about, word);
    value.set(about.name, word);
  }
  void visit(const core::OptionAbout& about, std::vector<double>& value) override { move(about, value); }
  void visit(const core::OptionAbout& about, std::vector<std::string>& value) override { move(about, value); }

 private:
  template <class T>
  void move(const core::OptionAbout& about, T& value) {
    const auto found = options_.find(about.name);
    if (found == options_.end() || found->second->count() == 0) return;
    if (writing_) {
      value = std::get<T>(values_.at(about.name));
    } else {
      values_[about.name] = value;
    }
  }

  const std::map<std::string, CLI::Option*>& options_;
  std::map<std::string, Value> values_;
  bool writing_ = false;
};

}  // namespace

void RunOptionsParser::add_to(CLI::App& command) {
  command.add_option("--config", config_, "Options from a TOML file, e.g. the config.toml of another run")
      ->type_name("FILE");
  Registrar registrar(command, options_);
  parsed_.describe(registrar);
}

std::string RunOptionsParser::preset_table() {
  const auto row = [](const std::string& name, const std::vector<std::string>& values) {
    std::string text = fmt::format("\n  {:<22}", name);
    for (std::size_t i = 0; i + 1 < values.size(); ++i) text += fmt::format(" {:<16}", values[i]);
    return text + " " + values.back();
  };
  std::string text = "What the presets set:" + row("", core::words<Preset>());
  for (network::PresetKnob& knob : network::preset_knobs()) {
    if (knob.name == "preset") continue;
    for (std::string& value : knob.values) value = as_given(value);
    text += row(flag_of(knob.name), knob.values);
  }
  return text;
}

network::RunOptions RunOptionsParser::resolve(const std::string& base_config) const {
  network::RunOptions given = parsed_;
  network::RunOptions result;
  const std::string& config = base_config.empty() ? config_ : base_config;
  if (!config.empty()) network::apply_toml_file(result, config);
  if (options_.at("preset")->count() > 0) network::apply_preset(result, given.preset);
  Transfer transfer(options_);
  given.describe(transfer);
  transfer.start_writing();
  result.describe(transfer);
  return result;
}

std::vector<std::string> RunOptionsParser::given() const {
  std::vector<std::string> names;
  if (!config_.empty()) names.push_back("--config");
  for (const auto& [name, option] : options_) {
    if (option->count() > 0) names.push_back(flag_of(name));
  }
  return names;
}

void RunOptionsParser::warn_without_effect(const network::RunOptions& options) const {
  for (const auto& [name, why] : options.without_effect()) {
    const auto option = options_.find(name);
    if (option == options_.end() || option->second->count() == 0) continue;
    core::log_warning("{} has no effect {}", flag_of(name), why);
  }
}

}  // namespace dotin::app
