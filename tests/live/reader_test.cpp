// What callers get to see: lists, explanations, what-ifs, shares; and what tenants do not.
#include <gmock/gmock.h>

#include "cluster.hpp"

namespace mirab::live {
namespace {

Query explain(const std::string& queue, const std::string& name) {
  return {.what = Ask::explain, .name = name, .queue = queue};
}

TEST(LiveReader, AListIsReadPageByPage) {
  LiveCluster cluster = small_cluster();
  for (int i = 0; i < 25; ++i)
    cluster.submit("ml", "j" + std::to_string(i),
                   i % 2 == 0 ? R"({"demand":{"cpu":1},"labels":{"even":"yes"}})" : R"({"demand":{"cpu":1}})");
  std::vector<std::string> names;
  Query query{.what = Ask::jobs, .queue = "ml", .given = {{"limit", "4"}, {"label", "even=yes"}}};
  for (int pages = 0; pages < 10; ++pages) {
    const Json body = cluster.get(query).body;
    for (const Json& each : body.at("items")) names.push_back(each.at("name"));
    if (!body.contains("page")) break;
    query.given.erase("page");
    query.given.emplace("page", body.at("page"));
  }
  EXPECT_EQ(names.size(), 13U);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(cluster.get({.what = Ask::jobs, .queue = "ml", .given = {{"state", "running"}}}).body.at("items").size(), 8U);
  EXPECT_EQ(cluster.get({.what = Ask::tasks, .given = {{"server", "n1"}}}).body.at("items").size(), 4U);
  EXPECT_EQ(cluster.get({.what = Ask::jobs, .queue = "ml", .given = {{"limit", "0"}}}).body.at("key"), "/limit");
  EXPECT_EQ(cluster.get({.what = Ask::jobs, .queue = "ml", .given = {{"page", "x"}}}).body.at("key"), "/page");
  EXPECT_EQ(cluster.get({.what = Ask::jobs, .queue = "no"}).status, 404);
}

TEST(LiveReader, WhatWasPutIsWhatIsThere) {
  LiveCluster cluster = small_cluster();
  const Answer put = cluster.submit("ml", "j", R"({"demand":{"cpu":"1500m"},"tasks":100,"priority":2})");
  Json got = cluster.get({.what = Ask::job, .name = "j", .queue = "ml"}).body;
  EXPECT_EQ(got.at("demand"), (Json{{"cpu", "1.5"}, {"memory", "0"}, {"gpu", "0"}}));
  EXPECT_EQ(got.at("demand_base").at("cpu"), 1'500);
  for (const auto& [key, value] : put.body.items()) EXPECT_TRUE(got.contains(key)) << key;
  // An answer can be sent back.
  Json again;
  for (const char* const key : {"tasks", "demand", "gang", "select", "priority", "preemptible", "attempts", "labels", "spec"})
    again[key] = got.at(key);
  EXPECT_EQ(cluster.send(admin(), Do::job_put, {.name = "j", .queue = "ml"}, again).status, 200);
  const Answer tagged = cluster.get({.what = Ask::job, .name = "j", .queue = "ml"});
  EXPECT_EQ(cluster.get({.what = Ask::job, .name = "j", .queue = "ml", .if_none_match = tagged.etag}).status, 304);
}

TEST(LiveReader, AnExplanationHasOneVerdictAndOneStep) {
  LiveCluster cluster = small_cluster();
  const auto verdict = [&](const std::string& name, std::string_view body) {
    cluster.submit("ml", name, body);
    const Json why = cluster.get(explain("ml", name)).body;
    EXPECT_FALSE(why.at("says").get<std::string>().empty());
    EXPECT_FALSE(why.value("next_step", std::string("-")).empty()) << why;
    return why.at("verdict").get<std::string>();
  };
  EXPECT_EQ(verdict("big", R"({"demand":{"cpu":5}})"), "too-small");
  EXPECT_EQ(verdict("zone", R"({"demand":{"cpu":1},"select":{"zone":"c"}})"), "not-allowed");
  EXPECT_EQ(verdict("runs", R"({"demand":{"gpu":2,"cpu":4}})"), "nothing-waits");
  EXPECT_EQ(verdict("full", R"({"demand":{"gpu":1}})"), "no-room");
  const Json why = cluster.get(explain("ml", "full")).body;
  EXPECT_EQ(why.at("nearest_miss").at("to_free"), (Json{{"gpu", "1"}}));
  EXPECT_EQ(why.at("next_step"), "1 gpu freed on n2");
  EXPECT_EQ(verdict("gang", R"({"demand":{"cpu":1},"tasks":6,"gang":6})"), "no-room");
  EXPECT_EQ(cluster.get(explain("ml", "gang")).body.at("gang"), (Json{{"together", 6}, {"room", 4}}));
  Query on = explain("ml", "big");
  on.given.emplace("server", "n1");
  EXPECT_EQ(cluster.get(on).body.at("reason"), "too-small");
  on.given = {{"server", "no"}};
  EXPECT_EQ(cluster.get(on).status, 404);
}

TEST(LiveReader, AWhatIfChangesNothing) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::queue_put, "web", R"({"tenant":"vision"})");
  cluster.submit("ml", "a", R"({"tasks":20,"demand":{"cpu":1}})");
  const std::string before = cluster.reader.snapshot();
  const auto ask = [&](std::string_view body, const Caller& caller = admin()) {
    return cluster.get({.what = Ask::what_if, .body = parse(body)}, caller);
  };
  const Json more = ask(R"({"changes":[{"add_servers":{"like":"n1","count":2}}],"show":["queues","job:ml/a"]})").body;
  EXPECT_EQ(more.at("jobs")[0].at("running"), (Json{8, 16})) << more;
  EXPECT_EQ(more.at("invariant"), "ok");
  EXPECT_EQ(more.at("settled"), true);
  EXPECT_EQ(ask(R"({"changes":[{"cancel":"ml/a"},{"submit":{"queue":"web","demand":{"cpu":2},"tasks":9}}]})")
                .body.at("queues")[1].at("running"),
            (Json{0, 4}));
  EXPECT_EQ(ask(R"({"changes":[{"mechanism":"tsf"},{"queue":"ml","weight":"2"},{"drain":"n1"}]})").status, 200);
  EXPECT_EQ(ask(R"({"changes":[{"queue":"ml","wait":"2"}]})").body.at("key"), "/changes/0/wait");
  EXPECT_EQ(ask(R"({"changes":[{"drain":"n9"}]})").status, 404);
  EXPECT_EQ(ask(R"({"changes":[{"drain":"n1"}]})", member("vision")).status, 404);
  EXPECT_EQ(ask(R"({"changes":[{"queue":"ml","weight":2}]})", member("other")).status, 404);
  EXPECT_EQ(ask(R"({"changes":[{"queue":"ml","weight":2}]})", member("vision")).status, 200);
  EXPECT_EQ(cluster.reader.snapshot(), before);
  EXPECT_EQ(cluster.get({.what = Ask::policy_dry_run, .body = parse(R"({"discipline":"tsf","placement":"best-fit"})")}).status,
            200);
}

TEST(LiveReader, SharesStandBesideWhatEachQueueHas) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::queue_put, "web", R"({"tenant":"vision","weight":3})");
  cluster.submit("ml", "a", R"({"tasks":100,"demand":{"cpu":1}})");
  cluster.submit("web", "b", R"({"tasks":100,"demand":{"cpu":1}})");
  cluster.submit("web", "never", R"({"demand":{"cpu":1},"select":{"zone":"c"}})");
  const Json body = cluster.get({.what = Ask::shares, .given = {{"mechanism", "drf"}, {"mechanism", "hdrfh"}}}).body;
  ASSERT_EQ(body.at("mechanisms").size(), 2U) << body;
  const Json& drf = body.at("mechanisms")[0];
  EXPECT_EQ(drf.at("status"), "exact");
  EXPECT_NEAR(drf.at("queues")[0].at("fair_share").get<double>(), 0.25, 1e-9);
  EXPECT_NEAR(drf.at("queues")[1].at("fair_share").get<double>(), 0.75, 1e-9);
  EXPECT_EQ(drf.at("queues")[0].at("running"), 8);
  EXPECT_EQ(body.at("left_out"), Json::array({"web/never"}));
  EXPECT_EQ(cluster.get({.what = Ask::shares, .given = {{"mechanism", "dfr"}}}).body.at("key"), "/mechanism");
  EXPECT_EQ(cluster.get({.what = Ask::mechanism, .name = "drf"}).body.at("name"), "drf");
  EXPECT_EQ(cluster.get({.what = Ask::mechanism, .name = "no"}).status, 404);
}

