#pragma once

#include <gmpxx.h>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>

namespace mirab::testing {

/// What hierarchical DRF gives, [n] tasks, by its definition, step by step: every set is found again from the
/// amounts, every moment at which two lines cross ends a step. In rational numbers, nothing merged.
/// `pool`: all servers are one, nothing is rounded. `servers`: how far servers let a step go, and who can
/// have more, Clp says, to 1e-9 of a capacity.
enum class TreeOver { pool, servers };
std::vector<mpq_class> exact_tree(const Problem& problem, TreeOver over);

/// How a random tree looks.
struct TreeStyle {
  std::size_t leaves_max = 12;
  std::size_t servers_max = 1;
  std::size_t resources_max = 3;
  bool quotas = true;  // guarantees, limits, reserves
  bool capped_users = true;
  bool without_weight = true;
  bool placement = false;  // some users may run on some servers only
};

/// A tree of up to 4 levels in small whole numbers, so that much is level and meets at once.
Problem random_tree(Random& random, const TreeStyle& style);

}  // namespace mirab::testing
