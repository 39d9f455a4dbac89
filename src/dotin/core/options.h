// Options that describe themselves: the command line, config.toml, model files and docs/options.md are all made from
// one description.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "dotin/core/words.h"

namespace dotin::core {

/// Name (snake_case; --kebab-case on the command line), what it does, and the valid words where there is a fixed set.
struct OptionAbout {
  std::string name;
  std::string help;
  std::vector<std::string> choices = {};
};

/// An option that is one of a fixed set of words, whatever its enumeration. Valid as long as the option is.
class Choice {
 public:
  template <class Enum, class = std::enable_if_t<std::is_enum_v<Enum>>>
  explicit Choice(Enum& value)
      : words_(words<Enum>()),
        get_([&value] { return static_cast<std::size_t>(value); }),
        set_([&value](std::size_t place) { value = static_cast<Enum>(place); }) {}

  /// False for a number that stands for no word, as a program may cast one.
  bool valid() const { return get_() < words_.size(); }
  const std::string& word() const { return words_.at(get_()); }
  /// what: for the message about a word that is none of them.
  void set(const std::string& what, const std::string& word) const { set_(place_of_word(what, word, words_)); }

 private:
  const std::vector<std::string>& words_;
  std::function<std::size_t()> get_;
  std::function<void(std::size_t)> set_;
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
  virtual void visit(const OptionAbout& about, Choice value) = 0;
  virtual void visit(const OptionAbout& about, std::vector<double>& value) = 0;
  virtual void visit(const OptionAbout& about, std::vector<std::string>& value) = 0;

  /// An enumeration: its words are the choices.
  template <class Enum, class = std::enable_if_t<std::is_enum_v<Enum>>>
  void visit(OptionAbout about, Enum& value) {
    about.choices = words<Enum>();
    visit(about, Choice(value));
  }
};

/// Refuses words that are none of an option's choices with core::UsageError.
class ChoiceCheck : public OptionVisitor {
 public:
  using OptionVisitor::visit;
  void group(const std::string&) override {}
  void visit(const OptionAbout&, bool&) override {}
  void visit(const OptionAbout&, int64_t&) override {}
  void visit(const OptionAbout&, double&) override {}
  void visit(const OptionAbout&, std::string&) override {}
  void visit(const OptionAbout& about, Choice value) override;
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
