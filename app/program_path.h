// The programs that dotin is made of, and how one hands over to another.
#pragma once

#include <string>

namespace dotin::app {

/// Thrown by a command that this program cannot do, for main to run it in dotin-learn. Nothing must have been written.
struct HandOver {};

/// Runs another program of dotin in the place of this one: beside it in a build folder, in libexec/dotin once
/// installed. Returns, with the exit code, only where there is none.
int become(const std::string& name, char** argv);

}  // namespace dotin::app
