// Preemption: pods end for others by eviction, and the other one is bound when they are gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/scheduler/bench.hpp"
#include "random_cases.hpp"

namespace mirab::kubernetes::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

SchedulerOptions preempting() {
  SchedulerOptions given = options();
  given.policy.preempting = scheduling::Preempting{.tasks = 100, .per = std::chrono::minutes(1)};
  return given;
}

SeenPod owned(const std::string& space, const std::string& name, Units cpu, std::int64_t priority = 0) {
  SeenPod seen = waiting_pod(space, name, cpu, 100);
  seen.has_controller = true;
  seen.priority = priority;
  seen.labels = {{"app", space}};
  return seen;
}

struct Monopoly : Bench {
  explicit Monopoly(bool is_owned = true) : Bench(preempting()) {
    server.put_node(node_row("n1", 4000, 8000));
    for (int i = 0; i < 4; ++i) {
      SeenPod each = owned("rich", "p" + std::to_string(i), 1000);
      each.has_controller = is_owned;
      server.put_pod(each);
    }
    run(1);
  }
};

TEST(KubernetesPreemption, ANewcomerGetsRoomFromAMonopolistAfterTheirGrace) {
  Monopoly bench;
  EXPECT_EQ(bench.bound("rich"), 4U);
  bench.server.put_pod(owned("poor", "one", 1000));
  bench.run(5);
  ASSERT_THAT(bench.server.evicted, SizeIs(1));
  EXPECT_EQ(bench.server.pods.at("poor-one-0").nominated, "n1");
  EXPECT_EQ(bench.node_of("poor-one-0"), "") << "its victim still ends";
  EXPECT_THAT(bench.server.pods.at(bench.server.evicted[0]).events,
              Contains("Preempted: Preempted by poor/one on node n1"));
  // The controller makes a new pod at once: the room is not for that one.
  bench.server.put_pod(owned("rich", "again", 1000));
  bench.run(40);
  EXPECT_EQ(bench.node_of("poor-one-0"), "n1");
  EXPECT_EQ(bench.node_of("rich-again-0"), "");
  bench.run(600);
  EXPECT_THAT(bench.server.evicted, SizeIs(1)) << "no cycle";
}

TEST(KubernetesPreemption, DryRunsComeFirst) {
  Monopoly bench;
  bench.server.put_pod(owned("poor", "one", 2000));
  bench.run(2);
  std::vector<bool> dry;
  for (const Request& each : bench.sent) {
    if (each.path.ends_with("/eviction")) dry.push_back(each.body.find("dryRun") != std::string::npos);
  }
  EXPECT_THAT(dry, ElementsAre(true, true, false, false));
}

TEST(KubernetesPreemption, BarePodsNeverEnd) {
  Monopoly bench(false);
  bench.server.put_pod(owned("poor", "one", 1000));
  bench.run(60);
  EXPECT_TRUE(bench.server.evicted.empty());
}

TEST(KubernetesPreemption, APodThatNeverPreemptsWaits) {
  Monopoly bench;
  SeenPod meek = owned("poor", "meek", 1000);
  meek.never_preempts = true;
  bench.server.put_pod(meek);
  bench.run(60);
  EXPECT_TRUE(bench.server.evicted.empty());
  bench.server.delete_pod("rich-p0-0");
  bench.run(62);
  EXPECT_EQ(bench.node_of(meek.uid), "n1") << "it is placed as others are";
}

TEST(KubernetesPreemption, WithinANamespaceALowerPriorityEndsForAHigherOne) {
  Monopoly bench;
  bench.server.put_pod(owned("rich", "urgent", 1000, 10));
  bench.run(40);
  EXPECT_EQ(bench.node_of("rich-urgent-0"), "n1");
  EXPECT_THAT(bench.server.evicted, SizeIs(1));
}

TEST(KubernetesPreemption, ABudgetThatAllowsNoneIsKept) {
  Monopoly bench;
  bench.server.put_budget({.space = "rich", .name = "b", .allowed = 0});
  bench.server.put_pod(owned("poor", "one", 1000));
  bench.run(60);
  EXPECT_TRUE(bench.server.evicted.empty());
  for (const Request& each : bench.sent) EXPECT_FALSE(each.path.ends_with("/eviction")) << "known beforehand";
  bench.server.put_budget({.space = "rich", .name = "b", .allowed = 1});
  bench.run(100);
  EXPECT_THAT(bench.server.evicted, SizeIs(1));
  EXPECT_EQ(bench.node_of("poor-one-0"), "n1");
}

