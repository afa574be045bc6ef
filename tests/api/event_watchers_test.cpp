// Watchers of events: what a poll and a stream cost, and how much a turn does.
#include "api/event_watchers.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "api/requests.hpp"
#include "live/cluster.hpp"

namespace mirab::api {
namespace {

using live::Change;
using live::Event;

/// A client that takes all at once.
class Client final : public net::EventStream {
 public:
  void send(std::string text) override { bytes += text.size(), ++pieces; }
  std::size_t unsent() const override { return 0; }
  void close() override { is_over = true; }
  bool is_closed() const override { return is_over; }

  std::size_t bytes = 0;
  int pieces = 0;
  bool is_over = false;
};

struct Watched {
  EventWatchers watchers{{.others = live::Others::all,
                          .ring = 100'000,
                          .older = [](const Watch&) {},
                          .internal = [](const std::exception&) { return live::Answer{}; }},
                         0};
  std::uint64_t revision = 0;

  void happen(int changes, int events = 1) {
    std::vector<Change> all;
    for (int n = 0; n < changes; ++n) {
      all.push_back({.revision = ++revision, .at = *live::wall_of("2027-03-01T08:00:00Z")});
      for (int k = 0; k < events; ++k)
        all.back().events.push_back({.kind = "job-submitted", .tenant = "a", .queue = "q", .job = "q/job"});
    }
    watchers.add(std::move(all));
  }
  live::Answer poll(live::EventFilter filter = {}) {
    live::Answer answered;
    watchers.watch({.filter = std::move(filter),
                    .caller = live::member("a"),
                    .reply = [&](live::Answer answer) { answered = std::move(answer); }});
    watchers.turn(Steady::now(), false);
    return answered;
  }
};

TEST(EventWatchers, APollIsChargedForWhatItLookedAtAndShows) {
  Watched watched;
  watched.happen(20'000);
  const live::Answer shown = watched.poll();
  const auto body = live::Json::parse(response_of(shown).body);
  EXPECT_EQ(body.at("changes").size(), body.at("revision").get<std::size_t>()) << "as far as it goes";
  EXPECT_GT(shown.text.size(), 63U << 10U);
  EXPECT_LT(shown.text.size(), 65U << 10U);
  EXPECT_GE(shown.looks, static_cast<std::int64_t>(shown.text.size() / live::kBytesOfLook));
  const live::Answer none = watched.poll({.queue = "other"});
  EXPECT_EQ(live::Json::parse(none.text).at("changes").size(), 0U);
  EXPECT_EQ(live::Json::parse(none.text).at("revision"), 8'192U) << "a change and its event are two rows";
  EXPECT_GE(none.looks, 16'384 / 16);
}

TEST(EventWatchers, APollThatWaitsIsChargedForAllThatItLookedAt) {
  Watched watched;
  live::Answer answered{.status = 0};
  watched.watchers.watch({.filter = {.queue = "other"},
                          .caller = live::member("a"),
                          .is_from_now = true,
                          .reply = [&](live::Answer answer) { answered = std::move(answer); },
                          .wait = std::chrono::seconds(60)});
  for (int n = 0; n < 10; ++n) {
    watched.happen(100);
    watched.watchers.turn(Steady::now(), false);
  }
  EXPECT_EQ(answered.status, 0);
  watched.watchers.turn(Steady::now(), true);
  EXPECT_EQ(answered.looks, 1 + 10 * 200 / 16);
}

TEST(EventWatchers, AKindThatIsGivenOftenIsLookedForOnce) {
  std::string target = "/v1/events?wait=0s";
  for (int n = 0; n < 120; ++n) target += n % 2 == 0 ? "&kind=task-placed" : "&kind=job-ended";
  const auto read = net::read_target(target);
  std::vector<std::string> allowed;
  const auto watch = watch_of(asked_of(*match("GET", *read, allowed), *read, {}));
  EXPECT_EQ(std::get<WatchAsked>(watch).watch.filter.kinds,
            (std::vector<std::string>{"job-ended", "task-placed"}));
}

// However many watchers there are, others of the thread have their turn in between, and no watcher is left
// out.
TEST(EventWatchers, ATurnDoesAboutAsMuchAsOnePiece) {
  Watched watched;
  watched.happen(3'000);
  std::vector<std::shared_ptr<Client>> clients;
  for (int n = 0; n < 64; ++n) {
    clients.push_back(std::make_shared<Client>());
    watched.watchers.watch({.caller = live::member("a"), .stream = clients.back()});
  }
  const auto bytes = [&] {
    std::size_t sum = 0;
    for (const auto& client : clients) sum += client->bytes;
    return sum;
  };
  int turns = 0;
  for (std::size_t before = 0; !watched.watchers.turn(Steady::now(), false); before = bytes(), ++turns)
    ASSERT_LE(bytes() - before, 140U << 10U);
  EXPECT_GE(turns, 64);
  for (const auto& client : clients) EXPECT_GE(client->pieces, 1);
  EXPECT_TRUE(watched.watchers.turn(Steady::now(), true)) << "at the end all are served";
  EXPECT_EQ(watched.watchers.size(), 0U);
}

TEST(EventWatchers, AStreamIsChargedWhileItCatchesUpAlone) {
  Watched watched;
  watched.happen(20'000);
  const auto client = std::make_shared<Client>();
  std::int64_t looks = 0;
  watched.watchers.watch(
      {.caller = live::member("a"), .at_once = true, .stream = client, .charge = [&](std::int64_t more) {
         looks += more;
       }});
  for (int n = 0; n < 100; ++n) watched.watchers.turn(Steady::now(), false);
  EXPECT_GE(looks, static_cast<std::int64_t>(client->bytes / live::kBytesOfLook));
  const std::int64_t caught_up = looks;
  for (int n = 0; n < 10; ++n) {
    watched.happen(10);
    watched.watchers.turn(Steady::now(), false);
  }
  EXPECT_EQ(looks, caught_up);
}

TEST(EventWatchers, WhatAStreamPaidAheadIsLetGoOfWhenItHasCaughtUp) {
  Watched watched;
  watched.happen(20'000);
  auto paid = std::make_shared<int>();
  const std::weak_ptr<int> is_held = paid;
  watched.watchers.watch({.caller = live::member("a"),
                          .at_once = true,
                          .stream = std::make_shared<Client>(),
                          .charge = [](std::int64_t) {},
                          .paid_ahead = std::move(paid)});
  watched.watchers.turn(Steady::now(), false);
  EXPECT_FALSE(is_held.expired());
  for (int n = 0; n < 100; ++n) watched.watchers.turn(Steady::now(), false);
  EXPECT_TRUE(is_held.expired());
  EXPECT_EQ(watched.watchers.size(), 1U);
}

}  // namespace
}  // namespace mirab::api
