#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/simulation/runs.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using simulation::OverlayFrame;

constexpr double kNobody = -std::numeric_limits<double>::infinity();

OverlayFrame frame(double tick) {
  return {.tick = tick,
          .utility = {-0.01234567891, kNobody, -0.0, -1234567.89},
          .view = {{1, 2}, {0}, {}, {2, 0}},
          .used = {0.12345, 0, 1, 0.9996},
          .placements = static_cast<std::int64_t>(tick) * 3};
}

TEST(OverlayFramesJson, FramesAreColumns) {
  const Json json = frames_json({frame(1), frame(2.5)}, 1000);
  EXPECT_EQ(json["ticks"].dump(), "[1.0,2.5]");
  EXPECT_EQ(json["placements"].dump(), "[3,6]");
  EXPECT_EQ(json["view"][1].dump(), "[[1,2],[0],[],[2,0]]");
}

TEST(OverlayFramesJson, AServerWithoutUsersHasNoUtilityAndOthersHaveSixDigits) {
  const Json json = frames_json({frame(1)}, 1000);
  EXPECT_EQ(json["utility"][0].dump(), "[-0.0123457,null,0.0,-1234570.0]");
  EXPECT_EQ(json["used"][0].dump(), "[0.123,0.0,1.0,1.0]");
}

TEST(OverlayFramesJson, OfTooManyFramesEverySoManyAreKeptAndTheLast) {
  std::vector<OverlayFrame> frames;
  for (int tick = 0; tick < 12; ++tick) frames.push_back(frame(tick));  // 13 entries each
  EXPECT_EQ(frames_json(frames, 156)["ticks"].size(), 12U);
  EXPECT_EQ(frames_json(frames, 52)["ticks"].dump(), "[0.0,3.0,6.0,9.0,11.0]");
  EXPECT_EQ(frames_json(frames, 52)["view"].size(), 5U);
  EXPECT_EQ(frames_json(frames, 0)["ticks"].dump(), "[0.0,11.0]");
}

TEST(OverlayFramesJson, NoFramesAreEmptyColumns) {
  EXPECT_EQ(frames_json({}, 0).dump(), R"({"ticks":[],"utility":[],"view":[],"used":[],"placements":[]})");
}

}  // namespace
}  // namespace mirab::report
