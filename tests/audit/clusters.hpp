#pragma once

#include <vector>

#include <mirab/audit/properties.hpp>
#include <mirab/mechanisms/mechanism.hpp>

#include "model/clusters.hpp"

namespace mirab::testing {

/// An exact outcome called `test` that gives user n tasks[n][i] tasks on server i, in proportion to demand.
Outcome giving(const Problem& problem, Scope scope, const std::vector<std::vector<double>>& tasks);

/// The outcome of a mechanism and its scope; aborts on an error.
struct Divided {
  Divided(Problem problem, std::string_view mechanism);
  Division division() const { return {.problem = problem, .outcome = outcome, .scope = rule.scope}; }

  Problem problem;
  Rule rule;
  Outcome outcome;
};

/// What the auditor says of a mechanism.
Verdict verdict_on(Property property, const Problem& problem, std::string_view mechanism,
                   const Search& search = {});

}  // namespace mirab::testing
