#pragma once

#include <string>
#include <vector>

#include "cli/program.hpp"

namespace mirab::cli {

/// An option or argument as documentation sees it.
struct OptionOutline {
  std::vector<std::string> names;  ///< `-m`, `--mechanism`; one bare name for an argument
  std::string value;               ///< what it takes: `FILE`, `table|json|csv`; empty for a flag
  std::string meaning;
  std::string preset;  ///< the value when it is left out; empty when there is none
  bool required = false;
  bool repeatable = false;
  std::string group = {};  ///< the heading in help; empty for the usual one
};

/// A command as documentation sees it.
struct CommandOutline {
  std::string path;  ///< `mirab`, `mirab allocate`, `mirab import google2011`
  std::string summary;
  std::vector<OptionOutline> arguments;
  std::vector<OptionOutline> options;
  std::vector<std::string> subcommands;  ///< names of those that are not hidden
  bool needs_subcommand = false;         ///< it does nothing without one
  Manual manual;
};

/// The program itself first, then every command that is not hidden, each before its own subcommands. Help,
/// man page and completions are made from this, so they say what the parser does.
std::vector<CommandOutline> outline(const Program& program);

/// The outline of one node of the command line.
CommandOutline outline(const Program& program, const CLI::App& app);

/// `-m, --mechanism MECHANISM`
std::string spelling(const OptionOutline& option);

/// `mirab allocate [OPTION]... CLUSTER`
std::string usage(const CommandOutline& command);

/// The meaning with the preset after it: `How to print the result (default table)`.
std::string meaning(const OptionOutline& option);

/// The words that an option or argument may be: the alternatives of `a|b`, or the names in the registry that
/// a value name stands for. Empty when it may be anything, e.g. a file.
std::vector<std::string> words_for(const OptionOutline& option);

/// The headings of the groups that the command's options have, in their order.
std::vector<std::string> groups_of(const CommandOutline& command);

/// What `--help` prints for one command; `all` gives the summaries of its subcommands.
std::string help_text(const CommandOutline& command, const std::vector<CommandOutline>& all);

/// A page for man, in man(7) macros.
struct ManualPage {
  std::string file;  ///< `mirab-allocate.1`
  std::string text;
};

/// mirab.1, a page for each command, and mirab-cluster.5; `documents` is the folder with docs and examples.
std::vector<ManualPage> manual_pages(const std::vector<CommandOutline>& commands,
                                     const std::string& documents);

/// Completions, for `source` or for the folders where the shells look for them.
std::string bash_completion(const std::vector<CommandOutline>& commands);
std::string zsh_completion(const std::vector<CommandOutline>& commands);
std::string fish_completion(const std::vector<CommandOutline>& commands);

/// Those of all commands together.
std::vector<ExitMeaning> exit_meanings();
/// Those of one command: what its manual says of them, and the usual of the others.
std::vector<ExitMeaning> exit_meanings(const Manual& manual);

}  // namespace mirab::cli
