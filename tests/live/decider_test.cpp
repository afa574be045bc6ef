// What commands do: names that make everything repeatable, conditions, limits, attempts, quotas, policies.
#include <gmock/gmock.h>

#include "cluster.hpp"

namespace mirab::live {
namespace {

using testing::ElementsAre;

constexpr std::string_view kJob = R"({"tasks":2,"demand":{"cpu":1,"memory":"1Gi"}})";

std::vector<std::string> tasks_on(const LiveCluster& cluster, const std::string& server) {
  std::vector<std::string> tasks;
  const Answer answer = cluster.get({.what = Ask::assignments, .name = server}, executor(server));
  for (const Json& each : answer.body.at("run")) tasks.push_back(each.at("task"));
  return tasks;
}

TEST(LiveDecider, TheSameJobAgainGivesTheFirstAnswer) {
  LiveCluster cluster = small_cluster();
  const Answer first = cluster.submit("ml", "train", kJob);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(first.body.at("uid"), "j-" + std::to_string(first.revision));
  const Answer again = cluster.submit("ml", "train", R"({"demand":{"memory":"1024Mi","cpu":"1"},"tasks":2})");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body.at("replayed"), true);
  EXPECT_EQ(again.body.at("uid"), first.body.at("uid"));
  EXPECT_EQ(again.body.at("running"), 2);
  const Answer other = cluster.submit("ml", "train", R"({"tasks":3,"demand":{"cpu":1,"memory":"2Gi"}})");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.body.at("type"), "/problems/name-taken");
  EXPECT_EQ(other.body.at("differs"), (Json{"demand", "tasks"}));
}

TEST(LiveDecider, OneThatIsOnItsWayIsAnsweredAsTheFirst) {
  Decider decider = *Decider::from(settings());
  const Units units = settings().units;
  const auto send = [&](Do what, Target target, std::string_view body) {
    return decider.apply(
        std::get<Command>(parse_command(admin(), what, std::move(target), parse(body), units)), {}, {});
  };
  send(Do::tenant_put, {.name = "t"}, "{}");
  send(Do::queue_put, {.name = "q"}, R"({"tenant":"t"})");
  const Answer first = send(Do::job_put, {.name = "j", .queue = "q"}, kJob);
  const Answer second = send(Do::job_put, {.name = "j", .queue = "q"}, kJob);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(second.status, 201);
  EXPECT_EQ(second.body.at("uid"), first.body.at("uid"));
  decider.committed(decider.take_batch().last);
  EXPECT_EQ(send(Do::job_put, {.name = "j", .queue = "q"}, kJob).status, 200);
}

TEST(LiveDecider, ConditionsGuardAChange) {
  LiveCluster cluster = small_cluster();
  const Json body = parse(R"({"tenant":"vision","weight":2})");
  const std::string tag = cluster.get({.what = Ask::queue, .name = "ml"}).etag;
  EXPECT_EQ(cluster.send(admin(), Do::queue_put, {.name = "ml"}, body, {.if_match = "\"r1\""}).status, 412);
  EXPECT_EQ(cluster.send(admin(), Do::queue_put, {.name = "ml"}, body, {.if_none_match_any = true}).status,
            412);
  EXPECT_EQ(cluster.send(admin(), Do::queue_put, {.name = "ml"}, body, {.if_match = tag}).status, 200);
  EXPECT_EQ(cluster.send(admin(), Do::queue_put, {.name = "ml"}, body, {.if_match = tag}).status, 412);
  EXPECT_EQ(cluster.send(admin(), Do::queue_put, {.name = "no"}, body, {.if_match = "*"}).status, 412);
  EXPECT_EQ(cluster.send(admin(), Do::queue_put, {.name = "new"}, body, {.if_none_match_any = true}).status,
            201);
}

