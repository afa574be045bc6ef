// What callers get to see: lists, explanations, what-ifs, shares; and what tenants do not.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <set>

#include "cluster.hpp"
#include "random_cases.hpp"

namespace mirab::live {
namespace {

Query explain(const std::string& queue, const std::string& name) {
  return {.what = Ask::explain, .name = name, .queue = queue};
}

TEST(LiveReader, AListIsReadPageByPage) {
  LiveCluster cluster = small_cluster();
  for (int i = 0; i < 25; ++i)
    cluster.submit(
        "ml", "j" + std::to_string(i),
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
  EXPECT_EQ(cluster.get({.what = Ask::jobs, .queue = "ml", .given = {{"state", "running"}}})
                .body.at("items")
                .size(),
            8U);
  EXPECT_EQ(cluster.get({.what = Ask::tasks, .given = {{"server", "n1"}}}).body.at("items").size(), 4U);
  EXPECT_EQ(cluster.get({.what = Ask::jobs, .queue = "ml", .given = {{"limit", "0"}}}).body.at("key"),
            "/limit");
  EXPECT_EQ(cluster.get({.what = Ask::jobs, .queue = "ml", .given = {{"page", "x"}}}).body.at("key"),
            "/page");
  EXPECT_EQ(cluster.get({.what = Ask::jobs, .queue = "no"}).status, 404);
}

/// All pages of a list; `looks` is what they took together, without what was charged for their bytes.
struct Walked {
  std::vector<Json> items = {};
  std::int64_t looks = 0;
  int pages = 0;
  std::int64_t most_looks = 0;  ///< of a page
  std::size_t most_bytes = 0;   ///< the same
};
Walked walk(const LiveCluster& cluster, Query query, const Caller& caller = admin()) {
  Walked walked;
  while (true) {
    const Answer answer = cluster.get(query, caller);
    EXPECT_EQ(answer.status, 200) << answer.body;
    for (const Json& each : answer.body.at("items")) walked.items.push_back(each);
    const std::size_t bytes = answer.body.dump().size();
    const std::int64_t looks = answer.looks - static_cast<std::int64_t>(bytes_of(answer.body) / kBytesOfLook);
    walked.looks += looks;
    walked.most_looks = std::max(walked.most_looks, looks);
    walked.most_bytes = std::max(walked.most_bytes, bytes);
    ++walked.pages;
    if (!answer.body.contains("page") || walked.pages > 10'000) return walked;
    query.given.erase("page");
    query.given.emplace("page", answer.body.at("page"));
  }
}

/// Many jobs in a queue, whose records come in one batch.
void submit_many(LiveCluster& cluster, int jobs, std::string_view body) {
  cluster.put(Do::tenant_put, "vision", R"({"limits":{"queued_jobs":1000000}})");
  for (int n = 0; n < jobs; ++n) {
    auto command = parse_command(admin(), Do::job_put, {.name = "j" + std::to_string(n), .queue = "ml"},
                                 parse(body), cluster.units);
    ASSERT_EQ(cluster.decider.apply(std::get<Command>(command), cluster.now, cluster.wall).status, 201);
  }
  cluster.settle();
}

// However many jobs there are, a page takes the reader about as long as any other.
TEST(LiveReader, APageEndsWhenItHasLookedAtEnough) {
  MIRAB_SKIP_LARGE_IF_SANITIZED();
  LiveCluster cluster = small_cluster();
  submit_many(cluster, 10'500, R"({"demand":{"cpu":1},"labels":{"of":"it"}})");
  const Walked none = walk(cluster, {.what = Ask::jobs, .queue = "ml", .given = {{"label", "of=no"}}});
  EXPECT_TRUE(none.items.empty());
  EXPECT_EQ(none.pages, 2);
  EXPECT_EQ(none.most_looks, 10'000);
  EXPECT_EQ(none.looks, 10'500);
  const Walked all =
      walk(cluster, {.what = Ask::jobs, .queue = "ml", .given = {{"label", "of=it"}, {"limit", "1000"}}});
  std::set<std::string> names;
  for (const Json& each : all.items) names.insert(each.at("name"));
  EXPECT_EQ(names.size(), 10'500U);
  EXPECT_EQ(all.items.size(), 10'500U);
  EXPECT_EQ(all.looks, 10'500);
  EXPECT_LE(all.most_bytes, 258U << 10U);
}

// What ends a page is not what is charged for it.
TEST(LiveReader, APageShowsAsManySmallThingsAsItsLimit) {
  LiveCluster cluster = small_cluster();
  for (int n = 0; n < 1'200; ++n) cluster.put(Do::tenant_put, "t" + std::to_string(n), "{}");
  const Answer answer = cluster.get({.what = Ask::tenants, .given = {{"limit", "1000"}}});
  EXPECT_EQ(answer.body.at("items").size(), 1'000U);
  EXPECT_TRUE(answer.body.contains("page"));
}

TEST(LiveReader, TheBytesOfJsonAreCountedAsTheyAreWritten) {
  for (const char* const text :
       {"null", "true", "false", "0", "-17", "18446744073709551615", "1.25", R"("")",
        R"("a\"b\\c\n\u001f\t")", "[]", "{}", "[1,[],{}]", R"({"a":1,"b\"":[true,null,"x"],"c":{"d":{}}})"})
    EXPECT_EQ(bytes_of(Json::parse(text)), Json::parse(text).dump().size()) << text;
}

std::string large_job(std::size_t bytes) {
  Json job = {{"demand", {{"cpu", 1}}}, {"servers", Json::array()}};
  for (std::size_t n = 0; n < bytes / 100; ++n) job["servers"].push_back(std::string(97, 'n'));
  return job.dump();
}

TEST(LiveReader, WhatIsShownIsChargedByItsBytes) {
  LiveCluster cluster = small_cluster();
  submit_many(cluster, 20, large_job(60'000));
  const Answer one = cluster.get({.what = Ask::job, .name = "j0", .queue = "ml"});
  EXPECT_EQ(one.looks, static_cast<std::int64_t>(one.body.dump().size() / kBytesOfLook));
  EXPECT_GT(one.looks, 3'700);
  const Answer again =
      cluster.get({.what = Ask::job, .name = "j0", .queue = "ml", .if_none_match = one.etag});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.looks, one.looks) << "it was made to be compared";
  const Answer page = cluster.get({.what = Ask::jobs, .queue = "ml"});
  EXPECT_EQ(page.body.at("items").size(), 2U) << "64 KiB, and the one that is beyond them";
  EXPECT_GT(page.looks, 2 * 3'700);
  EXPECT_EQ(walk(cluster, {.what = Ask::jobs, .queue = "ml"}).items.size(), 20U);
  for (const Query& query :
       {Query{.what = Ask::server, .name = "n1"}, Query{.what = Ask::queue, .name = "ml"},
        Query{.what = Ask::cluster}, Query{.what = Ask::mechanisms}}) {
    const Answer answer = cluster.get(query);
    EXPECT_GE(answer.looks, static_cast<std::int64_t>(answer.body.dump().size() / kBytesOfLook));
  }
}

TEST(LiveReader, TheTasksOfAServerAreCountedForThoseAloneWhoSeeThem) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::server_put, "n3", R"({"capacity":{"cpu":100000}})");
  cluster.submit("ml", "a", R"({"tasks":8000,"demand":{"cpu":1},"servers":["n3"]})");
  EXPECT_GE(cluster.get({.what = Ask::server, .name = "n3"}).looks, 8'000 / 16);
  EXPECT_GE(cluster.get({.what = Ask::servers}).looks, 8'000 / 16);
  EXPECT_LE(cluster.get({.what = Ask::server, .name = "n3"}, member("vision")).looks, 30);
}

TEST(LiveReader, LabelsAreAskedForOnceAndEachIsALook) {
  LiveCluster cluster = small_cluster();
  submit_many(cluster, 100, R"({"demand":{"cpu":1},"labels":{"a":"1","b":"2"}})");
  const auto ask = [&](Ask what, const std::multimap<std::string, std::string>& given) {
    Query query{.what = what, .queue = what == Ask::jobs ? "ml" : "", .given = given};
    query.given.emplace("state", what == Ask::servers ? "lost" : "failed");
    return cluster.get(query);
  };
  std::multimap<std::string, std::string> same;
  for (int n = 0; n < 220; ++n) same.emplace("label", "a=");
  std::multimap<std::string, std::string> most;
  for (int n = 0; n < 32; ++n) most.emplace("label", std::to_string(n) + "=");
  std::multimap<std::string, std::string> too_many = most;
  too_many.emplace("label", "32=");
  const std::int64_t bytes = ask(Ask::jobs, {}).looks - 100;
  EXPECT_EQ(ask(Ask::jobs, same).looks - bytes, 100);
  EXPECT_EQ(ask(Ask::jobs, most).looks - bytes, 32 * 100);
  EXPECT_EQ(ask(Ask::tasks, most).looks - bytes, 32 * 100);
  for (const Ask what : {Ask::jobs, Ask::tasks, Ask::servers}) {
    EXPECT_EQ(ask(what, too_many).status, 400);
    EXPECT_EQ(ask(what, too_many).body.at("key"), "/label");
  }
  EXPECT_EQ(cluster.get({.what = Ask::jobs, .queue = "ml", .given = {{"label", "a=1"}, {"label", "b=2"}}})
                .body.at("items")
                .size(),
            100U);
}

TEST(LiveReader, AQueueSaysWhichOfItsJobsWaitFirstAndSinceWhen) {
  LiveCluster cluster = small_cluster();
  const auto queue = [&](const char* key) {
    const Json body = cluster.get({.what = Ask::queue, .name = "ml"}).body;
    return body.contains(key) ? body.at(key) : Json();
  };
  EXPECT_EQ(queue("waiting_since"), Json());
  EXPECT_EQ(queue("next_jobs"), Json());
  cluster.submit("ml", "runs", R"({"tasks":8,"demand":{"cpu":1}})");
  const std::string first = text_of(cluster.wall);
  for (const char* const name : {"z", "y", "x"}) cluster.submit("ml", name, R"({"demand":{"cpu":1}})");
  cluster.submit("ml", "soon", R"({"demand":{"cpu":1},"priority":5})");
  for (const char* const name : {"w", "v"}) cluster.submit("ml", name, R"({"demand":{"cpu":1}})");
  EXPECT_EQ(queue("next_jobs"), (Json{"soon", "z", "y", "x", "w"}));
  EXPECT_EQ(queue("waiting_since"), first);
  const auto again = Reader::restore(cluster.reader.snapshot());
  EXPECT_EQ(again->get({.what = Ask::queue, .name = "ml"}, admin()).body.at("next_jobs").size(), 5U);
  EXPECT_EQ(again->broken_invariant(), "");
  cluster.send(admin(), Do::job_cancel, {.name = "z", .queue = "ml"});
  EXPECT_EQ(queue("next_jobs"), (Json{"soon", "y", "x", "w", "v"}));
  EXPECT_GT(queue("waiting_since").get<std::string>(), first);
  cluster.send(admin(), Do::job_cancel, {.name = "runs", .queue = "ml"});
  EXPECT_EQ(queue("next_jobs"), Json());
}

TEST(LiveReader, LabelsAreKnownAfterARestore) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "a", R"({"demand":{"cpu":1},"labels":{"of":"it"}})");
  const auto again = Reader::restore(cluster.reader.snapshot());
  ASSERT_TRUE(again);
  for (const auto& [label, count] : {std::pair("of=it", 1U), std::pair("of=no", 0U)}) {
    const Query query{.what = Ask::jobs, .queue = "ml", .given = {{"label", label}}};
    EXPECT_EQ(again->get(query, admin()).body.at("items").size(), count) << label;
  }
}

// Twice as many tasks take twice as many looks, and not four times: whether they are of many jobs or of one,
// and whether they run or are over.
TEST(LiveReader, AllPagesOfTasksTogetherLookAtEachTaskAboutOnce) {
  MIRAB_SKIP_LARGE_IF_SANITIZED();
  struct Case {
    int jobs;
    int tasks;  ///< of a job; of one job twice as many the second time, else twice as many jobs
    bool is_over;
  };
  for (const Case& each : {Case{800, 2, false}, Case{16, 100, false}, Case{1, 1'600, false},
                           Case{16, 100, true}, Case{1, 1'600, true}}) {
    std::int64_t looks[2] = {};
    for (const int times : {1, 2}) {
      LiveCluster cluster = small_cluster();
      cluster.put(Do::server_put, "n3", R"({"capacity":{"cpu":100000}})");
      const int jobs = each.jobs == 1 ? 1 : each.jobs * times;
      const int tasks = each.jobs == 1 ? each.tasks * times : each.tasks;
      submit_many(cluster, jobs,
                  R"({"tasks":)" + std::to_string(tasks) + R"(,"demand":{"cpu":1},"servers":["n3"]})");
      for (int n = 0; each.is_over && n < jobs; ++n)
        cluster.send(admin(), Do::job_cancel, {.name = "j" + std::to_string(n), .queue = "ml"});
      const Walked walked = walk(cluster, {.what = Ask::tasks, .given = {{"limit", "50"}}});
      std::set<std::string> names;
      for (const Json& item : walked.items) names.insert(item.at("task"));
      EXPECT_EQ(names.size(), static_cast<std::size_t>(jobs * tasks));
      EXPECT_EQ(walked.items.size(), names.size());
      looks[times - 1] = walked.looks;
      // Each page begins with a look at its job, and rounds up.
      EXPECT_LE(walked.looks, jobs * tasks / 16 + jobs + 2 * walked.pages);
    }
    EXPECT_LE(looks[1], 2 * looks[0] + 2) << each.jobs << " " << each.tasks;
  }
}

TEST(LiveReader, RowsOfTasksEndAPage) {
  MIRAB_SKIP_LARGE_IF_SANITIZED();
  LiveCluster cluster = small_cluster();
  cluster.put(Do::server_put, "n3", R"({"capacity":{"cpu":1000000}})");
  cluster.submit("ml", "a", R"({"tasks":170000,"demand":{"cpu":1},"servers":["n3"]})");
  const Walked none = walk(cluster, {.what = Ask::tasks, .given = {{"server", "none"}}});
  EXPECT_TRUE(none.items.empty());
  EXPECT_EQ(none.pages, 2);
  EXPECT_EQ(none.most_looks, 10'000);
  // Jobs of few tasks: their rows are counted on.
  LiveCluster other = small_cluster();
  other.put(Do::server_put, "n3", R"({"capacity":{"cpu":100000}})");
  submit_many(other, 320, R"({"tasks":8,"demand":{"cpu":1},"servers":["n3"]})");
  EXPECT_EQ(walk(other, {.what = Ask::tasks, .given = {{"server", "none"}}}).looks, 320 + 320 * 8 / 16);
}

// While somebody reads page by page, tasks end: none that was there all along is missed.
TEST(LiveReader, NoTaskIsMissedThatEndsBetweenTwoPages) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::server_put, "n3", R"({"capacity":{"cpu":100}})");
  cluster.submit("ml", "a", R"({"tasks":30,"demand":{"cpu":1},"servers":["n3"]})");
  std::set<std::string> all;
  for (const Json& each : walk(cluster, {.what = Ask::tasks}).items) all.insert(each.at("task"));
  std::set<std::string> seen;
  Query query{.what = Ask::tasks, .given = {{"limit", "4"}}};
  for (int pages = 0; pages < 40; ++pages) {
    const Json body = cluster.get(query).body;
    for (const Json& each : body.at("items")) seen.insert(each.at("task"));
    if (!body.contains("page")) break;
    query.given.erase("page");
    query.given.emplace("page", body.at("page"));
    // The last of the page, so that the next one begins behind a task that is over.
    if (!body.at("items").empty() && body.at("items").back().at("state") == "placed")
      cluster.send(admin(), Do::outcome_put, {.name = body.at("items").back().at("task")},
                   parse(R"({"outcome":"succeeded"})"));
  }
  EXPECT_EQ(seen, all);
  EXPECT_EQ(seen.size(), 30U);
}

TEST(LiveReader, TasksOfAJobAreListedPageByPageWithThoseThatAreOver) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "a", R"({"tasks":3,"demand":{"cpu":1}})");
  cluster.submit("ml", "b", R"({"tasks":5,"demand":{"cpu":1}})");
  const auto tasks_of = [&](const char* job) {
    return walk(cluster, {.what = Ask::tasks, .given = {{"limit", "2"}, {"job", job}}}).items;
  };
  const std::string first = tasks_of("ml/b").at(0).at("task");
  cluster.send(admin(), Do::outcome_put, {.name = first}, parse(R"({"outcome":"succeeded"})"));
  const std::vector<Json> items = tasks_of("ml/b");
  EXPECT_EQ(items.size(), 5U);
  EXPECT_EQ(items.back().at("task"), first) << "those that run come first, and of them the newest";
  EXPECT_EQ(items.back().at("state"), "succeeded");
  EXPECT_EQ(walk(cluster, {.what = Ask::tasks, .given = {{"limit", "1"}}}).items.size(), 8U);
  EXPECT_EQ(
      walk(cluster, {.what = Ask::tasks, .given = {{"limit", "1"}, {"state", "succeeded"}}}).items.size(),
      1U);
  EXPECT_EQ(walk(cluster, {.what = Ask::tasks, .given = {{"queue", "no"}}}).items.size(), 0U);
  const Query wrong{.what = Ask::tasks, .given = {{"page", "r1-61"}}};
  EXPECT_EQ(cluster.get(wrong).body.at("key"), "/page");
}

TEST(LiveReader, AWhatIfHasOneBudgetForAllItsChanges) {
  LiveCluster cluster = small_cluster();
  const auto ask = [&](const Json& changes) {
    return cluster.get({.what = Ask::what_if, .body = {{"changes", changes}}});
  };
  const auto servers = [](int count) { return Json{{"add_servers", {{"like", "n1"}, {"count", count}}}}; };
  EXPECT_EQ(ask({servers(10), servers(20)}).status, 200);
  const Answer many = ask({servers(6'000), servers(6'000)});
  EXPECT_EQ(many.status, 413);
  EXPECT_EQ(many.body.at("key"), "/changes/1/add_servers/count");
  EXPECT_EQ(many.body.at("detail"),
            "with the changes before it more than 10000 servers, the most that one question tries");
  const Json job = {{"submit", {{"queue", "ml"}, {"tasks", 600'000}, {"demand", {{"cpu", 1}}}}}};
  EXPECT_EQ(ask({job, job}).body.at("key"), "/changes/1/submit");
  const auto role = [](const char* name) {
    return Json{{"name", name}, {"tasks", 600'000}, {"demand", {{"cpu", 1}}}};
  };
  EXPECT_EQ(ask({{{"submit", {{"queue", "ml"}, {"roles", {role("a"), role("b")}}}}}}).body.at("key"),
            "/changes/0/submit");
  EXPECT_EQ(ask(Json(5, Json{{"mechanism", "drf"}})).status, 413);
  EXPECT_EQ(price_of_what_if({{"changes", Json::array({servers(10)})}}, settings().units), 1);
  EXPECT_EQ(price_of_what_if({{"changes", {servers(4'000), servers(4'000)}}}, settings().units), 9);
  EXPECT_EQ(price_of_what_if({{"changes", Json::array({job})}}, settings().units), 7);
  EXPECT_EQ(price_of_what_if({{"changes", {job, "no change"}}}, settings().units), 1) << "it is refused";
}

TEST(LiveReader, AWhatIfThatIsLateEndsWithWhatItHas) {
  LiveCluster cluster = small_cluster();
  Query query{
      .what = Ask::what_if,
      .body = {{"changes", {{{"submit", {{"queue", "ml"}, {"tasks", 8}, {"demand", {{"cpu", 1}}}}}}}}}};
  EXPECT_TRUE(cluster.get(query).body.at("settled"));
  int asked = 0;
  query.is_late = [&] { return ++asked > 1; };  // after the change
  EXPECT_FALSE(cluster.get(query).body.at("settled"));
  query.is_late = [] { return true; };
  EXPECT_EQ(cluster.get(query).status, 413);
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
  for (const char* const key :
       {"tasks", "demand", "gang", "select", "priority", "preemptible", "attempts", "labels", "spec"})
    again[key] = got.at(key);
  EXPECT_EQ(cluster.send(admin(), Do::job_put, {.name = "j", .queue = "ml"}, again).status, 200);
  const Answer tagged = cluster.get({.what = Ask::job, .name = "j", .queue = "ml"});
  EXPECT_EQ(cluster.get({.what = Ask::job, .name = "j", .queue = "ml", .if_none_match = tagged.etag}).status,
            304);
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
  EXPECT_EQ(why.at("says"), "no server has room for 1 gpu: too little gpu on 1 of 1 server, 1 is too small");
  EXPECT_EQ(why.at("next_step"), "1 gpu freed on n2, if no task that comes before takes it");
  EXPECT_EQ(verdict("second", R"({"demand":{"gpu":1}})"), "no-room");
  EXPECT_EQ(cluster.get(explain("ml", "second")).body.at("next_step"),
            "room for the 1 job of its own queue that comes first, then 1 gpu freed on n2");
  EXPECT_EQ(verdict("gpus", R"({"demand":{"gpu":1},"tasks":2,"gang":2})"), "no-room");
  const Json together = cluster.get(explain("ml", "gpus")).body;
  EXPECT_EQ(together.at("says"),
            "all 2 tasks must start together, and no server has room for 1 gpu: too "
            "little gpu on 1 of 1 server, 1 is too small");
  EXPECT_EQ(together.at("next_step"),
            "room for all 2 tasks at once, or reservations in the policy, which keep servers free for it");
  EXPECT_EQ(verdict("gang", R"({"demand":{"cpu":1},"tasks":6,"gang":6})"), "no-room");
  EXPECT_EQ(cluster.get(explain("ml", "gang")).body.at("gang"), (Json{{"together", 6}, {"room", 4}}));
  Query on = explain("ml", "big");
  on.given.emplace("server", "n1");
  EXPECT_EQ(cluster.get(on).body.at("reason"), "too-small");
  EXPECT_EQ(cluster.get(on).body.at("says"), "it is too small by 1 cpu");
  on.given = {{"server", "no"}};
  EXPECT_EQ(cluster.get(on).status, 404);
}

TEST(LiveReader, BytesAreWordedInBinaryUnitsRoundedUpAndDrainedServersAreCounted) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "holds", R"({"demand":{"cpu":1,"memory":"7Gi"},"servers":["n1"]})");
  cluster.put(Do::server_put, "n2", R"({"capacity":{"cpu":4,"memory":"8Gi","gpu":2},"state":"drained"})");
  cluster.submit("ml", "waits", R"({"demand":{"cpu":1,"memory":"1536Mi"}})");
  const Json why = cluster.get(explain("ml", "waits")).body;
  EXPECT_EQ(why.at("says"),
            "no server has room for 1 cpu, 1.5Gi memory: too little memory on 1 of 1 server, 1 is drained");
  EXPECT_EQ(why.at("next_step"), "512Mi memory freed on n1, if no task that comes before takes it");
  Query on = explain("ml", "waits");
  on.given.emplace("server", "n1");
  EXPECT_EQ(cluster.get(on).body.at("says"), "it is full: 512Mi memory to free");
  cluster.submit("ml", "uneven", R"({"demand":{"memory":"9729Mi"}})");
  on = explain("ml", "uneven");
  on.given.emplace("server", "n1");
  EXPECT_EQ(cluster.get(on).body.at("says"), "it is too small by 1.51Gi memory");
  cluster.submit("ml", "wide", R"({"demand":{"cpu":7}})");
  on = explain("ml", "wide");
  on.given.emplace("server", "n1");
  EXPECT_EQ(cluster.get(on).body.at("says"), "it is too small by 3 cpu");
  EXPECT_EQ(cluster.get({.what = Ask::cluster}).body.at("totals").at("drained"), 1);
}

TEST(LiveReader, WhyAGangWaitsSaysWhatDoesNotReachItAndWhoHoldsTheRoom) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::tenant_put, "speech", "{}");
  cluster.put(Do::queue_put, "big", R"({"tenant":"speech"})");
  cluster.submit("big", "long", R"({"tasks":20,"demand":{"cpu":1}})");
  const auto why = [&](const Caller& caller = admin()) {
    return cluster.get(explain("ml", "gang"), caller).body;
  };
  cluster.submit("ml", "gang", R"({"tasks":4,"gang":4,"demand":{"cpu":1}})");
  EXPECT_EQ(
      why().at("says"),
      "all 4 tasks must start together, and no server has room for 1 cpu: too little cpu on 2 of 2 servers");
  cluster.put(Do::queue_put, "ml", R"({"tenant":"vision","guarantee":{"cpu":4}})");
  const Json guaranteed = why();
  EXPECT_THAT(
      guaranteed.at("says").get<std::string>(),
      testing::EndsWith("; guarantees and preemption do not reach gangs: no running task is ended for one"));
  EXPECT_EQ(guaranteed.at("next_step"),
            "room for all 4 tasks at once, or reservations in the policy, which keep servers free for it");
  EXPECT_EQ(guaranteed.at("holders"), parse(R"([{"queue":"big","share":1.0,"holds":"8 cpu"}])"));
  EXPECT_EQ(why(member("vision")).at("holders"), parse(R"([{"queue":"big","share":1.0}])"));
  cluster.put(Do::policy_put, "",
              R"({"discipline":"drf","placement":"best-fit","reservations":{"after":"10m"}})");
  EXPECT_EQ(why().at("next_step"), "room for all 4 tasks at once");
}

TEST(LiveReader, OfTasksThatAllRunItIsSaidWhereAnotherWouldGo) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "roles",
                 R"({"roles":[{"name":"a","demand":{"cpu":4}},{"name":"b","demand":{"gpu":1}}]})");
  Query on = explain("ml", "roles");
  ASSERT_EQ(cluster.get(on).body.at("verdict"), "nothing-waits");
  on.given.emplace("server", "n1");
  const Answer answer = cluster.get(on);
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.at("waiting"), 0);
}

// For the engine a silent server is a drained one.
TEST(LiveReader, ASilentServerIsNotCalledDrained) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::server_put, "n3", R"({"capacity":{"cpu":4},"state":"drained"})");
  cluster.by_service(Do::server_silent, "n1");
  cluster.submit("ml", "waits", R"({"demand":{"cpu":1},"servers":["n1","n3"]})");
  Json why = cluster.get(explain("ml", "waits")).body;
  EXPECT_EQ(why.at("says"),
            "no server has room for 1 cpu: 1 is drained, 1 is silent (its executor does not answer)");
  EXPECT_EQ(why.at("next_step"), "start the executor on n1 again");
  EXPECT_EQ(why.at("servers").at("drained"), 1);
  EXPECT_EQ(why.at("servers").value("silent", 0), 1);
  const auto on = [&](const std::string& server) {
    Query query = explain("ml", "waits");
    query.given.emplace("server", server);
    return cluster.get(query).body;
  };
  EXPECT_EQ(on("n1").at("reason"), "silent");
  EXPECT_EQ(on("n1").at("says"), "it is silent: its executor does not answer");
  EXPECT_EQ(on("n3").at("reason"), "drained");
  cluster.by_service(Do::server_silent, "n2");
  cluster.submit("ml", "anywhere", R"({"demand":{"cpu":1}})");
  why = cluster.get(explain("ml", "anywhere")).body;
  EXPECT_EQ(why.at("says"),
            "no server has room for 1 cpu: 1 is drained, 2 are silent (their executors do not answer)");
  EXPECT_EQ(why.at("next_step"), "start the executors on n1, n2 again");
  // A tenant learns it too.
  const Json seen = cluster.get({.what = Ask::server, .name = "n1"}, member("vision")).body;
  EXPECT_EQ(seen.value("silent", false), true);
  EXPECT_FALSE(cluster.get({.what = Ask::server, .name = "n3"}, member("vision")).body.contains("silent"));
}

TEST(LiveReader, WhereWishesExcludeTheServersThatAreLargeEnoughTheVerdictSaysSo) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "gpus", R"({"demand":{"gpu":1},"select":{"zone":"a"}})");
  Json why = cluster.get(explain("ml", "gpus")).body;
  EXPECT_EQ(why.at("verdict"), "too-small");
  EXPECT_EQ(
      why.at("says"),
      "a task is larger than the one server it may use, most for lack of gpu; 1 server is large enough, but "
      "its wishes exclude it");
  EXPECT_EQ(why.at("next_step"), "fewer wishes (select, servers), or a smaller task");
  cluster.submit("ml", "more", R"({"demand":{"gpu":3},"select":{"zone":"a"}})");
  why = cluster.get(explain("ml", "more")).body;
  EXPECT_EQ(why.at("says"), "a task is larger than the one server it may use, most for lack of gpu");
  EXPECT_EQ(why.at("next_step"), "a smaller task, or a larger server");
  cluster.submit(
      "ml", "roles",
      R"({"roles":[{"name":"a","tasks":1,"demand":{"cpu":5}},{"name":"b","tasks":1,"demand":{"gpu":2}}],
                     "select":{"zone":"a"}})");
  EXPECT_NE(
      cluster.get(explain("ml", "roles")).body.at("says").get<std::string>().find("1 server is large enough"),
      std::string::npos);
}

TEST(LiveReader, AWhatIfChangesNothing) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::queue_put, "web", R"({"tenant":"vision"})");
  cluster.submit("ml", "a", R"({"tasks":20,"demand":{"cpu":1}})");
  const std::string before = cluster.reader.snapshot();
  const auto ask = [&](std::string_view body, const Caller& caller = admin()) {
    return cluster.get({.what = Ask::what_if, .body = parse(body)}, caller);
  };
  const Json more =
      ask(R"({"changes":[{"add_servers":{"like":"n1","count":2}}],"show":["queues","job:ml/a"]})").body;
  EXPECT_EQ(more.at("jobs")[0].at("running"), (Json{8, 16})) << more;
  EXPECT_EQ(more.at("invariant"), "ok");
  EXPECT_EQ(more.at("settled"), true);
  EXPECT_EQ(ask(R"({"changes":[{"cancel":"ml/a"},{"submit":{"queue":"web","demand":{"cpu":2},"tasks":9}}]})")
                .body.at("queues")[1]
                .at("running"),
            (Json{0, 4}));
  EXPECT_EQ(ask(R"({"changes":[{"mechanism":"tsf"},{"queue":"ml","weight":"2"},{"drain":"n1"}]})").status,
            200);
  EXPECT_EQ(ask(R"({"changes":[{"queue":"ml","wait":"2"}]})").body.at("key"), "/changes/0/wait");
  EXPECT_EQ(ask(R"({"changes":[{"drain":"n9"}]})").status, 404);
  EXPECT_EQ(ask(R"({"changes":[{"drain":"n1"}]})", member("vision")).status, 404);
  EXPECT_EQ(ask(R"({"changes":[{"queue":"ml","weight":2}]})", member("other")).status, 404);
  EXPECT_EQ(ask(R"({"changes":[{"queue":"ml","weight":2}]})", member("vision")).status, 200);
  EXPECT_EQ(cluster.reader.snapshot(), before);
  EXPECT_EQ(
      cluster
          .get({.what = Ask::policy_dry_run, .body = parse(R"({"discipline":"tsf","placement":"best-fit"})")})
          .status,
      200);
}

// Whatever else stands in a change, and in whichever order it is looked at.
TEST(LiveReader, AWhatIfTellsATenantNoNamesOfGroupsThatItDoesNotSee) {
  LiveCluster cluster = small_cluster(settings(), Others::nothing);
  cluster.put(Do::group_put, "above", "{}");
  cluster.put(Do::group_put, "hidden", "{}");
  cluster.put(Do::queue_put, "ml", R"({"tenant":"vision","group":"above"})");
  cluster.put(Do::tenant_put, "speech", "{}");
  cluster.put(Do::queue_put, "other", R"({"tenant":"speech"})");
  cluster.submit("other", "j", R"({"tasks":30,"demand":{"cpu":1}})");
  const auto ask = [&](std::string body, const std::string& name) {
    for (std::size_t at; (at = body.find("NAME")) != std::string::npos;) body.replace(at, 4, name);
    const Answer answer = cluster.get({.what = Ask::what_if, .body = parse(body)}, member("vision"));
    return std::pair(answer.status, answer.status == 200 ? Json() : answer.body);
  };
  for (const char* const body :
       {R"({"changes":[{"group":"NAME","submit":{"queue":"ml","demand":{"cpu":1}}}]})",
        R"({"changes":[{"group":"NAME","add_servers":{"like":"n1"}}]})", R"({"changes":[{"group":"NAME"}]})",
        R"({"changes":[{"group":"NAME","weight":2}]})", R"({"changes":[{"group":"NAME","cancel":"ml/a"}]})",
        R"({"changes":[{"queue":"ml","group":"NAME"}]})",
        R"({"changes":[{"queue":"ml","group":"NAME","guarantee":{"cpu":99}}]})"}) {
    EXPECT_EQ(ask(body, "hidden"), ask(body, "absent")) << body;
    EXPECT_EQ(ask(body, "hidden").first, 404) << body;
  }
  for (const char* const name : {"other", "absent"}) {
    EXPECT_EQ(ask(R"({"changes":[{"queue":"NAME","weight":2}]})", name).first, 404);
    EXPECT_EQ(ask(R"({"changes":[{"submit":{"queue":"NAME","demand":{"cpu":1}}}]})", name).first, 404);
    EXPECT_EQ(ask(R"({"changes":[{"cancel":"NAME/j"}]})", name).first, 404);
  }
  // What it may try: its own queue with other terms, where it stands.
  const Json own = parse(R"({"changes":[{"queue":"ml","group":"above","weight":3},
                             {"add_servers":{"like":"n1","count":2}}]})");
  const Answer tried = cluster.get({.what = Ask::what_if, .body = own}, member("vision"));
  EXPECT_EQ(tried.status, 200) << tried.body;
  EXPECT_FALSE(tried.body.contains("steps")) << "how many tasks of others would start";
  EXPECT_EQ(tried.body.at("queues").size(), 1U);
  EXPECT_TRUE(cluster.get({.what = Ask::what_if, .body = own}).body.contains("steps"));
}

TEST(LiveReader, ListsHoldTheNamesThatWereAskedFor) {
  LiveCluster cluster = small_cluster();
  for (const char* const name : {"train-1", "train-2", "test-1"})
    cluster.submit("ml", name, R"({"demand":{"cpu":1}})");
  const auto names = [&](Query query) {
    std::vector<std::string> found;
    const Json body = cluster.get(query).body;
    for (const Json& each : body.at("items")) found.push_back(each.at("name"));
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({.what = Ask::jobs, .queue = "ml", .given = {{"name", "rain"}}}),
            (Names{"train-1", "train-2"}));
  EXPECT_EQ(names({.what = Ask::jobs, .queue = "ml", .given = {{"name", "-1"}, {"limit", "1"}}}),
            (Names{"test-1"}));
  EXPECT_EQ(names({.what = Ask::queues, .given = {{"name", "ml"}}}), (Names{"ml"}));
  EXPECT_EQ(names({.what = Ask::servers, .given = {{"name", "1"}}}), (Names{"n1"}));
}

// Servers that are equal are divided as one, unless a job names one of them.
TEST(LiveReader, SharesHonourServersThatJobsName) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::queue_put, "web", R"({"tenant":"vision"})");
  cluster.submit("ml", "a", R"({"tasks":100,"demand":{"cpu":1}})");
  const auto fair = [&] {
    const Json body = cluster.get({.what = Ask::shares, .given = {{"mechanism", "drfh"}}}).body;
    return std::pair{body.at("mechanisms")[0].at("queues")[0].at("fair_share").get<double>(),
                     body.at("mechanisms")[0].at("queues")[1].at("fair_share").get<double>()};
  };
  cluster.submit("web", "b", R"({"tasks":100,"demand":{"cpu":1}})");
  EXPECT_NEAR(fair().first, 0.5, 1e-9);
  EXPECT_NEAR(fair().second, 0.5, 1e-9);
  cluster.send(admin(), Do::job_cancel, {.name = "a", .queue = "ml"});
  cluster.send(admin(), Do::job_cancel, {.name = "b", .queue = "web"});
  cluster.submit("web", "only-n1", R"({"tasks":100,"demand":{"cpu":1},"servers":["n1"]})");
  EXPECT_NEAR(fair().second, 0.5, 1e-9);  // all of one of two equal servers
}

TEST(LiveReader, SharesStandBesideWhatEachQueueHas) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::queue_put, "web", R"({"tenant":"vision","weight":3})");
  cluster.submit("ml", "a", R"({"tasks":100,"demand":{"cpu":1}})");
  cluster.submit("web", "b", R"({"tasks":100,"demand":{"cpu":1}})");
  cluster.submit("web", "never", R"({"demand":{"cpu":1},"select":{"zone":"c"}})");
  const Json body =
      cluster.get({.what = Ask::shares, .given = {{"mechanism", "drf"}, {"mechanism", "hdrfh"}}}).body;
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

TEST(LiveReader, SharesAreChargedByTheJobsAndByWhomEachMechanismDividesAmong) {
  LiveCluster cluster = small_cluster();
  const auto looks = [&](std::multimap<std::string, std::string> given) {
    const Answer answer = cluster.get({.what = Ask::shares, .given = std::move(given)});
    return answer.looks - static_cast<std::int64_t>(bytes_of(answer.body) / kBytesOfLook);
  };
  for (int n = 0; n < 50; ++n)
    cluster.submit("ml", "j" + std::to_string(n), fmt::format(R"({{"demand": {{"cpu": {}}}}})", 1 + n % 2));
  EXPECT_EQ(looks({{"mechanism", "drf"}}), 1 + 50 + 2);
  EXPECT_EQ(looks({{"mechanism", "drf"}, {"mechanism", "drfh"}}), 1 + 50 + 4);
}

TEST(LiveReader, SharesEndWhenTheTimeOfAQuestionIsOver) {
  LiveCluster cluster = small_cluster();
  for (int n = 0; n < 5; ++n) cluster.submit("ml", "j" + std::to_string(n), R"({"demand": {"cpu": 1}})");
  int asked = 0;
  Query query{.what = Ask::shares, .given = {{"mechanism", "drf"}, {"mechanism", "drfh"}}};
  query.is_late = [&] { return ++asked > 3; };
  EXPECT_EQ(cluster.get(query).status, 413) << "three of five jobs";
  asked = 0;
  query.is_late = [&] { return ++asked > 5; };
  const Answer answer = cluster.get(query);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json& mechanisms = answer.body.at("mechanisms");
  ASSERT_EQ(mechanisms.size(), 2U);
  EXPECT_TRUE(mechanisms[0].contains("queues"));
  EXPECT_TRUE(mechanisms[1].contains("refused"));
}

// Otherwise a job that can never run would lower the fair shares of the other queues.
TEST(LiveReader, SharesLeaveOutWhatTheServersCanNeverHold) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::queue_put, "web", R"({"tenant":"vision"})");
  cluster.submit("ml", "a", R"({"tasks":100,"demand":{"cpu":1}})");
  const auto fair_of_ml = [&] {
    const Json body = cluster.get({.what = Ask::shares, .given = {{"mechanism", "drfh"}}}).body;
    return std::pair{body.at("mechanisms")[0].at("queues")[0].at("fair_share").get<double>(),
                     body.at("left_out").dump()};
  };
  cluster.submit("web", "large", R"({"tasks":9,"demand":{"cpu":5}})");  // each server has 4
  EXPECT_EQ(fair_of_ml(), (std::pair{1.0, std::string(R"(["web/large"])")}));
  cluster.submit("web", "gang", R"({"tasks":3,"gang":3,"demand":{"cpu":3}})");  // one fits on each of two
  EXPECT_EQ(fair_of_ml().second, R"(["web/gang","web/large"])");
  cluster.submit("web", "apart", R"({"tasks":3,"gang":3,"per_server":1,"demand":{"cpu":1}})");
  EXPECT_EQ(fair_of_ml(), (std::pair{1.0, std::string(R"(["web/apart","web/gang","web/large"])")}));
  cluster.submit("web", "fits", R"({"tasks":8,"gang":8,"demand":{"cpu":1}})");
  EXPECT_NEAR(fair_of_ml().first, 0.5, 1e-9);
}

