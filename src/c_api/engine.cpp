// The engine behind plain functions. Nothing is decided here: arguments become events, results become
// statuses, and no exception leaves.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "c_api/engine_handle.hpp"
#include "c_api/sized.hpp"

namespace {

using namespace mirab::scheduling;
using mirab::Check;
using mirab::Result;
using mirab::c_api::at;
using mirab::c_api::guarded;
using mirab::c_api::refused;

Amounts amounts(const mirab_engine& engine, const std::int64_t* units) {
  return {units, units + engine.engine.options().resources.size()};
}

template <class Event>
mirab_status apply(mirab_engine& engine, std::int64_t now, const Event& event) {
  const Check bad = engine.engine.apply(event, at(now));
  return bad ? refused(engine, *bad) : MIRAB_OK;
}

template <class Event>
mirab_status apply_for_id(mirab_engine& engine, std::int64_t now, const Event& event, mirab_id* id) {
  const auto given = engine.engine.apply(event, at(now));
  if (!given) return refused(engine, given.error());
  *id = static_cast<mirab_id>(*given);
  return MIRAB_OK;
}

template <class Event>
mirab_status apply_for_lost(mirab_engine& engine, std::int64_t now, const Event& event, mirab_on_lost on_lost,
                            void* context) {
  const Result<std::vector<Lost>> lost = engine.engine.apply(event, at(now));
  if (!lost) return refused(engine, lost.error());
  for (const Lost& task : *lost) {
    if (on_lost != nullptr)
      on_lost(context, static_cast<mirab_id>(task.task), static_cast<mirab_id>(task.job));
  }
  return MIRAB_OK;
}

/// Bytes of the first version of mirab_terms.
constexpr std::size_t kFirstTerms = offsetof(mirab_terms, pack) + sizeof(mirab_terms::pack);

void add(const mirab_terms& terms, JobSubmitted& event) {
  if (terms.gang != 0) event.gang = terms.gang;
  if (terms.per_server != 0) event.per_server = terms.per_server;
  if (terms.spread != nullptr)
    event.spread = {.label = terms.spread, .most_apart = terms.most_apart != 0 ? terms.most_apart : 1};
  if (terms.pack != nullptr) event.pack = terms.pack;
}

}  // namespace

const char* mirab_engine_error(const mirab_engine* engine) { return engine->error.c_str(); }

mirab_status mirab_server_added(mirab_engine* engine, int64_t now, const char* name, const int64_t* capacity,
                                const mirab_label* labels, size_t label_count, mirab_id* server) {
  return guarded(*engine, [&] {
    ServerAdded event{.name = name, .capacity = amounts(*engine, capacity)};
    for (std::size_t k = 0; k < label_count; ++k) event.labels[labels[k].name] = labels[k].value;
    return apply_for_id(*engine, now, event, server);
  });
}

mirab_status mirab_server_changed(mirab_engine* engine, int64_t now, mirab_id server,
                                  const int64_t* capacity) {
  return guarded(*engine, [&] {
    return apply(*engine, now,
                 ServerChanged{.server = ServerId{server}, .capacity = amounts(*engine, capacity)});
  });
}

mirab_status mirab_server_drained(mirab_engine* engine, int64_t now, mirab_id server) {
  return guarded(*engine, [&] { return apply(*engine, now, ServerDrained{ServerId{server}}); });
}

mirab_status mirab_server_reopened(mirab_engine* engine, int64_t now, mirab_id server) {
  return guarded(*engine, [&] { return apply(*engine, now, ServerReopened{ServerId{server}}); });
}

mirab_status mirab_server_removed(mirab_engine* engine, int64_t now, mirab_id server) {
  return guarded(*engine, [&] { return apply(*engine, now, ServerRemoved{ServerId{server}}); });
}

mirab_status mirab_server_failed(mirab_engine* engine, int64_t now, mirab_id server, mirab_on_lost on_lost,
                                 void* context) {
  return guarded(*engine, [&] {
    return apply_for_lost(*engine, now, ServerFailed{ServerId{server}}, on_lost, context);
  });
}

