// Commands on their way to the core: tenants in turn, so that one that sends much delays itself alone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "live/commands.hpp"
#include "service/turns.hpp"

namespace mirab::service {

/// A command, or the list of POST /jobs:submit or a part of it, and who waits for the answer.
struct CommandWork {
  std::vector<live::Parsed<live::Command>> commands = {};
  bool is_list = false;
  std::function<void(live::Answer)> reply = {};
};

/// Many threads push, one takes.
class CommandQueue {
 public:
  explicit CommandQueue(std::size_t most) : urgent_(8 * most), common_(most) {}

  /// Takes the work, unless it is full or closed. Urgent work goes first and has room of its own. `tenant`:
  /// who is served in turn. A long list is taken as parts, between which others are served; their answers
  /// are joined.
  std::optional<Full> push(CommandWork& work, const std::string& tenant, bool is_urgent);

  /// At most about `most` commands, waiting for the first no longer than `wait`; tenants in turn, each for as
  /// many commands as the others. A quarter stays for those that are not urgent.
  std::vector<CommandWork> take(std::size_t most, std::chrono::milliseconds wait);

  /// Takes nothing more; what waits may still be taken.
  void close();
  bool is_closed();
  std::size_t size();

 private:
  std::mutex mutex_;
  std::condition_variable wakes_;
  Turns<CommandWork> urgent_;
  Turns<CommandWork> common_;
  bool is_closed_ = false;
};

}  // namespace mirab::service
