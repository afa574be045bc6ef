#include "kubernetes/scheduler/scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/fill.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "kubernetes/scheduler/bench.hpp"
#include "kubernetes/scheduler/model_server.hpp"
#include "random_cases.hpp"

namespace mirab::kubernetes::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(KubernetesScheduler, BindsAPodWithItsUidAndTheDecisionAsAnnotation) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("ml", "train", 1000, 2000));
  bench.run(1);
  EXPECT_EQ(bench.node_of("ml-train-0"), "n1");
  EXPECT_EQ(bench.server.decisions, std::vector<std::string>{"test/1"});
  ASSERT_FALSE(bench.sent.empty());
  EXPECT_EQ(bench.sent[0].method, "POST");
  EXPECT_EQ(bench.sent[0].path, "/api/v1/namespaces/ml/pods/train/binding");
  EXPECT_THAT(bench.server.pods.at("ml-train-0").events,
              Contains("Scheduled: Successfully assigned ml/train to n1"));
}

TEST(KubernetesScheduler, DecidesNothingBeforeBothListsAreThere) {
  Bench bench;
  bench.scheduler.begin_nodes();
  bench.scheduler.put_node(node_row("n1", 4000, 8000), at(0));
  bench.scheduler.end_nodes(at(0));
  bench.scheduler.put_pod(waiting_pod("ml", "train", 1000, 2000), at(0));
  EXPECT_TRUE(bench.scheduler.work(at(0), kWall, true).empty());
  bench.scheduler.begin_pods();
  bench.scheduler.put_pod(waiting_pod("ml", "train", 1000, 2000), at(0));
  bench.scheduler.end_pods(at(0));
  EXPECT_TRUE(bench.scheduler.work(at(0), kWall, false).empty()) << "what is known may be old";
  EXPECT_EQ(bench.scheduler.work(at(0), kWall, true).size(), 1U);
}

TEST(KubernetesScheduler, ForeignPodsHoldTheirRoomUntilTheyAreGone) {
  Bench bench;
  bench.server.put_node(node_row("n1", 2000, 8000));
  SeenPod foreign = waiting_pod("web", "front", 1500, 100);
  foreign.scheduler = "default-scheduler";
  foreign.node = "n1";
  bench.server.put_pod(foreign);
  bench.server.put_pod(waiting_pod("ml", "train", 1000, 100));
  bench.run(1);
  EXPECT_EQ(bench.node_of("ml-train-0"), "");
  foreign.is_ending = true;
  bench.server.put_pod(foreign);
  bench.run(2);
  EXPECT_EQ(bench.node_of("ml-train-0"), "") << "a pod that ends still takes its room";
  bench.server.delete_pod(foreign.uid);
  bench.run(3);
  EXPECT_EQ(bench.node_of("ml-train-0"), "n1");
}

TEST(KubernetesScheduler, KeepsToTaintsSelectorsAndTheirChanges) {
  Bench bench;
  NodeRow tainted = node_row("gpu", 4000, 8000, 110, {{"kind", "gpu"}});
  tainted.taints = {{.key = "gpu", .effect = "NoSchedule"}};
  bench.server.put_node(tainted);
  SeenPod wants = waiting_pod("ml", "train", 1000, 100);
  wants.rule.selector = {{"kind", "gpu"}};
  bench.server.put_pod(wants);
  bench.run(3);
  EXPECT_EQ(bench.node_of(wants.uid), "");
  EXPECT_THAT(bench.server.pods.at(wants.uid).conditions["Unschedulable"],
              StartsWith("0/1 nodes are available: 1 node(s) didn't match"));
  tainted.taints.clear();
  bench.server.put_node(tainted);
  bench.run(4);
  EXPECT_EQ(bench.node_of(wants.uid), "gpu");
}

TEST(KubernetesScheduler, AnAntiAffinityOfARunningPodKeepsOthersOffItsDomain) {
  Bench bench;
  for (const char* name : {"a1", "a2", "b1"})
    bench.server.put_node(node_row(name, 4000, 8000, 110, {{"zone", std::string(name, 1)}}));
  SeenPod alone = waiting_pod("db", "main", 100, 100);
  alone.scheduler = "default-scheduler";
  alone.node = "a1";
  alone.repels = {{.topology = "zone",
                   .spaces = {"db"},
                   .selector = {{.key = "app", .op = Requirement::Operator::in, .values = {"db"}}}}};
  bench.server.put_pod(alone);
  SeenPod second = waiting_pod("db", "second", 100, 100), other = waiting_pod("db", "other", 100, 100);
  second.labels = {{"app", "db"}};
  bench.server.put_pod(second);
  bench.run(1);
  EXPECT_EQ(bench.node_of(second.uid), "b1") << "a1 and a2 are of the zone of the pod that wants to be alone";
  SeenPod third = waiting_pod("db", "third", 100, 100);
  third.labels = {{"app", "db"}};
  third.rule.selector = {{"zone", "a"}};
  bench.server.put_pod(third);
  bench.server.put_pod(other);
  bench.run(2);
  EXPECT_NE(bench.node_of(other.uid), "") << "it is not picked";
  EXPECT_EQ(bench.node_of(third.uid), "");
  bench.server.delete_pod(alone.uid);
  bench.run(3);
  EXPECT_NE(bench.node_of(third.uid), "");
}

