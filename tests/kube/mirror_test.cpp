#include "kube/mirror.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <tuple>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/fill.hpp>

#include "kubernetes/scheduler/model_server.hpp"
#include "live/views.hpp"

namespace mirab::kube {
namespace {

using kubernetes::Standing;
using kubernetes::testing::at;
using kubernetes::testing::Fate;
using kubernetes::testing::kWall;
using kubernetes::testing::node_row;
using kubernetes::testing::waiting_pod;

live::Answer ask(const Mirror& mirror, live::Ask what, const std::string& queue = {},
                 const std::string& name = {}, live::Json body = {}) {
  static const live::Caller kAll;
  static const live::History kNone;
  return live::answer_to({.state = mirror.state(), .caller = kAll, .others = live::Others::all}, kNone,
                         {.what = what, .name = name, .queue = queue, .body = std::move(body)});
}

/// A model of an API server, the scheduler, and a mirror that follows it now and then.
struct Followed {
  kubernetes::testing::ModelServer server = {};
  kubernetes::Scheduler scheduler = *kubernetes::Scheduler::from(kubernetes::testing::options());
  Mirror mirror = *Mirror::from("test", 100);
  std::vector<live::Change> changes = {};
  double now = 0;

  void work(Fate fate = Fate::done) {
    now += 1;
    while (server.tell(scheduler, at(now))) {
    }
    for (const kubernetes::Request& each : scheduler.work(at(now), kWall, true))
      scheduler.answer(server.take(each, fate), at(now), kWall);
  }
  void follow() {
    if (auto picture = take_picture(scheduler, at(now), kWall)) {
      for (live::Change& change : mirror.follow(*std::move(picture))) changes.push_back(std::move(change));
    }
  }
};

/// The mirror has what the scheduler knows, under its names.
void expect_alike(const Followed& followed) {
  const live::State& state = followed.mirror.state();
  const kubernetes::KnownCluster& cluster = followed.scheduler.cluster();
  std::map<std::pair<std::string, std::string>, std::pair<std::int64_t, std::int64_t>> counts;  // of jobs
  for (const auto& [uid, pod] : cluster.pods()) {
    if (pod.standing == Standing::foreign) continue;
    const std::string name = followed.mirror.job_called(pod.seen.space, pod.seen.name);
    EXPECT_EQ(name, pod.is_together ? "gang:" + pod.seen.gang : pod.seen.name);
    const live::Job* const job = state.job(pod.seen.space, name);
    ASSERT_NE(job, nullptr) << pod.seen.label();
    EXPECT_EQ(job->id, pod.job) << pod.seen.label();
    const bool runs = !pod.on.empty();
    auto& [waiting, running] = counts[{pod.seen.space, name}];
    (runs ? running : waiting) += 1;
    EXPECT_EQ(job->aside.has_value(), !pod.job.has_value()) << pod.seen.label();
    if (job->within) {
      const auto set = state.sets.find(*job->within);  // without nodes it is left out
      EXPECT_EQ(set == state.sets.end() ? std::set<std::string>() : set->second,
                cluster.sets().nodes_of(pod.set))
          << pod.seen.label();
    }
  }
  std::map<std::string, std::tuple<std::int64_t, std::int64_t, std::size_t>> sums;  // of queues
  for (const auto& [label, count] : counts) {
    const live::Job& job = *state.job(label.first, label.second);
    EXPECT_EQ(std::pair(job.waiting, job.running), count) << job.label();
    EXPECT_EQ(std::pair(job.roles.front().waiting, job.roles.front().running), count) << job.label();
    const auto inside = job.id ? state.engine.job(*job.id) : std::nullopt;
    if (inside) {
      EXPECT_EQ(std::pair(inside->waiting, inside->running), count) << job.label();
    }
    auto& [waiting, running, jobs] = sums[label.first];
    waiting += job.waiting;
    running += job.running;
    ++jobs;
  }
  ASSERT_EQ(state.queues.size(), sums.size());
  for (const auto& [name, queue] : state.queues)
    EXPECT_EQ(std::tuple(queue.waiting, queue.running, queue.jobs.size()), sums[name]) << name;
  EXPECT_EQ(state.servers.size(), state.engine.server_count());
  for (const auto& [name, server] : state.servers) {
    EXPECT_EQ(server.id, cluster.node(name)->server);
    state.engine.for_each_task(*server.id,
                               [&](const auto& task) { EXPECT_NE(state.job(task.job), nullptr); });
  }
  for (const live::Ask what : {live::Ask::cluster, live::Ask::servers, live::Ask::queues, live::Ask::tasks})
    EXPECT_EQ(ask(followed.mirror, what).status, 200);
}

class RandomMirrors : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomMirrors, AreAsTheSchedulerAfterEachPicture) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  Random random(GetParam());
  kubernetes::SchedulerOptions options = kubernetes::testing::options();
  if (GetParam() % 2 == 0)
    options.policy.preempting = scheduling::Preempting{.tasks = 100, .per = std::chrono::minutes(1)};
  Followed followed{.scheduler = *kubernetes::Scheduler::from(std::move(options))};
  followed.server.list(followed.scheduler, at(0));
  followed.follow();
  int made = 0;
  const auto any_uid = [&] {
    auto each = followed.server.pods.begin();
    std::advance(each, static_cast<std::ptrdiff_t>(random.below(followed.server.pods.size())));
    return each->first;
  };
  for (int step = 0; step < 300; ++step) {
    const std::uint64_t choice = random.below(10);
    if (choice < 2) {
      auto row = node_row("n" + std::to_string(random.below(5)), 4000, 4000, 6);
      if (random.below(8) == 0) row.allocatable["example.com/gpu"] = 2;
      if (random.below(4) == 0) row.taints = {{.key = "t", .effect = "NoSchedule"}};
      followed.server.put_node(std::move(row));
    } else if (choice < 7) {
      auto pod = waiting_pod("ns" + std::to_string(random.below(3)), "p" + std::to_string(random.below(30)),
                             500 * static_cast<kubernetes::Units>(1 + random.below(4)), 100, made++);
      if (auto* const same = followed.server.find(pod.space, pod.name))
        followed.server.delete_pod(std::string(same->seen.uid));
      pod.is_gated = random.below(10) == 0;
      pod.has_controller = random.below(2) == 0;
      if (random.below(10) == 0) pod.unsupported = "spec.affinity.podAffinity";
      if (random.below(10) == 0) pod.priority = kubernetes::kSystemCritical;
      if (random.below(10) == 0) pod.requests["example.com/gpu"] = 1;
      if (random.below(4) == 0)
        pod.rule.tolerations = {{.key = "t", .op = Toleration::Operator::exists, .value = "", .effect = ""}};
      if (random.below(3) == 0) {
        const std::uint64_t gang = random.below(3);
        pod.gang = "g" + std::to_string(gang);
        pod.gang_size = 2 + static_cast<std::int64_t>(gang);
        pod.requests = waiting_pod("", "", 500, 100).requests;
      }
      if (random.below(10) == 0) {
        pod.scheduler = "other";
        pod.node = "n" + std::to_string(random.below(6));
      }
      followed.server.put_pod(std::move(pod));
    } else if (choice < 9 && !followed.server.pods.empty()) {
      followed.server.delete_pod(any_uid());
    } else if (choice == 9) {
      followed.server.delete_node("n" + std::to_string(random.below(5)));
    }
    constexpr Fate kFates[] = {Fate::done, Fate::done, Fate::lost_after, Fate::refused};
    followed.work(kFates[random.below(4)]);
    if (random.below(3) > 0) continue;
    followed.follow();
    expect_alike(followed);
    if (::testing::Test::HasFailure()) return;
  }
  followed.follow();
  // What was said of tasks adds up to those that run.
  std::int64_t said = 0;
  live::Revision last = 100;
  for (const live::Change& change : followed.changes) {
    EXPECT_GT(change.revision, last);
    last = change.revision;
    for (const live::Event& event : change.events)
      said += event.kind == "task-placed" ? 1 : event.kind == "task-ended" ? -1 : 0;
  }
  std::int64_t running = 0;
  for (const auto& [name, queue] : followed.mirror.state().queues) running += queue.running;
  EXPECT_EQ(said, running);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMirrors, ::testing::Range<std::uint64_t>(1, 21));

