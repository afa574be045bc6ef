// Distributed gradient-based DRF (Östman, 3.3, 3.3.1, 4.4): one server at a time serves, the one with the
// poorest user.
//
// Utilities only fall while tasks do not end, and a task that walks does not count (home.cpp): so late news
// of a neighbour is never too low, and whoever takes it for true waits too long, not too short. A turn can be
// wrong only when neither the centre r nor p has heard of some A that is poorer; A tells one of its
// neighbours of itself every shuffle, and r's view equals p's only after the news of r's own last turn has
// gone round. Known failures: tasks that end, and users that come, raise utilities, which is heard late
// (Rise::climb); it takes a few shuffles for each turn, more with more neighbours.

#include "overlay/dgdrf.hpp"

#include <algorithm>
#include <cmath>

#include <mirab/model/assert.hpp>

namespace mirab::overlay {

bool is_centre(const Descriptor& r, std::span<const Descriptor> view) {
  if (std::isinf(r.utility)) return false;
  return std::ranges::all_of(view, [&](const Descriptor& q) { return ranks_before(r, q); });
}

NodeId lowest(std::span<const Descriptor> view) {
  MIRAB_ASSERT(!view.empty(), "there is a neighbour to ask");
  return std::ranges::max_element(view, ranks_before)->node;
}

std::vector<NodeId> expected_view(NodeId r, std::span<const Descriptor> view) {
  const NodeId p = lowest(view);
  std::vector<NodeId> nodes;
  nodes.reserve(view.size());
  for (const Descriptor& q : view) nodes.push_back(q.node == p ? r : q.node);
  std::ranges::sort(nodes);
  return nodes;
}

bool confirms(std::span<const Descriptor> view, const ConfirmRequest& msg_r) {
  if (view.size() != msg_r.neighbours.size()) return false;
  return std::ranges::all_of(
      view, [&](const Descriptor& q) { return std::ranges::binary_search(msg_r.neighbours, q.node); });
}

std::optional<std::uint64_t> Dgdrf::on_tick(const Descriptor& r, std::span<const Descriptor> view,
                                            Effects& effects) {
  const bool centre = is_centre(r, view);
  if (!centre || view.empty()) {
    question_.clear();
    return centre ? std::optional(round_) : std::nullopt;
  }

  const NodeId p = lowest(view);
  std::vector<NodeId> msg_r = expected_view(r.node, view);
  if (p != p_ || msg_r != question_) {
    ++round_;
    p_ = p;
    question_ = std::move(msg_r);
  }
  effects.sends.push_back({p_, ConfirmRequest{.round = round_, .neighbours = question_}});
  return std::nullopt;
}

std::optional<std::uint64_t> Dgdrf::on_answer(NodeId from, const ConfirmAnswer& answer, const Descriptor& r,
                                              std::span<const Descriptor> view) {
  if (question_.empty() || from != p_ || answer.round != round_) return std::nullopt;
  const bool stands =
      is_centre(r, view) && !view.empty() && lowest(view) == p_ && expected_view(r.node, view) == question_;
  question_.clear();
  return answer.confirmed && stands ? std::optional(round_) : std::nullopt;
}

}  // namespace mirab::overlay
