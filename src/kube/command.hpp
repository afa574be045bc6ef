// A program that is run for what it prints: without input, within a time, and with all that it has started.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <mirab/model/result.hpp>

namespace mirab::kube {

struct Command {
  std::string program = {};  ///< the path of it
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< comes before that of this process
  std::chrono::milliseconds time{30'000};                             ///< it is killed then
  std::size_t most_bytes = std::size_t{1} << 20U;                     ///< that it may print
};

struct Ran {
  std::string failure = {};  ///< `ended with status 3`; empty: it ended with status 0
  std::string output = {};   ///< of standard output
  std::string said = {};     ///< the last 8 KiB of standard error
};

/// The path of a program: `name` itself where it has a `/`, else that of the first folder of PATH that has
/// it. Relative folders of PATH are passed over. Errors: the system's; it is in no folder of PATH.
Result<std::string> find_program(const std::string& name);

/// Its standard input is empty, it gets no open file of this process, and signals are as at a start. Ends
/// it, with what it has started, where its time is over, where it prints too much, and where `is_stopped`,
/// which may be empty, says so: that is its failure then. So does a signal that ends this process (SIGINT,
/// SIGTERM, SIGHUP, SIGQUIT): it comes when the program is over. Errors: it cannot be started.
Result<Ran> run_command(const Command& command, const std::function<bool()>& is_stopped);

}  // namespace mirab::kube
