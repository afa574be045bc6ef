// Heterogeneous FFMRA: the cut of FFMRA on every server, with one q for all of them.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.4.4, algorithm 4;
// docs/explanation/mathematics.md, section 7. q adds up the demands of all users on all servers where they
// may run, with the dominant resource and the demand that they have there. Definition 4.28: where one task of
// everybody does not fit on a server, no user is granted more than it requests; what is short is divided in
// proportion to the requests.
//
// Example (the thesis, section 4.4.4.3): servers (9, 18) and (10, 20), tasks (1, 4) and (3, 1) on the first,
// (2, 5) and (4, 3) on the second: q = 16/23, bundles (2.74, 12.5) and (6.26, 5.48), (3.04, 13.9) and (6.96,
// 6.09). O(N K m).
// Known failures: those of FFMRA (docs/reference/mechanisms/h-ffmra.md).
// When the solver fails: it is a formula, O(NKm), so nothing can fail to converge; the certificate is the
// largest part of a capacity by which rounding overuses it.
#include "mechanisms/bundles.hpp"
#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr Claim kHFfmraClaims[] = {
    {Property::envy_freeness, true, kUncapped, "Hamzeh, lemma 4.32", true},
    {Property::sharing_incentive, true, kUncapped, "Hamzeh, lemma 4.33", true},
    {Property::pareto_efficiency, true, kUncapped, "Hamzeh, lemma 4.34", true},
    {Property::strategy_proofness, true, kUncapped, "Hamzeh, lemma 4.35", true},
    {Property::bottleneck_fairness, true, kUncapped, "Hamzeh, theorem 4.29", true},
    {Property::non_wastefulness, true, kUncapped, "Hamzeh, lemma 4.31", true},
};

constexpr Accepts h_ffmra_accepted() {
  Accepts accepts = kServersAccept;
  accepts.caps = false;
  return accepts;
}

bool is_short(const SharedServer& server) {
  return (server.demand.colwise().sum().transpose() > server.capacity).any();
}

// Definition 4.28.
Eigen::ArrayXXd requests_only(const SharedServer& server) {
  const Eigen::ArrayXd requested = server.demand.colwise().sum().transpose();
  const Eigen::ArrayXd granted = (requested > 0).select((server.capacity / requested).min(1), 0);
  return server.demand.rowwise() * granted.transpose();
}

double dominant_part(const Problem& problem, const std::vector<SharedServer>& servers, DemandUnits units,
                     const RawUnits& raw) {
  DemandSums sums;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const DemandSums here = demand_sums(servers[i], units, raw);
    const auto count = static_cast<double>(problem.servers()[i].count);
    sums.dominant += count * here.dominant;
    sums.all += count * here.all;
  }
  return sums.dominant / sums.all;
}

Result<Outcome> allocate_h_ffmra(const Problem& problem, const Choice& choice, const Execution&) {
  const Result<GroupOptions> options = group_options(choice);
  if (!options) return options.error();
  RawUnits raw;
  Outcome outcome = share_bundles(problem, choice, [&](const std::vector<SharedServer>& servers) {
    raw = raw_units(servers);
    const double q = dominant_part(problem, servers, options->units, raw);
    std::vector<Eigen::ArrayXXd> bundles;
    for (const SharedServer& server : servers)
      bundles.push_back(is_short(server) ? requests_only(server) : cut_by_groups(server, q, options->rule));
    return bundles;
  });
  if (options->units == DemandUnits::raw && !raw.as_given)
    outcome.notices.push_back(units_notice(problem, raw));
  return outcome;
}

}  // namespace

Mechanism h_ffmra_row() {
  return {.name = "h-ffmra",
          .aliases = {},
          .scope = Scope::each_server,
          .title = "Heterogeneous Fully Fair Multi-Resource Allocation",
          .summary = "Bundles: the cut of FFMRA on every server, with one ratio for the whole cluster.",
          .yardstick = "–",
          .alpha = "–",
          .source = "Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.4.4",
          .accepts = h_ffmra_accepted(),
          .options = group_options(),
          .claims = kHFfmraClaims,
          .objective =
              "nothing: on every server the part q = dominant demands / all demands of each resource "
              "goes to those whom it dominates there",
          .check_options = check_group_options,
          .allocate = allocate_h_ffmra};
}

}  // namespace mirab
