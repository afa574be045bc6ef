#pragma once

#include <optional>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>

namespace mirab::overlay {

/// Push-sum (Kempe, Dobra, Gehrke 2003; Algorithm 2) in epochs: after `rounds` rounds all begin anew with
/// what they have now, so that mass that was lost or doubled, and servers that came or went, are forgotten.
class PushSum {
 public:
  /// `own`: x_i, one for each sum; `initiator`: does this node begin with the weight 1 (one node does)?
  PushSum(std::vector<double> own, bool initiator, std::uint32_t rounds);

  /// Sends half of what is here to `peer`.
  void round(NodeId peer, Effects& effects);
  void on_share(const PushSumShare& share);

  /// s/w of the last whole epoch; empty before. One for each sum.
  const std::vector<double>& estimate() const;
  /// s/w of the present epoch; nothing while w is 0.
  std::optional<std::vector<double>> present() const;
  std::uint64_t epoch() const;
};

}  // namespace mirab::overlay
