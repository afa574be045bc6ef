#include "audit/clusters.hpp"

namespace mirab::testing {
namespace {

template <class T>
T must(Result<T> result) {
  MIRAB_ASSERT(static_cast<bool>(result), describe(result.error()).c_str());
  return *std::move(result);
}

}  // namespace

Outcome giving(const Problem& problem, Scope scope, const std::vector<std::vector<double>>& tasks) {
  Outcome outcome{.mechanism = "test", .certificate = {}, .allocation = {}, .notices = {}};
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    double total = 0;
    for (std::size_t i = 0; i < tasks[n].size(); ++i) {
      const ResourceVector& demand = scope == Scope::pool ? problem.users()[n].demand : problem.demand(n, i);
      std::vector<double> bundle;
      for (const Quantity& amount : demand) bundle.push_back(tasks[n][i] * amount.value());
      if (tasks[n][i] > 0) outcome.allocation.grants.add(n, i, tasks[n][i], bundle);
      total += tasks[n][i];
    }
    outcome.allocation.tasks.push_back(total);
  }
  return outcome;
}

Divided::Divided(Problem given, std::string_view mechanism)
    : problem(std::move(given)),
      rule(rule_of(must(choose_mechanism(mechanism)))),
      outcome(must(rule.divide(problem))) {}

Verdict verdict_on(Property property, const Problem& problem, std::string_view mechanism,
                   const Search& search) {
  const Divided divided(problem, mechanism);
  return check(property, divided.division(), divided.rule, search);
}

}  // namespace mirab::testing
