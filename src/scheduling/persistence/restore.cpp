// An engine from a snapshot: first the check of the bytes, then the ledger, then the rest of the state.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <string_view>

#include <mirab/model/result.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/constraints/gang_feasibility.hpp"
#include "scheduling/engine_state.hpp"
#include "scheduling/persistence/engine_json.hpp"

namespace mirab::scheduling {

/// The deepest nesting of lists and objects in a snapshot.
inline constexpr int kMaxSnapshotDepth = 12;

/// Is this one whole CBOR item (RFC 8949) of definite lengths, without tags, not nested deeper than a
/// snapshot is? The parser that reads it afterwards recurses and trusts counts: what passes here does not
/// exhaust its stack or its memory. Errors name the byte. O(bytes), on no stack.
Check check_cbor(std::string_view bytes);

// An item begins with a byte of three bits for what it is and five for its argument, or for how many bytes
// the argument has (RFC 8949, section 3). Only lists and objects contain items; how many are still to come at
// each depth is all that has to be remembered.

namespace {

enum Major : unsigned { natural, negative, byte_string, text, list, object, tag, simple };

Error refused(std::string_view what, std::size_t at) {
  return {.message = fmt::format("{}, at byte {}; this is not a complete snapshot", what, at)};
}

}  // namespace

Check check_cbor(std::string_view bytes) {
  std::array<std::uint64_t, kMaxSnapshotDepth + 1> to_come{1};  // items, at each depth
  std::size_t depth = 0;
  std::size_t at = 0;
  while (depth > 0 || to_come[0] > 0) {
    if (to_come[depth] == 0) {
      --depth;
      continue;
    }
    --to_come[depth];
    if (at >= bytes.size()) return refused("the bytes end", at);
    const std::size_t begin = at;
    const auto head = static_cast<unsigned char>(bytes[at++]);
    const unsigned major = head >> 5;
    std::uint64_t argument = head & 31U;
    if (major == tag || (major == simple && argument < 20) || argument > 27)
      return refused("an item of a kind that no snapshot has", begin);
    if (argument >= 24) {
      const std::size_t width = std::size_t{1} << (argument - 24);
      if (bytes.size() - at < width) return refused("the bytes end", bytes.size());
      argument = 0;
      for (std::size_t i = 0; i < width; ++i)
        argument = argument << 8 | static_cast<unsigned char>(bytes[at++]);
    }
    const std::uint64_t left = bytes.size() - at;
    if (major == byte_string || major == text) {
      if (argument > left) return refused("a text ends after the bytes", begin);
      at += argument;
    }
    if (major != list && major != object) continue;
    const std::uint64_t most = major == list ? left : left / 2;  // an item has a byte at the least
    if (argument > most) return refused("more items than bytes", begin);
    if (depth == kMaxSnapshotDepth) return refused("items nested too deep", begin);
    to_come[++depth] = major == list ? argument : 2 * argument;
  }
  if (at < bytes.size()) return refused("something follows", at);
  return {};
}

// The accounts of a snapshot: servers come, users and jobs, and then every task starts once more, in the
// order in which it may have started. Each step is checked before it is made.

namespace {

constexpr std::uint32_t kMaxGenerations = INT32_MAX;  // then a number is used up

template <class Row, class Id>
typename Slots<Row, Id>::Numbers numbers_of(const JsonReader& json) {
  typename Slots<Row, Id>::Numbers numbers;
  numbers.generations = json["generations"].integers<std::uint32_t>(0, kMaxGenerations);
  if (const auto vacant = json.find("vacant"))
    numbers.vacant = vacant->integers<std::uint32_t>(0, kMaxNumber);
  return numbers;
}

/// Every number that holds no row is vacant once, unless it is used up; none that holds one is.
template <class Row, class Id>
bool is_consistent(const Slots<Row, Id>& slots) {
  const auto numbers = slots.numbers();
  std::vector<bool> is_vacant(slots.end(), false);
  for (const std::uint32_t number : numbers.vacant) {
    if (number >= slots.end() || is_vacant[number] || slots.holds(number)) return false;
    is_vacant[number] = true;
  }
  for (std::uint32_t number = 0; number < slots.end(); ++number) {
    const std::uint32_t generation = numbers.generations[number];
    if (slots.holds(number) && generation == kMaxGenerations) return false;
    if (!slots.holds(number) && is_vacant[number] == (generation == kMaxGenerations)) return false;
    if (is_vacant[number] && generation == 0) return false;
  }
  return true;
}

/// Reads the number of a row that is to be put into its place.
template <class Row, class Id>
std::uint32_t free_number(const JsonReader& json, const Slots<Row, Id>& slots) {
  const auto number = json.integer<std::uint32_t>(0, kMaxNumber);
  if (!json.failed() && (number >= slots.end() || slots.holds(number)))
    json.refuse("a number without a generation, or given twice");
  return number;
}

void refuse_if(const JsonReader& json, Check bad) {
  if (bad) json.refuse(bad->message);
}

}  // namespace

std::vector<std::optional<Amounts>> Engine::State::read_kinds(const JsonReader& json) {
  std::vector<std::optional<Amounts>> capacities;
  json.for_each([&](const JsonReader& item) {
    std::optional<Amounts>& capacity = capacities.emplace_back();
    if (item.is_null()) return;
    capacity = amounts_of(item);
    if (!json.failed()) refuse_if(item, check_amounts(*capacity, {}));
  });
  if (!json.failed() && !kinds.set_capacities(capacities, accounts.resource_count()))
    json.refuse("duplicate kind of server");
  return capacities;
}

void Engine::State::read_servers(const JsonReader& json,
                                 const std::vector<std::optional<Amounts>>& of_kinds) {
  accounts.servers.set_numbers(numbers_of<ServerRow, ServerId>(json));
  std::vector<std::optional<Amounts>> capacities(accounts.servers.end());
  json["present"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(5);
    if (json.failed()) return;
    const std::uint32_t server = free_number(parts[0], accounts.servers);
    const auto kind = parts[1].integer<std::uint32_t>(0, kMaxNumber);
    const Eligibility::Description description{.name = parts[2].text(), .labels = texts_of(parts[3])};
    const bool drained = parts[4].truth();
    if (!json.failed() && (kind >= of_kinds.size() || !of_kinds[kind]))
      parts[1].refuse("there is no such kind");
    if (json.failed()) return;
    capacities[server] = of_kinds[kind];
    kinds.hold(server, *capacities[server]);
    accounts.shapes.eligibility.server_added(server, description);
    accounts.servers.add_at(server, {.kind = kind, .drained = drained});
  });
  for (std::uint32_t kind = 0; !json.failed() && kind < of_kinds.size(); ++kind) {
    if (of_kinds[kind] && kinds.servers(kind) == 0) json.refuse("a kind without servers");
  }
  // Numbers of the park come in order; those of vacant servers are given and returned.
  const Amounts nothing(accounts.resource_count(), 0);
  for (const std::optional<Amounts>& capacity : capacities) {
    if (json.failed()) return;
    refuse_if(json, check_pool(capacity.value_or(nothing), {}));
    if (!json.failed()) accounts.park.add(capacity.value_or(nothing));
  }
  for (std::uint32_t server = 0; server < accounts.park.size(); ++server) {
    if (!capacities[server]) accounts.park.remove(server);
  }
}

