// Where the next tasks of a queue start: the placement is asked, among the servers of the tournament.
#include "scheduling/dispatch/room_search.hpp"

#include <algorithm>

#include "scheduling/constraints/roles.hpp"

namespace mirab::scheduling {
/// The ways to run a task of the task class, on the servers of the tournament.
void RoomSearch::write_alternatives(TaskClassIndex task_class, TournamentId tournament) {
  const std::optional<ServerClassIndex> server_class = tournaments_.server_class(tournament);
  const Eligibility& eligibility = ledger_.task_classes.eligibility;
  alternatives_.clear();
  for (const DemandAlternative& alternative : ledger_.task_classes.alternatives(task_class)) {
    if (!tournaments_.serves(tournament, task_class, alternative)) continue;
    alternatives_.push_back({.demand = alternative.demand,
                             .among = server_class ? admitted_.of(ledger_.server_classes, *server_class,
                                                                  alternative.servers, eligibility)
                                                   : eligibility.servers(alternative.servers)});
  }
}

// Of jobs with terms.

/// What is kept of the job, brought up to date: of those of its tasks that run, the newest stand first.
GangFeasibility& RoomSearch::gang_of(JobIndex job) {
  constexpr std::size_t kMaxKept = 1024;
  const JobRow& row = ledger_.jobs[job];
  const TaskClassIndex task_class = ledger_.task_class_of(job);
  const auto kept = kept_.find(task_class);
  if (kept != kept_.end() && kept->second.sequence == row.sequence) {
    GangFeasibility& gang = kept->second.gang;
    MIRAB_ASSERT(row.running >= gang.running(), "a task of a job with terms ended unseen");
    TaskIndex task = row.first_task;
    for (std::int64_t more = row.running - gang.running(); more > 0; --more) {
      gang.task_started(ledger_.tasks[task].server);
      task = ledger_.tasks[task].next_of_job;
    }
    return gang;
  }
  if (kept != kept_.end()) kept_.erase(kept);
  if (kept_.size() >= kMaxKept) kept_.clear();
  const Kept fresh{.job = job, .sequence = row.sequence, .gang = GangFeasibility(ledger_, job)};
  return kept_.emplace(task_class, fresh).first->second.gang;
}

void RoomSearch::task_ended(TaskClassIndex task_class, ServerIndex server) {
  const auto kept = kept_.find(task_class);
  if (kept == kept_.end()) return;
  auto& [job, sequence, gang] = kept->second;
  const bool is_known = ledger_.jobs.holds(job) && ledger_.jobs[job].sequence == sequence &&
                        ledger_.jobs[job].running + 1 == gang.running();
  if (is_known) return gang.task_ended(server);
  kept_.erase(kept);
}

namespace {

/// The servers for the first task of a batch that is served in the tournament, or in any, by way of the task
/// class; false when there is no room for the batch. What the ways point to stands in `first` and `sets`.
bool write_first_of_batch(const Ledger& ledger, const TournamentRules& tournaments,
                          std::optional<TournamentId> tournament, JobIndex job, GangFeasibility& gang,
                          ServerSet& first, std::vector<SearchAlternative>& ways,
                          std::vector<ServerSet>& sets) {
  const std::int64_t batch = batch_of(ledger, job);
  const ServerSet* allowed = nullptr;
  if (batch == 1) {
    allowed = gang.allowed();
  } else {
    std::optional<GangFeasibility::First> found = gang.first_of(batch);
    if (!found) return false;
    first = std::move(found->servers);
    if (!found->is_any) allowed = &first;
  }
  const std::optional<ServerClassIndex> server_class =
      tournament ? tournaments.server_class(*tournament) : std::nullopt;
  if (server_class) {
    ServerSet both = ledger.server_classes.set(*server_class);
    if (allowed != nullptr) both.intersect(*allowed);
    first = std::move(both);
    allowed = &first;
  }
  const TaskClassIndex task_class = ledger.task_class_of(job);
  const auto serves = [&](const DemandAlternative& way) {
    return !tournament || tournaments.serves(*tournament, task_class, way);
  };
  write_ways(ledger, task_class, allowed, serves, ways, sets);
  return true;
}

}  // namespace

bool RoomSearch::write_batch(std::optional<TournamentId> tournament, JobIndex job) {
  return write_first_of_batch(ledger_, tournaments_, tournament, job, gang_of(job), batch_servers_,
                              alternatives_, way_servers_);
}

/// Is a task of a job with roles that is placed there served in the tournament?
bool serves_role(const Ledger& ledger, const TournamentRules& tournaments, TournamentId tournament,
                 TaskClassIndex task_class, RolePlace place) {
  const std::optional<ServerClassIndex> server_class = tournaments.server_class(tournament);
  if (!server_class) return true;
  return ledger.servers[place.server].server_class == *server_class &&
         tournaments.serves(tournament, task_class, ledger.task_classes.alternatives(task_class)[place.role]);
}

std::optional<Dispatch> RoomSearch::find_roles(QueueIndex queue, std::optional<TournamentId> tournament,
                                               std::span<const ServerIndex> first) {
  const QueueRow& row = ledger_.queues[queue];
  RolePacking packing = pack_waiting(ledger_, row.first_job, OpenServers(ledger_.server_pool), first);
  if (!packing.is_whole) return {};
  const RolePlace place = packing.places.front();
  if (tournament && !serves_role(ledger_, tournaments_, *tournament, row.task_class, place)) return {};
  role_places_ = std::move(packing.places);
  const DemandAlternative& way = ledger_.task_classes.alternatives(row.task_class)[place.role];
  alternatives_ = {{.demand = way.demand, .among = ledger_.task_classes.eligibility.servers(way.servers)}};
  return Dispatch{
      .entry = {.queue = queue,
                .tournament =
                    tournament ? *tournament : tournaments_.of(row.task_class, place.server, place.role)},
      .server = place.server,
      .has_terms = true,
      .batch = static_cast<std::int64_t>(role_places_.size()),
      .role = place.role};
}

bool RoomSearch::batch_fits(TournamentId tournament, JobIndex job) {
  const QueueIndex queue = ledger_.jobs[job].queue;
  if (ledger_.task_classes.has_roles(ledger_.queues[queue].task_class))
    return find_roles(queue, tournament, {}).has_value();
  return write_batch(tournament, job) &&
         std::any_of(alternatives_.begin(), alternatives_.end(), [&](const SearchAlternative& way) {
           return ledger_.server_pool.first_with_room(way).has_value();
         });
}

std::optional<Dispatch> RoomSearch::find(TournamentEntry entry, Random& random) {
  const QueueRow& queue = ledger_.queues[entry.queue];
  const bool has_terms = ledger_.task_classes.terms(queue.task_class) != nullptr;
  if (!has_terms) {
    write_alternatives(queue.task_class, entry.tournament);
  } else if (ledger_.task_classes.has_roles(queue.task_class)) {
    return find_roles(entry.queue, entry.tournament, {});
  } else if (!write_batch(entry.tournament, queue.first_job)) {
    return {};
  }
  const std::optional<ServerIndex> server = placement_.find(alternatives_, random);
  if (!server) return {};
  return Dispatch{.entry = entry,
                  .server = *server,
                  .has_terms = has_terms,
                  .batch = has_terms ? batch_of(ledger_, queue.first_job) : 1};
}

std::optional<Dispatch> RoomSearch::find_in_any(QueueIndex queue, std::span<const ServerIndex> first,
                                                Random& random) {
  if (ledger_.task_classes.has_roles(ledger_.queues[queue].task_class)) return find_roles(queue, {}, first);
  const JobIndex job = ledger_.queues[queue].first_job;
  if (!write_batch({}, job)) return {};
  const std::optional<ServerIndex> server = placement_.find(alternatives_, random);
  if (!server) return {};
  return Dispatch{.entry = entry_on(ledger_, tournaments_, queue, *server),
                  .server = *server,
                  .has_terms = true,
                  .batch = batch_of(ledger_, job)};
}

ServerIndex RoomSearch::server_of_companion(JobIndex job, Random& random) {
  write_ways(
      ledger_, ledger_.task_class_of(job), gang_of(job).allowed(),
      [](const DemandAlternative& /*way*/) { return true; }, alternatives_, way_servers_);
  const std::optional<ServerIndex> server = placement_.find(alternatives_, random);
  MIRAB_ASSERT(server.has_value(), "a gang starts in part");
  return *server;
}

bool batch_fits_in(const Ledger& ledger, const TournamentRules& tournaments, TournamentId tournament,
                   JobIndex job, const OpenServers& open) {
  const TaskClassIndex task_class = ledger.task_class_of(job);
  if (ledger.task_classes.has_roles(task_class)) {
    const std::optional<RolePlace> first = first_of_roles(ledger, job, open);
    return first && serves_role(ledger, tournaments, tournament, task_class, *first);
  }
  GangFeasibility gang(ledger, job, open);
  ServerSet first;
  std::vector<SearchAlternative> ways;
  std::vector<ServerSet> sets;
  return write_first_of_batch(ledger, tournaments, tournament, job, gang, first, ways, sets) &&
         std::any_of(ways.begin(), ways.end(),
                     [&](const SearchAlternative& way) { return open.any_with_room(way); });
}

bool has_room_in(TournamentId tournament, const Ledger& ledger, const TournamentRules& tournaments,
                 TaskClassIndex task_class, const OpenServers& open) {
  const std::optional<ServerClassIndex> server_class = tournaments.server_class(tournament);
  if (!server_class) return fits_somewhere(ledger, task_class, open);
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(task_class);
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const DemandAlternative& alternative) {
    if (!tournaments.serves(tournament, task_class, alternative)) return false;
    const ServerSet among =
        ledger.server_classes.admitted(*server_class, alternative.servers, ledger.task_classes.eligibility);
    return open.any_with_room({.demand = alternative.demand, .among = &among});
  });
}

