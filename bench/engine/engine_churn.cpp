#include "engine/engine_churn.hpp"

#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::bench {

using namespace scheduling;

namespace {

Choice named(const char* name) { return {.name = name, .options = {}, .text = name}; }

}  // namespace

Engine engine_of(const Churn& churn, const char* discipline, const char* placement) {
  Engine engine = *Engine::from(
      {.resources = {"cpu", "memory"}, .discipline = named(discipline), .placement = named(placement)});
  const Time start{};
  for (const Units& machine : churn.machines)
    (void)*engine.apply(ServerAdded{.name = "machine", .capacity = machine}, start);
  for (const Units& demand : churn.demands) {
    const UserId user = *engine.apply(UserAdded{.name = "user"}, start);
    (void)engine.apply(JobSubmitted{.user = user, .demand = demand, .tasks = INT64_MAX}, start);
  }
  return engine;
}

EngineChurn::EngineChurn(const Churn& churn, const char* discipline, const char* placement, Until until,
                         std::uint64_t seed)
    : churn_(churn),
      engine_(engine_of(churn, discipline, placement)),
      until_(until),
      taken_(churn),
      random_(seed) {
  while (serve()) continue;
  decisions_ = 0;
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
  const auto user = static_cast<std::uint32_t>(static_cast<std::uint64_t>(placed->user));
  taken_.take(churn_.demands[user]);
  running_.push_back({.task = placed->task, .user = user});
  ++decisions_;
  return true;
}

}  // namespace mirab::bench
