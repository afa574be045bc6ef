// What the engine decides: steps, all that came of one, and which servers are kept.
#include <algorithm>

#include "c_api/engine_handle.hpp"

namespace {

using namespace mirab::scheduling;
using mirab::c_api::at;
using mirab::c_api::guarded;
using mirab::c_api::plain;

/// Ended tasks first: those that start take what they leave.
void tell(const Placed& placed, mirab_on_placed on_placed, mirab_on_lost on_lost, void* context) {
  if (on_lost != nullptr) {
    for (const Lost& task : placed.preempted)
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

mirab_reservation plain(const Reservation& kept) {
  return {.server = static_cast<mirab_id>(kept.server),
          .job = static_cast<mirab_id>(kept.job),
          .user = static_cast<mirab_id>(kept.user),
          .since = kept.since.time_since_epoch().count()};
}

}  // namespace

void mirab_engine_seed(mirab_engine* engine, uint64_t seed) { engine->random = mirab::Random(seed); }

mirab_status mirab_step(mirab_engine* engine, int64_t now, mirab_placed* placed) {
  return guarded(*engine, [&] {
    engine->last_step = engine->engine.step(at(now), engine->random);
    if (!engine->last_step) return MIRAB_NOTHING;
    *placed = plain(*engine->last_step);
    return MIRAB_OK;
  });
}

mirab_status mirab_last_step(const mirab_engine* engine, mirab_on_placed on_placed, mirab_on_lost on_lost,
                             void* context) {
  if (!engine->last_step) return MIRAB_NOTHING;
  tell(*engine->last_step, on_placed, on_lost, context);
  return MIRAB_OK;
}

mirab_status mirab_step_all(mirab_engine* engine, int64_t now, size_t most, mirab_on_placed on_placed,
                            mirab_on_lost on_lost, void* context) {
  return guarded(*engine, [&] {
    for (std::size_t steps = 0; steps < most; ++steps) {
      const std::optional<Placed> placed = engine->engine.step(at(now), engine->random);
      if (!placed) return steps == 0 ? MIRAB_NOTHING : MIRAB_OK;
      tell(*placed, on_placed, on_lost, context);
    }
    return most == 0 ? MIRAB_NOTHING : MIRAB_OK;
  });
}

mirab_status mirab_reservations(const mirab_engine* engine, mirab_reservation* kept, size_t size,
                                size_t* count) {
  return guarded([&] {
    const std::vector<Reservation> all = engine->engine.reservations();
    for (std::size_t k = 0; k < std::min(size, all.size()); ++k) kept[k] = plain(all[k]);
    *count = all.size();
    return MIRAB_OK;
  });
}
