// Standard input, output and error are there before any file is.
#pragma once

namespace dotin::app {

/// To be called first. Of the three, those that were closed (`2>&-`) are opened so that every use fails: otherwise the
/// next file opened would take the number, and log lines would go into it. Exits with 1 where that is not possible.
void keep_standard_descriptors();

}  // namespace dotin::app
