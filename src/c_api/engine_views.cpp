// mirab/engine.h: what users, groups, jobs, servers and running tasks have. Changes nothing.
#include <algorithm>

#include <mirab/engine.h>
#include <mirab/scheduling/engine.hpp>

#include "c_api/boundary.hpp"
#include "c_api/engine_handle.hpp"

namespace {

using namespace mirab::scheduling;
using mirab::c_api::give;
using mirab::c_api::guarded;
using mirab::c_api::plain;

template <class Of>
void visit_tasks(const Engine& engine, Of of, mirab_on_task on_task, void* context) {
  if (on_task == nullptr) return;
  engine.for_each_task(of, [&](const Engine::TaskState& running) {
    const mirab_task task = plain(running);
    on_task(context, &task);
  });
}

mirab_reservation plain(const Reservation& kept) {
  return {.server = static_cast<mirab_id>(kept.server),
          .job = static_cast<mirab_id>(kept.job),
          .user = static_cast<mirab_id>(kept.user),
          .since = kept.since.time_since_epoch().count()};
}

}  // namespace

mirab_status mirab_user_state(const mirab_engine* engine, mirab_id user, int64_t* used, int64_t* running,
                              double* dominant_share) {
  return guarded(engine, {}, [&] {
    const auto state = engine->engine.user(UserId{user});
    if (!state) return MIRAB_NOTHING;
    if (used != nullptr) std::copy(state->used.begin(), state->used.end(), used);
    give(state->running, running);
    give(state->dominant_share, dominant_share);
    return MIRAB_OK;
  });
}

mirab_status mirab_group_state(const mirab_engine* engine, mirab_id group, int64_t* used, int64_t* running,
                               int64_t* guarantee, int64_t* unused, int64_t* lent, double* share,
                               double* key) {
  return guarded(engine, {}, [&] {
    const auto state = engine->engine.group(GroupId{group});
    if (!state) return MIRAB_NOTHING;
    const auto copy = [](const Amounts& amounts, int64_t* to) {
      if (to != nullptr) std::copy(amounts.begin(), amounts.end(), to);
    };
    copy(state->used, used);
    copy(state->guarantee, guarantee);
    copy(state->unused, unused);
    copy(state->lent, lent);
    give(state->running, running);
    give(state->share, share);
    give(state->key, key);
    return MIRAB_OK;
  });
}

mirab_status mirab_job_state(const mirab_engine* engine, mirab_id job, int64_t* waiting, int64_t* running) {
  return guarded(engine, {}, [&] {
    const auto state = engine->engine.job(JobId{job});
    if (!state) return MIRAB_NOTHING;
    give(state->waiting, waiting);
    give(state->running, running);
    return MIRAB_OK;
  });
}

mirab_status mirab_server_free(const mirab_engine* engine, mirab_id server, int64_t* free_amounts) {
  return guarded(engine, {}, [&] {
    const auto state = engine->engine.server(ServerId{server});
    if (!state) return MIRAB_NOTHING;
    if (free_amounts != nullptr) std::copy(state->free.begin(), state->free.end(), free_amounts);
    return MIRAB_OK;
  });
}

mirab_status mirab_task_role(const mirab_engine* engine, mirab_id task, int64_t* role) {
  return guarded(engine, {}, [&] {
    const auto running = engine->engine.task(TaskId{task});
    if (!running) return MIRAB_NOTHING;
    give(running->role, role);
    return MIRAB_OK;
  });
}

mirab_status mirab_task_state(const mirab_engine* engine, mirab_id task, mirab_task* state) {
  return guarded(engine, {}, [&] {
    const auto running = engine->engine.task(TaskId{task});
    if (!running) return MIRAB_NOTHING;
    give(plain(*running), state);
    return MIRAB_OK;
  });
}

mirab_status mirab_job_tasks(const mirab_engine* engine, mirab_id job, mirab_on_task on_task, void* context) {
  return guarded(engine, {}, [&] {
    if (!engine->engine.job(JobId{job})) return MIRAB_NOTHING;
    visit_tasks(engine->engine, JobId{job}, on_task, context);
    return MIRAB_OK;
  });
}

mirab_status mirab_server_tasks(const mirab_engine* engine, mirab_id server, mirab_on_task on_task,
                                void* context) {
  return guarded(engine, {}, [&] {
    if (engine->engine.capacity(ServerId{server}).empty()) return MIRAB_NOTHING;
    visit_tasks(engine->engine, ServerId{server}, on_task, context);
    return MIRAB_OK;
  });
}

mirab_status mirab_user_jobs(const mirab_engine* engine, mirab_id user, mirab_on_job on_job, void* context) {
  return guarded(engine, {}, [&] {
    if (engine->engine.used(UserId{user}).empty()) return MIRAB_NOTHING;
    if (on_job == nullptr) return MIRAB_OK;
    engine->engine.for_each_job(UserId{user}, [&](JobId job, const Engine::JobState& state) {
      on_job(context, static_cast<mirab_id>(job), state.waiting, state.running);
    });
    return MIRAB_OK;
  });
}

mirab_status mirab_reservations(const mirab_engine* engine, mirab_reservation* kept, size_t size,
                                size_t* count) {
  return guarded(engine, {}, [&] {
    if (size > 0 && kept == nullptr) return invalid(*engine, null_argument("kept"));
    const std::vector<Reservation> all = engine->engine.reservations();
    for (std::size_t k = 0; k < std::min(size, all.size()); ++k) kept[k] = plain(all[k]);
    give(all.size(), count);
    return MIRAB_OK;
  });
}
