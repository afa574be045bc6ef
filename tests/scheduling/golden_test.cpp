// The papers' worked fills, from tests/golden/paper_cases.json: every case that expects something of a
// `fill:`.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scheduling/clusters.hpp"

namespace mirab::scheduling {
namespace {

nlohmann::json golden_cases() {
  std::ifstream file(MIRAB_SOURCE_DIR "/tests/golden/paper_cases.json");
  return nlohmann::json::parse(file).at("cases");
}

nlohmann::json golden_case(const std::string& id) {
  for (const nlohmann::json& one : golden_cases()) {
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

std::vector<std::string> golden_order(const Problem& problem, const mirab::Outcome& outcome) {
  std::vector<std::string> names;
  for (const FillStep& step : outcome.filling->steps) names.push_back(problem.users()[step.user].name);
  return names;
}

/// A `fill:` key of a case: `fill:drf` is the discipline drf.
struct ExpectedFill {
  nlohmann::json golden;
  std::string discipline;
  std::vector<double> tasks;
};

std::ostream& operator<<(std::ostream& stream, const ExpectedFill& fill) {
  return stream << fill.golden.at("id") << ' ' << fill.discipline;
}

std::vector<ExpectedFill> expected_fills() {
  constexpr std::string_view kFill = "fill:";
  std::vector<ExpectedFill> fills;
  for (const nlohmann::json& golden : golden_cases()) {
    for (const auto& [key, expected] : golden.at("expect").items()) {
      if (key.starts_with(kFill)) fills.push_back({golden, key.substr(kFill.size()), expected.at("tasks")});
    }
  }
  return fills;
}

class GoldenFill : public testing::TestWithParam<ExpectedFill> {};

TEST_P(GoldenFill, PlacesTheTasksThatThePaperPrints) {
  const ExpectedFill& fill = GetParam();
  EXPECT_EQ(filled(problem_of(fill.golden), {.discipline = fill.discipline}).allocation.tasks, fill.tasks);
}

INSTANTIATE_TEST_SUITE_P(PaperCases, GoldenFill, testing::ValuesIn(expected_fills()), [](const auto& one) {
  std::string name = one.param.golden.at("id").template get<std::string>() + "_" + one.param.discipline;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Slides, Table 1.
TEST(SlidesTable1, TheOrderIsBAABAWhenTheLastDeclaredUserWinsTies) {
  const nlohmann::json golden = golden_case("slides-progressive-filling");
  const Problem problem = problem_of(golden);
  EXPECT_EQ(golden_order(problem, filled(problem, {.tie = Tie::last})),
            golden.at("expect").at("fill:drf").at("order_tie_last").get<std::vector<std::string>>());
}

// Slides, Table 1: the column of dominant shares, 1/3, 2/9, 4/9, 2/3, 2/3.
TEST(SlidesTable1, TheDominantSharesAfterEachStepAreThePrintedOnes) {
  const mirab::Outcome outcome =
      filled(problem_of(golden_case("slides-progressive-filling")), {.tie = Tie::last});
  std::vector<double> shares;
  for (const FillStep& step : outcome.filling->steps) shares.push_back(step.share);
  EXPECT_EQ(shares, (std::vector<double>{1.0 / 3, 2.0 / 9, 4.0 / 9, 2.0 / 3, 2.0 / 3}));
}

// Slides, Table 1: 9 CPUs and 14 GB are in use at the end.
TEST(SlidesTable1, TheEndUsesAllCpusAndFourteenOfEighteenGigabytes) {
  const Problem problem = problem_of(golden_case("slides-progressive-filling"));
  const mirab::Outcome outcome = filled(problem, {});
  EXPECT_EQ(outcome.allocation.servers[0].used, (std::vector<double>{9, 14}));
  EXPECT_EQ(outcome.allocation.servers[0].capacity, (std::vector<double>{9, 18}));
  EXPECT_EQ(outcome.filling->unplaced, (std::vector<Unplaced>{Unplaced::no_room, Unplaced::no_room}));
}

}  // namespace
}  // namespace mirab::scheduling
