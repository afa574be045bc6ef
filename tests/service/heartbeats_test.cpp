// Executors that fall silent: across restarts, without a token, and many at once.
#include "service/heartbeats.hpp"

#include <gtest/gtest.h>

namespace mirab::service {
namespace {

using live::Do;
using namespace std::chrono_literals;
using Saying = Heartbeats::Saying;
using Sayings = std::vector<Saying>;

constexpr Heartbeats::Clock::time_point kStart{std::chrono::hours(1)};

/// Heartbeats whose sayings come true at once, as the cluster's rows would say.
struct Watched {
  Heartbeats beats = Heartbeats();
  Sayings said = {};

  void add(const std::string& server, ServerState state = {}, Heartbeats::Clock::time_point at = kStart) {
    beats.set_server(server, state, at);
    beats.expect(server, at);
  }
  Sayings check(Heartbeats::Clock::time_point now) {
    Sayings sayings = beats.check(now);
    for (const Saying& saying : sayings) {
      beats.set_server(saying.server,
                       ServerState{.is_silent = saying.what == Do::server_silent,
                                   .is_lost = saying.what == Do::server_lost},
                       now);
    }
    return sayings;
  }
};

TEST(Heartbeats, AServerThatWasNeverHeardSinceTheStartFallsSilentAndIsLost) {
  Watched cluster;
  cluster.add("a");
  EXPECT_EQ(cluster.check(kStart + 59s), Sayings{});
  EXPECT_EQ(cluster.check(kStart + 60s), (Sayings{{Do::server_silent, "a"}}));
  EXPECT_EQ(cluster.check(kStart + 599s), Sayings{});
  EXPECT_EQ(cluster.check(kStart + 600s), (Sayings{{Do::server_lost, "a"}}));
  EXPECT_EQ(cluster.check(kStart + 1000s), Sayings{});
}

TEST(Heartbeats, HowLongAServerMayBeSilentIsAnOption) {
  Watched cluster{.beats = Heartbeats({.silent_after = 2s, .lost_after = 5s})};
  cluster.add("a");
  EXPECT_EQ(cluster.check(kStart + 1s), Sayings{});
  EXPECT_EQ(cluster.check(kStart + 2s), (Sayings{{Do::server_silent, "a"}}));
  EXPECT_EQ(cluster.check(kStart + 4s), Sayings{});
  EXPECT_EQ(cluster.check(kStart + 5s), (Sayings{{Do::server_lost, "a"}}));
}

TEST(Heartbeats, AServerThatWasSilentBeforeTheStartIsBackWhenItSpeaksAndNotBefore) {
  Watched cluster;
  cluster.add("a", {.is_silent = true});
  EXPECT_EQ(cluster.check(kStart + 1s), Sayings{});
  cluster.beats.beat("a", kStart + 2s);
  EXPECT_EQ(cluster.check(kStart + 2s), (Sayings{{Do::server_back, "a"}}));
  EXPECT_EQ(cluster.check(kStart + 20s), Sayings{});
}

TEST(Heartbeats, ASilentServerWithoutATokenRunsOut) {
  Heartbeats beats;
  beats.set_server("a", ServerState{.is_silent = true}, kStart);
  EXPECT_EQ(beats.check(kStart + 600s), (Sayings{{Do::server_lost, "a"}}));
}

TEST(Heartbeats, AServerWithoutAnExecutorIsLeftAlone) {
  Heartbeats beats;
  beats.set_server("by hand", ServerState{}, kStart);
  EXPECT_EQ(beats.check(kStart + 24h), Sayings{});
}

TEST(Heartbeats, ATokenBeforeItsServerWaitsForIt) {
  Watched cluster;
  cluster.beats.expect("a", kStart);
  EXPECT_EQ(cluster.check(kStart + 1h), Sayings{});
  cluster.beats.set_server("a", ServerState{}, kStart + 1h);
  EXPECT_EQ(cluster.check(kStart + 1h), Sayings{});
  EXPECT_EQ(cluster.check(kStart + 1h + 60s), (Sayings{{Do::server_silent, "a"}}));
}

TEST(Heartbeats, WhatWasRefusedIsSaidAgain) {
  Heartbeats beats;
  beats.set_server("a", ServerState{}, kStart);
  beats.expect("a", kStart);
  EXPECT_EQ(beats.check(kStart + 60s), (Sayings{{Do::server_silent, "a"}}));
  EXPECT_EQ(beats.check(kStart + 65s), Sayings{});
  EXPECT_EQ(beats.check(kStart + 70s), (Sayings{{Do::server_silent, "a"}}));
}

TEST(Heartbeats, ALostServerThatIsPutAgainMayBeLostAgain) {
  Watched cluster;
  cluster.add("a");
  cluster.check(kStart + 60s);
  EXPECT_EQ(cluster.check(kStart + 600s), (Sayings{{Do::server_lost, "a"}}));
  cluster.beats.set_server("a", ServerState{}, kStart + 700s);
  EXPECT_EQ(cluster.check(kStart + 701s), Sayings{});
  EXPECT_EQ(cluster.check(kStart + 760s), (Sayings{{Do::server_silent, "a"}}));
  EXPECT_EQ(cluster.check(kStart + 1300s), (Sayings{{Do::server_lost, "a"}}));
}

TEST(Heartbeats, WhenAThirdFallsSilentTogetherNoneOfThemIsLost) {
  Watched cluster;
  for (int n = 0; n < 9; ++n) cluster.add(std::to_string(n));
  for (int second = 0; second <= 3600; second += 10) {
    const auto now = kStart + std::chrono::seconds(second);
    for (int n = 3; n < 9; ++n) cluster.beats.beat(std::to_string(n), now);
    for (const Saying& saying : cluster.check(now)) EXPECT_EQ(saying.what, Do::server_silent) << second;
  }
}

TEST(Heartbeats, ServersThatFallSilentOneAfterAnotherAreLost) {
  Watched cluster;
  for (int n = 0; n < 9; ++n) cluster.add(std::to_string(n));
  std::vector<std::string> lost;
  for (int second = 0; second <= 3600; second += 10) {
    const auto now = kStart + std::chrono::seconds(second);
    for (int n = 0; n < 9; ++n) {
      if (second < n * 180 || n >= 5) cluster.beats.beat(std::to_string(n), now);
    }
    for (const Saying& saying : cluster.check(now)) {
      if (saying.what == Do::server_lost) lost.push_back(saying.server);
    }
  }
  EXPECT_EQ(lost, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
}

TEST(Heartbeats, DeletedAndLostServersDoNotHoldTheOthers) {
  Watched cluster;
  for (const char* const server : {"gone", "gone too", "lost", "a", "b"}) cluster.add(server);
  cluster.beats.set_server("lost", ServerState{.is_lost = true}, kStart);
  cluster.check(kStart + 60s);
  cluster.beats.set_server("gone", std::nullopt, kStart + 61s);
  cluster.beats.set_server("gone too", std::nullopt, kStart + 61s);
  EXPECT_EQ(cluster.check(kStart + 600s), (Sayings{{Do::server_lost, "a"}, {Do::server_lost, "b"}}));
}

TEST(Heartbeats, KeepNothingOfServersThatAreGoneWithTheirTokens) {
  for (const int servers : {1'000, 10'000, 100'000}) {
    Heartbeats heartbeats;
    const Heartbeats::Clock::time_point now{};
    for (int n = 0; n < servers; ++n) {
      const std::string server = "n" + std::to_string(n);
      heartbeats.expect(server, now);
      heartbeats.set_server(server, ServerState{}, now);
      heartbeats.beat(server, now);
      heartbeats.release(server);
      EXPECT_GE(heartbeats.size(), 1U) << "its tasks are not forgotten";
      heartbeats.set_server(server, {}, now);
    }
    EXPECT_EQ(heartbeats.size(), 0U) << servers;
  }
}

}  // namespace
}  // namespace mirab::service