TEST(KubernetesScheduler, WhatItCannotHonourWaitsWithAnEventThatNamesTheField) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  SeenPod wants = waiting_pod("ml", "train", 1000, 100);
  wants.unsupported = "spec.affinity.podAffinity";
  bench.server.put_pod(wants);
  bench.run(3);
  EXPECT_EQ(bench.node_of(wants.uid), "");
  const std::string text =
      "mirab cannot honour spec.affinity.podAffinity yet; the pod waits. Another scheduler can: "
      "spec.schedulerName";
  EXPECT_EQ(bench.server.pods.at(wants.uid).conditions["NotSupported"], text);
  EXPECT_THAT(bench.server.pods.at(wants.uid).events, Contains("NotSupported: " + text));
  wants.unsupported.clear();
  bench.server.put_pod(wants);
  bench.run(4);
  EXPECT_EQ(bench.node_of(wants.uid), "n1");
}

TEST(KubernetesScheduler, AResourceThatNoNodeHasIsAwaited) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  SeenPod wants = waiting_pod("ml", "train", 1000, 100);
  wants.requests["nvidia.com/gpu"] = 1;
  bench.server.put_pod(wants);
  bench.run(3);
  EXPECT_EQ(bench.server.pods.at(wants.uid).conditions["Unschedulable"],
            "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.");
  NodeRow with_gpu = node_row("n2", 4000, 8000);
  with_gpu.allocatable["nvidia.com/gpu"] = 1;
  bench.server.put_node(with_gpu);
  bench.run(4);
  EXPECT_EQ(bench.node_of(wants.uid), "n2");
}

TEST(KubernetesScheduler, AGatedPodIsNotSubmittedUntilTheLastGateIsGone) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  SeenPod gated = waiting_pod("ml", "train", 1000, 100);
  gated.is_gated = true;
  bench.server.put_pod(gated);
  bench.run(3);
  EXPECT_EQ(bench.node_of(gated.uid), "");
  EXPECT_TRUE(bench.server.pods.at(gated.uid).conditions.empty());
  gated.is_gated = false;
  bench.server.put_pod(gated);
  bench.run(4);
  EXPECT_EQ(bench.node_of(gated.uid), "n1");
}

TEST(KubernetesScheduler, ServesTheNamespaceWithTheSmallerDominantShareFirst) {
  // The example of Ghodsi and others (2011): 9 CPUs, 18 GB; (1, 4) and (3, 1) get 3 and 2 tasks.
  Bench bench;
  bench.server.put_node(node_row("n1", 9000, 18000));
  for (int i = 0; i < 9; ++i) {
    bench.server.put_pod(waiting_pod("a", "p" + std::to_string(i), 1000, 4000));
    bench.server.put_pod(waiting_pod("b", "p" + std::to_string(i), 3000, 1000));
  }
  bench.run(1);
  std::map<std::string, int> bound;
  for (const auto& [uid, each] : bench.server.pods) bound[each.seen.space] += each.seen.node.empty() ? 0 : 1;
  EXPECT_EQ(bound["a"], 3);
  EXPECT_EQ(bound["b"], 2);
}

TEST(KubernetesScheduler, SystemCriticalPodsComeBeforeEverybody) {
  Bench bench;
  bench.server.put_node(node_row("n1", 1000, 8000));
  SeenPod critical = waiting_pod("z", "dns", 1000, 100);
  critical.priority = kSystemCritical;
  critical.created = kWall;
  bench.server.put_pod(waiting_pod("a", "first", 1000, 100));
  bench.server.put_pod(critical);
  bench.run(1);
  EXPECT_EQ(bench.node_of(critical.uid), "n1");
}

TEST(KubernetesScheduler, APodThatWasReplacedUnderItsNameIsAnotherOne) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("ml", "web-0", 1000, 100));
  bench.run(1);
  bench.server.pods.erase("ml-web-0-0");  // the delete is never told: both arrive as one update
  bench.server.put_pod(waiting_pod("ml", "web-0", 4000, 100, 1));
  bench.run(2);
  EXPECT_EQ(bench.node_of("ml-web-0-1"), "n1");
  EXPECT_EQ(bench.scheduler.cluster().pods().size(), 1U);
}

