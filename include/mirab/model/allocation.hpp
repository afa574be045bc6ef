#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mirab {

/// Is the outcome exact, converged to its certificate, or neither? `not_converged` is a result too, and says
/// so.
enum class Status { exact, converged, not_converged };

/// A number that bounds how far an outcome is from what its mechanism defines.
struct Certificate {
  std::string kind;  ///< what the value measures, e.g. `duality-gap`
  double value = 0;  ///< 0 when exact
};

/// What one user has on one server entry (all servers of the entry together).
struct Grant {
  std::size_t user;
  std::size_t server;             ///< an index into Allocation::servers
  double tasks;                   ///< that can run with it
  std::vector<double> resources;  ///< the granted bundle, [m]
};

/// A server entry as the mechanism saw it, or the single `pool` of a pool mechanism.
struct ServerUse {
  std::string name;
  std::int64_t count = 1;
  std::vector<double> capacity;  ///< of all `count` together, [m]
  std::vector<double> used;      ///< [m]
  std::vector<double> prices;    ///< λ_r per unit, [m]; empty where the mechanism has none
};

/// Who gets what. N users, m resources.
struct Allocation {
  std::vector<double> tasks;  ///< X_n, [n]
  std::vector<Grant> grants;  ///< ordered by user, then server; only those with something in them
  std::vector<ServerUse> servers;
};

/// An allocation with how it came about.
struct Outcome {
  std::string mechanism;  ///< as it was asked for, with its options: `alpha-fair:alpha=2`
  Status status = Status::exact;
  Certificate certificate;
  double seconds = 0;  ///< spent in the solver
  Allocation allocation;
  std::vector<std::string> notices;  ///< what the reader of the result should know
};

}  // namespace mirab
