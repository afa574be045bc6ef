#pragma once

#include <map>
#include <optional>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// Which server the gateway names.
enum class Direction {
  home,     ///< always the same for a user, drawn uniformly at its first request
  any,      ///< one drawn uniformly for every task (probes)
  central,  ///< the central server
};

/// The gateway node: directs users to servers. What it knows is soft: it may be lost at any time.
class Gateway {
 public:
  Gateway(NodeId self, Direction direction, std::optional<NodeId> central, const Patience& patience,
          Duration tick);
  void on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects);
};

/// The bootstrap server: who registers hears of `peers` servers drawn at random among those that are here.
class Bootstrap {
 public:
  Bootstrap(NodeId self, std::size_t peers, const Patience& patience, Duration tick);
  void on_message(Time now, NodeId from, const Message& message, Random& random, Effects& effects);
};

}  // namespace mirab::overlay