TEST(Mirror, ACriticalPodCountsForItsNamespace) {
  Followed followed;
  followed.server.put_node(node_row("n", 4000, 4000));
  auto critical = waiting_pod("a", "critical", 1000, 100);
  critical.priority = kubernetes::kSystemCritical;
  followed.server.put_pod(critical);
  followed.server.put_pod(waiting_pod("a", "common", 1000, 100));
  followed.server.list(followed.scheduler, at(0));
  followed.work();
  followed.work();
  followed.follow();
  const live::Answer queue = ask(followed.mirror, live::Ask::queue, {}, "a");
  EXPECT_EQ(queue.body["share"], 0.5);
  EXPECT_EQ(queue.body["used"]["cpu"], "2");
  EXPECT_EQ(ask(followed.mirror, live::Ask::job, "a", "critical").body["priority"],
            kubernetes::kSystemCritical);
}

TEST(Mirror, UnderAnotherMechanismOnTrialCriticalPodsAreStillFirst) {
  Followed followed;
  followed.server.put_node(node_row("n", 2000, 4000));
  for (int n = 0; n < 2; ++n) {  // by its share alone it would get one of the two
    auto critical = waiting_pod("a", "critical" + std::to_string(n), 1000, 100);
    critical.priority = kubernetes::kSystemCritical;
    followed.server.put_pod(critical);
    followed.server.put_pod(waiting_pod("b", "common" + std::to_string(n), 1000, 100));
  }
  followed.server.list(followed.scheduler, at(0));
  followed.follow();
  const live::Answer outcome = ask(followed.mirror, live::Ask::what_if, {}, {},
                                   {{"changes", live::Json::parse(R"([{"mechanism":"tsf"}])")}});
  ASSERT_EQ(outcome.status, 200) << outcome.body.dump();
  EXPECT_EQ(outcome.body["queues"][0]["running"][1], 2) << outcome.body.dump();
}

