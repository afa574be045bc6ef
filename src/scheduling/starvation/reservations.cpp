// Reservations against starvation: a queue that waits long enough for a place that smaller tasks always take
// first has a server kept for it, which empties.
//
// Who: a queue whose next task fits nowhere, and which has waited for `after` since it began to wait or last
// got a task; those who waited longest first. Which server: of those that are open, eligible, and large
// enough when empty, the one with the lowest max_r missing_r / d_r, missing_r = max(0, d_r − free_r); of
// equal ones that with the lower number. It takes nothing else, and the task goes there as soon as it has
// room, before all others.
//
// A reservation ends when its queue gets a task, there or elsewhere, or waits no longer; when the server
// fails, is removed, drained, or made too small; and after `at_most`: then the queue has to wait for `after`
// again.
//
// A task that started on a server kept for it is not preempted as long as it runs: else what was kept for
// could be taken at once, and the next server be kept for the same task, without end.
//
// Bound: see docs/reference/engine.md. A kept server takes no tasks, so with tasks of length ≤ T it is empty,
// and its reservation has been met, within T; then the next longest waiter has its turn. Who is due is looked
// for at most once in a 64th of `after`.
//
// Cost: without the option a branch; with it O(servers kept) a step, O(log tasks met) a task, and now and
// then O(waiting queues log waiting queues + task classes that are due · servers).
//
// Known failure: the server is chosen by what is missing now, not by how long its tasks go on, which nobody
// tells the engine.
#include "scheduling/starvation/reservations.hpp"

#include <fmt/format.h>
#include <map>
#include <set>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {
namespace {

using fairness::Wide;

/// From one time to a later one, in ns: times may lie further apart than a Duration holds.
std::uint64_t passed(Time from, Time to) {
  return static_cast<std::uint64_t>(to.time_since_epoch().count()) -
         static_cast<std::uint64_t>(from.time_since_epoch().count());
}

std::uint64_t length(Duration duration) { return static_cast<std::uint64_t>(duration.count()); }

/// max_r missing_r / d_r
struct Missing {
  std::int64_t missing = 0;
  std::int64_t demand = 1;
  friend bool operator<(Missing a, Missing b) {
    return Wide{a.missing} * b.demand < Wide{b.missing} * a.demand;
  }
};

Missing missing_of(std::span<const std::int64_t> demand, std::span<const std::int64_t> free) {
  Missing most;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] <= free[r]) continue;
    most = std::max(most, Missing{.missing = demand[r] - free[r], .demand = demand[r]});
  }
  return most;
}

}  // namespace

Check check(const Reserving& rule) {
  if (rule.after.count() <= 0) return Error{.message = "must be positive", .key = "reservations.after"};
  if (rule.servers == 0)
    return Error{.message = "must be at least 1; omit reservations to turn them off",
                 .key = "reservations.servers"};
  if (rule.at_most && rule.at_most->count() <= 0)
    return Error{.message = "must be positive; omit it for no limit", .key = "reservations.at_most"};
  return {};
}

/// Does the queue's next task fit on the server that is kept for it?
bool Engine::State::has_kept_room(const Reservations::Kept& kept) const {
  return is_within(ledger.demand(ledger.queues[kept.queue], kept.server),
                   ledger.server_pool.free(kept.server));
}

void Engine::State::end_reservation(const Reservations::Kept* kept) {
  if (kept == nullptr) return;
  const std::uint32_t server = kept->server;
  reservations->kept.erase(reservations->kept.begin() + (kept - reservations->kept.data()));
  if (ledger.servers[server].drained) return;
  ledger.server_pool.open(server);
  released.add(server);
  ready.retry_constrained();
  if (preemption) preemption->something_changed();
}

/// The queue has got the task. A closed server takes none but one that it is kept for.
void Engine::State::reservation_met(std::uint32_t queue, std::uint32_t task) {
  const Reservations::Kept* const kept = reservations->of_queue(queue);
  if (kept != nullptr && kept->server == ledger.tasks[task].server) reservations->met.insert(task);
  end_reservation(kept);
}

