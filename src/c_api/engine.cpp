// mirab/engine.h: how an engine comes to be, its snapshot, and events. Arguments become events, results
// become statuses.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mirab/engine.h>
#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "c_api/boundary.hpp"
#include "c_api/engine_handle.hpp"
#include "c_api/event_structs.hpp"
#include "scheduling/persistence/record_json.hpp"

// How an engine comes to be: from names, from options in JSON, from a snapshot; and the snapshot.

namespace {

using namespace mirab::scheduling;
using mirab::Error;
using mirab::Result;
using mirab::c_api::check_arguments;
using mirab::c_api::made;

Result<mirab_engine*> handle(Result<Engine> engine) {
  if (!engine) return std::move(engine).error();
  return new mirab_engine{.engine = *std::move(engine)};
}

Result<mirab_engine*> from_names(const char* const* resources, std::size_t resource_count,
                                 const char* discipline, const char* placement) {
  if (auto wrong = mirab::c_api::check_texts("resources", resources, resource_count))
    return *std::move(wrong);
  if (auto wrong = check_arguments({{"discipline", discipline}, {"placement", placement}}))
    return *std::move(wrong);
  Result<mirab::Choice> whom = mirab::choose_discipline(discipline);
  if (!whom) return whom.error();
  Result<mirab::Choice> where = mirab::choose_placement(placement);
  if (!where) return where.error();
  return handle(Engine::from({.resources = {resources, resources + resource_count},
                              .discipline = *std::move(whom),
                              .placement = *std::move(where)}));
}

Result<mirab_engine*> from_json(const char* text) {
  if (auto wrong = check_arguments({{"options", text}})) return *std::move(wrong);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error{.message = "this is not JSON"};
  std::optional<Error> wrong;
  EngineOptions options = options_of(JsonReader(json, wrong));
  if (wrong) return *std::move(wrong);
  return handle(Engine::from(std::move(options)));
}

Result<mirab_engine*> from_snapshot(const void* bytes, std::size_t length) {
  if (bytes == nullptr && length > 0) return mirab::c_api::null_argument("bytes");
  return handle(restore({static_cast<const char*>(bytes), length}));
}

}  // namespace

int mirab_engine_version() { return MIRAB_ENGINE_VERSION; }

int mirab_decision_version() { return kDecisionVersion; }

mirab_engine* mirab_engine_new(const char* const* resources, size_t resource_count, const char* discipline,
                               const char* placement, char* error, size_t size) {
  return made([&] { return from_names(resources, resource_count, discipline, placement); }, error, size);
}

mirab_engine* mirab_engine_new_with(const char* options, char* error, size_t size) {
  return made([&] { return from_json(options); }, error, size);
}

mirab_engine* mirab_engine_restore(const void* bytes, size_t length, char* error, size_t size) {
  return made([&] { return from_snapshot(bytes, length); }, error, size);
}

mirab_engine* mirab_engine_copy(const mirab_engine* engine) {
  if (engine == nullptr) return nullptr;
  try {
    return new mirab_engine{.engine = engine->engine.copy(),
                            .random = engine->random,
                            .error = engine->error,
                            .last_step = engine->last_step};
  } catch (const std::exception&) {
    return nullptr;
  }
}

void mirab_engine_free(mirab_engine* engine) { delete engine; }

size_t mirab_engine_snapshot(const mirab_engine* engine, void* bytes, size_t size) {
  if (engine == nullptr) return 0;
  try {
    const std::string all = snapshot(engine->engine);
    if (bytes != nullptr && all.size() <= size) std::copy(all.begin(), all.end(), static_cast<char*>(bytes));
    return all.size();
  } catch (const std::exception&) {
    return 0;
  }
}

// Events as structs, whose members are read by the lists of events. Nothing is decided here: structs become
// events, results become statuses, and no exception leaves.

namespace {

using namespace mirab::scheduling;
using mirab::Check;
using mirab::Result;
using mirab::c_api::at;
using mirab::c_api::give;
using mirab::c_api::guarded;
using mirab::c_api::invalid;
using mirab::c_api::null_argument;
using mirab::c_api::refused;

/// Applies the event that a struct describes, and hands on what came of it.
template <class Event, class Struct, class Give>
mirab_status apply_then(mirab_engine* engine, std::int64_t now, const Struct* described,
                        const Give& hand_on) {
  return guarded(engine, {{"event", described}}, [&] {
    mirab::c_api::StructReader reader(engine->engine.options().resources.size());
    const Event event = reader.template read<Event>(*described);
    if (reader.invalid()) return invalid(*engine, *reader.invalid());
    if (reader.refused()) return refused(*engine, *reader.refused());
    const auto result = engine->engine.apply(event, at(now));
    if constexpr (std::is_same_v<decltype(result), const Check>) {
      return result ? refused(*engine, *result) : MIRAB_OK;
    } else {
      if (!result) return refused(*engine, result.error());
      hand_on(*result);
      return MIRAB_OK;
    }
  });
}

template <class Event, class Struct>
mirab_status applied(mirab_engine* engine, std::int64_t now, const Struct* event) {
  return apply_then<Event>(engine, now, event, [] {});
}

template <class Event, class Struct>
mirab_status applied(mirab_engine* engine, std::int64_t now, const Struct* event, mirab_id* given) {
  return apply_then<Event>(engine, now, event,
                           [&](const auto& id) { give(static_cast<mirab_id>(id), given); });
}

template <class Event, class Struct>
mirab_status applied(mirab_engine* engine, std::int64_t now, const Struct* event, mirab_on_lost on_lost,
                     void* context) {
  return apply_then<Event>(engine, now, event, [&](const std::vector<Lost>& lost) {
    if (on_lost == nullptr) return;
    for (const Lost& task : lost)
      on_lost(context, static_cast<mirab_id>(task.task), static_cast<mirab_id>(task.job));
  });
}

/// A struct with nothing in it but its size.
template <class Struct>
Struct empty() {
  Struct event{};
  event.size = sizeof event;
  return event;
}

/// Bytes of the first version of mirab_terms.
constexpr std::size_t kFirstTerms = offsetof(mirab_terms, pack) + sizeof(mirab_terms::pack);

}  // namespace

