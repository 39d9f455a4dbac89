#include "dotin/network/config.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "dotin/core/error.h"
#include "dotin/core/registry.h"
#include "dotin/io/atomic_file.h"
#include "dotin/io/text.h"

namespace dotin::network {

namespace {

using nlohmann::json;

// ---- Writing values ----

std::string quoted(const std::string& text) {
  DOTIN_CHECK(io::is_utf8(text), "'{}' is not UTF-8 text, which config.toml could not hold: give it another name",
              io::to_utf8(text));
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string written(bool value) { return value ? "true" : "false"; }
std::string written(int64_t value) { return fmt::format("{}", value); }
std::string written(const std::string& value) { return quoted(value); }
std::string written(double value) {
  const std::string shortest = fmt::format("{}", value);
  return shortest.find_first_of(".e") == std::string::npos ? shortest + ".0" : shortest;
}
template <class T>
std::string written(const std::vector<T>& values) {
  std::vector<std::string> parts;
  for (const T& value : values) parts.push_back(written(value));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// As a comment may have it: names of columns come from the data.
std::string on_one_line(std::string text) {
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), control, '?');
  return text;
}

bool finite(double value) { return std::isfinite(value); }
bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}
template <class T>
bool finite(const T&) {
  return true;
}

/// One function for options of every type: `visitor.option(about, value)`.
template <class Visitor>
class VisitorOf : public core::OptionVisitor {
 public:
  void group(const std::string&) override {}
  void visit(const core::OptionAbout& about, bool& value) override { option(about, value); }
  void visit(const core::OptionAbout& about, int64_t& value) override { option(about, value); }
  void visit(const core::OptionAbout& about, double& value) override { option(about, value); }
  void visit(const core::OptionAbout& about, std::string& value) override { option(about, value); }
  void visit(const core::OptionAbout& about, core::Choice value) override {
    std::string word = value.word();
    option(about, word);
    value.set(about.name, word);
  }
  void visit(const core::OptionAbout& about, std::vector<double>& value) override { option(about, value); }
  void visit(const core::OptionAbout& about, std::vector<std::string>& value) override { option(about, value); }

 private:
  template <class T>
  void option(const core::OptionAbout& about, T& value) {
    static_cast<Visitor*>(this)->option(about, value);
  }
};

class TomlWriter : public VisitorOf<TomlWriter> {
 public:
  explicit TomlWriter(const ValuesUsed& used) : used_(used) {}

  void group(const std::string& title) override { text += fmt::format("\n# ==== {} ====\n", title); }

  template <class T>
  void option(const core::OptionAbout& about, T& value) {
    DOTIN_CHECK(finite(value), "option {} must be finite to be written down", about.name);
    text += fmt::format("\n# {}", about.help);
    if (!about.choices.empty()) text += fmt::format(" ({})", fmt::join(about.choices, ", "));
    text += fmt::format("\n{} = {}", about.name, written(value));
    if (const auto used = used_.find(about.name); used != used_.end()) text += "  # used: " + on_one_line(used->second);
    text += '\n';
  }

  std::string text = "# All options of a run; docs/options.md says what they do.\n";

 private:
  const ValuesUsed& used_;
};

class JsonWriter : public VisitorOf<JsonWriter> {
 public:
  template <class T>
  void option(const core::OptionAbout& about, T& value) {
    DOTIN_CHECK(finite(value), "option {} must be finite to be written down", about.name);
    object[about.name] = value;
  }

  json object = json::object();
};

// ---- Reading values ----

/// A value as TOML and JSON both have it; std::monostate for what no option takes (dates, tables, null).
struct Value {
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<Value>> of;
};

Value value_of(const toml::node& node) {
  if (const auto* v = node.as_boolean()) return {v->get()};
  if (const auto* v = node.as_integer()) return {v->get()};
  if (const auto* v = node.as_floating_point()) return {v->get()};
  if (const auto* v = node.as_string()) return {v->get()};
  if (const auto* array = node.as_array()) {
    std::vector<Value> values;
    for (const toml::node& element : *array) values.push_back(value_of(element));
    return {std::move(values)};
  }
  return {};
}

Value value_of(const json& node) {
  if (node.is_boolean()) return {node.get<bool>()};
  if (node.is_number_unsigned() && node.get<uint64_t>() > INT64_MAX) return {node.get<double>()};
  if (node.is_number_integer()) return {node.get<int64_t>()};
  if (node.is_number_float()) return {node.get<double>()};
  if (node.is_string()) return {node.get<std::string>()};
  if (node.is_array()) {
    std::vector<Value> values;
    for (const json& element : node) values.push_back(value_of(element));
    return {std::move(values)};
  }
  return {};
}

/// One named value on its way to the option of that name. `where` starts every error message.
class OptionSetter : public VisitorOf<OptionSetter> {
 public:
  OptionSetter(std::string where, std::string name, const Value& value)
      : where_(std::move(where)), name_(std::move(name)), value_(value) {}

