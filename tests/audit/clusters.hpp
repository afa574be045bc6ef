#pragma once

#include <initializer_list>
#include <vector>

#include <mirab/audit/properties.hpp>
#include <mirab/mechanisms/mechanism.hpp>

namespace mirab::testing {

/// Amounts as plain numbers; aborts when one is no amount.
ResourceVector amounts(const std::vector<double>& values);

/// One server `all` and the users A, B, C, …, who demand what is given.
Problem pool_of(const std::vector<double>& capacity, const std::vector<std::vector<double>>& demands);

/// Servers s1, s2, … and the users A, B, C, …
Cluster cluster_of(const std::vector<std::vector<double>>& capacities,
                   const std::vector<std::vector<double>>& demands);

/// The problem; aborts when it is none.
Problem problem_of(const Cluster& cluster);

/// An exact outcome called `test` that gives user n so many tasks on server i, tasks[n][i], in proportion to
/// demand.
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
