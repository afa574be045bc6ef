#pragma once

#include <optional>
#include <string>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>

#include "cli/io/input.hpp"
#include "lab/simulation/overlay.hpp"
#include "model/teams_file.hpp"

namespace mirab::cli {

/// The files that a scenario names, as they can be opened.
struct InputFiles {
  std::string scenario, cluster = {}, workload = {}, teams = {};  ///< empty: not named
};

/// What stands in them.
struct Inputs {
  Problem cluster;
  Workload workload;
  Teams teams = {};
};

/// Reads the cluster, the workload and the teams, of the workload only what happens in `duration`, if there
/// is one. The error of a file that cannot be read names the key of the scenario under which it is.
Result<Inputs> read_inputs(const InputFiles& files, const std::optional<Duration>& duration);

/// Reads the cluster of an overlay and holds the scenario against it. What the scenario says in vain is noted
/// on standard error. Errors have file and line.
Result<Problem> read_overlay_cluster(const simulation::OverlayScenario& overlay, const InputText& scenario);

/// An error of a run, with its file: the workload or the cluster, if they have such a key, else the scenario.
Error with_file(Error error, const InputFiles& files);

/// An error of the workload's `changes[3]` with the line of that change, for which the file is read again;
/// any other as it is.
Error with_workload_line(Error error, const InputFiles& files);

/// An error of this text with the line of its key; of another file as it is.
Error with_line(Error error, const InputText& input);

}  // namespace mirab::cli