TEST(Mirror, PodsOfAGangThatStartTogetherAreOneJobWhichEachOfThemNames) {
  Followed followed;
  followed.server.put_node(node_row("n", 3000, 4000));
  for (int n = 0; n < 4; ++n) {
    auto pod = waiting_pod("ml", "p" + std::to_string(n), 1000, 100);
    pod.gang = "train";
    pod.gang_size = 4;
    followed.server.put_pod(pod);
  }
  followed.server.list(followed.scheduler, at(0));
  followed.work();
  followed.follow();
  EXPECT_EQ(followed.mirror.job_called("ml", "p2"), "gang:train");
  const live::Answer job = ask(followed.mirror, live::Ask::job, "ml", "gang:train");
  EXPECT_EQ(job.body["waiting"], 4);
  EXPECT_EQ(job.body["gang"], 4);
  const live::Answer why = ask(followed.mirror, live::Ask::explain, "ml", "gang:train");
  EXPECT_EQ(why.body["gang"]["together"], 4) << why.body.dump();
  EXPECT_EQ(why.body["gang"]["room"], 3);
}

TEST(Mirror, TeamsAreGroups) {
  kubernetes::SchedulerOptions options = kubernetes::testing::options();
  options.policy.teams.label = "team";
  Followed followed{.scheduler = *kubernetes::Scheduler::from(std::move(options))};
  followed.server.put_node(node_row("n", 3000, 4000));
  followed.server.put_space({.name = "a", .team = "research"});
  followed.server.put_pod(waiting_pod("a", "p", 1000, 100));
  followed.server.put_pod(waiting_pod("b", "p", 1000, 100));
  followed.server.list(followed.scheduler, at(0));
  followed.work();
  followed.follow();
  EXPECT_EQ(ask(followed.mirror, live::Ask::queue, {}, "a").body["group"], "research");
  EXPECT_FALSE(ask(followed.mirror, live::Ask::queue, {}, "b").body.contains("group"));
  EXPECT_EQ(ask(followed.mirror, live::Ask::group, {}, "research").body["used"]["cpu"], "1");
}

TEST(Mirror, TheFairShareOfAPodCountsOnlyTheNodesThatItMayUse) {
  Followed followed;
  auto tainted = node_row("tainted", 4000, 4000);
  tainted.taints = {{.key = "t", .effect = "NoSchedule"}};
  followed.server.put_node(tainted);
  followed.server.put_node(node_row("open", 4000, 4000));
  for (int n = 0; n < 8; ++n) followed.server.put_pod(waiting_pod("a", "p" + std::to_string(n), 1000, 100));
  followed.server.list(followed.scheduler, at(0));
  followed.follow();  // nothing is decided yet: all wait
  const live::Answer shares = ask(followed.mirror, live::Ask::shares);
  ASSERT_EQ(shares.status, 200) << shares.body.dump();
  EXPECT_NEAR(shares.body["mechanisms"][0]["queues"][0]["fair_share"].get<double>(), 0.5, 1e-6);
}

