#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "lab/simulation/traffic.hpp"

namespace mirab::simulation {

// Demands that change from one iteration to the next, and an allocation for each: the time series of Hamzeh's
// thesis, Fairness for Resource Allocation in Cloud Computing, chapter 7. In a scenario file:
//
//   kind: demands
//   servers:                          as in a cluster file: cpu (Mips), ram, and disk where there is one
//     - {name: pool, capacity: {cpu: 2000, ram: 4098}}
//   users:                            groups; each pair of numbers is a range, drawn from once for a user
//     - count: 5
//       cpu_median: [80, 400]         μ of (7.5)
//       cpu_deviation: 30             s of (7.4)
//       radius: [900, 3000]           r of (7.1), iterations
//       start: [0, 1000]              s of (7.1) at iteration 0
//       stretch: [1, 2.5]             vertical stretch
//       disk_median: [100, 450]       disk has a Gaussian of its own; left out: Mips / 2
//       disk_deviation: 40
//       scale: 1                      every demand is multiplied by it
//       least: 10                     no demand is below it (before it is scaled)
//   mechanisms: [mlf-drs, drf, max-min]
//   disciplines: [drf]                whole tasks, one after the other, first-fit (mirab fill)
//   iterations: 1000
//   repeats: 1                        other draws of all; the series are means over them
//   shown: 5                          users whose own series are kept, the first ones

/// A uniform range; both ends may be the same. low ≤ high.
struct Range {
  double low = 0;
  double high = 0;
};

/// Users whose demands are generated alike. Source: the thesis, (7.1) to (7.7) and listing 7.1.
struct DemandGroup {
  std::int64_t count = 1;
  Range cpu_median;                       ///< μ of (7.5), Mips
  double cpu_deviation = 0;               ///< s of (7.4), before it is stretched
  Range radius = {1000, 1000};            ///< r of (7.1), > 0
  Range start;                            ///< s of (7.1) at iteration 0, ≥ 0
  Range stretch;                          ///< ≥ 0
  std::optional<Range> disk_median = {};  ///< as of the CPU; none: disk = Mips / 2, as printed
  double disk_deviation = 0;
  double scale = 1;   ///< ≥ 10⁻⁶
  double least = 10;  ///< ≥ 0.01
};

struct DemandSeriesScenario {
  std::vector<std::string> resources = {"cpu", "ram"};  ///< these two, or with `disk` as third
  std::vector<Server> servers;
  std::vector<DemandGroup> users;
  std::vector<Choice> mechanisms;  ///< round robin is `max-min`: as many tasks for each, in equal turns
  std::vector<Choice> disciplines =
      {};  ///< whole tasks until nothing fits, first-fit; `fill:drf` in outcomes
  std::int64_t iterations = 1000;
  std::int64_t repeats = 1;
  std::size_t shown = 5;
};

/// A number for every iteration.
using Course = std::vector<double>;

/// One mechanism over time; each number is the mean over the repeats. m resources, T iterations.
struct MechanismCourse {
  std::string mechanism;
  std::vector<Course> granted;  ///< Σ of bundles over capacity, as the thesis counts utilisation; [r][t]
  std::vector<Course> run;      ///< what the tasks take that run with the bundles, over capacity; [r][t]
  Course tasks;                 ///< Σ_n min_r bundle / demand (Leontief): tasks that really run; [t]
  Course counted_tasks;         ///< Σ_n bundle / demand of the dominant resource, as lemma 4.14 counts; [t]
  std::vector<Course> jain_dominant;      ///< (4.26) of what the users dominated by r hold of r; [r][t]
  std::vector<Course> jain_non_dominant;  ///< (4.27), of the others
  std::vector<Course> dominant_part;      ///< of C_r, held where r dominates; [r][t]
  std::vector<Course> non_dominant_part;  ///< of C_r, held where r does not dominate
  Course beta_dominant;                   ///< max - min of dominant_part over the r that dominate a user; [t]
  Course beta_non_dominant;  ///< the same of non_dominant_part, over the r that do not dominate all users
  Course sharing_incentive;  ///< the part of users that hold C_r / N or more of what dominates them; [t]
  std::vector<std::vector<Course>> bundles;  ///< of the shown users in the first repeat; [n][r][t]
  std::vector<Course> user_tasks;            ///< idem, tasks that really run; [n][t]
  std::int64_t not_converged = 0;            ///< divisions that ended without their certificate
};

struct DemandSeriesOutcome {
  std::vector<MechanismCourse> mechanisms;   ///< then disciplines
  std::vector<Course> dominated;             ///< users whom r dominates in the pool, mean; [r][t]
  std::vector<std::vector<Course>> demands;  ///< of the shown users in the first repeat; [n][r][t]
  std::uint64_t seed = 0;
};

/// Errors carry the key of the scenario file (`users[1].radius`).
Check check(const DemandSeriesScenario& scenario);

/// One allocation by every mechanism in every iteration. The outcome does not depend on `threads`. Dominance
/// is that on the server of a bundle, or in the pool for Jain's index. Errors: of check(), or input that a
/// mechanism cannot honour. Cost: iterations · repeats · that of the mechanisms.
Result<DemandSeriesOutcome> simulate_demands(const DemandSeriesScenario& scenario, std::uint64_t seed,
                                             int threads, const Progress& progress = {});

}  // namespace mirab::simulation