TEST(KubernetesPreemption, ABudgetNeverLosesMoreThanItAllows) {
  Monopoly bench;
  bench.server.put_budget({.space = "rich", .name = "b", .allowed = 1});
  bench.server.put_pod(owned("poor", "one", 2000));
  bench.run(60);
  EXPECT_TRUE(bench.server.evicted.empty()) << "two would have to go";
  EXPECT_EQ(bench.bound("rich"), 4U);
}

TEST(KubernetesPreemption, OfVictimsOneOfWhichIsRefusedNoneIsTouched) {
  Monopoly bench;
  bench.server.put_pod(owned("poor", "one", 2000));
  int asked = 0;
  bench.run(4, [&](const Request& each) {
    return each.path.ends_with("/eviction") && ++asked == 2 ? Fate::budget : Fate::done;
  });
  // The one that was refused is left alone; another one goes in its place.
  bench.run(60);
  EXPECT_THAT(bench.server.evicted, SizeIs(2));
  EXPECT_EQ(bench.node_of("poor-one-0"), "n1");
}

TEST(KubernetesPreemption, AServerWithTooMuchToDoIsAskedAgainAndNoVictimIsLeftAlone) {
  Monopoly bench;
  bench.server.put_pod(owned("poor", "one", 1000));
  std::set<std::string> asked;
  bench.run(20, [&](const Request& each) {
    if (!each.path.ends_with("/eviction")) return Fate::done;
    asked.insert(each.path);
    return bench.now < 10 ? Fate::too_many : Fate::done;
  });
  EXPECT_THAT(bench.server.evicted, SizeIs(1));
  EXPECT_THAT(asked, SizeIs(1)) << "it is no fault of the first one";
}

TEST(KubernetesPreemption, ANominationThatIsLostIsWrittenAgain) {
  Monopoly bench;
  bench.server.put_pod(owned("poor", "one", 1000));
  const auto fate = [&](const Request& each) {
    return each.method == "PATCH" && bench.now < 4 ? Fate::lost_before : Fate::done;
  };
  bench.run(3, fate);
  ASSERT_THAT(bench.server.evicted, SizeIs(1));
  EXPECT_EQ(bench.server.pods.at("poor-one-0").nominated, "");
  bench.run(8, fate);
  EXPECT_EQ(bench.server.pods.at("poor-one-0").nominated, "n1");
}

TEST(KubernetesPreemption, ABudgetThatChangesLeavesTheTimeAtWhichAPodStarted) {
  Monopoly bench;
  const auto started = [&] {
    const KnownCluster& cluster = bench.scheduler.cluster();
    return cluster.engine().task(*cluster.pod("rich-p0-0")->task)->started;
  };
  const Time before = started();
  bench.run(30);
  bench.server.put_budget({.space = "rich", .name = "b", .allowed = 0});
  bench.run(31);
  EXPECT_EQ(started(), before);
}

TEST(KubernetesPreemption, WhereAVictimNeverEndsTheNewcomerWaitsAgainAndTheRoomStaysHeld) {
  Monopoly bench;
  for (int i = 0; i < 4; ++i) bench.server.stuck.insert("rich-p" + std::to_string(i) + "-0");
  bench.server.put_pod(owned("poor", "one", 1000));
  bench.run(80);
  ASSERT_THAT(bench.server.evicted, SizeIs(1));
  EXPECT_EQ(bench.scheduler.gauges().making_room, 1U);
  bench.run(100);
  EXPECT_EQ(bench.scheduler.gauges().making_room, 0U) << "60 s after its grace of 30 s";
  EXPECT_EQ(bench.server.pods.at("poor-one-0").nominated, "");
  EXPECT_THAT(bench.server.pods.at("poor-one-0").conditions["Unschedulable"], HasSubstr("Insufficient cpu"));
  bench.run(600);
  EXPECT_THAT(bench.server.evicted, SizeIs(1)) << "no further victims on that node for 10 minutes";
  bench.server.put_node(node_row("n2", 1000, 8000));
  bench.run(601);
  EXPECT_EQ(bench.node_of("poor-one-0"), "n2");
}

TEST(KubernetesPreemption, ANewcomerThatIsDeletedLeavesTheRoomToOthers) {
  Monopoly bench;
  bench.server.put_pod(owned("poor", "one", 1000));
  bench.run(5);
  ASSERT_THAT(bench.server.evicted, SizeIs(1));
  bench.server.delete_pod("poor-one-0");
  bench.server.put_pod(owned("rich", "again", 1000));
  bench.run(40);
  EXPECT_EQ(bench.node_of("rich-again-0"), "n1");
}

