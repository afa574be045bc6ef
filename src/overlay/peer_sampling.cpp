// Cyclon: Voulgaris, Gavidia and van Steen, "CYCLON: inexpensive membership management for unstructured P2P
// overlays", 2005, section 2.2 (enhanced shuffling).
//
//   Every period P: all ages + 1; Q = the oldest entry; sends ℓ entries, ℓ - 1 of them drawn at random and
//   itself with age 0 in the place of Q. Q answers with ℓ random entries. Both drop what points at themselves
//   and what they know, then fill free slots, then the slots of what they sent.
//
// An exchange swaps entries, so every server stays in about as many views as its own has entries. A server
// that is gone is the oldest before long, is asked, and does not come back.
//
// Here besides: an entry older than `oldest` shuffles is dropped, which bounds how long the name of a server
// that is gone can go round when many messages are lost.
//
// And while the view is empty, because the only entry is Q (as of two servers, always), Q stands for it; its
// answer, which can tell of nobody else, tells that it is there.
//
// Cost: O(ℓ · view) a message; the only allocation is the message's own.
// Known failures: a server that is cut off for as many periods as its view has entries is alone afterwards.

#include "overlay/peer_sampling.hpp"

#include <algorithm>
#include <utility>

namespace mirab::overlay {

PeerSampling::PeerSampling(NodeId self, const GossipOptions& options)
    : self_(self),
      size_(static_cast<std::uint32_t>(options.peers)),
      shuffle_(static_cast<std::uint32_t>(std::max<std::size_t>(options.peer_shuffle, 1))),
      oldest_(options.oldest) {
  view_.reserve(size_);
}

void PeerSampling::introduce(std::span<const NodeId> servers) {
  for (const NodeId server : servers) {
    if (view_.size() == size_) return;
    if (server != self_ && !knows(server)) view_.push_back({.node = server, .age = oldest_ / 2});
  }
}

void PeerSampling::shuffle(const Descriptor& own, Random& random, Effects& effects) {
  grow_older();
  partner_.reset();
  if (view_.empty()) return;
  partner_ = take_oldest().node;
  PeerRequest request;
  request.offered.reserve(shuffle_);
  request.offered.push_back(own);
  sent_.clear();
  for (const Descriptor& entry : draw(shuffle_ - 1, random)) {
    request.offered.push_back(entry);
    sent_.push_back(entry.node);
  }
  effects.sends.push_back({*partner_, std::move(request)});
}

void PeerSampling::on_request(NodeId from, const PeerRequest& request, Random& random, Effects& effects) {
  const std::span<const Descriptor> drawn = draw(shuffle_, random);
  PeerAnswer answer{{drawn.begin(), drawn.end()}};
  keep(request.offered, [sent = drawn.size()](std::size_t slot) { return slot < sent; });
  effects.sends.push_back({from, std::move(answer)});
}

void PeerSampling::on_answer(NodeId from, const PeerAnswer& answer) {
  if (partner_ != from) sent_.clear();  // late, or said twice: it may only fill what is free
  keep(answer.offered, [this](std::size_t slot) {
    return std::find(sent_.begin(), sent_.end(), view_[slot].node) != sent_.end();
  });
  if (view_.empty()) introduce({&from, 1});
  partner_.reset();
  sent_.clear();
}

std::optional<NodeId> PeerSampling::any(Random& random) const {
  if (view_.empty()) return partner_;
  return view_[random.below(view_.size())].node;
}

void PeerSampling::grow_older() {
  for (Descriptor& entry : view_) ++entry.age;
  std::erase_if(view_, [this](const Descriptor& entry) { return entry.age > oldest_; });
}

Descriptor PeerSampling::take_oldest() {
  const auto oldest = std::max_element(
      view_.begin(), view_.end(), [](const Descriptor& a, const Descriptor& b) { return a.age < b.age; });
  const Descriptor taken = *oldest;
  *oldest = view_.back();
  view_.pop_back();
  return taken;
}

// Brings as many as there are of `count` entries, drawn at random, to the front.
std::span<const Descriptor> PeerSampling::draw(std::size_t count, Random& random) {
  const std::size_t drawn = std::min(count, view_.size());
  for (std::size_t slot = 0; slot < drawn; ++slot)
    std::swap(view_[slot], view_[slot + random.below(view_.size() - slot)]);
  return {view_.data(), drawn};
}

// Free slots first, then those of what was sent.
template <typename WasSent>
void PeerSampling::keep(std::span<const Descriptor> offered, WasSent was_sent) {
  const std::size_t here_before = view_.size();
  std::size_t slot = 0;
  for (const Descriptor& entry : offered) {
    if (entry.node == self_ || entry.age > oldest_ || knows(entry.node)) continue;
    if (view_.size() < size_) {
      view_.push_back(entry);
      continue;
    }
    while (slot < here_before && !was_sent(slot)) ++slot;
    if (slot == here_before) return;
    view_[slot++] = entry;
  }
}

bool PeerSampling::knows(NodeId node) const {
  return std::any_of(view_.begin(), view_.end(), [&](const Descriptor& entry) { return entry.node == node; });
}

}  // namespace mirab::overlay