TEST(LiveReader, WhyATaskWasPlacedIsReplayed) {
  LiveCluster cluster = small_cluster();
  const std::string before = cluster.reader.snapshot();
  const std::size_t from = cluster.log.size();
  cluster.submit("ml", "a", R"({"tasks":2,"demand":{"cpu":1}})");
  const std::string task = cluster.get({.what = Ask::tasks}).body.at("items")[1].at("task");
  Reader then = *Reader::restore(before);
  std::optional<scheduling::WhyPlaced> why;
  for (std::size_t i = from; i < cluster.log.size() && !why; ++i) {
    const auto read = then.apply_explaining(cluster.log[i], task);
    ASSERT_TRUE(read) << describe(read.error());
    why = *read;
  }
  ASSERT_TRUE(why);
  EXPECT_EQ(cluster.reader.explain_placed(task, *why, admin()).body.at("job"), "ml/a");
  EXPECT_EQ(cluster.reader.explain_placed(task, *why, member("other")).status, 404);
}

// Canaries: texts that only another tenant's things have.
TEST(LiveReader, ATenantNeverSeesAnothersThings) {
  for (const Others others : {Others::nothing, Others::shares}) {
    LiveCluster cluster = small_cluster(settings(), others);
    cluster.put(Do::tenant_put, "canary-tenant", "{}");
    cluster.put(Do::group_put, "canary-group", R"({"guarantee":{"gpu":1},"reserved":{"gpu":1}})");
    cluster.put(Do::queue_put, "canary-queue", R"({"tenant":"canary-tenant","group":"canary-group","weight":"7.25"})");
    cluster.put(Do::token_put, "canary-token", R"({"scopes":["read"],"tenant":"canary-tenant"})");
    cluster.submit("canary-queue", "canary-job",
                   R"({"tasks":30,"demand":{"cpu":1},"labels":{"canary":"canary"},"spec":{"argv":["canary"]}})");
    cluster.submit("ml", "mine", R"({"tasks":9,"demand":{"cpu":1}})");
    cluster.submit("ml", "gpus", R"({"tasks":9,"demand":{"gpu":1}})");
    cluster.by_service(Do::server_lost, "n1");
    const Caller mine = member("vision");
    std::vector<Query> queries;
    const auto add = [&](Query query) { queries.push_back(std::move(query)); };
    for (const Ask list : {Ask::cluster, Ask::servers, Ask::tenants, Ask::groups, Ask::queues, Ask::tasks, Ask::tokens,
                           Ask::shares, Ask::mechanisms})
      add({.what = list});
    for (const Ask one : {Ask::server, Ask::tenant, Ask::group, Ask::queue, Ask::token, Ask::task}) {
      for (const char* const name : {"canary-tenant", "canary-group", "canary-queue", "canary-token", "n1", "n2", "t-0", "t-1",
                                     "t-2", "t-3", "t-4", "t-5"})
        add({.what = one, .name = name});
    }
    for (const Ask of_job : {Ask::job, Ask::explain}) {
      add({.what = of_job, .name = "canary-job", .queue = "canary-queue"});
      add({.what = of_job, .name = "mine", .queue = "ml"});
      add({.what = of_job, .name = "gpus", .queue = "ml"});
      add({.what = of_job, .name = "gpus", .queue = "ml", .given = {{"server", "n2"}}});
    }
    add({.what = Ask::jobs, .queue = "canary-queue"});
    add({.what = Ask::tasks, .given = {{"server", "n2"}}});
    add({.what = Ask::assignments, .name = "n2"});
    add({.what = Ask::what_if, .body = parse(R"({"changes":[{"queue":"canary-queue","weight":2}]})")});
    add({.what = Ask::what_if, .body = parse(R"({"show":["queues","job:canary-queue/canary-job"]})")});
    add({.what = Ask::what_if, .body = parse(R"({"changes":[{"queue":"ml","tenant":"canary-tenant"}]})")});
    for (const Query& query : queries) {
      const Answer answer = cluster.get(query, mine);
      std::string text = answer.body.dump();
      // With shares the name and the weight of a queue are shown, and nothing else of it.
      if (others == Others::shares) {
        for (std::size_t at; (at = text.find("\"canary-queue\"")) != std::string::npos;) text.erase(at, 14);
      } else {
        EXPECT_EQ(text.find("7.25"), std::string::npos) << text;
      }
      EXPECT_EQ(text.find("canary"), std::string::npos) << static_cast<int>(query.what) << " " << text;
    }
    for (const Change& change : cluster.changes) {
      if (const auto message = message_of(change, {}, mine, others)) {
        EXPECT_EQ(message->find("canary"), std::string::npos) << *message;
      }
    }
    // What is hidden and what is not there give the same bytes.
    const auto bytes = [&](Query query) { return cluster.get(query, mine).body.dump(); };
    EXPECT_EQ(bytes({.what = Ask::job, .name = "canary-job", .queue = "canary-queue"}),
              bytes({.what = Ask::job, .name = "no", .queue = "no"}));
    EXPECT_EQ(cluster.send(mine, Do::job_cancel, {.name = "canary-job", .queue = "canary-queue"}).body.dump(),
              cluster.send(mine, Do::job_cancel, {.name = "no", .queue = "no"}).body.dump());
  }
}

TEST(LiveReader, EventsAreFilteredAndNamed) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "a", R"({"demand":{"cpu":1}})");
  std::vector<std::string> kinds;
  for (const Change& change : cluster.changes) {
    const auto message = message_of(change, {.job = "ml/a"}, member("vision"), Others::nothing);
    if (!message) continue;
    const Json read = parse(*message);
    EXPECT_EQ(read.at("revision"), change.revision);
    for (const Json& event : read.at("events")) {
      kinds.push_back(event.at("kind"));
      EXPECT_EQ(event.at("job"), "ml/a");
    }
  }
  EXPECT_THAT(kinds, testing::ElementsAre("job-submitted", "task-placed"));
  for (const Change& change : cluster.changes)
    EXPECT_FALSE(message_of(change, {.kinds = {"task-placed"}, .server = "n9"}, admin(), Others::all));
}

}  // namespace
}  // namespace mirab::live