void RoomByClass::entered(TaskClassIndex task_class) {
  classes_.cover(task_class);
  OfClass& of = classes_[task_class];
  if (of.waits) return;
  of = {.waits = true};
  new_.push_back(task_class);
}

void RoomByClass::left(TaskClassIndex task_class) {
  if (classes_.holds(task_class)) classes_[task_class] = {};
}

void RoomByClass::begin() {
  classes_ = {};
  new_.clear();
  with_terms_.clear();
  released_ = {};
  taken_.clear();
  all_changed_ = true;
}

void RoomByClass::set(InTournament at, ServerIndex server) {
  classes_[at.task_class].servers[at.tournament] = server;
  if (server == kNone) {
    without_room_.push_back(at);
    if (without_room_.size() > kept_without_room_) forget_those_with_room();
    return;
  }
  by_server_.cover(server);
  by_server_[server].push_back(at);
}

/// A server with room, so chosen that few task classes remember the same one; of a task class with terms any
/// number stands for it.
ServerIndex RoomByClass::search(TaskClassIndex task_class, TournamentId tournament,
                                const WaitingQueues& waiting) {
  if (ledger_.task_classes.terms(task_class) != nullptr) {
    for (const QueueIndex queue : waiting.queues(task_class)) {
      if (!waiting.holds(queue) || ledger_.queues[queue].task_class != task_class) continue;
      return room_search_.batch_fits(tournament, ledger_.queues[queue].first_job) ? kFirstServer
                                                                                  : ServerIndex(kNone);
    }
    return kNone;
  }
  const std::optional<ServerClassIndex> server_class = tournaments_.server_class(tournament);
  const Eligibility& eligibility = ledger_.task_classes.eligibility;
  for (const DemandAlternative& alternative : ledger_.task_classes.alternatives(task_class)) {
    if (!tournaments_.serves(tournament, task_class, alternative)) continue;
    const SearchAlternative way{.demand = alternative.demand,
                                .among = server_class ? admitted_.of(ledger_.server_classes, *server_class,
                                                                     alternative.servers, eligibility)
                                                      : eligibility.servers(alternative.servers)};
    const std::optional<ServerIndex> found = ledger_.server_pool.first_with_room(way);
    if (!found) continue;
    // Not all on the first: it is filled next.
    const std::size_t behind = ledger_.server_pool.size() - found->number();
    const std::uint64_t mixed = ++searches_ * std::uint64_t{0x9e3779b97f4a7c15} >> 20;
    const ServerIndex from(found->number() + static_cast<std::uint32_t>(mixed % behind));
    return ledger_.server_pool.first_with_room(way, from).value_or(*found);
  }
  return kNone;
}

