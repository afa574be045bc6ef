#include "model/dominance.hpp"

#include "model/rational.hpp"

namespace mirab {

ExactVector exact(const ResourceVector& amounts) {
  ExactVector fractions;
  fractions.reserve(amounts.size());
  for (const Quantity& amount : amounts) fractions.push_back(rational(amount));
  return fractions;
}

ExactVector exact_pool(const Problem& problem) {
  ExactVector pool(problem.resource_count());
  for (const Server& server : problem.servers()) {
    for (std::size_t r = 0; r < pool.size(); ++r)
      pool[r] += rational(server.capacity[r]) * static_cast<long>(server.count);
  }
  return pool;
}

std::size_t dominant_resource(const ResourceVector& demand, const ExactVector& capacity) {
  std::size_t dominant = 0;
  mpq_class largest = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (capacity[r] == 0 || demand[r].is_zero()) continue;
    const mpq_class part = rational(demand[r]) / capacity[r];
    if (part <= largest) continue;
    largest = part;
    dominant = r;
  }
  return dominant;
}

bool needs_most(const ExactVector& demand, const ExactVector& capacity, std::size_t most) {
  if (demand[most] == 0) return false;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[most] * capacity[r] < demand[r] * capacity[most]) return false;
  }
  return true;
}

}  // namespace mirab
