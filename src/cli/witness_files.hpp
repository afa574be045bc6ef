#pragma once

#include <string>

#include <mirab/audit/verdict.hpp>
#include <mirab/model/result.hpp>

namespace mirab::cli {

/// Writes a cluster file for the smallest cluster of a violation, and one for the changed cluster that it is
/// compared with; nothing when the property holds. Errors: what the system says.
Check write_witness(const std::string& folder, const std::string& mechanism, const Verdict& verdict);

}  // namespace mirab::cli
