#pragma once

#include <string>
#include <vector>

#include "cli/completion/outline.hpp"

namespace mirab::cli {

/// What `--help` prints for one command; `all` gives the summaries of its subcommands.
std::string help_text(const CommandOutline& command, const std::vector<CommandOutline>& all);

/// mirab.1, in man(7) macros.
std::string man_page(const std::vector<CommandOutline>& commands);

/// Completions, for `source` or for the folders where the shells look for them.
std::string bash_completion(const std::vector<CommandOutline>& commands);
std::string zsh_completion(const std::vector<CommandOutline>& commands);
std::string fish_completion(const std::vector<CommandOutline>& commands);

/// Those of all commands together.
std::vector<ExitMeaning> exit_meanings();

}  // namespace mirab::cli
