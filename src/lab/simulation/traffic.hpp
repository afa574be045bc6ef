#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/result.hpp>

#include "lab/simulation/base/replications.hpp"

namespace mirab::simulation {

/// A class of jobs that arrive at random. m resources.
struct TrafficClass {
  std::string name;
  std::vector<double> demand;       ///< a_k, what a task uses, [m], ≥ 0, one > 0
  std::vector<double> claims = {};  ///< what it declares, [m], no less; empty: what it uses
  double arrivals = 0;              ///< part of all arrivals; 0 for a class of permanent jobs only
  std::int64_t permanent = 0;       ///< jobs that are always there and never leave
};

/// How the sizes of jobs (fluid) or the times of tasks (tasks) are distributed about their mean.
struct Sizes {
  enum class Law { exponential, erlang, deterministic, hyperexponential };
  Law law = Law::exponential;
  int stages = 1;  ///< of Erlang
  double cv2 = 1;  ///< squared coefficient of variation, of the hyperexponential (two phases, balanced means)
};

enum class TrafficModel {
  fluid,  ///< jobs are divisible: a job of class k runs at rate φ_k(n), the mechanism's share
  tasks,  ///< jobs are whole tasks, placed by the engine
};

/// Random traffic on one pool: Poisson arrivals, jobs that leave when they are served.
///
/// A job that is alone takes one unit of time in the mean (fluid): μ_k = 1, and its work is of ρ_k / λ_k =
/// min_r C_r / a_k,r tasks for one unit of time. So a load is Σ_k λ_k (a_k,r / C_r) / max_s (a_k,s / C_s).
/// Shares are computed from what is claimed; a task then takes what it demands.
/// Source: Bonald and Roberts, Enhanced Cluster Computing Performance through Proportional Fairness, 2014,
/// sections 3 and 4.
struct TrafficScenario {
  std::vector<std::string> resources;
  std::vector<double> capacity;  ///< C, [m], > 0; whole numbers for the model of tasks
  std::vector<TrafficClass> classes;
  Sizes sizes;
  TrafficModel model = TrafficModel::fluid;
  std::int64_t tasks_per_job = 500;  ///< model of tasks
  bool freeze = true;                ///< model of tasks: blocking=freeze, else skip
  std::vector<Choice> mechanisms;    ///< of the pool (fluid), or disciplines (tasks)
  std::size_t load_resource = 0;     ///< whose load `loads` are
  std::vector<double> loads;         ///< Σ_k ρ_k a_k,r / C_r; > 0
  std::int64_t jobs = 200'000;       ///< measured for each load and mechanism, after warm-up
};

/// What was measured, of one class under one mechanism at one load.
struct TrafficPoint {
  double load;
  std::size_t mechanism;  ///< index into TrafficScenario::mechanisms
  std::size_t job_class;  ///< index into TrafficScenario::classes
  double service_rate;    ///< γ_k = λ_k / E[n_k]; of permanent jobs the mean rate of one
  double low, high;       ///< the 95 % interval of γ_k
  double jobs;            ///< E[n_k], permanent jobs included
  bool stable;            ///< is Σ_k ρ_k a_k,r < C_r for every r, with what is claimed? Of divisible jobs
  bool settled;  ///< do the batches bear the interval out? Not with too few jobs for the load, or while the
                 ///< number present grows; true where nothing is simulated
};

struct TrafficOutcome {
  std::vector<TrafficPoint> points;  ///< by load, mechanism, class
  std::int64_t events = 0;           ///< arrivals and departures, all points together
  std::uint64_t seed = 0;
  std::vector<std::int64_t> not_converged;  ///< divisions whose shares are not the rule's, by mechanism
};

/// Errors carry the key of the scenario file (`classes[1].demand`).
Check check(const TrafficScenario& scenario);

/// Runs every load and mechanism. The outcome does not depend on `threads`.
Result<TrafficOutcome> simulate_traffic(const TrafficScenario& scenario, std::uint64_t seed, int threads,
                                        const Progress& progress = {});

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
/// exponential, the model of tasks, or a division or distribution that has not converged.
Result<std::vector<ExactPoint>> exact_traffic(const TrafficScenario& scenario, int threads);

/// The same, and for any number of classes with arrivals only, under balanced fairness, which no mechanism of
/// Mirab's is: the one allocation that makes the chain reversible and uses all it can. A reference to lay
/// next to proportional fairness, whatever the law of the sizes; `mechanism` is 0. A load at which more than
/// 1e-6 of the time lies beyond `most_states` has `boundary` above that.
///
/// Source: Bonald and Proutière 2003; docs/explanation/mathematics.md, section 11. O(states K m) a load.
Result<std::vector<ExactPoint>> balanced_fairness(const TrafficScenario& scenario,
                                                  std::size_t most_states = 4'000'000);

}  // namespace mirab::simulation
