#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {

/// When a user has tasks, and which.
struct UserSetting {
  NodeId self = 0;
  NodeId gateway = 0;
  Amounts demand;                    ///< D_i, units. [m]
  std::uint64_t tasks = UINT64_MAX;  ///< how many it has
  Duration tick{};                   ///< > 0
  /// How long the task of this number runs, the same whenever it is asked; zero, or empty: without end.
  std::function<Duration(std::uint64_t number)> runtime = {};
};

/// A user (Algorithm 3): one task after the other, each submitted to the server that the gateway names,
/// accepted from the first host that proposes, and followed until it has ended. The user is the one that
/// decides: all that others know of its tasks can be lost and is sent again, and no task is ever accepted
/// from two hosts at once (docs/explanation/overlay-safety.md has the argument).
///
/// A pure state machine, as Server: time does not go back, and calls append to `effects`.
///
/// Cost: O(log tasks) a message, O(hosts on which it has tasks) a tick when there are leases, O(1) otherwise.
class User {
 public:
  /// `lifetime`: later than so long after it was sent, by the clocks of those two, no message is taken: the
  /// wire's lifetime and skew together.
  User(UserSetting setting, const Patience& patience, Duration lifetime);
  ~User();
  User(User&&) noexcept;
  User& operator=(User&&) noexcept;

  /// Asks the gateway for a server. Call it once, before all others.
  void on_start(Time now, Effects& effects);
  /// Answers of the gateway, the home and hosts; others are ignored.
  void on_message(Time now, NodeId from, const Message& message, Effects& effects);
  /// Timers: what was not answered is sent again.
  void on_tick(Time now, Effects& effects);
  /// It has no task for now: what runs or was accepted goes on, and what was not waits for `resume`.
  void pause(Time now, Effects& effects);
  void resume(Time now, Effects& effects);

  // For observers.
  NodeId self() const;
  std::uint64_t running() const;          ///< tasks that run, as it knows
  std::uint64_t owed() const;             ///< tasks that were submitted, and will be again
  std::optional<TaskId> present() const;  ///< the task it wants a place for
  bool paused() const;
  std::optional<NodeId> home() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mirab::overlay
