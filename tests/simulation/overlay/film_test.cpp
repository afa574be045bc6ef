// The pictures of a run that the report page shows.
#include <gtest/gtest.h>
#include <vector>

#include <mirab/model/cluster_file.hpp>

#include "lab/simulation/overlay.hpp"

namespace mirab::simulation {
namespace {

std::vector<OverlayFrame> filmed(std::uint32_t frames) {
  const auto cluster = read_cluster_text(
      "resources: [cpu, memory]\n"
      "servers: [{name: s, count: 5, capacity: {cpu: 8, memory: 8}}]\n"
      "users: [{name: anna, demand: {cpu: 2, memory: 1}}, {name: ben, demand: {cpu: 1, memory: 2}}]\n",
      Syntax::yaml, "cluster");
  EXPECT_TRUE(cluster);
  OverlayScenario scenario;
  scenario.rules = {{}};
  scenario.names = {"dgdrf"};
  scenario.duration = 40 * scenario.tick;
  scenario.frames = frames;
  const auto runs = run_overlay(*cluster, scenario, 1, 1);
  EXPECT_TRUE(runs);
  return runs->front().frames;
}

TEST(FrameRecorder, EveryPictureHasAllServersHoweverOftenTheFilmWasThinned) {
  for (const std::uint32_t frames : {4, 8, 20}) {
    const std::vector<OverlayFrame> kept = filmed(frames);
    ASSERT_EQ(kept.size(), frames);
    for (const OverlayFrame& frame : kept) {
      EXPECT_EQ(frame.utility.size(), 5U) << "tick " << frame.tick;
      EXPECT_EQ(frame.view.size(), 5U);
      EXPECT_EQ(frame.used.size(), 5U);
    }
  }
}

TEST(FrameRecorder, PicturesBeginBeforeTheFirstTickAndFollowEachOther) {
  const std::vector<OverlayFrame> kept = filmed(12);
  EXPECT_LT(kept.front().tick, 0);
  EXPECT_GT(kept.back().tick, 30);
  for (std::size_t f = 1; f < kept.size(); ++f) {
    EXPECT_LT(kept[f - 1].tick, kept[f].tick);
    EXPECT_LE(kept[f - 1].placements, kept[f].placements);
  }
}

}  // namespace
}  // namespace mirab::simulation