void Engine::State::read_shapes(const JsonReader& json) {
  TaskClasses& shapes = accounts.shapes;
  json["wishes"].for_each([&](const JsonReader& item) {
    if (item.is_null()) return shapes.add_vacant();
    JobSubmitted wish{.user = {}, .demand = {}, .tasks = INT64_MAX};  // of however many tasks
    read_wish(item, wish);
    if (!json.failed()) refuse_if(item, check_job(wish));
    if (json.failed()) return;
    const std::uint32_t expected = shapes.end();
    if (shapes.hold(wish) != expected) item.refuse("duplicate wish");
  });
  const auto vacant = json["vacant"].integers<std::uint32_t>(0, kMaxNumber);
  std::vector<bool> is_vacant(shapes.end(), false);
  for (const std::uint32_t shape : vacant) {
    if (shape >= shapes.end() || shapes.holders(shape) > 0 || is_vacant[shape])
      return json.refuse("an invalid or duplicate vacant number");
    is_vacant[shape] = true;
  }
  for (std::uint32_t shape = 0; shape < shapes.end(); ++shape) {
    if (shapes.holders(shape) == 0 && !is_vacant[shape])
      return json.refuse("a number without a wish is not vacant");
  }
  shapes.set_vacant(vacant);
}

void Engine::State::read_queue(const JsonReader& json, std::uint32_t user) {
  const std::vector<JsonReader> parts = json.items(3);
  if (json.failed()) return;
  const auto shape = parts[0].integer<std::uint32_t>(0, kMaxNumber);
  const auto arrival = parts[1].integer<std::uint64_t>(0, UINT64_MAX);
  if (json.failed()) return;
  if (shape >= accounts.shapes.end() || accounts.shapes.holders(shape) == 0)
    return parts[0].refuse("there is no such wish");
  if (arrival >= waits_before) return parts[1].refuse("an arrival after the latest");
  if (accounts.find_queue(user, shape) != kNone) return parts[0].refuse("a wish has two queues of one user");
  if (accounts.shapes.terms(shape) != nullptr && accounts.shapes.holders(shape) > 1)
    return parts[0].refuse("a wish with terms has two queues");
  const std::uint32_t queue = accounts.add_queue(user, shape);
  accounts.shapes.retain(shape);
  accounts.queues[queue].arrival = arrival;
  std::optional<std::uint64_t> latest;
  parts[2].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> of_job = item.items(3);
    if (json.failed()) return;
    const std::uint32_t job = free_number(of_job[0], accounts.jobs);
    const auto waiting = of_job[1].integer<std::int64_t>(0, INT64_MAX);
    const auto sequence = of_job[2].integer<std::uint64_t>(0, UINT64_MAX);
    if (json.failed()) return;
    if (sequence >= jobs_before || (latest && sequence <= *latest))
      return of_job[2].refuse("a job after the latest, or not in order");
    latest = sequence;
    accounts.jobs.put_back(job, {.queue = queue, .waiting = waiting, .sequence = sequence});
    ++accounts.queues[queue].jobs;
  });
  if (!json.failed() && !latest) parts[2].refuse("a queue without jobs");
}

