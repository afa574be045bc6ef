#include <filesystem>
#include <gmock/gmock.h>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/workload_file.hpp>

#include "support/files.hpp"

// The clusters in examples/.
namespace mirab::traces {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::filesystem::path examples_folder = MIRAB_SOURCE_DIR "/examples";

Problem example(const std::string& name) {
  auto problem = read_cluster_file(examples_folder / name);
  if (!problem) ADD_FAILURE() << describe(problem.error());
  return *std::move(problem);
}

std::int64_t machines(const Problem& problem) {
  return std::accumulate(problem.servers().begin(), problem.servers().end(), std::int64_t{0},
                         [](std::int64_t sum, const Server& server) { return sum + server.count; });
}

std::set<std::string> example_names() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(examples_folder)) {
    if (entry.path().extension() == ".yaml") names.insert(entry.path().filename().string());
  }
  return names;
}

/// A scenario says what kind it is; a cluster does not.
bool is_scenario(const std::string& name) {
  return read_text(examples_folder / name).find("\nkind: ") != std::string::npos;
}

TEST(Examples, EachIsNamedInTheReadme) {
  const std::string readme = read_text(examples_folder / "README.md");
  for (const std::string& name : example_names()) EXPECT_THAT(readme, HasSubstr("`" + name + "`"));
}

TEST(Examples, EachButTheScenariosIsAValidCluster) {
  int clusters = 0;
  for (const std::string& name : example_names()) {
    if (is_scenario(name)) continue;
    ++clusters;
    const auto problem = read_cluster_file(examples_folder / name);
    EXPECT_TRUE(problem) << describe(problem.error());
  }
  EXPECT_GE(clusters, 5);
}

// A workload goes with the cluster file of its name, which knows its resources and users.
TEST(Examples, EachWorkloadGoesWithItsCluster) {
  const std::string readme = read_text(examples_folder / "README.md");
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(examples_folder)) {
    if (entry.path().extension() != ".workload") continue;
    ++count;
    const std::string name = entry.path().stem().string();
    const auto workload = read_workload_file(entry.path());
    ASSERT_TRUE(workload) << describe(workload.error());
    const Problem cluster = example(name + ".yaml");
    EXPECT_EQ(workload->resources, cluster.resources()) << name;
    std::set<std::string> users;
    for (const User& user : cluster.users()) users.insert(user.name);
    for (const Submitter& user : workload->users) EXPECT_TRUE(users.contains(user.name)) << user.name;
    EXPECT_EQ(workload->users.size(), users.size()) << name;
    EXPECT_THAT(read_text(entry.path()), HasSubstr("--workload examples/" + name));
    EXPECT_THAT(readme, HasSubstr("`" + name + ".workload`"));
  }
  EXPECT_GE(count, 2);
}

TEST(Examples, EachBeginsWithAWordOnWhatItShows) {
  for (const std::string& name : example_names()) {
    EXPECT_THAT(read_text(examples_folder / name), StartsWith("# ")) << name;
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

TEST(Examples, TheGoogleParkWithPlatformsHasTheSameUsersOnFewerMachines) {
  const Problem park = example("google2011-park.yaml");
  const Problem platforms = example("google2011-platforms.yaml");
  EXPECT_EQ(platforms.servers(), park.servers());
  std::vector<User> users = platforms.users();
  std::map<std::size_t, int> confined;  // users by how many platforms they are confined to
  for (User& user : users) {
    if (!user.select.empty()) ++confined[user.select.at("platform").any_of->size()];
    user.select.clear();
  }
  EXPECT_EQ(users, park.users());
  EXPECT_GT(confined[1], 100);
  EXPECT_GT(confined[2], 100);
}

// The trace's README in numbers: 1,523 nodes, 6,212 GPUs, 8,152 pods.
TEST(Examples, TheGpuClusterHasAllNodesAndPods) {
  const Problem openb = example("openb.yaml");
  EXPECT_EQ(machines(openb), 1523);
  EXPECT_EQ(openb.server_count(), 27u);
  EXPECT_EQ(openb.pool()[2], 6212.0);
  const auto pods = [](double sum, const User& user) {
    return sum + user.tasks.value_or(Quantity(0)).value();
  };
  EXPECT_EQ(std::accumulate(openb.users().begin(), openb.users().end(), 0.0, pods), 8152.0);
  EXPECT_EQ(openb.user_count(), 162u);
  const std::string text = read_text(examples_folder / "openb.yaml");
  for (const char* part : {"Weng", "study and research", "mirab import openb ", "-o examples/openb.yaml"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

/// γ_{n,i}: the tasks that the user could run on the server alone.
double alone(const Problem& problem, std::size_t user, std::size_t server) {
  if (!problem.eligible(user, server)) return 0;
  double tasks = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    const Quantity& demand = problem.demand(user, server)[r];
    if (demand.is_zero()) continue;
    tasks = std::min(tasks, problem.servers()[server].capacity[r].value() / demand.value());
  }
  return tasks;
}

// Khamse-Ashari et al.: y_1 = 4, y_2 = 12, y_3 = y_4 = 4 + 16 under figure 1; with d_4 = (1, 0.5, 0) in
// figure 2 γ_{4,1} = γ_{4,2} = 8.
TEST(Examples, TheFiguresOfPsDsfHaveThePapersTasksAlone) {
  for (const auto& [name, last] : {std::pair("psdsf-fig1.yaml", std::pair(4.0, 16.0)),
                                   std::pair("psdsf-fig2.yaml", std::pair(8.0, 8.0))}) {
    const Problem figure = example(name);
    ASSERT_EQ(figure.user_count(), 4u);
    const std::vector<std::pair<double, double>> expected{{4, 0}, {12, 0}, {4, 16}, last};
    for (std::size_t n = 0; n < 4; ++n) {
      EXPECT_NEAR(alone(figure, n, 0), expected[n].first, 1e-12) << name << ", user " << n + 1;
      EXPECT_NEAR(alone(figure, n, 1), expected[n].second, 1e-12) << name << ", user " << n + 1;
    }
  }
}

TEST(Examples, WhatComesFromGoogleSaysSoAndHowToMakeItAgain) {
  for (const std::string& name : example_names()) {
    if (!name.starts_with("google2011")) continue;
    const std::string text = read_text(examples_folder / name);
    for (const std::string& part : {std::string("Reiss"), std::string("CC-BY 4.0"), std::string("Seed: "),
                                    std::string("mirab import google2011 "), "-o examples/" + name}) {
      EXPECT_THAT(text, HasSubstr(part)) << name;
    }
  }
}

// The slides on DRF: 9 CPUs and 18 GB; A runs tasks of (1, 4), B of (3, 1).
TEST(Examples, TheSlidesHaveAPoolOfNineAndEighteen) {
  const Problem slides = example("textbook.yaml");
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
