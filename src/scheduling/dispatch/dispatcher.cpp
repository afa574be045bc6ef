// Which user to serve next, and where. All waiting tasks that look alike stand together as a task class, so
// that whether they fit is found out once for all of them.
//
// A task class that fits nowhere is parked, and stays parked while nothing is freed. When something is, on
// server i, only i can have room for it: what is parked and fits there competes with those that are not
// parked. So a decision looks at all servers at most once for each task class since something was freed that
// could help it, and the order of the discipline is kept exactly: the lowest key of all queues with a task
// that fits.
//
// For a job with terms (constraints.hpp) more can help than room on one server. It is tried again after
// every change of the servers or of its own tasks, and after something was freed where one task would fit.
#include "scheduling/dispatch/dispatcher.hpp"

#include <algorithm>

namespace mirab::scheduling {

Dispatcher::Dispatcher(const Ledger& ledger, Shares& shares, PlacementSearch& placement,
                       const DisciplineChoice& choice, Tie tie)
    : ledger_(ledger),
      shares_(shares),
      placement_(placement),
      choice_(choice),
      tie_(tie),
      ready_(*choice.discipline, tie, shares.context) {}

Entry Dispatcher::entry_on(QueueIndex queue, ServerIndex server) const {
  return {.queue = queue, .tournament = tournaments().of(ledger_.queues[queue].task_class, server)};
}

/// The ways to run a task of the task class, on the servers of the tournament.
void Dispatcher::write_alternatives(TaskClassIndex task_class, TournamentId tournament) {
  const std::optional<ServerClassIndex> server_class = tournaments().server_class(tournament);
  const Eligibility& eligibility = ledger_.task_classes.eligibility;
  alternatives_.clear();
  for (const DemandAlternative& alternative : ledger_.task_classes.alternatives(task_class)) {
    if (!tournaments().serves(tournament, task_class, alternative)) continue;
    alternatives_.push_back({.demand = alternative.demand,
                             .among = server_class ? admitted_.of(ledger_.server_classes, *server_class,
                                                                  alternative.servers, eligibility)
                                                   : eligibility.servers(alternative.servers)});
  }
}

// Who is next, and where.

/// The first of those parked whose task fits on a server where something was freed.
std::optional<Entry> Dispatcher::next_on_released() {
  std::optional<Entry> next;
  for (std::size_t index = released_.size(); index-- > 0;) {
    const ServerIndex server = released_[index];
    bool any = false;
    const auto visit = [&](TournamentId tournament) {
      const std::optional<Entry> there = ready_.next_parked(
          tournament, ledger_.server_pool.free(server),
          [&](TaskClassIndex task_class) { return may_serve(tournament, task_class, server); });
      if (!there) return;
      any = true;
      if (!next || ready_.before(*there, *next)) next = there;
    };
    ready_.for_each_tournament(tournaments().place_for(server), visit);
    if (!any) released_.drop(index);
  }
  return next;
}

void Dispatcher::retry_what_fits_on_released() {
  while (!released_.empty()) {
    const ServerIndex server = released_[released_.size() - 1];
    const auto visit = [&](TournamentId tournament) {
      ready_.retry_if(tournament,
                      [&](TaskClassIndex task_class) { return may_serve(tournament, task_class, server); });
    };
    ready_.for_each_tournament(tournaments().place_for(server), visit);
    released_.drop(released_.size() - 1);
  }
}

/// `servers` by way of the task class.
std::optional<ServerIndex> Dispatcher::find_among(const std::vector<ServerSet>& servers,
                                                  TaskClassIndex task_class, Random& random) {
  const std::span<const DemandAlternative> ways = ledger_.task_classes.alternatives(task_class);
  alternatives_.clear();
  for (std::size_t way = 0; way < ways.size(); ++way)
    alternatives_.push_back({.demand = ways[way].demand, .among = &servers[way]});
  return placement_.find(alternatives_, random);
}

/// The servers for the first task of a batch that is served in the tournament, by way of the task class.
std::vector<ServerSet> Dispatcher::first_of_batch(const GangFeasibility& gang, std::int64_t batch,
                                                  TaskClassIndex task_class, TournamentId tournament) const {
  std::vector<ServerSet> servers = gang.first_of(batch, tournaments().server_class(tournament));
  const std::span<const DemandAlternative> alternatives = ledger_.task_classes.alternatives(task_class);
  for (std::size_t at = 0; at < servers.size(); ++at) {
    if (!tournaments().serves(tournament, task_class, alternatives[at])) servers[at] = {};
  }
  return servers;
}

bool Dispatcher::batch_fits_in(TournamentId tournament, JobIndex job, const OpenServers& open) const {
  const std::vector<ServerSet> servers = first_of_batch(
      GangFeasibility(ledger_, job, open), batch_of(ledger_, job), ledger_.task_class_of(job), tournament);
  return std::any_of(servers.begin(), servers.end(), [](const ServerSet& set) { return any(set); });
}

/// The same for a job with terms.
std::optional<Dispatch> Dispatcher::find_batch(Entry entry, Random& random) {
  const QueueRow& queue = ledger_.queues[entry.queue];
  const std::int64_t batch = batch_of(ledger_, queue.first_job);
  batch_servers_ =
      first_of_batch(GangFeasibility(ledger_, queue.first_job), batch, queue.task_class, entry.tournament);
  const std::optional<ServerIndex> server = find_among(batch_servers_, queue.task_class, random);
  if (!server) return {};
  return Dispatch{.entry = entry, .server = *server, .has_terms = true, .batch = batch};
}

std::optional<Dispatch> Dispatcher::next(Random& random) {
  // Beyond a few servers it is cheaper to let what fits there compete with the others; and those who tie at
  // random have to stand together.
  constexpr std::size_t kMaxReleased = 16;
  if (released_.size() > kMaxReleased || tie_ == Tie::random) retry_what_fits_on_released();
  for (;;) {
    std::optional<Entry> next = ready_.next(random);
    if (!released_.empty()) {
      const std::optional<Entry> parked = next_on_released();
      if (parked && (!next || ready_.before(*parked, *next))) next = parked;
    }
    if (!next) return {};
    const TaskClassIndex task_class = ledger_.queues[next->queue].task_class;
    if (ledger_.task_classes.terms(task_class) != nullptr) {
      if (const std::optional<Dispatch> dispatch = find_batch(*next, random)) return dispatch;
    } else {
      write_alternatives(task_class, next->tournament);
      if (const std::optional<ServerIndex> server = placement_.find(alternatives_, random))
        return Dispatch{.entry = *next, .server = *server, .has_terms = false, .batch = 1};
    }
    if (choice_.blocking == Blocking::freeze) return {};
    ready_.park(task_class, next->tournament);
  }
}

ServerIndex Dispatcher::server_of_companion(JobIndex job, std::int64_t left, Random& random) {
  batch_servers_ = GangFeasibility(ledger_, job).first_of(left, {});
  const std::optional<ServerIndex> server = find_among(batch_servers_, ledger_.task_class_of(job), random);
  MIRAB_ASSERT(server.has_value(), "a gang starts in part");
  return *server;
}

// What has happened.

void Dispatcher::refresh_order() {
  shares_.refresh();
  if (!tournaments().follow_capacities()) {
    ready_.rekey_all();
    return;
  }
  // Which tournaments a queue enters may have changed.
  std::vector<QueueIndex> waiting;
  for (const QueueIndex queue : ledger_.queues.indices()) {
    if (ready_.holds(queue)) waiting.push_back(queue);
  }
  for (const QueueIndex queue : waiting) ready_.leave(queue);
  for (const QueueIndex queue : waiting)
    ready_.enter(queue, tournaments().of(ledger_.queues[queue].task_class));
}

void Dispatcher::queue_waits(QueueIndex queue) {
  // All queues of a task class play in the same tournaments: those of the servers that are there now.
  if (shares_.are_stale && tournaments().follow_capacities()) refresh_order();
  ready_.enter(queue, tournaments().of(ledger_.queues[queue].task_class));
}

void Dispatcher::queue_left(QueueIndex queue) { ready_.leave(queue); }

void Dispatcher::batch_placed(Entry entry) {
  task_placed(entry);
  // What runs of it has changed where others of its tasks may go.
  ready_.retry(ledger_.queues[entry.queue].task_class);
}

void Dispatcher::task_ended(UserIndex user, TaskClassIndex task_class, ServerIndex server) {
  released_.add(server);
  user_changed(user);
  if (ready_.has_constrained_parked()) retry_constrained(task_class, server);
}

/// A task of the task class has ended on the server: jobs with terms of which a task fits there are tried
/// again, and the task's own.
void Dispatcher::retry_constrained(TaskClassIndex task_class, ServerIndex server) {
  ready_.retry_constrained_if(ledger_.server_pool.free(server),
                              [&](TaskClassIndex other) { return ledger_.has_room(other, server); });
  if (ledger_.task_classes.terms(task_class) != nullptr) ready_.retry(task_class);
}

void Dispatcher::enter_all() {
  refresh_order();
  for (const UserIndex user : ledger_.users.present()) {
    for (const QueueIndex queue : ledger_.users[user].queues) {
      if (ledger_.queues[queue].first_job != kNone)
        ready_.enter(queue, tournaments().of(ledger_.queues[queue].task_class));
    }
  }
}

}  // namespace mirab::scheduling
