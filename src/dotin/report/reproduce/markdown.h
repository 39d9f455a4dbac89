// An outcome as Markdown, with its charts as pictures beside it.
#pragma once

#include <string>

namespace dotin::report::reproduce {

struct Outcome;

std::string to_markdown(const Outcome& outcome);

}  // namespace dotin::report::reproduce
