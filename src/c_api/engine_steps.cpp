// mirab/engine.h: steps, all that came of one, and why a task waits or is placed: as structs that may grow,
// and as text.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <mirab/engine.h>
#include <mirab/scheduling/engine.hpp>

#include "c_api/boundary.hpp"
#include "c_api/engine_handle.hpp"

namespace {

using namespace mirab::scheduling;
using mirab::c_api::at;
using mirab::c_api::give;
using mirab::c_api::guarded;
using mirab::c_api::plain;

/// Ended tasks first: those that start take what they leave.
void tell(const Placed& placed, mirab_on_placed on_placed, mirab_on_lost on_lost, void* context) {
  if (on_lost != nullptr) {
    for (const Preempted& task : placed.preempted)
      on_lost(context, static_cast<mirab_id>(task.task), static_cast<mirab_id>(task.job));
  }
  if (on_placed == nullptr) return;
  mirab_placed task = plain(placed);
  on_placed(context, &task);
  for (const Companion& other : placed.with) {
    task.task = static_cast<mirab_id>(other.task);
    task.server = static_cast<mirab_id>(other.server);
    on_placed(context, &task);
  }
}

}  // namespace

void mirab_engine_seed(mirab_engine* engine, uint64_t seed) {
  if (engine != nullptr) engine->random = mirab::Random(seed);
}

mirab_status mirab_step(mirab_engine* engine, int64_t now, mirab_placed* placed) {
  return guarded(engine, {}, [&] {
    engine->last_step = engine->engine.step(at(now), engine->random);
    if (!engine->last_step) return MIRAB_NOTHING;
    give(plain(*engine->last_step), placed);
    return MIRAB_OK;
  });
}

mirab_status mirab_last_step(const mirab_engine* engine, mirab_on_placed on_placed, mirab_on_lost on_lost,
                             void* context) {
  return guarded(engine, {}, [&] {
    if (!engine->last_step) return MIRAB_NOTHING;
    tell(*engine->last_step, on_placed, on_lost, context);
    return MIRAB_OK;
  });
}

mirab_status mirab_last_preempted(const mirab_engine* engine, mirab_on_preempted on_preempted,
                                  void* context) {
  static_assert(MIRAB_BY_GUARANTEE == static_cast<int>(Right::guarantee) &&
                MIRAB_BY_RANK == static_cast<int>(Right::rank) &&
                MIRAB_BY_TIER == static_cast<int>(Right::tier));
  return guarded(engine, {}, [&] {
    if (!engine->last_step || engine->last_step->preempted.empty()) return MIRAB_NOTHING;
    if (on_preempted == nullptr) return MIRAB_OK;
    for (const Preempted& task : engine->last_step->preempted) {
      const mirab_preempted ended = {.task = static_cast<mirab_id>(task.task),
                                     .job = static_cast<mirab_id>(task.job),
                                     .right = static_cast<mirab_right>(task.right)};
      on_preempted(context, &ended);
    }
    return MIRAB_OK;
  });
}

mirab_status mirab_step_all(mirab_engine* engine, int64_t now, size_t most, mirab_on_placed on_placed,
                            mirab_on_lost on_lost, void* context) {
  return guarded(engine, {}, [&] {
    for (std::size_t steps = 0; steps < most; ++steps) {
      const std::optional<Placed> placed = engine->engine.step(at(now), engine->random);
      if (!placed) return steps == 0 ? MIRAB_NOTHING : MIRAB_OK;
      tell(*placed, on_placed, on_lost, context);
    }
    return most == 0 ? MIRAB_NOTHING : MIRAB_OK;
  });
}

namespace {

using namespace mirab::scheduling;

mirab_why plain(const WhyWaiting& why) {
  mirab_why plain{};
  plain.waiting = why.waiting;
  plain.with_room = why.servers.with_room;
  plain.not_allowed = why.servers.not_allowed;
  plain.too_small = why.servers.too_small;
  plain.drained = why.servers.drained;
  plain.full = why.servers.full;
  plain.has_nearest = why.nearest_miss ? 1 : 0;
  if (why.nearest_miss) plain.nearest = static_cast<mirab_id>(why.nearest_miss->server);
  plain.older_jobs = why.older_jobs;
  plain.own_ahead = why.own_ahead;
  plain.users_ahead = why.users_ahead;
  plain.users_tied = why.users_tied;
  plain.has_next = why.next ? 1 : 0;
  if (why.next) {
    plain.next_user = static_cast<mirab_id>(why.next->user);
    plain.next_job = static_cast<mirab_id>(why.next->job);
    plain.next_key = why.next->key;
  }
  plain.key = why.key.value_or(std::nan(""));
  plain.with_weight = why.with_weight.value_or(std::nan(""));
  plain.kept = why.servers.kept;
  plain.pack = why.servers.pack;
  plain.per_server = why.servers.per_server;
  plain.spread = why.servers.spread;
  plain.together = why.gang ? why.gang->together : 1;
  plain.together_room = why.gang ? why.gang->room : 0;
  plain.is_next = why.is_next() ? 1 : 0;
  return plain;
}

}  // namespace

mirab_status mirab_step_and_why(mirab_engine* engine, int64_t now, mirab_placed* placed, char* text,
                                size_t text_size) {
  return guarded(engine, {}, [&] {
    WhyPlaced why;
    engine->last_step = engine->engine.step(at(now), engine->random, why);
    if (!engine->last_step) return MIRAB_NOTHING;
    give(plain(*engine->last_step), placed);
    mirab::c_api::write(describe(why, engine->engine.options().resources), text, text_size);
    return MIRAB_OK;
  });
}

mirab_status mirab_why_waiting(mirab_engine* engine, int64_t now, mirab_id job, mirab_why* why,
                               int64_t* to_free, char* text, size_t text_size) {
  return guarded(engine, {}, [&] {
    const auto found = engine->engine.why_waiting(JobId{job}, at(now));
    if (!found) return MIRAB_NOTHING;
    const std::vector<std::string>& resources = engine->engine.options().resources;
    if (why != nullptr) mirab::c_api::write_sized(plain(*found), *why);
    if (to_free != nullptr) {
      const Amounts none(resources.size(), 0);
      const Amounts& amounts = found->nearest_miss ? found->nearest_miss->to_free : none;
      std::copy(amounts.begin(), amounts.end(), to_free);
    }
    if (text != nullptr) mirab::c_api::write(describe(*found, resources), text, text_size);
    return MIRAB_OK;
  });
}
