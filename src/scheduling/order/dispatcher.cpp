// Whom to serve next, and where. All waiting tasks that look alike stand together as a task class, so that
// whether they fit is found out once for all of them.
//
// A task class that fits nowhere is parked, and stays parked while nothing is freed. When something is, on
// server i, only i can have room for it: what is parked and fits there races with those who are not set
// parked. So a decision looks at all servers at most once for each task class since something was freed that
// could help it, and the order of the discipline is kept exactly: the lowest key of all queues with a task
// that fits.
//
// For a job with terms (batches.cpp) more can help than room on one server. It is tried again after
// every change of the servers or of its own tasks, and after something was freed where one task would fit.
#include <algorithm>
#include <bit>
#include <numeric>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

void Engine::State::count_alone(std::uint32_t task_class) {
  if (ledger.task_classes.alternatives(task_class).empty()) return;
  if (context.alone.size() <= task_class) {
    context.alone.resize(task_class + 1);
    context.alone_value.resize(task_class + 1);
  }
  context.alone[task_class] = tasks_alone(ledger, ledger.server_classes, task_class);
  context.alone_value[task_class] = context.alone[task_class].get_d();
}

void Engine::State::refresh() {
  keys_are_stale = false;
  if (discipline_choice.discipline->monopolised) {
    for (std::uint32_t task_class = 0; task_class < ledger.task_classes.end(); ++task_class)
      count_alone(task_class);
  }
  if (discipline_choice.discipline->priced) context.prices = pool_prices(ledger);
  if (!tournaments.follow_capacities()) {
    ready.rekey_all();
    return;
  }
  // Which tournaments a queue enters may have changed.
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t queue = 0; queue < ledger.queues.size(); ++queue) {
    if (ready.holds(queue)) waiting.push_back(queue);
  }
  for (const std::uint32_t queue : waiting) ready.leave(queue);
  for (const std::uint32_t queue : waiting)
    ready.enter(queue, tournaments.of(ledger.queues[queue].task_class));
}

/// What a user used until now counts with the share that it had; from now on the present one counts.
void Engine::State::share_changed(std::uint32_t user) {
  if (context.usage)
    context.usage->set_share(user, share_of(*discipline_choice.discipline, context, user), now);
}

void Engine::State::all_shares_changed() {
  for (std::uint32_t user = 0; context.usage && user < ledger.users.end(); ++user) {
    if (ledger.users.holds(user)) share_changed(user);
  }
}

/// The task classes with most running tasks and waiting queues together. O(queues).
std::span<const Wanted> Engine::State::present_mix() {
  constexpr std::size_t kMaxWanted = 16;
  std::vector<std::int64_t> popularity(ledger.task_classes.end(), 0);
  for (std::uint32_t queue = 0; queue < ledger.queues.size(); ++queue) {
    const QueueRow& row = ledger.queues[queue];
    if (row.user != kNone) popularity[row.task_class] += row.running + (ready.holds(queue) ? 1 : 0);
  }
  std::vector<std::uint32_t> task_classes(popularity.size());
  std::iota(task_classes.begin(), task_classes.end(), 0U);
  const auto most =
      task_classes.begin() + static_cast<std::ptrdiff_t>(std::min(kMaxWanted, task_classes.size()));
  std::partial_sort(task_classes.begin(), most, task_classes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return popularity[a] != popularity[b] ? popularity[a] > popularity[b] : a < b;
  });
  mix.clear();
  for (auto task_class = task_classes.begin(); task_class != most && popularity[*task_class] > 0;
       ++task_class) {
    mix.push_back({.demand = ledger.task_classes.alternatives(*task_class).front().demand,
                   .popularity = static_cast<double>(popularity[*task_class])});
  }
  return mix;
}

/// The ways to run a task of the task class, on the servers of the tournament. Valid until the next call.
std::span<const SearchAlternative> Engine::State::variants_in(TournamentId tournament,
                                                              std::uint32_t task_class) {
  const std::optional<std::uint32_t> kind = tournaments.server_class(tournament);
  const Eligibility& eligibility = ledger.task_classes.eligibility;
  search_alternatives.clear();
  for (const DemandAlternative& alternative : ledger.task_classes.alternatives(task_class)) {
    if (!tournaments.serves(tournament, task_class, alternative)) continue;
    search_alternatives.push_back(
        {.demand = alternative.demand,
         .among = kind ? admitted_servers.of(ledger.server_classes, *kind, alternative.servers, eligibility)
                       : eligibility.servers(alternative.servers)});
  }
  return search_alternatives;
}