const char* mirab_engine_error(const mirab_engine* engine) {
  return engine != nullptr ? engine->error.c_str() : "engine: must not be NULL";
}

mirab_status mirab_apply_server_added(mirab_engine* engine, int64_t now,
                                      const mirab_server_added_event* event, mirab_id* given) {
  return applied<ServerAdded>(engine, now, event, given);
}

mirab_status mirab_apply_server_changed(mirab_engine* engine, int64_t now,
                                        const mirab_server_changed_event* event) {
  return applied<ServerChanged>(engine, now, event);
}

mirab_status mirab_apply_server_drained(mirab_engine* engine, int64_t now,
                                        const mirab_server_drained_event* event) {
  return applied<ServerDrained>(engine, now, event);
}

mirab_status mirab_apply_server_reopened(mirab_engine* engine, int64_t now,
                                         const mirab_server_reopened_event* event) {
  return applied<ServerReopened>(engine, now, event);
}

mirab_status mirab_apply_server_removed(mirab_engine* engine, int64_t now,
                                        const mirab_server_removed_event* event) {
  return applied<ServerRemoved>(engine, now, event);
}

mirab_status mirab_apply_server_failed(mirab_engine* engine, int64_t now,
                                       const mirab_server_failed_event* event, mirab_on_lost on_lost,
                                       void* context) {
  return applied<ServerFailed>(engine, now, event, on_lost, context);
}

mirab_status mirab_apply_user_added(mirab_engine* engine, int64_t now, const mirab_user_added_event* event,
                                    mirab_id* given) {
  return applied<UserAdded>(engine, now, event, given);
}

mirab_status mirab_apply_user_reweighted(mirab_engine* engine, int64_t now,
                                         const mirab_user_reweighted_event* event) {
  return applied<UserReweighted>(engine, now, event);
}

mirab_status mirab_apply_user_removed(mirab_engine* engine, int64_t now,
                                      const mirab_user_removed_event* event) {
  return applied<UserRemoved>(engine, now, event);
}

mirab_status mirab_apply_job_submitted(mirab_engine* engine, int64_t now,
                                       const mirab_job_submitted_event* event, mirab_id* given) {
  return applied<JobSubmitted>(engine, now, event, given);
}

mirab_status mirab_apply_job_cancelled(mirab_engine* engine, int64_t now,
                                       const mirab_job_cancelled_event* event, mirab_on_lost on_lost,
                                       void* context) {
  return applied<JobCancelled>(engine, now, event, on_lost, context);
}

mirab_status mirab_apply_task_finished(mirab_engine* engine, int64_t now,
                                       const mirab_task_finished_event* event) {
  return applied<TaskFinished>(engine, now, event);
}

mirab_status mirab_apply_task_failed(mirab_engine* engine, int64_t now,
                                     const mirab_task_failed_event* event) {
  return applied<TaskFailed>(engine, now, event);
}

mirab_status mirab_apply_server_held(mirab_engine* engine, int64_t now,
                                     const mirab_server_held_event* event) {
  return applied<ServerHeld>(engine, now, event);
}

mirab_status mirab_apply_server_relabelled(mirab_engine* engine, int64_t now,
                                           const mirab_server_relabelled_event* event) {
  return applied<ServerRelabelled>(engine, now, event);
}

mirab_status mirab_apply_set_changed(mirab_engine* engine, int64_t now,
                                     const mirab_set_changed_event* event) {
  return applied<SetChanged>(engine, now, event);
}

mirab_status mirab_apply_task_adopted(mirab_engine* engine, int64_t now,
                                      const mirab_task_adopted_event* event, mirab_id* given) {
  return applied<TaskAdopted>(engine, now, event, given);
}

mirab_status mirab_apply_group_added(mirab_engine* engine, int64_t now, const mirab_group_added_event* event,
                                     mirab_id* given) {
  return applied<GroupAdded>(engine, now, event, given);
}

mirab_status mirab_apply_group_changed(mirab_engine* engine, int64_t now,
                                       const mirab_group_changed_event* event) {
  return applied<GroupChanged>(engine, now, event);
}