TEST(LiveDecider, ANewThingLooksLikeItsNameAndAnOldOneStays) {
  LiveCluster cluster = small_cluster();
  const Json queue = parse(R"({"tenant":"vision"})");
  const Json job = parse(R"({"demand":{"cpu":1}})");
  for (const std::string name : {" ", "ml ", " ml", "\u00a0", "ml\u200b", "a\u202eb", "a\u2066b", "a\u200fb",
                                 "a\u2028b", "a\u2029b"}) {
    EXPECT_EQ(cluster.send(admin(), Do::queue_put, {.name = name}, queue).status, 400) << name;
    EXPECT_EQ(cluster.send(admin(), Do::job_put, {.name = name, .queue = "ml"}, job).status, 400) << name;
    // A log of an earlier version has it.
    auto command = parse_command(admin(), Do::queue_put, {.name = name}, queue, cluster.units);
    std::get<Command>(command).by_service = true;
    EXPECT_EQ(cluster.decider.apply(std::get<Command>(command), cluster.now, cluster.wall).status, 201);
    cluster.settle();
    EXPECT_EQ(cluster.send(admin(), Do::queue_put, {.name = name}, queue).status, 200) << name;
    EXPECT_EQ(cluster.send(admin(), Do::job_put, {.name = "j", .queue = name}, job).status, 201) << name;
    EXPECT_EQ(cluster.send(admin(), Do::job_cancel, {.name = "j", .queue = name}, {}).status, 200) << name;
  }
  for (const std::string name : {"a b", "\u05d0\u05d1", "\u65e5\u672c", "a\u200db", "=1+1"})
    EXPECT_EQ(cluster.send(admin(), Do::queue_put, {.name = name}, queue).status, 201) << name;
  EXPECT_EQ(cluster.submit("ml", "roles", R"({"roles":[{"name":"a ","demand":{"cpu":1}}]})").status, 400);
}

TEST(LiveDecider, NothingThatIsInUseGoes) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::group_put, "g", "{}");
  cluster.put(Do::queue_put, "ml", R"({"tenant":"vision","group":"g"})");
  cluster.submit("ml", "train", R"({"tasks":8,"demand":{"cpu":1}})");
  const auto type = [&](Do what, const std::string& name) {
    const Answer answer = cluster.send(admin(), what, {.name = name});
    return answer.status == 409 ? answer.body.at("type").get<std::string>() : std::to_string(answer.status);
  };
  EXPECT_EQ(type(Do::tenant_delete, "vision"), "/problems/in-use");
  EXPECT_EQ(type(Do::group_delete, "g"), "/problems/in-use");
  EXPECT_EQ(type(Do::queue_delete, "ml"), "/problems/in-use");
  EXPECT_EQ(type(Do::server_delete, "n1"), "/problems/in-use");
  EXPECT_EQ(cluster.put(Do::server_put, "n1", R"({"capacity":{"cpu":1,"memory":"8Gi"}})").body.at("type"),
            "/problems/below-use");
  EXPECT_EQ(cluster.send(admin(), Do::job_cancel, {.name = "train", .queue = "ml"}).status, 200);
  EXPECT_EQ(type(Do::queue_delete, "ml"), "200");
  EXPECT_EQ(type(Do::group_delete, "g"), "200");
  EXPECT_EQ(type(Do::tenant_delete, "vision"), "200");
  EXPECT_EQ(type(Do::server_delete, "n1"), "200");
  EXPECT_EQ(type(Do::server_delete, "n1"), "404");
}

TEST(LiveDecider, LimitsHoldForATenantAndNotForAdmins) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::tenant_put, "vision", R"({"limits":{"queued_jobs":2,"waiting_tasks":5}})");
  const auto submit = [&](const Caller& caller, const std::string& name, const std::string& body) {
    const Answer answer = cluster.send(caller, Do::job_put, {.name = name, .queue = "ml"}, parse(body));
    return answer.status == 429 ? answer.body.at("type").get<std::string>() : std::to_string(answer.status);
  };
  const std::string large = R"({"tasks":4,"demand":{"cpu":100}})";
  EXPECT_EQ(submit(member("vision"), "a", large), "201");
  EXPECT_EQ(submit(member("vision"), "b", R"({"tasks":2,"demand":{"cpu":100}})"),
            "/problems/too-many-waiting");
  // It waits in vain for others to start.
  EXPECT_EQ(submit(member("vision"), "b", R"({"tasks":6,"demand":{"cpu":100}})"), "422");
  EXPECT_EQ(submit(admin(), "b", large), "201");
  EXPECT_EQ(submit(member("vision"), "c", R"({"demand":{"cpu":1}})"), "/problems/too-many-jobs");
  EXPECT_EQ(submit(member("vision"), "a", large), "200");  // it is there already
  EXPECT_EQ(submit(member("other"), "d", large), "404");
  EXPECT_EQ(cluster.submit("ml", "d", large).body.at("note"), "no present server can hold a task");
}

