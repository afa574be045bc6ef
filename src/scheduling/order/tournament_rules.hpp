#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/order/share_context.hpp"

namespace mirab::scheduling {

/// What a discipline distinguishes besides users: queues play in one tournament each, or in several.
enum class TournamentsBy {
  nothing,            ///< there is one tournament
  dominant_resource,  ///< a line of queues for each resource, served in rounds
  server_class,       ///< one for each server class and each demand that the queue's tasks have there
};

/// How many queues wait at each place, parked ones too. Each is counted once, however many of the place's
/// tournaments it enters: under ps-dsf these all compete for the servers of one class.
class QueuesByPlace {
 public:
  /// A queue enters these tournaments, or leaves them. Requires those of a place to follow each other.
  /// O(tournaments).
  void enter(std::span<const TournamentId> tournaments) {
    for_each_place(tournaments, [&](PlaceIndex place) {
      queues_.cover(place);
      ++queues_[place];
    });
  }
  void leave(std::span<const TournamentId> tournaments) {
    for_each_place(tournaments, [&](PlaceIndex place) { --queues_[place]; });
  }

  /// Requires that a queue has been there.
  std::uint32_t operator[](PlaceIndex place) const { return queues_[place]; }

 private:
  template <class Visit>
  static void for_each_place(std::span<const TournamentId> tournaments, Visit visit) {
    std::optional<PlaceIndex> last;
    for (const TournamentId tournament : tournaments) {
      if (last != tournament.place) visit(tournament.place);
      last = tournament.place;
    }
  }

  IndexedVector<PlaceIndex, std::uint32_t> queues_;
};

/// The tournaments of the ready queue: which ones a task class enters, which servers each admits, and what
/// serving does. Requires the ledger to outlive it.
class TournamentRules {
 public:
  TournamentRules(TournamentsBy by, const Ledger& ledger) : by_(by), ledger_(&ledger) {}
  TournamentRules(const TournamentRules& other, const Ledger& ledger) : by_(other.by_), ledger_(&ledger) {}

  /// Those that queues of the task class enter, as things stand, by place. O(server classes × alternatives).
  std::vector<TournamentId> of(TaskClassIndex task_class) const;
  /// The one of these that serves a task for this server. Requires that the task may run there.
  TournamentId of(TaskClassIndex task_class, ServerIndex server, std::uint32_t role = 0) const;

  /// May the tournaments of a task class be others when capacities are; and when servers open or close?
  bool follow_capacities() const { return by_ != TournamentsBy::nothing; }
  bool follow_open_servers() const { return by_ == TournamentsBy::server_class; }

  /// Of the places of tournaments the one that admits the server; nothing: all do.
  std::optional<PlaceIndex> place_for(ServerIndex server) const;

  /// The server class whose servers the tournament admits; nothing: it admits all.
  std::optional<ServerClassIndex> server_class(TournamentId tournament) const {
    return by_ == TournamentsBy::server_class ? std::optional(tournament.server_class()) : std::nullopt;
  }
  /// Does the tournament serve tasks of the class that run by this alternative?
  bool serves(TournamentId tournament, TaskClassIndex task_class, const DemandAlternative& alternative) const;
  /// Does the tournament serve a task of the class for the server? Requires that it may run there.
  bool admits(TournamentId tournament, TaskClassIndex task_class, ServerIndex server) const;

  /// The resource whose line the tournament is, if it is one.
  std::optional<std::size_t> line(TournamentId tournament) const {
    return by_ == TournamentsBy::dominant_resource ? std::optional(tournament.resource()) : std::nullopt;
  }
  /// A task was served in the tournament: a line has had its turn in the round.
  void served(TournamentId tournament, Rounds& rounds) const {
    if (by_ == TournamentsBy::dominant_resource) rounds.serve(tournament.resource());
  }

 private:
  bool can_run_on(ServerClassIndex server_class, const DemandAlternative& alternative) const;
  AlternativeIndex first_with_demand(TaskClassIndex task_class, const Amounts& demand) const;

  TournamentsBy by_;
  const Ledger* ledger_;
};

}  // namespace mirab::scheduling
