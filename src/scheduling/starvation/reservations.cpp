// Reservations against starvation: a queue that waits long enough for a place that smaller tasks always take
// first has a server kept for it, which empties.
//
// Who: a queue whose next task fits nowhere, and which has waited for `after` since it began to wait or last
// got a task; those who waited longest first. Which server: of those that are open, eligible, and large
// enough without tasks (what others hold there stays), the one with the lowest max_r missing_r / d_r,
// missing_r = max(0, d_r − free_r); of equal ones that with the lower number. It takes nothing else, and the
// task goes there as soon as it has room, before all others.
//
// For a batch of a job with terms (constraints.hpp), which starts on several servers, as many are kept as it
// needs: those on which it would start if no other tasks ran there, when each of its tasks goes to the first
// server where the terms allow it, in the order of what is missing for one task. With pack the domain is
// taken that needs the fewest servers. The batch starts as soon as it fits on these and the open servers
// together. It counts as one of the `servers` that may be kept. When it would not fit there any more, were
// they empty (it has become larger, or domains are others), the servers are chosen again at the next look.
//
// A reservation ends when its queue gets a task, there or elsewhere, or waits no longer; when one of its
// servers fails, is removed, drained, made too small, or may not be used by the queue any longer; and after
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
// then O(waiting queues log waiting queues + task classes that are due · servers). For each batch with kept
// servers a count of room (constraints.hpp) in the first step after an event, and in those after a task or a
// reservation has ended.
//
// Known failure: the server is chosen by what is missing now, not by how long its tasks go on, which the
// engine does not know.
#include "scheduling/starvation/reservations.hpp"

#include <fmt/format.h>
#include <map>

#include "model/seconds.hpp"
#include "scheduling/constraints/constraints.hpp"
#include "scheduling/dispatch/room_search.hpp"

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

namespace {

bool has_terms(const Ledger& ledger, QueueIndex queue) {
  return ledger.task_classes.terms(ledger.queues[queue].task_class) != nullptr;
}

/// Is no limit in the way of the queue's next task on the server, and no reserve?
bool may_start(const Ledger& ledger, QueueIndex queue, ServerIndex server) {
  const QueueRow& row = ledger.queues[queue];
  return !ledger.has_tree() || !quota_in_the_way(ledger, row.user, ledger.demand(row, server));
}

/// The same of its next batch. Requires terms.
bool batch_may_start(const Ledger& ledger, QueueIndex queue) {
  const QueueRow& row = ledger.queues[queue];
  if (!ledger.has_tree()) return true;
  return !quota_in_the_way(ledger, row.user, most_together(ledger, row, batch_of(ledger, row.first_job)));
}

/// Would the queue's next batch fit on these servers if no other tasks ran there?
bool are_enough(const Ledger& ledger, QueueIndex queue, std::span<const ServerIndex> servers) {
  const JobIndex job = ledger.queues[queue].first_job;
  return GangFeasibility(ledger, job).servers_if_emptied(batch_of(ledger, job), servers).has_value();
}

}  // namespace

bool has_room(const Ledger& ledger, const Reservations::Kept& kept) {
  return is_within(ledger.demand(ledger.queues[kept.queue], kept.server),
                   ledger.server_pool.free(kept.server));
}