TEST(LiveDecider, AFailedTaskIsTriedAsOftenAsTheJobSays) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", R"({"demand":{"gpu":1},"attempts":2})");
  const auto report = [&](const std::string& task, std::string_view body, const std::string& server = "n2") {
    return cluster.send(executor(server), Do::outcome_put, {.name = task}, parse(body));
  };
  const auto first = tasks_on(cluster, "n2");
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(report(first[0], R"({"outcome":"failed"})", "n1").status, 404);  // not its server
  EXPECT_EQ(report("t-99", R"({"outcome":"failed"})").status, 404);
  EXPECT_EQ(report(first[0], R"({"outcome":"failed","attempt":2})").body.at("ignored"), "superseded");
  EXPECT_EQ(report(first[0], R"({"outcome":"failed","exit_code":3})").status, 200);
  EXPECT_EQ(report(first[0], R"({"outcome":"failed"})").body.at("replayed"), true);
  EXPECT_EQ(report(first[0], R"({"outcome":"succeeded"})").body.at("ignored"), "superseded");
  const auto second = tasks_on(cluster, "n2");
  ASSERT_EQ(second.size(), 1U);
  EXPECT_NE(second, first);
  EXPECT_EQ(cluster.get({.what = Ask::task, .name = second[0]}).body.at("attempt"), 2);
  report(second[0], R"({"outcome":"failed"})");
  EXPECT_EQ(cluster.job("ml", "j").at("state"), "failed");
  EXPECT_EQ(cluster.job("ml", "j").at("failed"), 1);
}

TEST(LiveDecider, LostAndPreemptedTasksDoNotCountAsFailures) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", R"({"demand":{"gpu":1},"attempts":1})");
  const auto first = tasks_on(cluster, "n2");
  EXPECT_EQ(cluster.by_service(Do::server_lost, "n2").status, 200);
  EXPECT_EQ(cluster.job("ml", "j").at("state"), "waiting");
  EXPECT_EQ(cluster.get({.what = Ask::server, .name = "n2"}).body.at("state"), "lost");
  cluster.send(executor("n2"), Do::server_put, {.name = "n2"},
               parse(R"({"capacity":{"cpu":4,"memory":"8Gi","gpu":1}})"));
  const Json wanted = cluster.get({.what = Ask::assignments, .name = "n2"}, executor("n2")).body;
  ASSERT_EQ(wanted.at("run").size(), 1U);
  EXPECT_EQ(wanted.at("run")[0].at("attempt"), 2);
  EXPECT_EQ(wanted.at("stop")[0].at("task"), first[0]);
  EXPECT_EQ(wanted.at("run")[0].at("after"), Json::array({first[0]}));  // it holds the only gpu
  cluster.send(executor("n2"), Do::outcome_put, {.name = first[0]}, parse(R"({"outcome":"cancelled"})"));
  const Json later = cluster.get({.what = Ask::assignments, .name = "n2"}, executor("n2")).body;
  EXPECT_TRUE(later.at("stop").empty());
  EXPECT_FALSE(later.at("run")[0].contains("after"));
}