void Engine::State::read_users(const JsonReader& json) {
  accounts.users.set_numbers(numbers_of<UserRow, UserId>(json));
  accounts.users_before = json["before"].integer<std::uint64_t>(0, UINT64_MAX);
  std::set<std::uint64_t> orders;
  json["present"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(6);
    if (json.failed()) return;
    const std::uint32_t user = free_number(parts[0], accounts.users);
    UserRow row{.name = parts[1].text(),
                .weight = {.numerator = parts[2].integer<std::uint64_t>(1, UINT64_MAX),
                           .denominator = parts[3].integer<std::uint64_t>(1, UINT64_MAX)},
                .order = parts[4].integer<std::uint64_t>(0, UINT64_MAX)};
    if (json.failed()) return;
    if (std::gcd(row.weight.numerator, row.weight.denominator) != 1)
      return parts[2].refuse("a weight that is not in lowest terms");
    if (row.order >= accounts.users_before || !orders.insert(row.order).second)
      return parts[4].refuse("a user after the latest, or two at once");
    accounts.put_user_back(user, std::move(row));
    parts[5].for_each([&](const JsonReader& queue) { read_queue(queue, user); });
  });
}

void Engine::State::read_tasks(const JsonReader& json) {
  accounts.tasks.set_numbers(numbers_of<TaskRow, TaskId>(json));
  const auto numbers = json["number"].integers<std::uint32_t>(0, kMaxNumber);
  const auto jobs = json["job"].integers<std::uint32_t>(0, kMaxNumber);
  const auto servers = json["server"].integers<std::uint32_t>(0, kMaxNumber);
  const auto started = json["started"].integers<std::int64_t>(INT64_MIN, now.time_since_epoch().count());
  if (json.failed()) return;
  if (jobs.size() != numbers.size() || servers.size() != numbers.size() || started.size() != numbers.size())
    return json.refuse("columns of different lengths");
  // At first all tasks wait; then those that run start.
  for (const std::uint32_t job : jobs) {
    if (!accounts.jobs.holds(job) || accounts.jobs[job].waiting == INT64_MAX)
      return json["job"].refuse(fmt::format("there is no job {}, or it has too many tasks", job));
    ++accounts.jobs[job].waiting;
  }
  for (std::uint32_t job = 0; job < accounts.jobs.end(); ++job) {
    if (!accounts.jobs.holds(job)) continue;
    if (accounts.jobs[job].waiting == 0) return json["job"].refuse(fmt::format("job {} has no tasks", job));
    accounts.enqueue(job);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= accounts.tasks.end() || accounts.tasks.holds(numbers[i]))
      return json["number"].refuse("a number without a generation, or given twice");
    if (!has_room(accounts.queues[accounts.jobs[jobs[i]].queue].shape, servers[i]))
      return json["server"].refuse(fmt::format("server {} has no room for task {}", servers[i], numbers[i]));
    accounts.start_again(numbers[i], jobs[i], servers[i], Time(Duration(started[i])));
  }
}