void RoomByClass::search_all_of(TaskClassIndex task_class, const WaitingQueues& waiting) {
  OfClass& of = classes_[task_class];
  const std::vector<TournamentId>& tournaments = waiting.tournaments(task_class);
  const bool has_terms = ledger_.task_classes.terms(task_class) != nullptr;
  bool is_other = !of.is_known || of.servers.size() != tournaments.size();
  of.is_known = true;
  of.servers.resize(tournaments.size());
  for (std::size_t at = 0; at < tournaments.size(); ++at) {
    const ServerIndex server = search(task_class, tournaments[at], waiting);
    if ((server == kNone) != (of.servers[at] == kNone)) is_other = true;
    if (has_terms) {
      of.servers[at] = server;
    } else {
      set({.task_class = task_class, .tournament = at}, server);
    }
  }
  if (is_other) changed_.push_back(task_class);
}

/// Of those without room only they are kept, each once. O(log) amortised.
void RoomByClass::forget_those_with_room() {
  std::erase_if(without_room_, [&](InTournament at) { return !waits_at(at, kNone); });
  std::sort(without_room_.begin(), without_room_.end());
  without_room_.erase(std::unique(without_room_.begin(), without_room_.end()), without_room_.end());
  kept_without_room_ = 64 + 2 * without_room_.size();
}

