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
// answer, which has no other entry, shows that it is there.
//
// Cost: O(ℓ · view) a message; the only allocation is the message's own.
// Known failures: a server that is cut off for as many periods as its view has entries is alone afterwards.
#include "overlay/gossip.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <mirab/model/assert.hpp>

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
// Ages. 0 is what a server says of itself; each node that holds an entry adds 1 each period, and a node that
// receives it from another adds 1. So the name of a server that crashed is gone from all views `oldest`
// periods after its last word, whatever the order in which servers shuffle. (Were only periods counted, an
// entry that is always handed from one who has yet to shuffle to one who has would not age.) Of equally old
// news what arrives later is kept: it has aged less since it was counted.
//
// Here besides (Introduce::last_asker): who is asked names, in the place of its least preferred entry, the
// one that asked before. Views look forward, so a server whose name all those right behind it have dropped
// would have to be drawn by chance at one of them, once in about K/50 periods; the server that they all ask
// brings them together. The views of 99 % of 10,000 servers are ideal after about 100 periods, not 750; the
// message is no longer than in (4.5).
//
// A server that falls far, as the centre does when it served, leaves every view that hears of it, and what it
// was before comes back from one that has not: it stays at the head of all views until it is too old (P = 10,
// 100 servers: the next centre is complete after 45 periods on average, at `oldest` = 50). `remember` keeps
// what is known of the last few that fell, refuses older news of them, and corrects every node that asks with
// such (8 remembered: after 8 periods).
//
// Cost: O(P²) comparisons a message (P = 10: about 0.3 µs); the only allocation is the message's own.
// Known failures: a server that shuffles seldom ages its entries seldom, and keeps the dead longer.

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

// What is not of the server's own mouth has gone through one more hand.
Descriptor as_told(NodeId teller, Descriptor entry) {
  if (entry.node != teller && entry.age < std::numeric_limits<std::uint32_t>::max()) ++entry.age;
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
      introduce_(options.introduce),
      size_(static_cast<std::uint32_t>(options.view)),
      shuffle_(static_cast<std::uint32_t>(options.shuffle == 0 ? options.view : options.shuffle)),
      oldest_(options.oldest),
      remember_(static_cast<std::uint32_t>(options.remember)),
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
  name_one_more(from, request.offered, answer.offered);
  effects.sends.push_back({from, std::move(answer)});
  if (asking != request.offered.end() && introduce_ == Introduce::last_asker) asked_ = *asking;
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
  for (std::vector<Descriptor>* entries : {&view_, &fallen_}) {
    for (Descriptor& entry : *entries) ++entry.age;
    std::erase_if(*entries, [this](const Descriptor& entry) { return entry.age > oldest_; });
  }
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

// Besides the view: what the asker does not know yet of one that fell, else who asked last. In the last place
// when there is no room.
void Gradient::name_one_more(NodeId to, std::span<const Descriptor> heard,
                             std::vector<Descriptor>& offered) const {
  const Descriptor* more = nullptr;
  for (const Descriptor& entry : heard) more = more ? more : younger(entry);
  if (!more && asked_ && asked_->node != to && !find(asked_->node)) more = &*asked_;
  if (!more) return;
  if (offered.size() > shuffle_) offered.pop_back();
  offered.push_back(*more);
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
  if (find(news.node) || younger(news)) return;
  if (full) drop_last();
  view_.push_back(news);
  move_forward(view_, view_.size() - 1, own);
}

void Gradient::drop_last() {
  const Descriptor last = view_.back();
  view_.pop_back();
  if (remember_ == 0) return;
  std::erase_if(fallen_, [&](const Descriptor& entry) { return entry.node == last.node; });
  if (fallen_.size() == remember_) fallen_.erase(fallen_.begin());
  fallen_.push_back(last);
}

// What is remembered of the server, when that is younger.
const Descriptor* Gradient::younger(const Descriptor& news) const {
  for (const Descriptor& entry : fallen_) {
    if (entry.node == news.node) return entry.age < news.age ? &entry : nullptr;
  }
  return nullptr;
}

// Push-sum: Kempe, Dobra and Gehrke, "Gossip-based computation of aggregate information", 2003, section 2;
// Östman, Algorithm 2. Epochs and who takes part in them: Jelasity, Montresor and Babaoglu, "Gossip-based
// aggregation in large dynamic networks", 2005, section 4.
//
//   (s_i, w_i) begins as (x_i, 1); every round it is halved, one half stays, the other goes to a random peer,
//   and what comes is added. s_i / w_i tends to (Σ x_i) / K: the error is ε after O(log K + log 1/ε) rounds.
//
// Epochs are numbered. The first server through its rounds begins the next one; its shares pull the others
// along within O(log K) rounds, so no server needs a clock.
//
// Cost: O(means) a round and a share.
// Known failures: an epoch shorter than O(log K) rounds ends before the estimates agree; a share that is lost
// or doubled shifts the estimate of this epoch by O(1/K) of the differences of the x_i.

namespace {

// No share is larger, so that no number of them that can come in an epoch adds up to infinity.
constexpr double kMaxMass = 0x1p+512;

}  // namespace

PushSum::PushSum(std::vector<double> own, std::uint32_t rounds)
    : rounds_(rounds), own_(std::move(own)), sums_(own_) {
  MIRAB_ASSERT(rounds > 0, "an epoch has rounds");
}

void PushSum::round(std::optional<NodeId> peer, Effects& effects) {
  if (done_ >= rounds_) {
    end_epoch();
    begin(epoch_ + 1);
  }
  ++done_;
  if (!peer) return;
  weight_ /= 2;
  for (double& sum : sums_) sum /= 2;
  effects.sends.push_back({*peer, PushSumShare{.epoch = epoch_, .weight = weight_, .sums = sums_}});
}

void PushSum::on_share(const PushSumShare& share) {
  const bool possible = share.sums.size() == own_.size() && share.weight > 0 && share.weight <= kMaxMass &&
                        std::ranges::all_of(share.sums, [](double s) { return std::abs(s) <= kMaxMass; });
  if (!possible || share.epoch < epoch_) return;
  if (share.epoch > epoch_) arrive(share.epoch);
  weight_ += share.weight;
  for (std::size_t r = 0; r < sums_.size(); ++r) sums_[r] += share.sums[r];
}

std::optional<std::vector<double>> PushSum::present() const {
  if (!(weight_ > 0)) return std::nullopt;
  std::vector<double> means = sums_;
  for (double& mean : means) mean /= weight_;
  return means;
}

void PushSum::end_epoch() {
  if (std::optional<std::vector<double>> means = present()) estimate_ = *std::move(means);
}

void PushSum::begin(std::uint64_t epoch) {
  epoch_ = epoch;
  done_ = 0;
  guest_ = false;
  weight_ = 1;
  sums_ = own_;
}

// Others are in a later epoch. When it follows on the present one, it has only begun; else it may be nearly
// over, and x_i would come too late to mix.
void PushSum::arrive(std::uint64_t epoch) {
  const bool follows = epoch == epoch_ + 1 && (guest_ || came_early());
  if (came_early()) end_epoch();
  begin(epoch);
  if (follows) return;
  guest_ = true;
  weight_ = 0;
  for (double& sum : sums_) sum = 0;
}

}  // namespace mirab::overlay