mirab_status mirab_user_added(mirab_engine* engine, int64_t now, const char* name, const char* weight,
                              mirab_id* user) {
  return guarded(*engine, [&] {
    const Result<mirab::Quantity> phi = mirab::Quantity::parse(weight);
    if (!phi) return refused(*engine, phi.error());
    return apply_for_id(*engine, now, UserAdded{.name = name, .weight = *phi}, user);
  });
}

mirab_status mirab_user_reweighted(mirab_engine* engine, int64_t now, mirab_id user, const char* weight) {
  return guarded(*engine, [&] {
    const Result<mirab::Quantity> phi = mirab::Quantity::parse(weight);
    if (!phi) return refused(*engine, phi.error());
    return apply(*engine, now, UserReweighted{.user = UserId{user}, .weight = *phi});
  });
}

mirab_status mirab_user_removed(mirab_engine* engine, int64_t now, mirab_id user) {
  return guarded(*engine, [&] { return apply(*engine, now, UserRemoved{UserId{user}}); });
}

mirab_status mirab_job_submitted(mirab_engine* engine, int64_t now, mirab_id user, const int64_t* demand,
                                 int64_t tasks, const char* const* servers, size_t server_count,
                                 const mirab_label* select, size_t select_count, mirab_id* job) {
  return mirab_job_submitted_with(engine, now, user, demand, tasks, servers, server_count, select,
                                  select_count, nullptr, job);
}

mirab_status mirab_job_submitted_with(mirab_engine* engine, int64_t now, mirab_id user, const int64_t* demand,
                                      int64_t tasks, const char* const* servers, size_t server_count,
                                      const mirab_label* select, size_t select_count,
                                      const mirab_terms* terms, mirab_id* job) {
  return guarded(*engine, [&] {
    JobSubmitted event{.user = UserId{user}, .demand = amounts(*engine, demand), .tasks = tasks};
    if (servers != nullptr) event.servers.emplace(servers, servers + server_count);
    for (std::size_t k = 0; k < select_count; ++k) event.select[select[k].name].emplace_back(select[k].value);
    if (terms != nullptr) {
      const std::optional<mirab_terms> known = mirab::c_api::read_sized(*terms, kFirstTerms);
      if (!known) return refused(*engine, {.message = "sizeof(mirab_terms) is expected", .key = "size"});
      add(*known, event);
    }
    return apply_for_id(*engine, now, event, job);
  });
}

mirab_status mirab_job_cancelled(mirab_engine* engine, int64_t now, mirab_id job, mirab_on_lost on_lost,
                                 void* context) {
  return guarded(*engine,
                 [&] { return apply_for_lost(*engine, now, JobCancelled{JobId{job}}, on_lost, context); });
}

mirab_status mirab_task_finished(mirab_engine* engine, int64_t now, mirab_id task) {
  return guarded(*engine, [&] { return apply(*engine, now, TaskFinished{TaskId{task}}); });
}

mirab_status mirab_task_failed(mirab_engine* engine, int64_t now, mirab_id task) {
  return guarded(*engine, [&] { return apply(*engine, now, TaskFailed{TaskId{task}}); });
}

mirab_status mirab_user_state(const mirab_engine* engine, mirab_id user, int64_t* used, int64_t* running,
                              double* dominant_share) {
  return guarded([&] {
    const auto state = engine->engine.user(UserId{user});
    if (!state) return MIRAB_NOTHING;
    if (used != nullptr) std::copy(state->used.begin(), state->used.end(), used);
    if (running != nullptr) *running = state->running;
    if (dominant_share != nullptr) *dominant_share = state->dominant_share;
    return MIRAB_OK;
  });
}

mirab_status mirab_job_state(const mirab_engine* engine, mirab_id job, int64_t* waiting, int64_t* running) {
  return guarded([&] {
    const auto state = engine->engine.job(JobId{job});
    if (!state) return MIRAB_NOTHING;
    if (waiting != nullptr) *waiting = state->waiting;
    if (running != nullptr) *running = state->running;
    return MIRAB_OK;
  });
}

mirab_status mirab_server_free(const mirab_engine* engine, mirab_id server, int64_t* free_amounts) {
  return guarded([&] {
    const auto state = engine->engine.server(ServerId{server});
    if (!state) return MIRAB_NOTHING;
    std::copy(state->free.begin(), state->free.end(), free_amounts);
    return MIRAB_OK;
  });
}
