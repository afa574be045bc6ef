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
#include <bit>

namespace mirab::scheduling {

Dispatcher::Dispatcher(const Ledger& ledger, Shares& shares, PlacementSearch& placement,
                       const DisciplineChoice& choice, Tie tie)
    : ledger_(ledger),
      shares_(shares),
      placement_(placement),
      choice_(choice),
      tie_(tie),
      ready_(*choice.discipline, tie, shares.context) {}

// The lanes of a discipline: which of them a task class waits in, which servers each of them is for.

/// Is there a server of the kind, not drained, that could hold a task of the task class if it were empty?
bool Dispatcher::can_run_on_class(std::uint32_t task_class, std::uint32_t kind) const {
  const Amounts& capacity = ledger_.server_classes.capacities()[kind];
  for (const DemandAlternative& alternative : ledger_.task_classes.alternatives(task_class)) {
    if (!is_within(alternative.demand, capacity)) continue;
    const ServerSet& servers = ledger_.server_classes.set(kind);
    const ServerSet* const admitted = ledger_.task_classes.eligibility.servers(alternative.servers);
    for (std::size_t index = 0; index < servers.words().size(); ++index) {
      std::uint64_t word = servers.word(index);
      if (admitted != nullptr) word &= admitted->word(index);
      for (; word != 0; word &= word - 1) {
        const std::size_t server =
            index * ServerSet::kWord + static_cast<std::size_t>(std::countr_zero(word));
        if (!ledger_.servers[static_cast<std::uint32_t>(server)].drained) return true;
      }
    }
  }
  return false;
}

std::vector<std::uint32_t> Dispatcher::lanes_of(std::uint32_t task_class) const {
  switch (choice_.discipline->lanes) {
    case Lanes::one:
      return {0};
    case Lanes::lines:
      return {dominant_resource(ledger_.task_classes.alternatives(task_class).front().demand,
                                ledger_.server_pool.pool())};
    case Lanes::server_classes:
      std::vector<std::uint32_t> eligible;
      for (std::uint32_t kind = 0; kind < ledger_.server_classes.capacities().size(); ++kind) {
        if (can_run_on_class(task_class, kind)) eligible.push_back(kind);
      }
      return eligible;
  }
  MIRAB_ASSERT(false, "a discipline with other lanes");
}

std::optional<std::uint32_t> Dispatcher::server_class_of(std::uint32_t lane) const {
  return choice_.discipline->lanes == Lanes::server_classes ? std::optional(lane) : std::nullopt;
}

Entry Dispatcher::entry_on(std::uint32_t queue, std::uint32_t server) const {
  switch (choice_.discipline->lanes) {
    case Lanes::one:
      break;
    case Lanes::lines:
      return {.queue = queue, .lane = lanes_of(ledger_.queues[queue].task_class).front()};
    case Lanes::server_classes:
      return {.queue = queue, .lane = ledger_.servers[server].kind};
  }
  return {.queue = queue, .lane = 0};
}

/// The lanes in which a task class may be parked that fits on the server.
template <class Visit>
void Dispatcher::for_each_lane_of_server(std::uint32_t server, Visit visit) const {
  if (choice_.discipline->lanes == Lanes::server_classes) {
    if (ledger_.servers[server].kind < ready_.lane_count()) visit(ledger_.servers[server].kind);
    return;
  }
  for (std::uint32_t lane = 0; lane < ready_.lane_count(); ++lane) visit(lane);
}

/// The ways to run a task of the task class, on the servers of the lane.
void Dispatcher::write_alternatives(std::uint32_t task_class, std::uint32_t lane) {
  const Eligibility& eligibility = ledger_.task_classes.eligibility;
  alternatives_.clear();
  for (const DemandAlternative& alternative : ledger_.task_classes.alternatives(task_class)) {
    alternatives_.push_back(
        {.demand = alternative.demand,
         .among = choice_.discipline->lanes == Lanes::server_classes
                      ? admitted_.of(ledger_.server_classes, lane, alternative.servers, eligibility)
                      : eligibility.servers(alternative.servers)});
  }
}

// Who is next, and where.

/// The first of those parked whose task fits on a server where something was freed.
std::optional<Entry> Dispatcher::next_on_released() {
  std::optional<Entry> next;
  for (std::size_t index = released_.size(); index-- > 0;) {
    const std::uint32_t server = released_[index];
    bool any = false;
    for_each_lane_of_server(server, [&](std::uint32_t lane) {
      const std::optional<Entry> there =
          ready_.next_parked(lane, ledger_.server_pool.free(server),
                             [&](std::uint32_t task_class) { return ledger_.has_room(task_class, server); });
      if (!there) return;
      any = true;
      if (!next || ready_.before(*there, *next)) next = there;
    });
    if (!any) released_.drop(index);
  }
  return next;
}

void Dispatcher::retry_what_fits_on_released() {
  while (!released_.empty()) {
    const std::uint32_t server = released_[released_.size() - 1];
    for_each_lane_of_server(server, [&](std::uint32_t lane) {
      ready_.retry_if(lane, [&](std::uint32_t task_class) { return ledger_.has_room(task_class, server); });
    });
    released_.drop(released_.size() - 1);
  }
}

/// `servers` by way of the task class.
std::optional<std::uint32_t> Dispatcher::find_among(const std::vector<ServerSet>& servers,
                                                    std::uint32_t task_class, Random& random) {
  const std::span<const DemandAlternative> ways = ledger_.task_classes.alternatives(task_class);
  alternatives_.clear();
  for (std::size_t way = 0; way < ways.size(); ++way)
    alternatives_.push_back({.demand = ways[way].demand, .among = &servers[way]});
  return placement_.find(alternatives_, random);
}

/// The same for a job with terms.
std::optional<Dispatch> Dispatcher::find_batch(Entry entry, Random& random) {
  const QueueRow& queue = ledger_.queues[entry.queue];
  const std::int64_t batch = batch_of(ledger_, queue.first_job);
  batch_servers_ = GangFeasibility(ledger_, queue.first_job).first_of(batch, server_class_of(entry.lane));
  const std::optional<std::uint32_t> server = find_among(batch_servers_, queue.task_class, random);
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
    const std::uint32_t task_class = ledger_.queues[next->queue].task_class;
    if (ledger_.task_classes.terms(task_class) != nullptr) {
      if (const std::optional<Dispatch> dispatch = find_batch(*next, random)) return dispatch;
    } else {
      write_alternatives(task_class, next->lane);
      if (const std::optional<std::uint32_t> server = placement_.find(alternatives_, random))
        return Dispatch{.entry = *next, .server = *server, .has_terms = false, .batch = 1};
    }
    if (choice_.blocking == Blocking::freeze) return {};
    ready_.park(task_class, next->lane);
  }
}

