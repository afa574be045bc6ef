#pragma once

#include <optional>
#include <vector>

#include <mirab/audit/explanation.hpp>
#include <mirab/audit/teams.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

#include "audit/what_if.hpp"

namespace mirab {

/// The paths to the users of a tree under one outcome, and at which node on its path each is held back.
/// Without groups and quotas, and under a mechanism that ignores them, users have no path.
class Paths {
 public:
  /// All three must outlive it. O((N + G) m + grants m + N K m).
  Paths(const Problem& problem, const Mechanism& mechanism, const Outcome& outcome, const Bindings& bindings);

  const Stop& stop(std::size_t user) const { return stops_[user]; }

  /// From the top group to the user. O(members of the path, and the users below them).
  std::vector<PathNode> of(std::size_t user) const;

  /// None of a user who has all its tasks, or has no path. O(as Bindings::held_below).
  std::optional<Holder> holder(std::size_t user) const;

 private:
  std::optional<Holder> at_capacity(std::size_t user) const;
  std::optional<Holder> at_reserve(std::size_t user) const;
  bool can_grow(std::size_t node, const std::vector<std::size_t>& resources) const;
  std::optional<std::size_t> lowest_sibling(std::size_t node,
                                            const std::vector<std::size_t>& resources) const;
  bool comes_last(std::size_t node, const std::vector<std::size_t>& resources) const;
  bool grows_within(std::size_t guaranteed, std::size_t node,
                    const std::vector<std::size_t>& resources) const;
  bool comes_before(std::size_t node, std::size_t other, const std::vector<std::size_t>& resources) const;

  const Problem& problem_;
  const Outcome& outcome_;
  const Bindings& bindings_;
  std::vector<Stop> stops_;
  std::vector<GroupFigures> figures_;  // [node]; empty: no paths
};

/// The nodes nearest to the root that are not around the user and of whose reserve a part is not used that
/// a task of the user could take. O((N + G) m).
std::vector<std::size_t> unused_reserves(const Problem& problem, const Allocation& allocation,
                                         std::size_t user);

}  // namespace mirab
