// The ledger of the figures (record.hpp) against that of the checks (audit_ledger.hpp), under the same
// faults.
#include <algorithm>
#include <gtest/gtest.h>

#include "lab/simulation/overlay/audit_ledger.hpp"
#include "lab/simulation/overlay/record.hpp"
#include "simulation/overlay/small_world.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;
using std::chrono::seconds;

/// Servers that are down for a while, with their memory and without.
OverlayScenario faulty(std::uint32_t lease) {
  OverlayScenario scenario = small_scenario(overlay::Scheduler::pdgdrf);
  scenario.rules[0].options.patience.lease = lease;
  scenario.runtime = seconds(10);
  scenario.faults.loss = 0.1;
  scenario.faults.duplicate = 0.1;
  for (std::uint32_t node = 0; node < 10; ++node)
    scenario.faults.crashes.push_back({.at = seconds(2 + node),
                                       .node = node,
                                       .back = seconds(10 + node),
                                       .memory = node % 2 == 0 ? Memory::kept : Memory::lost});
  return scenario;
}

struct TwoBooks {
  explicit TwoBooks(std::uint32_t lease) : small(faulty(lease)), ledger(small.roster), books(small.roster) {
    small.world.watch({.fact =
                           [this](Time now, NodeId node, const overlay::Fact& fact) {
                             books.expire(now);
                             ledger.on_fact(node, fact);
                             books.on_fact(now, node, fact, findings);
                           },
                       .server_event =
                           [this](Time now, NodeId server, ServerEvent server_event) {
                             if (server_event != ServerEvent::died) return;
                             ledger.on_death(server);
                             books.on_lost_memory(now, server);
                           }});
  }

  std::int64_t running_by_books(NodeId n) const {
    return std::ranges::count_if(books.tasks(), [&](const auto& task) {
      return task.first.user == small.roster.user(n) && task.second.runs;
    });
  }
  /// By how many tasks the ledger is ahead of the books, summed over users and ticks; never is it behind.
  std::int64_t ahead() {
    std::int64_t ahead = 0;
    for (int tick = 0; tick < 300; ++tick) {
      const Time now = small.world.first_tick() + tick * small.scenario.tick;
      small.world.run_until(now);
      books.expire(now);
      for (NodeId n = 0; n < small.roster.users(); ++n) {
        const auto running = static_cast<std::int64_t>(ledger.running(n));
        EXPECT_GE(running, running_by_books(n)) << "user " << n << ", tick " << tick;
        ahead += running - running_by_books(n);
      }
    }
    return ahead;
  }

  SmallWorld small;
  Ledger ledger;
  AuditLedger books;
  ViolationLog findings;
};

TEST(TwoBooks, AgreeOnWhatRunsWithoutLeases) { EXPECT_EQ(TwoBooks(0).ahead(), 0); }

TEST(TwoBooks, DifferByTheTasksThatLostTheirLeaseAndOfWhichNobodyHasSaidSo) {
  EXPECT_GT(TwoBooks(40).ahead(), 0);
}

}  // namespace
}  // namespace mirab::simulation
