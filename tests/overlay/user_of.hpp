#pragma once

// A user by itself, for tests: the test sends the messages of homes, hosts and the gateway.

#include <gtest/gtest.h>
#include <vector>

#include <mirab/overlay/user.hpp>

#include "overlay/said.hpp"
#include "overlay/ticks.hpp"

namespace mirab::overlay {

/// A user that says again after 10 ticks, leaves a home that is silent for 40, and gives leases of 100 where
/// messages live for 20.
class UserOf : public testing::Test {
 protected:
  static constexpr NodeId kUser = 7, kGateway = 9, kHome = 1, kHost = 2, kOther = 3;
  static constexpr ProposalId kFirst{50, 1}, kSecond{60, 1};

  User user = with({});
  Effects effects;

  static User with(UserSetting setting, std::uint32_t lease = 100) {
    setting.self = kUser;
    setting.gateway = kGateway;
    setting.demand = {1, 2};
    setting.tick = kTick;
    return User(setting, {.again = 10, .home = 40, .lease = lease}, 20 * kTick);
  }
  void start(int tick) {
    effects = {};
    user.on_start(at(tick), effects);
    answer_gateway(tick, kHome);
  }
  // Answers the last question, if there is one.
  void answer_gateway(int tick, NodeId home) {
    const std::vector<ServerRequest> requests = said<ServerRequest>(effects, kGateway);
    if (!requests.empty()) hear(tick, kGateway, ServerAnswer{requests.back().request, home});
  }
  void hear(int tick, NodeId from, const Message& message) {
    effects = {};
    user.on_message(at(tick), from, message, effects);
  }
  void tick(int tick) {
    effects = {};
    user.on_tick(at(tick), effects);
  }
  void placed(int tick, std::uint64_t number, NodeId host, ProposalId proposal) {
    hear(tick, host, Propose{number, proposal});
    hear(tick, host, Allocated{number, proposal});
    answer_gateway(tick, kHome);
  }
  std::uint64_t present() const { return user.present() ? user.present()->number : 0; }
};

}  // namespace mirab::overlay
