#pragma once

#include <cstdint>

#include <mirab/overlay/message.hpp>

namespace mirab::overlay {

/// What goes wrong in a task world (task_world.hpp), drawn from the seed.
struct TaskPlan {
  std::uint64_t seed = 1;
  NodeId servers = 3, users = 3;
  std::uint64_t tasks = 8;     ///< of each user
  std::uint32_t runtime = 15;  ///< ticks, at most; 0: tasks do not end
  std::uint32_t lease = 60;    ///< ticks
  std::uint32_t faulty = 500;  ///< ticks with faults
  std::uint32_t skew = 0;      ///< ticks that any two clocks differ by, at the most; < 20
  std::uint32_t allowed = 0;   ///< of them, those that users allow for
  double loss = 0, duplicate = 0, late = 0;
  double crash = 0;          ///< of a server, in a tick
  double memory_lost = 0;    ///< part of the crashes
  double gone_for_good = 0;  ///< part of the crashes; one server always stays
  double cut = 0;            ///< of the way from one node to another (not back), in a tick
  double pause = 0;          ///< of a user, in a tick
  bool leaves = false;       ///< one server leaves in peace
};

/// Every kind of fault with some probability.
TaskPlan nasty_plan(std::uint64_t seed);
/// Faults that no promise needs leases for: nothing is lost but messages, and who crashes comes back as it
/// was.
TaskPlan plan_without_leases(std::uint64_t seed);

}  // namespace mirab::overlay