mirab_status mirab_apply_group_moved(mirab_engine* engine, int64_t now,
                                     const mirab_group_moved_event* event) {
  return applied<GroupMoved>(engine, now, event);
}

mirab_status mirab_apply_group_removed(mirab_engine* engine, int64_t now,
                                       const mirab_group_removed_event* event) {
  return applied<GroupRemoved>(engine, now, event);
}

mirab_status mirab_apply_user_changed(mirab_engine* engine, int64_t now,
                                      const mirab_user_changed_event* event) {
  return applied<UserChanged>(engine, now, event);
}

mirab_status mirab_apply_user_moved(mirab_engine* engine, int64_t now, const mirab_user_moved_event* event) {
  return applied<UserMoved>(engine, now, event);
}

// The same as functions with the members that events had at first.

mirab_status mirab_server_added(mirab_engine* engine, int64_t now, const char* name, const int64_t* capacity,
                                const mirab_label* labels, size_t label_count, mirab_id* server) {
  auto event = empty<mirab_server_added_event>();
  event.name = name;
  event.capacity = capacity;
  event.labels = labels;
  event.labels_count = label_count;
  return mirab_apply_server_added(engine, now, &event, server);
}

mirab_status mirab_server_changed(mirab_engine* engine, int64_t now, mirab_id server,
                                  const int64_t* capacity) {
  auto event = empty<mirab_server_changed_event>();
  event.server = server;
  event.capacity = capacity;
  return mirab_apply_server_changed(engine, now, &event);
}

mirab_status mirab_server_drained(mirab_engine* engine, int64_t now, mirab_id server) {
  auto event = empty<mirab_server_drained_event>();
  event.server = server;
  return mirab_apply_server_drained(engine, now, &event);
}

mirab_status mirab_server_reopened(mirab_engine* engine, int64_t now, mirab_id server) {
  auto event = empty<mirab_server_reopened_event>();
  event.server = server;
  return mirab_apply_server_reopened(engine, now, &event);
}

mirab_status mirab_server_removed(mirab_engine* engine, int64_t now, mirab_id server) {
  auto event = empty<mirab_server_removed_event>();
  event.server = server;
  return mirab_apply_server_removed(engine, now, &event);
}

mirab_status mirab_server_failed(mirab_engine* engine, int64_t now, mirab_id server, mirab_on_lost on_lost,
                                 void* context) {
  auto event = empty<mirab_server_failed_event>();
  event.server = server;
  return mirab_apply_server_failed(engine, now, &event, on_lost, context);
}

mirab_status mirab_user_added(mirab_engine* engine, int64_t now, const char* name, const char* weight,
                              mirab_id* user) {
  auto event = empty<mirab_user_added_event>();
  event.name = name;
  event.weight = weight;
  return mirab_apply_user_added(engine, now, &event, user);
}

mirab_status mirab_user_reweighted(mirab_engine* engine, int64_t now, mirab_id user, const char* weight) {
  auto event = empty<mirab_user_reweighted_event>();
  event.user = user;
  event.weight = weight;
  return mirab_apply_user_reweighted(engine, now, &event);
}

mirab_status mirab_user_removed(mirab_engine* engine, int64_t now, mirab_id user) {
  auto event = empty<mirab_user_removed_event>();
  event.user = user;
  return mirab_apply_user_removed(engine, now, &event);
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
  auto event = empty<mirab_job_submitted_event>();
  auto spread = empty<mirab_spread>();
  event.user = user;
  event.demand = demand;
  event.tasks = tasks;
  event.servers = servers;
  event.servers_count = server_count;
  event.select = select;
  event.select_count = select_count;
  if (terms != nullptr) {
    const std::optional<mirab_terms> known = mirab::c_api::read_sized(*terms, kFirstTerms);
    if (!known) {
      return guarded(engine, {{"demand", demand}}, [&] {
        return refused(*engine, {.message = "sizeof(mirab_terms) is expected", .key = "size"});
      });
    }
    spread.label = known->spread;
    spread.most_apart = known->most_apart != 0 ? known->most_apart : 1;
    event.gang = known->gang;
    event.per_server = known->per_server;
    event.spread = known->spread != nullptr ? &spread : nullptr;
    event.pack = known->pack;
  }
  return mirab_apply_job_submitted(engine, now, &event, job);
}

mirab_status mirab_job_cancelled(mirab_engine* engine, int64_t now, mirab_id job, mirab_on_lost on_lost,
                                 void* context) {
  auto event = empty<mirab_job_cancelled_event>();
  event.job = job;
  return mirab_apply_job_cancelled(engine, now, &event, on_lost, context);
}

mirab_status mirab_task_finished(mirab_engine* engine, int64_t now, mirab_id task) {
  auto event = empty<mirab_task_finished_event>();
  event.task = task;
  return mirab_apply_task_finished(engine, now, &event);
}

mirab_status mirab_task_failed(mirab_engine* engine, int64_t now, mirab_id task) {
  auto event = empty<mirab_task_failed_event>();
  event.task = task;
  return mirab_apply_task_failed(engine, now, &event);
}