TEST(LiveDecider, ATaskIsPlacedUntilItsExecutorSaysThatItRuns) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", R"({"demand":{"cpu":1},"attempts":2})");
  const auto state = [&] { return cluster.get({.what = Ask::task, .name = "t-0"}).body.value("state", ""); };
  const std::string server = cluster.get({.what = Ask::task, .name = "t-0"}).body["server"];
  const auto say = [&](const std::string& outcome, int attempt = 1) {
    return cluster.send(executor(server), Do::outcome_put, {.name = "t-0"},
                        Json{{"outcome", outcome}, {"attempt", attempt}});
  };
  EXPECT_EQ(state(), "placed");
  EXPECT_EQ(say("running", 7).body.value("ignored", ""), "superseded");
  EXPECT_EQ(state(), "placed");
  EXPECT_EQ(say("running").body.value("state", ""), "running");
  const Revision revision = cluster.decider.revision();
  EXPECT_EQ(say("running").body.value("replayed", false), true);
  EXPECT_EQ(cluster.decider.revision(), revision);
  EXPECT_EQ(Decider::restore(cluster.decider.snapshot())->snapshot(), cluster.decider.snapshot());
  EXPECT_EQ(cluster.get({.what = Ask::tasks, .given = {{"state", "running"}}}).body["items"].size(), 1U);
  EXPECT_EQ(say("failed").status, 200);
  EXPECT_EQ(say("running").body.value("ignored", ""), "superseded");
  EXPECT_EQ(cluster.get({.what = Ask::tasks, .given = {{"state", "running"}}}).body["items"].size(), 0U);
  EXPECT_EQ(cluster.job("ml", "j")["running"], 1);  // the second attempt, which is placed
}

TEST(LiveDecider, ASilentServerTakesNothingNew) {
  LiveCluster cluster = small_cluster();
  cluster.by_service(Do::server_silent, "n2");
  cluster.submit("ml", "j", R"({"demand":{"gpu":1}})");
  EXPECT_EQ(cluster.job("ml", "j").at("state"), "waiting");
  cluster.by_service(Do::server_back, "n2");
  EXPECT_EQ(cluster.job("ml", "j").at("state"), "running");
}

TEST(LiveDecider, AnExecutorThatStartsAgainReopensNothing) {
  LiveCluster cluster = small_cluster();
  const std::string body = R"({"capacity":{"cpu":4,"memory":"8Gi"},"labels":{"zone":"a"}})";
  cluster.put(Do::server_put, "n1", R"({"capacity":{"cpu":4,"memory":"8Gi"},"state":"drained"})");
  EXPECT_EQ(cluster.send(executor("n1"), Do::server_put, {.name = "n1"}, parse(body)).status, 200);
  EXPECT_EQ(cluster.get({.what = Ask::server, .name = "n1"}).body.at("state"), "drained");
  EXPECT_EQ(cluster
                .send(executor("n1"), Do::server_put, {.name = "n1"},
                      parse(R"({"capacity":{"cpu":4},"state":"open"})"))
                .status,
            403);
  EXPECT_EQ(cluster.send(executor("n1"), Do::server_put, {.name = "n2"}, parse(body)).status, 404);
}

TEST(LiveDecider, AnEndedJobKeepsItsNameForAWhile) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", kJob);
  cluster.send(admin(), Do::job_cancel, {.name = "j", .queue = "ml"});
  EXPECT_EQ(cluster.send(admin(), Do::job_cancel, {.name = "j", .queue = "ml"}).status, 200);
  EXPECT_EQ(cluster.submit("ml", "j", R"({"demand":{"cpu":2}})").status, 409);
  cluster.now += std::chrono::hours(24 * 7);
  EXPECT_EQ(cluster.submit("ml", "j", R"({"demand":{"cpu":2}})").status, 201);
}

TEST(LiveDecider, QuotasAreKeptOrRefusedAsAWhole) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::group_put, "a", R"({"guarantee":{"gpu":1},"limit":{"gpu":1}})");
  EXPECT_EQ(
      cluster.put(Do::queue_put, "ml", R"({"tenant":"vision","group":"a","guarantee":{"gpu":2}})").status,
      422);
  EXPECT_EQ(cluster.get({.what = Ask::queue, .name = "ml"}).body.contains("group"), false);
  EXPECT_EQ(
      cluster.put(Do::queue_put, "ml", R"({"tenant":"vision","group":"a","guarantee":{"gpu":1}})").status,
      200);
  EXPECT_EQ(cluster.put(Do::queue_put, "q", R"({"tenant":"nobody"})").body.at("key"), "/tenant");
  EXPECT_EQ(cluster.put(Do::queue_put, "q", R"({"tenant":"vision","group":"b"})").body.at("key"), "/group");
  cluster.submit("ml", "j", R"({"tasks":2,"demand":{"gpu":1}})");
  const Json why = cluster.get({.what = Ask::explain, .name = "j", .queue = "ml"}).body;
  EXPECT_EQ(why.at("verdict"), "limit") << why;
}

