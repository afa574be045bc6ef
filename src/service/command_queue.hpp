// Commands on their way to the core: tenants in turn, so that one that sends much delays itself alone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "live/commands.hpp"

namespace mirab::service {

/// A command, or the list of POST /jobs:submit, and who waits for the answer.
struct CommandWork {
  std::vector<live::Parsed<live::Command>> commands = {};
  bool is_list = false;
  std::function<void(live::Answer)> reply = {};
};

/// Many threads push, one takes.
class CommandQueue {
 public:
  explicit CommandQueue(std::size_t most) : most_(most) {}

  /// False when it is full or closed. Urgent work goes first and has room of its own.
  bool push(CommandWork work, const std::string& tenant, bool is_urgent);

  /// At most about `most` commands, waiting for the first no longer than `wait`; tenants in turn, each for as
  /// many commands as the others (deficit round robin, Shreedhar and Varghese 1995).
  std::vector<CommandWork> take(std::size_t most, std::chrono::milliseconds wait);

  /// Takes nothing more; what waits may still be taken.
  void close();
  bool is_closed();
  std::size_t size();

 private:
  struct Line {
    std::deque<CommandWork> works;
    std::size_t waiting = 0;  ///< commands
    std::size_t credit = 0;   ///< commands that it may still take in this turn
  };

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  std::deque<CommandWork> urgent_;
  std::map<std::string, Line> lines_;
  std::deque<std::string> turn_;  ///< tenants with work, the next first
  std::size_t waiting_ = 0;       ///< commands in lines
  bool is_closed_ = false;
};

}  // namespace mirab::service