Json shares_by(const LiveCluster& cluster, const char* mechanism) {
  return cluster.get({.what = Ask::shares, .given = {{"mechanism", mechanism}}}).body;
}

// Three tenants on two servers of 8 CPUs, of which one is drained (volcano 3444, armada 841).
TEST(LiveReader, SharesDivideTheServersThatTakeTasks) {
  LiveCluster cluster;
  cluster.put(Do::server_put, "n1", R"({"capacity":{"cpu":8}})");
  cluster.put(Do::server_put, "n2", R"({"capacity":{"cpu":8},"state":"drained"})");
  cluster.put(Do::tenant_put, "t", "{}");
  for (const std::string queue : {"a", "b", "c"}) {
    cluster.put(Do::queue_put, queue, R"({"tenant":"t"})");
    cluster.submit(queue, "j", R"({"tasks":100,"demand":{"cpu":1}})");
  }
  for (const char* const mechanism : {"drfh", "hdrfh", "drf"}) {
    const Json body = shares_by(cluster, mechanism);
    EXPECT_EQ(body.at("drained"), 1);
    for (const Json& queue : body.at("mechanisms")[0].at("queues")) {
      EXPECT_NEAR(queue.at("fair_tasks").get<double>(), 8.0 / 3, 1e-9) << mechanism;
      // Of the whole cluster, as `share` is.
      EXPECT_NEAR(queue.at("fair_share").get<double>(), 1.0 / 6, 1e-9) << mechanism;
      EXPECT_NEAR(queue.at("share").get<double>(), queue.at("running").get<double>() / 16, 1e-9);
    }
  }
  cluster.submit("a", "on-n2", R"({"demand":{"cpu":1},"servers":["n2"]})");
  EXPECT_EQ(shares_by(cluster, "drfh").at("left_out"), Json::array({"a/on-n2"}));
  cluster.put(Do::server_put, "n2", R"({"capacity":{"cpu":8},"state":"open"})");
  const Json open = shares_by(cluster, "hdrfh");
  EXPECT_EQ(open.at("drained"), 0);
  EXPECT_NEAR(open.at("mechanisms")[0].at("queues")[0].at("fair_tasks").get<double>(), 16.0 / 3, 1e-9);
}