TEST(KubernetesScheduler, AfterABindOfUnknownFateItAsksAndDecidesNothingMeanwhile) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("ml", "one", 1000, 100));
  int lost = 0;
  bench.run(0.1, [&](const Request& each) {
    return each.path.ends_with("/binding") && lost++ == 0 ? Fate::lost_before : Fate::done;
  });
  bench.run(3);
  EXPECT_EQ(bench.node_of("ml-one-0"), "n1");
  EXPECT_EQ(bench.server.pods.at("ml-one-0").binds, 1);
  std::vector<std::string> methods;
  for (const Request& each : bench.sent) {
    if (!each.path.ends_with("/events")) methods.push_back(each.method);
  }
  EXPECT_EQ(methods, (std::vector<std::string>{"POST", "GET", "POST"}));
}

TEST(KubernetesScheduler, WhileTheServerDoesNotAnswerNothingFurtherIsDecided) {
  Bench bench;
  bench.server.put_node(node_row("n1", 100'000, 8000));
  bench.server.put_pod(waiting_pod("ml", "first", 1000, 1));
  bench.run(0.5, [](const Request&) { return Fate::lost_before; });
  for (int i = 0; i < 50; ++i) bench.server.put_pod(waiting_pod("ml", "p" + std::to_string(i), 1000, 1));
  bench.run(20, [](const Request&) { return Fate::lost_before; });
  EXPECT_EQ(bench.scheduler.gauges().decided, 1U);
  EXPECT_EQ(bench.scheduler.gauges().in_doubt, 1U);
  bench.run(80);
  EXPECT_EQ(bench.scheduler.gauges().bound, 51U);
}

TEST(KubernetesScheduler, AfterALongOutageItGoesOnWithinSevenSeconds) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("ml", "first", 1000, 1));
  bench.run(300, [](const Request&) { return Fate::lost_before; });
  bench.server.put_pod(waiting_pod("ml", "second", 1000, 1));
  bench.run(307);
  EXPECT_EQ(bench.scheduler.gauges().bound, 2U);
}

TEST(KubernetesScheduler, WhenCredentialsHoldAgainAfterLongItGoesOnWithinSevenSeconds) {
  for (const bool looks_first : {false, true}) {
    SCOPED_TRACE(looks_first);
    SchedulerOptions given = options();
    given.looks_first = looks_first;
    Bench bench(std::move(given));
    bench.server.put_node(node_row("n1", 4000, 8000));
    bench.server.put_pod(waiting_pod("ml", "one", 1000, 1));
    bench.run(300, [](const Request&) { return Fate::unauthorized; });
    EXPECT_EQ(bench.scheduler.gauges().failed, 0U) << "no fault of the pod";
    EXPECT_TRUE(bench.scheduler.is_locked_out());
    bench.run(307);
    EXPECT_EQ(bench.scheduler.gauges().bound, 1U);
    EXPECT_FALSE(bench.scheduler.is_locked_out());
  }
}

TEST(KubernetesScheduler, AServerThatHasTooMuchToDoIsAskedEvery30SecondsInTheEnd) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("ml", "one", 1000, 1));
  const auto is_busy = [](const Request&) { return Fate::too_many; };
  bench.run(100, is_busy);
  const std::size_t before = bench.sent.size();
  bench.run(190, is_busy);
  EXPECT_EQ(bench.sent.size() - before, 3U);
}

TEST(KubernetesScheduler, APodWhoseBindsAreRefusedRestsAndHarmsNobody) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("bad", "one", 1000, 100));
  bench.server.put_pod(waiting_pod("good", "one", 1000, 100));
  int refusals = 0;
  const auto webhook = [&](const Request& each) {
    const bool is_hit = each.path.find("/bad/") != std::string::npos && each.path.ends_with("/binding");
    refusals += is_hit ? 1 : 0;
    return is_hit ? Fate::refused : Fate::done;
  };
  bench.run(60, webhook);
  EXPECT_EQ(bench.node_of("good-one-0"), "n1");
  EXPECT_EQ(refusals, 5) << "1, 2, 4, 8 s between them, then parked";
  bench.run(600, webhook);
  EXPECT_EQ(refusals, 5);
  EXPECT_THAT(bench.server.pods.at("bad-one-0").events,
              Contains(HasSubstr("it is tried again in 10 minutes")));
  bench.run(640);
  EXPECT_EQ(bench.node_of("bad-one-0"), "n1");
}

