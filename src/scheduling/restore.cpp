// The state is built up as events build it: servers come, users and jobs, and then every task starts once
// more, in the order in which it may have started. Each step is checked before it is made, so that bytes
// which say what no engine can be lead to an error; at the end all invariants are checked once more.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/cbor_guard.hpp"
#include "scheduling/engine_json.hpp"
#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {
namespace {

constexpr std::uint32_t kMostNumber = UINT32_MAX - 1;
constexpr std::uint32_t kMostGenerations = INT32_MAX;  // then a number is used up

template <class Row, class Id>
typename Slots<Row, Id>::Numbers numbers_of(const JsonReader& json) {
  typename Slots<Row, Id>::Numbers numbers;
  numbers.generations = json["generations"].integers<std::uint32_t>(0, kMostGenerations);
  if (const auto vacant = json.find("vacant"))
    numbers.vacant = vacant->integers<std::uint32_t>(0, kMostNumber);
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
    if (!slots.holds(number) && is_vacant[number] == (generation == kMostGenerations)) return false;
    if (is_vacant[number] && generation == 0) return false;
  }
  return true;
}

/// Reads the number of a row that is to be put into its place.
template <class Row, class Id>
std::uint32_t free_number(const JsonReader& json, const Slots<Row, Id>& slots) {
  const auto number = json.integer<std::uint32_t>(0, kMostNumber);
  if (!json.failed() && (number >= slots.end() || slots.holds(number)))
    json.refuse("a number without a generation, or given twice");
  return number;
}

std::vector<JsonReader> items(const JsonReader& json, std::size_t count) {
  std::vector<JsonReader> items = json.items();
  if (!json.failed() && items.size() != count) json.refuse(fmt::format("{} items are expected here", count));
  return items;
}

template <class Function>
void for_each_of(const JsonReader& json, Function function) {
  for (const JsonReader& item : json.items()) {
    if (json.failed()) return;
    function(item);
  }
}

void refuse_if(const JsonReader& json, Check bad) {
  if (bad) json.refuse(bad->message);
}

}  // namespace

void Engine::State::read_kinds(const JsonReader& json) {
  std::uint32_t expected = 0;
  for_each_of(json, [&](const JsonReader& item) {
    const Amounts capacity = amounts_of(item);
    if (!json.failed()) refuse_if(item, check_amounts(capacity, {}));
    if (json.failed()) return;
    const std::uint32_t kind = kinds.hold(0, capacity);
    kinds.release(0, kind);
    if (kind != expected++) item.refuse("a kind stands there twice");
  });
}

void Engine::State::read_servers(const JsonReader& json) {
  accounts.servers.set_numbers(numbers_of<ServerRow, ServerId>(json));
  std::vector<std::optional<Amounts>> capacities(accounts.servers.end());
  for_each_of(json["present"], [&](const JsonReader& item) {
    const std::vector<JsonReader> parts = items(item, 5);
    if (json.failed()) return;
    const std::uint32_t server = free_number(parts[0], accounts.servers);
    const auto kind = parts[1].integer<std::uint32_t>(0, kMostNumber);
    ServerRow row{.name = parts[2].text(), .labels = texts_of(parts[3]), .drained = parts[4].truth()};
    if (!json.failed() && kind >= kinds.capacities().size()) parts[1].refuse("there is no such kind");
    if (json.failed()) return;
    capacities[server] = kinds.capacities()[kind];
    row.kind = kinds.hold(server, *capacities[server]);
    accounts.shapes.eligibility.server_added(server, row.name, row.labels);
    accounts.servers.add_at(server, std::move(row));
  });
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
  Shapes& shapes = accounts.shapes;
  for_each_of(json["wishes"], [&](const JsonReader& item) {
    if (item.is_null()) return shapes.add_vacant();
    JobSubmitted wish{.user = {}, .demand = {}};
    read_wish(item, wish);
    if (!json.failed()) refuse_if(item, check_job(wish));
    if (json.failed()) return;
    const std::uint32_t expected = shapes.end();
    if (shapes.hold(wish) != expected) item.refuse("a wish stands there twice");
  });
  const auto vacant = json["vacant"].integers<std::uint32_t>(0, kMostNumber);
  std::vector<bool> is_vacant(shapes.end(), false);
  for (const std::uint32_t shape : vacant) {
    if (shape >= shapes.end() || shapes.holders(shape) > 0 || is_vacant[shape])
      return json.refuse("a vacant number that is none, or stands there twice");
    is_vacant[shape] = true;
  }
  for (std::uint32_t shape = 0; shape < shapes.end(); ++shape) {
    if (shapes.holders(shape) == 0 && !is_vacant[shape])
      return json.refuse("a number without a wish is not vacant");
  }
  shapes.set_vacant(vacant);
}

