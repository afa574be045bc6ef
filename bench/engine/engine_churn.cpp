#include "engine/engine_churn.hpp"

#include <algorithm>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::bench {

using namespace scheduling;

namespace {

Choice named(const char* name) { return {.name = name, .options = {}, .text = name}; }

/// The groups of the users, the n-th in the n-th, over and over.
std::vector<GroupId> add_groups(Engine& engine) {
  std::vector<GroupId> all;
  const auto add = [&](GroupId parent) {
    all.push_back(*engine.apply(GroupAdded{.name = "group", .parent = parent}, {}));
  };
  for (std::size_t top = 0; top < 10; ++top) add(kCluster);
  for (std::size_t middle = 0; middle < 100; ++middle) add(all[middle % 10]);
  for (std::size_t low = 0; low < 890; ++low) add(all[10 + low % 100]);
  return {all.begin() + 110, all.end()};
}

}  // namespace

Engine engine_of(const Churn& churn, const char* discipline, const char* placement, Shape shape,
                 Force force) {
  EngineOptions options{
      .resources = {"cpu", "memory"}, .discipline = named(discipline), .placement = named(placement)};
  if (force == Force::preemption) options.preemption = {.tasks = INT64_MAX, .per = Duration(1)};
  Engine engine = *Engine::from(options);
  const Time start{};
  for (const Units& machine : churn.machines)
    (void)*engine.apply(ServerAdded{.name = "machine", .capacity = machine}, start);
  const std::vector<GroupId> groups =
      shape == Shape::tree ? add_groups(engine) : std::vector<GroupId>{kCluster};
  std::size_t next = 0;
  for (const Units& demand : churn.demands) {
    const UserId user =
        *engine.apply(UserAdded{.name = "user", .group = groups[next++ % groups.size()]}, start);
    (void)engine.apply(JobSubmitted{.user = user, .demand = demand, .tasks = INT64_MAX}, start);
  }
  return engine;
}

EngineChurn::EngineChurn(const Churn& churn, const char* discipline, const char* placement, Until until,
                         std::uint64_t seed, Shape shape, Force force)
    : churn_(churn),
      engine_(engine_of(churn, discipline, placement, shape, force)),
      until_(until),
      taken_(churn),
      random_(seed) {
  while (serve()) continue;
  decisions_ = preempted_ = 0;
}

void EngineChurn::finish() {
  std::swap(running_[random_.below(running_.size())], running_.back());
  const auto [task, user] = running_.back();
  running_.pop_back();
  taken_.give(churn_.demands[user]);
  const Check bad = engine_.apply(TaskFinished{task}, {});
  MIRAB_ASSERT(!bad, "a running task can finish");
}

bool EngineChurn::serve() {
  if (until_ == Until::filled && taken_.is_filled()) return false;
  const std::optional<Placed> placed = engine_.step({}, random_);
  if (!placed) return false;
  for (const Preempted& ended : placed->preempted) {
    const auto at = std::find_if(running_.begin(), running_.end(),
                                 [&](const Running& each) { return each.task == ended.task; });
    taken_.give(churn_.demands[at->user]);
    *at = running_.back();
    running_.pop_back();
    ++preempted_;
  }
  const auto user = static_cast<std::uint32_t>(static_cast<std::uint64_t>(placed->user));
  taken_.take(churn_.demands[user]);
  running_.push_back({.task = placed->task, .user = user});
  ++decisions_;
  return true;
}

}  // namespace mirab::bench