bool Engine::State::has_lasted(const Reservations::Kept& kept, Time at) const {
  const std::optional<Duration>& at_most = reservations->rule.at_most;
  return at_most && passed(kept.since, at) >= length(*at_most);
}

void Engine::State::end_reservations_that_lasted() {
  if (!reservations->rule.at_most) return;
  for (std::size_t at = 0; at < reservations->kept.size();) {
    const Reservations::Kept& kept = reservations->kept[at];
    if (!has_lasted(kept, now)) {
      ++at;
      continue;
    }
    ledger.queues[kept.queue].since = now;
    end_reservation(&kept);
  }
}

/// The queues without a server whose next task has waited for long enough and fits nowhere, the longest
/// first.
std::vector<std::uint32_t> Engine::State::due(const ReservationPreview& step) const {
  std::vector<std::uint32_t> due;
  std::map<std::uint32_t, bool> fits;  // by task class
  const auto fits_nowhere = [&](std::uint32_t task_class) {
    const auto [known, is_new] = fits.try_emplace(task_class, false);
    if (is_new) known->second = ledger.fits_somewhere(task_class, step.open);
    return !known->second;
  };
  for (std::uint32_t queue = 0; queue < ledger.queues.size(); ++queue) {
    // One server can be kept for one task, wherever the others of its job are; not for a gang, or a domain.
    if (!ready.holds(queue) || ledger.task_classes.terms(ledger.queues[queue].task_class) != nullptr)
      continue;
    if (passed(ledger.queues[queue].since, step.at) < length(reservations->rule.after)) continue;
    if (std::find(step.ended_for.begin(), step.ended_for.end(), queue) != step.ended_for.end())
      continue;  // it begins to wait again
    if (step.reservations->of_queue(queue) == nullptr && fits_nowhere(ledger.queues[queue].task_class))
      due.push_back(queue);
  }
  std::sort(due.begin(), due.end(), [&](std::uint32_t a, std::uint32_t b) {
    const QueueRow& row_a = ledger.queues[a];
    const QueueRow& row_b = ledger.queues[b];
    return row_a.since != row_b.since ? row_a.since < row_b.since : row_a.arrival < row_b.arrival;
  });
  return due;
}

std::optional<std::uint32_t> Engine::State::server_to_keep(std::uint32_t queue,
                                                           const OpenServers& open) const {
  const std::uint32_t task_class = ledger.queues[queue].task_class;
  std::optional<std::uint32_t> best;
  Missing least;
  for (std::uint32_t server = 0; server < ledger.servers.end(); ++server) {
    if (!open.contains(server) || !ledger.fits_when_empty(task_class, server)) continue;
    const Missing here =
        missing_of(ledger.demand(ledger.queues[queue], server), ledger.server_pool.free(server));
    if (best && !(here < least)) continue;
    best = server;
    least = here;
  }
  return best;
}

namespace {

bool looks_again(const Reservations& reservations, Time at) {
  return !reservations.looked || passed(*reservations.looked, at) >= length(reservations.rule.after) / 64;
}

}  // namespace

/// Requires that the reservations that lasted have ended there.
void Engine::State::keep_where_due(ReservationPreview& step) const {
  Reservations& found = *step.reservations;
  if (!looks_again(found, step.at)) return;
  found.looked = step.at;
  if (found.kept.size() >= found.rule.servers) return;
  std::set<std::uint32_t> in_vain;  // task classes for which there is no such server
  for (const std::uint32_t queue : due(step)) {
    const std::uint32_t task_class = ledger.queues[queue].task_class;
    if (in_vain.contains(task_class)) continue;
    const std::optional<std::uint32_t> server = server_to_keep(queue, step.open);
    if (!server) {
      in_vain.insert(task_class);
      continue;
    }
    step.open.close(*server);
    found.kept.push_back({.server = *server, .queue = queue, .since = step.at});
    if (found.kept.size() == found.rule.servers) return;
  }
}

