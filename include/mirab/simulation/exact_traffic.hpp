#pragma once

#include <cstddef>
#include <vector>

#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// What is exactly expected of random traffic at one load under one mechanism. K classes.
struct ExactPoint {
  double load = 0;
  std::size_t mechanism = 0;              ///< index into TrafficScenario::mechanisms
  bool stable = false;                    ///< as in TrafficPoint; if not, jobs are infinite and rates 0
  std::vector<double> jobs = {};          ///< E[n_k], [k]; of permanent jobs their number
  std::vector<double> service_rate = {};  ///< γ_k = λ_k / E[n_k], [k]; of permanent jobs the mean rate of one
  std::size_t states = 0;                 ///< of the truncated chain
  double residual = 0;                    ///< ‖π Q‖₁ over the flow between states
  double boundary = 0;  ///< the probability that one more job of some class would be turned away
  double change = 0;    ///< of the E[n_k] against the truncation before, relative, at the most
};

/// Solves the Markov chain of two classes of fluid jobs with exponential sizes, for every mechanism and load,
/// by mechanism and load. The chain is truncated where fewer than 1e-9 of the time would be spent, and so
/// that E[n_k] changes by less than 1e-6 when it is half as long again; at 4 million states, which loads
/// above some 0.97 need, it is left at that, and `boundary` and `change` say so. Below 0.1 s for a load up to
/// 0.8, a few seconds at 0.95. The outcome does not depend on `threads`.
///
/// Source: Bonald and Roberts 2014, section 3.1. Errors: as check(), other than two classes, other sizes than
/// exponential, the model of tasks.
Result<std::vector<ExactPoint>> exact_traffic(const TrafficScenario& scenario, int threads);

/// The same, and for any number of classes with arrivals only, under balanced fairness, which no mechanism of
/// Mirab's is: the one allocation that makes the chain reversible and uses all it can. A reference to lay
/// beside proportional fairness, whatever the law of the sizes; `mechanism` is 0. A load at which more than
/// 1e-6 of the time lies beyond `most_states` has `boundary` above that.
///
/// Source: Bonald and Proutière 2003; docs/mathematics.md, section 9. O(states K m) a load.
Result<std::vector<ExactPoint>> balanced_fairness(const TrafficScenario& scenario,
                                                  std::size_t most_states = 4'000'000);

}  // namespace mirab::simulation
