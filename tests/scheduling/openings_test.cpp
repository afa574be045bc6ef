// How many tasks of a job can start, against trying all ways to put them.
#include <algorithm>
#include <gtest/gtest.h>

#include <mirab/model/random.hpp>

#include "random_cases.hpp"
#include "scheduling/constraints/constraints.hpp"

namespace mirab::scheduling {
namespace {

using Counts = IndexedVector<ServerIndex, std::int64_t>;

/// Servers, one job with terms, and what is free after its tasks and others have started.
struct Small {
  Ledger ledger{1};
  JobIndex job;
  IndexedVector<ServerIndex, std::string> zones, racks;
  Counts running;  // tasks of the job
};

constexpr std::int64_t kDemand = 2;

Small random_small(Random& random) {
  Small small;
  const std::size_t servers = 1 + random.below(5);
  JobSubmitted wish{.user = {}, .demand = {kDemand}};
  if (random.below(2) == 0) wish.per_server = 1 + static_cast<std::int64_t>(random.below(3));
  if (random.below(4) > 0)
    wish.spread = Spread{.label = "rack", .most_apart = 1 + static_cast<std::int64_t>(random.below(3))};
  if (random.below(3) == 0) wish.pack = "zone";
  wish.gang = wish.tasks = 1'000;
  for (const ServerIndex server : Indices<ServerIndex>(servers)) {
    const Amounts capacity = {static_cast<std::int64_t>(random.below(9))};
    const std::string zone(1, static_cast<char>('a' + random.below(2)));
    const std::string rack(1, static_cast<char>('1' + random.below(3)));
    small.zones.push_back(zone);
    small.racks.push_back(rack);
    small.ledger.server_pool.add(capacity);
    small.ledger.servers.add_at(server, {});
    small.ledger.task_classes.eligibility.server_added(
        server, {.name = "s", .labels = {{"zone", zone}, {"rack", rack}}});
  }
  const UserIndex user = small.ledger.add_user({.name = "u", .weight = {}});
  const TaskClassIndex task_class = small.ledger.task_classes.hold(wish);
  small.job = small.ledger.jobs.add({.queue = small.ledger.add_queue(user, task_class), .waiting = 1'000});
  small.ledger.enqueue(small.job);
  // Tasks that started when spread was another matter, and tasks of others.
  small.running.resize(servers);
  const std::string zone = small.zones[ServerIndex(static_cast<std::uint32_t>(random.below(servers)))];
  for (const ServerIndex server : Indices<ServerIndex>(servers)) {
    const auto most =
        std::min(wish.per_server.value_or(9), small.ledger.server_pool.free(server)[0] / kDemand);
    if (random.below(2) == 0 || (wish.pack && small.zones[server] != zone)) continue;
    for (auto tasks = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
         tasks > 0; --tasks) {
      small.ledger.start(small.job, server, {});
      ++small.running[server];
    }
  }
  for (const ServerIndex server : Indices<ServerIndex>(servers)) {
    const std::int64_t free = small.ledger.server_pool.free(server)[0];
    const Amounts taken = {static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(free) + 1))};
    if (random.below(2) == 0) small.ledger.server_pool.take(server, taken);
    if (random.below(8) > 0) continue;
    small.ledger.servers[server].drained = true;
    small.ledger.server_pool.close(server);
  }
  return small;
}

/// All ways to put tasks, one after the other, by the rules as they are said.
class AllWays {
 public:
  explicit AllWays(const Small& small)
      : small_(small), terms_(*small.ledger.task_classes.terms(TaskClassIndex(0))) {}

  bool may_go(const Counts& counts, ServerIndex server) const {
    const std::int64_t placed = counts[server] - small_.running[server];
    const std::vector<std::int64_t> next = {kDemand * (placed + 1)};
    if (!small_.ledger.server_pool.has_room(server, next)) return false;
    if (counts[server] >= terms_.per_server.value_or(INT64_MAX)) return false;
    for (const ServerIndex other : counts.indices()) {
      if (terms_.pack && counts[other] > 0 && small_.zones[other] != small_.zones[server]) return false;
    }
    if (!terms_.spread) return true;
    const auto is_domain = [&](ServerIndex other) {
      return small_.ledger.server_pool.is_open(other) &&
             small_.ledger.server_pool.capacity(other)[0] >= kDemand &&
             (!terms_.pack || small_.zones[other] == small_.zones[server]);
    };
    const auto count = [&](const std::string& rack) {
      std::int64_t sum = 0;
      for (const ServerIndex other : counts.indices())
        if (small_.racks[other] == rack) sum += counts[other];
      return sum;
    };
    for (const ServerIndex other : counts.indices()) {
      if (is_domain(other) &&
          count(small_.racks[server]) + 1 > count(small_.racks[other]) + terms_.spread->most_apart)
        return false;
    }
    return true;
  }

  /// The most and the fewest tasks with which it can come to an end from here.
  std::pair<std::int64_t, std::int64_t> ends(const Counts& counts) {
    const auto known = known_.find(counts);
    if (known != known_.end()) return known->second;
    std::pair<std::int64_t, std::int64_t> most_and_fewest = {0, INT64_MAX};
    for (const ServerIndex server : counts.indices()) {
      if (!may_go(counts, server)) continue;
      Counts more = counts;
      ++more[server];
      const auto [most, fewest] = ends(more);
      most_and_fewest.first = std::max(most_and_fewest.first, most + 1);
      most_and_fewest.second = std::min(most_and_fewest.second, fewest + 1);
    }
    if (most_and_fewest.second == INT64_MAX) most_and_fewest.second = 0;
    return known_[counts] = most_and_fewest;
  }