// A server of 8 of the 16 GPUs that are guaranteed is lost (koordinator 398, 2393).
TEST(LiveReader, GuaranteesBeyondWhatIsLeftAreCutInProportion) {
  LiveCluster cluster;
  for (const std::string name : {"n1", "n2"})
    cluster.put(Do::server_put, name, R"({"capacity":{"cpu":64,"gpu":8}})");
  cluster.put(Do::tenant_put, "t", "{}");
  cluster.put(Do::group_put, "g", R"({"guarantee":{"gpu":8}})");
  cluster.put(Do::queue_put, "a", R"({"tenant":"t","group":"g","guarantee":{"gpu":6}})");
  cluster.put(Do::queue_put, "b", R"({"tenant":"t","guarantee":{"gpu":8},"reserved":{"gpu":8}})");
  for (const std::string queue : {"a", "b"})
    cluster.submit(queue, "j", R"({"tasks":100,"demand":{"cpu":1,"gpu":1}})");
  EXPECT_EQ(shares_by(cluster, "hdrfh").at("guarantees_cut"), false);
  cluster.by_service(Do::server_lost, "n2");
  const Json body = shares_by(cluster, "hdrfh");
  EXPECT_EQ(body.at("guarantees_cut"), true);
  ASSERT_EQ(body.at("mechanisms").size(), 1U) << body;
  for (const Json& queue : body.at("mechanisms")[0].at("queues"))
    EXPECT_NEAR(queue.at("fair_tasks").get<double>(), 4, 1e-9) << queue;
}

