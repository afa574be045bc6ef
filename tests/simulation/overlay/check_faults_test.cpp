#include <gmock/gmock.h>
#include <optional>
#include <string>
#include <vector>

#include "lab/simulation/overlay/check.hpp"
#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The error for a plan with these crashes, joins and leaves.
std::string refusal(const std::vector<Crash>& crashes, const std::vector<Join>& joins = {},
                    const std::vector<Leave>& leaves = {}) {
  Faults faults;
  faults.crashes = crashes;
  faults.joins = joins;
  faults.leaves = leaves;
  const Check wrong = check_faults(faults);
  return wrong ? describe(*wrong) : "";
}

Crash crash(Duration at, std::optional<Duration> back = {}) { return {.at = at, .node = 3, .back = back}; }

TEST(CheckFaults, AServerMayJoinCrashTwiceAndLeave) {
  EXPECT_EQ(refusal({crash(seconds(5), seconds(6)), crash(seconds(2), seconds(4))},
                    {{.at = seconds(1), .node = 3}}, {{.at = seconds(6), .node = 3}}),
            "");
}

TEST(CheckFaults, AServerLeavesAfterItHasJoined) {
  EXPECT_EQ(refusal({}, {{.at = seconds(8), .node = 3}}, {{.at = seconds(8), .node = 3}}),
            "faults.leaves[0].at_s: the server joins only at 8 s");
}

TEST(CheckFaults, AServerCrashesOnlyWhileItIsThere) {
  EXPECT_EQ(refusal({crash(milliseconds(1500))}, {{.at = milliseconds(2500), .node = 3}}),
            "faults.crashes[0].at_s: the server joins only at 2.5 s");
  EXPECT_EQ(refusal({{.at = seconds(1), .node = 2}, crash(seconds(9))}, {}, {{.at = seconds(9), .node = 3}}),
            "faults.crashes[1].at_s: the server has left at 9 s");
}

TEST(CheckFaults, AServerThatIsDownCannotCrashNorLeave) {
  EXPECT_EQ(refusal({crash(seconds(4)), crash(seconds(1), seconds(4))}),
            "faults.crashes[0].at_s: the server is down from 1 s to 4 s");
  EXPECT_EQ(refusal({crash(seconds(1)), crash(seconds(40))}),
            "faults.crashes[1].at_s: the server is down from 1 s on, and never comes back");
  EXPECT_EQ(refusal({crash(seconds(1), seconds(4))}, {}, {{.at = seconds(3), .node = 3}}),
            "faults.leaves[0].at_s: the server is down since 1 s and cannot leave in an orderly way");
}

TEST(CheckFaults, AServerJoinsOnce) {
  EXPECT_EQ(refusal({}, {{.at = seconds(1), .node = 3}, {.at = seconds(2), .node = 3}}),
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
            "pauses[1].from_s: user 'u' pauses from 1 s to 3 s already (pauses[0]); the next begins later");
}

TEST(CheckFaults, WhoIsNotThereIsNamedWithWhoIs) {
  Faults faults;
  faults.leaves = {{.at = {}, .node = 7}};
  const Check node = check_places(faults, 5);
  EXPECT_EQ(describe(*node), "faults.leaves[0].node: must be a server of the cluster, from 0 to 4, not 7");
  Cluster cluster{.resources = {"cpu"},
                  .servers = {{.name = "s", .capacity = {Quantity(1)}}},
                  .users = {{.name = "alice", .demand = {Quantity(1)}}}};
  const std::vector<UserPause> pauses = {{.from = {}, .to = seconds(1), .user = "alic"}};
  const Check user = check_places(pauses, *Problem::from(cluster));
  EXPECT_THAT(describe(*user),
              testing::StartsWith("pauses[0].user: the cluster has no user 'alic'; did you mean alice?"));
}

}  // namespace
}  // namespace mirab::simulation
