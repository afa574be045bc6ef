#pragma once

// A small synchronous network: in every round all servers shuffle, then all requests are taken, then all
// answers. So exchanges cross each other, which they do not when each is carried out by itself.

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include <mirab/model/random.hpp>

#include "overlay/gossip.hpp"

namespace mirab::overlay {

struct GossipInStep {
  struct Faults {
    double loss = 0, duplicate = 0;
  };

  GossipInStep(std::size_t servers, const GossipOptions& options, std::uint64_t seed)
      : random(seed), utility(servers, 0), gone(servers, 0) {
    for (NodeId self = 0; self < servers; ++self) {
      peers.emplace_back(self, options);
      gradients.emplace_back(self, Slope::poorest, options);
      std::vector<NodeId> known;
      for (std::size_t i = 0; i < options.peers; ++i)
        known.push_back(static_cast<NodeId>(random.below(servers)));
      peers.back().introduce(known);
    }
  }

  Descriptor own(NodeId self) const { return {.node = self, .age = 0, .utility = utility[self]}; }

  void rounds(int count) {
    for (int i = 0; i < count; ++i) round();
  }

  void round() {
    std::vector<std::pair<NodeId, Send>> sent;
    for (NodeId self = 0; self < peers.size(); ++self) shuffle(self, sent);
    carry_out(sent);
  }

  /// The same, but no exchange crosses another.
  void round_one_by_one() {
    for (NodeId self = 0; self < peers.size(); ++self) {
      std::vector<std::pair<NodeId, Send>> sent;
      shuffle(self, sent);
      carry_out(sent);
    }
  }

  void shuffle(NodeId self, std::vector<std::pair<NodeId, Send>>& sent) {
    if (gone[self]) return;
    Effects effects;
    gradients[self].shuffle(own(self), peers[self].view(), random, effects);
    peers[self].shuffle(own(self), random, effects);
    post(self, effects, sent);
  }

  void carry_out(std::vector<std::pair<NodeId, Send>> sent) {
    while (!sent.empty()) sent = answers_to(sent);
  }

  std::vector<std::pair<NodeId, Send>> answers_to(const std::vector<std::pair<NodeId, Send>>& sent) {
    std::vector<std::pair<NodeId, Send>> answers;
    for (const auto& [from, send] : sent) {
      Effects effects;
      take(from, send, effects);
      post(send.to, effects, answers);
    }
    return answers;
  }

  void post(NodeId from, const Effects& effects, std::vector<std::pair<NodeId, Send>>& sent) {
    for (const Send& send : effects.sends) {
      if (gone[send.to] || random.unit() < faults.loss) continue;
      sent.emplace_back(from, send);
      if (random.unit() < faults.duplicate) sent.emplace_back(from, send);
      std::swap(sent.back(), sent[random.below(sent.size())]);
    }
  }

  void take(NodeId from, const Send& send, Effects& effects) {
    const NodeId to = send.to;
    if (const auto* a = std::get_if<PeerRequest>(&send.message))
      peers[to].on_request(from, *a, random, effects);
    else if (const auto* b = std::get_if<PeerAnswer>(&send.message))
      peers[to].on_answer(from, *b);
    else if (const auto* c = std::get_if<GradientRequest>(&send.message))
      gradients[to].on_request(from, *c, own(to), effects);
    else if (const auto* d = std::get_if<GradientAnswer>(&send.message))
      gradients[to].on_answer(from, *d, own(to));
  }

  /// Servers that are here, the first in the order of utility first.
  std::vector<NodeId> ranked() const {
    std::vector<NodeId> nodes;
    for (NodeId self = 0; self < peers.size(); ++self) {
      if (!gone[self]) nodes.push_back(self);
    }
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return ranks_before(own(a), own(b)); });
    return nodes;
  }

  Random random;
  Faults faults;
  std::vector<double> utility;
  std::vector<char> gone;
  std::vector<PeerSampling> peers;
  std::vector<Gradient> gradients;
};

inline std::set<NodeId> nodes_of(std::span<const Descriptor> view) {
  std::set<NodeId> nodes;
  for (const Descriptor& entry : view) nodes.insert(entry.node);
  return nodes;
}

}  // namespace mirab::overlay
