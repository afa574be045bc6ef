// The three gossip protocols of a server: peer sampling (Cyclon), gradient topologies, push-sum.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {

/// Cyclon (Voulgaris, Gavidia, van Steen 2005): a view of a few servers that is as good as drawn at random.
///
/// The view holds every server once, never oneself, no news of more than `oldest` shuffles. It empties
/// when no server answers any more: then introduce servers again.
class PeerSampling {
 public:
  PeerSampling(NodeId self, const GossipOptions& options);

  /// Servers to begin with, or to begin with again: fills what is free. Nothing is known of them, so they
  /// count as news of middle age, which any real news replaces.
  void introduce(std::span<const NodeId> servers);
  /// Begins an exchange with the oldest entry, which is taken out: it comes back as what it says of itself,
  /// or not at all. `own` is what the node tells of itself.
  void shuffle(const Descriptor& own, Random& random, Effects& effects);
  void on_request(NodeId from, const PeerRequest& request, Random& random, Effects& effects);
  void on_answer(NodeId from, const PeerAnswer& answer);

  std::span<const Descriptor> view() const { return view_; }
  /// One of the view, drawn uniformly; of an empty one the server that was asked last and may answer yet.
  std::optional<NodeId> any(Random& random) const;

 private:
  void grow_older();
  Descriptor take_oldest();
  std::span<const Descriptor> draw(std::size_t count, Random& random);
  template <typename WasSent>
  void keep(std::span<const Descriptor> offered, WasSent was_sent);
  bool knows(NodeId node) const;

  NodeId self_;
  std::uint32_t size_, shuffle_, oldest_;
  std::optional<NodeId> partner_ = {};  ///< has not answered yet
  std::vector<NodeId> sent_;            ///< entries that the partner was offered
  std::vector<Descriptor> view_;
};

/// Does the server of `base` prefer a over b as a neighbour (eq. 3.9)? Those before it in the order of
/// utility, the nearest first; then those behind it, the nearest first. A strict total order for given base.
bool prefers(const Descriptor& base, const Descriptor& a, const Descriptor& b);

/// A gradient topology (Terelius et al. 2011, as in the thesis 2.4.2, 3.3, 4.4): a view of the `view` servers
/// that are preferred most of all that were heard of, each once, never oneself, no news of more than
/// `oldest` shuffles. `own` is always what the node tells of itself now.
///
/// When all news is true, the first P + 1 in the order of utility have exactly each other in their views.
class Gradient {
 public:
  Gradient(NodeId self, Slope slope, const GossipOptions& options);

  /// Takes in what the peer-sampling view tells (of the slope `poorest`, whose utilities these are), and
  /// begins an exchange with one of the view. On another slope, or while the view is empty, peers are only
  /// asked.
  void shuffle(const Descriptor& own, std::span<const Descriptor> peers, Random& random, Effects& effects);
  void on_request(NodeId from, const GradientRequest& request, const Descriptor& own, Effects& effects);
  void on_answer(NodeId from, const GradientAnswer& answer, const Descriptor& own);
  /// Something is known of a server besides shuffles (Climb). Keeps the younger news.
  void learn(const Descriptor& news, const Descriptor& own);
  /// A server that left is forgotten.
  void forget(NodeId node);

  /// Most preferred first, by `own` of the last call.
  std::span<const Descriptor> view() const { return view_; }

 private:
  void grow_older();
  NodeId partner(std::span<const Descriptor> peers, Random& random);
  std::vector<Descriptor> offer(const Descriptor& own, const Descriptor& to) const;
  void name_one_more(NodeId to, std::span<const Descriptor> heard, std::vector<Descriptor>& offered) const;
  const Descriptor* find(NodeId node) const;
  void merge(NodeId teller, std::span<const Descriptor> news, const Descriptor& own);
  void renew(const Descriptor& news);
  void insert(const Descriptor& news, const Descriptor& own);
  void drop_last();
  const Descriptor* younger(const Descriptor& news) const;

  NodeId self_;
  Slope slope_;
  bool ask_peers_ = false;  ///< on a slope that peers do not tell of: every other shuffle
  Introduce introduce_;
  std::uint32_t size_, shuffle_, oldest_, remember_;
  double decay_;                          ///< e^(-1/temperature): by so much less is each further rank drawn
  std::optional<Descriptor> asked_ = {};  ///< who asked last, to be introduced
  std::vector<Descriptor> fallen_;        ///< out of the view, the latest last
  std::vector<Descriptor> view_;
};

/// Push-sum (Kempe, Dobra, Gehrke 2003; Algorithm 2) of means, in epochs: after `rounds` rounds all restart
/// with what they have, so that mass that was lost or doubled, and servers that came or went, are
/// forgotten.
///
/// Every server begins with the weight 1: there is no initiator that could crash, and as a lost or doubled
/// share takes as much of s as of w, every estimate stays between the least and the greatest x_i. (A sum
/// needs a weight of 1 at one server alone; one lost share of its first rounds loses half of that weight, and
/// all are wrong by a factor of 2.) Means are enough for fairness: shares of the mean server are K times
/// those of the whole cluster, for all users alike, which changes no order and no Gini coefficient.
///
/// A server that comes while an epoch is under way carries on others' shares in it, without x_i of its own.
class PushSum {
 public:
  /// `own`: x_i, one for each mean. `rounds` of an epoch, ≥ 1: O(log K); 64 is plenty for 10,000 servers.
  PushSum(std::vector<double> own, std::uint32_t rounds);

  /// Sends half of what is here to `peer`; none: no server is known, and all of it stays.
  void round(std::optional<NodeId> peer, Effects& effects);
  /// A share that cannot be (of another number of means, no positive weight) is ignored.
  void on_share(const PushSumShare& share);

  /// s/w at the end of the last whole epoch; empty before. One for each mean.
  const std::vector<double>& estimate() const { return estimate_; }
  /// s/w of the present epoch; nothing while w is 0.
  std::optional<std::vector<double>> present() const;
  std::uint64_t epoch() const { return epoch_; }

 private:
  void end_epoch();
  void begin(std::uint64_t epoch);
  void arrive(std::uint64_t epoch);
  bool came_early() const { return 2 * done_ >= rounds_; }

  std::uint32_t rounds_;
  std::uint32_t done_ = 0;  ///< rounds of the present epoch
  std::uint64_t epoch_ = 0;
  bool guest_ = false;  ///< came while the present epoch was under way
  double weight_ = 1;
  std::vector<double> own_, sums_, estimate_;
};

}  // namespace mirab::overlay
