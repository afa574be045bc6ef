// Distributed gradient-based DRF (Östman, 3.3, 3.3.1, 4.4): one server at a time serves, the one with the
// poorest user.
//
// Utilities only fall while tasks do not end, and a task that walks does not count (home.cpp): so late news
// of a neighbour is never too low, and whoever takes it for true waits too long, not too short. A turn can be
// wrong only when none of those that agree, the centre r and whom it asks, had heard of some A that is poorer
// when it agreed. A tells one of its neighbours of itself every shuffle, and views are equal again only after
// the news of r's own last turn has gone round.
//
// The thesis asks one, p, the neighbour of lowest utility. Another neighbour q may know of A then, and
// neither r nor p: with two neighbours that makes a turn wrong now and then (`ostman-5.1`). When all are
// asked, A must be unknown to all of the P + 1 at the head, all of which A prefers to have as neighbours
// itself. (Were all asked anew whenever one answer is missing, all would have agreed within one tick; but
// with 10 neighbours and 30 % of loss that happens once in 1,250 ticks.)
//
// Known failures: tasks that end, and users that come, raise utilities, which is heard late (Rise::climb);
// before views have come together, with less than a shuffle a tick and where messages are lost, A may be
// unheard of for long; it takes a few shuffles for each turn, more with more neighbours.

#include "overlay/dgdrf.hpp"

#include <algorithm>
#include <cmath>

#include <mirab/model/assert.hpp>

namespace mirab::overlay {
namespace {

/// Ascending.
std::vector<NodeId> nodes_of(std::span<const Descriptor> view) {
  std::vector<NodeId> nodes;
  nodes.reserve(view.size());
  for (const Descriptor& q : view) nodes.push_back(q.node);
  std::ranges::sort(nodes);
  return nodes;
}

}  // namespace

bool is_centre(const Descriptor& r, std::span<const Descriptor> view) {
  if (std::isinf(r.utility)) return false;
  return std::ranges::all_of(view, [&](const Descriptor& q) { return ranks_before(r, q); });
}

NodeId lowest(std::span<const Descriptor> view) {
  MIRAB_ASSERT(!view.empty(), "there is a neighbour to ask");
  return std::ranges::max_element(view, ranks_before)->node;
}

std::vector<NodeId> expected_view(NodeId r, std::span<const Descriptor> view, NodeId p) {
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
    awaited_.clear();
    return centre ? std::optional(round_) : std::nullopt;
  }

  std::vector<NodeId> neighbours = nodes_of(view);
  const std::vector<NodeId> asked = to_ask(view);
  if (awaited_.empty() || neighbours != neighbours_ || !std::ranges::includes(asked, awaited_)) {
    ++round_;
    neighbours_ = std::move(neighbours);
    awaited_ = asked;
  }
  for (const NodeId p : awaited_) {
    effects.sends.push_back(
        {p, ConfirmRequest{.round = round_, .neighbours = expected_view(r.node, view, p)}});
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Dgdrf::on_answer(NodeId from, const ConfirmAnswer& answer, const Descriptor& r,
                                              std::span<const Descriptor> view) {
  const auto who = std::ranges::lower_bound(awaited_, from);
  if (who == awaited_.end() || *who != from || answer.round != round_) return std::nullopt;
  const bool stands =
      is_centre(r, view) && nodes_of(view) == neighbours_ && std::ranges::binary_search(to_ask(view), from);
  if (!answer.confirmed || !stands) {
    awaited_.clear();
    return std::nullopt;
  }
  awaited_.erase(who);
  return awaited_.empty() ? std::optional(round_) : std::nullopt;
}

/// Ascending.
std::vector<NodeId> Dgdrf::to_ask(std::span<const Descriptor> view) const {
  return confirm_ == Confirm::all ? nodes_of(view) : std::vector{lowest(view)};
}

}  // namespace mirab::overlay
