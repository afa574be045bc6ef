// A live cluster for tests: a decider, a store in memory and a reader, with a clock that the test turns.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "live/decider.hpp"
#include "live/reader.hpp"

namespace mirab::live {

inline Caller admin() { return {.by = "token:admin", .scopes = {.admin = true}, .from = "127.0.0.1"}; }
inline Caller member(const std::string& tenant) {
  return {.by = "token:" + tenant, .tenant = tenant, .scopes = {.submit = true, .read = true}};
}
inline Caller executor(const std::string& server) {
  return {.by = "token:" + server, .tenant = "machines", .scopes = {.executor = true}, .server = server};
}

inline Settings settings(const std::string& discipline = "drf", const std::string& placement = "best-fit") {
  return *make_settings({"cpu:milli", "memory:bytes", "gpu"}, discipline, placement, 7, "test");
}

inline Json parse(std::string_view text) {
  auto read = read_json(text);
  EXPECT_TRUE(std::holds_alternative<Json>(read)) << text;
  return std::holds_alternative<Json>(read) ? std::get<Json>(read) : Json();
}

/// Everything is durable at once.
struct LiveCluster {
  explicit LiveCluster(Settings with = settings(), Others others = Others::shares)
      : units(with.units), decider(*Decider::from(with)), reader(*Reader::from(with, others)) {}

  Answer send(const Caller& caller, Do what, Target target, const Json& body = {},
              Conditions conditions = {}) {
    auto command = parse_command(caller, what, std::move(target), body, units, std::move(conditions));
    if (const auto* problem = std::get_if<Problem>(&command)) return answer_of(*problem, decider.revision());
    const Answer answer = decider.apply(std::get<Command>(command), now, wall);
    settle();
    return answer;
  }
  Answer put(Do what, const std::string& name, std::string_view body) {
    return send(admin(), what, {.name = name}, parse(body));
  }
  Answer submit(const std::string& queue, const std::string& name, std::string_view body) {
    return send(admin(), Do::job_put, {.name = name, .queue = queue}, parse(body));
  }
  Answer by_service(Do what, const std::string& name) {
    Command command{.what = what, .target = {.name = name}, .by_service = true};
    const Answer answer = decider.apply(command, now, wall);
    settle();
    return answer;
  }
  Answer get(Query query, const Caller& caller = admin()) const { return reader.get(query, caller); }
  Json job(const std::string& queue, const std::string& name) const {
    return get({.what = Ask::job, .name = name, .queue = queue}).body;
  }

  void settle() {
    while (decider.wants_steps()) decider.decide(1'000, now, wall);
    const Batch batch = decider.take_batch();
    now += std::chrono::seconds(1);
    wall += std::chrono::seconds(1);
    if (batch.empty()) return;
    decider.committed(batch.last);
    log.push_back(batch);
    const auto happened = reader.apply(batch);
    ASSERT_TRUE(happened) << describe(happened.error());
    for (const Change& change : *happened) {
      for (const Event& event : change.events) {
        const auto kinds = event_kinds();
        ASSERT_NE(std::find(kinds.begin(), kinds.end(), event.kind), kinds.end()) << event.kind;
      }
    }
    changes.insert(changes.end(), happened->begin(), happened->end());
    ASSERT_EQ(reader.snapshot(), decider.snapshot());
    ASSERT_EQ(decider.broken_invariant(), "");
  }

  Units units;
  Decider decider;
  Reader reader;
  Time now = {};
  Wall wall = *wall_of("2027-03-01T08:00:00Z");
  std::vector<Batch> log = {};
  std::vector<Change> changes = {};
};

/// Two servers of 4 CPUs and 8 GiB, one with 2 GPUs; a tenant with a queue.
inline LiveCluster small_cluster(Settings with = settings(), Others others = Others::shares) {
  LiveCluster cluster(std::move(with), others);
  cluster.put(Do::server_put, "n1", R"({"capacity":{"cpu":4,"memory":"8Gi"},"labels":{"zone":"a"}})");
  cluster.put(Do::server_put, "n2", R"({"capacity":{"cpu":4,"memory":"8Gi","gpu":2},"labels":{"zone":"b"}})");
  cluster.put(Do::tenant_put, "vision", "{}");
  cluster.put(Do::queue_put, "ml", R"({"tenant":"vision"})");
  return cluster;
}

}  // namespace mirab::live
