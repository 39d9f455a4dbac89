// dotin data get: download a dataset of the TU collection into the cache.
#include "commands.h"

#include <CLI/CLI.hpp>

#include "dotin/data/catalog.h"
#include "dotin/data/get.h"
#include "progress_bar.h"

namespace dotin::app {

namespace {

struct GetOptions {
  std::string name;
  data::GetOptions get;
};

int run_get(const GetOptions& options, Context& context) {
  std::string path;
  {
    ProgressBar bar(context.console, options.name, Unit::bytes);
    path = data::get_dataset(options.name, options.get, bar);
  }
  context.console.out(path + "\n");
  return 0;
}

}  // namespace

void add_data_get(CLI::App& data, Context& context) {
  CLI::App& command = *data.add_subcommand("get", "Download a dataset of the TU collection; prints where it is");
  const auto options = std::make_shared<GetOptions>();
  CLI::Option* const name = command.add_option("name", options->name, "Name in the TU collection, e.g. PROTEINS");
  name->required()->type_name("NAME");
  for (const auto& known : data::known_datasets()) context.suggestions[name].push_back(known.name);
  command.add_option("--mirror", options->get.mirror, "Folder or URL that holds NAME.zip")
      ->type_name("DIR|URL")
      ->check([](const std::string& mirror) {
        // Of a variable that is not set, say: it must not mean the public site.
        return mirror.empty() ? std::string("is empty: name a folder or URL, or leave --mirror out") : std::string();
      });
  command.add_flag("--force", options->get.force, "Download again even if it is there");
  set_examples(command, {"dotin data get PROTEINS", "dotin data get DD --mirror /mnt/datasets",
                         "dotin data info $(dotin data get NCI1)"});
  set_action(command, context, options, run_get);
}

}  // namespace dotin::app