  template <class T>
  void option(const core::OptionAbout& about, T& option) {
    names_.push_back(about.name);
    if (about.name != name_) return;
    found_ = true;
    assign(about, value_, option);
  }

  void check_found() const {
    DOTIN_CHECK(found_, "{}: unknown option '{}'{}; docs/options.md lists all", where_, name_,
                core::suggestion(name_, names_));
  }

 private:
  [[noreturn]] void wrong_type(const char* wanted) const {
    core::fail("{}: option '{}' must be {}", where_, name_, wanted);
  }

  void assign(const core::OptionAbout&, const Value& value, bool& option) const {
    if (!std::holds_alternative<bool>(value.of)) wrong_type("true or false");
    option = std::get<bool>(value.of);
  }

  void assign(const core::OptionAbout&, const Value& value, int64_t& option) const {
    if (!std::holds_alternative<int64_t>(value.of)) wrong_type("an integer");
    option = std::get<int64_t>(value.of);
  }

  void assign(const core::OptionAbout&, const Value& value, double& option) const {
    if (const auto* integer = std::get_if<int64_t>(&value.of)) {
      option = static_cast<double>(*integer);
    } else {
      const auto* number = std::get_if<double>(&value.of);
      if (number == nullptr || !std::isfinite(*number)) wrong_type("a finite number");
      option = *number;
    }
  }

  void assign(const core::OptionAbout& about, const Value& value, std::string& option) const {
    const auto* text = std::get_if<std::string>(&value.of);
    if (text == nullptr) wrong_type("a text in quotes");
    if (!about.choices.empty() && std::find(about.choices.begin(), about.choices.end(), *text) == about.choices.end()) {
      core::fail("{}: option '{}' cannot be '{}'{}; there are: {}", where_, name_, *text,
                 core::suggestion(*text, about.choices), fmt::join(about.choices, ", "));
    }
    option = *text;
  }

  template <class T>
  void assign(const core::OptionAbout& about, const Value& value, std::vector<T>& option) const {
    const auto* elements = std::get_if<std::vector<Value>>(&value.of);
    if (elements == nullptr) wrong_type("a list, e.g. [0.5] or [\"labels\"]");
    std::vector<T> list(elements->size());
    for (std::size_t i = 0; i < list.size(); ++i) assign(about, (*elements)[i], list[i]);
    option = std::move(list);
  }

  std::string where_, name_;
  const Value& value_;
  std::vector<std::string> names_;
  bool found_ = false;
};

struct Entry {
  std::string where, name;
  Value value;
};

void set_option(RunOptions& options, const Entry& entry) {
  OptionSetter setter(entry.where, entry.name, entry.value);
  options.describe(setter);
  setter.check_found();
}

/// `options` with the entries set; the preset among them comes first, for it sets everything else.
RunOptions with_entries(RunOptions options, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (entry.name != "preset") continue;
    set_option(options, entry);
    options = preset(options.preset);
  }
  for (const Entry& entry : entries) set_option(options, entry);
  return options;
}

// ---- docs/options.md ----

/// All options as config.toml writes them.
class ValuesReader : public VisitorOf<ValuesReader> {
 public:
  explicit ValuesReader(RunOptions options) { options.describe(*this); }

  template <class T>
  void option(const core::OptionAbout& about, T& value) {
    names.push_back(about.name);
    values.push_back(written(value));
  }

  std::vector<std::string> names, values;
};

std::string escaped_cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '[' || c == '<') result += '\\';
    result += c;
  }
  return result;
}

class MarkdownWriter : public VisitorOf<MarkdownWriter> {
 public:
  MarkdownWriter() {
    for (const std::string& name : core::words<Preset>())
      defaults_.push_back(ValuesReader(preset(core::from_word<Preset>("preset", name))).values);
    table_head();
  }

  void group(const std::string& title) override {
    text += fmt::format("\n## {}\n", title);
    table_head();
  }

