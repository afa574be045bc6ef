#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// Does the server of `base` prefer a over b as a neighbour (eq. 3.9)? Those before it in the order of
/// utility, the nearest first; then those behind it, the nearest first. A strict total order for given base.
bool prefers(const Descriptor& base, const Descriptor& a, const Descriptor& b);

/// A gradient topology (Terelius et al. 2011, as in the thesis 2.4.2, 3.3, 4.4): a view of the `view` servers
/// that are preferred most of all that were heard of, each once, never oneself, nobody's news of more than
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

}  // namespace mirab::overlay
