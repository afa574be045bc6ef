// The host part of a server: what is held for proposals, and what runs (docs/explanation/overlay-safety.md).
//
// A proposal is held, then runs, then has ended, and never goes back:
//
//   propose ──► held ──Accept──► running ──its end──► ended ──EndSeen──► (gone)
//                 │ Reject, Patience::held     │ its lease is over
//                 └────────► (gone)            └────────► (gone)
//
// What is gone stays gone, because no name is given twice: hence every later request for it may be answered
// so (Refused). A lease is of a user, not of a task: whatever it says to accept or to renew prolongs all that
// it runs here. Cost: O(log entries) a message when nothing is over, else O(entries) for each that is.
#include "overlay/host.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::overlay {

Host::Host(Amounts capacity, Time start, const Patience& patience, Duration tick)
    : capacity_(std::move(capacity)),
      free_(capacity_),
      again_(patience.again * tick),
      held_(patience.held * tick),
      lease_(patience.lease * tick),
      next_{.incarnation = static_cast<std::uint64_t>(start.time_since_epoch().count()), .number = 1} {}

bool Host::fits(std::span<const std::int64_t> demand) const {
  if (closed_ || is_full() || demand.size() != free_.size()) return false;
  for (std::size_t r = 0; r < free_.size(); ++r) {
    if (demand[r] < 0 || demand[r] > free_[r]) return false;
  }
  return true;
}

bool Host::propose(Time now, const Task& task, Effects& effects) {
  settle(now, effects);
  Entry* known = find(task.id);
  if (known != nullptr) return propose_again(now, *known, effects);
  if (!fits(task.demand)) return false;
  if (entries_.size() >= kMaxTasks) drop_first_end();

  const ProposalId proposal = next_;
  ++next_.number;
  take(task.demand);
  due_ = std::min(due_, now + held_);
  const auto place = std::next(entries_.begin(), static_cast<std::ptrdiff_t>(place_of(task.id)));
  entries_.insert(place, {.task = task.id,
                          .proposal = proposal,
                          .demand = task.demand,
                          .runtime = task.runtime,
                          .state = State::held,
                          .until = now + held_});
  effects.facts.push_back(Held{task.id, proposal});
  effects.sends.push_back({task.id.user, Propose{task.id.number, proposal}});
  return true;
}

// To its user that task is lost, as if this host had lost its memory.
void Host::drop_first_end() {
  const auto age = [](const Entry& e) { return std::pair(e.state != State::ended, e.proposal.number); };
  entries_.erase(std::ranges::min_element(entries_, {}, age));
}

bool Host::propose_again(Time now, Entry& entry, Effects& effects) {
  if (entry.state == State::refused) return false;
  if (entry.state == State::held) {
    entry.until = now + held_;
    effects.facts.push_back(Prolonged{entry.task, entry.proposal});
  }
  tell(entry, effects);
  return true;
}

void Host::on_message(Time now, NodeId from, const Message& message, Effects& effects) {
  settle(now, effects);
  if (const auto* accepted = std::get_if<Accept>(&message)) accept(now, from, *accepted, effects);
  if (const auto* renewal = std::get_if<Renew>(&message)) renew(now, from, *renewal, effects);
  if (const auto* rejected = std::get_if<Reject>(&message)) {
    Entry* entry = find({from, rejected->number}, rejected->proposal);
    if (entry == nullptr || entry->state != State::held) return;
    give_back(*entry, effects);
    erase(*entry);
  }
  if (const auto* seen = std::get_if<EndSeen>(&message)) {
    Entry* entry = find({from, seen->number}, seen->proposal);
    if (entry != nullptr && entry->state >= State::ended) erase(*entry);
  }
}

void Host::on_tick(Time now, Effects& effects) { settle(now, effects); }

void Host::close(Time now, Effects& effects) {
  settle(now, effects);
  closed_ = true;
  for (Entry& entry : entries_) {
    if (entry.state == State::held)
      give_back(entry, effects);
    else if (entry.state == State::running)
      stop(entry, Ending::early, effects);
    else
      continue;
    entry.state = State::refused;
    entry.until = now;
    tell(entry, effects);
  }
  leases_.clear();
  due_ = Time::min();
}

void Host::accept(Time now, NodeId user, const Accept& accepted, Effects& effects) {
  Entry* entry = find({user, accepted.number}, accepted.proposal);
  if (entry == nullptr) {
    effects.sends.push_back({user, Refused{accepted.number, accepted.proposal}});
    return;
  }
  if (entry->state == State::held) {
    entry->state = State::running;
    const bool ends = entry->runtime > Duration::zero() && entry->runtime <= Time::max() - now;
    entry->until = ends ? now + entry->runtime : Time::max();
    due_ = std::min(due_, entry->until);
    effects.facts.push_back(Started{entry->task, entry->proposal});
  }
  if (entry->state == State::running) prolong(now, user, effects);
  tell(*entry, effects);
}

