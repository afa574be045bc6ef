// The files by which a user runs a part of an experiment alone: `mirab reproduce ID --scenario`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <mirab/model/problem.hpp>

#include "lab/experiments/experiment.hpp"
#include "lab/simulation/demand_series.hpp"
#include "lab/simulation/overlay.hpp"
#include "lab/simulation/traffic.hpp"

namespace mirab::experiments {

/// `ostman-5.8-cluster.yaml`: what the scenario of an experiment calls its cluster.
std::string cluster_file_of(std::string_view id);

/// An overlay of this cluster: mirab simulate runs the same from the seed. Each of the rules has its options
/// with it. Requires a scenario without faults and pauses, which is as by default but for its rules,
/// shuffles_per_tick, runtime and duration.
OwnFiles overlay_files(std::string_view id, const Problem& cluster,
                       const simulation::OverlayScenario& scenario, std::uint64_t seed, std::string note);

/// Random traffic, with the loads and jobs of the scenario.
OwnFiles traffic_files(std::string_view id, const simulation::TrafficScenario& scenario, std::uint64_t seed,
                       std::string note);

/// Demands over time.
OwnFiles demands_files(std::string_view id, const simulation::DemandSeriesScenario& scenario,
                       std::uint64_t seed, std::string note);

/// A worked example, for mirab allocate and fill.
OwnFiles cluster_files(std::string_view id, const Problem& cluster, std::string note);

}  // namespace mirab::experiments
