// Bugs planted on purpose: a program is linked with one source file of the overlay replaced by a copy with a
// bug in it (planted/*.patch, CMakeLists.txt), and the search must find that, make it small, and show it
// again.

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include <mirab/model/cluster_file.hpp>
#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/overlay/search.hpp"
#include "lab/simulation/scenario.hpp"

namespace mirab::simulation {
namespace {

constexpr std::int64_t kSeeds = 20;

/// ctest says with which scheduler each bug shows, in how many ticks, and which promise it breaks.
std::string planted(const char* what) {
  const char* const said = std::getenv(what);
  return said ? said : "";
}

SearchOutcome searched() {
  return search_overlay({.seeds = kSeeds,
                         .nodes = 20,
                         .users = 6,
                         .ticks = static_cast<std::uint32_t>(std::stoul(planted("MIRAB_PLANTED_TICKS"))),
                         .scheduler = *overlay::find_scheduler(planted("MIRAB_PLANTED_SCHEDULER"))});
}

/// Runs what was written down, as `mirab simulate` reads it.
std::optional<Violation> replayed(const SearchFind& find) {
  const Result<Problem> cluster = read_cluster_text(find.cluster, Syntax::yaml, kReplayCluster);
  const Result<Scenario> read = read_scenario_text(find.replay, Syntax::yaml, "found.yaml");
  if (!cluster || !read) return std::nullopt;
  const Trial trial{.cluster = {cluster->resources(), cluster->servers(), cluster->users()},
                    .scenario = std::get<OverlayScenario>(read->what),
                    .seed = read->seeds.front()};
  return run_trial(trial).violation;
}

TEST(PlantedBug, IsFoundMadeSmallAndShownAgain) {
  ASSERT_TRUE(overlay::find_scheduler(planted("MIRAB_PLANTED_SCHEDULER")) &&
              !planted("MIRAB_PLANTED_TICKS").empty())
      << "ctest says with which scheduler and in how many ticks each bug shows";
  const SearchOutcome outcome = searched();
  ASSERT_TRUE(outcome.find) << "not found with " << outcome.tried << " seeds";
  const SearchFind& find = *outcome.find;
  EXPECT_EQ(find.violation.promise, planted("MIRAB_PLANTED_PROMISE")) << find.violation.what;

  const auto size = [](const Faults& faults) {
    return faults.partitions.size() + faults.crashes.size() + faults.slow.size() + faults.joins.size() +
           faults.leaves.size() + faults.restarts.size();
  };
  EXPECT_LE(size(find.shrunk), 2U) << find.replay;
  EXPECT_LE(find.nodes, 10U);
  EXPECT_LE(find.users, 3U);

  const std::optional<Violation> again = replayed(find);
  ASSERT_TRUE(again) << find.replay << find.cluster;
  EXPECT_EQ(again->promise, find.violation.promise);
  EXPECT_EQ(again->what, find.violation.what);
  EXPECT_EQ(again->at, find.violation.at);
}

}  // namespace
}  // namespace mirab::simulation
