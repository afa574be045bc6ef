#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <mirab/overlay/bootstrap.hpp>
#include <mirab/overlay/central.hpp>
#include <mirab/overlay/gateway.hpp>

#include "simulation/calendar_queue.hpp"
#include "simulation/overlay/fault_plan.hpp"
#include "simulation/overlay/stretched.hpp"
#include "simulation/overlay/world.hpp"

namespace mirab::simulation {

/// What lives in a world. An event belongs to one node; what it does goes into `effects`, and settle() lets
/// that happen.
struct World::State {
  State(const Roster& roster, const OverlayRules& rules, const OverlayScenario& scenario, std::uint64_t seed);

  struct Event {
    enum class What : std::uint8_t { letter, begin, tick, shuffle, change };
    overlay::NodeId node = 0;
    std::uint32_t index = 0;  // the letter, or the change in the plan
    What what = What::letter;
  };

  /// A server's place: the server is nothing before it joins and while it is dead.
  struct Place {
    std::optional<overlay::Server> server;
    float slowness = 1;
    bool up = false;
    bool fallen = false;  ///< it crashed and is not back
    bool gone = false;    ///< it was told to leave
  };

  // world_begin.cpp: from the seed to the first event.
  void settle_in();
  void schedule_rounds(std::uint64_t seed);

  overlay::Gateway new_gateway() const;
  overlay::Bootstrap new_bootstrap() const;

  // world.cpp: from each event to the next.
  void foresee() const;
  void happen(const Event& event);
  void deliver(overlay::NodeId to, std::uint32_t letter);
  void tick(overlay::NodeId node);
  void shuffle(overlay::NodeId node);
  void settle(overlay::NodeId node);
  Duration runtime_of(overlay::NodeId user, std::uint64_t number) const;
  Duration slowed(Duration length, overlay::NodeId node) const;
  Time clock(overlay::NodeId node) const { return agenda.now() + ahead[node]; }

  // world_changes.cpp: what is planned.
  void change(const Change& change);
  void start(overlay::NodeId node);
  void crash(const Crash& crash);
  void come_back(const Crash& crash);
  void leave(overlay::NodeId node);
  void set_slowness(overlay::NodeId node);
  void tell(overlay::NodeId node, Fate fate);

  const Roster& roster;
  const OverlayRules& rules;
  const OverlayScenario& scenario;
  Duration shuffle_period;
  Time opening;  // servers begin to shuffle, users to ask
  Time first_tick;
  FaultPlan plan;
  Time last_change;
  std::vector<std::vector<overlay::NodeId>> neighbours;  // fixed ones; empty: those that gossip finds. [K]

  Network network;
  Random random;           // of the nodes
  Random homes;            // of the gateway: contenders direct users alike
  std::uint64_t runtimes;  // a seed
  CalendarQueue<Event> agenda;

  std::vector<Duration> ahead;       // of its clock, up to the skew. [node]
  std::vector<Place> places;         // [K]
  std::vector<overlay::User> users;  // [N]
  overlay::Gateway gateway;
  overlay::Bootstrap bootstrap;
  std::optional<overlay::Central> central;
  overlay::Effects effects;

  std::vector<std::function<void(Time, overlay::NodeId, const overlay::Fact&)>> on_fact;
  std::vector<std::function<void(Time, const overlay::Letter&)>> on_message;
  std::vector<std::function<void(Time, overlay::NodeId, Fate)>> on_fate;
  std::vector<std::function<void(Time, overlay::NodeId)>> after_event;
};

}  // namespace mirab::simulation
