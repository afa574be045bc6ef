// Jobs with roles: gangs of several demands, as the API takes them.
#include <gmock/gmock.h>

#include "cluster.hpp"

namespace mirab::live {
namespace {

constexpr const char* kTraining =
    R"({"roles":[{"name":"launcher","demand":{"cpu":"500m"}},{"name":"worker","tasks":2,"demand":{"cpu":1,"gpu":1}}],
        "attempts":2})";

/// What the server is to run, by task: the role and the attempt.
std::map<std::string, std::pair<std::string, int>> wanted_on(const LiveCluster& cluster,
                                                             const std::string& server) {
  std::map<std::string, std::pair<std::string, int>> wanted;
  const Json run = cluster.get({.what = Ask::assignments, .name = server}, executor(server)).body["run"];
  for (const Json& task : run)
    wanted[task["task"].get<std::string>()] = {task["role"].get<std::string>(), task["attempt"].get<int>()};
  return wanted;
}

std::string task_of_role(const LiveCluster& cluster, const std::string& role) {
  for (const char* const server : {"n1", "n2"}) {
    for (const auto& [task, what] : wanted_on(cluster, server)) {
      if (what.first == role) return task;
    }
  }
  return "none";
}

Json ends(LiveCluster& cluster, const std::string& task, const std::string& outcome) {
  return cluster.send(admin(), Do::outcome_put, {.name = task}, {{"outcome", outcome}}).body;
}

TEST(LiveRoles, AJobIsShownAsItWasPutWithTheCountsOfEachRole) {
  LiveCluster cluster = small_cluster();
  const Answer put = cluster.submit("ml", "train", kTraining);
  ASSERT_EQ(put.status, 201) << put.body;
  const Json job = cluster.job("ml", "train");
  EXPECT_EQ(job["tasks"], 3);
  EXPECT_EQ(job["running"], 3);
  EXPECT_FALSE(job.contains("demand"));
  EXPECT_FALSE(job.contains("gang"));
  EXPECT_EQ(job["roles"][1], (Json{{"name", "worker"},
                                   {"tasks", 2},
                                   {"demand", {{"cpu", "1"}, {"memory", "0"}, {"gpu", "1"}}},
                                   {"demand_base", {{"cpu", 1000}, {"memory", 0}, {"gpu", 1}}},
                                   {"waiting", 0},
                                   {"running", 2}}));
  EXPECT_EQ(cluster.submit("ml", "train", kTraining).body["replayed"], true);
  const Answer other = cluster.submit("ml", "train", R"({"demand":{"cpu":1}})");
  EXPECT_EQ(other.body["type"], "/problems/name-taken");
  EXPECT_THAT(other.body["differs"], testing::Contains("roles"));
}

TEST(LiveRoles, AllTasksStartTogetherOrNone) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "other", R"({"demand":{"gpu":1}})");
  cluster.submit("ml", "train", kTraining);
  const Json job = cluster.job("ml", "train");
  EXPECT_EQ(job["running"], 0);
  EXPECT_EQ(job["roles"][0]["waiting"], 1);
  const Json why = cluster.get({.what = Ask::explain, .name = "train", .queue = "ml"}).body;
  EXPECT_EQ(why["gang"], (Json{{"together", 3},
                               {"room", 2},
                               {"roles",
                                {{{"role", "launcher"}, {"together", 1}, {"room", 1}},
                                 {{"role", "worker"}, {"together", 2}, {"room", 1}}}}}));
  EXPECT_EQ(why["next_step"],
            "more room, or a smaller gang, or reservations in the policy, which keep servers free for it")
      << why;
  ends(cluster, "t-0", "succeeded");
  EXPECT_EQ(cluster.job("ml", "train")["running"], 3);
}

TEST(LiveRoles, TheExecutorAndTheWatchersLearnTheRoleOfATask) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "train", kTraining);
  const std::string worker = task_of_role(cluster, "worker");
  EXPECT_EQ(cluster.get({.what = Ask::task, .name = worker}).body["role"], "worker");
  const Json run = cluster.get({.what = Ask::assignments, .name = "n2"}, executor("n2")).body["run"];
  for (const Json& task : run) EXPECT_EQ(task["demand"]["gpu"], task["role"] == "worker" ? "1" : "0") << task;
  ends(cluster, worker, "running");
  ends(cluster, worker, "failed");
  std::multiset<std::string> roles;
  for (const Change& change : cluster.changes) {
    for (const Event& event : change.events) {
      if (!event.task.empty()) roles.insert(event.kind + " " + event.role);
    }
  }
  EXPECT_THAT(
      roles, testing::UnorderedElementsAre("task-placed launcher", "task-placed worker", "task-placed worker",
                                           "task-started worker", "task-ended worker", "task-placed worker"));
}

