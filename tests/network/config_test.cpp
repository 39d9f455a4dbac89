#include "dotin/network/config.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "support/expect.h"
#include "support/temporary_folder.h"

namespace dotin::network {
namespace {

/// Every option by name, as text that tells any two different values apart.
class Lister : public core::OptionVisitor {
 public:
  void group(const std::string&) override {}
  void visit(const core::OptionAbout& about, bool& value) override { add(about, value ? "yes" : "no"); }
  void visit(const core::OptionAbout& about, int64_t& value) override { add(about, std::to_string(value)); }
  void visit(const core::OptionAbout& about, double& value) override { add(about, bits(value)); }
  void visit(const core::OptionAbout& about, std::string& value) override { add(about, value); }
  void visit(const core::OptionAbout& about, std::vector<double>& value) override {
    std::string all;
    for (const double element : value) all += bits(element) + ";";
    add(about, all);
  }
  void visit(const core::OptionAbout& about, core::Choice value) override { add(about, value.word()); }
  void visit(const core::OptionAbout& about, std::vector<std::string>& value) override {
    std::string all;
    for (const std::string& element : value) all += std::to_string(element.size()) + ":" + element + ";";
    add(about, all);
  }

  std::vector<std::pair<std::string, std::string>> options;

 private:
  static std::string bits(double value) {
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    return std::to_string(word);
  }
  void add(const core::OptionAbout& about, const std::string& text) { options.emplace_back(about.name, text); }
};

std::vector<std::pair<std::string, std::string>> listed(RunOptions options) {
  Lister lister;
  options.describe(lister);
  return lister.options;
}

/// Gives every option a random value that its description allows.
class Randomizer : public core::OptionVisitor {
 public:
  void group(const std::string&) override {}
  void visit(const core::OptionAbout&, bool& value) override { value = *rc::gen::arbitrary<bool>(); }
  void visit(const core::OptionAbout&, int64_t& value) override { value = *rc::gen::arbitrary<int64_t>(); }
  void visit(const core::OptionAbout&, double& value) override { value = number(); }
  void visit(const core::OptionAbout& about, std::string& value) override { value = word(about); }
  void visit(const core::OptionAbout& about, core::Choice value) override { value.set(about.name, word(about)); }
  void visit(const core::OptionAbout&, std::vector<double>& value) override {
    value.resize(*rc::gen::inRange<std::size_t>(0, 4));
    for (double& element : value) element = number();
  }
  void visit(const core::OptionAbout& about, std::vector<std::string>& value) override {
    value.resize(*rc::gen::inRange<std::size_t>(0, 4));
    for (std::string& element : value) element = word(about);
  }

