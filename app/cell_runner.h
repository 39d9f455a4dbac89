// Runs the cells of `dotin reproduce`, each in processes of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "context.h"
#include "reproduce/cell_store.h"

namespace dotin::app {

struct RunnerOptions {
  std::string folder;                                    // runs/<key> and logs/<key>.* go into it
  int64_t jobs = 1;                                      // cells at a time, but for those that want to be alone
  std::function<double(const std::string&)> data_bytes;  // by DATA argument: how much work a cell is
};

/// Runs the cells that the store does not have; those that failed before are run again. Cells that measure come last,
/// one at a time. A run that was stopped goes on where its folder is. A cell that fails is kept with its error.
/// Returns how many failed. After a signal the children are told, write their checkpoints, and Interrupted is thrown.
int64_t run_cells(const std::vector<reproduce::Cell>& cells, reproduce::CellStore& store, const RunnerOptions& options,
                  Context& context);

}  // namespace dotin::app