TEST(Mirror, APodThatRunsCountsOnlyOnNodesThatItMayUseToo) {
  Followed followed;
  auto tainted = node_row("tainted", 4000, 4000);
  tainted.taints = {{.key = "t", .effect = "NoSchedule"}};
  followed.server.put_node(tainted);
  followed.server.put_node(node_row("open", 4000, 4000));
  const auto wait = [&](const std::string& space, int count) {
    for (int n = 0; n < count; ++n)
      followed.server.put_pod(waiting_pod(space, "p" + std::to_string(n), 1000, 100));
  };
  wait("a", 3);
  followed.server.list(followed.scheduler, at(0));
  for (int round = 0; round < 5; ++round) followed.work();
  wait("a", 6);
  wait("b", 4);
  for (int round = 0; round < 5; ++round) followed.work();
  followed.follow();
  const live::Answer shares = ask(followed.mirror, live::Ask::shares);
  ASSERT_EQ(shares.status, 200) << shares.body.dump();
  const live::Json& queues = shares.body["mechanisms"][0]["queues"];
  EXPECT_EQ(queues[0]["running"], 3) << queues;
  EXPECT_EQ(queues[1]["running"], 1) << queues;
  for (const int queue : {0, 1}) EXPECT_NEAR(queues[queue]["fair_share"].get<double>(), 0.25, 1e-6) << queues;
}

TEST(Mirror, ATeamWithoutPodsTakesNoFairSharesAway) {
  const std::string file = ::testing::TempDir() + "mirror-teams.yaml";
  std::ofstream(file) << "groups:\n  - {name: busy, namespaces: [a]}\n  - {name: idle, namespaces: [b]}\n";
  kubernetes::SchedulerOptions given = kubernetes::testing::options();
  given.policy.teams.file = *LiveTeams::read(file, "namespaces");
  Followed followed{.scheduler = *kubernetes::Scheduler::from(given)};
  followed.server.put_node(node_row("n", 4000, 4000));
  followed.server.put_pod(waiting_pod("a", "p", 1000, 100));
  followed.server.list(followed.scheduler, at(0));
  followed.work();
  followed.follow();
  ASSERT_TRUE(followed.mirror.state().groups.contains("idle"));
  const live::Answer shares = ask(followed.mirror, live::Ask::shares);
  ASSERT_EQ(shares.status, 200) << shares.body.dump();
  EXPECT_NEAR(shares.body["mechanisms"][0]["queues"][0]["fair_share"].get<double>(), 0.25, 1e-6);
}

TEST(Mirror, MemoryIsCountedInBytes) {
  Followed followed;
  followed.server.put_node(node_row("n", 4000, std::int64_t{1} << 32));
  for (const char* name : {"p", "q"})
    followed.server.put_pod(waiting_pod("a", name, 1000, std::int64_t{3} << 30));
  followed.server.list(followed.scheduler, at(0));
  for (int round = 0; round < 3; ++round) followed.work();
  followed.follow();
  const live::Answer why = ask(followed.mirror, live::Ask::explain, "a", "q");
  EXPECT_NE(why.body.dump().find("3Gi memory"), std::string::npos) << why.body;
}