 private:
  static double number() {
    // Any bit pattern: huge, tiny, subnormal, negative zero.
    return *rc::gen::suchThat(rc::gen::map(rc::gen::arbitrary<uint64_t>(),
                                           [](uint64_t word) {
                                             double value = 0;
                                             std::memcpy(&value, &word, sizeof value);
                                             return value;
                                           }),
                              [](double value) { return std::isfinite(value); });
  }
  static std::string word(const core::OptionAbout& about) {
    if (!about.choices.empty()) return *rc::gen::elementOf(about.choices);
    return *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  }
};

RunOptions random_options() {
  RunOptions options;
  Randomizer randomizer;
  options.describe(randomizer);
  return options;
}

/// The message of the error that applying the text throws.
std::string error_in(const std::string& text) {
  RunOptions options;
  const auto before = listed(options);
  try {
    apply_toml(options, text, "run.toml");
  } catch (const core::Error& error) {
    EXPECT_EQ(listed(options), before) << "a refused file must change nothing";
    return error.what();
  }
  return "no error";
}

RC_GTEST_PROP(Config, EveryOptionSurvivesToml, ()) {
  const RunOptions options = random_options();
  RunOptions read;
  apply_toml(read, to_toml(options), "run.toml");
  RC_ASSERT(listed(read) == listed(options));
}

RC_GTEST_PROP(Config, EveryOptionSurvivesJson, ()) {
  const RunOptions options = random_options();
  const nlohmann::json parsed = nlohmann::json::parse(to_json(options).dump());
  RC_ASSERT(listed(options_from_json(parsed, "model.safetensors")) == listed(options));
}

TEST(Config, AwkwardNumbersSurvive) {
  for (const double value : {0.1, -0.0, 1e-5, 8e-4, 1e16, 1e300, 5e-324, 123456789.0, 1.0 / 3}) {
    RunOptions options, from_toml;
    options.train.lr = value;
    options.model.drop_ratio = {value, 0.5};
    apply_toml(from_toml, to_toml(options), "run.toml");
    EXPECT_EQ(listed(from_toml), listed(options)) << value;
    const auto from_json = options_from_json(nlohmann::json::parse(to_json(options).dump()), "model");
    EXPECT_EQ(listed(from_json), listed(options)) << value;
  }
}

TEST(Config, TomlHasHeadingsHelpAndChoices) {
  const std::string text = to_toml(RunOptions());
  EXPECT_SAYS(text, "\n# ==== Model ====\n");
  EXPECT_SAYS(text, "\n# how neighbours are aggregated (gat, gcn, gin, sage)\nbackbone = \"gat\"\n");
  EXPECT_SAYS(text, "\nged_margin = 1.0\n");
  EXPECT_SAYS(text, "\ndrop_ratio = [0.5]\n");
}

TEST(Config, WhatWasUsedStandsBehindItsOptionAndIsNotReadBack) {
  RunOptions given, used;
  used.train.lr = 0.25;
  used.model.readout = dotin::Readout::virtual_nodes;
  ValuesUsed values = differences(given, used);
  EXPECT_EQ(values, (ValuesUsed{{"lr", "0.25"}, {"readout", "\"virtual\""}}));
  values["features"] = "label (3), a\nepochs = 7 (1)";  // a name in the data must not become an option
  const std::string text = to_toml(given, values);
  EXPECT_SAYS(text, "\nlr = 0.0  # used: 0.25\n");
  EXPECT_SAYS(text, "\nreadout = \"auto\"  # used: \"virtual\"\n");
  EXPECT_SAYS(text, "\nfeatures = [\"auto\"]  # used: label (3), a?epochs = 7 (1)\n");
  RunOptions read;
  apply_toml(read, text, "run.toml");
  EXPECT_EQ(listed(read), listed(given));
}

TEST(Config, OnlyTheKeysInTheFileChange) {
  RunOptions options;
  options.train.seed = 7;
  apply_toml(options, "epochs = 3\nlr = 1  # an integer will do\ndrop_ratio = [0, 0.5]\n", "run.toml");
  RunOptions expected;
  expected.train.seed = 7;
  expected.train.epochs = 3;
  expected.train.lr = 1;
  expected.model.drop_ratio = {0, 0.5};
  EXPECT_EQ(listed(options), listed(expected));
}

TEST(Config, PresetComesFirstWhereverItStands) {
  RunOptions options;
  apply_toml(options, "residual = true\npreset = \"paper\"\n", "run.toml");
  RunOptions expected = preset(Preset::paper);
  expected.model.residual = true;
  EXPECT_EQ(listed(options), listed(expected));

  const auto from_json = options_from_json({{"preset", "paper"}, {"residual", true}}, "model");
  EXPECT_EQ(listed(from_json), listed(expected));
}

TEST(Config, UnknownKeysNameTheLineAndTheNearestName) {
  EXPECT_SAYS(error_in("epochs = 3\nhiden = 4\n"), "run.toml:2: ");
  EXPECT_SAYS(error_in("epochs = 3\nhiden = 4\n"), "'hiden'");
  EXPECT_SAYS(error_in("epochs = 3\nhiden = 4\n"), "did you mean 'hidden'?");
  EXPECT_SAYS(error_in("zzz = 1\n\naaa = 1\n"), "run.toml:1: unknown option 'zzz'");
  EXPECT_SAYS(error_in("[model]\nhidden = 4\n"), "run.toml:1: ");
  EXPECT_SAYS(error_in("[model]\nhidden = 4\n"), "[model] is a table");
  EXPECT_SAYS(error_in("a.b = 4\n"), "run.toml:1: ");
}

TEST(Config, WrongTypesNameTheLine) {
  EXPECT_SAYS(error_in("\nepochs = 1.5\n"), "run.toml:2: option 'epochs' must be an integer");
  EXPECT_SAYS(error_in("epochs = \"3\"\n"), "run.toml:1: option 'epochs' must be an integer");
  EXPECT_SAYS(error_in("merge = 1\n"), "run.toml:1: option 'merge' must be true or false");
  EXPECT_SAYS(error_in("lr = \"fast\"\n"), "run.toml:1: option 'lr' must be a finite number");
  EXPECT_SAYS(error_in("lr = inf\n"), "run.toml:1: option 'lr' must be a finite number");
  EXPECT_SAYS(error_in("backbone = 3\n"), "run.toml:1: option 'backbone' must be a text");
  EXPECT_SAYS(error_in("drop_ratio = 0.5\n"), "run.toml:1: option 'drop_ratio' must be a list");
  EXPECT_SAYS(error_in("drop_ratio = [0.5, true]\n"), "run.toml:1: option 'drop_ratio' must be a finite");
  EXPECT_SAYS(error_in("seed = 1979-05-27\n"), "run.toml:1: option 'seed' must be an integer");
}

TEST(Config, InvalidWordsNameTheLineAndTheChoices) {
  EXPECT_SAYS(error_in("\n\nbackbone = \"gcm\"\n"), "run.toml:3: ");
  EXPECT_SAYS(error_in("\n\nbackbone = \"gcm\"\n"), "did you mean 'gcn'?");
  EXPECT_SAYS(error_in("\n\nbackbone = \"gcm\"\n"), "gat, gcn, gin, sage");
  EXPECT_SAYS(error_in("features = [\"labels\", \"degrees\"]\n"), "did you mean 'degree'?");
  EXPECT_SAYS(error_in("preset = \"papers\"\n"), "run.toml:1: ");
  EXPECT_SAYS(error_in("preset = \"papers\"\n"), "'paper'");
}

TEST(Config, WhatIsNotTomlNamesTheLine) {
  EXPECT_SAYS(error_in("epochs = 1\nlr = \n"), "run.toml:2: not valid TOML: ");
  EXPECT_SAYS(error_in("epochs = 1\nepochs = 2\n"), "run.toml:2: not valid TOML: ");
  EXPECT_SAYS(error_in("seed = 99999999999999999999\n"), "run.toml:1: not valid TOML: ");
}

TEST(Config, FilesAreReadAndMissingOnesNamed) {
  const testing::TemporaryFolder folder;
  RunOptions options;
  apply_toml_file(options, folder.write("run.toml", "epochs = 9\n"));
  EXPECT_EQ(options.train.epochs, 9);
  EXPECT_THROW(apply_toml_file(options, folder / "none.toml"), core::Error);
}

TEST(Config, JsonMistakesNameTheKey) {
  const auto error_with = [](const nlohmann::json& object) -> std::string {
    try {
      options_from_json(object, "model.safetensors");
    } catch (const core::Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_SAYS(error_with({{"hiden", 4}}), "model.safetensors: ");
  EXPECT_SAYS(error_with({{"hiden", 4}}), "'hiden'");
  EXPECT_SAYS(error_with({{"hidden", nullptr}}), "option 'hidden' must be an integer");
  EXPECT_SAYS(error_with({{"hidden", 18446744073709551615ULL}}), "option 'hidden' must be an integer");
  EXPECT_SAYS(error_with({{"backbone", "x"}}), "option 'backbone' cannot be 'x'");
  EXPECT_SAYS(error_with(nlohmann::json::array()), "must be a JSON object");
}

TEST(Config, WhatCannotBeReadBackIsNotWritten) {
  RunOptions options;
  options.model.temperature = std::numeric_limits<double>::infinity();
  EXPECT_THROW(to_toml(options), core::Error);
  EXPECT_THROW(to_json(options), core::Error);
}

TEST(Config, OptionsPageIsCurrent) {
  const std::string path = DOTIN_SOURCE_DIR "/docs/options.md";
  const char* const update = std::getenv("DOTIN_UPDATE");
  if (update != nullptr && std::string(update) == "1") std::ofstream(path, std::ios::binary) << options_markdown();
  EXPECT_EQ(testing::read_text(path), options_markdown()) << "run this test with DOTIN_UPDATE=1 to write it anew";
}

}  // namespace
}  // namespace dotin::network
