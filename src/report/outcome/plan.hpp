#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <mirab/audit/plan.hpp>

#include "report/text/width.hpp"

namespace mirab::report {

/// A plan, to be shown.
struct PlanReport {
  std::string title;  ///< of the cluster: what it is called, or its file
  const Problem& problem;
  const PlanGoal& goal;
  const std::vector<ServerKind>& kinds;  ///< empty for a weight
  const Plan& plan;
};

/// What a person reads: what to buy (or which weight to give), and at most `most` of those who gain and of
/// those who lose by it; no wider than the terminal where that can be. In bold: users who are short, and the
/// better of two sums.
std::string plan_table(const PlanReport& report, std::size_t most, const Terminal& terminal);

/// docs/schema/plan.schema.json.
nlohmann::ordered_json plan_json(const PlanReport& report);

/// One record a kind: kind, count, price of one, price of all; of a weight: user, weight before and after.
std::string plan_csv(const PlanReport& report);

}  // namespace mirab::report