TEST(LiveReader, ATenantLearnsWhichOfItsOwnJobsAreLeftOutOfTheShares) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::tenant_put, "speech", "{}");
  cluster.put(Do::queue_put, "web", R"({"tenant":"speech"})");
  cluster.submit("ml", "a", R"({"demand":{"cpu":1}})");
  cluster.submit("ml", "large", R"({"demand":{"cpu":5}})");
  cluster.submit("web", "larger", R"({"demand":{"cpu":6}})");
  const Query query{.what = Ask::shares, .given = {{"mechanism", "drfh"}}};
  EXPECT_EQ(cluster.get(query).body.at("left_out"), Json::array({"ml/large", "web/larger"}));
  EXPECT_EQ(cluster.get(query, member("vision")).body.value("left_out", Json()), Json::array({"ml/large"}));
  EXPECT_EQ(cluster.get(query, member("speech")).body.value("left_out", Json()), Json::array({"web/larger"}));
}

TEST(LiveReader, AnExplanationNamesTheTaskThatFailedLast) {
  LiveCluster cluster = small_cluster();
  cluster.submit("ml", "j", R"({"tasks":2,"demand":{"cpu":1},"attempts":2})");
  const auto failures = [&] {
    return cluster.get({.what = Ask::explain, .name = "j", .queue = "ml"}).body["failures"];
  };
  EXPECT_TRUE(failures().is_null());
  cluster.send(admin(), Do::outcome_put, {.name = "t-0"}, parse(R"({"outcome":"lost"})"));
  EXPECT_TRUE(failures().is_null());
  cluster.send(admin(), Do::outcome_put, {.name = "t-1"},
               parse(R"({"outcome":"failed","exit_code":137,"reason":"out of memory"})"));
  EXPECT_EQ(failures().at("tasks"), 1);
  EXPECT_EQ(failures().at("latest").at("task"), "t-1");
  EXPECT_EQ(failures().at("latest").at("exit_code"), 137);
  EXPECT_EQ(failures().at("latest").at("reason"), "out of memory");
}

