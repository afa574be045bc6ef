// Ties promises to a world: what is told to them, and where they look.

#include "simulation/overlay/promise_watch.hpp"

namespace mirab::simulation {

using overlay::NodeId;

Observer observer_of(Promises& promises) {
  return {
      .fact = [&](Time now, NodeId node, const overlay::Fact& fact) { promises.on_fact(now, node, fact); },
      .message = [&](Time, const overlay::Letter& letter) { promises.on_message(letter); },
      .fate = [&](Time now, NodeId server, Fate fate) { promises.on_fate(now, server, fate); },
      .after_event = [&](Time now, NodeId node) { promises.after_event(now, node); }};
}

Insight insight_into(const World& world) {
  return {.view = [&](NodeId server) { return world.server(server)->view(); },
          .free = [&](NodeId server) { return world.server(server)->free(); },
          .want =
              [&](NodeId user) {
                const overlay::User& asked = world.user(user);
                return Want{asked.present().has_value(), asked.running(), asked.owed()};
              }};
}

}  // namespace mirab::simulation
