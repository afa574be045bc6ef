#pragma once

#include <cstddef>
#include <gmpxx.h>

#include <mirab/scheduling/fill.hpp>

#include "scheduling/counted_problem.hpp"

namespace mirab::plain {

using scheduling::CountedProblem;

/// What orders the users: the one with the lowest key is served, and each placed task raises its user's key.
struct Key {
  mpq_class start;  ///< before the first task
  mpq_class step;   ///< ≥ 0, for one task
};

/// The number of the line in which a user waits.
using LineRule = std::size_t (*)(const CountedProblem& cluster, std::size_t user);

/// One row of the table: a discipline is its key, and the lines in which users wait, if they do. A new one is
/// a file and a row.
struct Discipline {
  DisciplineInfo info;
  Key (*key)(const CountedProblem& cluster, std::size_t task);
  LineRule line = nullptr;
  bool places = false;  ///< chooses the servers too, whatever the placement (mrfs)
};

Key fifo_key(const CountedProblem& cluster, std::size_t task);
Key round_robin_key(const CountedProblem& cluster, std::size_t task);
Key drf_key(const CountedProblem& cluster, std::size_t task);
Key asset_key(const CountedProblem& cluster, std::size_t task);
Key mlf_drs_key(const CountedProblem& cluster, std::size_t task);

/// A line for each resource: the one of which a task takes the largest part of the cluster, the first of
/// equals.
std::size_t dominant_line(const CountedProblem& cluster, std::size_t user);

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

}  // namespace mirab::plain
