// Whom to serve next, and where. All waiting tasks that look alike stand together as a shape, so that whether
// they fit is found out once for all of them.
//
// A shape that fits nowhere is set aside, and stays aside while nothing is freed. When something is, on
// server i, only i can have room for it: what is set aside and fits there races with those who are not set
// aside. So a decision looks at all servers at most once for each shape since something was freed that could
// help it, and the order of the discipline is kept exactly: the lowest key of all queues with a task that
// fits.
//
// For a job with terms (batches.cpp) more can help than room on one server. It is tried again after
// every change of the servers or of its own tasks, and after something was freed where one task would fit.
#include <algorithm>
#include <bit>
#include <numeric>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

/// Is there a server of the kind, not drained, that could hold a task of the shape if it were empty?
bool Engine::State::can_run_on_kind(std::uint32_t shape, std::uint32_t kind) const {
  const Amounts& capacity = kinds.capacities()[kind];
  for (const Way& way : accounts.shapes.ways(shape)) {
    if (!is_within(way.demand, capacity)) continue;
    const ServerSet& servers = kinds.set(kind);
    const ServerSet* const admitted = accounts.shapes.eligibility.servers(way.servers);
    for (std::size_t index = 0; index < servers.words().size(); ++index) {
      std::uint64_t word = servers.word(index);
      if (admitted != nullptr) word &= admitted->word(index);
      for (; word != 0; word &= word - 1) {
        const std::size_t server =
            index * ServerSet::kWord + static_cast<std::size_t>(std::countr_zero(word));
        if (!accounts.servers[static_cast<std::uint32_t>(server)].drained) return true;
      }
    }
  }
  return false;
}

std::vector<std::uint32_t> Engine::State::lanes_of(std::uint32_t shape) const {
  switch (whom.discipline->lanes) {
    case Lanes::one:
      return {0};
    case Lanes::lines:
      return {dominant_resource(accounts.shapes.ways(shape).front().demand, accounts.park.pool())};
    case Lanes::kinds:
      std::vector<std::uint32_t> eligible;
      for (std::uint32_t kind = 0; kind < kinds.capacities().size(); ++kind) {
        if (can_run_on_kind(shape, kind)) eligible.push_back(kind);
      }
      return eligible;
  }
  MIRAB_ASSERT(false, "a discipline with other lanes");
}

void Engine::State::count_alone(std::uint32_t shape) {
  if (accounts.shapes.ways(shape).empty()) return;
  if (standing.alone.size() <= shape) {
    standing.alone.resize(shape + 1);
    standing.alone_value.resize(shape + 1);
  }
  standing.alone[shape] = tasks_alone(accounts, kinds, shape);
  standing.alone_value[shape] = standing.alone[shape].get_d();
}

void Engine::State::refresh() {
  keys_are_stale = false;
  if (whom.discipline->monopolised) {
    for (std::uint32_t shape = 0; shape < accounts.shapes.end(); ++shape) count_alone(shape);
  }
  if (whom.discipline->priced) standing.prices = pool_prices(accounts);
  if (whom.discipline->lanes == Lanes::one) {
    race.rekey_all();
    return;
  }
  // Which lanes a queue belongs to may have changed.
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t queue = 0; queue < accounts.queues.size(); ++queue) {
    if (race.holds(queue)) waiting.push_back(queue);
  }
  for (const std::uint32_t queue : waiting) race.leave(queue);
  for (const std::uint32_t queue : waiting) race.enter(queue, lanes_of(accounts.queues[queue].shape));
}

/// What a user used until now counts with the share that it had; from now on the present one counts.
void Engine::State::share_changed(std::uint32_t user) {
  if (standing.usage) standing.usage->set_share(user, whom.discipline->share(standing, user), now);
}

void Engine::State::all_shares_changed() {
  for (std::uint32_t user = 0; standing.usage && user < accounts.users.end(); ++user) {
    if (accounts.users.holds(user)) share_changed(user);
  }
}

bool Engine::State::has_room(std::uint32_t shape, std::uint32_t server) const {
  const Way* const way = accounts.shapes.way_on(shape, server);
  return way != nullptr && accounts.park.has_room(server, way->demand);
}

/// The shapes with most running tasks and waiting queues together. O(queues).
std::span<const Wanted> Engine::State::present_mix() {
  constexpr std::size_t kMaxWanted = 16;
  std::vector<std::int64_t> popularity(accounts.shapes.end(), 0);
  for (std::uint32_t queue = 0; queue < accounts.queues.size(); ++queue) {
    const QueueRow& row = accounts.queues[queue];
    if (row.user != kNone) popularity[row.shape] += row.running + (race.holds(queue) ? 1 : 0);
  }
  std::vector<std::uint32_t> shapes(popularity.size());
  std::iota(shapes.begin(), shapes.end(), 0U);
  const auto most = shapes.begin() + static_cast<std::ptrdiff_t>(std::min(kMaxWanted, shapes.size()));
  std::partial_sort(shapes.begin(), most, shapes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return popularity[a] != popularity[b] ? popularity[a] > popularity[b] : a < b;
  });
  mix.clear();
  for (auto shape = shapes.begin(); shape != most && popularity[*shape] > 0; ++shape) {
    mix.push_back({.demand = accounts.shapes.ways(*shape).front().demand,
                   .popularity = static_cast<double>(popularity[*shape])});
  }
  return mix;
}

