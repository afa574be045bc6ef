// A gradient topology: Terelius, Shi, Dowling, Payberah, Gattami and Johansson, "Converging an overlay
// network to a gradient topology", 2011; Östman, 2.4.2, 3.3 and 4.4.
//
//   l prefers a over b when U(a) ≥ U(l) ≥ U(b), or when a is nearer and both are on the same side    (3.9)
//
// Both are about places in the order of (utility, address), ranks_before: on one side the nearer utility is
// the nearer place. So places decide, ties need no rule of their own, and -∞ is a utility like any other.
//
// Every period: ages + 1; a partner drawn from the view gets oneself and one's entries (4.5) and answers with
// its own; both keep, of each server, the news of lower age, and of the servers the P most preferred.
//
//   P(partner of rank k) ∝ e^(-k/T): the largest exponent is 0, so no temperature overflows; T = ∞ is
//   uniform.
//
// Ages. Whoever holds an entry adds 1 each period, and age 0 is only what a server says of itself (hearsay
// counts as 1 at least). So all copies of a server's last word grow by 1 a period wherever they travel, and
// the name of a server that crashed is gone from all views `oldest` + 1 periods later, give or take the one
// in which it was told. Of equally old news what arrives later is kept: it has aged less since it was
// counted.
//
// Here besides: who is asked names, in the place of its least preferred entry, the one that asked before.
// Views look forward, so a server whose name all those right behind it have dropped would have to be drawn by
// chance at one of them, once in about K/50 periods; whoever they all ask brings them together. The views of
// 99 % of 10,000 servers are ideal after about 100 periods, not 750; the message is no longer than in (4.5).
//
// Cost: O(P²) comparisons a message (P = 10: about 0.2 µs); the only allocation is the message's own.
// Known failures: a server that shuffles seldom ages its entries seldom, and keeps the dead longer.

#include "overlay/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::overlay {
namespace {

// k in 0 … count - 1 with probability ∝ decay^k.
std::size_t drawn_rank(std::size_t count, double decay, Random& random) {
  double total = 0, part = 1;
  for (std::size_t k = 0; k < count; ++k, part *= decay) total += part;
  double left = random.unit() * total;
  part = 1;
  for (std::size_t k = 0; k + 1 < count; ++k, part *= decay) {
    if (left < part) return k;
    left -= part;
  }
  return count - 1;
}

// What is not of the server's own mouth is one shuffle old at least.
Descriptor as_told(NodeId teller, Descriptor entry) {
  if (entry.node != teller) entry.age = std::max<std::uint32_t>(entry.age, 1);
  return entry;
}

// Moves the entry at `place` forward past all that are less preferred; those before it are in order.
void move_forward(std::vector<Descriptor>& view, std::size_t place, const Descriptor& own) {
  const Descriptor entry = view[place];
  for (; place > 0 && prefers(own, entry, view[place - 1]); --place) view[place] = view[place - 1];
  view[place] = entry;
}

}  // namespace

bool prefers(const Descriptor& base, const Descriptor& a, const Descriptor& b) {
  const bool before = ranks_before(a, base);
  if (before != ranks_before(b, base)) return before;
  return before ? ranks_before(b, a) : ranks_before(a, b);
}

Gradient::Gradient(NodeId self, Slope slope, const GossipOptions& options)
    : self_(self),
      slope_(slope),
      size_(static_cast<std::uint32_t>(options.view)),
      shuffle_(static_cast<std::uint32_t>(options.shuffle == 0 ? options.view : options.shuffle)),
      oldest_(options.oldest),
      decay_(std::exp(-1 / options.temperature)) {
  MIRAB_ASSERT(size_ > 0 && options.temperature > 0, "a gradient has neighbours, and a temperature");
  view_.reserve(size_);
}

void Gradient::shuffle(const Descriptor& own, std::span<const Descriptor> peers, Random& random,
                       Effects& effects) {
  grow_older();
  if (slope_ == Slope::poorest) merge(self_, peers, own);
  if (view_.empty() && peers.empty()) return;
  const NodeId to = partner(peers, random);
  const Descriptor* known = find(to);
  effects.sends.push_back({to, GradientRequest{slope_, offer(own, known ? *known : own)}});
}

