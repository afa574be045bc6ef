// Reservations against starvation: a queue that waits long enough for a place that smaller tasks always take
// first has a server kept for it, which empties.
//
// Who: a queue whose next task fits nowhere, and which has waited for `after` since it began to wait or last
// got a task; those who waited longest first. Which server: of those that are open, eligible, and large
// enough without tasks (what others hold there stays), the one with the lowest max_r missing_r / d_r,
// missing_r = max(0, d_r − free_r); of equal ones that with the lower number. It takes nothing else, and the
// task goes there as soon as it has room, before all others.
//
// A reservation ends when its queue gets a task, there or elsewhere, or waits no longer; when the server
// fails, is removed, drained, made too small, or may not be used by the queue any longer; and after
// `at_most`: then the queue has to wait for `after` again.
//
// A task that started on a server kept for it is not preempted as long as it runs: else what was kept for
// could be taken at once, and the next server be kept for the same task, without end.
//
// Bound: see docs/reference/engine.md. A kept server takes no tasks, so with tasks of length ≤ T it is empty,
// and its reservation has been met, within T; then the next longest waiter has its turn. Who is due is
// searched at most once in a 64th of `after`.
//
// Cost: without the option a branch; with it O(servers kept) a step, O(log tasks met) a task, and now and
// then O(waiting queues log waiting queues + task classes that are due · servers).
//
// Known failure: the server is chosen by what is missing now, not by how long its tasks go on, which the
// engine does not know.
#include "scheduling/starvation/reservations.hpp"

#include <fmt/format.h>
#include <map>
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
  Missing max;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] <= free[r]) continue;
    max = std::max(max, Missing{.missing = demand[r] - free[r], .demand = demand[r]});
  }
  return max;
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

/// Is no limit in the way of the queue's next task on the server, and no reserve?
static bool may_start(const Ledger& ledger, QueueIndex queue, ServerIndex server) {
  const QueueRow& row = ledger.queues[queue];
  return !ledger.has_tree() || !quota_in_the_way(ledger, row.user, ledger.demand(row, server));
}

bool has_room(const Ledger& ledger, const Reservations::Kept& kept) {
  return is_within(ledger.demand(ledger.queues[kept.queue], kept.server),
                   ledger.server_pool.free(kept.server));
}

const Reservations::Kept* first_with_room(const Ledger& ledger, const Reservations& all) {
  const auto first = std::find_if(all.kept.begin(), all.kept.end(), [&](const Reservations::Kept& kept) {
    return has_room(ledger, kept) && may_start(ledger, kept.queue, kept.server);
  });
  return first == all.kept.end() ? nullptr : &*first;
}

bool ReservationPolicy::has_lasted(const Reservations::Kept& kept, Time at) const {
  return rule_.at_most && passed(kept.since, at) >= length(*rule_.at_most);
}

bool ReservationPolicy::searches_again(Time at) const {
  return !memory_.searched || passed(*memory_.searched, at) >= length(rule_.after) / 64;
}

bool ReservationPolicy::may_intend(Time at) const {
  const std::vector<Reservations::Kept>& kept = memory_.present.kept;
  return searches_again(at) || std::any_of(kept.begin(), kept.end(), [&](const Reservations::Kept& each) {
           return has_lasted(each, at);
         });
}

/// The queues without a server whose next task has waited for long enough and fits nowhere, the longest
/// first.
std::vector<QueueIndex> ReservationPolicy::due(const Ledger& ledger, const WaitingQueues& waiting,
                                               const ReservationPreview& step) const {
  std::vector<QueueIndex> due;
  std::map<TaskClassIndex, bool> fits;
  const auto fits_nowhere = [&](TaskClassIndex task_class) {
    const auto [known, is_new] = fits.try_emplace(task_class, false);
    if (is_new) known->second = fits_somewhere(ledger, task_class, step.open);
    return !known->second;
  };
  for (const QueueIndex queue : ledger.queues.indices()) {
    // One server can be kept for one task, wherever the others of its job are; not for a gang, or a domain.
    if (!waiting.holds(queue) || ledger.task_classes.terms(ledger.queues[queue].task_class) != nullptr)
      continue;
    if (passed(ledger.queues[queue].since, step.at) < length(rule_.after)) continue;
    const bool waits_again =
        std::any_of(step.ended.begin(), step.ended.end(),
                    [&](const Reservations::Kept& ended) { return ended.queue == queue; });
    if (waits_again) continue;
    if (step.reservations.of_queue(queue) == nullptr && fits_nowhere(ledger.queues[queue].task_class))
      due.push_back(queue);
  }
  std::sort(due.begin(), due.end(), [&](QueueIndex a, QueueIndex b) {
    const QueueRow& row_a = ledger.queues[a];
    const QueueRow& row_b = ledger.queues[b];
    return row_a.since != row_b.since ? row_a.since < row_b.since : row_a.arrival < row_b.arrival;
  });
  return due;
}

