// The command line: what a command is, the commands, and the program that runs them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/result.hpp>

namespace CLI {
class App;
}

namespace mirab::cli {

/// What the program returns to the shell.
enum class Exit : int {
  done = 0,
  failed = 1,     ///< a search found what it looks for, or anything but the two below, such as a full disk
  bad_input = 2,  ///< bad usage or bad input; nothing was printed
  not_converged = 3,  ///< printed, but without its certificate, or a promise was broken
};

/// A command line worth showing, and what it does.
struct Example {
  std::string line;
  std::string meaning;
};

/// The meaning of an exit status.
struct ExitMeaning {
  int status;
  std::string meaning;
};

inline constexpr const char* kNotConverged = "an outcome did not converge; it is printed, and marked";

/// What help, man page and completions say of a command beyond what its CLI::App knows.
struct Manual {
  std::vector<std::string> paragraphs;
  std::vector<Example> examples;
  std::vector<ExitMeaning> exits = {};  ///< where they differ from 0 done, 1 failed, 2 bad input
};

/// One command: its options, its words, and what it does when it was asked for.
struct Command {
  CLI::App* app;  ///< owned by the program's CLI::App
  Manual manual;
  std::function<Exit(const std::string& command_line)> run;
};

/// The whole command line, as data: what is parsed is what is documented and completed.
struct Program {
  std::shared_ptr<CLI::App> app;
  Manual manual;
  std::vector<Command> commands;
};

/// `mirab: file:line: key: message` on standard error, without control characters; returns `exit`.
Exit report_error(const Error& error, Exit exit = Exit::bad_input);

/// `mirab: note: …` on standard error for each, without control characters.
void report_notes(const std::vector<std::string>& notes);

// Each adds one command to the command line: src/cli/<name>.cpp.
Command add_allocate(CLI::App& app);
Command add_audit(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_fill(CLI::App& app);
Command add_limits(CLI::App& app);
Command add_mechanisms(CLI::App& app);
Command add_plan(CLI::App& app);
Command add_reproduce(CLI::App& app);
Command add_simulate(CLI::App& app);
Command add_validate(CLI::App& app);
std::vector<Command> add_import(CLI::App& app);              ///< one for each format
std::vector<Command> add_cluster_imports(CLI::App& import);  ///< the formats of clusters that run
std::vector<Command> add_teams_imports(CLI::App& import);    ///< the queues of other schedulers
std::vector<Command> add_serve(CLI::App& app);               ///< with its subcommands
std::vector<Command> add_kube(CLI::App& app);      ///< the scheduler for Kubernetes, with its subcommands
std::vector<Command> add_generate(CLI::App& app);  ///< hidden: what is made from the command line itself

// Of a service elsewhere, and `demo`, which is one. These and `serve` are only where MIRAB_SERVICE is built.
Command add_cancel(CLI::App& app);
Command add_demo(CLI::App& app);
Command add_history(CLI::App& app);
Command add_jobs(CLI::App& app);
Command add_groups(CLI::App& app);
Command add_queues(CLI::App& app);
Command add_servers(CLI::App& app);
Command add_submit(CLI::App& app);
Command add_usage(CLI::App& app);
Command add_watch(CLI::App& app);
Command add_whatif(CLI::App& app);
Command add_why(CLI::App& app);

/// The whole command line.
Program make_program();

/// Reads the arguments (the program's name first), does what they ask for, and says how it went.
Exit run(std::span<const char* const> arguments);

}  // namespace mirab::cli
