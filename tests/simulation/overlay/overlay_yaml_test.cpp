#include <gtest/gtest.h>

#include "lab/simulation/overlay/search.hpp"
#include "lab/simulation/scenario.hpp"

namespace mirab::simulation {
namespace {

// Reading what was written and writing it again gives the same text: nothing is left out or rounded.
TEST(OverlayYaml, ReadsBackAsTheSameTrial) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Trial trial = draw_trial({.nodes = 40, .users = 6, .ticks = 300}, seed);
    const std::string text = write_overlay_yaml(trial, "c.yaml", {"a comment"});
    const Result<Scenario> read = read_scenario_text(text, Syntax::yaml, "found.yaml");
    ASSERT_TRUE(read) << read.error().message << " at " << read.error().key << "\n" << text;
    const Trial again{trial.cluster, std::get<OverlayScenario>(read->what), read->seeds.front()};
    EXPECT_EQ(write_overlay_yaml(again, "c.yaml", {"a comment"}), text);
    EXPECT_EQ(again.scenario.cluster, "c.yaml");
    EXPECT_EQ(again.scenario.rules.front().options.gossip.view,
              trial.scenario.rules.front().options.gossip.view);
    EXPECT_EQ(again.scenario.shuffles_per_tick, trial.scenario.shuffles_per_tick);
    EXPECT_EQ(again.scenario.latency.max, trial.scenario.latency.max);
    EXPECT_EQ(again.scenario.wire.lifetime, trial.scenario.wire.lifetime);
    EXPECT_EQ(again.scenario.wire.skew, trial.scenario.wire.skew);
    EXPECT_EQ(again.scenario.faults.restarts.size(), trial.scenario.faults.restarts.size());
    EXPECT_EQ(again.scenario.ticks, trial.scenario.ticks);
  }
}

}  // namespace
}  // namespace mirab::simulation