void Engine::State::read_queue(const JsonReader& json, std::uint32_t user) {
  const std::vector<JsonReader> parts = items(json, 3);
  if (json.failed()) return;
  const auto shape = parts[0].integer<std::uint32_t>(0, kMostNumber);
  const auto arrival = parts[1].integer<std::uint64_t>(0, UINT64_MAX);
  if (json.failed()) return;
  if (shape >= accounts.shapes.end() || accounts.shapes.holders(shape) == 0)
    return parts[0].refuse("there is no such wish");
  if (arrival >= waits_before) return parts[1].refuse("an arrival after the latest");
  if (accounts.find_queue(user, shape) != kNone) return parts[0].refuse("a wish has two queues of one user");
  const std::uint32_t queue = accounts.add_queue(user, shape);
  accounts.shapes.retain(shape);
  accounts.queues[queue].arrival = arrival;
  std::optional<std::uint64_t> latest;
  for_each_of(parts[2], [&](const JsonReader& item) {
    const std::vector<JsonReader> of_job = items(item, 3);
    if (json.failed()) return;
    const std::uint32_t job = free_number(of_job[0], accounts.jobs);
    const auto waiting = of_job[1].integer<std::int64_t>(0, INT64_MAX);
    const auto sequence = of_job[2].integer<std::uint64_t>(0, UINT64_MAX);
    if (json.failed()) return;
    if (sequence >= jobs_before || (latest && sequence <= *latest))
      return of_job[2].refuse("a job after the latest, or not in order");
    latest = sequence;
    accounts.jobs.add_at(job, {.queue = queue, .waiting = waiting, .sequence = sequence});
    ++accounts.queues[queue].jobs;
  });
  if (!json.failed() && !latest) parts[2].refuse("a queue without jobs");
}

void Engine::State::read_users(const JsonReader& json) {
  accounts.users.set_numbers(numbers_of<UserRow, UserId>(json));
  accounts.users_before = json["before"].integer<std::uint64_t>(0, UINT64_MAX);
  std::set<std::uint64_t> orders;
  for_each_of(json["present"], [&](const JsonReader& item) {
    const std::vector<JsonReader> parts = items(item, 6);
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
    accounts.add_user_at(user, std::move(row));
    for_each_of(parts[5], [&](const JsonReader& queue) { read_queue(queue, user); });
  });
}

void Engine::State::read_tasks(const JsonReader& json) {
  accounts.tasks.set_numbers(numbers_of<TaskRow, TaskId>(json));
  const auto numbers = json["number"].integers<std::uint32_t>(0, kMostNumber);
  const auto jobs = json["job"].integers<std::uint32_t>(0, kMostNumber);
  const auto servers = json["server"].integers<std::uint32_t>(0, kMostNumber);
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
    accounts.start_at(numbers[i], jobs[i], servers[i], Time(Duration(started[i])));
  }
}

void Engine::State::read_usage(const JsonReader& json) {
  if (!standing.usage) return;
  const std::int64_t latest = now.time_since_epoch().count();
  const JsonReader refreshed = json["refreshed"];
  if (!refreshed.is_null())
    standing.usage->set_refreshed(Time(Duration(refreshed.integer<std::int64_t>(INT64_MIN, latest))));
  const std::vector<JsonReader> rows = items(json["users"], accounts.users.size());
  for (std::uint32_t user = 0, row = 0; !json.failed() && user < accounts.users.end(); ++user) {
    if (!accounts.users.holds(user)) continue;
    const std::vector<JsonReader> parts = items(rows[row++], 3);
    if (json.failed()) return;
    standing.usage->set_row(user, {.usage = parts[0].number(),
                                   .key = parts[1].number(),
                                   .since = Time(Duration(parts[2].integer<std::int64_t>(INT64_MIN, latest))),
                                   .share = whom.discipline->share(standing, user)});
  }
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
    for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
      const bool in_lane = whom.discipline->lanes != Lanes::kinds || accounts.servers[server].kind == lane;
      if (in_lane && has_room(shape, server) && !something_freed.contains(server)) return true;
    }
    return false;
  };
  for_each_of(json["aside"], [&](const JsonReader& item) {
    const std::vector<JsonReader> parts = items(item, 2);
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
  standing.served = json["served"].integers<std::int64_t>(0, INT64_MAX);
  if (!standing.served.empty() && standing.served.size() != accounts.resource_count())
    json["served"].refuse("one number a resource is expected here");
  read_kinds(json["kinds"]);
  read_servers(json["servers"]);
  read_shapes(json["shapes"]);
  accounts.jobs.set_numbers(numbers_of<JobRow, JobId>(json["jobs"]));
  read_users(json["users"]);
  if (json.failed()) return;
  // Every wish was held once while the queues were put in place, and they hold it now.
  for (std::uint32_t shape = 0; shape < accounts.shapes.end(); ++shape) {
    if (accounts.shapes.holders(shape) == 1) return json["shapes"].refuse("a wish that nobody has");
    if (accounts.shapes.holders(shape) > 1) accounts.shapes.release(shape);
  }
  read_tasks(json["tasks"]);
  if (json.failed()) return;
  for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
    if (accounts.servers[server].drained) accounts.park.close(server);
  }
  last_used = json["last_used"].integer<std::uint32_t>(0, std::max(accounts.servers.end(), 1U) - 1);
  if (!is_consistent(accounts.users) || !is_consistent(accounts.jobs) || !is_consistent(accounts.tasks))
    json.refuse("numbers that are neither taken nor vacant");
  read_usage(json["usage"]);
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
