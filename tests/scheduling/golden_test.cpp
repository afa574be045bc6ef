// The papers' worked fills, from tests/golden/paper_cases.json: every case that expects something of a
// `fill:`.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scheduling/clusters.hpp"

namespace mirab::scheduling {
namespace {

nlohmann::json golden_case(const std::string& id) {
  std::ifstream file(MIRAB_SOURCE_DIR "/tests/golden/paper_cases.json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  for (const nlohmann::json& one : golden.at("cases")) {
    if (one.at("id") == id) return one;
  }
  ADD_FAILURE() << "no golden case " << id;
  return {};
}

ResourceVector vector_of(const nlohmann::json& amounts, const std::vector<std::string>& resources) {
  ResourceVector vector;
  for (const std::string& resource : resources) vector.push_back(*Quantity::from(amounts.at(resource)));
  return vector;
}

Problem problem_of(const nlohmann::json& golden) {
  Cluster cluster;
  for (const auto& [resource, amount] : golden.at("servers")[0].at("capacity").items()) {
    cluster.resources.push_back(resource);
  }
  for (const nlohmann::json& server : golden.at("servers")) {
    cluster.servers.push_back({.name = server.at("name"),
                               .capacity = vector_of(server.at("capacity"), cluster.resources),
                               .count = server.value("count", std::int64_t{1}),
                               .labels = {}});
  }
  for (const nlohmann::json& user : golden.at("users")) {
    cluster.users.push_back(
        {.name = user.at("name"), .demand = vector_of(user.at("demand"), cluster.resources)});
  }
  return *Problem::from(std::move(cluster));
}

std::vector<std::string> order(const Problem& problem, const FillOutcome& outcome) {
  std::vector<std::string> names;
  for (const FillStep& step : outcome.steps) names.push_back(problem.users()[step.user].name);
  return names;
}

class GoldenFill : public testing::TestWithParam<const char*> {};

TEST_P(GoldenFill, DrfPlacesTheTasksThatThePaperPrints) {
  const nlohmann::json golden = golden_case(GetParam());
  const auto expected = golden.at("expect").at("fill:drf").at("tasks").get<std::vector<double>>();
  EXPECT_EQ(filled(problem_of(golden), {}).allocation.tasks, expected);
}

INSTANTIATE_TEST_SUITE_P(PaperCases, GoldenFill,
                         testing::Values("slides-progressive-filling", "mlf-drs-four-users",
                                         "slides-two-servers"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Slides, Table 1.
TEST(SlidesTable1, TheOrderIsBAABAWhenTheLastDeclaredUserWinsTies) {
  const nlohmann::json golden = golden_case("slides-progressive-filling");
  const Problem problem = problem_of(golden);
  EXPECT_EQ(order(problem, filled(problem, {.tie = Tie::last})),
            golden.at("expect").at("fill:drf").at("order_tie_last").get<std::vector<std::string>>());
}

// Slides, Table 1: the column of dominant shares, 1/3, 2/9, 4/9, 2/3, 2/3.
TEST(SlidesTable1, TheDominantSharesAfterEachStepAreThePrintedOnes) {
  const FillOutcome outcome =
      filled(problem_of(golden_case("slides-progressive-filling")), {.tie = Tie::last});
  std::vector<double> shares;
  for (const FillStep& step : outcome.steps) shares.push_back(step.share);
  EXPECT_EQ(shares, (std::vector<double>{1.0 / 3, 2.0 / 9, 4.0 / 9, 2.0 / 3, 2.0 / 3}));
}

// Slides, Table 1: 9 CPUs and 14 GB are in use at the end.
TEST(SlidesTable1, TheEndUsesAllCpusAndFourteenOfEighteenGigabytes) {
  const Problem problem = problem_of(golden_case("slides-progressive-filling"));
  const FillOutcome outcome = filled(problem, {});
  EXPECT_EQ(outcome.allocation.servers[0].used, (std::vector<double>{9, 14}));
  EXPECT_EQ(outcome.allocation.servers[0].capacity, (std::vector<double>{9, 18}));
  EXPECT_EQ(outcome.unplaced, (std::vector<Unplaced>{Unplaced::no_room, Unplaced::no_room}));
}

}  // namespace
}  // namespace mirab::scheduling