TEST(LiveDecider, AnotherPolicyKeepsWhatRuns) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", R"({"tasks":20,"demand":{"cpu":1}})");
  const auto before = tasks_on(cluster, "n1");
  ASSERT_EQ(before.size(), 4U);
  EXPECT_EQ(cluster.put(Do::policy_put, "", R"({"discipline":"tsf","placement":"first-fit"})").status, 200);
  EXPECT_THAT(tasks_on(cluster, "n1"), testing::ContainerEq(before));
  EXPECT_EQ(
      cluster.send(executor("n1"), Do::outcome_put, {.name = before[0]}, parse(R"({"outcome":"succeeded"})"))
          .status,
      200);
  const auto after = tasks_on(cluster, "n1");
  ASSERT_EQ(after.size(), 4U);
  EXPECT_EQ(after.back().substr(0, 3), "t1-");  // of the new engine
  EXPECT_EQ(cluster.job("ml", "j").at("succeeded"), 1);
}

TEST(LiveDecider, AQueueWhoseGuaranteeItsGroupReservesStays) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::group_put, "g", "{}");
  cluster.put(Do::queue_put, "web", R"({"tenant":"vision","group":"g","guarantee":{"cpu":5}})");
  ASSERT_EQ(cluster.put(Do::group_put, "g", R"({"reserved":{"cpu":5}})").status, 200);
  const Answer kept = cluster.send(admin(), Do::queue_delete, {.name = "web"});
  EXPECT_EQ(kept.status, 409) << kept.body;
  EXPECT_EQ(kept.body.at("type"), "/problems/in-use");
  ASSERT_EQ(cluster.put(Do::group_put, "g", "{}").status, 200);
  EXPECT_EQ(cluster.send(admin(), Do::queue_delete, {.name = "web"}).status, 200);
}

TEST(LiveDecider, FairSharesAreThereWhileAMemberWhoseGuaranteeIsReservedIsIdle) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::group_put, "p", "{}");
  cluster.put(Do::group_put, "idle", R"({"parent":"p","guarantee":{"cpu":2}})");
  cluster.put(Do::queue_put, "web", R"({"tenant":"vision","group":"p","guarantee":{"cpu":2}})");
  ASSERT_EQ(cluster.put(Do::group_put, "p", R"({"reserved":{"cpu":4}})").status, 200);
  cluster.submit("web", "j", R"({"tasks":8,"demand":{"cpu":1}})");
  const Answer shares = cluster.get({.what = Ask::shares});
  EXPECT_EQ(shares.status, 200) << shares.body;
  EXPECT_EQ(shares.body.at("mechanisms").size(), 1U) << shares.body;
}

TEST(LiveDecider, AJobThatNoServerHoldsIsNamedWhereNoOtherIsThere) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "large", R"({"demand":{"cpu":5}})");
  const Json shares = cluster.get({.what = Ask::shares}).body;
  EXPECT_EQ(shares.at("left_out"), Json::array({"ml/large"})) << shares;
}

TEST(LiveDecider, AnotherPolicyKeepsWhatAGroupReservesOfItsMembersGuarantees) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::group_put, "p", "{}");
  cluster.put(Do::group_put, "c", R"({"parent":"p","guarantee":{"cpu":5}})");
  ASSERT_EQ(cluster.put(Do::group_put, "p", R"({"reserved":{"cpu":5}})").status, 200);
  const Answer answer = cluster.put(Do::policy_put, "", R"({"discipline":"tsf","placement":"first-fit"})");
  EXPECT_EQ(answer.status, 200) << answer.body;
}

TEST(LiveDecider, TheLogAloneGivesTheStateAgain) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", kJob);
  cluster.put(Do::token_put, "k", R"({"scopes":["admin"]})");
  Decider again = *Decider::from(settings());
  for (const Batch& batch : cluster.log) {
    const Check bad = again.replay(batch);
    ASSERT_FALSE(bad) << describe(*bad);
  }
  EXPECT_EQ(again.snapshot(), cluster.decider.snapshot());
  EXPECT_EQ(Decider::restore(again.snapshot())->snapshot(), again.snapshot());
}

