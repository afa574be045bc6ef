#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>

#include "lab/experiments/ostman/runs.hpp"

namespace mirab::experiments {

/// A way of allocating that is compared with others.
struct Configuration {
  std::string name;
  simulation::OverlayRules rules;
};

Configuration way(std::string name, overlay::Scheduler scheduler, std::size_t neighbours);

/// The same with another value of one option.
template <class Value>
Configuration with(Configuration way, Value overlay::OverlayOptions::*option, Value value) {
  way.rules.options.*option = value;
  return way;
}

/// DGDRF and PDGDRF with this many neighbours, and level with 10, under their names.
std::vector<Configuration> rules_with(std::size_t neighbours);

/// What is run: every way on the cluster of each seed.
struct SideBySide {
  std::size_t machines, users, seeds;
  std::vector<Configuration> ways;
  /// What happens: all of the scenario but its rules.
  std::function<simulation::OverlayScenario(const Problem& cluster)> scenario = {};
};
std::vector<SeedRuns> run_side_by_side(const SideBySide& plan, const RunOptions& options);  ///< [ways][seeds]

/// The ways of a plan without faults and pauses on the cluster of the first seed.
OwnFiles files_of(std::string_view id, const SideBySide& plan, const RunOptions& options);

double placements_of(const simulation::OverlayRun& run);
double messages_of(const simulation::OverlayRun& run);
double mean_least_share(const simulation::OverlayRun& run);
double used_part(const simulation::OverlayRun& run);  ///< of the most used resource, at the end

/// A column of a table: the measure itself, or over that of the first way.
struct Column {
  std::string name;
  Measure measure;
  int decimals = 3;
  bool over_first = false;
};
/// A row for each way: means over the seeds.
Table table_of_ways(std::string_view title, const SideBySide& plan, std::span<const SeedRuns> runs,
                    std::span<const Column> columns);

}  // namespace mirab::experiments
