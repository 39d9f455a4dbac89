// dotin data: everything about datasets.
#include "commands.h"

#include <CLI/CLI.hpp>

namespace dotin::app {

void add_data(CLI::App& root, Context& context) {
  CLI::App& data = *root.add_subcommand("data", "Datasets: find, inspect, check, generate, pack");
  data.require_subcommand(1);
  set_examples(data, {"dotin data get PROTEINS", "dotin data info PROTEINS --json", "dotin data check my_graphs.jsonl",
                      "dotin data generate motif --graphs 1000 -o motif.jsonl"});
  add_data_list(data, context);
  add_data_get(data, context);
  add_data_info(data, context);
  add_data_check(data, context);
  add_data_generate(data, context);
  add_data_pack(data, context);
}

}  // namespace dotin::app