/// Two queues; `rich` runs what the servers hold, and tasks end for `poor`, at most `most` in an hour.
LiveCluster preempting_cluster(int most) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::tenant_put, "speech", "{}");
  cluster.put(Do::queue_put, "poor", R"({"tenant":"speech"})");
  cluster.put(Do::policy_put, "",
              R"({"discipline":"drf","placement":"best-fit","preemption":{"tasks":)" + std::to_string(most) +
                  R"(,"per":"1h"}})");
  cluster.submit("ml", "rich", R"({"tasks":8,"demand":{"cpu":1}})");
  cluster.submit("poor", "late", R"({"tasks":4,"demand":{"cpu":1}})");
  return cluster;
}

TEST(LiveReader, AnExplanationSaysForWhomATaskEndedAndByWhichRight) {
  LiveCluster cluster = preempting_cluster(4);
  const Json why = cluster.get(explain("ml", "rich")).body;
  ASSERT_TRUE(why.contains("preempted")) << why.dump();
  EXPECT_EQ(why.at("preempted").at("tasks"), 4);
  EXPECT_EQ(why.at("preempted").at("for"), "poor/late");
  const std::string task = why.at("preempted").at("latest").at("task");
  const std::string server = why.at("preempted").at("latest").at("server");
  EXPECT_EQ(why.at("preempted").at("says"),
            task + " ended on " + server +
                " for a task of poor/late, since its queue had more beyond its guarantee, per weight");
  const Reader again = *Reader::restore(cluster.reader.snapshot());
  EXPECT_EQ(again.get(explain("ml", "rich"), admin()).body.value("preempted", Json()), why.at("preempted"));
}

