// The scenario files of experiments are read, and give what the experiment found.
#include "lab/experiments/own_files.hpp"

#include <gmock/gmock.h>

#include <mirab/model/cluster_file.hpp>

#include "experiments/expect.hpp"
#include "lab/experiments/ostman/runs.hpp"
#include "lab/simulation/scenario.hpp"

namespace mirab::experiments {
namespace {

const RunOptions kQuick{.seed = 3, .effort = Effort::quick};

template <class What>
What scenario_in(const OwnFiles& files) {
  const Result<simulation::Scenario> read =
      simulation::read_scenario_text(files.scenario, Syntax::yaml, "own.yaml");
  EXPECT_TRUE(read) << describe(read.error()) << "\n" << files.scenario;
  return std::get<What>(read->what);
}

TEST(OwnFiles, EveryExperimentHasSomeThatReadOrSaysWhyNot) {
  for (const Experiment& experiment : experiments()) {
    SCOPED_TRACE(experiment.id);
    if (experiment.own_files == nullptr) {
      EXPECT_FALSE(why_no_files(experiment).empty());
      continue;
    }
    const OwnFiles files = experiment.own_files(kQuick);
    EXPECT_FALSE(files.note.empty());
    EXPECT_FALSE(files.scenario.empty() && files.cluster.empty());
    if (!files.scenario.empty()) {
      const auto read = simulation::read_scenario_text(files.scenario, Syntax::yaml, "own.yaml");
      ASSERT_TRUE(read) << describe(read.error()) << "\n" << files.scenario;
      EXPECT_EQ(read->seeds.front(), 3u);
    }
    if (!files.cluster.empty()) {
      const Result<Problem> cluster = read_cluster_text(files.cluster, Syntax::yaml, "own-cluster.yaml");
      EXPECT_TRUE(cluster) << describe(cluster.error());
    }
  }
}

TEST(OwnFiles, AnOverlayRunsAsInTheExperiment) {
  const std::array<OverlaySetting, 3> settings{
      {{.machines = 6, .users = 2, .scheduler = overlay::Scheduler::dgdrf, .neighbours = 3},
       {.machines = 6,
        .users = 2,
        .scheduler = overlay::Scheduler::dgdrf,
        .confirm = overlay::Confirm::lowest},
       {.machines = 6, .users = 2, .scheduler = overlay::Scheduler::centralised_drf}}};
  const std::vector<SeedRuns> ours = overlay_runs(settings, 1, kQuick);
  const OwnFiles files = files_of("ostman-mine", settings, kQuick);
  const auto scenario = scenario_in<simulation::OverlayScenario>(files);
  EXPECT_EQ(scenario.cluster, "ostman-mine-cluster.yaml");
  const Problem cluster = *read_cluster_text(files.cluster, Syntax::yaml, "own-cluster.yaml");
  const auto own = simulation::run_overlay(cluster, scenario, kQuick.seed, 1);
  ASSERT_TRUE(own) << describe(own.error());
  ASSERT_EQ(own->size(), 3u);
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ((*own)[s].ticks, ours[s].front().ticks) << files.scenario;
    EXPECT_EQ((*own)[s].messages, ours[s].front().messages);
    EXPECT_EQ((*own)[s].shares, ours[s].front().shares);
  }
  EXPECT_THAT(files.scenario, ::testing::HasSubstr("oldest: 12"));
}

TEST(OwnFiles, TrafficRunsAsInTheExperiment) {
  const std::string id = "pf-fig1a";
  const std::vector<std::string> names{id};
  const OwnFiles files = choose_experiments(names)->front().own_files(kQuick);
  const auto scenario = scenario_in<simulation::TrafficScenario>(files);
  const auto own = simulation::simulate_traffic(scenario, kQuick.seed, 1);
  ASSERT_TRUE(own) << describe(own.error());
  const Reproduction ours = quick(id, 3);
  const Curve& curve = ours.figures.front().curves.front();  // drf, class 1
  EXPECT_EQ(curve.y.front(), own->points.front().service_rate) << files.scenario;
}

}  // namespace
}  // namespace mirab::experiments
