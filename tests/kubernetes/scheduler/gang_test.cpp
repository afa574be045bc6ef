// Gangs of equal pods: all of them are placed, or none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/scheduler/bench.hpp"
#include "random_cases.hpp"

namespace mirab::kubernetes::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

SeenPod member(const std::string& gang, int number, int size, Units cpu = 1000) {
  SeenPod seen = waiting_pod("ml", gang + "-" + std::to_string(number), cpu, 100);
  seen.gang = gang;
  seen.gang_size = size;
  return seen;
}

TEST(KubernetesGangs, StartTogetherOrNotAtAll) {
  Bench bench;
  bench.server.put_node(node_row("n1", 2000, 8000));
  bench.server.put_node(node_row("n2", 1000, 8000));
  for (int i = 0; i < 4; ++i) bench.server.put_pod(member("train", i, 4));
  bench.run(3);
  EXPECT_EQ(bench.bound("ml"), 0U);
  EXPECT_THAT(bench.server.pods.at("ml-train-0-0").conditions["Unschedulable"],
              HasSubstr("4 pods of the gang have to start together, and 3 have room."));
  bench.server.put_node(node_row("n3", 1000, 8000));
  bench.run(4);
  EXPECT_EQ(bench.bound("ml"), 4U);
}

TEST(KubernetesGangs, WaitUntilAllTheirPodsAreThere) {
  Bench bench;
  bench.server.put_node(node_row("n1", 8000, 8000));
  for (int i = 0; i < 3; ++i) bench.server.put_pod(member("train", i, 4));
  bench.run(3);
  EXPECT_EQ(bench.bound("ml"), 0U);
  EXPECT_EQ(bench.server.pods.at("ml-train-0-0").conditions["WaitingForGang"],
            "The gang train has 3 of its 4 pods.");
  bench.server.put_pod(member("train", 3, 4));
  bench.run(4);
  EXPECT_EQ(bench.bound("ml"), 4U);
}

TEST(KubernetesGangs, AMemberThatDiffersWaitsWithAnEventThatSaysSo) {
  Bench bench;
  bench.server.put_node(node_row("n1", 8000, 8000));
  for (int i = 0; i < 3; ++i) bench.server.put_pod(member("train", i, 3));
  SeenPod launcher = member("train", 9, 3, 500);
  launcher.created = Wall(std::chrono::seconds(5));
  bench.server.put_pod(launcher);
  SeenPod other = member("odd", 0, 2), larger = member("odd", 1, 2, 3000);
  bench.server.put_pod(other);
  bench.server.put_pod(larger);
  bench.run(3);
  EXPECT_EQ(bench.bound("ml"), 3U);
  EXPECT_EQ(bench.node_of(launcher.uid), "") << "three are there without it";
  EXPECT_THAT(
      bench.server.pods.at(larger.uid).events,
      Contains(HasSubstr("NotSupported: mirab starts only equal pods together: the requests differ")));
  EXPECT_EQ(bench.server.pods.at(other.uid).conditions["WaitingForGang"],
            "The gang odd has 2 of its 2 pods.");
}

TEST(KubernetesGangs, APartOfAGangWhoseBindsFailKeepsItsRoomAndIsBoundToo) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  for (int i = 0; i < 4; ++i) bench.server.put_pod(member("first", i, 4));
  int refused = 0;
  const auto fate = [&](const Request& request) {
    const bool is_bind = request.path.ends_with("/binding");
    return is_bind && refused < 8 && ++refused % 2 == 0 ? Fate::refused : Fate::done;
  };
  bench.run(0.5, fate);
  EXPECT_EQ(bench.bound("ml"), 2U) << "half of the binds failed";
  for (int i = 0; i < 2; ++i) bench.server.put_pod(member("second", i, 2));
  bench.run(20, fate);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bench.node_of("ml-first-" + std::to_string(i) + "-0"), "n1");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(bench.node_of("ml-second-" + std::to_string(i) + "-0"), "");
}