/// The ways to run a task of the shape, on the servers of the lane. Valid until the next call.
std::span<const Variant> Engine::State::variants_in_lane(std::uint32_t shape, std::uint32_t lane) {
  variants.clear();
  for (const Way& way : accounts.shapes.ways(shape)) {
    variants.push_back({.demand = way.demand,
                        .among = whom.discipline->lanes == Lanes::kinds
                                     ? kinds.servers_of(lane, way.servers, accounts.shapes.eligibility)
                                     : accounts.shapes.eligibility.servers(way.servers)});
  }
  return variants;
}

std::optional<std::uint32_t> Engine::State::find_server(std::uint32_t shape, std::uint32_t lane,
                                                        Random& random) {
  variants_in_lane(shape, lane);
  return find_among_variants(random);
}

std::optional<std::uint32_t> Engine::State::find_among_variants(Random& random) {
  const Search search{.park = accounts.park,
                      .variants = variants,
                      .last_used = last_used,
                      .random = random,
                      .mix = where.needs_mix ? present_mix() : std::span<const Wanted>{}};
  return balance ? balance->find(search) : where.find(search);
}

/// The lanes in which a shape may be aside that fits on the server.
template <class Visit>
void Engine::State::for_each_lane_of_server(std::uint32_t server, Visit visit) const {
  if (whom.discipline->lanes == Lanes::kinds) {
    if (accounts.servers[server].kind < race.lane_count()) visit(accounts.servers[server].kind);
    return;
  }
  for (std::uint32_t lane = 0; lane < race.lane_count(); ++lane) visit(lane);
}

/// The first of those set aside whose task fits on a server where something was freed.
std::optional<Entry> Engine::State::next_on_released() {
  std::optional<Entry> next;
  for (std::size_t index = freed.size(); index-- > 0;) {
    const std::uint32_t server = freed[index];
    bool any = false;
    for_each_lane_of_server(server, [&](std::uint32_t lane) {
      const std::optional<Entry> there = race.next_parked(
          lane, accounts.park.free(server), [&](std::uint32_t shape) { return has_room(shape, server); });
      if (!there) return;
      any = true;
      if (!next || race.before(*there, *next)) next = there;
    });
    if (!any) freed.drop(index);
  }
  return next;
}

void Engine::State::retry_what_fits_on_released() {
  while (!freed.empty()) {
    const std::uint32_t server = freed[freed.size() - 1];
    for_each_lane_of_server(server, [&](std::uint32_t lane) {
      race.retry_if(lane, [&](std::uint32_t shape) { return has_room(shape, server); });
    });
    freed.drop(freed.size() - 1);
  }
}

std::optional<Placed> Engine::State::step(Random& random, WhyPlaced* why) {
  if (standing.usage && standing.usage->is_due(now)) {
    standing.usage->refresh(now);
    keys_are_stale = true;
  }
  if (keys_are_stale) refresh();
  if (reservations) {
    if (std::optional<Placed> placed = place_where_kept(why)) return placed;
  }
  // Beyond a few servers it is cheaper to let what fits there race with the others; and those who tie at
  // random have to stand together.
  constexpr std::size_t kMaxReleased = 16;
  if (freed.size() > kMaxReleased || options.tie == Tie::random) retry_what_fits_on_released();

  for (;;) {
    std::optional<Entry> next = race.next(random);
    const std::optional<Entry> aside = next_on_released();
    if (aside && (!next || race.before(*aside, *next))) next = aside;
    if (!next) break;
    const std::uint32_t shape = accounts.queues[next->queue].shape;
    if (accounts.shapes.terms(shape) != nullptr) {
      if (std::optional<Placed> placed = place_batch(*next, random, why)) return placed;
    } else if (const std::optional<std::uint32_t> server = find_server(shape, next->lane, random)) {
      if (why != nullptr) *why = why_placed(*next, *server, random);
      return place(*next, *server);
    }
    if (whom.blocking == Blocking::freeze) break;
    race.set_aside(shape, next->lane);
  }
  return preemption ? preempt(why) : std::nullopt;
}

Placed Engine::State::place(Entry entry, std::uint32_t server) {
  const std::uint32_t queue = entry.queue;
  const std::uint32_t job = accounts.queues[queue].first_job;
  const std::uint32_t user = accounts.queues[queue].user;
  const std::uint32_t task = accounts.start(job, server, now);
  last_used = server;
  accounts.queues[queue].since = now;
  share_changed(user);
  if (balance)
    balance->task_started(accounts.park, task, server, accounts.demand(accounts.queues[queue], server));
  if (whom.discipline->lanes == Lanes::lines) standing.rounds.serve(entry.lane);
  if (accounts.queues[queue].first_job == kNone) race.leave(queue);
  race.rekey(accounts.users[user].queues);
  if (reservations) reservation_met(queue, task);
  if (preemption) preemption->something_changed();
  return {.task = accounts.tasks.id(task),
          .job = accounts.jobs.id(job),
          .user = accounts.users.id(user),
          .server = accounts.servers.id(server)};
}

}  // namespace mirab::scheduling