TEST(LiveReader, WhoMayNotSeeAQueueIsNotToldForWhichTaskOneEnded) {
  LiveCluster cluster = small_cluster(settings(), Others::nothing);
  cluster.put(Do::tenant_put, "speech", "{}");
  cluster.put(Do::queue_put, "poor", R"({"tenant":"speech"})");
  cluster.put(Do::policy_put, "",
              R"({"discipline":"drf","placement":"best-fit","preemption":{"tasks":1,"per":"1h"}})");
  cluster.submit("ml", "rich", R"({"tasks":8,"demand":{"cpu":1}})");
  cluster.submit("poor", "late", R"({"tasks":4,"demand":{"cpu":1}})");
  const Json why = cluster.get(explain("ml", "rich"), member("vision")).body;
  EXPECT_FALSE(why.at("preempted").contains("for"));
  EXPECT_NE(why.at("preempted").at("says").get<std::string>().find("for a task of another queue"),
            std::string::npos);
  EXPECT_EQ(why.dump().find("poor"), std::string::npos) << why.dump();
}

TEST(LiveReader, AJobThatOnlyTheBudgetOfPreemptionKeepsWaitingIsToldUntilWhen) {
  LiveCluster cluster = preempting_cluster(3);
  const Json why = cluster.get(explain("poor", "late")).body;
  EXPECT_EQ(why.at("verdict"), "budget") << why.dump();
  EXPECT_EQ(why.at("over_budget").at("tasks"), 1);
  const std::string at = why.at("over_budget").at("free_at");
  const std::string says = why.at("says");
  EXPECT_NE(
      says.find("; 1 task would end for it, but the budget of preemption (3 tasks in 3600 s) is used up; "
                "it allows that at " +
                at),
      std::string::npos)
      << says;
  EXPECT_EQ(why.at("next_step"), "nothing: the budget allows that at " + at + "; or a larger budget");
  EXPECT_EQ(why.at("over_budget").at("left"), 0);
  EXPECT_TRUE(cluster.decider.next_by_time());
  cluster.now += std::chrono::hours(1);
  cluster.wall += std::chrono::hours(1);
  cluster.decider.decide(1'000, cluster.now, cluster.wall);
  cluster.settle();
  EXPECT_EQ(cluster.job("poor", "late").at("running"), 4);
}

TEST(LiveReader, AWhatIfThatTheBudgetOfPreemptionStopsSaysSo) {
  LiveCluster cluster = preempting_cluster(2);
  Query query{.what = Ask::what_if, .body = parse(R"({"changes":[{"queue":"poor","weight":"2"}]})")};
  const Json tried = cluster.get(query).body;
  EXPECT_EQ(tried.at("settled"), true) << tried.dump();
  EXPECT_EQ(tried.value("over_budget", Json()).value("tasks", 0), 1) << tried.dump();
  LiveCluster wide = preempting_cluster(100);
  EXPECT_FALSE(wide.get(query).body.contains("over_budget"));
}

TEST(LiveReader, AQueueOfWeight0IsToldThatItComesLast) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::queue_put, "last", R"({"tenant":"vision","weight":0})");
  cluster.submit("ml", "runs", R"({"tasks":8,"demand":{"cpu":1}})");
  cluster.submit("ml", "gang", R"({"demand":{"cpu":1},"tasks":2})");
  cluster.submit("last", "waits", R"({"demand":{"cpu":1}})");
  const Json why = cluster.get(explain("last", "waits")).body;
  EXPECT_EQ(why.at("key"), 0) << why.dump();
  EXPECT_EQ(why.at("last"), "last");
}

/// From a snapshot and the records that came after it.
std::optional<scheduling::WhyPlaced> why_placed(const LiveCluster& cluster, const std::string& snapshot,
                                                std::size_t from, const std::string& task) {
  Reader then = *Reader::restore(snapshot);
  for (std::size_t i = from; i < cluster.log.size(); ++i) {
    auto read = then.apply_explaining(cluster.log[i], task);
    EXPECT_TRUE(read) << describe(read.error());
    if (!read || *read) return read ? *read : std::nullopt;
  }
  return {};
}