TEST(KubernetesScheduler, AnEventFromBeforeTheBindDoesNotUnbindThePod) {
  Bench bench;
  bench.server.put_node(node_row("n1", 1000, 8000));
  bench.server.put_pod(waiting_pod("ml", "one", 1000, 100));
  bench.run(1);
  SeenPod old = waiting_pod("ml", "one", 1000, 100);
  old.labels = {{"changed", "before"}};
  bench.scheduler.put_pod(old, at(1.5));
  EXPECT_EQ(bench.scheduler.cluster().pod("ml-one-0")->standing, Standing::bound);
  EXPECT_EQ(bench.scheduler.cluster().pod("ml-one-0")->on, "n1");
  bench.server.put_pod(waiting_pod("ml", "two", 1000, 100));
  bench.run(3);
  EXPECT_EQ(bench.server.pods.at("ml-one-0").binds, 1);
  EXPECT_EQ(bench.node_of("ml-two-0"), "") << "the room is taken";
}

TEST(KubernetesScheduler, ABindThatIsNeverDoneCountsAsRefusedAfterThreeRounds) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("bad", "one", 1000, 100));
  bench.server.put_pod(waiting_pod("good", "one", 1000, 100));
  int binds = 0;
  // A webhook that is down: the bind is not done, and the answer settles nothing.
  bench.run(20, [&](const Request& each) {
    const bool is_hit =
        each.path.ends_with("/pods/one/binding") && each.path.find("/bad/") != std::string::npos;
    binds += is_hit ? 1 : 0;
    return is_hit ? Fate::lost_before : Fate::done;
  });
  EXPECT_EQ(bench.node_of("good-one-0"), "n1");
  EXPECT_GE(binds, 3);
  EXPECT_LE(binds, 15) << "with pauses between them";
  EXPECT_GE(bench.scheduler.gauges().failed, 1U);
}

TEST(KubernetesScheduler, WhatWasSeenOfAPodWhileItsBindWasUnderWayIsKept) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("ml", "one", 1000, 100));
  bench.server.list(bench.scheduler, at(0));
  const std::vector<Request> bind = bench.scheduler.work(at(0), kWall, true);
  ASSERT_EQ(bind.size(), 1U);
  SeenPod ending = waiting_pod("ml", "one", 1000, 100);
  ending.is_ending = true;
  bench.scheduler.put_pod(ending, at(0.1));
  bench.scheduler.answer({.id = bind[0].id, .status = 403, .body = "{}"}, at(0.2), kWall);
  for (int i = 1; i < 100; ++i) {
    for (const Request& each : bench.scheduler.work(at(i), kWall, true))
      EXPECT_FALSE(each.path.ends_with("/binding")) << "somebody deleted the pod";
  }
}

TEST(KubernetesScheduler, CriticalPodsAreServedUnderDisciplinesWithoutTiersToo) {
  for (const char* discipline : {"pf", "fifo", "mlf-drs", "tsf", "ps-dsf", "asset"}) {
    Bench bench(options(discipline));
    bench.server.put_node(node_row("n1", 4000, 8000));
    SeenPod critical = waiting_pod("kube-system", "dns", 1000, 100);
    critical.priority = kSystemCritical;
    bench.server.put_pod(critical);
    bench.run(1);
    EXPECT_EQ(bench.node_of(critical.uid), "n1") << discipline;
  }
}

TEST(KubernetesScheduler, PodsThatAskForMoreThanCanBeCountedHarmNobody) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  for (int i = 0; i < 3000; ++i) {
    SeenPod huge = waiting_pod("evil", "h" + std::to_string(i), kMaxUnits, kMaxUnits);
    if (i % 2 == 0) huge.scheduler = "other";
    if (i % 3 != 0) huge.node = "n1";
    bench.server.put_pod(huge);
  }
  bench.server.put_node(node_row("n2", 4000, 8000));
  bench.server.put_pod(waiting_pod("ml", "one", 1000, 100));
  bench.run(1);
  EXPECT_EQ(bench.node_of("ml-one-0"), "n2");
  for (int i = 0; i < 3000; ++i) bench.server.delete_pod("evil-h" + std::to_string(i) + "-0");
  bench.run(2);
  bench.server.put_pod(waiting_pod("ml", "big", 4000, 100));
  bench.run(3);
  EXPECT_EQ(bench.node_of("ml-big-0"), "n1");
}

TEST(KubernetesScheduler, ANamespaceWithoutPodsIsForgotten) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  for (int i = 0; i < 20; ++i) {
    const std::string space = "ci-" + std::to_string(i);
    bench.server.put_pod(waiting_pod(space, "one", 1000, 100));
    bench.run(bench.now + 1);
    EXPECT_EQ(bench.node_of(space + "-one-0"), "n1");
    bench.server.delete_pod(space + "-one-0");
    bench.run(bench.now + 1);
  }
  EXPECT_EQ(bench.scheduler.cluster().engine().user_count(), 0U);
}

