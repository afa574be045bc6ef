// Fully Fair Multi-Resource Allocation: every resource is cut into a part for those whom it dominates and a
// part for the others, and each part is divided as MLF-DRS divides.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.3.2, equations 4.15 to
// 4.17 and algorithm 3; docs/explanation/mathematics.md, section 7.
//
//   q = Σ_n (dominant demand of n) / Σ_n Σ_r d_{n,r};  of C_r, q C_r is for the dominated, (1 - q) C_r for
//   the others.
//
// Example (the thesis, table 4.4): C = (9, 18), d = (1, 4) and (3, 1): q = 7/9, bundles (2, 14) and (7, 4).
// Assumption: one server. O(Nm).
// Known failures: as published q adds up CPUs and gigabytes, so that another unit gives another division
// (`units=normalised` does not); with an empty group a part of a resource is left over (`spill=true` gives it
// away); bundles are not in proportion to tasks (docs/reference/mechanisms/ffmra.md).
// When the solver fails: it is a formula, O(Nm), so nothing can fail to converge; the certificate is the
// largest part of a capacity by which rounding overuses it.
#include "mechanisms/bundles.hpp"
#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr Claim kFfmraClaims[] = {
    {Property::envy_freeness, true, kUncapped, "Hamzeh, theorem 4.18", true},
    {Property::sharing_incentive, true, kUncapped, "Hamzeh, theorem 4.19", true},
    {Property::pareto_efficiency, true, kUncapped, "Hamzeh, theorem 4.20", true},
    {Property::strategy_proofness, true, kUncapped, "Hamzeh, theorem 4.21", true},
    {Property::bottleneck_fairness, true, kUncapped, "Hamzeh, lemma 4.17", true},
};

Result<Outcome> allocate_ffmra(const Problem& problem, const Choice& choice, const Execution&) {
  const Result<GroupOptions> options = group_options(choice);
  if (!options) return options.error();
  RawUnits raw;
  Outcome outcome = share_bundles(problem, choice, [&](const std::vector<SharedServer>& servers) {
    raw = raw_units(servers);
    const DemandSums sums = demand_sums(servers[0], options->units, raw);
    return std::vector{cut_by_groups(servers[0], sums.dominant / sums.all, options->rule)};
  });
  if (options->units == DemandUnits::raw && !raw.as_given)
    outcome.notices.push_back(units_notice(problem, raw));
  return outcome;
}

}  // namespace

Mechanism ffmra_row() {
  return {.name = "ffmra",
          .aliases = {},
          .scope = Scope::each_server,
          .title = "Fully Fair Multi-Resource Allocation",
          .summary =
              "Bundles: every resource is cut between those whom it dominates and the others, by what both "
              "demand.",
          .yardstick = "–",
          .alpha = "–",
          .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.3",
          .accepts = kBundlesAccept,
          .options = group_options(),
          .claims = kFfmraClaims,
          .objective =
              "nothing: of every resource the part q = dominant demands / all demands goes to those "
              "whom it dominates",
          .check_options = check_group_options,
          .allocate = allocate_ffmra};
}

}  // namespace mirab
