// Feasible: Σ_n a_{n,i,r} ≤ c_{i,r}, tasks only where the user may run, X_n ≤ its cap, and no more tasks than
// the bundle holds, V_n(a_{n,i}) ≥ x_{n,i}. What every other property takes for granted.
#include <cmath>
#include <fmt/format.h>

#include "audit/finding.hpp"
#include "audit/ground.hpp"

namespace mirab {
namespace {

// Keeps the largest violation.
void offer(std::optional<Witness>& worst, double size, double least, auto&& make) {
  if (size <= least || (worst && size <= worst->size)) return;
  worst = make();
  worst->size = size;
}

}  // namespace

Verdict check_feasible(const Division& division, const Tolerances& tolerances) {
  const Ground ground(division.problem, division.scope);
  const double least = tolerances.least;  // whatever the certificate: a promise of more than there is
  std::vector<std::vector<double>> used(ground.places(), std::vector<double>(ground.resources(), 0.0));
  std::vector<double> tasks(ground.users(), 0.0);
  std::optional<Witness> worst;
  const Cluster cluster = cluster_of(division.problem);
  for (const Grant& grant : division.outcome.allocation.grants) {
    const std::size_t n = grant.user;
    const std::size_t i = grant.server;
    tasks[n] += grant.tasks;
    for (std::size_t r = 0; r < ground.resources(); ++r) used[i][r] += grant.resources[r];
    const double holds = ground.tasks_with(n, i, grant.resources);
    offer(worst, shortfall(holds, grant.tasks), least, [&] {
      const auto [has, says] = told_apart(holds, grant.tasks);
      const std::string why = ground.eligible(n, i) ? "what it is given there holds" : "it may run";
      return Witness{
          .words = fmt::format("{} is said to run {} tasks on {} under {}, where {} {}", ground.user_name(n),
                               says, ground.place_name(i), division.outcome.mechanism, why, has),
          .problem = cluster,
          .user = ground.user_name(n),
          .numbers = {{"tasks", grant.tasks}, {"bundle", holds}}};
    });
  }
  for (std::size_t i = 0; i < ground.places(); ++i) {
    for (std::size_t r = 0; r < ground.resources(); ++r) {
      offer(worst, shortfall(ground.capacity(i)[r], used[i][r]), least, [&] {
        const auto [has, gives] = told_apart(ground.capacity(i)[r], used[i][r]);
        return Witness{
            .words = fmt::format("{} has {} of {}, and {} gives out {}", ground.place_name(i), has,
                                 division.problem.resources()[r], division.outcome.mechanism, gives),
            .problem = cluster,
            .numbers = {{"capacity", ground.capacity(i)[r]}, {"used", used[i][r]}}};
      });
    }
  }
  for (std::size_t n = 0; n < ground.users(); ++n) {
    const double said = division.outcome.allocation.tasks[n];
    offer(worst, shortfall(ground.cap(n), said), least, [&] {
      return Witness{
          .words = fmt::format("{} has {} tasks to run, and {} gives it {}", ground.user_name(n),
                               number_words(ground.cap(n)), division.outcome.mechanism, number_words(said)),
          .problem = cluster,
          .user = ground.user_name(n),
          .numbers = {{"tasks", said}, {"cap", ground.cap(n)}}};
    });
    offer(worst, std::max(shortfall(said, tasks[n]), shortfall(tasks[n], said)), least, [&] {
      return Witness{.words = fmt::format("{} is said to have {} tasks under {}, and has {} on its servers",
                                          ground.user_name(n), number_words(said), division.outcome.mechanism,
                                          number_words(tasks[n])),
                     .problem = cluster,
                     .user = ground.user_name(n),
                     .numbers = {{"tasks", said}, {"placed", tasks[n]}}};
    });
  }
  return worst ? violated(Property::feasible, *std::move(worst)) : Verdict{.property = Property::feasible};
}

}  // namespace mirab
