// The data centre of paper 001 (Ravi Kiran and Srinuvas), figure 2, and its users.
#include <gtest/gtest.h>

#include "lab/experiments/psdsf/clusters.hpp"

namespace mirab::experiments {
namespace {

TEST(BitbrainsCluster, HasFortyServersOfEachTypeAndAtEachPlace) {
  const std::vector<Server> servers = bitbrains_servers(1);
  ASSERT_EQ(servers.size(), 9U);
  for (std::size_t k = 0; k < 3; ++k) {
    std::int64_t at_place = 0;
    std::int64_t of_type = 0;
    for (std::size_t other = 0; other < 3; ++other) {
      at_place += servers[3 * k + other].count;
      of_type += servers[3 * other + k].count;
    }
    EXPECT_EQ(at_place, 40);
    EXPECT_EQ(of_type, 40);
  }
  EXPECT_EQ(bitbrains_servers(2)[0].count, 2 * servers[0].count);
}

TEST(BitbrainsCluster, EveryInstantHasUsersThatTheDataCentreCanServe) {
  for (const std::size_t instant : {std::size_t{0}, std::size_t{17}, kBitbrainsInstants - 1}) {
    const Result<Problem> problem = Problem::from({.resources = bitbrains_resources(),
                                                   .servers = bitbrains_servers(1),
                                                   .users = bitbrains_users(instant)});
    ASSERT_TRUE(problem);
    EXPECT_GT(problem->user_count(), 280U);
    EXPECT_LT(problem->user_count(), 340U);
  }
}

// The first row of the trace: 87.78 MHz (87.8 to three digits), 1.03459e6 KB, 160.867 and 21.7333 KB/s,
// 0.266667 KB/s in and 1.46667 KB/s out.
TEST(BitbrainsCluster, ATaskTakesWhatItsMachineUsesInTheUnitsOfTheServers) {
  const User first = bitbrains_users(0).front();
  const std::vector<double> expected = {0.08778, 1.03459e6 / 1024 / 1024, (160.867 + 21.7333) / 1024,
                                        1.46667 * 8 / 1000, 0.266667 * 8 / 1000};
  for (std::size_t r = 0; r < expected.size(); ++r)
    EXPECT_NEAR(first.demand[r].value(), expected[r], 0.005 * expected[r]) << bitbrains_resources()[r];
}

}  // namespace
}  // namespace mirab::experiments
