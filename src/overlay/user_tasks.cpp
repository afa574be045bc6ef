// Where a user's tasks are (Östman, Algorithm 3, with its losses made good).
//
//   present ──accept──► accepted ──runs──► placed ──ended──► over
//      ▲                   │ refused,        │ refused, not listed,
//      │                   │ gave_up         │ gave_up
//      └───────────────────┴───── owed ◄─────┘
//
// One place at a time: a task leaves accepted and placed only when that place surely does not run it: the
// host said that it never will (Refused), does not list it in an answer to a Renew that was said after the
// news that it runs, has begun anew (a later incarnation), or its lease has run out (leases.hpp).

#include "overlay/user_tasks.hpp"

#include <algorithm>

#include <mirab/model/assert.hpp>

namespace mirab::overlay {
namespace {

constexpr auto kByNumber = [](const auto& task, std::uint64_t number) { return task.number < number; };

}  // namespace

std::uint64_t UserTasks::number() const {
  if (present_) return *present_;
  return owed_.empty() ? next_ : owed_.front();
}

bool UserTasks::on(NodeId host) const {
  if (accepted_ && accepted_->host == host) return true;
  return std::any_of(placed_.begin(), placed_.end(), [&](const Placed& task) { return task.host == host; });
}

bool UserTasks::next(Effects& effects) {
  if (present_ || (owed_.empty() && next_ > tasks_)) return false;
  if (owed_.empty()) {
    present_ = next_++;
  } else {
    present_ = owed_.front();
    owed_.erase(owed_.begin());
  }
  effects.facts.push_back(Wanted{{user_, *present_}});
  return true;
}

void UserTasks::set_aside() {
  if (!present_ || accepted_) return;
  owe(*present_);
  present_.reset();
}

void UserTasks::accept(Time now, NodeId host, const ProposalId& proposal) {
  MIRAB_ASSERT(present_ && !accepted_, "one place at a time");
  accepted_ = Accepted{host, proposal, now};
}

bool UserTasks::runs(NodeId host, std::uint64_t number, const ProposalId& proposal, std::uint64_t round,
                     Effects& effects) {
  if (!is_accepted(host, number, proposal)) return false;
  const auto place = std::lower_bound(placed_.begin(), placed_.end(), number, kByNumber);
  placed_.insert(place, {number, proposal, round, host});
  accepted_.reset();
  present_.reset();
  effects.facts.push_back(Known{{user_, number}, host});
  return true;
}

bool UserTasks::refused(NodeId host, std::uint64_t number, const ProposalId& proposal, Effects& effects) {
  if (is_accepted(host, number, proposal)) {
    accepted_.reset();
    return true;
  }
  const auto placed = find(host, number, proposal);
  return placed != placed_.end() && lose([&](const Placed& task) { return task.number == number; }, effects);
}

bool UserTasks::ended(NodeId host, std::uint64_t number, const ProposalId& proposal, Effects& effects) {
  const auto placed = find(host, number, proposal);
  if (placed != placed_.end()) {
    placed_.erase(placed);
    return finish(number, effects);
  }
  const bool wanted = present_ == number;
  if (wanted && (!accepted_ || is_accepted(host, number, proposal))) {
    accepted_.reset();
    present_.reset();
    return finish(number, effects);
  }
  // It was given up, and has ended before its lease.
  const auto owed = std::lower_bound(owed_.begin(), owed_.end(), number);
  if (owed == owed_.end() || *owed != number) return false;
  owed_.erase(owed);
  return finish(number, effects);
}

bool UserTasks::listed(NodeId host, const Running& running, Effects& effects) {
  return lose(
      [&](const Placed& task) {
        if (task.host != host || task.round >= running.round) return false;
        return task.proposal.incarnation != running.incarnation ||
               !std::binary_search(running.numbers.begin(), running.numbers.end(), task.number);
      },
      effects);
}

bool UserTasks::gave_up(NodeId host, Effects& effects) {
  const bool accepted = accepted_ && accepted_->host == host;
  if (accepted) accepted_.reset();
  return lose([&](const Placed& task) { return task.host == host; }, effects) || accepted;
}

std::vector<UserTasks::Placed>::iterator UserTasks::find(NodeId host, std::uint64_t number,
                                                         const ProposalId& proposal) {
  const auto place = std::lower_bound(placed_.begin(), placed_.end(), number, kByNumber);
  if (place == placed_.end() || place->number != number) return placed_.end();
  return place->host == host && place->proposal == proposal ? place : placed_.end();
}

bool UserTasks::is_accepted(NodeId host, std::uint64_t number, const ProposalId& proposal) const {
  return accepted_ && present_ == number && accepted_->host == host && accepted_->proposal == proposal;
}

bool UserTasks::finish(std::uint64_t number, Effects& effects) {
  effects.facts.push_back(Over{{user_, number}});
  return true;
}

void UserTasks::owe(std::uint64_t number) {
  owed_.insert(std::lower_bound(owed_.begin(), owed_.end(), number), number);
}

template <class IsLost>
bool UserTasks::lose(IsLost is_lost, Effects& effects) {
  const auto lost = std::erase_if(placed_, [&](const Placed& task) {
    if (!is_lost(task)) return false;
    owe(task.number);
    effects.facts.push_back(Lost{{user_, task.number}});
    return true;
  });
  return lost > 0;
}

}  // namespace mirab::overlay
