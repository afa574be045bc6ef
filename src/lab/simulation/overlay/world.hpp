#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <mirab/model/time.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/server.hpp>
#include <mirab/overlay/user.hpp>
#include <mirab/overlay/wire.hpp>

#include "lab/simulation/overlay.hpp"
#include "lab/simulation/overlay/network.hpp"
#include "lab/simulation/overlay/roster.hpp"

namespace mirab::simulation {

/// What becomes of a server besides what it does itself.
enum class ServerEvent {
  started,   ///< it is there: at the beginning, when it joins, and when it comes back
  silenced,  ///< its daemon stopped; what runs on it runs on
  died,      ///< it stopped, and what ran on it is over; when it starts again it is a new one
  left,      ///< it was told to leave in peace, and has said so
};

/// Who watches a world. It sees everything in the order in which it happens and changes nothing. What is
/// empty is not called.
struct Observer {
  /// What has just happened inside a node.
  std::function<void(Time now, overlay::NodeId node, const overlay::Fact& fact)> fact = {};
  /// A node has taken this message and is about to act on it.
  std::function<void(Time now, const overlay::AddressedMessage& letter)> message = {};
  std::function<void(Time now, overlay::NodeId server, ServerEvent server_event)> server_event = {};
  /// An event of this node is over: a message, a tick, a shuffle, a server_event. Its facts were told before.
  std::function<void(Time now, overlay::NodeId node)> after_event = {};
};

/// An overlay that lives in virtual time: its nodes, the network between them, and what is planned to go
/// wrong. Everything happens in one order that the seed decides; nothing here depends on a clock, an address
/// in memory or a thread.
///
/// Times count from the beginning of the warm-up; the plans of a scenario count from first_tick(). Servers
/// and users are there from the beginning (a user is known to its home before the first tick), servers
/// shuffle, and from first_tick() on they tick too. Cost: O(1) a message besides what its nodes do with it,
/// and no allocation.
class World {
 public:
  /// The roster and the scenario must outlive it and be checked (check.hpp).
  World(const Roster& roster, const OverlayRules& rules, const OverlayScenario& scenario, std::uint64_t seed);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Before the first event.
  void watch(Observer observer);

  /// Lets the next event happen. There always is one: nodes tick without end.
  void step();
  /// Lets everything happen that happens before `end`.
  void run_until(Time end);

  Time now() const;         ///< of the last event
  Time next() const;        ///< of the next one
  Time first_tick() const;  ///< the warm-up ends
  /// The last planned change (crash, return, partition, pause …; the end of loss …) is behind us, if the
  /// network ever calms down.
  Time last_change() const;

  const Roster& roster() const;
  const Network& network() const;
  /// Null while it is not there: not joined yet, or dead.
  const overlay::Server* server(overlay::NodeId node) const;
  /// There, and its daemon runs.
  bool up(overlay::NodeId node) const;
  /// It was told to leave: what runs there ends, and nothing new begins.
  bool leaving(overlay::NodeId node) const;
  const overlay::User& user(overlay::NodeId node) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mirab::simulation
