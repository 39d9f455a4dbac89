// The words of enumerations, as options, files and messages have them.
#pragma once

#include <string>
#include <vector>

#include "dotin/core/registry.h"

namespace dotin::core {

/// The words of an enumeration, in the order of its enumerators, which count from 0. Specialised where the enumeration
/// has its table.
template <class Enum>
const std::vector<std::string>& words();

template <class Enum>
const std::string& word(Enum value) {
  return words<Enum>().at(static_cast<std::size_t>(value));
}

/// The place of a word; core::UsageError that lists the words for one that is none of them. what: e.g. "backbone".
std::size_t place_of_word(const std::string& what, const std::string& word, const std::vector<std::string>& words);

template <class Enum>
Enum from_word(const std::string& what, const std::string& word) {
  return static_cast<Enum>(place_of_word(what, word, words<Enum>()));
}

}  // namespace dotin::core
