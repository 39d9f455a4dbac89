// Where a command writes: never over something by accident. Checked before long work, not after it.
#pragma once

#include <functional>
#include <string>

namespace dotin::app {

/// core::Error unless a file can be written at path: nothing is there, or a file and --force was given.
void check_file_free(const std::string& path, bool force);

/// core::Error unless a dataset folder can be written at path: nothing or an empty folder is there; or, with --force, a
/// folder that holds nothing but files called NAME_*.txt, NAME being its own name.
void check_folder_free(const std::string& path, bool force);

/// Lets `write` fill a folder of the same name elsewhere, then puts it in place of what is there. A failure leaves
/// everything as it was.
void write_folder(const std::string& path, const std::function<void(const std::string& folder)>& write);

}  // namespace dotin::app