TEST(Mirror, WhatKeepsAPodOffANodeIsNamed) {
  Followed followed;
  auto gpus = node_row("gpus", 4000, 4000);
  gpus.allocatable["example.com/gpu"] = 4;
  gpus.taints = {{.key = "dedicated", .value = "gpu", .effect = "NoSchedule"}};
  followed.server.put_node(gpus);
  followed.server.put_node(node_row("open", 4000, 4000));
  auto pod = waiting_pod("ml", "gpu-0", 1000, 100);
  pod.requests["example.com/gpu"] = 1;
  followed.server.put_pod(pod);
  auto chooses = waiting_pod("ml", "chooses", 1000, 100);
  chooses.rule.selector = {{"pool", "a"}};
  chooses.rule.tolerations = {
      {.key = "dedicated", .op = Toleration::Operator::exists, .value = "", .effect = ""}};
  followed.server.put_pod(chooses);
  followed.server.list(followed.scheduler, at(0));
  followed.work();
  followed.follow();
  EXPECT_EQ(followed.mirror.wishes_of("ml", "gpu-0"), "tolerates no taints");
  EXPECT_EQ(followed.mirror.objection("ml", "gpu-0", "gpus"),
            "the node has the taint dedicated=gpu:NoSchedule, which the pod does not tolerate");
  EXPECT_EQ(followed.mirror.objection("ml", "gpu-0", "open"), "");
  EXPECT_EQ(followed.mirror.wishes_of("ml", "chooses"), "node selector pool=a; tolerates dedicated");
  EXPECT_EQ(followed.mirror.objection("ml", "chooses", "gpus"),
            "the node has no label pool, and the pod's node selector asks for pool=a");
  EXPECT_EQ(followed.mirror.objection("ml", "none", "gpus"), "");
  EXPECT_EQ(followed.mirror.objection("ml", "gpu-0", "none"), "");
  // A node that is small, and one that is large enough: the verdict names both ways out.
  const live::Json why = ask(followed.mirror, live::Ask::explain, "ml", "gpu-0").body;
  EXPECT_EQ(why["verdict"], "too-small") << why.dump();
  EXPECT_EQ(
      why["says"],
      "a task is larger than the one server it may use, most for lack of example.com/gpu; 1 server is large "
      "enough, but its wishes exclude it");
  EXPECT_EQ(why["next_step"], "a toleration, or another node selector or affinity, or a smaller task");
  // Another rule, another answer.
  pod.rule.tolerations = {{.key = "", .op = Toleration::Operator::exists, .value = "", .effect = ""}};
  pod.requests["cpu"] = 5000;
  followed.server.delete_pod(std::string(pod.uid));
  pod.uid += "-again";
  followed.server.put_pod(pod);
  followed.work();
  followed.follow();
  EXPECT_EQ(followed.mirror.wishes_of("ml", "gpu-0"), "tolerates all taints");
  EXPECT_EQ(followed.mirror.objection("ml", "gpu-0", "gpus"), "");
}

TEST(Mirror, RulesThatNoPodNeedsAreForgotten) {
  Followed followed;
  followed.server.put_node(node_row("n", 1000, 4000));
  followed.server.list(followed.scheduler, at(0));
  for (int n = 0; n < 300; ++n) {
    auto pod = waiting_pod("a", "p" + std::to_string(n), 1000, 100);
    pod.rule.selector = {{"pool", std::to_string(n)}};
    followed.server.put_pod(pod);
    followed.work();
    followed.follow();
    EXPECT_EQ(followed.mirror.wishes_of("a", pod.name),
              "node selector pool=" + std::to_string(n) + "; tolerates no taints");
    if (n > 10) followed.server.delete_pod("a-p" + std::to_string(n - 10) + "-0");
  }
  EXPECT_LE(followed.mirror.rule_count(), 64U);
  EXPECT_EQ(followed.mirror.wishes_of("a", "p0"), "node selector pool=0; tolerates no taints");
}

TEST(Mirror, AnotherMechanismOnTrialKeepsPodsOffTheNodesThatTheyMayNotUse) {
  Followed followed;
  auto tainted = node_row("tainted", 4000, 4000);
  tainted.taints = {{.key = "t", .effect = "NoSchedule"}};
  followed.server.put_node(tainted);
  followed.server.put_node(node_row("open", 1000, 4000));
  for (int n = 0; n < 2; ++n) followed.server.put_pod(waiting_pod("a", "p" + std::to_string(n), 1000, 100));
  followed.server.list(followed.scheduler, at(0));
  followed.follow();
  for (const char* const changes :
       {R"([])", R"([{"mechanism":"tsf"}])", R"([{"add_servers":{"like":"open","count":1}}])"}) {
    const live::Answer outcome =
        ask(followed.mirror, live::Ask::what_if, {}, {}, {{"changes", live::Json::parse(changes)}});
    ASSERT_EQ(outcome.status, 200) << outcome.body.dump();
    const bool is_larger = std::string(changes).find("add") != std::string::npos;
    EXPECT_EQ(outcome.body["queues"][0]["running"][1], is_larger ? 2 : 1) << changes;
    EXPECT_EQ(outcome.body["invariant"], "ok");
  }
}

}  // namespace
}  // namespace mirab::kube
