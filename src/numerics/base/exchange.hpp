#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace mirab::numerics {

/// Rows that hold parts of servers. An exchange moves a part from one row to another on a server where both
/// may be.
struct Holdings {
  std::vector<double> level;                              ///< of each row, [n]
  std::vector<std::vector<std::size_t>> holders;          ///< the rows that hold some of each server, [i]
  std::vector<bool> has_room;                             ///< of each server, [i]
  std::function<bool(std::size_t, std::size_t)> may_use;  ///< whether row n may be on server i
};

/// Where a chain of exchanges ends: on a server with room, or at a row that would lose.
struct Source {
  double level = 0;  ///< of the row that would lose; infinite for a server with room
  std::size_t server = 0;
  std::size_t row = 0;
};

/// The source of the highest level that a chain of exchanges leads to from row n: n may use i, k holds some
/// of i, k may use j, and so on. Rows in between keep their totals, whatever their levels. Totals are
/// lexicographically max-min when no chain leads from a row to a source above its own level: bounded flows
/// from rows to servers are a polymatroid, in which single exchanges lead to the optimum (Megiddo 1974). O(N
/// K + holders).
Source highest_source(const Holdings& holdings, std::size_t row);

}  // namespace mirab::numerics
