#pragma once

#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/disciplines.hpp"
#include "scheduling/order/ready_queue.hpp"
#include "scheduling/persistence/json_reader.hpp"
#include "scheduling/placement/dominance_balance.hpp"
#include "scheduling/placement/placements.hpp"
#include "scheduling/starvation/preemption.hpp"
#include "scheduling/starvation/reservations.hpp"

namespace mirab::scheduling {

/// A queue that waits, as the next step would find it: the first of its entries that may be served, else the
/// first of all.
struct Contender {
  Keyed keyed;
  bool has_room;  ///< in the entry's tournament, on servers that are not kept; of a gang for all together
};

class GangFeasibility;
class VictimSearch;
struct Victims;

/// The parts of an engine, and the steps that its events have in common. See the files of the parts.
struct Engine::State {
  State(EngineOptions chosen, const DisciplineChoice& discipline, const PlacementChoice& where_chosen);

  EngineOptions options;
  DisciplineChoice discipline_choice;
  PlacementChoice where;

  Time now = Time::min();
  Ledger ledger;
  ShareContext context;
  TournamentRules tournaments;
  ReadyQueue ready;
  ReleasedServers released;
  std::optional<DominanceBalance> balance = {};  ///< of a discipline that places
  std::optional<Reservations> reservations = {};
  std::optional<Preemption> preemption = {};

  AdmittedServers admitted_servers;
  std::uint32_t last_used = 0;  ///< the server where the latest task was placed
  bool keys_are_stale = false;

  std::vector<SearchAlternative> search_alternatives;  ///< of the search that goes on
  std::vector<Wanted> mix;                             ///< the same

  // order/dispatcher.cpp
  std::optional<Placed> step(Random& random, WhyPlaced* why);  ///< why it was, if anybody asks
  Placed place(Entry entry, std::uint32_t server);
  std::span<const SearchAlternative> variants_in(TournamentId tournament, std::uint32_t task_class);
  std::optional<std::uint32_t> find_server(TournamentId tournament, std::uint32_t task_class, Random& random);
  std::optional<std::uint32_t> find_among_variants(Random& random);
  std::span<const Wanted> present_mix();
  std::optional<Entry> next_on_released();
  void retry_what_fits_on_released();
  template <class Visit>
  void for_each_tournament_of_server(std::uint32_t server, Visit visit) const;
  void refresh();
  void count_alone(std::uint32_t task_class);
  void share_changed(std::uint32_t user);
  void all_shares_changed();

  // constraints/batches.cpp: gangs, and tasks that do not go wherever there is room
  std::optional<Placed> place_batch(Entry entry, Random& random, WhyPlaced* why);
  Companion place_companion(std::uint32_t job, std::uint32_t server);
  std::optional<std::uint32_t> find_server_among(const std::vector<ServerSet>& servers,
                                                 std::uint32_t task_class, Random& random);
  void retry_constrained(std::uint32_t task_class, std::uint32_t server);
  bool batch_fits(std::uint32_t job, std::optional<TournamentId> tournament, const OpenServers& open) const;
  std::vector<ServerSet> first_of_batch(const GangFeasibility& gang, std::int64_t batch,
                                        std::uint32_t task_class, TournamentId tournament) const;
  Check check_constraints_possible(const JobSubmitted& job, std::uint32_t task_class) const;

  // reservations.cpp
  std::optional<Placed> place_where_kept(WhyPlaced* why);
  const Reservations::Kept* first_kept_with_room(const Reservations& all) const;
  bool has_lasted(const Reservations::Kept& kept, Time at) const;
  void end_reservations_that_lasted();
  void keep_where_due();
  ReservationPreview reservation_preview(Time at) const;
  void keep_where_due(ReservationPreview& step) const;
  std::vector<std::uint32_t> due(const ReservationPreview& step) const;
  std::optional<std::uint32_t> server_to_keep(std::uint32_t queue, const OpenServers& open) const;
  OpenServers open_servers() const { return OpenServers(ledger.server_pool); }
  bool has_kept_room(const Reservations::Kept& kept) const;
  void end_reservation(const Reservations::Kept* kept);  ///< if there is one
  void reservation_met(std::uint32_t queue, std::uint32_t task);
  std::string broken_reservation() const;

  // preemption.cpp
  struct PreemptionCandidate;  // a queue, and who loses tasks to it
  std::optional<Placed> preempt(WhyPlaced* why);
  std::vector<std::uint32_t> who_may_gain(const VictimSearch& search, const Precedence& precedence) const;
  std::optional<PreemptionCandidate> first_gain(VictimSearch& search, std::int64_t most,
                                                const Precedence& precedence, const OpenServers& open,
                                                const Reservations* kept) const;
  Placed place_instead_of(const Victims& victims, std::uint32_t queue);

