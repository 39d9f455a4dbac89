// An outcome as Markdown, with its charts as pictures beside it.
#pragma once

#include <string>

namespace dotin::reproduce {

struct Outcome;

std::string to_markdown(const Outcome& outcome);

}  // namespace dotin::reproduce
