// Series over time and use: what is kept, for how long, and who may see it.
#include "live/history.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/cluster.hpp"
#include "random_cases.hpp"

namespace mirab::live {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kBegin = 1'800'000'000;  // a whole hour

Wall at(std::int64_t second) { return Wall(std::chrono::seconds(second)); }

Sample sample_of(double share, std::int64_t waiting = 0, const std::string& queue = "ml",
                 const std::string& tenant = "vision") {
  return {.queues = {{.queue = queue, .tenant = tenant, .share = share, .running = 1, .waiting = waiting}},
          .used = {{"cpu", 4000}}};
}

History::Which share_of(const std::string& queue) { return {.measure = Measure::share, .name = queue}; }

TEST(LiveHistory, AValueHoldsUntilTheNextAndAMinuteIsAMean) {
  History history;
  for (std::int64_t n = 0; n < 18; ++n) history.add(at(kBegin + 10 * n), sample_of(n < 9 ? 0.25 : 0.5));
  const auto tens = history.values(share_of("ml"), {.from = kBegin, .to = kBegin + 120, .step = 10});
  EXPECT_THAT(tens, ElementsAre(0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5));
  const auto minutes = history.values(share_of("ml"), {.from = kBegin, .to = kBegin + 180, .step = 60});
  EXPECT_THAT(minutes, ElementsAre(0.25, 0.375, 0.5));
}

TEST(LiveHistory, APointIsStoredOnlyWhereSomethingChanges) {
  History history;
  for (std::int64_t n = 0; n < 8'640; ++n) history.add(at(kBegin + 10 * n), sample_of(0.25));
  // Four lines, each with a point an hour for the keyframes, and few of minutes and hours.
  EXPECT_LT(history.points(), 4U * (24 + 1 + 2 + 2));
}

TEST(LiveHistory, NothingIsKnownOfTheTimeInWhichNobodyLooked) {
  History history;
  history.add(at(kBegin), sample_of(0.25));
  history.add(at(kBegin + 100), sample_of(0.5));
  const auto values = history.values(share_of("ml"), {.from = kBegin, .to = kBegin + 110, .step = 10});
  EXPECT_EQ(values.front(), 0.25);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_TRUE(std::isnan(values[9]));
  EXPECT_EQ(values.back(), 0.5);
}

TEST(LiveHistory, TensAreKeptADayMinutesAMonthAndHoursTwoYears) {
  MIRAB_SKIP_LARGE_IF_SANITIZED();
  History history;
  const std::int64_t days = 40;
  for (std::int64_t n = 0; n < days * 1'440; ++n) {
    // Once a minute is enough to see how long it lasts; every sample differs.
    history.add(at(kBegin + 60 * n), sample_of(0.001 * static_cast<double>(n % 1'000)));
  }
  const std::int64_t end = kBegin + days * 86'400;
  const auto known = [&](std::int64_t age, std::int64_t step) {
    const std::int64_t from = (end - age) / 3'600 * 3'600;
    return !std::isnan(history.values(share_of("ml"), {.from = from, .to = from + step, .step = step})[0]);
  };
  EXPECT_TRUE(known(23 * 3'600, 10));
  EXPECT_FALSE(known(3 * 86'400, 10));
  EXPECT_TRUE(known(29 * 86'400, 60));
  EXPECT_FALSE(known(33 * 86'400, 60));
  EXPECT_TRUE(known(39 * 86'400, 3'600));
}

TEST(LiveHistory, ManyQueuesTakeNoMoreThanTheLimit) {
  MIRAB_SKIP_LARGE_IF_SANITIZED();
  History history({.points = 20'000, .lines = 600});
  for (std::int64_t n = 0; n < 200; ++n) {
    Sample sample;
    for (int q = 0; q < 1'000; ++q)
      sample.queues.push_back({.queue = "q" + std::to_string(q),
                               .tenant = "t",
                               .share = 0.001 * static_cast<double>((n + q) % 97)});
    history.add(at(kBegin + 10 * n), sample);
    ASSERT_LE(history.lines(), 600U);
    ASSERT_LE(history.points(), 22'000U);
  }
  EXPECT_LT(history.kept(0), History::kLevels[0].kept);
  EXPECT_FALSE(std::isnan(
      history.values(share_of("q0"), {.from = kBegin + 1'980, .to = kBegin + 1'990, .step = 10})[0]));
}

TEST(LiveHistory, RowsGiveTheSameHistoryAgain) {
  History history;
  std::map<Json, Json> table;
  const auto store = [&] {
    for (const Row& row : history.take_rows()) {
      EXPECT_EQ(row.table, "series");
      if (row.columns.is_null()) {
        EXPECT_EQ(table.erase(row.key), 1U) << row.key;
      } else {
        table[row.key] = Json::parse(row.columns.dump());
      }
    }
  };
  const std::int64_t count = 3 * 8'640;
  for (std::int64_t n = 0; n < count; ++n) {
    const double share = n % 100 < 50 ? 0.25 : 0.01 * static_cast<double>(n % 13);
    history.add(at(kBegin + 10 * n), sample_of(share, n % 7));
    store();
  }
  History again;
  for (const auto& [key, columns] : table) EXPECT_TRUE(again.load(key, columns));
  again.ready();
  // All but what was not written yet: at most a minute.
  const std::int64_t end = (kBegin + 10 * count) / 60 * 60 - 60;
  const auto same = [&](std::int64_t length, std::int64_t step) {
    const History::Window window{.from = end / step * step - length, .to = end / step * step, .step = step};
    const auto before = history.values({.measure = Measure::waiting, .name = "ml"}, window);
    const auto after = again.values({.measure = Measure::waiting, .name = "ml"}, window);
    for (std::size_t i = 0; i < before.size(); ++i) {
      ASSERT_EQ(std::isnan(before[i]), std::isnan(after[i])) << step << " " << i;
      if (std::isnan(before[i])) continue;
      ASSERT_NEAR(before[i], after[i], 1e-5) << step << " " << i;
    }
  };
  same(86'280, 10);  // the tens of a day, but for the two minutes by which it ends earlier
  same(2 * 86'400, 60);
  same(2 * 86'400, 3'600);
  // A row a minute for a day and the keyframes' hours, a row each ten minutes, a row an hour.
  EXPECT_LE(table.size(), 1'440U + 121 + 3 * 144 + 3 * 24 + 3);
  EXPECT_FALSE(again.load(Json::array({11, 0}), Json::object()));
}

TEST(LiveHistory, AClockThatGoesBackLeavesNoFalsePoints) {
  History history;
  history.add(at(kBegin), sample_of(0.25));
  history.add(at(kBegin + 400 * 86'400), sample_of(0.5));
  history.add(at(kBegin + 60), sample_of(0.75));
  EXPECT_EQ(history.values(share_of("ml"), {.from = kBegin + 60, .to = kBegin + 70, .step = 10})[0], 0.75);
  const auto later = history.values(
      share_of("ml"), {.from = kBegin + 399 * 86'400, .to = kBegin + 401 * 86'400, .step = 3'600});
  EXPECT_TRUE(std::all_of(later.begin(), later.end(), [](double value) { return std::isnan(value); }));
}

TEST(LiveHistory, ATenantDoesNotSeeWhatAQueueWasBeforeItWasIts) {
  History history;
  history.add(at(kBegin), sample_of(0.25, 0, "ml", "vision"));
  history.add(at(kBegin + 10), sample_of(0.5, 0, "ml", "speech"));
  const History::Window window{.from = kBegin, .to = kBegin + 20, .step = 10};
  History::Which which = share_of("ml");
  EXPECT_THAT(history.values(which, window), ElementsAre(0.25, 0.5));
  which.tenant = "speech";
  const auto seen = history.values(which, window);
  EXPECT_TRUE(std::isnan(seen[0]));
  EXPECT_EQ(seen[1], 0.5);
}

// What the reader makes of it.

Answer history_answer(const LiveCluster& cluster, const std::string& series, const std::string& queue,
                      const Caller& caller) {
  Query query{.what = Ask::history, .given = {{"series", series}}};
  query.given.emplace(series == "used" ? "resource" : "queue", queue);
  return cluster.get(std::move(query), caller);
}

TEST(LiveHistory, IsAnsweredAsFarAsTheCallerMaySee) {
  for (const Others others : {Others::nothing, Others::shares, Others::all}) {
    LiveCluster cluster = small_cluster(settings(), others);
    cluster.put(Do::tenant_put, "speech", "{}");
    cluster.put(Do::queue_put, "asr", R"({"tenant":"speech"})");
    cluster.submit("asr", "j", R"({"demand":{"cpu":2}})");
    cluster.reader.history().add(cluster.wall, cluster.reader.sample());
    const auto status = [&](const std::string& series, const std::string& queue, const Caller& caller) {
      return history_answer(cluster, series, queue, caller).status;
    };
    EXPECT_EQ(status("share", "asr", admin()), 200);
    EXPECT_EQ(status("used", "cpu", admin()), 200);
    EXPECT_EQ(status("running", "asr", member("speech")), 200);
    EXPECT_EQ(status("running", "asr", member("vision")), others == Others::all ? 200 : 404);
    EXPECT_EQ(status("share", "asr", member("vision")), others == Others::nothing ? 404 : 200);
    EXPECT_EQ(status("used", "cpu", member("vision")), others == Others::all ? 200 : 404);
    EXPECT_EQ(status("share", "none", admin()), 404);
    const Answer answer = history_answer(cluster, "share", "asr", admin());
    EXPECT_EQ(answer.body["t"].size(), answer.body["v"].size());
    EXPECT_EQ(answer.body["v"].back(), 0.25) << answer.body;
  }
}

TEST(LiveHistory, AMistakeInTheQuestionIsNamedByItsKey) {
  const LiveCluster cluster = small_cluster();
  const auto key_of = [&](std::multimap<std::string, std::string> given) {
    given.emplace("queue", "ml");
    return cluster.get({.what = Ask::history, .given = std::move(given)}).body.value("key", "");
  };
  EXPECT_EQ(key_of({{"series", "speed"}}), "/series");
  EXPECT_EQ(key_of({{"from", "yesterday"}}), "/from");
  EXPECT_EQ(key_of({{"from", "2000"}, {"to", "1000"}}), "/from");
  EXPECT_EQ(key_of({{"step", "7s"}}), "/step");
  EXPECT_EQ(key_of({{"from", "0"}, {"to", "1000000000"}, {"step", "10s"}}), "/step");
  EXPECT_EQ(key_of({{"series", "used"}}), "/resource");
}

// Use.

double cpu_hours(const LiveCluster& cluster, const Uses& ended, const std::string& by,
                 const std::string& name, const Caller& caller = admin()) {
  const Query query{.given = {{"by", by}, {"from", "2027-03-01T00:00:00Z"}, {"to", "2027-03-03T00:00:00Z"}}};
  const auto asked = usage_asked(query, cluster.wall);
  if (!std::holds_alternative<UsageAsked>(asked)) return -1;
  const Answer answer = cluster.reader.usage(std::get<UsageAsked>(asked), ended,
                                             {.now = cluster.now, .wall = cluster.wall}, caller);
  for (const Json& item : answer.body["items"]) {
    if (item[by] == name) return item["hours"]["cpu"].get<double>();
  }
  return 0;
}

TEST(LiveUsage, IsTheExactIntegralOfTheTasksTimes) {
  LiveCluster cluster = small_cluster();
  cluster.wall = *wall_of("2027-03-01T08:30:00Z");
  cluster.submit("ml", "j", R"({"tasks":2,"demand":{"cpu":"1500m"}})");
  const Wall started = cluster.wall - std::chrono::seconds(1);
  const auto pass = [&](std::chrono::seconds time) {
    cluster.now += time;
    cluster.wall += time;
  };
  pass(std::chrono::hours(2));
  Uses ended;
  const auto note = [&] {
    for (const auto& [by, amounts] : cluster.log.back().uses) {
      std::vector<double>& sums = ended[by];
      sums.resize(amounts.size());
      for (std::size_t r = 0; r < amounts.size(); ++r) sums[r] += amounts[r];
    }
  };
  const auto expected = [&](double one_ended_s) {
    const double running = std::chrono::duration<double>(cluster.wall - started).count();
    return 1.5 * (one_ended_s + running) / 3600;
  };
  cluster.send(admin(), Do::outcome_put, {.name = "t-0"}, parse(R"({"outcome":"succeeded"})"));
  note();
  const double first = std::chrono::duration<double>(cluster.wall - started).count() - 1;
  EXPECT_EQ(ended.size(), 3U);  // three hours of the clock
  EXPECT_DOUBLE_EQ(cpu_hours(cluster, ended, "queue", "ml"), expected(first));
  pass(std::chrono::hours(3));
  EXPECT_DOUBLE_EQ(cpu_hours(cluster, ended, "queue", "ml"), expected(first));
  EXPECT_DOUBLE_EQ(cpu_hours(cluster, ended, "tenant", "vision"), expected(first));
  EXPECT_DOUBLE_EQ(cpu_hours(cluster, ended, "group", ""), expected(first));
  EXPECT_DOUBLE_EQ(cpu_hours(cluster, ended, "queue", "ml", member("vision")), expected(first));
  EXPECT_EQ(cpu_hours(cluster, ended, "queue", "ml", member("speech")), 0);
}

TEST(LiveUsage, WhatAPreemptedTaskHadIsCounted) {
  Settings with = settings();
  with.options.preemption = scheduling::Preempting{.tasks = 10, .per = std::chrono::seconds(10)};
  LiveCluster cluster = small_cluster(with);
  cluster.put(Do::tenant_put, "speech", "{}");
  cluster.put(Do::queue_put, "asr", R"({"tenant":"speech","guarantee":{"cpu":4}})");
  cluster.submit("ml", "j", R"({"tasks":2,"demand":{"cpu":4}})");
  cluster.now += std::chrono::hours(1);
  cluster.wall += std::chrono::hours(1);
  cluster.submit("asr", "k", R"({"demand":{"cpu":4}})");
  for (int n = 0; n < 120 && cluster.job("ml", "j")["running"] == 2; ++n) {
    cluster.now += std::chrono::seconds(30);
    cluster.wall += std::chrono::seconds(30);
    cluster.decider.decide(100, cluster.now, cluster.wall);
    cluster.settle();
  }
  ASSERT_EQ(cluster.job("ml", "j")["running"], 1);
  double cpu = 0;
  for (const Batch& batch : cluster.log) {
    for (const auto& [by, amounts] : batch.uses) cpu += amounts[0];
  }
  EXPECT_GE(cpu, 4000.0 * 3'600'000);
}

TEST(LiveUsage, IsWrittenAsATableToo) {
  const Json body = {{"by", "queue"},
                     {"resources", {"cpu", "gpu"}},
                     {"items", {{{"queue", "a,\"b\""}, {"hours", {{"cpu", 1.5}, {"gpu", 0.0}}}}}}};
  EXPECT_EQ(csv_of_usage(body), "queue,cpu,gpu\r\n\"a,\"\"b\"\"\",1.5,0\r\n");
}

TEST(LiveUsage, OfATableASpreadsheetRunsNoName) {
  for (const std::string begin : {"=", "+", "-", "@"}) {
    const Json body = {{"by", "queue"},
                       {"resources", Json::array()},
                       {"items", {{{"queue", begin + "cmd|' /C calc'!A0"}, {"hours", Json::object()}}}}};
    EXPECT_EQ(csv_of_usage(body), "queue\r\n'" + begin + "cmd|' /C calc'!A0\r\n");
  }
}

}  // namespace
}  // namespace mirab::live
