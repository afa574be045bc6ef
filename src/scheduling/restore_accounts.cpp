// The accounts of a snapshot: servers come, users and jobs, and then every task starts once more, in the
// order in which it may have started. Each step is checked before it is made.
#include <fmt/format.h>
#include <numeric>
#include <set>

#include "scheduling/engine_json.hpp"
#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {
namespace {

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
    if (slots.holds(number) && generation == kMostGenerations) return false;
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
    json.refuse("a kind stands there twice");
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
    const auto kind = parts[1].integer<std::uint32_t>(0, kMostNumber);
    Eligibility::Description description{.name = parts[2].text(), .labels = texts_of(parts[3])};
    const bool drained = parts[4].truth();
    if (!json.failed() && (kind >= of_kinds.size() || !of_kinds[kind]))
      parts[1].refuse("there is no such kind");
    if (json.failed()) return;
    capacities[server] = of_kinds[kind];
    kinds.hold(server, *capacities[server]);
    const std::uint32_t described = accounts.shapes.eligibility.describe(std::move(description));
    accounts.shapes.eligibility.server_added(server, described);
    accounts.servers.add_at(server, {.description = described, .kind = kind, .drained = drained});
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
  Shapes& shapes = accounts.shapes;
  json["wishes"].for_each([&](const JsonReader& item) {
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
  const std::vector<JsonReader> parts = json.items(3);
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
    if (accounts.shapes.holders(shape) == 1) return json["shapes"].refuse("a wish that nobody has");
    if (accounts.shapes.holders(shape) > 1) accounts.shapes.release(shape);
  }
  read_tasks(json["tasks"]);
  if (json.failed()) return;
  for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
    if (accounts.servers[server].drained) accounts.park.close(server);
  }
  if (!is_consistent(accounts.users) || !is_consistent(accounts.jobs) || !is_consistent(accounts.tasks))
    json.refuse("numbers that are neither taken nor vacant");
}

}  // namespace mirab::scheduling