/// Cost: as the part of a step that it foresees.
ReservationPreview Engine::State::reservation_preview(Time at) const {
  ReservationPreview step{.at = at, .open = open_servers()};
  if (!reservations) return step;
  step.reservations = {
      .rule = reservations->rule, .kept = reservations->kept, .looked = reservations->looked};
  std::erase_if(step.reservations->kept, [&](const Reservations::Kept& kept) {
    if (!has_lasted(kept, at)) return false;
    step.ended_for.push_back(kept.queue);
    if (!ledger.servers[kept.server].drained) step.open.open(kept.server);
    return true;
  });
  keep_where_due(step);
  return step;
}

void Engine::State::keep_where_due() {
  if (!looks_again(*reservations, now)) return;
  ReservationPreview step = reservation_preview(now);
  for (std::size_t at = reservations->kept.size(); at < step.reservations->kept.size(); ++at)
    ledger.server_pool.close(step.reservations->kept[at].server);
  reservations->kept = std::move(step.reservations->kept);
  reservations->looked = step.reservations->looked;
}

/// The first of the kept servers that has room; nullptr when none has.
const Reservations::Kept* Engine::State::first_kept_with_room(const Reservations& all) const {
  const auto first = std::find_if(all.kept.begin(), all.kept.end(),
                                  [&](const Reservations::Kept& kept) { return has_kept_room(kept); });
  return first == all.kept.end() ? nullptr : &*first;
}

std::optional<Placed> Engine::State::place_where_kept(WhyPlaced* why) {
  end_reservations_that_lasted();
  keep_where_due();
  const Reservations::Kept* const kept = first_kept_with_room(*reservations);
  if (kept == nullptr) return {};
  if (why != nullptr) *why = why_placed_where_kept(*kept);
  const TournamentId tournament = tournaments.of(ledger.queues[kept->queue].task_class, kept->server);
  return place({.queue = kept->queue, .tournament = tournament}, kept->server);
}

std::string Engine::State::broken_reservation() const {
  const auto broken = [&](const Reservations::Kept& each) -> const char* {
    if (!ledger.servers.holds(each.server)) return "is not there";
    if (ledger.servers[each.server].drained) return "is drained";
    if (ledger.server_pool.is_open(each.server)) return "takes other tasks";
    if (!ready.holds(each.queue)) return "is kept for who does not wait";
    if (!ledger.fits_when_empty(ledger.queues[each.queue].task_class, each.server))
      return "is kept for a task that cannot run there";
    if (reservations->on_server(each.server) != &each) return "is kept twice";
    return reservations->of_queue(each.queue) == &each ? nullptr : "is one of two kept for the same queue";
  };
  const std::span<const Reservations::Kept> kept = reservations->kept;
  if (kept.size() > reservations->rule.servers) return "more servers are kept than may be";
  for (const std::uint32_t task : reservations->met) {
    if (!ledger.tasks.holds(task))
      return fmt::format("a server was kept for task {}, which is not there", task);
  }
  for (const Reservations::Kept& each : kept) {
    if (const char* const what = broken(each)) return fmt::format("the kept server {} {}", each.server, what);
  }
  return {};
}

std::vector<Reservation> Engine::reservations() const {
  std::vector<Reservation> all;
  if (!state_->reservations) return all;
  const Ledger& ledger = state_->ledger;
  for (const Reservations::Kept& kept : state_->reservations->kept) {
    const QueueRow& queue = ledger.queues[kept.queue];
    all.push_back({.server = ledger.servers.id(kept.server),
                   .job = ledger.jobs.id(queue.first_job),
                   .user = ledger.users.id(queue.user),
                   .since = kept.since});
  }
  return all;
}

}  // namespace mirab::scheduling
