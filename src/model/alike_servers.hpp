#pragma once

#include <gmpxx.h>
#include <span>
#include <vector>

#include <mirab/model/problem.hpp>

#include "model/exact.hpp"

namespace mirab {

/// By how much the capacities of servers may differ that count as alike: a part of the smaller one. Machines
/// of one type differ by some KiB of memory.
inline const mpq_class kAlike{1, 100};

/// A server that may count together with others.
struct AlikeServer {
  ResourceVector capacity;
  ExactVector used = {};  ///< of what runs there, which must fit into what is counted; empty: nothing
  std::size_t kind = 0;   ///< only servers of one kind are alike: the same users may run on them
};

/// Servers that count together.
struct AlikeClass {
  std::vector<std::size_t> servers;  ///< ascending
  ResourceVector capacity;           ///< of each of them: the least amount of each resource
  double most_left_out = 0;          ///< the largest part of a resource of one of them that is not counted
};

/// Divides servers into classes: of one kind, and of each resource with capacities of which none is more than
/// 1 + tolerance times the least. A server stays out of a class whose least amounts would be below what one
/// of its servers uses. So with a tolerance of 0 exactly the equal ones are together. Classes stand in the
/// order of their first servers. The same for every order of the servers, but for equal ones.
///
/// What it costs: each server counts with no more than it has, and with at least 1 − most_left_out of that.
/// O(n (log n + m)).
std::vector<AlikeClass> alike_servers(std::span<const AlikeServer> servers, const mpq_class& tolerance);

}  // namespace mirab
