// Hamzeh, Fairness for Resource Allocation in Cloud Computing, chapter 5 and section 7.5.
#include "lab/experiments/hamzeh/placing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mirab::experiments {
namespace {

using testing::ElementsAre;
using testing::Optional;

const EqualServers kTwo{.count = 2, .capacity = {10, 10}};
const std::vector<double> kCpu = {2, 1}, kRam = {1, 2};

TEST(Placing, InTurnsGoesRoundTheServers) {
  const Placing placing = place_round_robin({{kCpu, kCpu, kRam, kRam}}, kTwo);
  EXPECT_THAT(placing.server, ElementsAre(Optional(0u), Optional(1u), Optional(0u), Optional(1u)));
}

TEST(Placing, InTurnsPassesAServerWhereATaskDoesNotFit) {
  const Placing placing = place_round_robin({{{9, 1}, {1, 1}, {2, 1}, {20, 1}}}, kTwo);
  EXPECT_THAT(placing.server, ElementsAre(Optional(0u), Optional(1u), Optional(1u), std::nullopt));
}

// CPU, CPU: one on each server. CPU, RAM: the third leads wherever it goes, into a queue; RAM goes to the
// other.
TEST(Placing, MrfsGivesEachServerOneTaskARoundAndKeepsThemBalanced) {
  const Placing placing = place_by_mrfs({{kCpu, kCpu, kRam, kCpu, kRam, kRam}}, kTwo);
  EXPECT_THAT(placing.server, ElementsAre(Optional(0u), Optional(1u), Optional(0u), Optional(1u),
                                          Optional(0u), Optional(1u)));
  EXPECT_THAT(placing.counted, ElementsAre(true, true, true, false, true, true));
}

TEST(Placing, TheEngineFillsABalancedServerFirst) {
  TaskBatch batch;
  for (int k = 0; k < 4; ++k) {
    batch.demand.push_back({1, 0.5});
    batch.demand.push_back({0.5, 1});
  }
  const Placing rounds = place_by_mrfs(batch, kTwo), engine = place_by_mrfs_engine(batch, kTwo);
  const auto on_first = [](const Placing& placing) {
    return std::count(placing.server.begin(), placing.server.end(), std::optional<std::size_t>(0));
  };
  EXPECT_EQ(on_first(rounds), 4);
  EXPECT_NE(on_first(engine), 4);
}

TEST(PlacingMeasures, TheDifferenceOfPsiOverAllServersDoesNotDependOnThePolicy) {
  const RequestSource source = generated_requests({.seed = 5}, 1);
  const EqualServers three{.count = 3, .capacity = {3000, 6000}};
  const TaskBatch batch = draw_batch(source, 24, 5, 300);
  std::vector<double> differences;
  for (const Placing& placing :
       {place_by_mrfs(batch, three), place_by_mrfs_engine(batch, three), place_round_robin(batch, three)}) {
    const PlacingMeasures measures = measure_placing(batch, placing, three);
    ASSERT_EQ(measures.unplaced, 0);
    double difference = 0;
    for (const auto& psi : measures.dominated) difference += psi[0] - psi[1];
    differences.push_back(difference);
  }
  EXPECT_EQ(differences[0], differences[1]);
  EXPECT_EQ(differences[0], differences[2]);
}

// One server, capacity (10, 10), tasks (2, 1) and (1, 2): q = 4/6, bundles (20/3, 10/3) and (10/3, 20/3).
TEST(PlacingMeasures, AreThoseOfHffmraByHand) {
  const EqualServers one{.count = 1, .capacity = {10, 10}};
  const TaskBatch batch{{kCpu, kRam}};
  const PlacingMeasures measures = measure_placing(batch, place_round_robin(batch, one), one);
  EXPECT_NEAR(measures.dominant_part, 2.0 / 3, 1e-9);
  EXPECT_NEAR(measures.non_dominant_part, 1.0 / 3, 1e-9);
  EXPECT_NEAR(measures.bundles[0][0], 20.0 / 3, 1e-9);
  EXPECT_NEAR(measures.over_fair[1], 4.0 / 3, 1e-9);
  EXPECT_NEAR(measures.pareto, (20.0 / 3) / 5 - 1, 1e-9);
  EXPECT_NEAR(measures.tasks, 20.0 / 3, 1e-9);  // each runs 10/3
  EXPECT_EQ(measures.sharing_incentive, 1);
  EXPECT_EQ(measures.imbalance, 0);
  EXPECT_EQ(measures.penalty, 0);  // (2/1)/10 of either
}

TEST(Requests, OfTheTraceAreOneHundredthOfItsTasks) {
  const RequestSource google = google_requests({.seed = 1}, {3000, 6000}, 1);
  EXPECT_EQ(google.sample.size(), 1900u);
  double cpu = 0;
  for (const std::vector<double>& request : google.sample) cpu += request[0] / 1900;
  EXPECT_NEAR(cpu, 0.0470 * 3000, 0.0470 * 3000 * 0.1);  // the mean request of the trace, by tasks
  for (const std::vector<double>& request : google.sample) {
    EXPECT_GT(request[0], 0);
    EXPECT_LE(request[0], 3000);
    EXPECT_LE(request[1], 6000);
  }
  EXPECT_EQ(draw_batch(google, 5, 1, 2).demand, draw_batch(google, 5, 1, 2).demand);
  EXPECT_NE(draw_batch(google, 5, 1, 2).demand, draw_batch(google, 5, 1, 3).demand);
}

}  // namespace
}  // namespace mirab::experiments
