// Times by the wall clock, after rests of the service and steps of the clock.
#include "live/wall_times.hpp"

#include <gtest/gtest.h>

#include "live/cluster.hpp"
#include "live/state.hpp"

namespace mirab::live {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr seconds kDay = hours(24);
const Wall kMorning = *wall_of("2027-03-01T08:00:00Z");

TEST(WallTimes, ATimeIsConvertedAsTheClocksStoodThen) {
  WallTimes walls;
  walls.note({.now = Time(seconds(10)), .wall = kMorning});
  walls.note({.now = Time(seconds(20)), .wall = kMorning + seconds(10)});
  walls.note({.now = Time(seconds(30)), .wall = kMorning + hours(1)});  // set forth
  walls.note({.now = Time(seconds(40)), .wall = kMorning - hours(1)});  // set back
  EXPECT_EQ(walls.moments().size(), 3U);
  EXPECT_EQ(walls.at(Time(seconds(5))), kMorning - seconds(5));
  EXPECT_EQ(walls.at(Time(seconds(29))), kMorning + seconds(19));
  EXPECT_EQ(walls.at(Time(seconds(30))), kMorning + hours(1));
  EXPECT_EQ(walls.at(Time(seconds(45))), kMorning - hours(1) + seconds(5));
}

TEST(WallTimes, PiecesAreTogetherAsLongAsTheTime) {
  WallTimes walls;
  for (int n = 0; n < 5; ++n)
    walls.note({.now = Time(seconds(10 * n)), .wall = kMorning + std::chrono::days(n)});
  for (const int from : {-5, 0, 3, 10, 25}) {
    for (const int to : {-5, 7, 10, 30, 99}) {
      seconds sum(0);
      walls.for_each_piece(Time(seconds(from)), Time(seconds(to)), [&](Wall begin, Wall end) {
        EXPECT_LT(begin, end);
        sum += std::chrono::duration_cast<seconds>(end - begin);
      });
      EXPECT_EQ(sum, seconds(std::max(0, to - from))) << from << " " << to;
    }
  }
}

TEST(WallTimes, ClocksThatAreReadOneAfterTheOtherHaveNotMoved) {
  WallTimes walls;
  for (int n = 0; n < 1'000; ++n)
    walls.note({.now = Time(seconds(n)), .wall = kMorning + seconds(n) + milliseconds(n % 100)});
  EXPECT_EQ(walls.moments().size(), 1U);
}

TEST(WallTimes, OfAClockThatIsSetAllTheTimeTheLatestMomentsStay) {
  WallTimes walls;
  for (int n = 0; n < 10'000; ++n)
    walls.note({.now = Time(seconds(n)), .wall = kMorning + std::chrono::days(n)});
  EXPECT_EQ(walls.moments().size(), WallTimes::kMost);
  EXPECT_EQ(walls.at(Time(seconds(9'000))), kMorning + std::chrono::days(9'000));
}

// A cluster.

/// When the tasks of ml/j started and ended, as they are answered.
std::vector<std::string> times(const LiveCluster& cluster) {
  std::vector<std::string> times;
  const Json body = cluster.get({.what = Ask::tasks, .given = {{"job", "ml/j"}}}).body;
  for (const Json& task : body["items"]) {
    for (const char* const key : {"started", "ended"}) times.push_back(task.value(key, ""));
  }
  return times;
}

double hours_charged(const LiveCluster& cluster, const std::string& from, const std::string& to) {
  Uses ended;
  for (const Batch& batch : cluster.log) {
    for (const auto& [by, amounts] : batch.uses) {
      std::vector<double>& sums = ended[by];
      sums.resize(amounts.size());
      for (std::size_t r = 0; r < amounts.size(); ++r) sums[r] += amounts[r];
    }
  }
  const auto asked = usage_asked({.given = {{"from", from}, {"to", to}}}, cluster.wall);
  const Answer answer = cluster.reader.usage(std::get<UsageAsked>(asked), ended,
                                             {.now = cluster.now, .wall = cluster.wall}, admin());
  return answer.body["items"].empty() ? 0 : answer.body["items"][0]["hours"]["cpu"].get<double>();
}

/// Two tasks of one CPU, of which the first ends after an hour.
LiveCluster cluster_with_tasks() {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", R"({"tasks":2,"demand":{"cpu":1}})");
  cluster.now += hours(1);
  cluster.wall += hours(1);
  cluster.send(admin(), Do::outcome_put, {.name = "t-0"}, parse(R"({"outcome":"succeeded"})"));
  return cluster;
}

const char* const kFirstYear = "2027-01-01T00:00:00Z";
const char* const kLastYear = "2029-01-01T00:00:00Z";

TEST(LiveTimes, ATaskDoesNotStartBeforeItsJobWasSubmitted) {
  LiveCluster cluster = small_cluster();
  cluster.wall += std::chrono::milliseconds(7);  // both clocks are not read at the same instant
  const std::string submitted = text_of(cluster.wall);
  cluster.submit("ml", "j", R"({"tasks":2,"demand":{"cpu":1}})");
  EXPECT_EQ(cluster.job("ml", "j")["submitted"], submitted);
  EXPECT_EQ(times(cluster)[0], submitted);
}

TEST(LiveTimes, StayWhatTheyWereAfterTwoDaysOfRest) {
  LiveCluster cluster = cluster_with_tasks();
  const std::vector<std::string> before = times(cluster);
  cluster.now += kDay;  // a rest counts for no longer
  cluster.wall += 2 * kDay;
  cluster.put(Do::tenant_put, "other", "{}");
  EXPECT_EQ(times(cluster), before);
  const std::string bytes = cluster.decider.snapshot();
  cluster.decider = *Decider::restore(bytes);
  cluster.reader = *Reader::restore(bytes, Others::shares);
  EXPECT_EQ(cluster.decider.snapshot(), bytes);
  EXPECT_EQ(times(cluster), before);
  const Wall ended = cluster.wall;
  cluster.send(admin(), Do::outcome_put, {.name = "t-1"}, parse(R"({"outcome":"succeeded"})"));
  EXPECT_EQ(times(cluster)[3], text_of(ended));
}

TEST(LiveTimes, OfARestADayIsCharged) {
  LiveCluster cluster = cluster_with_tasks();
  const double before = hours_charged(cluster, kFirstYear, kLastYear);
  cluster.now += kDay;
  cluster.wall += 2 * kDay;
  EXPECT_NEAR(hours_charged(cluster, kFirstYear, kLastYear), before + 24, 1e-9);  // no record since
  cluster.put(Do::tenant_put, "other", "{}");
  EXPECT_NEAR(hours_charged(cluster, kFirstYear, kLastYear), before + 24, 0.001);
  EXPECT_NEAR(hours_charged(cluster, "2027-03-01T09:00:00Z", "2027-03-02T09:00:00Z"), 24, 0.01)
      << "its first day";
  cluster.send(admin(), Do::outcome_put, {.name = "t-1"}, parse(R"({"outcome":"succeeded"})"));
  EXPECT_NEAR(hours_charged(cluster, kFirstYear, kLastYear), before + 24, 0.001);
}

TEST(LiveTimes, AStepOfTheClockForthAndBackMovesNoTimeAndChargesNothing) {
  LiveCluster cluster = cluster_with_tasks();
  const std::vector<std::string> before = times(cluster);
  const double used = hours_charged(cluster, kFirstYear, kLastYear);
  for (const seconds step : {seconds(200 * kDay), seconds(-200 * kDay)}) {
    cluster.wall += step;
    EXPECT_NEAR(hours_charged(cluster, kFirstYear, kLastYear), used, 0.002);
    cluster.put(Do::tenant_put, "other", step.count() > 0 ? R"({"limits":{"burst":9}})" : "{}");
    EXPECT_EQ(times(cluster), before);
    EXPECT_NEAR(hours_charged(cluster, kFirstYear, kLastYear), used, 0.002);
  }
  cluster.send(admin(), Do::outcome_put, {.name = "t-1"}, parse(R"({"outcome":"succeeded"})"));
  EXPECT_NEAR(hours_charged(cluster, kFirstYear, kLastYear), used, 0.004);
}

/// As versions wrote them that did not say how the clocks stood.
std::string earlier(const std::string& bytes) {
  Json json = Json::from_cbor(bytes);
  json.erase("walls");
  const std::vector<std::uint8_t> without = Json::to_cbor(json);
  return {without.begin(), without.end()};
}

TEST(LiveTimes, OfAnEarlierSnapshotAreThoseOfJobsThatEnded) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", R"({"demand":{"cpu":1}})");
  cluster.send(admin(), Do::outcome_put, {.name = "t-0"}, parse(R"({"outcome":"succeeded"})"));
  cluster.wall += 2 * kDay;
  cluster.put(Do::tenant_put, "other", "{}");
  const std::vector<std::string> before = times(cluster);
  const std::string bytes = cluster.decider.snapshot();
  EXPECT_TRUE(same_state(earlier(bytes), bytes));
  cluster.reader = *Reader::restore(earlier(bytes), Others::shares);
  EXPECT_EQ(times(cluster), before);
}

}  // namespace
}  // namespace mirab::live