 private:
  const Small& small_;
  const PlacementConstraints& terms_;
  std::map<Counts, std::pair<std::int64_t, std::int64_t>> known_;
};

/// Do the terms allow the first task of the batch there, and has the server room for it?
bool may_be_first(const Small& small, const std::optional<GangFeasibility::First>& first,
                  ServerIndex server) {
  return first && (first->is_any || first->servers.contains(server)) &&
         small.ledger.has_room(TaskClassIndex(0), server);
}

TEST(GangFeasibility, AreWhatAllWaysToPutTheTasksGive) {
  std::int64_t with_spread = 0, stopped = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(4'000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Small small = random_small(random);
    const GangFeasibility gang_feasibility(small.ledger, small.job);
    AllWays all(small);
    const auto [most, fewest] = all.ends(small.running);
    ASSERT_EQ(gang_feasibility.max_tasks(), most);
    const PlacementConstraints& terms = *small.ledger.task_classes.terms(TaskClassIndex(0));
    ASSERT_TRUE(terms.pack || most == fewest) << "the order does not matter";
    for (std::int64_t batch = 1; batch <= most + 1; ++batch) {
      const std::optional<GangFeasibility::First> first = gang_feasibility.first_of(batch);
      ASSERT_EQ(gang_feasibility.has_room_for(batch), batch <= most);
      for (const ServerIndex server : small.running.indices()) {
        bool leaves_room = all.may_go(small.running, server);
        if (leaves_room) {
          Counts more = small.running;
          ++more[server];
          leaves_room = all.ends(more).second + 1 >= batch;
        }
        ASSERT_EQ(may_be_first(small, first, server), leaves_room)
            << "a batch of " << batch << ", server " << server.number();
      }
    }
    if (terms.spread) ++with_spread;
    if (terms.spread && most == 0) ++stopped;
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(with_spread, 2'000);
  EXPECT_GT(stopped, 100);
}

TEST(GangFeasibility, KeepsUpWithTasksThatStartAndEnd) {
  std::int64_t starts = 0, ends = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(2'000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Small small = random_small(random);
    GangFeasibility kept(small.ledger, small.job);
    for (int step = 0; step < 12; ++step) {
      std::vector<TaskIndex> tasks;
      small.ledger.for_each_task_of(small.job, [&](TaskIndex task) { tasks.push_back(task); });
      const ServerIndex server(static_cast<std::uint32_t>(random.below(small.running.size())));
      if (!tasks.empty() && random.below(3) == 0) {
        const TaskIndex task = tasks[random.below(tasks.size())];
        const ServerIndex there = small.ledger.tasks[task].server;
        small.ledger.end(task);
        kept.task_ended(there);
        ++ends;
      } else if (small.ledger.has_room(TaskClassIndex(0), server)) {  // whatever the terms say: adopted
        small.ledger.start(small.job, server, {});
        kept.task_started(server);
        ++starts;
      }
      GangFeasibility again(small.ledger, small.job);
      ASSERT_EQ(kept.running(), again.running());
      ASSERT_EQ(kept.max_tasks(), again.max_tasks());
      const ServerSet* const allowed = kept.allowed();
      const ServerSet* const should = again.allowed();
      ASSERT_EQ(allowed == nullptr, should == nullptr);
      if (allowed == nullptr) continue;
      for (const ServerIndex each : small.running.indices())
        ASSERT_EQ(allowed->contains(each), should->contains(each)) << "server " << each.number();
    }
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(starts, 5'000);
  EXPECT_GT(ends, 2'000);
}

TEST(GangFeasibility, AreCountedBeyond64Bits) {
  Ledger ledger(2);
  JobSubmitted wish{.user = {}, .demand = {1, 0}, .tasks = INT64_MAX, .demand_on = {{"t", {0, 1}}}};
  wish.spread = Spread{.label = "zone", .most_apart = INT64_MAX};
  for (const ServerIndex server : {ServerIndex(0), ServerIndex(1)}) {
    ledger.server_pool.add(server == kFirstServer ? Amounts{INT64_MAX, 0} : Amounts{0, INT64_MAX});
    ledger.servers.add_at(server, {});
    ledger.task_classes.eligibility.server_added(server,
                                                 {.name = server == kFirstServer ? "s" : "t",
                                                  .labels = {{"zone", server == kFirstServer ? "a" : "b"}}});
  }
  const TaskClassIndex task_class = ledger.task_classes.hold(wish);
  const GangFeasibility gang_feasibility(ledger, task_class, *ledger.task_classes.terms(task_class),
                                         ledger.task_classes.domains(task_class),
                                         GangFeasibility::Emptied::open);
  EXPECT_EQ(gang_feasibility.max_tasks(), INT64_MAX);
  EXPECT_TRUE(gang_feasibility.first_of(INT64_MAX)->servers.contains(ServerIndex(1)));
}

}  // namespace
}  // namespace mirab::scheduling
