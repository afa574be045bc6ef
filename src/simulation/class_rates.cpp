// The rates of two classes in every state, from the mechanism as everybody calls it.
#include "simulation/class_rates.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <mirab/mechanisms/mechanism.hpp>

#include "simulation/traffic_cluster.hpp"

namespace mirab::simulation {
Result<ClassRates> ClassRates::from(const TrafficScenario& scenario, std::size_t mechanism) {
  MIRAB_ASSERT(scenario.classes.size() == 2, "rates of two classes");
  Result<Cluster> cluster = cluster_of(scenario);
  if (!cluster) return cluster.error();
  ClassRates rates(*std::move(cluster), scenario.mechanisms[mechanism]);
  if (const auto tried = rates.allocated(1, 1); !tried) return tried.error();
  return rates;
}

Result<std::array<double, 2>> ClassRates::allocated(std::size_t n1, std::size_t n2) const {
  const std::array<std::size_t, 2> n = {n1, n2};
  Cluster present = cluster_;
  std::vector<std::size_t> classes;
  for (const std::size_t k : {0, 1}) {
    if (n[k] > 0) classes.push_back(k);
    present.users[k].weight = Quantity{static_cast<std::int64_t>(n[k])};
  }
  if (n1 == 0) present.users.erase(present.users.begin());
  if (n2 == 0) present.users.pop_back();
  const Result<Problem> problem = Problem::from(std::move(present));
  if (!problem) return problem.error();
  const Result<Outcome> outcome = allocate(*problem, mechanism_);
  if (!outcome) return outcome.error();
  std::array<double, 2> rates = {0, 0};
  for (std::size_t u = 0; u < classes.size(); ++u) rates[classes[u]] = outcome->allocation.tasks[u];
  return rates;
}

void ClassRates::cover(std::array<std::size_t, 2> most) {
  most = {std::max(most[0], most_[0]), std::max(most[1], most_[1])};
  if (most == most_) return;
  std::vector<std::array<double, 2>> wider((most[0] + 1) * (most[1] + 1));
  const auto place = [&](std::size_t n1, std::size_t n2) -> auto& { return wider[n1 * (most[1] + 1) + n2]; };
  for (std::size_t n1 = 0; n1 <= most[0]; ++n1) {
    for (std::size_t n2 = 0; n2 <= most[1]; ++n2) {
      const std::size_t divisor = std::gcd(n1, n2);
      if (n1 <= most_[0] && n2 <= most_[1]) {
        place(n1, n2) = at(n1, n2);
      } else if (divisor > 1) {
        place(n1, n2) = place(n1 / divisor, n2 / divisor);
      } else {
        const auto rates = allocated(n1, n2);
        MIRAB_ASSERT(static_cast<bool>(rates), "what can be divided among one job of each, can among more");
        place(n1, n2) = *rates;
      }
    }
  }
  rates_ = std::move(wider);
  most_ = most;
}

}  // namespace mirab::simulation