namespace {

/// The open server that could hold the queue's next task and misses least for it.
std::optional<ServerIndex> server_to_keep(const Ledger& ledger, QueueIndex queue, const OpenServers& open) {
  const TaskClassIndex task_class = ledger.queues[queue].task_class;
  std::optional<ServerIndex> best;
  Missing min;
  for (const ServerIndex server : ledger.servers.indices()) {
    if (!open.contains(server) || !fits_without_tasks(ledger, task_class, server)) continue;
    if (!may_start(ledger, queue, server)) continue;
    const Missing here =
        missing_of(ledger.demand(ledger.queues[queue], server), ledger.server_pool.free(server));
    if (best && !(here < min)) continue;
    best = server;
    min = here;
  }
  return best;
}

}  // namespace

/// Requires that the reservations that lasted have ended there.
void ReservationPolicy::add_due(const Ledger& ledger, const WaitingQueues& waiting,
                                ReservationPreview& step) const {
  if (!searches_again(step.at)) return;
  step.searched = step.at;
  std::vector<Reservations::Kept>& kept = step.reservations.kept;
  if (kept.size() >= rule_.servers) return;
  std::set<TaskClassIndex> in_vain;  // task classes for which there is no such server
  for (const QueueIndex queue : due(ledger, waiting, step)) {
    const TaskClassIndex task_class = ledger.queues[queue].task_class;
    if (in_vain.contains(task_class)) continue;
    const std::optional<ServerIndex> server = server_to_keep(ledger, queue, step.open);
    if (!server) {
      if (!ledger.has_tree()) in_vain.insert(task_class);  // limits are of users
      continue;
    }
    step.open.close(*server);
    kept.push_back({.server = *server, .queue = queue, .since = step.at});
    step.begun.push_back(kept.back());
    if (kept.size() == rule_.servers) return;
  }
}

ReservationPreview ReservationPolicy::preview(const Ledger& ledger, const WaitingQueues& waiting,
                                              Time at) const {
  ReservationPreview step{.at = at,
                          .open = OpenServers(ledger.server_pool),
                          .reservations = memory_.present,
                          .searched = memory_.searched};
  std::erase_if(step.reservations.kept, [&](const Reservations::Kept& kept) {
    if (!has_lasted(kept, at)) return false;
    step.ended.push_back(kept);
    if (!ledger.servers[kept.server].drained) step.open.open(kept.server);
    return true;
  });
  add_due(ledger, waiting, step);
  return step;
}

void ReservationPolicy::begun(const ReservationPreview& intended) {
  memory_.present.kept.insert(memory_.present.kept.end(), intended.begun.begin(), intended.begun.end());
  memory_.searched = intended.searched;
}

void ReservationPolicy::ended(const Reservations::Kept& kept) {
  std::vector<Reservations::Kept>& all = memory_.present.kept;
  all.erase(all.begin() + (&kept - all.data()));
}

std::string ReservationPolicy::broken(const Ledger& ledger, const WaitingQueues& waiting) const {
  const auto broken = [&](const Reservations::Kept& each) -> const char* {
    if (!ledger.servers.holds(each.server)) return "is not there";
    if (ledger.servers[each.server].drained) return "is drained";
    if (ledger.server_pool.is_open(each.server)) return "takes other tasks";
    if (!waiting.holds(each.queue)) return "is kept for a queue that does not wait";
    if (!fits_without_tasks(ledger, ledger.queues[each.queue].task_class, each.server))
      return "is kept for a task that cannot run there";
    // One server can start one task, never a gang or a domain: due() leaves such queues out.
    if (ledger.task_classes.terms(ledger.queues[each.queue].task_class) != nullptr)
      return "is kept for a job with terms";
    if (memory_.present.on_server(each.server) != &each) return "is kept twice";
    return memory_.present.of_queue(each.queue) == &each ? nullptr : "is one of two kept for the same queue";
  };
  const std::span<const Reservations::Kept> kept = memory_.present.kept;
  if (kept.size() > rule_.servers) return "more servers are kept than may be";
  for (const TaskIndex task : memory_.met) {
    if (!ledger.tasks.holds(task))
      return fmt::format("a server was kept for task {}, which is not there", task.number());
  }
  for (const Reservations::Kept& each : kept) {
    if (const char* const what = broken(each))
      return fmt::format("the kept server {} {}", each.server.number(), what);
  }
  return {};
}

}  // namespace mirab::scheduling
