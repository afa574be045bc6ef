// The queues with waiting tasks in the order of their keys, and the task classes that fit nowhere at present.
#include "scheduling/order/ready_queue.hpp"

#include <algorithm>

namespace mirab::scheduling {

void UnschedulableClasses::add(std::uint32_t task_class, double key, std::span<const std::int64_t> least) {
  const std::size_t at = size();
  task_classes_.push_back(task_class);
  keys_.push_back(key);
  amounts_.insert(amounts_.end(), least.begin(), least.end());
  bool coarser = false;
  for (std::size_t r = 0; r < resources_; ++r) coarser = rows_.cover(r, least[r]) || coarser;
  for (std::size_t row = coarser ? 0 : at; row <= at; ++row) rows_.set(row, amounts(row));
}

void UnschedulableClasses::remove(std::size_t at) {
  const std::size_t last = size() - 1;
  if (at != last) {
    task_classes_[at] = task_classes_[last];
    keys_[at] = keys_[last];
    std::copy_n(amounts_.begin() + static_cast<std::ptrdiff_t>(last * resources_), resources_,
                amounts_.begin() + static_cast<std::ptrdiff_t>(at * resources_));
    rows_.set(at, amounts(at));
  }
  rows_.clear(last);
  task_classes_.pop_back();
  keys_.pop_back();
  amounts_.resize(last * resources_);
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
void ReadyQueue::set_first(std::uint32_t task_class, TournamentId tournament) {
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

void ReadyQueue::set_parked_key(std::uint32_t task_class, TournamentId tournament) {
  const OfClass& of_class = bracket_of(tournament).of_class[task_class];
  parked_of(task_class, tournament).set_key(of_class.parked_at, of_class.first_key);
}

void ReadyQueue::set_key(std::uint32_t queue, TournamentId tournament) {
  bracket_of(tournament).keys[queue] =
      discipline_->key->rounded(*context_, {.queue = queue, .tournament = tournament});
}

void ReadyQueue::replay(std::uint32_t queue, TournamentId tournament) {
  Bracket& bracket = bracket_of(tournament);
  const std::uint32_t task_class = context_->ledger.queues[queue].task_class;
  bracket.of_class[task_class].queues.play(places_[queue], before_in_class(task_class, tournament));
  set_first(task_class, tournament);
}

void ReadyQueue::enter(std::uint32_t queue, std::vector<TournamentId> tournaments) {
  const std::uint32_t task_class = context_->ledger.queues[queue].task_class;
  if (task_class >= members_.size()) members_.resize(task_class + 1);
  if (queue >= places_.size()) places_.resize(queue + 1, kNone);
  Members& members = members_[task_class];
  MIRAB_ASSERT(places_[queue] == kNone, "a queue that waits already enters");
  if (members.vacant.empty()) {
    places_[queue] = static_cast<std::uint32_t>(members.queues.size());
    members.queues.push_back(queue);
  } else {
    places_[queue] = members.vacant.back();
    members.vacant.pop_back();
    members.queues[places_[queue]] = queue;
  }
  ++members.waiting;
  members.tournaments = std::move(tournaments);
  for (const TournamentId tournament : members.tournaments) {
    while (tournament.alternative >= brackets_.size()) brackets_.emplace_back();
    std::vector<Bracket>& places = brackets_[tournament.alternative];
    while (tournament.place >= places.size()) places.emplace_back(context_->ledger.resource_count());
    Bracket& bracket = bracket_of(tournament);
    if (task_class >= bracket.of_class.size()) bracket.of_class.resize(task_class + 1);
    if (queue >= bracket.keys.size()) bracket.keys.resize(queue + 1);
    set_key(queue, tournament);
    replay(queue, tournament);
  }
}

void ReadyQueue::leave(std::uint32_t queue) {
  const std::uint32_t task_class = context_->ledger.queues[queue].task_class;
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

void ReadyQueue::rekey(std::span<const std::uint32_t> queues) {
  // First all keys, then the matches: those of one user play against each other.
  for (const std::uint32_t queue : queues) {
    if (!holds(queue)) continue;
    for (const TournamentId tournament : tournaments_of(queue)) set_key(queue, tournament);
  }
  for (const std::uint32_t queue : queues) {
    if (!holds(queue)) continue;
    for (const TournamentId tournament : tournaments_of(queue)) replay(queue, tournament);
  }
}

void ReadyQueue::rekey_all() {
  for (std::uint32_t queue = 0; queue < places_.size(); ++queue) {
    if (!holds(queue)) continue;
    for (const TournamentId tournament : tournaments_of(queue)) set_key(queue, tournament);
  }
  for_each_tournament([&](TournamentId tournament) {
    Bracket& bracket = bracket_of(tournament);
    for (std::uint32_t task_class = 0; task_class < bracket.of_class.size(); ++task_class) {
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

void ReadyQueue::park(std::uint32_t task_class, TournamentId tournament) {
  Bracket& bracket = bracket_of(tournament);
  MIRAB_ASSERT(bracket.of_class[task_class].parked_at == kNone, "a task class is parked twice");
  UnschedulableClasses& parked = parked_of(task_class, tournament);
  bracket.of_class[task_class].parked_at = static_cast<std::uint32_t>(parked.size());
  parked.add(task_class, bracket.of_class[task_class].first_key,
             least(context_->ledger.task_classes.alternatives(task_class)));
  if (&parked != &bracket.parked) ++parked_constrained_count_;
  bracket.task_classes.leave(task_class, before_in_tournament(tournament));
}

void ReadyQueue::remove_parked(std::uint32_t task_class, TournamentId tournament) {
  Bracket& bracket = bracket_of(tournament);
  std::uint32_t& at = bracket.of_class[task_class].parked_at;
  if (at == kNone) return;
  UnschedulableClasses& parked = parked_of(task_class, tournament);
  bracket.of_class[parked.task_class(parked.size() - 1)].parked_at = at;
  parked.remove(at);
  if (&parked != &bracket.parked) --parked_constrained_count_;
  bracket.of_class[task_class].parked_at = kNone;
}

void ReadyQueue::retry(std::uint32_t task_class, TournamentId tournament) {
  remove_parked(task_class, tournament);
  bracket_of(tournament).task_classes.play(task_class, before_in_tournament(tournament));
}

void ReadyQueue::retry(std::uint32_t task_class) {
  if (task_class >= members_.size() || members_[task_class].waiting == 0) return;
  for (const TournamentId tournament : members_[task_class].tournaments) {
    if (is_parked(task_class, tournament)) retry(task_class, tournament);
  }
}

void ReadyQueue::retry_constrained() {
  if (parked_constrained_count_ == 0) return;
  for_each_tournament([&](TournamentId tournament) {
    const UnschedulableClasses& parked = bracket_of(tournament).parked_constrained;
    while (parked.size() > 0) retry(parked.task_class(0), tournament);
  });
}

bool ReadyQueue::is_parked(std::uint32_t task_class, TournamentId tournament) const {
  return bracket_of(tournament).of_class[task_class].parked_at != kNone;
}

std::vector<std::uint32_t> ReadyQueue::parked(TournamentId tournament) const {
  std::vector<std::uint32_t> task_classes;
  for (const UnschedulableClasses* const parked :
       {&bracket_of(tournament).parked, &bracket_of(tournament).parked_constrained}) {
    for (std::size_t at = 0; at < parked->size(); ++at) task_classes.push_back(parked->task_class(at));
  }
  std::sort(task_classes.begin(), task_classes.end());
  return task_classes;
}

std::optional<Entry> ReadyQueue::next(Random& random) const {
  std::optional<Entry> lowest;
  for_each_tournament([&](TournamentId tournament) {
    const Tournament& task_classes = bracket_of(tournament).task_classes;
    if (task_classes.empty()) return;
    const Entry entry = first(task_classes.winner(), tournament);
    if (!lowest || before(entry, *lowest)) lowest = entry;
  });
  return lowest && tie_ == Tie::random ? drawn_from_tied(*lowest, random) : lowest;
}

Entry ReadyQueue::drawn_from_tied(Entry lowest, Random& random) const {
  std::vector<Entry> tied;  // one entry of each user
  const auto tie = [&](Entry entry) {
    const std::uint32_t user = context_->queue(entry).user;
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
            [&](std::uint32_t task_class) { return ties(first(task_class, tournament), lowest); },
            [&](std::uint32_t task_class) {
              const auto entry = [&](std::uint32_t place) {
                return Entry{.queue = members_[task_class].queues[place], .tournament = tournament};
              };
              bracket_of(tournament)
                  .of_class[task_class]
                  .queues.for_each_tied([&](std::uint32_t place) { return ties(entry(place), lowest); },
                                        [&](std::uint32_t place) { tie(entry(place)); });
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
