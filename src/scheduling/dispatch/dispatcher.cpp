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
// every change of the servers or of its own tasks, and after something was freed where one task would fit; a
// job with roles also after something was taken anywhere.
#include "scheduling/dispatch/dispatcher.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "scheduling/ledger/paths.hpp"

namespace mirab::scheduling {

Dispatcher::Dispatcher(const Ledger& ledger, Shares& shares, RoomSearch& room_search,
                       const DisciplineChoice& choice, Tie tie)
    : ledger_(ledger),
      shares_(shares),
      room_search_(room_search),
      choice_(choice),
      tie_(tie),
      ready_({.discipline = choice.discipline, .tie = tie, .context = &shares.context}),
      rooms_(ledger, shares.tournaments, room_search) {}

Dispatcher::Dispatcher(const Dispatcher& other, const Ledger& ledger, Shares& shares, RoomSearch& room_search)
    : ledger_(ledger),
      shares_(shares),
      room_search_(room_search),
      choice_(other.choice_),
      tie_(other.tie_),
      ready_(other.ready_, shares.context),
      rooms_(ledger, shares.tournaments, room_search),
      released_(other.released_) {
  order_.all_changed();
  if (ledger.has_tree()) begin_rooms();
}

// Who is next, and where.

/// The first of those parked whose task fits on a server where something was freed.
std::optional<Keyed> Dispatcher::next_on_released() {
  const Precedence precedence = this->precedence();
  std::optional<Keyed> next;
  for (std::size_t index = released_.size(); index-- > 0;) {
    const ServerIndex server = released_[index];
    bool any = false;
    const auto visit = [&](TournamentId tournament) {
      const std::optional<Keyed> there = ready_.next_parked(
          tournament, ledger_.server_pool.free(server),
          [&](TaskClassIndex task_class) { return may_serve(tournament, task_class, server); });
      if (!there) return;
      any = true;
      if (!next || precedence.before(*there, *next)) next = there;
    };
    ready_.for_each_tournament(shares_.tournaments.place_for(server), visit);
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
    ready_.for_each_tournament(shares_.tournaments.place_for(server), visit);
    released_.drop(released_.size() - 1);
  }
}

/// Of all that fit, or with freeze of all, the first (order/descent.hpp).
std::optional<Dispatch> Dispatcher::next_in_tree(Random& random) {
  const bool freezes = choice_.blocking == Blocking::freeze;
  if (freezes) {
    rooms_.begin();  // what has room is not asked
  } else {
    // Those who tie at random have to stand together.
    const auto released = tie_ == Tie::random ? RoomByClass::Released::tried : RoomByClass::Released::kept;
    rooms_.refresh(waiting(), released, [&](TaskClassIndex task_class) {
      for (const QueueIndex queue : waiting().queues(task_class)) {
        if (waiting().holds(queue)) order_.user_changed(ledger_.queues[queue].user);
      }
    });
  }
  const auto has_room = [&](TaskClassIndex task_class, std::size_t tournament) {
    return freezes || rooms_.has_room(task_class, tournament);
  };
  const TreeCandidate* const next = order_.next(
      Descent(precedence()),
      [&](UserIndex user, std::vector<TreeCandidate>& candidates, std::vector<Amounts>& demands) {
        write_candidates(ledger_, shares_.tournaments, waiting(), user, has_room, candidates, demands);
      },
      random, rooms_.released(),
      [&](const TreeCandidate& candidate, ServerIndex server) {
        const auto [queue, tournament] = candidate.entry;
        return may_serve(tournament, ledger_.queues[queue].task_class, server);
      });
  return next != nullptr ? room_search_.find(next->entry, random) : std::nullopt;
}

/// A queue of the user waits, or waits no more. How many wait at a place decides between entries of one
/// queue.
void Dispatcher::change_waiting(UserIndex user) {
  if (shares_.tournaments.follow_open_servers()) return order_.all_changed();
  order_.user_changed(user);
}

/// Its use or its queues are others: those who share a limit, a guarantee or the reserves with it may be
/// allowed or covered otherwise.
void Dispatcher::change_in_tree(UserIndex user) {
  order_.user_changed(user);
  if (!ledger_.has_quotas()) return;
  if (ledger_.has_reserves()) return order_.all_changed();
  GroupIndex highest = kNone;
  any_on_path(ledger_, user, [&](TreeNode node) {
    if (node.is_user()) return false;
    const std::span<const std::int64_t> guarantee = ledger_.guarantee(node);
    const bool promises =
        std::any_of(guarantee.begin(), guarantee.end(), [](std::int64_t units) { return units > 0; });
    if (promises || !ledger_.quota(node).limit.empty()) highest = node.group;
    return false;
  });
  if (highest != kNone) order_.below_changed(ledger_, highest);
}

std::optional<Dispatch> Dispatcher::next(Random& random) {
  if (ledger_.has_tree()) return next_in_tree(random);
  // Beyond a few servers it is cheaper to let what fits there compete with the others; and those who tie at
  // random have to stand together.
  constexpr std::size_t kMaxReleased = 16;
  if (released_.size() > kMaxReleased || tie_ == Tie::random) retry_what_fits_on_released();
  for (;;) {
    std::optional<Keyed> next = ready_.next(random);
    if (!released_.empty()) {
      const std::optional<Keyed> parked = next_on_released();
      if (parked && (!next || precedence().before(*parked, *next))) next = parked;
    }
    if (!next) return {};
    if (std::optional<Dispatch> found = room_search_.find(next->entry, random)) return found;
    if (choice_.blocking == Blocking::freeze) return {};
    ready_.park(ledger_.queues[next->entry.queue].task_class, next->entry.tournament);
  }
}

// What has happened.

void Dispatcher::tree_changed() {
  order_.all_changed();
  if (ready_.keeps_order() != ledger_.has_tree()) return;
  released_ = {};
  ready_.keep_order(!ledger_.has_tree());
  begin_rooms();
}

/// What has room is found out again, for all that wait.
void Dispatcher::begin_rooms() {
  rooms_.begin();
  for (const QueueIndex queue : waiting().indices()) {
    if (waiting().holds(queue)) rooms_.entered(ledger_.queues[queue].task_class);
  }
}

void Dispatcher::refresh_order() {
  shares_.refresh();
  order_.all_changed();
  rooms_.all_changed();
  if (!shares_.tournaments.follow_capacities()) {
    ready_.rekey_all();
    return;
  }
  // Which tournaments a queue enters may have changed.
  std::vector<QueueIndex> entered;
  for (const QueueIndex queue : ledger_.queues.indices()) {
    if (waiting().holds(queue)) entered.push_back(queue);
  }
  for (const QueueIndex queue : entered) ready_.leave(queue);
  for (const QueueIndex queue : entered)
    ready_.enter(queue, shares_.tournaments.of(ledger_.queues[queue].task_class));
}

void Dispatcher::queue_waits(QueueIndex queue) {
  // All queues of a task class play in the same tournaments: those of the servers that are there now.
  if (shares_.are_stale && shares_.tournaments.follow_capacities()) refresh_order();
  const QueueRow& row = ledger_.queues[queue];
  ready_.enter(queue, shares_.tournaments.of(row.task_class));
  if (!ledger_.has_tree()) return;
  rooms_.entered(row.task_class);
  change_waiting(row.user);
}

void Dispatcher::queue_left(QueueIndex queue) {
  ready_.leave(queue);
  if (!ledger_.has_tree()) return;
  const QueueRow& row = ledger_.queues[queue];
  if (!waiting().any_of(row.task_class)) rooms_.left(row.task_class);
  change_waiting(row.user);
}

void Dispatcher::batch_placed(TournamentEntry entry) {
  task_placed(entry);
  // What runs of it has changed where others of its tasks may go.
  ready_.retry(ledger_.queues[entry.queue].task_class);
}

void Dispatcher::task_ended(UserIndex user, TaskClassIndex task_class, ServerIndex server) {
  if (ledger_.task_classes.terms(task_class) != nullptr) room_search_.task_ended(task_class, server);
  room_released(server);
  user_changed(user);
  retry_constrained(task_class, server);
}

void Dispatcher::hold_changed(ServerIndex server) {
  if (ledger_.has_tree()) {
    rooms_.room_released(server);
    rooms_.room_taken(server);
    return;
  }
  released_.add(server);
  retry_constrained_on(server);
  all_taken();
}

/// Jobs with roles are tried again: a server that has less room may make them find some (roles.cpp).
void Dispatcher::retry_roles() {
  const Amounts everything(ledger_.resource_count(), INT64_MAX);
  ready_.retry_constrained_if(
      everything, [&](TaskClassIndex task_class) { return ledger_.task_classes.has_roles(task_class); });
}

/// Jobs with terms of which a task fits there are tried again.
void Dispatcher::retry_constrained_on(ServerIndex server) {
  ready_.retry_constrained_if(ledger_.server_pool.free(server),
                              [&](TaskClassIndex other) { return ledger_.has_room(other, server); });
}

/// A task of the task class has ended on the server: jobs with terms of which a task fits there are tried
/// again, and the task's own.
void Dispatcher::retry_constrained(TaskClassIndex task_class, ServerIndex server) {
  retry_constrained_on(server);
  if (ledger_.task_classes.terms(task_class) != nullptr) ready_.retry(task_class);
}

std::string Dispatcher::broken() const {
  for (const QueueIndex queue : ledger_.queues.indices()) {
    const bool has_waiting = ledger_.queues[queue].user != kNone && ledger_.queues[queue].first_job != kNone;
    if (waiting().holds(queue) != has_waiting)
      return fmt::format(
          "queue {} {}", queue.number(),
          has_waiting ? "has waiting tasks and is not in the order" : "is in the order without a task");
  }
  return {};
}

void Dispatcher::enter_all() {
  tree_changed();
  refresh_order();
  for (const UserIndex user : ledger_.users.present()) {
    for (const QueueIndex queue : ledger_.users[user].queues) {
      if (ledger_.queues[queue].first_job == kNone) continue;
      ready_.enter(queue, shares_.tournaments.of(ledger_.queues[queue].task_class));
      if (ledger_.has_tree()) rooms_.entered(ledger_.queues[queue].task_class);
    }
  }
}

}  // namespace mirab::scheduling
