// Rounds of gossip without anything else: peer sampling and a gradient over servers of fixed utilities.
#include "lab/experiments/ostman/gossip_rounds.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

namespace mirab::experiments {

using overlay::NodeId;

constexpr std::uint32_t kEndless = 1U << 30;  // rounds: one epoch is watched

GossipRounds::GossipRounds(std::size_t servers, const overlay::GossipOptions& options, double loss,
                           Random random)
    : view_(options.view), loss_(loss), random_(std::move(random)), order_(servers) {
  std::iota(order_.begin(), order_.end(), 0);
  servers_.reserve(servers);
  for (const NodeId self : order_) {
    const double x = 1 - random_.unit();
    servers_.push_back({.own = {.node = self, .utility = -x},
                        .peers = overlay::PeerSampling(self, options),
                        .gradient = overlay::Gradient(self, overlay::Slope::poorest, options),
                        .push_sum = overlay::PushSum({x, self == 0 ? 1.0 : 0.0}, kEndless)});
    std::vector<NodeId> known;
    for (std::size_t i = 0; i < options.peers; ++i)
      known.push_back(static_cast<NodeId>(random_.below(servers)));
    servers_.back().peers.introduce(known);
  }
}

void GossipRounds::round() {
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_.below(i)]);
  for (const NodeId self : order_) {
    GossipServer& server = servers_[self];
    overlay::Effects effects;
    server.push_sum.round(server.peers.any(random_), effects);
    server.gradient.shuffle(server.own, server.peers.view(), random_, effects);
    server.peers.shuffle(server.own, random_, effects);
    carry(self, effects);
  }
}

void GossipRounds::carry(NodeId from, const overlay::Effects& effects) {
  for (const overlay::Send& send : effects.sends) {
    if (random_.unit() >= loss_) take(from, send);
  }
}

void GossipRounds::take(NodeId from, const overlay::Send& send) {
  GossipServer& server = servers_[send.to];
  overlay::Effects effects;
  if (const auto* request = std::get_if<overlay::PeerRequest>(&send.message))
    server.peers.on_request(from, *request, random_, effects);
  else if (const auto* answer = std::get_if<overlay::PeerAnswer>(&send.message))
    server.peers.on_answer(from, *answer);
  else if (const auto* sought = std::get_if<overlay::GradientRequest>(&send.message))
    server.gradient.on_request(from, *sought, server.own, effects);
  else if (const auto* told = std::get_if<overlay::GradientAnswer>(&send.message))
    server.gradient.on_answer(from, *told, server.own);
  else if (const auto* share = std::get_if<overlay::PushSumShare>(&send.message))
    server.push_sum.on_share(*share);
  carry(send.to, effects);
}

IdealViews GossipRounds::ideal_views() const {
  const std::vector<std::size_t> place = places();
  IdealViews found;
  for (const GossipServer& server : servers_) {
    if (!ideal(server, place)) continue;
    ++found.all;
    if (place[server.own.node] <= view_) ++found.centre;
  }
  return found;
}

void GossipRounds::serve_centre() {
  const auto centre = std::min_element(
      servers_.begin(), servers_.end(),
      [](const GossipServer& a, const GossipServer& b) { return ranks_before(a.own, b.own); });
  centre->own.utility -= random_.unit() * (1 + centre->own.utility);
}

// The place of every server in the order of utility.
std::vector<std::size_t> GossipRounds::places() const {
  std::vector<NodeId> ranked(servers_.size());
  std::iota(ranked.begin(), ranked.end(), 0);
  std::sort(ranked.begin(), ranked.end(),
            [&](NodeId a, NodeId b) { return ranks_before(servers_[a].own, servers_[b].own); });
  std::vector<std::size_t> places(servers_.size());
  for (std::size_t place = 0; place < ranked.size(); ++place) places[ranked[place]] = place;
  return places;
}

// The P places before it; where there are fewer, all of them and those behind it.
bool GossipRounds::ideal(const GossipServer& server, std::span<const std::size_t> places) const {
  const std::size_t place = places[server.own.node];
  const std::size_t from = place > view_ ? place - view_ : 0;
  const std::size_t to = std::max(place, view_);
  const auto view = server.gradient.view();
  return view.size() == view_ && std::all_of(view.begin(), view.end(), [&](const overlay::Descriptor& entry) {
           return places[entry.node] >= from && places[entry.node] <= to;
         });
}

Convergence converge(std::size_t servers, const overlay::GossipOptions& options, double loss,
                     std::size_t rounds, Random random) {
  constexpr double kMost = 0.99;
  const double never = static_cast<double>(rounds) + 1;
  GossipRounds gossip(servers, options, loss, std::move(random));
  Convergence found{.ideal = {}, .centre = never, .most = never};
  for (std::size_t round = 1; round <= rounds; ++round) {
    gossip.round();
    const IdealViews views = gossip.ideal_views();
    found.ideal.push_back(static_cast<double>(views.all) / static_cast<double>(servers));
    if (views.centre == options.view + 1) found.centre = std::min(found.centre, static_cast<double>(round));
    if (found.ideal.back() < kMost) continue;
    found.most = static_cast<double>(round);
    break;
  }
  return found;
}

}  // namespace mirab::experiments
