#pragma once

#include <cstddef>
#include <gmpxx.h>

#include <mirab/scheduling/fill.hpp>

#include "scheduling/counted_problem.hpp"

namespace mirab::scheduling {

/// What orders the users: the one with the lowest key is served, and each placed task raises its user's key.
struct Key {
  mpq_class start;  ///< before the first task
  mpq_class step;   ///< ≥ 0, for one task
};

/// One row of the table: a discipline is its key. A new one is a file and a row.
struct Discipline {
  DisciplineInfo info;
  Key (*key)(const CountedProblem& cluster, std::size_t task);
};

Key fifo_key(const CountedProblem& cluster, std::size_t task);
Key round_robin_key(const CountedProblem& cluster, std::size_t task);
Key drf_key(const CountedProblem& cluster, std::size_t task);
Key asset_key(const CountedProblem& cluster, std::size_t task);

/// What happens when the task of the user with the lowest key fits nowhere.
enum class Blocking {
  skip,   ///< the user leaves the race
  freeze  ///< nothing more is placed
};

/// A discipline with its options read.
struct Whom {
  const Discipline* discipline;
  Blocking blocking;
};

/// Errors: a name that is not in the table, a bad option value.
Result<Whom> whom(const Choice& choice);

}  // namespace mirab::scheduling
