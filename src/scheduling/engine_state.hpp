#pragma once

#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/accounts.hpp"
#include "scheduling/contenders.hpp"
#include "scheduling/disciplines.hpp"
#include "scheduling/freed.hpp"
#include "scheduling/json_reader.hpp"
#include "scheduling/kinds.hpp"
#include "scheduling/mrfs.hpp"
#include "scheduling/placements.hpp"
#include "scheduling/race.hpp"

namespace mirab::scheduling {

/// The parts of an engine, and the steps that its events have in common. See the files of the parts.
struct Engine::State {
  State(EngineOptions chosen, const Whom& whom_chosen, const Where& where_chosen);

  EngineOptions options;
  Whom whom;
  Where where;

  Time now = Time::min();
  Accounts accounts;
  Kinds kinds;
  Standing standing;
  Race race;
  Freed freed;
  std::optional<DominanceBalance> balance = {};  ///< of a discipline that places

  std::uint64_t jobs_before = 0;
  std::uint64_t waits_before = 0;
  std::uint32_t last_used = 0;  ///< the server where the latest task was placed
  bool keys_are_stale = false;

  std::vector<Variant> variants;  ///< of the search that goes on
  std::vector<Wanted> mix;        ///< the same

  // engine.cpp: decisions
  std::optional<Placed> step(Random& random, WhyPlaced* why);  ///< why it was, if anybody asks
  Placed place(Entry entry, std::uint32_t server);
  std::span<const Variant> variants_in_lane(std::uint32_t shape, std::uint32_t lane);
  std::optional<std::uint32_t> find_server(std::uint32_t shape, std::uint32_t lane, Random& random);
  std::span<const Wanted> present_mix();
  bool has_room(std::uint32_t shape, std::uint32_t server) const;
  std::optional<Entry> next_on_freed();
  void bring_back_what_fits_on_freed();
  template <class Visit>
  void for_each_lane_of_server(std::uint32_t server, Visit visit) const;
  std::vector<std::uint32_t> lanes_of(std::uint32_t shape);
  bool can_run_on_kind(std::uint32_t shape, std::uint32_t kind);
  void refresh();
  void count_alone(std::uint32_t shape);
  void share_changed(std::uint32_t user);
  void all_shares_changed();

  // contenders.cpp: who waits, without changing anything that can be seen
  struct LaneRoom {
    std::uint32_t lane;
    bool has_room;
  };
  std::optional<Standing> refreshed_standing(Time at) const;
  std::vector<LaneRoom> rooms_of(std::uint32_t shape);
  std::vector<Contender> contenders(const Precedence& precedence);
  WhyWaiting::Other named(const Contender& contender) const;

  // why_waiting.cpp
  WhyWaiting why_waiting(std::uint32_t job, Time at);
  std::optional<double> weight_before(std::uint32_t user, double key, std::optional<double> rival) const;

  // why_placed.cpp
  WhyPlaced why_placed(Entry served, std::uint32_t server, const Random& random);
  void explain_user(Entry served, WhyPlaced& why);
  void explain_server(Entry served, std::uint32_t server, Random random, WhyPlaced& why);
  const std::string& name_of_server(std::uint32_t server) const;

  // engine_events.cpp: what events have in common
  void wait(std::uint32_t queue);
  void population_changed();
  void end(std::uint32_t task);
  void end_and_wait_again(std::uint32_t task);
  void drop_if_over(std::uint32_t job);
  template <class Visit>
  void for_each_task_on(std::uint32_t server, Visit visit) const;
  std::vector<Lost> end_all_on(std::uint32_t server);
  void take_out(std::uint32_t server);
  Check check_time(Time time) const;
  Check check_amounts(const Amounts& amounts, const std::string& key) const;
  Check check_pool(const Amounts& with, std::span<const std::int64_t> instead_of) const;
  Check check_job(const JobSubmitted& job) const;
  bool is_possible(std::uint32_t shape) const;

  // restore.cpp: the parts of a snapshot, in the order in which they build on each other
  void read(const JsonReader& json);
  void read_rounds(const JsonReader& json);
  void read_not_counted(const JsonReader& json);
  void read_usage(const JsonReader& json);
  void read_race(const JsonReader& json);

  // restore_accounts.cpp: the same
  void read_accounts(const JsonReader& json);
  std::vector<std::optional<Amounts>> read_kinds(const JsonReader& json);
  void read_servers(const JsonReader& json, const std::vector<std::optional<Amounts>>& of_kinds);
  void read_shapes(const JsonReader& json);
  void read_users(const JsonReader& json);
  void read_queue(const JsonReader& json, std::uint32_t user);
  void read_tasks(const JsonReader& json);
};

}  // namespace mirab::scheduling