/// Tasks by server, with their jobs.
Json placements(const Reader& reader) {
  Json placed = Json::object();
  const Json tasks = reader.get({.what = Ask::tasks, .given = {{"limit", "1000"}}}, admin()).body["items"];
  for (const Json& task : tasks)
    placed[task["task"].get<std::string>()] = {task["job"], task["server"], task["state"],
                                               task.value("role", "")};
  return placed;
}

TEST(LiveDecider, WhatAnotherVersionDecidedIsTakenOverAsLogged) {
  Settings with = settings("drf", "best-fit");
  with.options.preemption = scheduling::Preempting{.tasks = 10, .per = std::chrono::seconds(10)};
  LiveCluster cluster = small_cluster(with);
  cluster.put(Do::tenant_put, "speech", "{}");
  cluster.put(Do::queue_put, "asr", R"({"tenant":"speech","guarantee":{"cpu":4}})");
  cluster.submit("ml", "j", R"({"tasks":3,"demand":{"cpu":2},"attempts":2})");
  cluster.submit("ml", "g",
                 R"({"roles":[{"name":"a","demand":{"cpu":1}},{"name":"b","demand":{"cpu":"900m"}}]})");
  cluster.send(admin(), Do::outcome_put, {.name = "t-0"}, parse(R"({"outcome":"failed"})"));
  cluster.submit("asr", "k", R"({"tasks":2,"demand":{"cpu":2}})");
  for (int n = 0; n < 5; ++n) {
    cluster.now += std::chrono::minutes(1);
    cluster.decider.decide(100, cluster.now, cluster.wall);
    cluster.settle();
  }
  ASSERT_GT(placements(cluster.reader).size(), 4U);
  // One that decides otherwise stands for another version.
  Settings other = settings("asset", "worst-fit");
  other.options.preemption = with.options.preemption;
  Decider decider = *Decider::from(other);
  Reader reader = *Reader::from(other);
  Decider strict = *Decider::from(other);
  bool differs = false;
  for (const Batch& batch : cluster.log) {
    const Check bad = decider.replay(batch, Replay::as_logged);
    ASSERT_FALSE(bad) << describe(*bad);
    ASSERT_TRUE(reader.apply(batch, Replay::as_logged));
    differs = differs || strict.replay(batch);
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(placements(reader), placements(cluster.reader));
  EXPECT_EQ(decider.snapshot(), reader.snapshot());
  EXPECT_EQ(decider.broken_invariant(), "");
  EXPECT_EQ(decider.hash(), cluster.decider.hash());
}

TEST(LiveDecider, ALogThatWasChangedIsRefused) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", kJob);
  const auto first_error = [&](auto change) {
    std::vector<Batch> log = cluster.log;
    change(log);
    Decider again = *Decider::from(settings());
    for (const Batch& batch : log) {
      if (const Check bad = again.replay(batch)) return describe(*bad);
    }
    return std::string("none");
  };
  EXPECT_EQ(first_error([](auto&) {}), "none");
  EXPECT_THAT(first_error([](auto& log) { log[1].body[10] ^= 1; }), testing::HasSubstr("hash"));
  EXPECT_THAT(first_error([](auto& log) { log.erase(log.begin() + 1); }), testing::HasSubstr("hash"));
  // A change with new hashes shows in the outcomes.
  EXPECT_THAT(first_error([](auto& log) {
                std::string& body = log.back().body;
                std::size_t at = body.find("\"server\":");  // of the engine, a number
                while (at != std::string::npos && body[at + 9] == '"') at = body.find("\"server\":", at + 1);
                ASSERT_NE(at, std::string::npos);
                body[at + 9] = '7';
                log.back().hash.clear();
              }),
              testing::HasSubstr("gives another result"));
}

TEST(LiveDecider, DamagedSnapshotsAreRefused) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", kJob);
  const std::string bytes = cluster.decider.snapshot();
  EXPECT_FALSE(Decider::restore(""));
  EXPECT_FALSE(Decider::restore("x"));
  for (std::size_t cut = 1; cut < bytes.size(); cut += 97)
    EXPECT_FALSE(Decider::restore(bytes.substr(0, cut)));
}

}  // namespace
}  // namespace mirab::live