TEST(KubernetesScheduler, AtMost64BindsAreUnderWay) {
  Bench bench;
  bench.server.put_node(node_row("n1", 1'000'000, 1'000'000, 1000));
  for (int i = 0; i < 200; ++i) bench.server.put_pod(waiting_pod("ml", "p" + std::to_string(i), 1, 1));
  bench.server.list(bench.scheduler, at(0));
  EXPECT_EQ(bench.scheduler.work(at(0), kWall, true).size(), 64U);
  EXPECT_TRUE(bench.scheduler.work(at(0), kWall, true).empty());
}

TEST(KubernetesScheduler, AServerThatDoesNotCompareUidsIsAskedBeforeEachBind) {
  SchedulerOptions given = options();
  given.looks_first = true;
  Bench bench(given);
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("ml", "web-0", 1000, 100));
  bench.server.list(bench.scheduler, at(0));
  const std::vector<Request> binds = bench.scheduler.work(at(0), kWall, true);
  ASSERT_EQ(binds.size(), 1U);
  EXPECT_EQ(binds[0].looks_for, "ml-web-0-0");
  // It is replaced meanwhile.
  bench.server.pods.erase("ml-web-0-0");
  bench.server.pods["ml-web-0-1"].seen = waiting_pod("ml", "web-0", 1000, 100, 1);
  const Reply reply = bench.server.take(binds[0], Fate::done);
  EXPECT_TRUE(reply.is_of_look);
  EXPECT_EQ(reply.status, 200);
  bench.scheduler.answer(reply, at(0), kWall);
  for (const Request& each : bench.scheduler.work(at(0), kWall, true)) EXPECT_NE(each.method, "POST");
}

TEST(KubernetesScheduler, APodWithAGeneratedNameIsNotLookedAt) {
  SchedulerOptions given = options();
  given.looks_first = true;
  Bench bench(given);
  bench.server.put_node(node_row("n1", 4000, 8000));
  SeenPod pod = waiting_pod("ml", "web-x2k4z", 1000, 100);
  pod.has_generated_name = true;
  bench.server.put_pod(pod);
  bench.server.list(bench.scheduler, at(0));
  const std::vector<Request> binds = bench.scheduler.work(at(0), kWall, true);
  ASSERT_EQ(binds.size(), 1U);
  EXPECT_EQ(binds[0].looks_for, "");
}

TEST(KubernetesScheduler, ABindIsSentOnlyWhereTheLookBeforeItFindsThatPodWithoutANode) {
  Request bind = bind_request({.space = "ml", .name = "web-0", .uid = "u"}, "n1", "test/1");
  bind.id = 7;
  bind.looks_for = "u";
  const auto asked_after = [&](const Reply& look) {
    std::vector<std::string> asked;
    const Reply reply = deliver(bind, [&](const Request& each) {
      asked.push_back(each.method + " " + each.path);
      return each.method == "GET" ? look : Reply{.id = bind.id, .status = 201};
    });
    EXPECT_EQ(reply.id, 7U);
    EXPECT_EQ(reply.is_of_look, asked.size() == 1);
    EXPECT_EQ(asked.front(), "GET /api/v1/namespaces/ml/pods/web-0");
    return asked.size();
  };
  EXPECT_EQ(asked_after({.status = 200, .body = R"({"metadata":{"uid":"u"},"spec":{}})"}), 2U);
  EXPECT_EQ(asked_after({.status = 200, .body = R"({"metadata":{"uid":"other"},"spec":{}})"}), 1U);
  EXPECT_EQ(asked_after({.status = 200, .body = R"({"metadata":{"uid":"u"},"spec":{"nodeName":"n2"}})"}), 1U);
  EXPECT_EQ(asked_after({.status = 200, .body = "no JSON"}), 1U);
  EXPECT_EQ(asked_after({.status = 404, .body = R"({"metadata":{"uid":"u"}})"}), 1U);
  EXPECT_EQ(asked_after({.status = 0}), 1U) << "it may be another by now";
}

TEST(KubernetesScheduler, ADryRunDecidesAndAsksForNothing) {
  SchedulerOptions given = options();
  given.is_dry_run = true;
  Bench bench(given);
  bench.server.put_node(node_row("n1", 2000, 8000));
  bench.server.put_pod(waiting_pod("ml", "one", 1000, 100));
  SeenPod unsupported = waiting_pod("ml", "two", 1000, 100);
  unsupported.unsupported = "spec.affinity.podAffinity";
  bench.server.put_pod(unsupported);
  bench.run(10);
  EXPECT_TRUE(bench.sent.empty());
  const std::vector<Happening> happened = bench.scheduler.take_happenings();
  ASSERT_EQ(happened.size(), 1U);
  EXPECT_EQ(happened[0].pod, "ml/one");
  EXPECT_EQ(happened[0].node, "n1");
}

