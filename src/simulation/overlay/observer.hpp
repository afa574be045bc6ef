#pragma once

#include <functional>

#include <mirab/model/time.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/wire.hpp>

namespace mirab::simulation {

/// What becomes of a server besides what it does itself.
enum class Fate {
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
  std::function<void(Time now, const overlay::Letter& letter)> message = {};
  std::function<void(Time now, overlay::NodeId server, Fate fate)> fate = {};
  /// An event of this node is over: a message, a tick, a shuffle, a fate. Its facts were told before.
  std::function<void(Time now, overlay::NodeId node)> after_event = {};
};

}  // namespace mirab::simulation
