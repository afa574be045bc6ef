// The home part of a server: the users U_l that belong to it (Östman 3.2, Algorithm 3).
//
//   G_i = counted_i · max_r D_ir / C_r      counted = tasks that run, as the user says, + 1 that was proposed
//
// A turn counts from the moment when a host has proposed, before its task runs. While the task walks its user
// stays as poor as it was, and in no way but the poorest's: so a walk that finds nothing changes no
// utility, and without ends of tasks utilities only ever fall. Late news of a server is then never
// too low, and a centre that believes late news waits too long, rather than too short. (A turn that
// counted from its start would lower the utility of its home for as long as the walk, and others would
// overtake it for nothing.)
//
// A turn is taken back when the walk found nothing; or when the user says for longer than Patience::walk that
// the same task is still pending: then the walk, the proposal or its answer was lost. Otherwise the user's
// next task ends it.
#include "overlay/coordinator.hpp"

#include <algorithm>
#include <iterator>

#include <mirab/model/assert.hpp>

#include "fairness/share.hpp"
#include "overlay/table_limits.hpp"

namespace mirab::overlay {
namespace {

void take_back(UserEntry& resident, Unserved::Why why, Effects& effects) {
  resident.served = false;
  effects.facts.push_back(Unserved{resident.task.id, why});
}

std::uint64_t attempt_at(Time now) { return static_cast<std::uint64_t>(now.time_since_epoch().count()); }

}  // namespace

Coordinator::Coordinator(const OverlayOptions& options, Duration tick)
    : idle_(options.idle),
      stuck_(options.stuck),
      walk_(options.patience.walk * tick),
      silent_(options.patience.home * tick),
      forgotten_(options.patience.user * tick) {}

void Coordinator::on_submit(Time now, const Submit& submit, Effects& effects) {
  const Task& task = submit.task;
  UserEntry* const known = entry_of(task.id.user);
  if (known == nullptr) return;
  UserEntry& resident = *known;
  effects.sends.push_back({task.id.user, Received{task.id.number}});
  if (!is_news(now, submit.sequence, resident)) return;

  const bool same = resident.task.id == task.id;
  if (same && resident.served && now - resident.served_at >= walk_)
    take_back(resident, Unserved::Why::unheard, effects);
  if (!same) resident.served = false;
  if (!same || resident.task.running != task.running) resident.stuck = false;
  resident.pending = true;
  resident.task = task;
}

void Coordinator::on_pause(Time now, NodeId user, const Pause& pause, Effects& effects) {
  UserEntry* const known = entry_of(user);
  if (known == nullptr) return;
  UserEntry& resident = *known;
  effects.sends.push_back({user, Received{pause.number}});
  if (!is_news(now, pause.sequence, resident)) return;

  if (resident.served && resident.task.id.number == pause.number)
    take_back(resident, Unserved::Why::paused, effects);
  resident.served = resident.pending = resident.stuck = false;
  resident.task = {
      .id = {user, pause.number}, .demand = pause.demand, .runtime = {}, .running = pause.running};
}

void Coordinator::on_no_room(const TaskId& task, std::uint64_t attempt, Effects& effects) {
  UserEntry* resident = find_turn(task, attempt);
  if (resident == nullptr) return;
  take_back(*resident, Unserved::Why::no_room, effects);
  resident->stuck = stuck_ == Stuck::leave;
}

void Coordinator::on_placed(const TaskId& task, std::uint64_t attempt) {
  if (UserEntry* resident = find_turn(task, attempt)) resident->placed = true;
}

void Coordinator::on_tick(Time now, Effects& effects) {
  for (UserEntry& resident : user_entries_) {
    resident.silent = now - resident.heard_at >= silent_;
    if (now - resident.served_at >= walk_) resident.stuck = false;
    if (resident.served && now - resident.heard_at >= forgotten_)
      take_back(resident, Unserved::Why::silent, effects);
  }
  std::erase_if(user_entries_,
                [&](const UserEntry& resident) { return now - resident.heard_at >= forgotten_; });
}

const UserEntry* Coordinator::poorest(std::span<const double> total) const {
  return poorest_if(total, [](const UserEntry&) { return true; });
}

const UserEntry* Coordinator::poorest_waiting(std::span<const double> total) const {
  return poorest_if(total, [](const UserEntry& resident) { return resident.waits(); });
}

template <class Condition>
const UserEntry* Coordinator::poorest_if(std::span<const double> total, const Condition& condition) const {
  const UserEntry* poorest = nullptr;
  double least = 0;
  for (const UserEntry& resident : user_entries_) {  // ascending by address: the first of equals stays
    if (!counts(resident) || !condition(resident)) continue;
    const double own = share(resident, total);
    if (poorest != nullptr && own >= least) continue;
    poorest = &resident;
    least = own;
  }
  return poorest;
}

const UserEntry& Coordinator::serve(Time now, NodeId user, std::uint64_t round, Effects& effects) {
  UserEntry* resident = find(user);
  MIRAB_ASSERT(resident != nullptr && resident->waits(), "a turn is given to who waits for one");
  resident->served = true;
  resident->placed = false;
  resident->served_at = now;
  resident->attempt = attempt_at(now);
  effects.facts.push_back(Served{resident->task.id, round});
  return *resident;
}

std::optional<std::uint64_t> Coordinator::go_on(Time now, const TaskId& task, std::uint64_t attempt) {
  UserEntry* resident = find_turn(task, attempt);
  if (resident == nullptr) return std::nullopt;
  return resident->attempt = attempt_at(now);
}

double Coordinator::share(const UserEntry& resident, std::span<const double> total) {
  return static_cast<double>(resident.counted()) * step(resident, total);
}

double Coordinator::step(const UserEntry& resident, std::span<const double> total) {
  const Amounts& demand = resident.task.demand;
  return fairness::dominant_share<double>(demand, total.first(std::min(demand.size(), total.size())));
}

bool Coordinator::counts(const UserEntry& resident) const {
  if (resident.silent || resident.stuck) return false;
  return resident.pending || idle_ == Idle::block;
}

// Notes that it was heard; is it newer than all that was heard before?
bool Coordinator::is_news(Time now, std::uint64_t sequence, UserEntry& resident) {
  if (sequence <= resident.sequence) return false;
  resident.sequence = sequence;
  resident.heard_at = now;
  resident.silent = false;
  return true;
}

UserEntry* Coordinator::find(NodeId user) {
  const auto place = std::lower_bound(user_entries_.begin(), user_entries_.end(), user,
                                      [](const UserEntry& r, NodeId id) { return r.user < id; });
  return place != user_entries_.end() && place->user == user ? &*place : nullptr;
}

/// The resident whose turn it is, if it is this turn.
UserEntry* Coordinator::find_turn(const TaskId& task, std::uint64_t attempt) {
  UserEntry* resident = find(task.user);
  const bool same = resident && resident->served && resident->task.id == task && resident->attempt == attempt;
  return same ? resident : nullptr;
}

/// The user's place, a new one when it had none; null: there is no room for more.
UserEntry* Coordinator::entry_of(NodeId user) {
  const auto place = std::lower_bound(user_entries_.begin(), user_entries_.end(), user,
                                      [](const UserEntry& r, NodeId id) { return r.user < id; });
  if (place != user_entries_.end() && place->user == user) return &*place;
  if (user_entries_.size() >= kMaxUserEntries) return nullptr;
  return &*user_entries_.insert(place, UserEntry{.user = user, .task = {}});
}

}  // namespace mirab::overlay
