// The state is built up as events build it. Each step is checked before it is made, so that bytes which say
// what no engine can be lead to an error; at the end all invariants are checked once more.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/cbor_guard.hpp"
#include "scheduling/engine_json.hpp"
#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

void Engine::State::read_rounds(const JsonReader& json) {
  constexpr std::int64_t kMostRounds = INT64_MAX / 2;
  const auto present = json["present"].integer<std::int64_t>(0, kMostRounds);
  std::vector<std::int64_t> next = json["next"].integers<std::int64_t>(0, present + 1);
  if (next.size() != accounts.resource_count()) json.refuse("one number a resource is expected here");
  if (!json.failed()) standing.rounds = Rounds(std::move(next), present);
}

void Engine::State::read_not_counted(const JsonReader& json) {
  if (!balance) return;
  for (const std::uint32_t task : json.integers<std::uint32_t>(0, kMostNumber)) {
    if (!accounts.tasks.holds(task)) return json.refuse(fmt::format("there is no task {}", task));
    balance->leave_out(task);
  }
  for (std::uint32_t task = 0; task < accounts.tasks.end(); ++task) {
    if (!accounts.tasks.holds(task) || !balance->counts(task)) continue;
    const TaskRow& row = accounts.tasks[task];
    balance->count(accounts.park, row.server,
                   accounts.demand(accounts.queues[accounts.jobs[row.job].queue], row.server));
  }
}

void Engine::State::read_usage(const JsonReader& json) {
  if (!standing.usage) return;
  const std::int64_t latest = now.time_since_epoch().count();
  const JsonReader refreshed = json["refreshed"];
  if (!refreshed.is_null())
    standing.usage->set_refreshed(Time(Duration(refreshed.integer<std::int64_t>(INT64_MIN, latest))));
  // A user holds at most all of every resource, and so its usage is at most that.
  const std::vector<double>& scale = standing.scale.rounded;
  const double most = std::accumulate(scale.begin(), scale.end(), 0.0) * (1 + 1e-9);
  const std::vector<JsonReader> rows = json["users"].items(accounts.users.size());
  for (std::uint32_t user = 0, row = 0; !json.failed() && user < accounts.users.end(); ++user) {
    if (!accounts.users.holds(user)) continue;
    const std::vector<JsonReader> parts = rows[row++].items(3);
    if (json.failed()) return;
    standing.usage->set_row(user, {.usage = parts[0].number(0, most),
                                   .key = parts[1].number(0, most),
                                   .since = Time(Duration(parts[2].integer<std::int64_t>(INT64_MIN, latest))),
                                   .share = whom.discipline->share(standing, user)});
  }
}

void Engine::State::read_reservations(const JsonReader& json) {
  const std::int64_t latest = now.time_since_epoch().count();
  const auto time_of = [&](const JsonReader& time) {
    return Time(Duration(time.integer<std::int64_t>(INT64_MIN, latest)));
  };
  const JsonReader looked = json["looked"];
  if (!looked.is_null()) reservations->looked = time_of(looked);
  const std::vector<JsonReader> of_users = json["since"].items(accounts.users.size());
  for (std::uint32_t user = 0, row = 0; !json.failed() && user < accounts.users.end(); ++user) {
    if (!accounts.users.holds(user)) continue;
    const std::vector<std::uint32_t>& queues = accounts.users[user].queues;
    const std::vector<JsonReader> times = of_users[row++].items(queues.size());
    for (std::size_t at = 0; !json.failed() && at < queues.size(); ++at)
      accounts.queues[queues[at]].since = time_of(times[at]);
  }
  json["kept"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(4);
    if (json.failed()) return;
    const auto server = parts[0].integer<std::uint32_t>(0, kMostNumber);
    const auto user = parts[1].integer<std::uint32_t>(0, kMostNumber);
    const auto shape = parts[2].integer<std::uint32_t>(0, kMostNumber);
    const Time since = time_of(parts[3]);
    if (json.failed()) return;
    if (!accounts.park.is_open(server)) return item.refuse("a server that cannot be kept");
    const std::uint32_t queue = accounts.users.holds(user) ? accounts.find_queue(user, shape) : kNone;
    if (queue == kNone) return item.refuse("a server is kept for nobody");
    accounts.park.close(server);
    reservations->kept.push_back({.server = server, .queue = queue, .since = since});
  });
  for (const std::uint32_t task : json["met"].integers<std::uint32_t>(0, kMostNumber)) {
    if (!accounts.tasks.holds(task)) return json["met"].refuse(fmt::format("there is no task {}", task));
    if (!reservations->met.insert(task).second) return json["met"].refuse("a task is named twice");
  }
}

