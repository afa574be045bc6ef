// mirab/engine.h: creation and snapshots, events, steps, and reasons. Arguments become events, results become
// statuses, and no exception leaves.
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
#include "c_api/event_structs.hpp"
#include "scheduling/persistence/record_json.hpp"

struct mirab_engine {
  mirab::scheduling::Engine engine;
  mirab::Random random{0};
  mutable std::string error = {};  ///< why the last call was refused; a query may be refused too
  std::optional<mirab::scheduling::Placed> last_step = {};  ///< what came of it
};

namespace mirab::c_api {

inline Time at(std::int64_t now) { return Time(Duration(now)); }

inline mirab_placed plain(const scheduling::Placed& placed) {
  return {.task = static_cast<mirab_id>(placed.task),
          .job = static_cast<mirab_id>(placed.job),
          .user = static_cast<mirab_id>(placed.user),
          .server = static_cast<mirab_id>(placed.server)};
}

inline mirab_status refused(mirab_engine& engine, const Error& error) {
  engine.error = describe(error);
  return MIRAB_REFUSED;
}

inline mirab_status invalid(const mirab_engine& engine, const Error& error) {
  engine.error = describe(error);
  return MIRAB_INVALID;
}

/// What `act` returns; MIRAB_INVALID when the engine or one of the arguments is NULL; MIRAB_FAILED when `act`
/// throws, since only memory can run out here.
template <class Act>
mirab_status guarded(const mirab_engine* engine, std::initializer_list<Required> arguments,
                     const Act& act) noexcept {
  if (engine == nullptr) return MIRAB_INVALID;
  try {
    engine->error.clear();
    if (const Check wrong = check_arguments(arguments)) return invalid(*engine, *wrong);
    return act();
  } catch (const std::exception&) {
    return MIRAB_FAILED;
  }
}

/// An output that the caller may leave out.
template <class Value>
void give(const Value& value, Value* to) {
  if (to != nullptr) *to = value;
}

}  // namespace mirab::c_api

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

// What the engine decides: steps, all that came of one, and which servers are kept.

namespace {

using namespace mirab::scheduling;
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

mirab_reservation plain(const Reservation& kept) {
  return {.server = static_cast<mirab_id>(kept.server),
          .job = static_cast<mirab_id>(kept.job),
          .user = static_cast<mirab_id>(kept.user),
          .since = kept.since.time_since_epoch().count()};
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

mirab_status mirab_task_role(const mirab_engine* engine, mirab_id task, int64_t* role) {
  return guarded(engine, {}, [&] {
    const auto running = engine->engine.task(TaskId{task});
    if (!running) return MIRAB_NOTHING;
    give(running->role, role);
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

// Why a task waits, as a struct that may grow and as text; why one is placed, as text.

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
  return mirab::c_api::guarded(engine, {}, [&] {
    WhyPlaced why;
    engine->last_step = engine->engine.step(mirab::c_api::at(now), engine->random, why);
    if (!engine->last_step) return MIRAB_NOTHING;
    mirab::c_api::give(mirab::c_api::plain(*engine->last_step), placed);
    mirab::c_api::write(describe(why, engine->engine.options().resources), text, text_size);
    return MIRAB_OK;
  });
}

mirab_status mirab_why_waiting(mirab_engine* engine, int64_t now, mirab_id job, mirab_why* why,
                               int64_t* to_free, char* text, size_t text_size) {
  return mirab::c_api::guarded(engine, {}, [&] {
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
