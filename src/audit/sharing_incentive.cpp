// The sharing incentive: X_n ≥ (φ_n/Φ) Σ_i γ_{n,i}. Nobody would rather have its equal part of every server,
// or of the pool, for itself.
//
// Source: Ghodsi et al. 2011, section 3; for servers with placement constraints Ravi Kiran and Srinuvas,
// section 4: the part of a server that a user may not use is lost to it. Example: asset fairness on (30, 30)
// gives 12 tasks to the user of (1, 1) beside one of (1, 3); half of the pool holds 15.
#include <algorithm>
#include <fmt/format.h>

#include "audit/finding.hpp"
#include "audit/ground.hpp"

namespace mirab {

Verdict check_sharing_incentive(const Division& division, EqualPart part, const Tolerances& tolerances) {
  const bool pool = part == EqualPart::of_the_pool;
  const Ground ground(division.problem, pool ? Scope::pool : Scope::servers);
  const double least = slack(division.outcome, tolerances);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < ground.users(); ++n) {
    const double share = ground.weight(n) / ground.total_weight();
    const double alone = std::min(ground.cap(n), share * ground.alone_everywhere(n));
    const double tasks = division.outcome.allocation.tasks[n];
    const double size = shortfall(tasks, alone);
    if (size <= least || (worst && size <= worst->size)) continue;
    const auto [could, gives] = told_apart(alone, tasks);
    worst = Witness{
        .words = fmt::format("{} could run {} tasks on {} {}, {} gives it {}", ground.user_name(n), could,
                             part_words(share),
                             pool || division.problem.server_count() == 1 ? "the cluster" : "every server",
                             division.outcome.mechanism, gives),
        .problem = {},
        .user = ground.user_name(n),
        .numbers = {{"tasks", tasks}, {"alone", alone}},
        .size = size};
  }
  if (!worst) return {.property = Property::sharing_incentive};
  worst->problem = cluster_of(division.problem);
  return violated(Property::sharing_incentive, *std::move(worst));
}

}  // namespace mirab
