#include <filesystem>
#include <gmock/gmock.h>
#include <numeric>
#include <set>

#include <mirab/model/cluster_file.hpp>

#include "traces/temporary_folder.hpp"

// The clusters in examples/.
namespace mirab::traces {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::filesystem::path folder = MIRAB_SOURCE_DIR "/examples";

Problem example(const std::string& name) {
  auto problem = read_cluster_file(folder / name);
  if (!problem) ADD_FAILURE() << describe(problem.error());
  return *std::move(problem);
}

std::int64_t machines(const Problem& problem) {
  return std::accumulate(problem.servers().begin(), problem.servers().end(), std::int64_t{0},
                         [](std::int64_t sum, const Server& server) { return sum + server.count; });
}

std::set<std::string> example_names() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(Examples, EachIsAValidClusterThatTheReadmeNames) {
  const std::string readme = TemporaryFolder::bytes_of(folder / "README.md");
  ASSERT_GE(example_names().size(), 5u);
  for (const std::string& name : example_names()) {
    const auto problem = read_cluster_file(folder / name);
    EXPECT_TRUE(problem) << describe(problem.error());
    EXPECT_THAT(readme, HasSubstr("`" + name + "`"));
  }
}

TEST(Examples, EachBeginsWithAWordOnWhatItShows) {
  for (const std::string& name : example_names()) {
    EXPECT_THAT(TemporaryFolder::bytes_of(folder / name), StartsWith("# ")) << name;
  }
}

TEST(Examples, TheSamplesOfTheGoogleTraceHaveTheirSizes) {
  EXPECT_EQ(machines(example("google2011-100x20.yaml")), 100);
  EXPECT_EQ(example("google2011-100x20.yaml").user_count(), 20u);
  EXPECT_EQ(machines(example("google2011-200x40.yaml")), 200);
  EXPECT_EQ(example("google2011-200x40.yaml").user_count(), 40u);
}

TEST(Examples, TheGoogleParkHasAllMachinesInTenClasses) {
  const Problem park = example("google2011-park.yaml");
  EXPECT_EQ(park.server_count(), 10u);
  EXPECT_EQ(machines(park), 12477);
  EXPECT_EQ(park.user_count(), 519u);
}

TEST(Examples, WhatComesFromGoogleSaysSoAndHowToMakeItAgain) {
  for (const std::string& name : example_names()) {
    if (!name.starts_with("google2011")) continue;
    const std::string text = TemporaryFolder::bytes_of(folder / name);
    for (const std::string& part : {std::string("Reiss"), std::string("CC-BY 4.0"), std::string("Seed: "),
                                    std::string("mirab import google2011 "), "-o examples/" + name}) {
      EXPECT_THAT(text, HasSubstr(part)) << name;
    }
  }
}

// The slides on DRF: 9 CPUs and 18 GB; A runs tasks of (1, 4), B of (3, 1).
TEST(Examples, TheSlidesHaveAPoolOfNineAndEighteen) {
  const Problem slides = example("slides.yaml");
  EXPECT_EQ(slides.pool(), (std::vector<double>{9, 18}));
  ASSERT_EQ(slides.user_count(), 2u);
  EXPECT_EQ(slides.users()[0].demand, (ResourceVector{Quantity(1), Quantity(4)}));
  EXPECT_EQ(slides.users()[1].demand, (ResourceVector{Quantity(3), Quantity(1)}));
}

TEST(Examples, TheTeamClusterShowsWeightsCapsAndPlacement) {
  const Problem team = example("team-cluster.yaml");
  EXPECT_TRUE(team.has_placement_constraints());
  EXPECT_TRUE(team.has_demand_on());
  bool weight = false;
  bool cap = false;
  for (const User& user : team.users()) {
    weight |= user.weight != Quantity(1);
    cap |= user.tasks.has_value();
  }
  EXPECT_TRUE(weight);
  EXPECT_TRUE(cap);
}

}  // namespace
}  // namespace mirab::traces