void Engine::State::read_preemption(const JsonReader& json) {
  const std::int64_t latest = now.time_since_epoch().count();
  Preemption::Memory memory;
  std::int64_t first = INT64_MIN;
  std::int64_t left = options.preemption->tasks;
  json["ended"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(2);
    if (json.failed()) return;
    first = parts[0].integer<std::int64_t>(first, latest);
    const auto tasks = parts[1].integer<std::int64_t>(1, std::max<std::int64_t>(left, 1));
    if (left < tasks) return item.refuse("more tasks than may be preempted");
    left -= tasks;
    memory.ended.emplace_back(Time(Duration(first)), tasks);
  });
  const JsonReader again = json["again"];
  memory.is_futile = !again.is_null();
  if (memory.is_futile) memory.again = Time(Duration(again.integer<std::int64_t>(INT64_MIN, INT64_MAX)));
  if (!json.failed()) preemption->set_memory(std::move(memory));
}

void Engine::State::read_race(const JsonReader& json) {
  refresh();
  for (std::uint32_t user = 0; user < accounts.users.end(); ++user) {
    if (!accounts.users.holds(user)) continue;
    for (const std::uint32_t queue : accounts.users[user].queues) {
      if (accounts.queues[queue].first_job != kNone)
        race.enter(queue, lanes_of(accounts.queues[queue].shape));
    }
  }
  std::set<std::uint32_t> something_freed;
  for (const std::uint32_t server : json["freed"].integers<std::uint32_t>(0, kMostNumber)) {
    if (!accounts.servers.holds(server)) return json["freed"].refuse("there is no such server");
    something_freed.insert(server);
    freed.add(server);
  }
  const auto fits = [&](std::uint32_t shape, std::uint32_t lane) {
    if (accounts.shapes.terms(shape) != nullptr)
      return batch_fits(accounts.queues[race.first(shape, lane).queue].first_job, kind_of_lane(lane));
    for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
      const bool in_lane = whom.discipline->lanes != Lanes::kinds || accounts.servers[server].kind == lane;
      if (in_lane && has_room(shape, server) && !something_freed.contains(server)) return true;
    }
    return false;
  };
  json["aside"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(2);
    if (json.failed()) return;
    const auto lane = parts[0].integer<std::uint32_t>(0, kMostNumber);
    for (const std::uint32_t shape : parts[1].integers<std::uint32_t>(0, kMostNumber)) {
      if (json.failed()) return;
      if (!race.waits(shape, lane) || race.is_aside(shape, lane) || fits(shape, lane))
        return parts[1].refuse("a wish that does not wait there, or has room, is aside");
      race.set_aside(shape, lane);
    }
  });
  keys_are_stale = json["stale"].truth();
}

void Engine::State::read(const JsonReader& json) {
  now = Time(Duration(json["now"].integer<std::int64_t>(INT64_MIN, INT64_MAX)));
  jobs_before = json["jobs_before"].integer<std::uint64_t>(0, UINT64_MAX);
  waits_before = json["waits_before"].integer<std::uint64_t>(0, UINT64_MAX);
  read_rounds(json["rounds"]);
  read_accounts(json);
  if (json.failed()) return;
  last_used = json["last_used"].integer<std::uint32_t>(0, std::max(accounts.servers.end(), 1U) - 1);
  read_not_counted(json["not_counted"]);
  read_usage(json["usage"]);
  if (reservations) read_reservations(json["reservations"]);
  if (preemption) read_preemption(json["preemption"]);
  if (!json.failed()) read_race(json);
}

Result<Engine> restore(std::string_view bytes) {
  if (Check bad = check_cbor(bytes)) return *std::move(bad);
  const Json whole = Json::from_cbor(bytes, true, false);
  std::optional<Error> wrong;
  const JsonReader json(whole, wrong);
  if (json["mirab"].text() != "engine") json.refuse("this is no snapshot of an engine");
  json["version"].integer<int>(kSnapshotVersion, kSnapshotVersion);
  EngineOptions options = options_of(json["options"]);
  if (wrong) return *std::move(wrong);
  Result<Engine> engine = Engine::from(std::move(options));
  if (!engine) return engine.error();
  engine->state_->read(json);
  if (!wrong) {
    const std::string broken = engine->broken_invariant();
    if (!broken.empty()) wrong = Error{.message = broken};
  }
  if (wrong) return *std::move(wrong);
  return engine;
}

}  // namespace mirab::scheduling
