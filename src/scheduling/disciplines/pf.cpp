// Proportional fairness, task by task: the most deprived is who has spent least at the prices ν of the
// divisible allocation of the users that are present (docs/mathematics.md, section 3),
//
//   Σ_r (Σ_i a_{n,i,r} / C_r) ν_r / φ_n,
//
// X_n (d_n·ν) / φ_n where a user's tasks are all the same: in the divisible optimum everybody has spent φ_n.
// The prices follow the population; they are doubles, so that equal means equal doubles.
// Known failure: the prices are those of one pool, whatever the servers and who may use them.
#include "scheduling/disciplines.hpp"

namespace mirab::scheduling {

double pf_spent(const Standing& standing, std::span<const std::int64_t> used, const Weight& weight) {
  const std::span<const std::int64_t> pool = standing.accounts.park.pool();
  double spent = 0;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] > 0)
      spent += static_cast<double>(used[r]) / static_cast<double>(pool[r]) * standing.prices[r];
  }
  return spent / weight.value();
}

double pf_key(const Standing& standing, Entry entry) {
  return pf_spent(standing, standing.accounts.used(standing.queue(entry).user), standing.user(entry).weight);
}

std::weak_ordering pf_compare(const Standing& standing, Entry a, Entry b) {
  const double spent_a = pf_key(standing, a);
  const double spent_b = pf_key(standing, b);
  if (spent_a == spent_b) return std::weak_ordering::equivalent;
  return spent_a < spent_b ? std::weak_ordering::less : std::weak_ordering::greater;
}

}  // namespace mirab::scheduling
