// DRFH, TSF and CMMF against rounds of linear programs in rational numbers, on clusters whose amounts are up
// to eighteen orders of magnitude apart.
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "mechanisms/exact_levels.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

constexpr double kErrorRounding = 1e-13;

// Right, known to be right, and no farther off than the certificate says.
void expect_exact(const Problem& problem, const std::string& mechanism, const std::string& replay) {
  const Result<Outcome> outcome = allocate(problem, mechanism);
  ASSERT_TRUE(outcome) << replay;
  const double error =
      testing::error_of(outcome->allocation.tasks, testing::exact_levels(problem, mechanism));
  EXPECT_EQ(outcome->status, Status::exact) << replay;
  EXPECT_LE(error, 1e-8) << replay;
  EXPECT_LE(error, outcome->certificate.value + kErrorRounding) << replay;
}

void expect_exact_on_random_clusters(const std::string& mechanism, testing::DemandOn demand_on) {
  for (const int orders : {1, 3, 6, 9}) {
    Random random(static_cast<std::uint64_t>(orders));
    for (int i = 0; i < random_cases(400) && !::testing::Test::HasFailure(); ++i) {
      const Problem problem = testing::ill_scaled(random, orders, demand_on);
      const Cluster cluster{
          .resources = problem.resources(), .servers = problem.servers(), .users = problem.users()};
      expect_exact(
          problem, mechanism,
          fmt::format("{}, cluster {} over 10^±{}:\n{}", mechanism, i, orders, write_cluster_yaml(cluster)));
    }
  }
}

TEST(IllScaledLevels, DrfhIsRightAndKnowsIt) {
  expect_exact_on_random_clusters("drfh", testing::DemandOn::none);
}
TEST(IllScaledLevels, TsfIsRightAndKnowsIt) {
  expect_exact_on_random_clusters("tsf", testing::DemandOn::some);
}
TEST(IllScaledLevels, CmmfIsRightAndKnowsIt) {
  expect_exact_on_random_clusters("cmmf", testing::DemandOn::some);
}

TEST(IllScaledLevels, AreRightOnClustersThatWereWrongOnce) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MIRAB_SOURCE_DIR "/tests/golden/ill_scaled")) {
    if (entry.path().extension() == ".md") continue;
    const Result<Problem> problem = read_cluster_file(entry.path().string());
    ASSERT_TRUE(problem) << entry.path();
    for (const std::string mechanism : {"drfh", "tsf", "cmmf"}) {
      if (mechanism == "drfh" && problem->has_demand_on()) continue;
      expect_exact(*problem, mechanism, fmt::format("{}, {}", mechanism, entry.path().string()));
    }
    ++files;
  }
  EXPECT_EQ(files, 5);
}

Quantity decimal(const char* text) { return *Quantity::parse(text); }

// A user that takes 1e-14 of what another one needs has no more of it than the other.
TEST(IllScaledLevels, WhoTakesNextToNothingOfWhatIsFullStopsWithTheOthers) {
  const Problem problem =
      *Problem::from({.resources = {"cpu", "memory"},
                      .servers = {{.name = "s", .capacity = {Quantity(1), Quantity(1)}}},
                      .users = {{.name = "tiny", .demand = {decimal("1e-15"), decimal("0.001")}},
                                {.name = "big", .demand = {decimal("0.1"), Quantity(0)}}}});
  const Outcome outcome = *allocate(problem, "cmmf");
  EXPECT_EQ(outcome.status, Status::exact);
  for (const double tasks : outcome.allocation.tasks) EXPECT_NEAR(tasks, 10, 1e-9);
}

TEST(IllScaledLevels, TasksOfAKibibyteAndOfATebibyteAreExact) {
  const Problem problem =
      *Problem::from({.resources = {"cpu", "memory"},
                      .servers = {{.name = "s", .capacity = {Quantity(64), decimal("1Ti")}, .count = 10'000}},
                      .users = {{.name = "small", .demand = {Quantity(1), decimal("1Ki")}},
                                {.name = "large", .demand = {Quantity(0), decimal("1Ti")}}}});
  expect_exact(problem, "cmmf", "a kibibyte and a tebibyte");
}

}  // namespace
}  // namespace mirab