TEST(KubernetesScheduler, WaitingPodsAreReportedWithinTheBudgetAndThenSeldom) {
  Bench bench;
  bench.server.put_node(node_row("n1", 1000, 8000));
  for (int i = 0; i < 100; ++i) bench.server.put_pod(waiting_pod("ml", "p" + std::to_string(i), 5000, 100));
  bench.run(5);
  EXPECT_LE(bench.sent.size(), 20U * 6);
  bench.run(30);
  const std::size_t first = bench.sent.size();
  EXPECT_EQ(first, 200U) << "a condition and an event each";
  bench.run(250);
  EXPECT_EQ(bench.sent.size(), first);
  bench.run(700);
  EXPECT_GT(bench.sent.size(), first);
  EXPECT_LE(bench.sent.size(), 3 * first);
}

TEST(KubernetesScheduler, AConditionThatTheServerDidNotTakeIsWrittenAgain) {
  Bench bench;
  bench.server.put_node(node_row("n1", 1000, 8000));
  bench.server.put_pod(waiting_pod("ml", "big", 5000, 100));
  bench.run(5, [](const Request&) { return Fate::lost_before; });
  EXPECT_TRUE(bench.server.pods.at("ml-big-0").conditions.empty());
  bench.run(20);
  EXPECT_THAT(bench.server.pods.at("ml-big-0").conditions["Unschedulable"], HasSubstr("Insufficient cpu"));
}

TEST(KubernetesScheduler, ANodeThatGoesKeepsItsPodsUntilTheyAreGone) {
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.server.put_pod(waiting_pod("ml", "one", 1000, 100));
  bench.run(1);
  bench.server.delete_node("n1");
  bench.server.put_pod(waiting_pod("ml", "two", 1000, 100));
  bench.run(2);
  EXPECT_EQ(bench.node_of("ml-two-0"), "");
  bench.server.delete_pod("ml-one-0");
  bench.run(3);
  EXPECT_EQ(bench.scheduler.cluster().engine().server_count(), 0U);
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.run(4);
  EXPECT_EQ(bench.node_of("ml-two-0"), "n1");
}

TEST(KubernetesScheduler, PodsMayArriveBeforeTheirNode) {
  Bench bench;
  SeenPod early = waiting_pod("ml", "early", 3000, 100);
  early.node = "n1";
  bench.server.put_pod(early);
  bench.server.put_pod(waiting_pod("ml", "two", 2000, 100));
  bench.run(1);
  bench.server.put_node(node_row("n1", 4000, 8000));
  bench.run(2);
  EXPECT_EQ(bench.node_of("ml-two-0"), "") << "the first takes 3 of the 4 CPUs";
}

// Nodes and pods come, change and go at random, requests and replies are lost, lists are read again. At each
// step the ledger is right, no node is ever over-filled by what Mirab bound, and no pod is bound twice. When
// the faults stop, every pod that is left has no node on which it fits.
class RandomClusters : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  static std::string text_of(const Request& each) { return each.method + " " + each.path + " " + each.body; }
  void live();

  std::vector<std::string> asked = {};  // all requests, in their order
};

TEST_P(RandomClusters, AreNeverOverFilledAndNobodyIsForgottenAndTheSameNewsGivesTheSameDecisions) {
  live();
  if (HasFatalFailure()) return;
  const std::vector<std::string> first = std::exchange(asked, {});
  live();
  EXPECT_GT(first.size(), 50U);
  EXPECT_EQ(first, asked) << "seed " << GetParam();
}