std::uint32_t Dispatcher::server_of_companion(std::uint32_t job, std::int64_t left, Random& random) {
  batch_servers_ = GangFeasibility(ledger_, job).first_of(left, {});
  const std::optional<std::uint32_t> server = find_among(batch_servers_, ledger_.task_class_of(job), random);
  MIRAB_ASSERT(server.has_value(), "a gang starts in part");
  return *server;
}

// What has happened.

void Dispatcher::refresh_order() {
  shares_.refresh();
  if (choice_.discipline->lanes == Lanes::one) {
    ready_.rekey_all();
    return;
  }
  // Which lanes a queue belongs to may have changed.
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t queue = 0; queue < ledger_.queues.size(); ++queue) {
    if (ready_.holds(queue)) waiting.push_back(queue);
  }
  for (const std::uint32_t queue : waiting) ready_.leave(queue);
  for (const std::uint32_t queue : waiting) ready_.enter(queue, lanes_of(ledger_.queues[queue].task_class));
}

void Dispatcher::queue_waits(std::uint32_t queue) {
  // All queues of a task class stand in the same lanes: those of the servers that are there now.
  if (shares_.are_stale && choice_.discipline->lanes != Lanes::one) refresh_order();
  ready_.enter(queue, lanes_of(ledger_.queues[queue].task_class));
}

void Dispatcher::queue_left(std::uint32_t queue) { ready_.leave(queue); }

void Dispatcher::batch_placed(Entry entry) {
  task_placed(entry);
  // What runs of it has changed where others of its tasks may go.
  ready_.retry(ledger_.queues[entry.queue].task_class);
}

void Dispatcher::task_ended(std::uint32_t user, std::uint32_t task_class, std::uint32_t server) {
  released_.add(server);
  user_changed(user);
  if (ready_.has_constrained_parked()) retry_constrained(task_class, server);
}

/// A task of the task class has ended on the server: jobs with terms of which a task fits there are tried
/// again, and the task's own.
void Dispatcher::retry_constrained(std::uint32_t task_class, std::uint32_t server) {
  ready_.retry_constrained_if(ledger_.server_pool.free(server),
                              [&](std::uint32_t other) { return ledger_.has_room(other, server); });
  if (ledger_.task_classes.terms(task_class) != nullptr) ready_.retry(task_class);
}

void Dispatcher::enter_all() {
  refresh_order();
  for (std::uint32_t user = 0; user < ledger_.users.end(); ++user) {
    if (!ledger_.users.holds(user)) continue;
    for (const std::uint32_t queue : ledger_.users[user].queues) {
      if (ledger_.queues[queue].first_job != kNone)
        ready_.enter(queue, lanes_of(ledger_.queues[queue].task_class));
    }
  }
}

}  // namespace mirab::scheduling
