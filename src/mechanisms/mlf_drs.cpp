// Multi-Level Fair Dominant Resource Scheduling: users whose dominant resource it is are granted at least
// a fair share of a resource, all others at most one, and the grants grow until all is used.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2, algorithm 2;
// docs/explanation/mathematics.md, section 7. With f_{n,r} = φ_n C_r / Φ:
//
//   a_{n,r} = max(φ_n d_{n,r}, f_{n,r}) where r is dominant for n, min(φ_n d_{n,r}, f_{n,r}) elsewhere,
//   bundle_{n,r} = a_{n,r} C_r / Σ_k a_{k,r}.
//
// Example (the thesis, table 4.2): C = (9, 18), d = (1, 4) and (3, 1): bundles (1.64, 16.2) and (7.36, 1.8).
// Assumption: one server, one task of each user at a time. O(Nm).
// Known failures: a bundle is not in proportion to a task. In the example 1.64 and 1.8 tasks run, where DRF
// runs 3 and 2, so that everybody is worse off; the thesis claims that it is Pareto efficient, and more
// (docs/reference/mechanisms/mlf-drs.md).
// When the solver fails: it is a formula, O(Nm), so nothing can fail to converge; the certificate is the
// largest part of a capacity by which rounding overuses it.
#include "mechanisms/bundles.hpp"
#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr Claim kMlfDrsClaims[] = {
    {Property::envy_freeness, true, kUncapped, "Hamzeh, theorem 4.6", true},
    {Property::sharing_incentive, true, kUncapped, "Hamzeh, theorem 4.7", true},
    {Property::pareto_efficiency, true, kUncapped, "Hamzeh, theorem 4.8", true},
    {Property::strategy_proofness, true, kUncapped, "Hamzeh, theorem 4.9", true},
};

std::vector<Eigen::ArrayXXd> grow_first_grants(const std::vector<SharedServer>& servers) {
  Eigen::ArrayXXd bundles = first_grants(servers[0]);
  for (Eigen::Index r = 0; r < bundles.cols(); ++r) {
    const double granted = bundles.col(r).sum();
    if (granted > 0) bundles.col(r) *= servers[0].capacity[r] / granted;
  }
  return {bundles};
}

Result<Outcome> allocate_mlf_drs(const Problem& problem, const Choice& choice, const Execution&) {
  return share_bundles(problem, choice, grow_first_grants);
}

}  // namespace

Mechanism mlf_drs_row() {
  return {.name = "mlf-drs",
          .aliases = {},
          .scope = Scope::each_server,
          .title = "Multi-Level Fair Dominant Resource Scheduling",
          .summary =
              "Bundles: at least a fair share of the resource that dominates a user, at most one of the "
              "others, grown until all is used.",
          .yardstick = "–",
          .alpha = "–",
          .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2",
          .accepts = kBundlesAccept,
          .options = {},
          .claims = kMlfDrsClaims,
          .objective =
              "nothing: bundles in proportion to first grants, max(demand, fair share) of what "
              "dominates a user and min of the rest",
          .allocate = allocate_mlf_drs};
}

}  // namespace mirab
