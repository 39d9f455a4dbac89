// Options that describe themselves: the command line, config.toml, model files and docs/options.md are all made from
// one description.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dotin::core {

/// Name (snake_case; --kebab-case on the command line), what it does, and the valid words where there is a fixed set.
struct OptionAbout {
  std::string name;
  std::string help;
  std::vector<std::string> choices;
};

/// Sees every option of a struct in turn. Each options struct has `void describe(core::OptionVisitor&)`.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  /// A heading for the options that follow.
  virtual void group(const std::string& title) = 0;
  virtual void visit(const OptionAbout& about, bool& value) = 0;
  virtual void visit(const OptionAbout& about, int64_t& value) = 0;
  virtual void visit(const OptionAbout& about, double& value) = 0;
  virtual void visit(const OptionAbout& about, std::string& value) = 0;
  virtual void visit(const OptionAbout& about, std::vector<double>& value) = 0;
  virtual void visit(const OptionAbout& about, std::vector<std::string>& value) = 0;
};

/// Refuses words that are none of an option's choices with core::UsageError.
class ChoiceCheck : public OptionVisitor {
 public:
  void group(const std::string&) override {}
  void visit(const OptionAbout&, bool&) override {}
  void visit(const OptionAbout&, int64_t&) override {}
  void visit(const OptionAbout&, double&) override {}
  void visit(const OptionAbout& about, std::string& value) override;
  void visit(const OptionAbout&, std::vector<double>&) override {}
  void visit(const OptionAbout& about, std::vector<std::string>& value) override;
};

/// The same for all options of a struct. The command line has checked them, other programs have not.
template <class Options>
void check_choices(Options options) {
  ChoiceCheck check;
  options.describe(check);
}

}  // namespace dotin::core
