// The gossip of a server: peer sampling, the gradients, push-sum, and news that climbs.

#include <algorithm>
#include <cmath>

#include "overlay/server_state.hpp"

namespace mirab::overlay {
namespace {

/// A Climb is handed on so often at the most: each hop goes up by up to P places, so twice the logarithm of a
/// million servers is plenty, and news that would run in a circle of stale views ends.
constexpr std::uint32_t kClimbHops = 40;

void hand_up(const ServerState& server, const Descriptor& own, const Climb& climb, Effects& effects) {
  const std::span<const Descriptor> view = server.poorest->view();
  const auto best = std::ranges::min_element(view, ranks_before);
  if (best == view.end() || best->node == climb.risen.node) return;
  if (climb.hops == 0 || ranks_before(*best, own)) effects.sends.push_back({best->node, climb});
}

/// Of no mean that others make up: something that can be shared.
bool is_capacity(const std::vector<double>& mean) {
  return std::ranges::all_of(mean, [](double c) { return c >= 0 && std::isfinite(c); }) &&
         std::ranges::any_of(mean, [](double c) { return c > 0; });
}

}  // namespace

Descriptor told_of_users(const ServerState& server) {
  Descriptor own{.node = server.setting.self};
  if (server.total.empty() || server.leaving) return own;
  if (const Resident* poorest = server.home.poorest(server.total))
    own.utility = -Home::share(*poorest, server.total);
  return own;
}

Descriptor told_of_room(const ServerState& server) {
  Descriptor own{.node = server.setting.self};
  if (!server.total.empty() && !server.leaving) own.utility = room(server.host.free(), server.total);
  return own;
}

void announce(const ServerState& server, Effects& effects) {
  effects.sends.push_back({server.setting.bootstrap, Register{}});
  effects.sends.push_back({server.setting.gateway, Register{}});
}

void shuffle(ServerState& server, Moment moment) {
  if (std::holds_alternative<Follower>(server.rule) || std::holds_alternative<Probes>(server.rule)) return;
  if (server.peers.view().empty()) announce(server, moment.effects);
  if (server.push_sum) {
    server.push_sum->round(server.peers.any(moment.random), moment.effects);
    if (is_capacity(server.push_sum->estimate())) server.total = server.push_sum->estimate();
  }
  const Descriptor own = told_of_users(server);
  const Ddrf* ddrf = std::get_if<Ddrf>(&server.rule);
  const bool frozen = ddrf && ddrf->chosen();
  if (server.poorest && !frozen)
    server.poorest->shuffle(own, server.peers.view(), moment.random, moment.effects);
  if (server.freer)
    server.freer->shuffle(told_of_room(server), server.peers.view(), moment.random, moment.effects);
  // Last: it takes its partner out of the view, and of two servers that is the only one the gradients hear
  // of.
  server.peers.shuffle(own, moment.random, moment.effects);
  climb_if_risen(server, moment.effects);
}

void climb_if_risen(ServerState& server, Effects& effects) {
  if (server.options.rise != Rise::climb || !server.poorest) return;
  const Descriptor own = told_of_users(server);
  if (own.utility > server.told_utility) hand_up(server, own, Climb{.risen = own}, effects);
  server.told_utility = own.utility;
}

void hear(ServerState& server, NodeId from, const PeerRequest& request, Moment moment) {
  server.peers.on_request(from, request, moment.random, moment.effects);
}

void hear(ServerState& server, NodeId from, const PeerAnswer& answer, Moment /*moment*/) {
  server.peers.on_answer(from, answer);
}

void hear(ServerState& server, NodeId from, const GradientRequest& request, Moment moment) {
  if (request.slope == Slope::poorest && server.poorest)
    server.poorest->on_request(from, request, told_of_users(server), moment.effects);
  if (request.slope == Slope::free && server.freer)
    server.freer->on_request(from, request, told_of_room(server), moment.effects);
}

void hear(ServerState& server, NodeId from, const GradientAnswer& answer, Moment /*moment*/) {
  if (answer.slope == Slope::poorest && server.poorest)
    server.poorest->on_answer(from, answer, told_of_users(server));
  if (answer.slope == Slope::free && server.freer)
    server.freer->on_answer(from, answer, told_of_room(server));
}

void hear(ServerState& server, NodeId /*from*/, const PushSumShare& share, Moment /*moment*/) {
  if (server.push_sum) server.push_sum->on_share(share);
}

void hear(ServerState& server, NodeId /*from*/, const Climb& climb, Moment moment) {
  if (!server.poorest || climb.risen.node == server.setting.self) return;
  const Descriptor own = told_of_users(server);
  server.poorest->learn(climb.risen, own);
  if (climb.hops < kClimbHops)
    hand_up(server, own, {.risen = climb.risen, .hops = climb.hops + 1}, moment.effects);
}

void hear(ServerState& server, NodeId from, const Peers& peers, Moment /*moment*/) {
  if (from == server.setting.bootstrap) server.peers.introduce(peers.servers);
}

void hear(ServerState& server, NodeId from, const Register& goodbye, Moment /*moment*/) {
  if (!goodbye.leaving) return;
  if (server.poorest) server.poorest->forget(from);
  if (server.freer) server.freer->forget(from);
  if (auto* ddrf = std::get_if<Ddrf>(&server.rule)) ddrf->forget(from);
  if (auto* probes = std::get_if<Probes>(&server.rule)) probes->forget(from);
}

}  // namespace mirab::overlay
