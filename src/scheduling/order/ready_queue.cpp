// The queues with waiting tasks in the order of their keys, and the task classes that fit nowhere at present.
#include "scheduling/order/ready_queue.hpp"

#include <algorithm>

namespace mirab::scheduling {

UnschedulableClasses::Place UnschedulableClasses::add(TaskClassIndex task_class, double key,
                                                      std::span<const std::int64_t> least) {
  const Place at = task_classes_.push_back(task_class);
  keys_.push_back(key);
  amounts_.resize(size());
  std::copy(least.begin(), least.end(), amounts_[at].begin());
  bool coarser = false;
  for (std::size_t r = 0; r < least.size(); ++r) coarser = rows_.cover(r, least[r]) || coarser;
  if (!coarser) {
    rows_.set(at.number(), amounts_[at]);
  } else {
    for (const Place each : places()) rows_.set(each.number(), amounts_[each]);
  }
  return at;
}

void UnschedulableClasses::remove(Place at) {
  const Place last = task_classes_.last_index();
  if (at != last) {
    task_classes_[at] = task_classes_[last];
    keys_[at] = keys_[last];
    std::copy(amounts_[last].begin(), amounts_[last].end(), amounts_[at].begin());
    rows_.set(at.number(), amounts_[at]);
  }
  rows_.clear(last.number());
  task_classes_.pop_back();
  keys_.pop_back();
  amounts_.resize(size());
}

namespace {

/// What a task of the task class takes at the least, whichever way it runs. [m]
Amounts least(std::span<const DemandAlternative> alternatives) {
  Amounts least = alternatives.front().demand;
  for (const DemandAlternative& alternative : alternatives.subspan(1)) {
    for (std::size_t r = 0; r < least.size(); ++r) least[r] = std::min(least[r], alternative.demand[r]);
  }
  return least;
}

}  // namespace

/// Who comes first in the task class is known again; so is the task class's place among the others.
void ReadyQueue::set_first(TaskClassIndex task_class, TournamentId tournament) {
  Bracket& bracket = bracket_of(tournament);
  OfClass& of_class = bracket.of_class[task_class];
  of_class.first = members_[task_class].queues[of_class.queues.winner()];
  of_class.first_key = bracket.keys[of_class.first];
  if (of_class.parked_at == kNone) {
    bracket.task_classes.play(task_class, before_in_tournament(tournament));
  } else {
    set_parked_key(task_class, tournament);
  }
}

void ReadyQueue::set_parked_key(TaskClassIndex task_class, TournamentId tournament) {
  const OfClass& of_class = bracket_of(tournament).of_class[task_class];
  parked_of(task_class, tournament).set_key(of_class.parked_at, of_class.first_key);
}

void ReadyQueue::set_key(QueueIndex queue, TournamentId tournament) {
  bracket_of(tournament).keys[queue] =
      discipline_->key->rounded(*context_, {.queue = queue, .tournament = tournament});
}

void ReadyQueue::replay(QueueIndex queue, TournamentId tournament) {
  Bracket& bracket = bracket_of(tournament);
  const TaskClassIndex task_class = context_->ledger.queues[queue].task_class;
  bracket.of_class[task_class].queues.play(places_[queue], before_in_class(task_class, tournament));
  set_first(task_class, tournament);
}

void ReadyQueue::enter(QueueIndex queue, std::vector<TournamentId> tournaments) {
  const TaskClassIndex task_class = context_->ledger.queues[queue].task_class;
  members_.cover(task_class);
  places_.cover(queue);
  Members& members = members_[task_class];
  MIRAB_ASSERT(places_[queue] == kNone, "a queue that waits already enters");
  if (members.vacant.empty()) {
    places_[queue] = members.queues.push_back(queue);
  } else {
    places_[queue] = members.vacant.back();
    members.vacant.pop_back();
    members.queues[places_[queue]] = queue;
  }
  ++members.waiting;
  members.tournaments = std::move(tournaments);
  for (const TournamentId tournament : members.tournaments) {
    brackets_.cover(tournament.alternative);
    IndexedVector<PlaceIndex, Bracket>& places = brackets_[tournament.alternative];
    if (!places.holds(tournament.place))
      places.cover(tournament.place, Bracket(context_->ledger.resource_count()));
    Bracket& bracket = bracket_of(tournament);
    bracket.of_class.cover(task_class);
    bracket.keys.cover(queue);
    set_key(queue, tournament);
    replay(queue, tournament);
  }
}

void ReadyQueue::leave(QueueIndex queue) {
  const TaskClassIndex task_class = context_->ledger.queues[queue].task_class;
  Members& members = members_[task_class];
  --members.waiting;
  for (const TournamentId tournament : members.tournaments) {
    Bracket& bracket = bracket_of(tournament);
    OfClass& of_class = bracket.of_class[task_class];
    of_class.queues.leave(places_[queue], before_in_class(task_class, tournament));
    if (members.waiting == 0) {
      remove_parked(task_class, tournament);
      bracket.task_classes.leave(task_class, before_in_tournament(tournament));
    } else {
      set_first(task_class, tournament);
    }
  }
  members.vacant.push_back(places_[queue]);
  places_[queue] = kNone;
}

void ReadyQueue::rekey(std::span<const QueueIndex> queues) {
  // First all keys, then the matches: those of one user play against each other.
  for (const QueueIndex queue : queues) {
    if (!holds(queue)) continue;
    for (const TournamentId tournament : tournaments_of(queue)) set_key(queue, tournament);
  }
  for (const QueueIndex queue : queues) {
    if (!holds(queue)) continue;
    for (const TournamentId tournament : tournaments_of(queue)) replay(queue, tournament);
  }
}

void ReadyQueue::rekey_all() {
  for (const QueueIndex queue : places_.indices()) {
    if (!holds(queue)) continue;
    for (const TournamentId tournament : tournaments_of(queue)) set_key(queue, tournament);
  }
  for_each_tournament([&](TournamentId tournament) {
    Bracket& bracket = bracket_of(tournament);
    for (const TaskClassIndex task_class : bracket.of_class.indices()) {
      OfClass& of_class = bracket.of_class[task_class];
      if (of_class.queues.empty()) continue;
      of_class.queues.play_all(before_in_class(task_class, tournament));
      of_class.first = members_[task_class].queues[of_class.queues.winner()];
      of_class.first_key = bracket.keys[of_class.first];
      if (of_class.parked_at != kNone) set_parked_key(task_class, tournament);
    }
    bracket.task_classes.play_all(before_in_tournament(tournament));
  });
}

void ReadyQueue::park(TaskClassIndex task_class, TournamentId tournament) {
  Bracket& bracket = bracket_of(tournament);
  MIRAB_ASSERT(bracket.of_class[task_class].parked_at == kNone, "a task class is parked twice");
  UnschedulableClasses& parked = parked_of(task_class, tournament);
  OfClass& of_class = bracket.of_class[task_class];
  of_class.parked_at = parked.add(task_class, of_class.first_key,
                                  least(context_->ledger.task_classes.alternatives(task_class)));
  if (&parked != &bracket.parked) ++parked_constrained_count_;
  bracket.task_classes.leave(task_class, before_in_tournament(tournament));
}

void ReadyQueue::remove_parked(TaskClassIndex task_class, TournamentId tournament) {
  Bracket& bracket = bracket_of(tournament);
  UnschedulableClasses::Place& at = bracket.of_class[task_class].parked_at;
  if (at == kNone) return;
  UnschedulableClasses& parked = parked_of(task_class, tournament);
  bracket.of_class[parked.last()].parked_at = at;
  parked.remove(at);
  if (&parked != &bracket.parked) --parked_constrained_count_;
  bracket.of_class[task_class].parked_at = kNone;
}

void ReadyQueue::retry(TaskClassIndex task_class, TournamentId tournament) {
  remove_parked(task_class, tournament);
  bracket_of(tournament).task_classes.play(task_class, before_in_tournament(tournament));
}

void ReadyQueue::retry(TaskClassIndex task_class) {
  if (!members_.holds(task_class) || members_[task_class].waiting == 0) return;
  for (const TournamentId tournament : members_[task_class].tournaments) {
    if (is_parked(task_class, tournament)) retry(task_class, tournament);
  }
}

void ReadyQueue::retry_constrained() {
  if (parked_constrained_count_ == 0) return;
  for_each_tournament([&](TournamentId tournament) {
    const UnschedulableClasses& parked = bracket_of(tournament).parked_constrained;
    while (parked.size() > 0) retry(parked.last(), tournament);
  });
}

bool ReadyQueue::is_parked(TaskClassIndex task_class, TournamentId tournament) const {
  return bracket_of(tournament).of_class[task_class].parked_at != kNone;
}

std::vector<TaskClassIndex> ReadyQueue::parked(TournamentId tournament) const {
  std::vector<TaskClassIndex> task_classes;
  for (const UnschedulableClasses* const parked :
       {&bracket_of(tournament).parked, &bracket_of(tournament).parked_constrained}) {
    for (const UnschedulableClasses::Place at : parked->places())
      task_classes.push_back(parked->task_class(at));
  }
  std::sort(task_classes.begin(), task_classes.end());
  return task_classes;
}

std::optional<Entry> ReadyQueue::next(Random& random) const {
  std::optional<Entry> lowest;
  for_each_tournament([&](TournamentId tournament) {
    const Tournament<TaskClassIndex>& task_classes = bracket_of(tournament).task_classes;
    if (task_classes.empty()) return;
    const Entry entry = first(task_classes.winner(), tournament);
    if (!lowest || before(entry, *lowest)) lowest = entry;
  });
  return lowest && tie_ == Tie::random ? drawn_from_tied(*lowest, random) : lowest;
}

Entry ReadyQueue::drawn_from_tied(Entry lowest, Random& random) const {
  std::vector<Entry> tied;  // one entry of each user
  const auto tie = [&](Entry entry) {
    const UserIndex user = context_->queue(entry).user;
    const auto same = std::find_if(tied.begin(), tied.end(),
                                   [&](Entry other) { return context_->queue(other).user == user; });
    if (same == tied.end()) {
      tied.push_back(entry);
    } else if (before(entry, *same)) {
      *same = entry;
    }
  };
  for_each_tournament([&](TournamentId tournament) {
    bracket_of(tournament)
        .task_classes.for_each_tied(
            [&](TaskClassIndex task_class) { return ties(first(task_class, tournament), lowest); },
            [&](TaskClassIndex task_class) {
              const auto entry = [&](MemberIndex place) {
                return Entry{.queue = members_[task_class].queues[place], .tournament = tournament};
              };
              bracket_of(tournament)
                  .of_class[task_class]
                  .queues.for_each_tied([&](MemberIndex place) { return ties(entry(place), lowest); },
                                        [&](MemberIndex place) { tie(entry(place)); });
            });
  });
  if (tied.size() == 1) return lowest;
  // The draw counts the users as they came, wherever they stand in the tournaments.
  const auto drawn = tied.begin() + static_cast<std::ptrdiff_t>(random.below(tied.size()));
  std::nth_element(tied.begin(), drawn, tied.end(),
                   [&](Entry a, Entry b) { return context_->user(a).order < context_->user(b).order; });
  return *drawn;
}

}  // namespace mirab::scheduling
