#pragma once

#include <functional>
#include <memory>
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

/// What help, man page and completions say of a command beyond what its CLI::App knows.
struct Manual {
  std::vector<std::string> paragraphs;
  std::vector<Example> examples;
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
Exit complain(const Error& error, Exit exit = Exit::bad_input);

}  // namespace mirab::cli
