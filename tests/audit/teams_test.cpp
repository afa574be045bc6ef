// What groups use, and what of their guarantees is unused, lent and borrowed: docs/explanation/teams.md, "The
// organisation" (tests/golden/teams_cases.json, organisation), and cases of one group.
#include <gmock/gmock.h>

#include <mirab/audit/metrics.hpp>
#include <mirab/audit/teams.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

namespace mirab {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// One line of the table: CPUs and GPUs, share, share beyond the guarantee, that per weight.
struct Line {
  const char* name;
  double cpu, gpu, share, beyond, key;
};

TEST(Teams, TheOrganisationHasTheNumbersOfItsTable) {
  const Problem problem = *read_cluster_file(MIRAB_SOURCE_DIR "/examples/teams/organisation.yaml");
  const Line lines[] = {
      {"", 320, 40, 1, 0.7, 0.7},
      {"research", 544.0 / 3, 88.0 / 3, 11.0 / 15, 11.0 / 30, 11.0 / 60},
      {"vision", 2096.0 / 15, 128.0 / 15, 131.0 / 300, 131.0 / 300, 131.0 / 300},
      {"language", 41.6, 20.8, 0.52, 0.32, 0.32},
      {"production", 416.0 / 3, 32.0 / 3, 13.0 / 30, 1.0 / 6, 1.0 / 6},
      {"alice", 512.0 / 15, 128.0 / 15, 16.0 / 75, 16.0 / 75, 16.0 / 75},
      {"bob", 105.6, 0, 0.33, 0.33, 0.33},
      {"carol", 41.6, 20.8, 0.52, 0.52, 0.26},
      {"dave", 96, 0, 0.3, 0.3, 0.3},
      {"erin", 128.0 / 3, 32.0 / 3, 4.0 / 15, 4.0 / 15, 4.0 / 15},
  };
  for (const char* mechanism : {"hdrf", "hdrfh"}) {
    const Outcome outcome = *allocate(problem, mechanism);
    const std::vector<GroupFigures> figures = group_figures(problem, outcome.allocation);
    ASSERT_EQ(figures.size(), std::size(lines));
    for (std::size_t v = 0; v < figures.size(); ++v) {
      SCOPED_TRACE(lines[v].name);
      EXPECT_THAT(figures[v].used,
                  ElementsAre(DoubleNear(lines[v].cpu, 1e-7), DoubleNear(lines[v].gpu, 1e-7)));
      EXPECT_NEAR(figures[v].share, lines[v].share, 1e-9);
      if (v == 0) continue;
      EXPECT_NEAR(figures[v].beyond, lines[v].beyond, 1e-9);
      EXPECT_NEAR(figures[v].key, lines[v].key, 1e-9);
    }
    EXPECT_THAT(figures[1].guarantee, ElementsAre(64, 16));
    EXPECT_THAT(figures[1].borrowed,
                ElementsAre(DoubleNear(544.0 / 3 - 64, 1e-7), DoubleNear(40.0 / 3, 1e-7)));
    EXPECT_THAT(figures[1].lent, ElementsAre(0, 0));
    EXPECT_THAT(figures[2].guarantee, ElementsAre(0, 0));
  }
}

// 4 CPUs are guaranteed, 3 of them not lent, 1 is in use: of the 3 that are idle, others have 1.
TEST(Teams, AReserveIsUnusedAndNotLent) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 10}}]
groups: [{name: z, guarantee: {cpu: 4}, reserved: {cpu: 3}}]
users:
  - {name: a, group: z, demand: {cpu: 1}, tasks: 1}
  - {name: w, demand: {cpu: 1}}
)",
                                             Syntax::yaml, "reserved");
  const Outcome outcome = *allocate(problem, "hdrf");
  const std::vector<GroupFigures> figures = group_figures(problem, outcome.allocation);
  EXPECT_THAT(figures[1].used, ElementsAre(DoubleNear(1, 1e-9)));
  EXPECT_THAT(figures[1].unused, ElementsAre(DoubleNear(3, 1e-9)));
  EXPECT_THAT(figures[1].lent, ElementsAre(DoubleNear(1, 1e-9)));
  EXPECT_THAT(figures[1].borrowed, ElementsAre(0));
  EXPECT_EQ(figures[1].beyond, 0);
  EXPECT_THAT(figures[3].borrowed, ElementsAre(DoubleNear(7, 1e-9)));
}

// Without weight the share beyond the guarantee is not divided by it.
TEST(Teams, ANodeWithoutWeightCountsAsOne) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 10}}]
users:
  - {name: z, weight: 0, guarantee: {cpu: 2}, demand: {cpu: 1}}
  - {name: w, demand: {cpu: 1}, tasks: 5}
)",
                                             Syntax::yaml, "no weight");
  const Outcome outcome = *allocate(problem, "hdrf");
  EXPECT_NEAR(group_figures(problem, outcome.allocation)[1].key, 0.3, 1e-12);
  EXPECT_EQ(measure(problem, outcome.allocation).jain, 1);  // of w alone
  EXPECT_EQ(measure(problem, outcome.allocation).ratio_20_20, 1);
}

}  // namespace
}  // namespace mirab
