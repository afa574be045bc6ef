#pragma once

// The inside of a Server, shared by the files server*.cpp alone: what it is made of, and what
// each file does with a message or a tick.

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <mirab/overlay/server.hpp>

#include "overlay/coordinator.hpp"
#include "overlay/gossip.hpp"
#include "overlay/host.hpp"
#include "overlay/turn_rules.hpp"
#include "overlay/walk.hpp"

namespace mirab::overlay {

/// Under a central scheduler: tells it what is free.
struct Follower {
  std::uint64_t sequence = 0;
  Amounts told;
};

/// The parallel rule needs to remember nothing.
struct Pdgdrf {};

/// Nor does this one.
struct Level {};

/// Who decides whose turn it is (Scheduler): one small state a rule.
using Rule = std::variant<Follower, Probes, Ddrf, Dgdrf, Pdgdrf, Level>;

// Of its setting and its options a server keeps 80 bytes, a third: the rest went into the parts that it is
// made of, and a simulated node has some 2 KB for everything (docs/explanation/performance.md).

/// What it needs again of its ServerSetting.
struct KeptSetting {
  NodeId self = 0;
  NodeId bootstrap = 0;
  NodeId gateway = 0;
  std::optional<NodeId> central = {};
  std::vector<NodeId> neighbours = {};
  std::size_t load = 0;
};

/// What it needs again of its OverlayOptions.
struct KeptOptions {
  Search search = Search::walk;
  Rise rise = Rise::gossip;
  std::uint32_t best_of = 0;
  std::uint32_t hops = 0;      ///< of a walk: hops_of
  std::uint32_t again = 0;     ///< ticks, ≥ 1
  std::uint32_t announce = 0;  ///< ticks, ≥ 1
  double slack = 0;
};

struct ServerState {
  ServerState(const ServerSetting& given, Scheduler scheduler, const OverlayOptions& chosen, Time start);

  KeptSetting setting;
  KeptOptions options;
  std::uint64_t incarnation;
  std::uint64_t ticks = 0;
  bool leaving = false;

  std::vector<double> total;  ///< C, or the mean server's capacity by push-sum; empty: not known yet. [m]
  PeerSampling peers;
  std::optional<Gradient> poorest = {};  ///< for the rules that look at it
  // What few servers need is apart, so that the others stay small.
  std::unique_ptr<Gradient> freer = {};  ///< for directed walks
  std::unique_ptr<PushSum> push_sum = {};
  double reported_utility = -std::numeric_limits<double>::infinity();  ///< Rise::climb: at the last look

  Coordinator home;
  Host host;
  RecentWalks walks = {};
  Rule rule;
};

/// A message or a tick, as it is passed down.
struct Moment {
  Time now;
  Random& random;
  Effects& effects;
};

// server.cpp: gossip

/// What the server tells of itself: by its user with the lowest share (eq. 4.2); by what it has free.
Descriptor user_descriptor(const ServerState& server);
Descriptor room_descriptor(const ServerState& server);
/// Says to the bootstrap server and the gateway that it is here.
void announce(const ServerState& server, Effects& effects);
void shuffle(ServerState& server, Moment moment);
/// Rise::climb: tells the centre when its own utility has risen.
void climb_if_risen(ServerState& server, Effects& effects);

void hear(ServerState& server, NodeId from, const PeerRequest& request, Moment moment);
void hear(ServerState& server, NodeId from, const PeerAnswer& answer, Moment moment);
void hear(ServerState& server, NodeId from, const GradientRequest& request, Moment moment);
void hear(ServerState& server, NodeId from, const GradientAnswer& answer, Moment moment);
void hear(ServerState& server, NodeId from, const PushSumShare& share, Moment moment);
void hear(ServerState& server, NodeId from, const Climb& climb, Moment moment);
void hear(ServerState& server, NodeId from, const Peers& peers, Moment moment);
void hear(ServerState& server, NodeId from, const Register& goodbye, Moment moment);

// server_scheduling.cpp: whose turn it is

Rule rule_of(Scheduler scheduler, const ServerSetting& setting, const OverlayOptions& options, Time start);
/// Does the rule look at a gradient of users?
bool needs_gradient(const Rule& rule);
/// The rule's part of a tick: at most one task is served.
void decide(ServerState& server, Moment moment);

void hear(ServerState& server, NodeId from, const ShareRequest& request, Moment moment);
void hear(ServerState& server, NodeId from, const ShareAnswer& answer, Moment moment);
void hear(ServerState& server, NodeId from, const LoadRequest& request, Moment moment);
void hear(ServerState& server, NodeId from, const LoadAnswer& answer, Moment moment);
void hear(ServerState& server, NodeId from, const ConfirmRequest& request, Moment moment);
void hear(ServerState& server, NodeId from, const ConfirmAnswer& answer, Moment moment);

// server_scheduling.cpp: tasks and users

/// The resident with the lowest share, when its task waits for its turn and shares are known.
const UserEntry* next_in_turn(const ServerState& server);
/// The poorest of those whose task waits for its turn, though a poorer one may have its turn already.
const UserEntry* next_that_waits(const ServerState& server);
/// It is the turn of a resident: its task begins its walk here.
void serve(ServerState& server, const UserEntry& resident, std::uint64_t round, Moment moment);

void hear(ServerState& server, NodeId from, const Submit& submit, Moment moment);
void hear(ServerState& server, NodeId from, const Pause& pause, Moment moment);
void hear(ServerState& server, NodeId from, const Walk& walk, Moment moment);
void hear(ServerState& server, NodeId from, const Placed& placed, Moment moment);
void hear(ServerState& server, NodeId from, const NoRoom& no_room, Moment moment);
void hear(ServerState& server, NodeId from, const Copy& copy, Moment moment);
void hear(ServerState& server, NodeId from, const Accept& accept, Moment moment);
void hear(ServerState& server, NodeId from, const Reject& reject, Moment moment);
void hear(ServerState& server, NodeId from, const EndSeen& seen, Moment moment);
void hear(ServerState& server, NodeId from, const Renew& renew, Moment moment);

}  // namespace mirab::overlay
