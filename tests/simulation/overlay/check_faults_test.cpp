#include "simulation/overlay/check_faults.hpp"

#include <gmock/gmock.h>
#include <string>

#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string refusal(const Faults& faults) {
  const Check wrong = check_faults(faults);
  return wrong ? describe(*wrong) : "";
}

TEST(CheckFaults, AServerMayJoinCrashTwiceAndLeave) {
  const Faults faults{.crashes = {{.at = seconds(5), .node = 3, .back = seconds(6)},
                                  {.at = seconds(2), .node = 3, .back = seconds(4)}},
                      .joins = {{.at = seconds(1), .node = 3}},
                      .leaves = {{.at = seconds(6), .node = 3}}};
  EXPECT_EQ(refusal(faults), "");
}

TEST(CheckFaults, AServerLeavesAfterItHasJoined) {
  EXPECT_EQ(refusal({.joins = {{.at = seconds(8), .node = 3}}, .leaves = {{.at = seconds(8), .node = 3}}}),
            "faults.leaves[0].at_s: the server joins only at 8 s");
}

TEST(CheckFaults, AServerCrashesOnlyWhileItIsThere) {
  EXPECT_EQ(refusal({.crashes = {{.at = milliseconds(1500), .node = 3}},
                     .joins = {{.at = milliseconds(2500), .node = 3}}}),
            "faults.crashes[0].at_s: the server joins only at 2.5 s");
  EXPECT_EQ(refusal({.crashes = {{.at = seconds(1), .node = 2}, {.at = seconds(9), .node = 3}},
                     .leaves = {{.at = seconds(9), .node = 3}}}),
            "faults.crashes[1].at_s: the server has left at 9 s");
}

TEST(CheckFaults, AServerThatIsDownCannotCrashNorLeave) {
  EXPECT_EQ(refusal({.crashes = {{.at = seconds(4), .node = 3},
                                 {.at = seconds(1), .node = 3, .back = seconds(4)}}}),
            "faults.crashes[0].at_s: the server is down from 1 s to 4 s");
  EXPECT_EQ(refusal({.crashes = {{.at = seconds(1), .node = 3}, {.at = seconds(40), .node = 3}}}),
            "faults.crashes[1].at_s: the server is down from 1 s on, for ever");
  EXPECT_EQ(refusal({.crashes = {{.at = seconds(1), .node = 3, .back = seconds(4)}},
                     .leaves = {{.at = seconds(3), .node = 3}}}),
            "faults.leaves[0].at_s: the server is down since 1 s and cannot leave in peace");
}

TEST(CheckFaults, AServerJoinsOnce) {
  EXPECT_EQ(refusal({.joins = {{.at = seconds(1), .node = 3}, {.at = seconds(2), .node = 3}}}),
            "faults.joins[1].node: server 3 joins at 1 s already (faults.joins[0])");
}

TEST(CheckFaults, PausesOfOneUserDoNotOverlap) {
  const auto pauses = [](Duration second, const std::string& user) {
    return check_pauses({{.from = seconds(1), .to = seconds(3), .user = "u"},
                         {.from = second, .to = seconds(9), .user = user}});
  };
  EXPECT_FALSE(pauses(seconds(2), "v"));
  EXPECT_FALSE(pauses(seconds(4), "u"));
  EXPECT_EQ(describe(*pauses(seconds(3), "u")),
            "pauses[1].from_s: user 'u' pauses from 1 s to 3 s already (pauses[0])");
}

TEST(CheckFaults, WhoIsNotThereIsNamedWithWhoIs) {
  const Check node = check_places({.leaves = {{.at = {}, .node = 7}}}, 5);
  EXPECT_EQ(describe(*node), "faults.leaves[0].node: must be a server of the cluster, from 0 to 4, not 7");
  Cluster cluster{.resources = {"cpu"},
                  .servers = {{.name = "s", .capacity = {Quantity(1)}}},
                  .users = {{.name = "alice", .demand = {Quantity(1)}}}};
  const Check user =
      check_places({{.from = {}, .to = seconds(1), .user = "alcie"}}, *Problem::from(cluster));
  EXPECT_THAT(describe(*user),
              testing::StartsWith("pauses[0].user: the cluster has no user 'alcie'; did you mean alice?"));
}

}  // namespace
}  // namespace mirab::simulation
