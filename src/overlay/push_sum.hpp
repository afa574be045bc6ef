#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mirab/overlay/effects.hpp>

namespace mirab::overlay {

/// Push-sum (Kempe, Dobra, Gehrke 2003; Algorithm 2) of means, in epochs: after `rounds` rounds all begin
/// anew with what they have, so that mass that was lost or doubled, and servers that came or went, are
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

  /// Sends half of what is here to `peer`; none: nobody is known, and all of it stays.
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