TEST(KubernetesPreemption, IsOffUnlessAskedFor) {
  Bench bench;
  bench.server.put_node(node_row("n1", 1000, 8000));
  bench.server.put_pod(owned("rich", "p", 1000));
  bench.run(1);
  bench.server.put_pod(owned("poor", "one", 1000));
  bench.run(20);
  EXPECT_TRUE(bench.server.evicted.empty());
}

// Users of random sizes come and go, controllers make each pod again that is evicted, budgets and faults are
// in the way. The ledger is right all the time, no node is over-filled, and evictions come to an end.
class RandomPreemption : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomPreemption, ComesToAnEnd) {
  Random random(GetParam());
  Bench bench(preempting());
  for (int i = 0; i < 3; ++i) bench.server.put_node(node_row("n" + std::to_string(i), 4000, 8000, 8));
  const auto fate = [&](const Request& request) {
    if (request.path.ends_with("/events")) return Fate::done;
    return random.below(4) == 0 ? static_cast<Fate>(random.below(6)) : Fate::done;
  };
  int made = 0, nodes = 3;
  std::size_t seen = 0;
  const auto make_again = [&] {
    for (; seen < bench.server.evicted.size(); ++seen) {
      const std::string space = bench.server.evicted[seen].substr(0, 2);
      bench.server.put_pod(owned(space, "again" + std::to_string(made++), 1000));
    }
  };
  const auto check = [&] {
    std::map<std::string, Units> taken;
    for (const auto& [uid, each] : bench.server.pods) {
      if (!each.seen.node.empty()) taken[each.seen.node] += each.seen.requests.at("cpu");
    }
    for (const auto& [node, units] : taken) ASSERT_LE(units, 4000) << node << ", seed " << GetParam();
  };
  for (int round = 0; round < 25; ++round) {
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      SeenPod each = owned("u" + std::to_string(random.below(4)), "p" + std::to_string(made++),
                           500 * static_cast<Units>(1 + random.below(4)), static_cast<int>(random.below(2)));
      each.has_controller = random.below(5) > 0;
      each.never_preempts = random.below(6) == 0;
      each.grace = std::chrono::seconds(random.below(4));
      bench.server.put_pod(each);
    }
    if (random.below(8) == 0) {
      const int size = 2 + static_cast<int>(random.below(2));
      for (int i = 0; i < size; ++i) {
        SeenPod each = owned("u0", "g" + std::to_string(round) + "-" + std::to_string(i), 1000);
        each.gang = "g" + std::to_string(round);
        each.gang_size = size;
        bench.server.put_pod(each);
      }
    }
    // A node comes, now and then with a resource that is new: then the engine is made again.
    if (random.below(10) == 0) {
      NodeRow row = node_row("n" + std::to_string(nodes++), 4000, 8000, 8);
      if (random.below(2) == 0) row.allocatable["example.com/" + row.name] = 1;
      bench.server.put_node(row);
    }
    if (random.below(10) == 0) bench.server.delete_node("n" + std::to_string(random.below(3)));
    if (random.below(4) == 0)
      bench.server.put_budget({.space = "u" + std::to_string(random.below(4)),
                               .name = "b",
                               .allowed = static_cast<std::int64_t>(random.below(3))});
    if (!bench.server.pods.empty() && random.below(3) == 0) {
      auto chosen = bench.server.pods.begin();
      std::advance(chosen, static_cast<long>(random.below(bench.server.pods.size())));
      bench.server.delete_pod(std::string(chosen->first));
    }
    bench.run(bench.now + 2, fate);
    if (HasFatalFailure()) return;
    make_again();
    check();
    if (HasFatalFailure()) return;
    if (random.below(8) == 0) bench.server.list(bench.scheduler, at(bench.now));
  }
  std::size_t before = 0;
  for (int i = 0; i < 6; ++i) {
    before = bench.server.evicted.size();
    bench.run(bench.now + 60);
    if (HasFatalFailure()) return;
    make_again();
    check();
  }
  EXPECT_EQ(bench.server.evicted.size(), before) << "evictions go on, seed " << GetParam();
  EXPECT_EQ(bench.scheduler.gauges().making_room, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPreemption, ::testing::Range<std::uint64_t>(1, random_cases(24) + 1));

}  // namespace
}  // namespace mirab::kubernetes::testing
