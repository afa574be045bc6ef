#include <gtest/gtest.h>

#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/overlay.hpp"

namespace mirab::simulation {
namespace {

class SearchTest : public testing::TestWithParam<overlay::SchedulerRow> {};

// The long searches, of 100 servers and 1,000 ticks from 10,000 seeds, are run by hand
// (docs/explanation/overlay-faults.md).
TEST_P(SearchTest, NoFaultBreaksAPromise) {
  const SearchOutcome outcome = search_overlay(
      {.seeds = 10, .nodes = 15, .users = 5, .ticks = 600, .scheduler = GetParam().scheduler, .threads = 2});
  EXPECT_EQ(outcome.tried, 10);
  EXPECT_GT(outcome.lost, 0);
  EXPECT_GT(outcome.placements, 0);
  EXPECT_GT(outcome.ends, 0);
  // With these seeds no user of this one loses a task.
  if (GetParam().scheduler != overlay::Scheduler::ddrf_gradient) {
    EXPECT_GT(outcome.restarts, 0);
  }
  if (GetParam().scheduler != overlay::Scheduler::probes) {
    EXPECT_GT(outcome.live, 0);
  }
  if (outcome.find)
    ADD_FAILURE() << "seed " << outcome.find->seed << ": " << outcome.find->violation.promise << ": "
                  << outcome.find->violation.what << "\n"
                  << outcome.find->replay;
}

/// Those whose rule servers follow.
std::vector<overlay::SchedulerRow> followed() {
  std::vector<overlay::SchedulerRow> rows(overlay::schedulers().begin(), overlay::schedulers().end());
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Schedulers, SearchTest, testing::ValuesIn(followed()), [](const auto& row) {
  std::string name(row.param.name);
  std::erase(name, '-');
  return name;
});

// Outcomes are kept for 1,024 seeds at a time.
TEST(Search, AddsUpAllSeedsHoweverMany) {
  const auto searched = [](std::uint64_t first, std::int64_t seeds) {
    return search_overlay({.first_seed = first, .seeds = seeds, .nodes = 2, .users = 1, .ticks = 10});
  };
  const SearchOutcome all = searched(1, 1030), first = searched(1, 1000), rest = searched(1001, 30);
  EXPECT_EQ(all.tried, 1030);
  EXPECT_EQ(all.messages, first.messages + rest.messages);
  EXPECT_EQ(all.crashes, first.crashes + rest.crashes);
  EXPECT_EQ(all.lost, first.lost + rest.lost);
}

TEST(Search, DoesNotDependOnTheNumberOfThreads) {
  const auto searched = [](int threads) {
    return search_overlay(
        {.first_seed = 5, .seeds = 3, .nodes = 10, .users = 3, .ticks = 60, .threads = threads});
  };
  const SearchOutcome one = searched(1), three = searched(3);
  EXPECT_EQ(one.tried, three.tried);
  EXPECT_EQ(one.messages, three.messages);
  EXPECT_EQ(one.lost, three.lost);
  EXPECT_EQ(one.duplicated, three.duplicated);
}

}  // namespace
}  // namespace mirab::simulation