std::optional<std::uint32_t> Engine::State::find_server(TournamentId tournament, std::uint32_t task_class,
                                                        Random& random) {
  variants_in(tournament, task_class);
  return find_among_variants(random);
}

std::optional<std::uint32_t> Engine::State::find_among_variants(Random& random) {
  const Search search{.server_pool = ledger.server_pool,
                      .search_alternatives = search_alternatives,
                      .last_used = last_used,
                      .random = random,
                      .mix = where.needs_mix ? present_mix() : std::span<const Wanted>{}};
  return balance ? balance->find(search) : where.find(search);
}

/// The tournaments in which a task class may be parked that fits on the server.
template <class Visit>
void Engine::State::for_each_tournament_of_server(std::uint32_t server, Visit visit) const {
  ready.for_each_tournament(visit, tournaments.place_of(server));
}

/// The first of those parked whose task fits on a server where something was freed.
std::optional<Entry> Engine::State::next_on_released() {
  std::optional<Entry> next;
  for (std::size_t index = released.size(); index-- > 0;) {
    const std::uint32_t server = released[index];
    bool any = false;
    for_each_tournament_of_server(server, [&](TournamentId tournament) {
      const std::optional<Entry> there =
          ready.next_parked(tournament, ledger.server_pool.free(server), [&](std::uint32_t task_class) {
            return ledger.has_room(task_class, server) && tournaments.admits(tournament, task_class, server);
          });
      if (!there) return;
      any = true;
      if (!next || ready.before(*there, *next)) next = there;
    });
    if (!any) released.drop(index);
  }
  return next;
}

void Engine::State::retry_what_fits_on_released() {
  while (!released.empty()) {
    const std::uint32_t server = released[released.size() - 1];
    for_each_tournament_of_server(server, [&](TournamentId tournament) {
      ready.retry_if(tournament, [&](std::uint32_t task_class) {
        return ledger.has_room(task_class, server) && tournaments.admits(tournament, task_class, server);
      });
    });
    released.drop(released.size() - 1);
  }
}

std::optional<Placed> Engine::State::step(Random& random, WhyPlaced* why) {
  if (context.usage && context.usage->is_due(now)) {
    context.usage->refresh(now);
    keys_are_stale = true;
  }
  if (keys_are_stale) refresh();
  if (reservations) {
    if (std::optional<Placed> placed = place_where_kept(why)) return placed;
  }
  // Beyond a few servers it is cheaper to let what fits there race with the others; and those who tie at
  // random have to stand together.
  constexpr std::size_t kMaxReleased = 16;
  if (released.size() > kMaxReleased || options.tie == Tie::random) retry_what_fits_on_released();

  for (;;) {
    std::optional<Entry> next = ready.next(random);
    const std::optional<Entry> parked = next_on_released();
    if (parked && (!next || ready.before(*parked, *next))) next = parked;
    if (!next) break;
    const std::uint32_t task_class = ledger.queues[next->queue].task_class;
    if (ledger.task_classes.terms(task_class) != nullptr) {
      if (std::optional<Placed> placed = place_batch(*next, random, why)) return placed;
    } else if (const std::optional<std::uint32_t> server =
                   find_server(next->tournament, task_class, random)) {
      if (why != nullptr) *why = why_placed(*next, *server, random);
      return place(*next, *server);
    }
    if (discipline_choice.blocking == Blocking::freeze) break;
    ready.park(task_class, next->tournament);
  }
  return preemption ? preempt(why) : std::nullopt;
}

Placed Engine::State::place(Entry entry, std::uint32_t server) {
  const std::uint32_t queue = entry.queue;
  const std::uint32_t job = ledger.queues[queue].first_job;
  const std::uint32_t user = ledger.queues[queue].user;
  const std::uint32_t task = ledger.start(job, server, now);
  last_used = server;
  share_changed(user);
  if (balance)
    balance->task_started(ledger.server_pool, task, server, ledger.demand(ledger.queues[queue], server));
  tournaments.served(entry.tournament, context.rounds);
  if (ledger.queues[queue].first_job == kNone) ready.leave(queue);
  ready.rekey(ledger.users[user].queues);
  if (reservations) reservation_met(queue, task);
  if (preemption) preemption->something_changed();
  return {.task = ledger.tasks.id(task),
          .job = ledger.jobs.id(job),
          .user = ledger.users.id(user),
          .server = ledger.servers.id(server)};
}

}  // namespace mirab::scheduling
