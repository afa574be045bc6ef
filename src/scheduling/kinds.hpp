#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "scheduling/accounts.hpp"

namespace mirab::scheduling {

/// The kinds of servers: those of one have equal capacities. A kind without servers leaves its number to the
/// next new one.
class Kinds {
 public:
  /// The kind of servers with this capacity, and one server more of it. O(kinds).
  std::uint32_t hold(std::uint32_t server, std::span<const std::int64_t> capacity);
  void release(std::uint32_t server, std::uint32_t kind);

  /// The kinds of these capacities, [kind][m], without servers as yet; null is a number that has been left.
  /// Requires that there are no kinds. False when a capacity stands there twice.
  bool set_capacities(const std::vector<std::optional<Amounts>>& capacities, std::size_t resources);

  const std::vector<Amounts>& capacities() const { return capacities_; }  ///< [kind][m]
  std::int64_t servers(std::uint32_t kind) const { return counts_[kind]; }

  /// The servers of a kind that a selection admits (see Eligibility). Valid until servers change. O(servers)
  /// when they have changed since it was last asked for.
  const ServerSet* servers_of(std::uint32_t kind, std::uint32_t selection, const Eligibility& eligibility);

 private:
  std::map<Amounts, std::uint32_t> numbers_;
  std::vector<Amounts> capacities_;
  std::vector<std::int64_t> counts_;
  std::vector<ServerSet> sets_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ServerSet> admitted_;  // by kind and selection
};

}  // namespace mirab::scheduling