TEST(LiveReader, WhyATaskWasPlacedIsReplayed) {
  LiveCluster cluster = small_cluster();
  const std::string before = cluster.reader.snapshot();
  const std::size_t from = cluster.log.size();
  cluster.submit("ml", "a", R"({"tasks":2,"demand":{"cpu":1}})");
  const std::string task = cluster.get({.what = Ask::tasks}).body.at("items")[0].at("task");  // the second
  const auto why = why_placed(cluster, before, from, task);
  ASSERT_TRUE(why);
  const Json placed = cluster.reader.explain_placed(task, *why, admin()).body;
  EXPECT_EQ(placed.at("job"), "ml/a");
  const std::string says = placed.at("says");
  EXPECT_EQ(says.substr(says.rfind("it leaves")),
            "it leaves 2 cpu, 8Gi memory there, of 3 cpu, 8Gi memory\n");
  EXPECT_EQ(cluster.reader.explain_placed(task, *why, member("other")).status, 404);
}

TEST(LiveReader, AllAmountsOfAPlacementAreInTheUnitsOfPeople) {
  LiveCluster cluster = small_cluster(settings("ps-dsf"));
  const std::string before = cluster.reader.snapshot();
  const std::size_t from = cluster.log.size();
  cluster.submit("ml", "a", R"({"demand":{"cpu":"500m","memory":"1537Mi","gpu":1}})");
  const std::string task = cluster.get({.what = Ask::tasks}).body.at("items")[0].at("task");
  const auto why = why_placed(cluster, before, from, task);
  ASSERT_TRUE(why);
  const std::string says = cluster.reader.explain_placed(task, *why, admin()).body.at("says");
  EXPECT_THAT(says, testing::HasSubstr("the key is that for servers of 4 cpu, 8Gi memory, 2 gpu\n"));
  EXPECT_THAT(says, testing::HasSubstr(
                        "it leaves 3.5 cpu, 6.49Gi memory, 1 gpu there, of 4 cpu, 8Gi memory, 2 gpu\n"));
}

// Canaries: texts that only another tenant's things have.
TEST(LiveReader, ATenantNeverSeesAnothersThings) {
  for (const Others others : {Others::nothing, Others::shares}) {
    LiveCluster cluster = small_cluster(settings(), others);
    cluster.put(Do::tenant_put, "canary-tenant", "{}");
    cluster.put(Do::group_put, "canary-group", R"({"guarantee":{"gpu":1},"reserved":{"gpu":1}})");
    cluster.put(Do::queue_put, "canary-queue",
                R"({"tenant":"canary-tenant","group":"canary-group","weight":"7.25"})");
    cluster.put(Do::token_put, "canary-token", R"({"scopes":["read"],"tenant":"canary-tenant"})");
    cluster.submit(
        "canary-queue", "canary-job",
        R"({"tasks":30,"demand":{"cpu":1},"labels":{"canary":"canary"},"spec":{"argv":["canary"]}})");
    cluster.submit("ml", "mine", R"({"tasks":9,"demand":{"cpu":1}})");
    cluster.submit("ml", "gpus", R"({"tasks":9,"demand":{"gpu":1}})");
    cluster.by_service(Do::server_lost, "n1");
    const Caller mine = member("vision");
    std::vector<Query> queries;
    const auto add = [&](Query query) { queries.push_back(std::move(query)); };
    for (const Ask list : {Ask::cluster, Ask::servers, Ask::tenants, Ask::groups, Ask::queues, Ask::tasks,
                           Ask::tokens, Ask::shares, Ask::mechanisms})
      add({.what = list});
    for (const Ask one : {Ask::server, Ask::tenant, Ask::group, Ask::queue, Ask::token, Ask::task}) {
      for (const char* const name : {"canary-tenant", "canary-group", "canary-queue", "canary-token", "n1",
                                     "n2", "t-0", "t-1", "t-2", "t-3", "t-4", "t-5"})
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

TEST(LiveReader, TasksAreFilteredByAllThatIsAsked) {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::queue_put, "other", R"({"tenant":"vision"})");
  cluster.submit("ml", "a", R"({"demand":{"cpu":1},"tasks":2,"servers":["n1"],"labels":{"team":"x"}})");
  cluster.submit("ml", "b", R"({"demand":{"cpu":1},"servers":["n2"]})");
  cluster.submit("other", "c", R"({"demand":{"cpu":1},"servers":["n1"],"labels":{"team":"y"}})");
  const auto tasks = [&](const std::multimap<std::string, std::string>& given) {
    const Answer answer = cluster.get({.what = Ask::tasks, .given = given});
    EXPECT_EQ(answer.status, 200) << answer.body;
    std::multiset<std::string> jobs;
    for (const Json& each : answer.body["items"]) jobs.insert(each["job"].get<std::string>());
    return jobs;
  };
  using Jobs = std::multiset<std::string>;
  EXPECT_EQ(tasks({}), (Jobs{"ml/a", "ml/a", "ml/b", "other/c"}));
  EXPECT_EQ(tasks({{"queue", "ml"}}), (Jobs{"ml/a", "ml/a", "ml/b"}));
  EXPECT_EQ(tasks({{"label", "team=x"}}), (Jobs{"ml/a", "ml/a"}));
  EXPECT_EQ(tasks({{"label", "team=x"}, {"queue", "other"}}), Jobs{});
  EXPECT_EQ(tasks({{"server", "n1"}}), (Jobs{"ml/a", "ml/a", "other/c"}));
  EXPECT_EQ(tasks({{"server", "n1"}, {"job", "other/c"}}), (Jobs{"other/c"}));
  EXPECT_EQ(tasks({{"queue", "ml"}, {"job", "a"}}), (Jobs{"ml/a", "ml/a"}));
  EXPECT_EQ(tasks({{"queue", "ml"}, {"job", "ml/b"}}), (Jobs{"ml/b"}));
  EXPECT_EQ(cluster.get({.what = Ask::tasks, .given = {{"job", "a"}}}).body.at("key"), "/job");
  const Json first = cluster.get({.what = Ask::tasks, .given = {{"job", "ml/a"}}}).body["items"][0];
  cluster.send(admin(), Do::outcome_put, {.name = first["task"].get<std::string>()},
               parse(R"({"outcome":"succeeded"})"));
  EXPECT_EQ(tasks({{"server", "n1"}}), (Jobs{"ml/a", "ml/a", "other/c"}));
  EXPECT_EQ(tasks({{"server", "n1"}, {"state", "succeeded"}}), (Jobs{"ml/a"}));
}

TEST(LiveReader, TheRowOfAServerSaysWhetherItIsSilentOrLost) {
  LiveCluster cluster = small_cluster();
  const auto row = [&] { return cluster.log.back().rows.at(0); };
  cluster.by_service(Do::server_silent, "n1");
  EXPECT_EQ(row().table, "server");
  EXPECT_EQ(row().columns.value("silent", false), true);
  cluster.by_service(Do::server_back, "n1");
  EXPECT_EQ(row().columns.value("silent", false), false);
  EXPECT_EQ(row().columns["state"], "open");
  cluster.by_service(Do::server_lost, "n1");
  EXPECT_EQ(row().columns["state"], "lost");
}

// Each value in each body is replaced by values of every kind, and taken out.
std::vector<Json> mutations_of(const Json& body) {
  Json deep = 1;
  for (int level = 0; level < 12; ++level) deep = level % 2 == 0 ? Json{{"a", deep}} : Json::array({deep});
  const std::vector<Json> values = {nullptr,
                                    true,
                                    0,
                                    1,
                                    -1,
                                    1.5,
                                    1e300,
                                    UINT64_MAX,
                                    "",
                                    "x",
                                    "a/b",
                                    "-",
                                    std::string(1, '\0'),
                                    std::string(300, 'y'),
                                    Json::array(),
                                    Json::array({nullptr}),
                                    Json::array({"x"}),
                                    Json::object(),
                                    {{"x", nullptr}},
                                    {{"x", "y"}},
                                    {{"queue", 7}},
                                    deep};
  std::vector<Json> mutations(values.begin(), values.end());
  const Json flat = body.flatten();
  std::set<std::string> places;
  for (const auto& [leaf, value] : flat.items()) {
    for (std::string at = leaf; !at.empty(); at = at.substr(0, at.rfind('/'))) places.insert(at);
  }
  for (const std::string& place : places) {
    const Json::json_pointer pointer(place);
    for (const Json& value : values) {
      Json mutated = body;
      mutated[pointer] = value;
      mutations.push_back(std::move(mutated));
    }
    for (const bool is_more : {false, true}) {
      Json mutated = body;
      Json& parent = mutated[pointer.parent_pointer()];
      if (!parent.is_object()) continue;
      if (is_more) {
        parent["colour"] = 1;
      } else {
        parent.erase(pointer.back());
      }
      mutations.push_back(std::move(mutated));
    }
  }
  return mutations;
}

LiveCluster busy_cluster() {
  LiveCluster cluster = small_cluster();
  cluster.put(Do::group_put, "g", R"({"weight":2})");
  cluster.submit("ml", "a", R"({"demand":{"cpu":1},"tasks":2})");
  return cluster;
}

TEST(LiveReader, NoBodyOfACommandThrowsAndWhatIsRefusedChangesNothing) {
  struct Sent {
    Do what;
    Target target;
    std::string body;
  };
  const std::vector<Sent> all = {
      {Do::server_put, {.name = "n1"}, R"({"capacity":{"cpu":4},"labels":{"zone":"a"},"state":"open"})"},
      {Do::tenant_put, {.name = "vision"}, R"({"limits":{"watches":3,"burst":5}})"},
      {Do::group_put,
       {.name = "g"},
       R"({"parent":"","weight":"0.5","guarantee":{"gpu":1},"limit":{"cpu":2},"reserved":{"cpu":1}})"},
      {Do::queue_put,
       {.name = "ml"},
       R"({"tenant":"vision","group":"g","weight":3,"guarantee":{"gpu":1},"limit":{"gpu":1},"reserved":{}})"},
      {Do::job_put,
       {.name = "b", .queue = "ml"},
       R"({"tasks":4,"demand":{"cpu":1},"gang":2,"per_server":1,"servers":["n1"],"select":{"z":"a","y":["b"]},
           "spread":{"label":"r","most_apart":1},"pack":"k","demand_on":{"n1":{"cpu":2}},"priority":-3,
           "preemptible":false,"attempts":2,"labels":{"l":"m"},
           "spec":{"argv":["x"],"env":{"A":"1"},"time_limit":"120m","when_lost":"rerun"}})"},
      {Do::job_put,
       {.name = "b", .queue = "ml"},
       R"({"roles":[{"name":"l","demand":{"cpu":1}},{"name":"w","tasks":2,"demand":{"gpu":1}}]})"},
      {Do::outcome_put,
       {.name = "t-1"},
       R"({"outcome":"failed","exit_code":-9,"attempt":1,"usage":{"cpu_ns":5},"reason":"r"})"},
      {Do::policy_put,
       {},
       R"({"discipline":"drf","placement":"best-fit","tie":"random","share_scale":{"gpu":2},"half_life":"1h",
           "reservations":{"after":"10m","servers":2,"at_most":"1h"},"preemption":{"tasks":3,"per":"1h"}})"},
      {Do::token_put,
       {.name = "k"},
       R"({"scopes":["submit","executor"],"tenant":"vision","server":"n1","expires":"2027-03-01T08:00:00Z"})"},
  };
  LiveCluster cluster = busy_cluster();
  int tried = 0;
  int refused = 0;
  for (const Sent& sent : all) {
    for (const Json& body : mutations_of(parse(sent.body))) {
      ++tried;
      const std::string before = cluster.decider.snapshot();
      Answer answer;
      ASSERT_NO_THROW(answer = cluster.send(admin(), sent.what, sent.target, body))
          << word_of(sent.what) << ' ' << body;
      if (!answer.is_problem()) {
        cluster = busy_cluster();
        continue;
      }
      ++refused;
      EXPECT_LT(answer.status, 500) << word_of(sent.what) << ' ' << body;
      EXPECT_EQ(cluster.decider.snapshot(), before) << word_of(sent.what) << ' ' << body;
    }
  }
  EXPECT_GT(tried, 1500);
  EXPECT_GT(refused, 1000);
}