void Host::renew(Time now, NodeId user, const Renew& renewal, Effects& effects) {
  Running answer{.round = renewal.round, .incarnation = next_.incarnation, .numbers = {}};
  bool runs = false;
  for (std::size_t k = place_of({user, 0}); k < entries_.size() && entries_[k].task.user == user; ++k) {
    const State state = entries_[k].state;
    if (state == State::running || state == State::ended) answer.numbers.push_back(entries_[k].task.number);
    runs = runs || state == State::running;
  }
  if (runs) prolong(now, user, effects);
  effects.sends.push_back({user, std::move(answer)});
}

void Host::prolong(Time now, NodeId user, Effects& effects) {
  if (lease_ == Duration::zero()) return;
  leases_[user] = now + lease_;
  due_ = std::min(due_, now + lease_);
  effects.facts.push_back(Leased{user, now + lease_});
}

// When something is next to be done about an entry.
Time Host::due(const Entry& entry) const {
  if (entry.state == State::held) return entry.until;
  if (entry.state == State::running) return std::min(entry.until, lease_end(entry.task.user));
  return entry.until + again_;
}

Time Host::lease_end(NodeId user) const {
  const auto lease = leases_.find(user);
  return lease == leases_.end() ? Time::max() : lease->second;
}

void Host::settle(Time now, Effects& effects) {
  if (now < due_) return;
  for (auto entry = entries_.begin(); entry != entries_.end();)
    entry = due(*entry) <= now && !settle(now, *entry, effects) ? entries_.erase(entry) : std::next(entry);
  std::erase_if(leases_, [&](const auto& lease) { return lease.second <= now; });
  due_ = Time::max();
  for (const Entry& entry : entries_) due_ = std::min(due_, due(entry));
}

// Does what is due; is the entry to be kept?
bool Host::settle(Time now, Entry& entry, Effects& effects) {
  if (entry.state == State::held) {
    give_back(entry, effects);
    return false;
  }
  if (entry.state == State::running) {
    if (lease_end(entry.task.user) < entry.until) {
      stop(entry, Ending::early, effects);
      effects.sends.push_back({entry.task.user, Refused{entry.task.number, entry.proposal}});
      return false;
    }
    stop(entry, Ending::by_itself, effects);
    entry.state = State::ended;
  }
  entry.until = now;
  tell(entry, effects);
  return true;
}

// What its user is to know of it.
void Host::tell(const Entry& entry, Effects& effects) {
  const auto send = [&](Message message) { effects.sends.push_back({entry.task.user, std::move(message)}); };
  switch (entry.state) {
    case State::held:
      return send(Propose{entry.task.number, entry.proposal});
    case State::running:
      return send(Allocated{entry.task.number, entry.proposal});
    case State::ended:
      return send(Ended{entry.task.number, entry.proposal});
    case State::refused:
      return send(Refused{entry.task.number, entry.proposal});
  }
}

void Host::give_back(const Entry& entry, Effects& effects) {
  release(entry.demand);
  effects.facts.push_back(GivenBack{entry.task, entry.proposal});
}

void Host::stop(const Entry& entry, Ending ending, Effects& effects) {
  release(entry.demand);
  effects.facts.push_back(Stopped{entry.task, entry.proposal, ending == Ending::by_itself});
}

void Host::take(const Amounts& demand) {
  for (std::size_t r = 0; r < free_.size(); ++r) {
    free_[r] -= demand[r];
    MIRAB_ASSERT(free_[r] >= 0, "held + running ≤ capacity");
  }
}

void Host::release(const Amounts& demand) {
  for (std::size_t r = 0; r < free_.size(); ++r) {
    free_[r] += demand[r];
    MIRAB_ASSERT(free_[r] <= capacity_[r], "what is given back was taken once");
  }
}

std::size_t Host::place_of(const TaskId& task) const {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), task,
                                      [](const Entry& entry, const TaskId& id) { return entry.task < id; });
  return static_cast<std::size_t>(std::distance(entries_.begin(), place));
}

Host::Entry* Host::find(const TaskId& task) {
  const std::size_t place = place_of(task);
  return place < entries_.size() && entries_[place].task == task ? &entries_[place] : nullptr;
}

Host::Entry* Host::find(const TaskId& task, const ProposalId& proposal) {
  Entry* entry = find(task);
  return entry != nullptr && entry->proposal == proposal ? entry : nullptr;
}

void Host::erase(const Entry& entry) {
  entries_.erase(std::next(entries_.begin(), &entry - entries_.data()));
}

}  // namespace mirab::overlay