  Precedence precedence() const {
    return {.discipline = discipline_choice.discipline, .tie = options.tie, .context = &context};
  }

  // contenders.cpp: who waits, without changing anything that can be seen
  struct Room {
    TournamentId tournament;
    bool has_room;
  };
  std::optional<ShareContext> refreshed_context(Time at) const;
  std::vector<Room> rooms_of(std::uint32_t queue, const OpenServers& open) const;
  bool has_room_in(TournamentId tournament, std::uint32_t task_class, const OpenServers& open) const;
  std::vector<Contender> contenders(const Precedence& precedence, const OpenServers& open) const;
  WhyWaiting::Other named(const Contender& contender) const;

  // why_waiting.cpp
  WhyWaiting why_waiting(std::uint32_t job, Time at) const;
  void explain_order(std::uint32_t queue, const std::vector<Contender>& all, const Precedence& precedence,
                     WhyWaiting& why) const;
  void explain_kept(std::uint32_t queue, const ReservationPreview& step, WhyWaiting& why) const;
  void explain_force(std::uint32_t queue, const std::vector<Contender>& all, const Precedence& precedence,
                     const ReservationPreview& step, WhyWaiting& why) const;
  bool may_place_without_force(const std::vector<Contender>& all, const Precedence& precedence) const;
  std::optional<double> weight_before(std::uint32_t user, double key, std::optional<double> rival) const;

  // explain/contenders.cpp
  ByForce by_force(const PreemptionCandidate& gain, const Precedence& precedence) const;
  std::optional<PreemptionCandidate> foreseen_gain(const Precedence& precedence,
                                                   const ReservationPreview& step) const;

  // why_placed.cpp
  WhyPlaced why_placed(Entry served, std::uint32_t server, const Random& random);
  WhyPlaced why_placed_where_kept(const Reservations::Kept& kept);
  WhyPlaced why_placed_by_force(const PreemptionCandidate& gain);
  void explain_user(Entry served, WhyPlaced& why);
  void explain_server(std::uint32_t server, Random random, WhyPlaced& why);
  WhyPlaced placed_on(std::uint32_t queue, std::uint32_t server) const;
  Amounts free_on(std::uint32_t server) const;
  const std::string& name_of_server(std::uint32_t server) const;

  // engine_events.cpp: what events have in common
  void happens(Time time);
  void wait(std::uint32_t queue);
  void population_changed();
  void end(std::uint32_t task);
  void end_and_wait_again(std::uint32_t task);
  void drop_if_over(std::uint32_t job);

  // engine_events.cpp: servers
  void capacities_changed();
  void open_servers_changed();
  std::vector<Lost> end_all_on(std::uint32_t server);
  void take_out(std::uint32_t server);

  // engine_events.cpp: what an event may not be
  Check check_time(Time time) const;
  Check check_amounts(const Amounts& amounts, const std::string& key) const;
  Check check_pool(const Amounts& with, std::span<const std::int64_t> instead_of) const;
  Check check_job(const JobSubmitted& job) const;
  Check check_possible(const JobSubmitted& job, std::uint32_t task_class) const;
  bool is_possible(std::uint32_t task_class) const;
  static Error unknown(std::string_view what);

  /// The row of whom or what an event at this time is about. Errors: an earlier time; nothing by that
  /// identifier.
  template <class Row, class Id>
  Result<std::uint32_t> subject(const Slots<Row, Id>& rows, Id id, std::string_view what, Time time) const {
    if (Check bad = check_time(time)) return *std::move(bad);
    const std::optional<std::uint32_t> row = rows.find(id);
    return row ? Result<std::uint32_t>(*row) : unknown(what);
  }

  // restore.cpp: the parts of a snapshot, in the order in which they build on each other
  void read(const JsonReader& json);
  void read_rounds(const JsonReader& json);
  void read_not_counted(const JsonReader& json);
  void read_usage(const JsonReader& json);
  void read_race(const JsonReader& json);
  void read_reservations(const JsonReader& json);
  void read_preemption(const JsonReader& json);

  // restore.cpp: users, servers, queues and tasks
  void read_ledger(const JsonReader& json);
  std::vector<std::optional<Amounts>> read_server_classes(const JsonReader& json);
  void read_servers(const JsonReader& json, const std::vector<std::optional<Amounts>>& of_kinds);
  void read_task_classes(const JsonReader& json);
  void read_users(const JsonReader& json);
  void read_queue(const JsonReader& json, std::uint32_t user);
  void read_tasks(const JsonReader& json);
};

/// A queue whose next task may be placed by force.
struct Engine::State::PreemptionCandidate {
  std::uint32_t queue;
  Victims victims;  ///< who lose tasks to it
};

}  // namespace mirab::scheduling
