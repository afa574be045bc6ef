// Where a task goes, on clusters small enough to see the right answer.
#include <cmath>
#include <gtest/gtest.h>

#include "random_cases.hpp"
#include "scheduling/clusters.hpp"

namespace mirab::scheduling {
namespace {

/// The server entries in which the tasks landed, one after the other.
std::vector<std::size_t> places(const Problem& problem, const Filling& filling) {
  std::vector<std::size_t> places;
  const mirab::Outcome outcome = filled(problem, filling);
  for (const FillStep& step : outcome.filling->steps) places.push_back(step.server);
  return places;
}

std::size_t first_place(const Problem& problem, const std::string& placement) {
  return places(problem, {.placement = placement}).front();
}

// Two servers have room for 2 tasks each, the one between them for none.
Problem three_servers() {
  return problem({server("a", {"2"}), server("b", {"0.5"}), server("c", {"2"})}, {user("u", {"1"})});
}

TEST(FirstFit, FillsTheServersInTheirOrder) {
  EXPECT_EQ(places(three_servers(), {.placement = "first-fit"}), (std::vector<std::size_t>{0, 0, 2, 2}));
}

TEST(WorstFit, TakesTheServerWithRoomForMostTasks) {
  EXPECT_EQ(places(three_servers(), {.placement = "worst-fit"}), (std::vector<std::size_t>{0, 2, 0, 2}));
}

TEST(WorstFit, CountsTheTasksOfTheUserAndNotTheAmounts) {
  const Problem cluster =
      problem({server("much", {"100", "2"}), server("matching", {"3", "3"})}, {user("u", {"1", "1"})});
  EXPECT_EQ(first_place(cluster, "worst-fit"), 1U);
}

// Room for 1 + 10^-18 tasks and for 1 + 2·10^-18: both are 1 as doubles.
TEST(WorstFit, SeesDifferencesThatADoubleDoesNot) {
  const Problem cluster =
      problem({server("a", {"1000000000000000001"}), server("b", {"1000000000000000002"})},
              {limited(user("u", {"1000000000000000000"}), "1")});
  EXPECT_EQ(first_place(cluster, "worst-fit"), 1U);
}

TEST(NextFit, StaysOnTheLastServerAndThenGoesRoundInACircle) {
  // u takes a, then the large task of v takes c; u goes on at c and comes back to a when c is full.
  const Problem cluster = problem({server("a", {"2"}), server("b", {"0.5"}), server("c", {"3"})},
                                  {user("u", {"1"}), limited(user("v", {"2"}), "1")});
  EXPECT_EQ(places(cluster, {.discipline = "round-robin", .placement = "next-fit"}),
            (std::vector<std::size_t>{0, 2, 2, 0}));
}

// Östman, section 2.1.4. The task asks as much of both; the second server offers as much of both.
TEST(BestFit, TakesTheServerInTheProportionsOfTheTask) {
  const Problem cluster = problem(
      {server("cpu-heavy", {"8", "2"}), server("even", {"5", "5"}), server("memory-heavy", {"2", "8"})},
      {user("u", {"1", "1"})});
  EXPECT_EQ(first_place(cluster, "best-fit"), 1U);
  EXPECT_EQ(first_place(cluster, "best-fit:published=true"), 1U);
}

TEST(BestFit, DoesNotDependOnUnitsOrOnTheOrderOfTheResources) {
  const auto place = [](const std::string& memory_unit) {
    const auto in_units = [&](const std::string& digits) { return digits + memory_unit; };
    const Problem cluster = problem({server("a", {"6", in_units("2")}), server("b", {"3", in_units("7")})},
                                    {user("u", {"1", in_units("1")})});
    const Problem swapped = problem({server("a", {in_units("2"), "6"}), server("b", {in_units("7"), "3"})},
                                    {user("u", {in_units("1"), "1"})});
    EXPECT_EQ(first_place(cluster, "best-fit"), first_place(swapped, "best-fit"));
    return first_place(cluster, "best-fit");
  };
  EXPECT_EQ(place(""), place("Gi"));
}

// As parts of the pool (10, 10) the task is (1, 1), relative to the first resource (1, 1); the servers are
// (1, 1/2) and (1, 3), so H is 1/2 and 2. With the resources swapped they are (1, 2) and (1, 1/3), and H is 1
// and 2/3.
TEST(BestFit, AsPublishedDependsOnWhichResourceComesFirst) {
  const Problem cluster =
      problem({server("a", {"8", "4"}), server("b", {"2", "6"})}, {user("u", {"1", "1"})});
  const Problem swapped =
      problem({server("a", {"4", "8"}), server("b", {"6", "2"})}, {user("u", {"1", "1"})});
  EXPECT_EQ(first_place(cluster, "best-fit:published=true"), 0U);
  EXPECT_EQ(first_place(swapped, "best-fit:published=true"), 1U);
  EXPECT_EQ(first_place(cluster, "best-fit"), first_place(swapped, "best-fit"));
}

TEST(BestFit, AsPublishedTakesTheFirstServerWhereTheTaskDoesNotDemandTheFirstResource) {
  const Problem cluster =
      problem({server("a", {"5", "2", "9"}), server("b", {"5", "5", "5"})}, {user("u", {"0", "1", "1"})});
  EXPECT_EQ(first_place(cluster, "best-fit:published=true"), 0U);
  EXPECT_EQ(first_place(cluster, "best-fit"), 1U);
}

TEST(RandomPlacement, IsUniformAmongTheServersWhereTheTaskFits) {
  const Problem cluster = problem({server("a", {"1"}, 2), server("b", {"0.5"}), server("c", {"3"})},
                                  {limited(user("u", {"1"}), "1")});
  std::vector<int> hits(4, 0);  // a 0, a 1, b, c
  const int draws = random_cases(9'000);
  for (int seed = 0; seed < draws; ++seed) {
    const FillStep step = filled(cluster, {.placement = "random", .seed = static_cast<std::uint64_t>(seed)})
                              .filling->steps.front();
    ++hits[step.server == 0 ? static_cast<std::size_t>(step.instance) : step.server + 1];
  }
  EXPECT_EQ(hits[2], 0);
  for (const std::size_t k : {0U, 1U, 3U}) EXPECT_NEAR(hits[k], draws / 3.0, 5 * std::sqrt(draws * 2 / 9.0));
}

TEST(Placement, AnUnknownNameAnOptionOrAValueIsAnError) {
  EXPECT_FALSE(choose_placement("first-fitt"));
  EXPECT_FALSE(choose_placement("first-fit:published=true"));
  EXPECT_FALSE(choose_placement("best-fit:published=perhaps"));
  FillOptions wrong = options({});
  wrong.placement = *choose_placement("best-fit");
  wrong.placement.options["published"] = "perhaps";
  Random random(1);
  const Result<mirab::Outcome> outcome = fill(three_servers(), wrong, random);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("perhaps"), std::string::npos);
}

}  // namespace
}  // namespace mirab::scheduling
