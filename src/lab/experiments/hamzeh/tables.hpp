#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {

/// An amount that the thesis prints wrongly, the right one, and why it is wrong.
struct Misprint {
  std::size_t user;
  std::size_t resource;
  double right;
  std::string_view why;
};

/// What the thesis prints of one mechanism: bundles, [n][r].
struct PrintedBundles {
  std::string_view mechanism;
  std::vector<std::vector<double>> bundles;
  std::vector<Misprint> slips = {};
};

/// What each user holds of all servers; [n][r].
std::vector<std::vector<double>> bundles_of(const Problem& problem, std::string_view mechanism);

/// What each user holds after a filling by task-by-task DRF; [n][r].
std::vector<std::vector<double>> bundles_of_filling(const Problem& problem);

/// A finding for every printed amount; a slip is corrected: ours is held against the right amount.
void check_bundles(const Problem& problem, const PrintedBundles& printed,
                   const std::vector<std::vector<double>>& ours, double tolerance, Reproduction& result);

/// A table of what the mechanisms grant and what runs with it: tasks are whole bundles of demand, so that
/// what a bundle holds beyond its scarcest resource runs nothing.
Table what_runs(const Problem& problem, std::span<const std::string_view> mechanisms);

/// Σ_n min_r bundle_{n,r} / d_{n,r}.
double running_tasks(const Problem& problem, std::string_view mechanism);

}  // namespace mirab::experiments
