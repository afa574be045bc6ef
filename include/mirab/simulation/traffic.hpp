#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/result.hpp>

namespace mirab::simulation {

/// A class of jobs that arrive at random. m resources.
struct TrafficClass {
  std::string name;
  std::vector<double> demand;       ///< a_k, what a task uses, [m], ≥ 0, one > 0
  std::vector<double> claims = {};  ///< what it declares, [m]; empty: what it uses
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
/// Source: Bonald and Roberts 2014, sections 3 and 4.
struct TrafficScenario {
  std::vector<std::string> resources;
  std::vector<double> capacity;  ///< C, [m], > 0; whole numbers for the model of tasks
  std::vector<TrafficClass> classes;
  Sizes sizes;  ///< mean 1: a job that is alone on a pool of its own scale takes 1 (fluid)
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
  double jobs;            ///< E[n_k]
  bool stable;            ///< is Σ_k ρ_k a_{k,j} < C_j for every j, with what is claimed?
};

struct TrafficOutcome {
  std::vector<TrafficPoint> points;  ///< by load, mechanism, class
  std::int64_t events = 0;           ///< arrivals and departures, all points together
  std::uint64_t seed = 0;
};

/// Called now and then with the part that is done, from any thread, one call at a time.
using Progress = std::function<void(double part)>;

/// Errors carry the key of the scenario file (`classes[1].demand`).
Check check(const TrafficScenario& scenario);

/// Runs every load and mechanism. The outcome does not depend on `threads`.
Result<TrafficOutcome> simulate_traffic(const TrafficScenario& scenario, std::uint64_t seed, int threads,
                                        const Progress& progress = {});

}  // namespace mirab::simulation
