#include <gmock/gmock.h>

#include "lab/simulation/overlay/record.hpp"
#include "simulation/overlay/small_roster.hpp"

namespace mirab::simulation {
namespace {

using overlay::Lost;
using overlay::Started;
using overlay::Stopped;
using testing::ElementsAre;

TEST(Ledger, CountsWhatRunsAndWhatIsFree) {
  const Roster roster = small_roster();
  Ledger ledger(roster);
  ledger.on_fact(0, Started{.task = {kAnna, 1}, .proposal = {}});
  ledger.on_fact(0, Started{.task = {kBen, 1}, .proposal = {}});
  ledger.on_fact(1, Started{.task = {kAnna, 2}, .proposal = {}});
  EXPECT_THAT(ledger.shares(), ElementsAre(0.5, 0.25));
  EXPECT_EQ(ledger.least_share(), 0.25);
  EXPECT_THAT(ledger.free(0), ElementsAre(1, 1));
  EXPECT_EQ(ledger.used_part(0), 0.75);
  EXPECT_EQ(ledger.used_part(1), 0.5) << "the fullest resource";
  EXPECT_THAT(ledger.used(), ElementsAre(5.0 / 8, 4.0 / 8));

  ledger.on_fact(0, Stopped{.task = {kAnna, 1}, .proposal = {}});
  EXPECT_THAT(ledger.shares(), ElementsAre(0.25, 0.25));
  EXPECT_THAT(ledger.free(0), ElementsAre(3, 2));
}

TEST(Ledger, AServerThatDiesTakesItsTasksWithIt) {
  const Roster roster = small_roster();
  Ledger ledger(roster);
  ledger.on_fact(0, Started{.task = {kAnna, 1}, .proposal = {}});
  ledger.on_fact(0, Started{.task = {kAnna, 2}, .proposal = {}});
  ledger.on_fact(1, Started{.task = {kBen, 1}, .proposal = {}});
  EXPECT_EQ(ledger.on_death(0).size(), 2U);
  EXPECT_THAT(ledger.shares(), ElementsAre(0, 0.25));
  EXPECT_THAT(ledger.free(0), ElementsAre(4, 4));
}

TEST(Ledger, WhatItsUserGaveUpRunsNoMoreAndIsNotStoppedTwice) {
  const Roster roster = small_roster();
  Ledger ledger(roster);
  ledger.on_fact(1, Started{.task = {kAnna, 1}, .proposal = {}});
  ledger.on_fact(kAnna, Lost{.task = {kAnna, 1}});
  EXPECT_EQ(ledger.running(0), 0U);
  ledger.on_fact(1, Stopped{.task = {kAnna, 1}, .proposal = {}});
  EXPECT_EQ(ledger.running(0), 0U);
  EXPECT_THAT(ledger.free(1), ElementsAre(4, 4));
}

}  // namespace
}  // namespace mirab::simulation
