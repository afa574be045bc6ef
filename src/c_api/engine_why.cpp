// Why a task waits, as a struct that may grow and as text; why one is placed, as text.
#include <algorithm>
#include <cmath>

#include "c_api/engine_handle.hpp"
#include "c_api/sized.hpp"
#include "c_api/text.hpp"

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
  return mirab::c_api::guarded(*engine, [&] {
    WhyPlaced why;
    engine->last_step = engine->engine.step(mirab::c_api::at(now), engine->random, why);
    if (!engine->last_step) return MIRAB_NOTHING;
    *placed = mirab::c_api::plain(*engine->last_step);
    mirab::c_api::write(describe(why, engine->engine.options().resources), text, text_size);
    return MIRAB_OK;
  });
}

mirab_status mirab_why_waiting(mirab_engine* engine, int64_t now, mirab_id job, mirab_why* why,
                               int64_t* to_free, char* text, size_t text_size) {
  return mirab::c_api::guarded(*engine, [&] {
    const auto found = engine->engine.why_waiting(JobId{job}, mirab::c_api::at(now));
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
