// Quotas in whole units, of a tree that is divided while the cluster grows and shrinks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mirab {

/// What a group or user is guaranteed, what of it is reserved, and its limit: [m], INT64_MAX for none.
struct UnitQuota {
  static constexpr std::size_t kTop = SIZE_MAX;

  std::size_t parent = kTop;  ///< its place among the quotas, before its own; kTop: the cluster
  std::optional<std::vector<std::int64_t>> guarantee = {}, limit = {}, reserved = {};
};

/// While guarantees together are more than there is, such as after the loss of a server, each is cut in the
/// same proportion, rounded down: those of the cluster to the pool, [m], and those of a group's members to
/// what the group has. What is reserved stays a part of the guarantee. False: nothing had to be cut. O(quotas
/// m).
bool cut_guarantees(std::span<UnitQuota> quotas, std::span<const std::int64_t> pool);

}  // namespace mirab
