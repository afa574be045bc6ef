#include "audit/attempts.hpp"

#include "audit/finding.hpp"

namespace mirab {

std::optional<Outcome> comparable(const Rule& rule, const Problem& problem) {
  Result<Outcome> outcome = rule.divide(problem);
  if (!outcome || outcome->status == Status::not_converged) return {};
  return *std::move(outcome);
}

Verdict incomparable(Property property) {
  return undecided(property, "the cluster's own division has not converged");
}

Verdict verdict_on(Property property, Sought sought) {
  if (sought.tried == 0) return undecided(property, "no changed cluster could be divided and compared");
  Verdict verdict{.property = property, .scope = VerdictScope::searched};
  if (sought.worst) verdict = violated(property, *std::move(sought.worst));
  verdict.tried = sought.tried;
  return verdict;
}

}  // namespace mirab
