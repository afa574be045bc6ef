// αPF-VDS: every server maximises the α-fair utility of its own users' virtual dominant shares.
//
// Source: An Appropriate Parameterized Utility Technique On Heterogeneous Server Dependencies (its sections 3
// to 5 are not in our text: the definition is derived from its properties and limits,
// docs/explanation/mathematics.md). Server i: max Σ_n φ_n g_α(s_{n,i} / φ_n) over its own x_{·,i}, s_{n,i} =
// X_n / γ_{n,i}. In equilibrium
//   φ_n^α X_n^(-α) γ_{n,i}^(α-1) ≤ λ_i·d_{n,i}, equal where x_{n,i} > 0, λ_{i,r} > 0 only where r is full on
//   i.
// α = 1 is weighted proportional fairness over servers; α → ∞ is PS-DSF; on one server, or on servers that
// are proportional to each other, it is pooled α-fairness with the dominant yardstick.
//
// A user who has all its tasks (X_n = its cap) counts as if it had more, so that servers where it pays least
// serve it.
//
// Example: the paper's figure 1, two servers, four users: 2, 6, 8 and 8 tasks for every α ≥ 1.
// Known failures: below α = 1 the claims do not hold (a user may have 0.79 of the equal part at α = 0.5). For
// α ≠ 1 it is not Pareto efficient (docs/reference/mechanisms/alpha-pf-vds.md), has no potential, and need
// not be unique; the solver may then end without a certificate, and says so.
// When the solver fails: when all walks fail, up to eight of 100 to 400 steps of O(N(Km)² + (Km)³) each,
// and with at most 1,000 placements and no caps 300 sweeps as well, the division with the lowest regret
// that was found is returned: it fits, the relative regret bounds what any server could still gain, and the
// status is not_converged.
#include <fmt/format.h>

#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"

namespace mirab {
namespace {

constexpr std::string_view kPaper =
    "for α ≥ 1 only: An Appropriate Parameterized Utility Technique On Heterogeneous Server Dependencies, "
    "introduction, B";

constexpr std::string_view kIntroduction =
    "An Appropriate Parameterized Utility Technique On Heterogeneous Server Dependencies, introduction, B";

constexpr OptionInfo kAlphaPfVdsOptions[] = {
    {"alpha", "", "how much fairness counts against efficiency, a number > 0"},
    {"algorithm", "path", "path: all servers together; sweep: each server answers the others in turn"},
};

constexpr Claim kAlphaPfVdsClaims[] = {
    {Property::sharing_incentive, true, kUncapped, kPaper},
    {Property::envy_freeness, true, kUncapped, kPaper},
    {Property::bottleneck_fairness, true, kUncapped, kPaper},
    {.property = Property::pareto_efficiency,
     .holds = true,
     .conditions = kUncapped,
     .source = kIntroduction,
     .options = "alpha=1"},
    {Property::single_resource_fairness, true, kUncapped, "docs/explanation/mathematics.md, section 6"},
};

struct Options {
  double alpha;
  MarketSolver solver;
};

Result<Options> options_of(const Choice& choice) {
  constexpr std::string_view algorithms[] = {"path", "sweep"};
  const Result<double> alpha = number_option(choice, "alpha", 0);
  if (!alpha) return alpha.error();
  if (*alpha <= 0)
    return Error{.message = "option 'alpha' of 'alpha-pf-vds' must be given as a number greater than 0"};
  const Result<std::size_t> algorithm = word_option(choice, "algorithm", algorithms);
  if (!algorithm) return algorithm.error();
  return Options{.alpha = *alpha, .solver = *algorithm == 0 ? MarketSolver::path : MarketSolver::sweep};
}

Check check_alpha_pf_vds(const Choice& choice) {
  const Result<Options> options = options_of(choice);
  if (!options) return options.error();
  return {};
}

// Servers that only answer each other would leave a user with all its tasks where it pays more.
Check check_caps(const Problem& problem) {
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (!problem.users()[n].tasks) continue;
    return Error{
        .message = "alpha-pf-vds:algorithm=sweep cannot honour a limited number of tasks; algorithm=path can",
        .key = fmt::format("users[{}].tasks", n)};
  }
  return {};
}

Result<Outcome> allocate_alpha_pf_vds(const Problem& problem, const Choice& choice,
                                      const Execution& execution) {
  const Result<Options> options = options_of(choice);
  if (!options) return options.error();
  if (options->solver == MarketSolver::sweep) {
    if (Check wrong = check_caps(problem)) return *std::move(wrong);
  }
  Outcome outcome = share_servers(problem, choice, MergeUsers::parallel, [&](const MergedServers& merged) {
    return solve_market({merged.rows, merged.weight, options->alpha, Eigen::ArrayXd()}, options->solver,
                        execution.threads);
  });
  if (options->solver == MarketSolver::sweep && outcome.status == Status::not_converged)
    outcome.notices.emplace_back(
        "the servers' answers did not settle within the limit of sweeps, which no option raises; "
        "algorithm=path, the "
        "default, solves for the same division, and a smaller alpha settles sooner");
  return outcome;
}

}  // namespace

Mechanism alpha_pf_vds_row() {
  return {
      .name = "alpha-pf-vds",
      .aliases = {},
      .scope = Scope::each_server,
      .title = "α-proportional fairness on virtual dominant shares",
      .summary =
          "Every server is α-fair to its users' totals, measured against what each could run on it alone.",
      .yardstick = "γ_{n,i} on server i",
      .alpha = "α > 0",
      .source = "An Appropriate Parameterized Utility Technique On Heterogeneous Server Dependencies",
      .accepts = kServersAccept,
      .options = kAlphaPfVdsOptions,
      .claims = kAlphaPfVdsClaims,
      .objective = "on every server for itself: Σ φ_n^α (X_n / γ_{n,i})^(1-α) / (1-α), Σ φ_n ln X_n at α = 1",
      .check_options = check_alpha_pf_vds,
      .allocate = allocate_alpha_pf_vds};
}

}  // namespace mirab
