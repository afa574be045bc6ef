#pragma once

#include <cstddef>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// What PS-DSF asks of an allocation, and how far the allocation is from it. N users, K server entries, m
/// resources; γ_{n,i}: the tasks that user n could run on the whole of entry i alone.
struct LevelForm {
  /// L_{i,r}, [i][r]: the highest X_n / (φ_n γ_{n,i}) among the users who run on i and demand r there;
  /// infinite where r is not full on i.
  std::vector<std::vector<double>> levels;
  /// The largest relative violation: 1 - X_n / (φ_n γ_{n,i} M_{n,i}) with M_{n,i} = min_{r: d_{n,r} > 0}
  /// L_{i,r} for a user below its cap on a server where it may run (1 when M is infinite: nothing stops the
  /// user), use over capacity less 1, tasks over cap less 1; infinite for tasks where the user may not run,
  /// and for tasks that are negative or no finite number.
  double violation = 0;
  std::size_t user = 0;    ///< of the largest violation; 0 when it is one of capacity
  std::size_t server = 0;  ///< of the largest violation; 0 when it is one of a cap
};

/// Holds an allocation against the level form of PS-DSF: there are levels L_{i,r}, infinite unless r is full
/// on i, with X_n / (φ_n γ_{n,i}) ≥ M_{n,i} for every user below its cap and every server where it may run,
/// and ≤ where it has tasks. Where users run, levels are at least theirs; the least such levels ask least of
/// the others, so these decide. Knows nothing of how the allocation was found, and looks at its grants' tasks
/// alone. The allocation is one to the problem's server entries. A part below 1e-9 counts as nothing: of a
/// capacity left free, of a user's tasks on one server, of a cap. Source: Khamse-Ashari et al., PS-DSF, 2017;
/// docs/reference/mechanisms/ps-dsf.md. O(N K m).
LevelForm level_form(const Problem& problem, const Allocation& allocation);

}  // namespace mirab
