#include "kubernetes/scheduler/election.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <mirab/model/random.hpp>

#include "kubernetes/scheduler/model_server.hpp"

namespace mirab::kubernetes::testing {
namespace {

/// A server with one lease: writes need the version that there is.
struct LeaseServer {
  nlohmann::json lease = {};
  int version = 0;

  std::pair<int, std::string> take(const Request& request) {
    if (request.method == "GET")
      return lease.is_null() ? std::pair(404, std::string("{}")) : std::pair(200, lease.dump());
    nlohmann::json body = nlohmann::json::parse(request.body);
    if (request.method == "POST") {
      if (!lease.is_null()) return {409, "{}"};
    } else if (lease.is_null()) {
      return {404, "{}"};
    } else if (body["metadata"]["resourceVersion"] != lease["metadata"]["resourceVersion"]) {
      return {409, "{}"};
    }
    body["metadata"]["resourceVersion"] = std::to_string(++version);
    lease = body;
    return {request.method == "POST" ? 201 : 200, lease.dump()};
  }
};

TEST(Election, TheFirstTakesTheLeaseAndTheSecondWaits) {
  LeaseServer server;
  Election first({.holder = "a"}), second({.holder = "b"});
  for (double now = 0; now < 60; now += 0.5) {
    for (Election* each : {&first, &second}) {
      while (each->due() <= at(now)) {
        const auto [status, body] =
            server.take(each->next(at(now), kWall + std::chrono::milliseconds(static_cast<int>(now * 1000))));
        each->answer(status, body, at(now));
      }
    }
    if (now < 1) continue;
    EXPECT_TRUE(first.leads(at(now)));
    EXPECT_FALSE(second.leads(at(now)));
  }
  EXPECT_EQ(second.holder(), "a");
}

TEST(Election, ALeaseThatIsGivenBackIsTakenAtOnce) {
  LeaseServer server;
  Election first({.holder = "a"}), second({.holder = "b"});
  const auto ask = [&](Election& each, double now) {
    while (each.due() <= at(now)) {
      const auto [status, body] = server.take(each.next(at(now), kWall));
      each.answer(status, body, at(now));
    }
  };
  ask(first, 0);
  ask(second, 1);
  ASSERT_TRUE(first.leads(at(1)));
  const std::optional<Request> release = first.release(kWall);
  ASSERT_TRUE(release);
  server.take(*release);
  EXPECT_FALSE(first.leads(at(1)));
  ask(second, 4);
  EXPECT_TRUE(second.leads(at(4)));
  EXPECT_EQ(second.term(), 1);
}

TEST(Election, WithoutAnAnswerALeaderStopsBeforeAnotherMayBegin) {
  LeaseServer server;
  Election leader({.holder = "a"});
  while (leader.due() <= at(0)) {
    const auto [status, body] = server.take(leader.next(at(0), kWall));
    leader.answer(status, body, at(0));
  }
  EXPECT_TRUE(leader.leads(at(9.9)));
  leader.next(at(2), kWall);
  leader.answer(0, "", at(9));
  EXPECT_FALSE(leader.leads(at(10.1)));
  EXPECT_EQ(leader.trouble(), "no answer");
}

// Three processes whose requests and answers are delayed and lost, and that stand still for up to a minute:
// at no time two of them may act, and when all is well again one does.
class RandomElections : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomElections, NeverHaveTwoLeaders) {
  Random random(GetParam());
  LeaseServer server;
  struct Process {
    Election election;
    double paused_until = 0;
    std::optional<Request> request = {};
    double arrives = 0;  // the request at the server
    bool is_done = false;
    std::pair<int, std::string> reply = {};
    double replied = 0;  // when the reply is there
  };
  std::vector<Process> processes;
  for (const char* name : {"a", "b", "c"}) processes.push_back({.election = Election({.holder = name})});
  const auto delay = [&] { return random.below(5) == 0 ? 20 * random.unit() : 0.2 * random.unit(); };
  int changes = 0;
  const Process* before = nullptr;
  for (double now = 0; now < 2000; now += 0.1) {
    const bool is_calm = now > 1900;
    const Wall wall = kWall + std::chrono::milliseconds(static_cast<std::int64_t>(now * 1000));
    for (Process& each : processes) {
      if (each.request && !each.is_done && each.arrives <= now) {
        each.is_done = true;
        const bool is_lost = !is_calm && random.below(10) == 0;
        if (!is_lost) each.reply = server.take(*each.request);
        if (is_lost || (!is_calm && random.below(10) == 0)) each.reply = {0, ""};
        each.replied = now + (is_calm ? 0 : delay());
      }
      if (each.paused_until > now) continue;
      if (!is_calm && random.below(500) == 0) each.paused_until = now + 60 * random.unit();
      if (each.request && each.is_done && each.replied <= now) {
        each.request.reset();
        each.election.answer(each.reply.first, each.reply.second, at(now));
      }
      if (!each.request && each.election.due() <= at(now)) {
        each.request = each.election.next(at(now), wall);
        each.is_done = false;
        each.arrives = now + (is_calm ? 0 : delay());
      }
    }
    int leaders = 0;
    for (const Process& each : processes) {
      // A process that stands still acts when it goes on: what counts is what it would find then.
      if (!each.election.leads(at(now))) continue;
      ++leaders;
      changes += &each != before ? 1 : 0;
      before = &each;
    }
    ASSERT_LE(leaders, 1) << "at " << now << " s, seed " << GetParam();
    if (now > 1980) {
      ASSERT_EQ(leaders, 1) << "seed " << GetParam();
    }
  }
  EXPECT_GT(changes, 1) << "a test in which nobody ever took over shows nothing";
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomElections, ::testing::Range<std::uint64_t>(1, 31));

}  // namespace
}  // namespace mirab::kubernetes::testing