void RandomClusters::live() {
  Random random(GetParam());
  SchedulerOptions given = options(random.below(2) == 0 ? "drf" : "tsf");
  given.seed = GetParam();
  given.looks_first = random.below(2) == 0;
  std::string log;  // of the latest engine
  given.log = [&](const std::string& line, bool begins) { log = (begins ? "" : log) + line + "\n"; };
  Scheduler scheduler = *Scheduler::from(given);
  ModelServer server;
  std::vector<Request> under_way;
  std::map<std::string, std::string> first_node;  // of each pod that was bound
  std::map<std::string, NodeRow> first_rows;      // of each node
  int made = 0;
  double now = 0;

  const auto random_node = [&] {
    const std::string name = "n" + std::to_string(random.below(6));
    NodeRow row = node_row(name, 1000 * (2 + static_cast<Units>(random.below(6))), 4000, 8,
                           {{"zone", std::string(1, static_cast<char>('a' + random.below(2)))}});
    // A node never becomes smaller here, nor when it comes again: that over-fills it, and nobody is to blame.
    NodeRow& first = first_rows.emplace(name, row).first->second;
    if (random.below(10) == 0) first.allocatable["example.com/gpu"] = 2;
    row.allocatable = first.allocatable;
    row.labels = first.labels;
    if (random.below(4) == 0) row.taints = {{.key = "t", .effect = "NoSchedule"}};
    return row;
  };
  const auto random_pod = [&] {
    SeenPod seen =
        waiting_pod("ns" + std::to_string(random.below(3)), "p" + std::to_string(made++),
                    500 * static_cast<Units>(random.below(5)), 100 * static_cast<Units>(random.below(8)));
    if (random.below(4) == 0) seen.rule.selector = {{"zone", random.below(2) == 0 ? "a" : "b"}};
    if (random.below(4) == 0)
      seen.rule.tolerations = {{.key = "t", .op = Toleration::Operator::exists, .value = "", .effect = ""}};
    if (random.below(8) == 0) seen.requests["example.com/gpu"] = 1;
    if (random.below(20) == 0) seen.unsupported = "spec.affinity.podAffinity";
    if (random.below(20) == 0) seen.priority = kSystemCritical;
    seen.labels = {{"app", random.below(3) == 0 ? "db" : "web"}};
    if (random.below(6) == 0) {
      seen.scheduler = "other";
      if (!server.nodes.empty()) {
        // Where it fits, as another scheduler would see to.
        for (const auto& [name, row] : server.nodes) {
          Amounts taken;
          for (const auto& [uid, each] : server.pods) {
            if (each.seen.node != name) continue;
            for (const auto& [resource, units] : each.seen.requests) taken[resource] += units;
          }
          // Not beside a bind under way: two schedulers may always race.
          const Amounts& allocatable = row.allocatable;
          const bool fits = std::all_of(seen.requests.begin(), seen.requests.end(), [&](const auto& each) {
            const auto has = allocatable.find(each.first);
            return has != allocatable.end() && taken[each.first] + each.second <= has->second;
          });
          if (fits && scheduler.gauges().under_way == 0) seen.node = name;
        }
      }
      if (!seen.node.empty() && random.below(2) == 0) {
        seen.repels = {{.topology = random.below(2) == 0 ? "zone" : "kubernetes.io/hostname",
                        .spaces = {seen.space},
                        .selector = {{.key = "app", .op = Requirement::Operator::in, .values = {"db"}}}}};
      }
    }
    return seen;
  };
  const auto check = [&] {
    ASSERT_EQ(scheduler.cluster().broken_invariant(), "") << "seed " << GetParam();
    for (const auto& [name, row] : server.nodes) {
      Amounts taken;
      for (const auto& [uid, each] : server.pods) {
        if (each.seen.node != name) continue;
        for (const auto& [resource, units] : each.seen.requests) taken[resource] += units;
      }
      for (const auto& [resource, units] : taken) {
        const auto has = row.allocatable.find(resource);
        ASSERT_LE(units, has == row.allocatable.end() ? 0 : has->second)
            << resource << " on " << name << ", seed " << GetParam();
      }
    }
    for (const auto& [uid, each] : server.pods) {
      ASSERT_LE(each.binds, 1) << uid << ", seed " << GetParam();
      if (!each.seen.node.empty()) {
        ASSERT_EQ(first_node.emplace(uid, each.seen.node).first->second, each.seen.node) << uid;
      }
    }
  };

  bool has_foreign_news = false;
  server.list(scheduler, at(0));
  for (int i = 0; i < 400; ++i) {
    now += 0.2;
    switch (random.below(9)) {
      case 0:
        server.put_node(random_node());
        break;
      case 1:
      case 2: {
        // A foreign pod takes room at once; Mirab must have seen it before it decides again.
        SeenPod seen = random_pod();
        has_foreign_news = has_foreign_news || !seen.node.empty();
        server.put_pod(seen);
        break;
      }
      case 3:
        if (!server.pods.empty() && random.below(2) == 0) {
          auto chosen = server.pods.begin();
          std::advance(chosen, static_cast<long>(random.below(server.pods.size())));
          server.delete_pod(std::string(chosen->first));
        }
        break;
      case 4:
        if (!server.nodes.empty() && random.below(4) == 0) {
          const std::string name = server.nodes.begin()->first;
          const bool is_used = std::any_of(server.pods.begin(), server.pods.end(),
                                           [&](const auto& each) { return each.second.seen.node == name; });
          if (!is_used && scheduler.gauges().under_way == 0) server.delete_node(name);
        }
        break;
      case 5:
        if (random.below(10) == 0) server.list(scheduler, at(now)), has_foreign_news = false;
        break;
      default:
        if (random.below(3) > 0) server.tell(scheduler, at(now));
    }
    if (has_foreign_news) {
      while (server.tell(scheduler, at(now))) {
      }
      has_foreign_news = false;
    }
    for (Request& each : scheduler.work(at(now), kWall, true)) {
      asked.push_back(text_of(each));
      under_way.push_back(std::move(each));
    }
    while (!under_way.empty() && random.below(3) > 0) {
      const std::size_t chosen = static_cast<std::size_t>(random.below(under_way.size()));
      const Request request = under_way[chosen];
      under_way.erase(under_way.begin() + static_cast<long>(chosen));
      const Fate fate = random.below(4) == 0 ? static_cast<Fate>(random.below(6)) : Fate::done;
      scheduler.answer(server.take(request, fate), at(now), kWall);
    }
    check();
    if (HasFatalFailure()) return;
  }

  // The faults stop.
  for (int i = 0; i < 8000; ++i) {
    now += 0.5;
    while (server.tell(scheduler, at(now))) {
    }
    for (const Request& each : under_way) scheduler.answer(server.take(each, Fate::done), at(now), kWall);
    under_way = scheduler.work(at(now), kWall, true);
    for (const Request& each : under_way) asked.push_back(text_of(each));
    if (under_way.empty() && i > 1500 && scheduler.gauges().under_way == 0) break;
  }
  check();
  if (HasFatalFailure()) return;
  std::istringstream lines(log);
  Result<scheduling::Engine> again = scheduling::replay(lines, "log");
  ASSERT_TRUE(again) << describe(again.error()) << ", seed " << GetParam();
  const scheduling::Engine& engine = scheduler.cluster().engine();
  Random draws(GetParam());
  ASSERT_FALSE(again->step(*engine.now(), draws)) << "the latest steps placed nothing";
  EXPECT_EQ(scheduling::snapshot(*again), scheduling::snapshot(engine)) << "seed " << GetParam();
  for (const auto& [uid, each] : server.pods) {
    const SeenPod& seen = each.seen;
    if (!seen.node.empty() || seen.scheduler != "mirab" || !seen.unsupported.empty()) continue;
    for (const auto& [name, row] : server.nodes) {
      bool may = allows(seen.rule, name, row.labels, row.taints);
      Amounts taken;
      for (const auto& [other_uid, other] : server.pods) {
        if (other.seen.node.empty()) continue;
        if (other.seen.node == name) {
          for (const auto& [resource, units] : other.seen.requests) taken[resource] += units;
        }
        for (const AntiAffinity& term : other.seen.repels) {
          const auto there = server.nodes.find(other.seen.node);
          if (there == server.nodes.end() || !picks(term, seen.space, seen.labels)) continue;
          if (there->second.labels.at(term.topology) == row.labels.at(term.topology)) may = false;
        }
      }
      bool fits = true;
      for (const auto& [resource, units] : seen.requests) {
        const auto has = row.allocatable.find(resource);
        if (taken[resource] + units > (has == row.allocatable.end() ? 0 : has->second)) fits = false;
      }
      EXPECT_FALSE(may && fits) << uid << " was forgotten: it fits on " << name << ", seed " << GetParam();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomClusters, ::testing::Range<std::uint64_t>(1, random_cases(40) + 1));

// A node comes with a resource that is new and with more memory than can be counted with the other's: the
// engine is made again without that one, where a bind is under way.
TEST(KubernetesScheduler, ABindUnderWayOnANodeThatIsNoLongerCountedIsMadeToItsEnd) {
  constexpr Units kHuge = 9'000'000'000'000'000'000;
  Bench bench;
  bench.server.put_node(node_row("n1", 4000, kHuge));
  bench.server.put_pod(waiting_pod("a", "p", 1000, 100));
  const auto fate = [&](const Request& each) {
    return each.path.ends_with("/binding") && bench.now < 2 ? Fate::lost_before : Fate::done;
  };
  bench.run(1, fate);
  NodeRow other = node_row("n0", 4000, kHuge);
  other.allocatable["example.com/new"] = 1;
  bench.server.put_node(other);
  bench.run(10, fate);
  ASSERT_FALSE(bench.scheduler.cluster().node("n1")->server.has_value()) << "it is counted after all";
  EXPECT_EQ(bench.node_of("a-p-0"), "n1");
  EXPECT_EQ(bench.scheduler.gauges().under_way, 0U);
}

}  // namespace
}  // namespace mirab::kubernetes::testing
