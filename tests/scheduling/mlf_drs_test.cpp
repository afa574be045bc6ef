// MLF-DRS's lines, and where MRFS places.
#include <gmock/gmock.h>

#include "scheduling/clusters.hpp"

namespace mirab::scheduling {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> order_of_lines(const Problem& problem, const std::string& discipline) {
  std::vector<std::size_t> users;
  const mirab::Outcome outcome = filled(problem, {.discipline = discipline});
  for (const FillStep& step : outcome.filling->steps) users.push_back(step.user);
  return users;
}

std::vector<std::size_t> lines_placed(const Problem& problem, const std::string& discipline) {
  std::vector<std::size_t> servers;
  const mirab::Outcome outcome = filled(problem, {.discipline = discipline});
  for (const FillStep& step : outcome.filling->steps) servers.push_back(step.server);
  return servers;
}

User arrival(const std::string& name, std::initializer_list<std::string> demand) {
  return limited(user(name, demand), "1");
}

// Hamzeh, table 4.1.
TEST(MlfDrs, ServesTheArrivalsOfTheThesisInItsOrder) {
  const auto cpu = [](const char* name) { return arrival(name, {"2", "1", "1"}); };
  const auto memory = [](const char* name) { return arrival(name, {"1", "2", "1"}); };
  const auto disk = [](const char* name) { return arrival(name, {"1", "1", "2"}); };
  const Problem cluster = problem({server("s", {"100", "100", "100"})},
                                  {memory("0"), cpu("1"), cpu("2"), disk("3"), cpu("4"), memory("5"),
                                   disk("6"), cpu("7"), cpu("8"), memory("9")});
  EXPECT_THAT(order_of_lines(cluster, "mlf-drs"), ElementsAre(0, 1, 3, 2, 5, 6, 4, 9, 7, 8));
}

// a and b wait for CPUs, c for memory: a task of a and one of c in turn, then b in a's place.
TEST(MlfDrs, TheNextOfALineServesInTheRoundAfterItsHeadIsDone) {
  const Problem cluster = problem({server("s", {"100", "100"})},
                                  {limited(user("a", {"2", "1"}), "2"), limited(user("b", {"2", "1"}), "2"),
                                   limited(user("c", {"1", "2"}), "3")});
  EXPECT_THAT(order_of_lines(cluster, "mlf-drs"), ElementsAre(0, 2, 0, 2, 1, 2, 1));
}

// a's tasks fit no more after the first; b, behind it, is smaller and still fits.
TEST(MlfDrs, AHeadThatFitsNowhereMakesRoomForTheNext) {
  const Problem cluster =
      problem({server("s", {"10", "10"})}, {user("a", {"6", "1"}), limited(user("b", {"2", "1"}), "2")});
  EXPECT_THAT(order_of_lines(cluster, "mlf-drs"), ElementsAre(0, 1, 1));
}

TEST(MlfDrs, AUserWithoutTasksDoesNotHoldUpItsLine) {
  const Problem cluster = problem({server("s", {"10", "10"})}, {limited(user("a", {"2", "1"}), "0.5"),
                                                                limited(user("b", {"2", "1"}), "1")});
  EXPECT_THAT(order_of_lines(cluster, "mlf-drs"), ElementsAre(1));
}

TEST(MlfDrs, AndMrfsDoNotLookAtWeights) {
  const auto cluster = [](const std::string& weight) {
    User first = limited(user("a", {"2", "1"}), "3");
    first.weight = *Quantity::parse(weight);
    return problem({server("s", {"10", "10"}), server("t", {"4", "8"})},
                   {first, limited(user("b", {"2", "1"}), "3"), limited(user("c", {"1", "2"}), "3")});
  };
  for (const char* discipline : {"mlf-drs", "mrfs"}) {
    EXPECT_EQ(order_of_lines(cluster("7"), discipline), order_of_lines(cluster("1"), discipline));
    EXPECT_EQ(lines_placed(cluster("7"), discipline), lines_placed(cluster("1"), discipline));
  }
  EXPECT_NE(order_of_lines(cluster("7"), "drf"), order_of_lines(cluster("1"), "drf"));
}

// a goes to the first server, c to the second, which is still balanced. Then b: the first server has a CPU
// task more than memory tasks, the second one less. That balances the second, which d therefore takes.
TEST(Mrfs, NoDominantResourceLeadsByMoreThanATaskAndBalancedServersComeFirst) {
  const Problem cluster = problem({server("1", {"10", "10"}), server("2", {"10", "10"})},
                                  {arrival("a", {"2", "1"}), arrival("b", {"2", "1"}),
                                   arrival("c", {"1", "2"}), arrival("d", {"1", "2"})});
  EXPECT_THAT(order_of_lines(cluster, "mrfs"), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(lines_placed(cluster, "mrfs"), ElementsAre(0, 1, 1, 1));
}

// Both servers hold one CPU task and one memory task, of 3 and 4 tenths and of 2 and 3.
TEST(Mrfs, OfBalancedServersTakesTheOneWithTheLeastDominantDemand) {
  const auto on = [](const std::string& name, User user) {
    user.servers = {name};
    return user;
  };
  const Problem cluster = problem(
      {server("1", {"10", "10"}), server("2", {"10", "10"})},
      {on("1", arrival("a", {"3", "1"})), on("2", arrival("b", {"2", "1"})), arrival("c", {"1", "0.5"}),
       on("1", arrival("d", {"1", "4"})), on("2", arrival("e", {"1", "3"}))});
  EXPECT_THAT(order_of_lines(cluster, "mrfs"), ElementsAre(0, 3, 1, 4, 2));
  EXPECT_THAT(lines_placed(cluster, "mrfs"), ElementsAre(0, 0, 1, 1, 1));
}

// One server: the second CPU task leads by two, and stands among the non-dominant tasks.
TEST(Mrfs, WithoutAServerThatQualifiesTheOneWithMostRoomIsTaken) {
  const Problem cluster = problem({server("1", {"10", "10"}), server("2", {"3", "3"})},
                                  {limited(user("a", {"2", "1"}), "4"), limited(user("b", {"2", "1"}), "1")});
  EXPECT_THAT(lines_placed(cluster, "mrfs"), ElementsAre(0, 1, 0, 0, 0));
}

// No task of anybody demands the first resource, and no server has any.
TEST(Mrfs, AResourceThatIsNotThereDominatesNobody) {
  const Problem cluster = problem({server("1", {"0", "10", "10"}), server("2", {"0", "10", "10"})},
                                  {arrival("a", {"0", "2", "1"}), arrival("b", {"0", "2", "1"})});
  EXPECT_THAT(lines_placed(cluster, "mrfs"), ElementsAre(0, 1));
}

TEST(Mrfs, SaysThatItChoseTheServersItself) {
  const Problem cluster = problem({server("1", {"10", "10"})}, {arrival("a", {"2", "1"})});
  EXPECT_EQ(filled(cluster, {.discipline = "mrfs", .placement = "worst-fit"}).filling->placement, "mrfs");
}

}  // namespace
}  // namespace mirab::scheduling
