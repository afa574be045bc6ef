#pragma once

#include "cli/command.hpp"

namespace mirab::cli {

// Each adds one command to the command line: src/cli/<name>.cpp.
Command add_allocate(CLI::App& app);
Command add_audit(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_fill(CLI::App& app);
Command add_limits(CLI::App& app);
Command add_mechanisms(CLI::App& app);
Command add_reproduce(CLI::App& app);
Command add_simulate(CLI::App& app);
Command add_validate(CLI::App& app);
std::vector<Command> add_import(CLI::App& app);    ///< one for each format
std::vector<Command> add_generate(CLI::App& app);  ///< hidden: what is made from the command line itself

}  // namespace mirab::cli
