#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

#include "slurm/records.hpp"

namespace mirab::slurm {

/// The nodes or jobs that scontrol, squeue and sacct print with --json, under the names that scontrol gives
/// their fields in its text. Errors name file and line: no JSON, neither `nodes` nor `jobs`.
Result<std::vector<Record>> read_json(std::string_view text, const std::string& file);

}  // namespace mirab::slurm
