// Why a task waits. Two questions are asked of everything that the engine knows, and nothing is changed: has
// any server room for it, and if not what is in the way; and who, of those whose tasks fit somewhere, comes
// before. What would change it follows: what must be freed on the server that misses least, and the weight
// with which the user would come before the others.
#include <algorithm>
#include <limits>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {
namespace {

bool is_within(std::span<const std::int64_t> demand, std::span<const std::int64_t> of) {
  return std::equal(demand.begin(), demand.end(), of.begin(), std::less_equal<>());
}

/// max_r (d_r − f_r) / d_r: the largest part of a task's demand that is not free.
double missing_part(std::span<const std::int64_t> demand, std::span<const std::int64_t> free) {
  double part = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > free[r])
      part = std::max(part, static_cast<double>(demand[r] - free[r]) / static_cast<double>(demand[r]));
  }
  return part;
}

/// Where a task of the shape has no room, and where it nearly has.
class Room {
 public:
  Room(const Accounts& accounts, std::uint32_t shape) : accounts_(accounts), shape_(shape) {
    servers.lacking.assign(accounts.resource_count(), 0);
    for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
      if (accounts.servers.holds(server)) count(server);
    }
  }

  WhyWaiting::Servers servers;
  std::optional<WhyWaiting::NearestMiss> nearest_miss;

 private:
  void count(std::uint32_t server) {
    const Way* const way = accounts_.shapes.way_on(shape_, server);
    if (way == nullptr) {
      ++servers.not_allowed;
    } else if (!is_within(way->demand, accounts_.park.capacity(server))) {
      ++servers.too_small;
    } else if (!accounts_.park.is_open(server)) {
      ++servers.drained;
    } else if (is_within(way->demand, accounts_.park.free(server))) {
      ++servers.with_room;
    } else {
      count_full(server, way->demand, accounts_.park.free(server));
    }
  }

  void count_full(std::uint32_t server, std::span<const std::int64_t> demand,
                  std::span<const std::int64_t> free) {
    ++servers.full;
    for (std::size_t r = 0; r < demand.size(); ++r) servers.lacking[r] += demand[r] > free[r] ? 1 : 0;
    const double part = missing_part(demand, free);
    if (part >= least_) return;
    least_ = part;
    nearest_miss = {.server = accounts_.servers.id(server), .to_free = {}};
    for (std::size_t r = 0; r < demand.size(); ++r)
      nearest_miss->to_free.push_back(std::max<std::int64_t>(0, demand[r] - free[r]));
  }

  const Accounts& accounts_;
  std::uint32_t shape_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::optional<WhyWaiting> Engine::why_waiting(JobId job) {
  State& s = *state_;
  const auto number = s.accounts.jobs.find(job);
  if (!number || s.accounts.jobs[*number].waiting == 0) return {};
  if (s.keys_are_stale) s.refresh();
  return s.why_waiting(*number);
}

bool Engine::State::has_room_in_lane(Entry entry) {
  const std::uint32_t shape = accounts.queues[entry.queue].shape;
  const std::span<const Variant> ways = variants_in_lane(shape, entry.lane);
  return std::any_of(ways.begin(), ways.end(),
                     [&](const Variant& way) { return accounts.park.first_with_room(way, 0).has_value(); });
}

/// The queue's first entry of those in lanes where a task has room; nothing when there is none.
std::optional<Entry> Engine::State::first_entry_with_room(std::uint32_t queue) {
  std::optional<Entry> first;
  for (const std::uint32_t lane : race.lanes_of(queue)) {
    const Entry entry{.queue = queue, .lane = lane};
    if ((!first || race.before(entry, *first)) && has_room_in_lane(entry)) first = entry;
  }
  return first;
}

/// The queue's first entry, with room or without.
Entry Engine::State::first_entry(std::uint32_t queue) {
  std::optional<Entry> first;
  for (const std::uint32_t lane : race.lanes_of(queue)) {
    const Entry entry{.queue = queue, .lane = lane};
    if (!first || race.before(entry, *first)) first = entry;
  }
  return first.value_or(Entry{.queue = queue, .lane = 0});
}

WhyWaiting Engine::State::why_waiting(std::uint32_t job) {
  const std::uint32_t queue = accounts.jobs[job].queue;
  Room room(accounts, accounts.queues[queue].shape);
  const Entry own = first_entry_with_room(queue).value_or(first_entry(queue));
  WhyWaiting why{.waiting = accounts.jobs[job].waiting,
                 .servers = std::move(room.servers),
                 .nearest_miss = std::move(room.nearest_miss),
                 .key = whom.discipline->key(standing, own)};
  for (std::uint32_t older = accounts.queues[queue].first_job; older != job;
       older = accounts.jobs[older].next)
    ++why.older_jobs;

  std::optional<Entry> next;
  for (std::uint32_t other = 0; other < accounts.queues.size(); ++other) {
    if (other == queue || !race.holds(other)) continue;
    const std::optional<Entry> entry = first_entry_with_room(other);
    if (!entry || !race.before(*entry, own)) continue;
    ++why.ahead;
    if (!next || race.before(*entry, *next)) next = entry;
  }
  if (!next) return why;
  const QueueRow& first = accounts.queues[next->queue];
  why.next = {.user = accounts.users.id(first.user),
              .job = accounts.jobs.id(first.first_job),
              .key = whom.discipline->key(standing, *next)};
  // A key is a share over φ: with φ' it is φ/φ' of what it is.
  if (whom.discipline->weighted && first.user != accounts.queues[queue].user && why.next->key > 0)
    why.with_weight = accounts.users[accounts.queues[queue].user].weight.value() * (why.key / why.next->key);
  return why;
}

}  // namespace mirab::scheduling
