#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/result.hpp>
#include <mirab/simulation/progress.hpp>

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

}  // namespace mirab::simulation
