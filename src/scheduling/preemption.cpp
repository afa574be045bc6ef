// Preemption: when nothing else can be placed, tasks of users above their fair share end for a task of one
// below its own. Who may lose what to whom: victims.cpp. The queues are asked in the order of the discipline,
// users that tie as they came (with tie last the other way round), and only those whose task fits nowhere.
// With blocking=freeze only the first of all queues is asked: nobody passes it by force either.
//
// No loops. With every decision between two events the keys of all users, sorted, rise lexicographically:
//   - a preemption changes b's key, which rises from k to k' > k, and those of its victims, which do not fall
//     below k'. Keys of at most k stay, but for b's, of which there is one less;
//   - a placement changes the key of one user, which rises; or stays, for a task that takes nothing that
//     counts: then the number of running tasks rises, which such tasks do not lose by force.
// Between two events finitely many sets of tasks can run, so the decisions come to an end.
//
// Budget: of any time of length `per`, [t, t + per), at most `tasks` tasks end so. Sets with more tasks than
// are left are passed over.
//
// A search that found nothing is not repeated before an event, a decision, or the end of a reservation; or
// where the budget stood in its way, before some of it is free. So work that grows as time goes by does
// not by itself lead to another search.
//
// Cost: without the option a branch. A search: O(queues m) when nobody may lose anything to anybody, else for
// every queue below the highest user see VictimSearch::find.
#include "scheduling/preemption.hpp"

#include <algorithm>

#include "scheduling/gain.hpp"

namespace mirab::scheduling {

Check check(const Preempting& rule) {
  if (rule.tasks < 1)
    return Error{.message = "at least one task may be preempted; leave preemption out for none",
                 .key = "preemption.tasks"};
  if (rule.per.count() <= 0)
    return Error{.message = "so many tasks are preempted in a time above 0", .key = "preemption.per"};
  return {};
}

/// The first time at which what ended then counts no more.
Time Preemption::end_of_window(Time ended) const {
  return ended > Time::max() - rule_.per ? Time::max() : ended + rule_.per;
}

std::int64_t Preemption::left(Time now) {
  while (!ended_.empty() && end_of_window(ended_.front().first) <= now) {
    recent_ -= ended_.front().second;
    ended_.pop_front();
  }
  return rule_.tasks - recent_;
}

void Preemption::ended(std::int64_t tasks, Time now) {
  ended_.emplace_back(now, tasks);
  recent_ += tasks;
}

void Preemption::found_too_many() {
  again_ = ended_.empty() ? Time::max() : end_of_window(ended_.front().first);
  is_futile_ = true;
}

void Preemption::set_memory(Memory memory) {
  ended_ = std::move(memory.ended);
  recent_ = 0;
  for (const auto& [when, tasks] : ended_) recent_ += tasks;
  is_futile_ = memory.is_futile;
  again_ = memory.again;
}

/// The queues that may gain something, in the order of the discipline. Where the tasks of a job with terms
/// may go depends on more than one server: they wait for what ends by itself.
std::vector<std::uint32_t> Engine::State::who_may_gain(const VictimSearch& search,
                                                       const Precedence& precedence) const {
  const auto may_gain = [&](std::uint32_t queue) {
    return accounts.shapes.terms(accounts.queues[queue].shape) == nullptr && search.may_gain(queue);
  };
  const bool is_frozen = whom.blocking == Blocking::freeze;
  std::vector<Keyed> queues;
  for (std::uint32_t queue = 0; queue < accounts.queues.size(); ++queue) {
    if (!race.holds(queue) || !(is_frozen || may_gain(queue))) continue;
    const Entry entry{.queue = queue, .lane = 0};
    queues.push_back({.entry = entry, .key = whom.discipline->key(*precedence.standing, entry)});
  }
  std::sort(queues.begin(), queues.end(), [&](Keyed a, Keyed b) { return precedence.before(a, b); });
  std::vector<std::uint32_t> in_order;
  for (const Keyed& queue : queues) {
    if (!is_frozen || may_gain(queue.entry.queue)) in_order.push_back(queue.entry.queue);
    if (is_frozen) break;
  }
  return in_order;
}

std::optional<Engine::State::Gain> Engine::State::first_gain(VictimSearch& search, std::int64_t most,
                                                             const Precedence& precedence) const {
  for (const std::uint32_t queue : who_may_gain(search, precedence)) {
    if (whom.blocking == Blocking::freeze && fits_somewhere(accounts.queues[queue].shape)) continue;
    std::optional<Victims> victims = search.find(queue, most, [&](std::uint32_t server) {
      if (accounts.park.is_open(server)) return true;
      const Reservations::Kept* const kept = reservations ? reservations->on_server(server) : nullptr;
      return kept != nullptr && kept->queue == queue;
    });
    if (victims) return Gain{.queue = queue, .victims = *std::move(victims)};
  }
  return {};
}

std::optional<Placed> Engine::State::preempt(WhyPlaced* why) {
  if (preemption->is_futile(now)) return {};
  const std::int64_t left = preemption->left(now);
  if (left == 0) {
    preemption->found_too_many();
    return {};
  }
  VictimSearch search(standing, *whom.discipline->level, reservations ? &*reservations : nullptr, now);
  if (const std::optional<Gain> gain = first_gain(search, left, precedence())) {
    if (why != nullptr) *why = why_placed_by_force(*gain);
    Placed placed = place_instead_of(gain->victims, gain->queue);
    if (why != nullptr) why->free_after = free_on(gain->victims.server);
    return placed;
  }
  search.found_too_many() ? preemption->found_too_many() : preemption->found_nothing();
  return {};
}

Placed Engine::State::place_instead_of(const Victims& victims, std::uint32_t queue) {
  std::vector<Lost> lost;
  for (const std::uint32_t task : victims.tasks) {
    lost.push_back({.task = accounts.tasks.id(task), .job = accounts.jobs.id(accounts.tasks[task].job)});
    end_and_wait_again(task);
  }
  preemption->ended(static_cast<std::int64_t>(lost.size()), now);
  Placed placed = place({.queue = queue, .lane = 0}, victims.server);
  placed.preempted = std::move(lost);
  return placed;
}

}  // namespace mirab::scheduling