const Reservations::Kept* first_with_room(const Ledger& ledger, const Reservations& all,
                                          const OpenServers& open, bool asks_gangs) {
  const auto first = std::find_if(all.kept.begin(), all.kept.end(), [&](const Reservations::Kept& kept) {
    if (!has_terms(ledger, kept.queue))
      return has_room(ledger, kept) && may_start(ledger, kept.queue, kept.server);
    const bool asks = asks_gangs || ledger.task_classes.has_roles(ledger.queues[kept.queue].task_class);
    return asks && &kept == all.of_queue(kept.queue) && batch_may_start(ledger, kept.queue) &&
           batch_fits(ledger, ledger.queues[kept.queue].first_job, all.open_to(kept.queue, open),
                      all.servers_of(kept.queue));
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

std::optional<Time> ReservationPolicy::next_by_time(const Ledger& ledger,
                                                    const WaitingQueues& waiting) const {
  const std::vector<Reservations::Kept>& kept = memory_.present.kept;
  Time first = Time::max();
  if (rule_.at_most) {
    for (const Reservations::Kept& each : kept) first = std::min(first, later(each.since, *rule_.at_most));
  }
  const Time search =
      memory_.searched ? later(*memory_.searched, std::max(rule_.after / 64, Duration(1))) : Time::min();
  const auto may_be_too_few = [&](const Reservations::Kept& each) { return has_terms(ledger, each.queue); };
  if (!is_search_true_ && std::any_of(kept.begin(), kept.end(), may_be_too_few))
    first = std::min(first, search);
  const bool may_keep = memory_.present.queue_count() < rule_.servers;
  for (const QueueIndex queue : ledger.queues.indices()) {
    if (!may_keep || first <= search) break;
    if (!waiting.holds(queue) || memory_.present.of_queue(queue) != nullptr) continue;
    const Time due = later(ledger.queues[queue].since, rule_.after);
    const bool was_looked_at = is_search_true_ && memory_.searched && due <= *memory_.searched;
    if (!was_looked_at) first = std::min(first, std::max(due, search));
  }
  return first == Time::max() ? std::nullopt : std::optional(first);
}

/// The queues without a server whose next task has waited for long enough and fits nowhere, the longest
/// first.
std::vector<QueueIndex> ReservationPolicy::due(const Ledger& ledger, const WaitingQueues& waiting,
                                               const ReservationPreview& step) const {
  std::vector<QueueIndex> due;
  std::map<TaskClassIndex, bool> fits;
  const auto fits_nowhere = [&](QueueIndex queue) {
    const QueueRow& row = ledger.queues[queue];
    const auto [known, is_new] = fits.try_emplace(row.task_class, false);
    if (is_new) {
      known->second = has_terms(ledger, queue) ? batch_fits(ledger, row.first_job, step.open)
                                               : fits_somewhere(ledger, row.task_class, step.open);
    }
    return !known->second;
  };
  for (const QueueIndex queue : ledger.queues.indices()) {
    if (!waiting.holds(queue)) continue;
    if (passed(ledger.queues[queue].since, step.at) < length(rule_.after)) continue;
    const bool waits_again =
        std::any_of(step.ended.begin(), step.ended.end(),
                    [&](const Reservations::Kept& ended) { return ended.queue == queue; });
    if (waits_again) continue;
    if (step.reservations.of_queue(queue) == nullptr && fits_nowhere(queue)) due.push_back(queue);
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

/// What is missing for a task there, in a job with roles for that which misses least. Requires that one could
/// run there.
Missing least_missing(const Ledger& ledger, TaskClassIndex task_class, ServerIndex server) {
  std::optional<Missing> least;
  for (const DemandAlternative& way : ledger.task_classes.alternatives(task_class)) {
    if (!ledger.task_classes.eligibility.contains(way.servers, server)) continue;
    if (!fits_without_tasks(ledger, way, server)) continue;
    const Missing here = missing_of(way.demand, ledger.server_pool.free(server));
    if (!least || here < *least) least = here;
  }
  return *least;
}

/// The open servers that the queue's next batch needs, of those that miss least for one of its tasks; none
/// when no number of them would do. Requires terms.
std::vector<ServerIndex> servers_for_batch(const Ledger& ledger, QueueIndex queue, const OpenServers& open) {
  if (!batch_may_start(ledger, queue)) return {};
  const QueueRow& row = ledger.queues[queue];
  std::vector<std::pair<Missing, ServerIndex>> candidates;
  for (const ServerIndex server : ledger.servers.indices()) {
    if (!open.contains(server) || !fits_without_tasks(ledger, row.task_class, server)) continue;
    candidates.emplace_back(least_missing(ledger, row.task_class, server), server);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ServerIndex> servers;
  for (const auto& [missing, server] : candidates) servers.push_back(server);
  return GangFeasibility(ledger, row.first_job)
      .servers_if_emptied(batch_of(ledger, row.first_job), servers)
      .value_or(std::vector<ServerIndex>{});
}

std::vector<ServerIndex> servers_to_keep(const Ledger& ledger, QueueIndex queue, const OpenServers& open) {
  if (has_terms(ledger, queue)) return servers_for_batch(ledger, queue, open);
  const std::optional<ServerIndex> server = server_to_keep(ledger, queue, open);
  return server ? std::vector{*server} : std::vector<ServerIndex>{};
}

}  // namespace

/// The reservations of batches that would not fit on their servers any more end.
void ReservationPolicy::end_where_too_few(const Ledger& ledger, ReservationPreview& step) const {
  std::vector<Reservations::Kept>& kept = step.reservations.kept;
  for (std::size_t at = 0; at < kept.size();) {
    const QueueIndex queue = kept[at].queue;
    const std::vector<ServerIndex> servers = step.reservations.servers_of(queue);
    if (!has_terms(ledger, queue) || are_enough(ledger, queue, servers)) {
      at += servers.size();
      continue;
    }
    const auto first = kept.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = first + static_cast<std::ptrdiff_t>(servers.size());
    step.too_few.insert(step.too_few.end(), first, last);
    kept.erase(first, last);
    for (const ServerIndex server : servers) step.open.open(server);
  }
}

/// Requires that the reservations that lasted have ended there.
void ReservationPolicy::add_due(const Ledger& ledger, const WaitingQueues& waiting,
                                ReservationPreview& step) const {
  if (!searches_again(step.at)) return;
  step.searched = step.at;
  end_where_too_few(ledger, step);
  std::vector<Reservations::Kept>& kept = step.reservations.kept;
  std::size_t left = rule_.servers - std::min(rule_.servers, step.reservations.queue_count());
  if (left == 0) return;
  std::set<TaskClassIndex> in_vain;  // task classes for which there is no such server
  for (const QueueIndex queue : due(ledger, waiting, step)) {
    const TaskClassIndex task_class = ledger.queues[queue].task_class;
    if (in_vain.contains(task_class)) continue;
    const std::vector<ServerIndex> servers = servers_to_keep(ledger, queue, step.open);
    if (servers.empty()) {
      if (!ledger.has_tree()) in_vain.insert(task_class);  // limits are of users
      continue;
    }
    for (const ServerIndex server : servers) {
      step.open.close(server);
      kept.push_back({.server = server, .queue = queue, .since = step.at});
      step.begun.push_back(kept.back());
    }
    if (--left == 0) return;
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
  something_changed();
  // What is kept now is no room for the others that are due.
  is_search_true_ = intended.searched == intended.at && intended.begun.empty();
}

void ReservationPolicy::ended(QueueIndex queue) {
  std::erase_if(memory_.present.kept, [&](const Reservations::Kept& kept) { return kept.queue == queue; });
  something_changed();
}

std::string ReservationPolicy::broken(const Ledger& ledger, const WaitingQueues& waiting) const {
  const auto broken = [&](const Reservations::Kept& each) -> const char* {
    if (!ledger.servers.holds(each.server)) return "is not there";
    if (ledger.servers[each.server].drained) return "is drained";
    if (ledger.server_pool.is_open(each.server)) return "takes other tasks";
    if (!waiting.holds(each.queue)) return "is kept for a queue that does not wait";
    if (!fits_without_tasks(ledger, ledger.queues[each.queue].task_class, each.server))
      return "is kept for a task that cannot run there";
    if (memory_.present.on_server(each.server) != &each) return "is kept twice";
    const Reservations::Kept* const first = memory_.present.of_queue(each.queue);
    if (first == &each) return nullptr;
    if (!has_terms(ledger, each.queue)) return "is one of two kept for the same queue";
    if ((&each - 1)->queue != each.queue) return "does not stand with the others of its queue";
    return each.since == first->since ? nullptr : "is kept since another time than the others of its queue";
  };
  const std::span<const Reservations::Kept> kept = memory_.present.kept;
  if (memory_.present.queue_count() > rule_.servers) return "more servers are kept than may be";
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