TEST(LiveReader, NoBodyOfAQuestionThrowsWhoeverAsks) {
  const std::vector<std::pair<Ask, std::string>> all = {
      {Ask::what_if,
       R"({"changes":[{"queue":"ml","weight":"2","limit":{"cpu":3}},{"group":"g","weight":1},
           {"add_servers":{"like":"n1","count":2}},{"submit":{"queue":"ml","name":"c","demand":{"cpu":1}}},
           {"drain":"n2"},{"cancel":"ml/a"},{"mechanism":"drf"}],"show":["queues","job:ml/a"]})"},
      {Ask::what_if, R"({"changes":[{"submit":{"queue":"ml","name":"c","demand":{"cpu":1}}},
           {"queue":"ml","weight":"2"},{"cancel":"ml/a"}]})"},
      {Ask::policy_dry_run,
       R"({"discipline":"drf","placement":"best-fit","tie":"random","share_scale":{"gpu":2},"half_life":"1h",
           "reservations":{"after":"10m","servers":2},"preemption":{"tasks":3,"per":"1h"}})"},
  };
  const LiveCluster cluster = busy_cluster();
  const std::string before = cluster.reader.snapshot();
  int tried = 0;
  for (const auto& [what, body] : all) {
    for (const Json& mutated : mutations_of(parse(body))) {
      for (const Caller& caller : {admin(), member("vision"), member("others")}) {
        ++tried;
        Answer answer;
        ASSERT_NO_THROW(answer = cluster.get({.what = what, .body = mutated}, caller)) << mutated;
        EXPECT_LT(answer.status, 500) << mutated;
      }
    }
  }
  EXPECT_EQ(cluster.reader.snapshot(), before);
  EXPECT_GT(tried, 3000);
}

TEST(LiveReader, AJobOfAListIsAsLargeAsOneThatIsPutAlone) {
  const LiveCluster cluster = busy_cluster();
  const auto job = [](const char* name, std::size_t bytes) {
    Json json = parse(large_job(bytes));
    json.update({{"queue", "ml"}, {"name", name}});
    return json;
  };
  const Json body = {{"jobs", {job("a", 100), job("b", 70'000), job("c", 60'000)}}};
  const auto read = parse_submits(member("vision"), body, cluster.units);
  const auto& commands = std::get<0>(read);
  EXPECT_TRUE(std::holds_alternative<Command>(commands.at(0)));
  EXPECT_TRUE(std::holds_alternative<Command>(commands.at(2)));
  const auto& wrong = std::get<Problem>(commands.at(1));
  EXPECT_EQ(wrong.status, 413);
  EXPECT_EQ(wrong.key, "/jobs/1");
}

// Amounts that are left out are filled in: what is kept may be several times what was sent.
TEST(LiveReader, TheNormalFormOfAJobIsBounded) {
  const Units units =
      make_settings({"cpu:milli", "memory:bytes", "disk:bytes", "net:bytes", "gpu", "licence"}, "drf",
                    "best-fit", 7, "test")
          ->units;
  Json job = {{"demand", {{"cpu", 1}}}};
  for (int n = 0; n < 6'000; ++n) job["demand_on"]["s" + std::to_string(n)] = Json::object();
  const auto read = parse_command(admin(), Do::job_put, {.name = "a", .queue = "ml"}, job, units);
  ASSERT_LT(job.dump().size(), 65'536U);
  const auto* const wrong = std::get_if<Problem>(&read);
  ASSERT_NE(wrong, nullptr);
  EXPECT_EQ(wrong->status, 413);
}

TEST(LiveReader, ALargerJobOfAnEarlierVersionIsReadOn) {
  LiveCluster cluster = small_cluster();
  auto command = std::get<Command>(parse_command(admin(), Do::job_put, {.name = "old", .queue = "ml"},
                                                 parse(large_job(100)), cluster.units));
  const Json body = parse(large_job(1'000'000));
  command.content = std::get<Content>(read_content(Do::job_put, body, cluster.units));
  command.form = normal_form(command.content, cluster.units).dump();
  command.sha256 = sha256(command.form);
  EXPECT_EQ(cluster.decider.apply(command, cluster.now, cluster.wall).status, 201);
  cluster.settle();
  cluster.submit("ml", "next", R"({"demand":{"cpu":1}})");
  const auto again = Reader::restore(cluster.reader.snapshot());
  ASSERT_TRUE(again);
  EXPECT_GT(again->get({.what = Ask::job, .name = "old", .queue = "ml"}, admin()).looks, 60'000);
  EXPECT_EQ(walk(cluster, {.what = Ask::jobs, .queue = "ml", .given = {{"limit", "1"}}}).items.size(), 2U);
}

TEST(LiveReader, ListsOfSubmitsNeverThrow) {
  const LiveCluster cluster = busy_cluster();
  for (const Json& body : mutations_of(parse(R"({"jobs":[{"queue":"ml","name":"b","demand":{"cpu":1}}]})")))
    ASSERT_NO_THROW(parse_submits(member("vision"), body, cluster.units)) << body;
}

}  // namespace
}  // namespace mirab::live
