#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/importing.hpp"

namespace mirab::cli {

std::vector<Command> add_import(CLI::App& app) {
  CLI::App* import = app.add_subcommand("import", "Make cluster and workload files from public traces");
  import->require_subcommand(1);
  return {add_import_bitbrains(*import), add_import_google2011(*import), add_import_openb(*import),
          add_import_swf(*import), add_import_wagap2013(*import)};
}

}  // namespace mirab::cli