void Gradient::on_request(NodeId from, const GradientRequest& request, const Descriptor& own,
                          Effects& effects) {
  const auto asking = std::find_if(request.offered.begin(), request.offered.end(),
                                   [&](const Descriptor& entry) { return entry.node == from; });
  GradientAnswer answer{slope_, offer(own, asking == request.offered.end() ? own : *asking)};
  name_last_asker(from, answer.offered);
  effects.sends.push_back({from, std::move(answer)});
  if (asking != request.offered.end()) asked_ = *asking;
  merge(from, request.offered, own);
}

void Gradient::on_answer(NodeId from, const GradientAnswer& answer, const Descriptor& own) {
  merge(from, answer.offered, own);
}

void Gradient::learn(const Descriptor& news, const Descriptor& own) { merge(news.node, {&news, 1}, own); }

void Gradient::forget(NodeId node) {
  std::erase_if(view_, [&](const Descriptor& entry) { return entry.node == node; });
  if (asked_ && asked_->node == node) asked_.reset();
}

void Gradient::grow_older() {
  for (Descriptor& entry : view_) ++entry.age;
  std::erase_if(view_, [this](const Descriptor& entry) { return entry.age > oldest_; });
  if (asked_ && ++asked_->age > oldest_) asked_.reset();
}

NodeId Gradient::partner(std::span<const Descriptor> peers, Random& random) {
  ask_peers_ = slope_ != Slope::poorest && !ask_peers_;
  if (view_.empty() || (ask_peers_ && !peers.empty())) return peers[random.below(peers.size())].node;
  return view_[drawn_rank(view_.size(), decay_, random)].node;
}

// Oneself, and one's entries: all, or those that the receiver prefers. Not the receiver: it knows better.
std::vector<Descriptor> Gradient::offer(const Descriptor& own, const Descriptor& to) const {
  std::vector<Descriptor> offered;
  offered.reserve(view_.size() + 2);
  offered.push_back(own);
  for (const Descriptor& entry : view_) {
    if (entry.node != to.node) offered.push_back(entry);
  }
  if (offered.size() <= shuffle_ + 1) return offered;
  const auto end = offered.begin() + 1 + shuffle_;
  std::partial_sort(offered.begin() + 1, end, offered.end(),
                    [&](const Descriptor& a, const Descriptor& b) { return prefers(to, a, b); });
  offered.erase(end, offered.end());
  return offered;
}

// Names who asked last to who asks now, in the last place when there is no room.
void Gradient::name_last_asker(NodeId to, std::vector<Descriptor>& offered) const {
  if (!asked_ || asked_->node == to || find(asked_->node)) return;
  if (offered.size() > shuffle_) offered.pop_back();
  offered.push_back(*asked_);
}

const Descriptor* Gradient::find(NodeId node) const {
  const auto entry =
      std::find_if(view_.begin(), view_.end(), [&](const Descriptor& known) { return known.node == node; });
  return entry == view_.end() ? nullptr : &*entry;
}

// First what is known becomes true, then newcomers are held against it: so their order does not matter.
void Gradient::merge(NodeId teller, std::span<const Descriptor> news, const Descriptor& own) {
  for (const Descriptor& entry : news) renew(as_told(teller, entry));
  for (std::size_t place = 1; place < view_.size(); ++place) move_forward(view_, place, own);
  for (const Descriptor& entry : news) insert(as_told(teller, entry), own);
}

void Gradient::renew(const Descriptor& news) {
  for (Descriptor& entry : view_) {
    if (entry.node != news.node) continue;
    if (news.age <= entry.age) entry = news;
    return;
  }
}

void Gradient::insert(const Descriptor& news, const Descriptor& own) {
  if (news.node == self_ || news.age > oldest_) return;
  const bool full = view_.size() >= size_;
  if (full && !prefers(own, news, view_.back())) return;
  if (find(news.node)) return;
  if (full) view_.pop_back();
  view_.push_back(news);
  move_forward(view_, view_.size() - 1, own);
}

}  // namespace mirab::overlay
