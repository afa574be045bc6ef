// Who is next, over all tournaments.
#include "scheduling/order/ready_queue.hpp"

#include <algorithm>

namespace mirab::scheduling {

void ReadyQueue::enter(QueueIndex queue, std::vector<TournamentId> tournaments) {
  const TaskClassIndex task_class = task_class_of(queue);
  waiting_.enter(queue, task_class, std::move(tournaments));
  if (keeps_order_) play(queue);
}

/// The queue, which waits, is new in its tournaments.
void ReadyQueue::play(QueueIndex queue) {
  for (const TournamentId tournament : waiting_.tournaments(task_class_of(queue))) {
    brackets_.cover(tournament.alternative);
    IndexedVector<PlaceIndex, Bracket>& places = brackets_[tournament.alternative];
    while (!places.holds(tournament.place)) {
      const TournamentId next{.place = places.end_index(), .alternative = tournament.alternative};
      places.push_back(Bracket(next, precedence_.context->ledger.resource_count()));
    }
    bracket_of(tournament).set_key(queue, precedence_.rounded(bracket_of(tournament).entry(queue)));
    bracket_of(tournament).play(order(), queue);
  }
}

void ReadyQueue::leave(QueueIndex queue) {
  const TaskClassIndex task_class = task_class_of(queue);
  if (keeps_order_) {
    for (const TournamentId tournament : waiting_.tournaments(task_class))
      bracket_of(tournament).leave(order(), queue);
  }
  waiting_.leave(queue, task_class);
}

/// The key of the user is filled in where all its queues have the same.
void ReadyQueue::set_keys(QueueIndex queue, std::optional<double>& of_user) {
  for (const TournamentId tournament : waiting_.tournaments(task_class_of(queue))) {
    Bracket& bracket = bracket_of(tournament);
    const double key = of_user ? *of_user : precedence_.rounded(bracket.entry(queue));
    if (precedence_.has_key_of_user()) of_user = key;
    bracket.set_key(queue, key);
  }
}

void ReadyQueue::keep_order(bool keeps) {
  keeps_order_ = keeps;
  brackets_ = {};
  if (!keeps) return;
  for (const QueueIndex queue : waiting_.indices()) {
    if (waiting_.holds(queue)) play(queue);
  }
}

void ReadyQueue::rekey(std::span<const QueueIndex> queues) {
  if (!keeps_order_) return;
  // First all keys, then the matches: those of one user play against each other.
  std::optional<double> of_user;
  for (const QueueIndex queue : queues) {
    if (waiting_.holds(queue)) set_keys(queue, of_user);
  }
  for (const QueueIndex queue : queues) {
    if (!waiting_.holds(queue)) continue;
    for (const TournamentId tournament : waiting_.tournaments(task_class_of(queue)))
      bracket_of(tournament).play(order(), queue);
  }
}

void ReadyQueue::rekey_all() {
  if (!keeps_order_) return;
  for (const QueueIndex queue : waiting_.indices()) {
    std::optional<double> of_user;
    if (waiting_.holds(queue)) set_keys(queue, of_user);
  }
  for_each_tournament([&](TournamentId tournament) { bracket_of(tournament).play_all(order()); });
}

void ReadyQueue::retry(TaskClassIndex task_class) {
  if (!keeps_order_ || !waiting_.any_of(task_class)) return;
  for (const TournamentId tournament : waiting_.tournaments(task_class)) {
    Bracket& bracket = bracket_of(tournament);
    if (bracket.is_parked(task_class)) bracket.retry(order(), task_class);
  }
}

void ReadyQueue::retry_constrained() {
  for_each_tournament([&](TournamentId tournament) {
    Bracket& bracket = bracket_of(tournament);
    while (bracket.parked_constrained().size() > 0)
      bracket.retry(order(), bracket.parked_constrained().last());
  });
}

std::optional<Keyed> ReadyQueue::next(Random& random) const {
  std::optional<Keyed> lowest;
  for_each_tournament([&](TournamentId tournament) {
    const std::optional<Keyed> first = bracket_of(tournament).first();
    if (first && (!lowest || precedence_.before(*first, *lowest))) lowest = first;
  });
  return lowest && precedence_.tie == Tie::random ? drawn_from_tied(*lowest, random) : lowest;
}

Keyed ReadyQueue::drawn_from_tied(Keyed lowest, Random& random) const {
  const ShareContext& context = *precedence_.context;
  std::vector<Keyed> tied;
  for_each_tournament([&](TournamentId tournament) {
    const Bracket& bracket = bracket_of(tournament);
    bracket.for_each_tied(order(), lowest, [&](QueueIndex queue) { tied.push_back(bracket.keyed(queue)); });
  });
  // The draw counts the users as they came, wherever they stand in the tournaments, and of each the first.
  const auto user = [&](const Keyed& each) { return context.user(each.entry).order; };
  std::sort(tied.begin(), tied.end(), [&](const Keyed& a, const Keyed& b) {
    return user(a) != user(b) ? user(a) < user(b) : precedence_.before(a, b);
  });
  const auto is_of_same = [&](const Keyed& a, const Keyed& b) { return user(a) == user(b); };
  tied.erase(std::unique(tied.begin(), tied.end(), is_of_same), tied.end());
  return tied.size() == 1 ? lowest : tied[random.below(tied.size())];
}

}  // namespace mirab::scheduling
