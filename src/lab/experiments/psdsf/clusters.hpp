#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/workload.hpp>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {

/// The moments of the day, half an hour apart, at which the use of the Bitbrains machines is known.
inline constexpr std::size_t kBitbrainsInstants = 48;

/// cpu in GHz, memory in GB, storage (read and write) in MB/s, network out and in in Mb/s.
std::vector<std::string> bitbrains_resources();

/// The data centre of paper 001 at three places, `times` as large.
std::vector<Server> bitbrains_servers(std::int64_t times);

/// The machines that are active at an instant, below kBitbrainsInstants, each a user whose task takes what
/// the machine then uses.
std::vector<User> bitbrains_users(std::size_t instant);

/// The jobs of the trace that run in one of its 18 whole intervals of five minutes.
inline constexpr std::size_t kGoogleJobs = 4685;

/// 120 servers of the four commonest capacities of the Google machines, in their proportions; CPU and memory.
Problem google_servers();

/// `count` of these jobs drawn at random, each a user with a divisible job for every interval in which it
/// runs: a task of d_n / max_r d_{n,r} that takes 300 · max_r d_{n,r} seconds, where d_n is what its tasks
/// request, mean over the interval. Each class of servers is eligible for it with this probability > 0, drawn
/// again until one is.
Workload google_jobs(std::size_t count, double class_is_eligible, Random& random);

/// What paper 001 compares: αPF-VDS with α = 1, 3, ∞ (PS-DSF), DRFH and TSF.
inline constexpr std::array<std::string_view, 5> kContenders = {
    "alpha-pf-vds:alpha=1", "alpha-pf-vds:alpha=3", "ps-dsf", "drfh", "tsf"};
inline constexpr std::size_t kAlpha1 = 0, kAlpha3 = 1, kPsDsf = 2, kDrfh = 3, kTsf = 4;

/// The part of something that is used under each of them: [contender][run], the same runs for all.
using Use = std::array<std::vector<double>, kContenders.size()>;

/// How much more the one uses than the other, run by run.
std::vector<double> gains(const Use& use, std::size_t one, std::size_t other);

/// The paper's two sentences on one resource: use falls as α grows; PS-DSF uses no less than DRFH and TSF.
void check_use(std::string_view resource, const Use& use, Reproduction& result);

/// `0.687 ± 0.007`: the mean with its 95 % interval. At least two values.
std::string mean_text(const std::vector<double>& values);

/// A row for each contender; columns of what is used.
Table use_table(std::string title, const std::vector<std::string>& columns, const std::vector<Use>& use);

/// What the figures' demands and capacities are: they stand in pictures that our text lacks.
inline constexpr std::string_view kChosenDemands =
    "stand-in: demands and capacities stand in a picture that our text lacks, and were chosen so that they "
    "give the numbers of the text";

/// What a text prints of one mechanism: the tasks of users 1 to 4.
struct PrintedTasks {
  const char* mechanism;
  std::array<double, 4> tasks;
  double tolerance;
};

/// The cluster of figures 1 and 2 of "Appropriate Parameterized Utility Technique" (paper 001): two servers
/// and four users; the figures differ in what a task of user 4 takes.
Problem psdsf_figure(const std::vector<double>& demand_of_user_4);

/// Holds the mechanisms' tasks against the printed ones, adds a table of them all and of what each uses, and
/// that PS-DSF uses no less of any resource than the others.
void check_psdsf_figure(const Problem& problem, std::span<const PrintedTasks> printed,
                        const RunOptions& options, Reproduction& result);

/// γ_{n,i}: the tasks that user n runs when it has server i alone; 0 where it may not run. Equation 8.
double tasks_alone(const Problem& problem, std::size_t user, std::size_t server);

}  // namespace mirab::experiments