void Engine::State::read_accounts(const JsonReader& json) {
  const std::vector<std::optional<Amounts>> of_kinds = read_kinds(json["kinds"]);
  if (json.failed()) return;
  read_servers(json["servers"], of_kinds);
  read_shapes(json["shapes"]);
  accounts.jobs.set_numbers(numbers_of<JobRow, JobId>(json["jobs"]));
  read_users(json["users"]);
  if (json.failed()) return;
  // Every wish was held once while the queues were put in place, and they hold it now.
  for (std::uint32_t shape = 0; shape < accounts.shapes.end(); ++shape) {
    if (accounts.shapes.holders(shape) == 1) return json["shapes"].refuse("an unused wish");
    if (accounts.shapes.holders(shape) > 1) accounts.shapes.release(shape);
  }
  read_tasks(json["tasks"]);
  if (json.failed()) return;
  for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
    if (accounts.servers[server].drained) accounts.park.close(server);
  }
  if (!is_consistent(accounts.users) || !is_consistent(accounts.jobs) || !is_consistent(accounts.tasks))
    json.refuse("numbers that are neither taken nor vacant");
  const std::string broken = broken_constraint(accounts);
  if (!broken.empty()) json.refuse(broken);
}

// The state is built up as events build it. Each step is checked before it is made, so that bytes which say
// what no engine can be lead to an error; at the end all invariants are checked once more.

void Engine::State::read_rounds(const JsonReader& json) {
  constexpr std::int64_t kMaxRounds = INT64_MAX / 2;
  const auto present = json["present"].integer<std::int64_t>(0, kMaxRounds);
  std::vector<std::int64_t> next = json["next"].integers<std::int64_t>(0, present + 1);
  if (next.size() != accounts.resource_count()) json.refuse("one number a resource is expected here");
  if (!json.failed()) standing.rounds = Rounds(std::move(next), present);
}

void Engine::State::read_not_counted(const JsonReader& json) {
  if (!balance) return;
  for (const std::uint32_t task : json.integers<std::uint32_t>(0, kMaxNumber)) {
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
    const auto server = parts[0].integer<std::uint32_t>(0, kMaxNumber);
    const auto user = parts[1].integer<std::uint32_t>(0, kMaxNumber);
    const auto shape = parts[2].integer<std::uint32_t>(0, kMaxNumber);
    const Time since = time_of(parts[3]);
    if (json.failed()) return;
    if (!accounts.park.is_open(server)) return item.refuse("a server that cannot be kept");
    const std::uint32_t queue = accounts.users.holds(user) ? accounts.find_queue(user, shape) : kNone;
    if (queue == kNone) return item.refuse("a kept server without a queue");
    accounts.park.close(server);
    reservations->kept.push_back({.server = server, .queue = queue, .since = since});
  });
  for (const std::uint32_t task : json["met"].integers<std::uint32_t>(0, kMaxNumber)) {
    if (!accounts.tasks.holds(task)) return json["met"].refuse(fmt::format("there is no task {}", task));
    if (!reservations->met.insert(task).second) return json["met"].refuse("duplicate task");
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
  for (const std::uint32_t server : json["freed"].integers<std::uint32_t>(0, kMaxNumber)) {
    if (!accounts.servers.holds(server)) return json["freed"].refuse("there is no such server");
    something_freed.insert(server);
    freed.add(server);
  }
  const auto fits = [&](std::uint32_t shape, std::uint32_t lane) {
    if (accounts.shapes.terms(shape) != nullptr)
      return batch_fits(accounts.queues[race.first(shape, lane).queue].first_job, kind_of_lane(lane),
                        open_servers());
    for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
      const bool in_lane = whom.discipline->lanes != Lanes::kinds || accounts.servers[server].kind == lane;
      if (in_lane && has_room(shape, server) && !something_freed.contains(server)) return true;
    }
    return false;
  };
  json["aside"].for_each([&](const JsonReader& item) {
    const std::vector<JsonReader> parts = item.items(2);
    if (json.failed()) return;
    const auto lane = parts[0].integer<std::uint32_t>(0, kMaxNumber);
    for (const std::uint32_t shape : parts[1].integers<std::uint32_t>(0, kMaxNumber)) {
      if (json.failed()) return;
      if (!race.waits(shape, lane) || race.is_parked(shape, lane) || fits(shape, lane))
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