/// Does it wait, and is this the server that is remembered for it?
bool RoomByClass::waits_at(InTournament at, ServerIndex server) const {
  const OfClass& of = classes_[at.task_class];
  return of.waits && ledger_.task_classes.terms(at.task_class) == nullptr &&
         at.tournament < of.servers.size() && of.servers[at.tournament] == server;
}

void RoomByClass::try_released(const WaitingQueues& waiting) {
  for (std::size_t each = 0; each < released_.size(); ++each) {
    const ServerIndex server = released_[each];
    for (std::size_t index = without_room_.size(); index-- > 0;) {
      const InTournament at = without_room_[index];
      const bool waits = waits_at(at, kNone);
      if (waits && !has_room_on(at.task_class, waiting.tournaments(at.task_class)[at.tournament], server))
        continue;
      without_room_[index] = without_room_.back();
      without_room_.pop_back();
      if (!waits) continue;
      set(at, server);
      changed_.push_back(at.task_class);
    }
  }
  released_ = {};
}

void RoomByClass::find_changes(const WaitingQueues& waiting, Released released) {
  const bool is_other = all_changed_ || is_other_;
  if (all_changed_) {
    without_room_.clear();
    by_server_ = {};
    for (const TaskClassIndex task_class : classes_.indices()) {
      if (classes_[task_class].waits && ledger_.task_classes.terms(task_class) == nullptr)
        search_all_of(task_class, waiting);
    }
  }
  for (const TaskClassIndex task_class : new_) {
    if (!classes_[task_class].waits) continue;
    if (ledger_.task_classes.terms(task_class) != nullptr) {
      if (!classes_[task_class].is_known) with_terms_.push_back(task_class);
    }
    if (!classes_[task_class].is_known) search_all_of(task_class, waiting);
  }
  new_.clear();
  if (is_other) {
    std::erase_if(with_terms_, [&](TaskClassIndex task_class) {
      return !classes_[task_class].waits || ledger_.task_classes.terms(task_class) == nullptr;
    });
    for (const TaskClassIndex task_class : with_terms_) search_all_of(task_class, waiting);
  }
  if (!all_changed_) {
    for (const ServerIndex server : taken_) {
      if (!by_server_.holds(server)) continue;
      remembered_.clear();
      remembered_.swap(by_server_[server]);
      for (const InTournament& at : remembered_) {
        if (!waits_at(at, server)) continue;
        const TournamentId tournament = waiting.tournaments(at.task_class)[at.tournament];
        if (has_room_on(at.task_class, tournament, server)) {
          by_server_[server].push_back(at);
          continue;
        }
        set(at, search(at.task_class, tournament, waiting));
        if (!has_room(at.task_class, at.tournament)) changed_.push_back(at.task_class);
      }
    }
    // Beyond a few servers it is cheaper to bring back what fits there.
    constexpr std::size_t kMaxReleased = 16;
    if (released == Released::tried || released_.size() > kMaxReleased) try_released(waiting);
  } else {
    released_ = {};
  }
  all_changed_ = false;
  is_other_ = false;
  taken_.clear();
}

bool runs_anywhere(const Ledger& ledger, const TournamentRules& tournaments, TournamentEntry entry) {
  const TaskClassIndex task_class = ledger.queues[entry.queue].task_class;
  const std::span<const DemandAlternative> ways = ledger.task_classes.alternatives(task_class);
  return ways.size() == 1 && !tournaments.server_class(entry.tournament) &&
         ledger.task_classes.eligibility.servers(ways.front().servers) == nullptr;
}

