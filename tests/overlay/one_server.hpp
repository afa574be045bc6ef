#pragma once

// A server by itself, for tests: the test sends the messages of others.

#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <mirab/overlay/server.hpp>

#include "overlay/ticks.hpp"

namespace mirab::overlay {

class OneServer : public testing::Test {
 protected:
  static constexpr NodeId kSelf = 4, kUser = 50, kBootstrap = 90, kGateway = 91;

  Server server(Scheduler scheduler, const OverlayOptions& options = {},
                const std::vector<NodeId>& neighbours = {1, 2, 3}) const {
    return {{.self = kSelf,
             .capacity = {10},
             .total = {100},
             .bootstrap = kBootstrap,
             .gateway = kGateway,
             .neighbours = neighbours,
             .tick = kTick},
            scheduler,
            options,
            Time{}};
  }
  void hear(Server& server, NodeId from, const Message& message) {
    effects = {};
    server.on_message(now, from, message, random, effects);
  }
  void tick(Server& server) {
    now += kTick;
    effects = {};
    server.on_tick(now, random, effects);
  }
  void shuffle(Server& server) {
    effects = {};
    server.on_shuffle(now, random, effects);
  }
  void submit(Server& server, std::int64_t demand, std::uint64_t running = 0) {
    const Task task{.id = {kUser, running + 1}, .demand = {demand}, .running = running};
    hear(server, kUser, Submit{.task = task, .sequence = ++sequence});
  }
  static GradientAnswer told(const std::vector<Descriptor>& news) { return {Slope::poorest, news}; }
  /// The last message of this type that was sent, and to whom.
  template <typename What>
  std::optional<std::pair<NodeId, What>> sent() const {
    std::optional<std::pair<NodeId, What>> last;
    for (const Send& send : effects.sends) {
      if (const What* what = std::get_if<What>(&send.message)) last = {send.to, *what};
    }
    return last;
  }

  Random random{1};
  Time now{};
  std::uint64_t sequence = 0;
  Effects effects;
};

}  // namespace mirab::overlay
