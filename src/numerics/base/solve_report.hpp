#pragma once

#include <cstdint>
#include <limits>

namespace mirab::numerics {

/// How exact a result is meant to be, and how exact it has to be, in the error measure of its solver.
/// A solver works towards `target` and may stop at `accepted` when further progress is slow.
struct Accuracy {
  double target;
  double accepted;  ///< ≥ target
};

/// Why a solver stopped.
enum class [[nodiscard]] Stop : std::uint8_t{
    target,    ///< the error is at most the target
    accepted,  ///< the error is at most what is accepted, and fell too slowly
    stalled,   ///< no further progress was possible
    limit      ///< the limit on iterations or work was reached
};

/// How a solver ended: the first member of every solver's result.
struct [[nodiscard]] SolveReport {
  double error = std::numeric_limits<double>::infinity();  ///< of the result, in the solver's measure
  Stop stop = Stop::stalled;
  int iterations = 0;

  bool converged() const { return stop == Stop::target || stop == Stop::accepted; }
};

/// The report of a result with this error; `otherwise` is why the solver stopped if the error is not
/// accepted.
inline SolveReport report_of(double error, const Accuracy& accuracy, Stop otherwise, int iterations) {
  const Stop stop = error <= accuracy.target     ? Stop::target
                    : error <= accuracy.accepted ? Stop::accepted
                                                 : otherwise;
  return {.error = error, .stop = stop, .iterations = iterations};
}

}  // namespace mirab::numerics