TEST(KubernetesGangs, OneOfWhichAllBindsAreRefusedGivesItsRoomToOthers) {
  Bench bench;
  bench.server.put_node(node_row("n1", 2000, 8000));
  for (int i = 0; i < 2; ++i) bench.server.put_pod(member("refused", i, 2));
  const auto fate = [](const Request& request) {
    return request.path.find("/refused-") != std::string::npos && request.path.ends_with("/binding")
               ? Fate::refused
               : Fate::done;
  };
  bench.run(60, fate);
  bench.server.put_pod(waiting_pod("web", "one", 2000, 100));
  bench.run(61, fate);
  EXPECT_EQ(bench.node_of("web-one-0"), "n1");
}

TEST(KubernetesGangs, APartOfAGangThatRunsIsNotParkedHoweverOftenItIsRefused) {
  Bench bench;
  bench.server.put_node(node_row("n1", 2000, 8000));
  for (int i = 0; i < 2; ++i) bench.server.put_pod(member("train", i, 2));
  int refused = 0;
  bench.run(190, [&](const Request& each) {  // 1 + 2 + 4 + 8 + 16 + 5 · 30 s
    return each.path.find("/train-1/binding") != std::string::npos && ++refused <= 10 ? Fate::refused
                                                                                      : Fate::done;
  });
  EXPECT_EQ(bench.bound("ml"), 2U);
}

// A bind that is refused as invalid is refused the next time too. None of the gang is bound then, others get
// its room, and ten minutes later all of it is tried again.
void expect_to_be_parked_whole(std::size_t in_flight, Fate of_others) {
  SchedulerOptions given = options();
  given.in_flight = in_flight;
  Bench bench(std::move(given));
  bench.server.put_node(node_row("n1", 3000, 8000));
  for (int i = 0; i < 3; ++i) bench.server.put_pod(member("train", i, 3));
  const auto fate = [&](const Request& each) {
    if (bench.now > 1 || !each.path.ends_with("/binding")) return Fate::done;
    return each.path.find("/train-0/") == std::string::npos ? of_others : Fate::invalid;
  };
  bench.run(30, fate);
  EXPECT_EQ(bench.bound("ml"), 0U);
  for (int i = 1; i < 3; ++i) {
    EXPECT_THAT(
        bench.server.pods.at("ml-train-" + std::to_string(i) + "-0").events,
        Contains(HasSubstr("of its gang train-0 was refused: 422: no such field; it is tried again in "
                           "10 minutes")));
  }
  bench.server.put_pod(waiting_pod("web", "one", 3000, 100));
  bench.run(31, fate);
  EXPECT_EQ(bench.node_of("web-one-0"), "n1");
  bench.server.delete_pod("web-one-0");
  bench.run(590, fate);
  EXPECT_EQ(bench.bound("ml"), 0U);
  bench.run(602, fate);
  EXPECT_EQ(bench.bound("ml"), 3U);
}

TEST(KubernetesGangs, AreParkedWholeWhereTheFirstBindIsInvalid) { expect_to_be_parked_whole(1, Fate::done); }

TEST(KubernetesGangs, AreParkedWholeWhereAnInvalidBindIsAnsweredFirst) {
  expect_to_be_parked_whole(64, Fate::too_many);
}

TEST(KubernetesGangs, AreParkedWholeWhereOthersOfThemWereRefusedFirst) {
  expect_to_be_parked_whole(64, Fate::refused);
}

TEST(KubernetesGangs, AnInvalidBindIsTriedAgainSoonWhereTheGangRunsInPart) {
  SchedulerOptions given = options();
  given.in_flight = 1;
  Bench bench(std::move(given));
  bench.server.put_node(node_row("n1", 3000, 8000));
  for (int i = 0; i < 3; ++i) bench.server.put_pod(member("train", i, 3));
  const auto fate = [&](const Request& each) {
    const bool is_refused = bench.now < 1 && each.path.ends_with("/binding") && bench.bound("ml") > 0;
    return is_refused ? Fate::invalid : Fate::done;
  };
  bench.run(1, fate);
  EXPECT_GT(bench.bound("ml"), 0U);
  EXPECT_LT(bench.bound("ml"), 3U);
  bench.run(60, fate);
  EXPECT_EQ(bench.bound("ml"), 3U);
}

