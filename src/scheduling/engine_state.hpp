#pragma once

#include <optional>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/dispatch/dispatcher.hpp"
#include "scheduling/explain/explainer.hpp"
#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/shares.hpp"
#include "scheduling/placement/placement_search.hpp"
#include "scheduling/starvation/preemption.hpp"
#include "scheduling/starvation/reservations.hpp"

namespace mirab::scheduling {

/// The parts of an engine, each after those that it looks at, and the steps that events have in common: the
/// only place where what one part decides changes the others.
struct Engine::State {
  State(EngineOptions chosen, const DisciplineChoice& discipline, const PlacementChoice& placement_choice);
  State(const State& other);  ///< each part looks at those of the copy

  EngineOptions options;
  Time now = Time::min();

  Ledger ledger;
  Shares shares;
  PlacementSearch placement;
  RoomSearch room_search;
  Dispatcher dispatcher;
  std::optional<ReservationPolicy> reservations = {};
  std::optional<PreemptionPolicy> preemption = {};

  OpenServers open_servers() const { return OpenServers(ledger.server_pool); }
  EngineView view() const;

  // A step: one decision, and what it changes. Those that place always do; they return what step() does.
  std::optional<Placed> step(Random& random, WhyPlaced* why);  ///< why it was, if that is asked
  void apply_reservations();
  std::optional<Placed> place_where_kept(Random& random, WhyPlaced* why);
  std::optional<Placed> place_kept_batch(Reservations::Kept kept, Random& random, WhyPlaced* why);
  std::optional<Placed> place(const Dispatch& next, Random& random, WhyPlaced* why);
  void place_companions(const Dispatch& dispatch, JobIndex job, Random& random, Placed& placed);
  std::optional<Placed> preempt(WhyPlaced* why);
  std::optional<Placed> place_instead_of(const Victims& victims, QueueIndex queue);
  std::optional<Placed> place(TournamentEntry entry, ServerIndex server, std::uint32_t role = 0);
  void reservation_met(QueueIndex queue, TaskIndex task);
  TaskId adopt(JobIndex job, ServerIndex server, Time since, std::uint32_t role);

  // What events have in common.
  void happens(Time time);
  void happens_to_tasks(Time time);
  void job_comes(UserIndex user, Time time);
  void user_changed(UserIndex user);
  Check check_tree() const;  ///< errors: a discipline or an option with which there are no groups and quotas
  void tree_changed();       ///< groups, members, weights or quotas
  void wait(QueueIndex queue);
  void end(TaskIndex task);
  Lost end_and_wait_again(TaskIndex task);
  void drop_if_over(JobIndex job);
  void end_reservation(const Reservations::Kept* kept);  ///< if there is one
  void end_reservation_that_cannot_be_met(ServerIndex server);
  void remove_server(ServerIndex server);
  void capacities_changed();
  void open_servers_changed();
};

}  // namespace mirab::scheduling