TEST(LiveRoles, ATaskThatIsTriedAgainKeepsItsRoleAndItsAttempts) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "train", kTraining);
  ends(cluster, task_of_role(cluster, "worker"), "failed");
  cluster.put(Do::server_put, "n2", R"({"capacity":{"cpu":4,"memory":"8Gi","gpu":2},"state":"drained"})");
  cluster.by_service(Do::server_lost, "n1");  // with the launcher
  cluster.by_service(Do::server_lost, "n2");  // with both workers
  cluster.put(Do::server_put, "n3", R"({"capacity":{"cpu":4,"memory":"8Gi","gpu":2}})");
  std::multiset<std::pair<std::string, int>> attempts;
  for (const auto& [task, what] : wanted_on(cluster, "n3")) attempts.insert(what);
  const std::multiset<std::pair<std::string, int>> expected = {{"launcher", 2}, {"worker", 2}, {"worker", 3}};
  EXPECT_EQ(attempts, expected);
}

TEST(LiveRoles, AnotherPolicyKeepsTheRoles) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "train", kTraining);
  ends(cluster, task_of_role(cluster, "launcher"), "succeeded");
  EXPECT_EQ(cluster.put(Do::policy_put, "", R"({"discipline":"tsf","placement":"first-fit"})").status, 200);
  ends(cluster, task_of_role(cluster, "worker"), "failed");  // it starts again in the new engine
  EXPECT_EQ(cluster.job("ml", "train")["roles"][1]["running"], 2);
  for (const auto& [task, what] : wanted_on(cluster, "n2")) EXPECT_EQ(what.first, "worker");
  cluster.put(Do::policy_put, "", R"({"discipline":"drf","placement":"best-fit"})");
  for (int left = 2; left > 0; --left) ends(cluster, task_of_role(cluster, "worker"), "succeeded");
  EXPECT_EQ(cluster.job("ml", "train")["state"], "succeeded");
}

TEST(LiveRoles, WhatIsChargedIsTheDemandOfTheRole) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "train", kTraining);
  const auto charged = [&](const std::string& task) {
    const Json view = cluster.get({.what = Ask::task, .name = task}).body;
    ends(cluster, task, "succeeded");
    std::vector<double> sums(3, 0);
    for (const auto& [by, amounts] : cluster.log.back().uses) {
      for (std::size_t r = 0; r < 3; ++r) sums[r] += amounts[r];
    }
    return sums;
  };
  const std::vector<double> launcher = charged(task_of_role(cluster, "launcher"));
  EXPECT_GT(launcher[0], 0);
  EXPECT_EQ(launcher[2], 0);
  const std::vector<double> worker = charged(task_of_role(cluster, "worker"));
  EXPECT_GT(worker[2], 0);
  EXPECT_EQ(worker[0], 1000 * worker[2]);
}

TEST(LiveRoles, EachRoleCountsInTheFairShares) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "train", kTraining);
  const Json shares = cluster.get({.what = Ask::shares, .given = {{"mechanism", "drf"}}}).body;
  const Json& ml = shares["mechanisms"][0]["queues"][0];
  EXPECT_NEAR(ml["fair_tasks"].get<double>(), 3, 1e-9) << shares;
  EXPECT_NEAR(ml["fair_share"].get<double>(), 1, 1e-9);  // both GPUs
  cluster.submit("ml", "never", R"({"roles":[{"name":"a","demand":{"cpu":1}}],"select":{"zone":"c"}})");
  EXPECT_EQ(cluster.get({.what = Ask::shares}).body["left_out"], Json::array({"ml/never"}));
}

TEST(LiveRoles, AWhatIfSubmitsThem) {
  LiveCluster cluster = small_cluster();
  Json submit = parse(kTraining);
  submit["queue"] = "ml";
  const Json then = cluster
                        .get({.what = Ask::what_if,
                              .body = {{"changes", {{{"submit", submit}}}}, {"show", {"job:ml/what-if"}}}})
                        .body;
  EXPECT_EQ(then["jobs"][0]["running"], (Json{0, 3})) << then;
}

TEST(LiveRoles, AGangThatIsTooLargeForOneStepIsRefused) {
  LiveCluster cluster = small_cluster();
  const Json refused =
      cluster.submit("ml", "j", R"({"roles":[{"name":"a","tasks":100001,"demand":{"cpu":1}}]})").body;
  EXPECT_EQ(refused["type"], "/problems/never-fits");
  EXPECT_EQ(refused["key"], "/roles");
}

}  // namespace
}  // namespace mirab::live