TreeCandidate tree_candidate(const Ledger& ledger, const TournamentRules& tournaments, TournamentEntry entry,
                             Amounts& demand) {
  const QueueRow& queue = ledger.queues[entry.queue];
  const std::span<const DemandAlternative> alternatives = ledger.task_classes.alternatives(queue.task_class);
  const std::int64_t batch =
      ledger.task_classes.terms(queue.task_class) != nullptr ? batch_of(ledger, queue.first_job) : 1;
  TreeCandidate candidate{
      .entry = entry, .user = queue.user, .tasks = batch, .tier = ledger.users[queue.user].tier};
  const bool is_of_class = tournaments.server_class(entry.tournament).has_value();
  const bool has_roles = ledger.task_classes.has_roles(queue.task_class);
  if (batch == 1 && !has_roles && (is_of_class || alternatives.size() == 1)) {
    candidate.demand = alternatives[is_of_class ? entry.tournament.alternative.number() : 0].demand;
    return candidate;
  }
  demand = most_together(ledger, queue, batch);
  candidate.demand = demand;
  return candidate;
}

Amounts most_together(const Ledger& ledger, const QueueRow& queue, std::int64_t tasks) {
  const TaskClassIndex task_class = queue.task_class;
  if (ledger.task_classes.has_roles(task_class)) return taken_by_waiting_roles(ledger, queue.first_job);
  Amounts most(ledger.resource_count(), 0);
  for (const DemandAlternative& alternative : ledger.task_classes.alternatives(task_class)) {
    for (std::size_t r = 0; r < most.size(); ++r) {
      const fairness::Wide all = fairness::Wide{alternative.demand[r]} * tasks;
      most[r] = std::max(most[r], static_cast<std::int64_t>(std::min<fairness::Wide>(all, INT64_MAX)));
    }
  }
  return most;
}

TreeCandidates::TreeCandidates(const Ledger& ledger, const TournamentRules& tournaments,
                               const WaitingQueues& waiting, const OpenServers& open, Blocking blocking,
                               Tournaments which) {
  struct Rooms {
    bool is_known = false;
    std::vector<TournamentId> tournaments;
    std::vector<bool> have_room;  // [tournament]
  };
  IndexedVector<TaskClassIndex, Rooms> rooms(ledger.task_classes.index_count());
  const auto has_room = [&](const QueueRow& queue, TournamentId tournament) {
    if (ledger.task_classes.terms(queue.task_class) != nullptr)
      return batch_fits_in(ledger, tournaments, tournament, queue.first_job, open);
    return has_room_in(tournament, ledger, tournaments, queue.task_class, open);
  };
  for (const QueueIndex index : ledger.queues.indices()) {
    if (!waiting.holds(index)) continue;
    const QueueRow& queue = ledger.queues[index];
    Rooms& of_class = rooms[queue.task_class];
    if (!of_class.is_known) {
      of_class.is_known = true;
      of_class.tournaments = which == Tournaments::entered ? waiting.tournaments(queue.task_class)
                                                           : tournaments.of(queue.task_class);
      for (const TournamentId each : of_class.tournaments)
        of_class.have_room.push_back(blocking == Blocking::freeze || has_room(queue, each));
    }
    const std::vector<TournamentId>& entered = of_class.tournaments;
    for (std::size_t at = 0; at < entered.size(); ++at) {
      if (!of_class.have_room[at]) continue;
      Amounts demand;
      TreeCandidate candidate =
          tree_candidate(ledger, tournaments, {.queue = index, .tournament = entered[at]}, demand);
      if (!demand.empty()) candidate.demand = demands_.emplace_back(std::move(demand));
      if (quota_in_the_way(ledger, candidate.user, candidate.demand)) continue;
      candidate.is_covered = covering(ledger, candidate.user, candidate.demand).has_value();
      all_.push_back(candidate);
    }
  }
}

TournamentEntry entry_on(const Ledger& ledger, const TournamentRules& tournaments, QueueIndex queue,
                         ServerIndex server, std::uint32_t role) {
  return {.queue = queue, .tournament = tournaments.of(ledger.queues[queue].task_class, server, role)};
}

}  // namespace mirab::scheduling
