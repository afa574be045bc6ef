#pragma once

#include <map>
#include <optional>
#include <vector>

#include <mirab/overlay/bootstrap.hpp>
#include <mirab/overlay/central.hpp>
#include <mirab/overlay/gateway.hpp>
#include <mirab/overlay/server.hpp>
#include <mirab/overlay/user.hpp>

namespace mirab::overlay {

/// Who takes part in a small net, and how it is run: no message is lost, every one takes 1 to 10 ms.
struct SmallPlan {
  std::vector<Amounts> capacity;  ///< by server
  std::vector<Amounts> demand;    ///< by user
  Scheduler scheduler = Scheduler::dgdrf;
  OverlayOptions options;
  std::uint32_t warm_up = 100;  ///< ticks' time, one shuffle each, before the first tick
  double shuffles_per_tick = 1;
  std::size_t fixed_neighbours = 0;  ///< of every server, drawn at random
  std::uint32_t quiet = 200;         ///< ticks without a started task that end a run
  std::uint32_t at_most = 20'000;    ///< ticks
  std::uint64_t seed = 1;
};

/// What came of it.
struct SmallOutcome {
  std::int64_t turns = 0;
  std::int64_t wrong = 0;             ///< turns of a user that was not a poorest one
  std::int64_t started = 0;           ///< tasks that run
  double ticks = 0;                   ///< until the last of them began
  std::vector<std::int64_t> running;  ///< tasks, by user
  std::vector<double> share;          ///< G_i, by user
  std::int64_t over_capacity = 0;     ///< servers with less than nothing free, ever seen
  std::map<TaskId, int> places;       ///< hosts that run a task

  double least_share() const;
};

SmallOutcome run_small_net(const SmallPlan& plan);

}  // namespace mirab::overlay