TEST(KubernetesGangs, APodThatReplacesOneOfAGangStartsAlone) {
  Bench bench;
  bench.server.put_node(node_row("n1", 3000, 8000));
  for (int i = 0; i < 3; ++i) bench.server.put_pod(member("train", i, 3));
  bench.run(1);
  EXPECT_EQ(bench.bound("ml"), 3U);
  bench.server.delete_pod("ml-train-1-0");
  bench.server.put_pod(member("train", 7, 3));
  bench.run(2);
  EXPECT_EQ(bench.node_of("ml-train-7-0"), "n1");
  // A new start counts what stands.
  Scheduler again = *Scheduler::from(options());
  bench.server.list(again, at(0));
  EXPECT_EQ(again.cluster().broken_invariant(), "");
  EXPECT_EQ(again.gauges().waiting, 0U);
}

// Gangs and single pods come and go at random and half of the binds fail. No gang is ever placed in part, but
// for binds that are repeated, and in the end every gang that fits runs whole.
class RandomGangs : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomGangs, AreNeverLeftInPart) {
  Random random(GetParam());
  Bench bench;
  for (int i = 0; i < 4; ++i) bench.server.put_node(node_row("n" + std::to_string(i), 4000, 8000, 8));
  const auto fate = [&](const Request& request) {
    if (!request.path.ends_with("/binding")) return Fate::done;
    return random.below(2) == 0 ? static_cast<Fate>(random.below(5)) : Fate::done;
  };
  std::map<std::string, int> sizes;
  for (int round = 0; round < 30; ++round) {
    const std::string name = "g" + std::to_string(round);
    const int size = 2 + static_cast<int>(random.below(6));
    if (random.below(3) == 0) {
      bench.server.put_pod(waiting_pod("web", name, 500 * static_cast<Units>(1 + random.below(3)), 100));
    } else {
      sizes[name] = size;
      for (int i = 0; i < size; ++i) bench.server.put_pod(member(name, i, size, 1000));
    }
    bench.run(bench.now + 2, fate);
    if (HasFatalFailure()) return;
    // A gang ends as a whole, and now and then a single pod.
    std::vector<std::string> over;
    for (const auto& [gang, its] : sizes) {
      int there = 0;
      for (int i = 0; i < its; ++i) {
        const auto pod = bench.server.pods.find("ml-" + gang + "-" + std::to_string(i) + "-0");
        there += pod != bench.server.pods.end() && !pod->second.seen.node.empty() ? 1 : 0;
      }
      if (there == its && random.below(2) == 0) over.push_back(gang);
    }
    for (const std::string& gang : over) {
      for (int i = 0; i < sizes[gang]; ++i)
        bench.server.delete_pod("ml-" + gang + "-" + std::to_string(i) + "-0");
      sizes.erase(gang);
    }
    std::vector<std::string> singles;
    for (const auto& [uid, pod] : bench.server.pods) {
      if (pod.seen.space == "web" && !pod.seen.node.empty() && random.below(2) == 0) singles.push_back(uid);
    }
    for (const std::string& uid : singles) bench.server.delete_pod(uid);
  }
  // The faults stop: gangs end when they are whole, and none stays.
  for (int i = 0; i < 200 && !sizes.empty(); ++i) {
    bench.run(bench.now + 10);
    if (HasFatalFailure()) return;
    std::vector<std::string> singles, over;
    for (const auto& [uid, pod] : bench.server.pods) {
      if (pod.seen.space == "web" && !pod.seen.node.empty()) singles.push_back(uid);
    }
    for (const std::string& uid : singles) bench.server.delete_pod(uid);
    for (const auto& [gang, its] : sizes) {
      int there = 0;
      for (int k = 0; k < its; ++k)
        there += bench.node_of("ml-" + gang + "-" + std::to_string(k) + "-0").empty() ? 0 : 1;
      if (there == its) over.push_back(gang);
    }
    for (const std::string& gang : over) {
      for (int k = 0; k < sizes[gang]; ++k)
        bench.server.delete_pod("ml-" + gang + "-" + std::to_string(k) + "-0");
      sizes.erase(gang);
    }
  }
  EXPECT_TRUE(sizes.empty()) << sizes.begin()->first << " never ran, seed " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGangs, ::testing::Range<std::uint64_t>(1, random_cases(12) + 1));

}  // namespace
}  // namespace mirab::kubernetes::testing