  template <class T>
  void option(const core::OptionAbout& about, T&) {
    std::string flag = about.name == "data" ? "DATA" : "--" + about.name;  // the dataset is an argument, not a flag
    std::replace(flag.begin(), flag.end(), '_', '-');
    text += fmt::format("| `{}` | `{}` |", about.name, flag);
    for (const auto& defaults : defaults_) text += fmt::format(" `{}` |", defaults[row_]);
    text += " " + escaped_cell(about.help);
    if (!about.choices.empty()) text += fmt::format(": `{}`", fmt::join(about.choices, "`, `"));
    text += " |\n";
    ++row_;
  }

  std::string text =
      "# Options\n\n"
      "Made from the option descriptions in the code by the test `training.Config.OptionsPageIsCurrent`\n"
      "(`DOTIN_UPDATE=1` writes the page anew).\n\n"
      "Defaults < config file (`--config run.toml`, keys as in the first column) < command line.\n"
      "A yes-or-no option takes `--name` and `--no-name`; a list takes commas.\n";

 private:
  void table_head() {
    text += "\n| key | flag |";
    for (const std::string& name : core::words<Preset>()) text += fmt::format(" preset `{}` |", name);
    text += " what it does |\n| --- | --- |";
    for (std::size_t i = 0; i < core::words<Preset>().size(); ++i) text += " --- |";
    text += " --- |\n";
  }

  std::vector<std::vector<std::string>> defaults_;
  std::size_t row_ = 0;
};

}  // namespace

std::string to_toml(RunOptions options, const ValuesUsed& used) {
  TomlWriter writer(used);
  options.describe(writer);
  return writer.text;
}

ValuesUsed differences(const RunOptions& given, const RunOptions& used) {
  const ValuesReader before(given), after(used);
  ValuesUsed values;
  for (std::size_t option = 0; option < before.names.size(); ++option) {
    if (before.values[option] != after.values[option]) values[before.names[option]] = after.values[option];
  }
  return values;
}

void apply_toml(RunOptions& options, const std::string& text, const std::string& file) {
  const auto place = [&](const toml::source_region& source) {
    return core::to_string({file, static_cast<int64_t>(source.begin.line)});
  };
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    core::fail("{}: not valid TOML: {}", place(error.source()), error.description());
  }
  // A table gives its keys by the alphabet; the first mistake should be the first in the file.
  std::vector<std::pair<toml::source_position, Entry>> lines;
  for (const auto& [key, node] : table) {
    const std::string where = place(key.source());
    DOTIN_CHECK(!node.is_table() && !node.is_array_of_tables(),
                "{}: [{}] is a table, but options are plain keys: take the heading away", where, key.str());
    lines.push_back({key.source().begin, {where, std::string(key.str()), value_of(node)}});
  }
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Entry> entries;
  for (auto& line : lines) entries.push_back(std::move(line.second));
  options = with_entries(options, entries);
}

void apply_toml_file(RunOptions& options, const std::string& path) {
  core::naming_file(path, [&] { apply_toml(options, io::read_file(path, kMaxConfigBytes), path); });
}

json to_json(RunOptions options) {
  JsonWriter writer;
  options.describe(writer);
  return std::move(writer.object);
}

RunOptions options_from_json(const json& object, const std::string& where) {
  DOTIN_CHECK(object.is_object(), "{}: the options must be a JSON object", where);
  std::vector<Entry> entries;
  for (const auto& [key, node] : object.items()) entries.push_back({where, key, value_of(node)});
  return with_entries(RunOptions(), entries);
}

std::vector<PresetKnob> preset_knobs() {
  std::vector<ValuesReader> readers;
  for (const std::string& name : core::words<Preset>())
    readers.emplace_back(preset(core::from_word<Preset>("preset", name)));
  std::vector<PresetKnob> knobs;
  for (std::size_t option = 0; option < readers[0].names.size(); ++option) {
    PresetKnob knob{readers[0].names[option], {}};
    for (const ValuesReader& reader : readers) knob.values.push_back(reader.values[option]);
    const bool differs = std::any_of(knob.values.begin(), knob.values.end(),
                                     [&](const std::string& value) { return value != knob.values[0]; });
    if (differs) knobs.push_back(std::move(knob));
  }
  return knobs;
}

void apply_preset(RunOptions& options, Preset name) {
  const json chosen = to_json(preset(name));
  json object = to_json(options);
  for (const PresetKnob& knob : preset_knobs()) object[knob.name] = chosen[knob.name];
  options = options_from_json(object, "preset " + core::word(name));
}

std::string options_markdown() {
  MarkdownWriter writer;
  RunOptions().describe(writer);
  return writer.text;
}

}  // namespace dotin::network
