// Powers of ten in which a resource is counted, so that a ledger of placed tasks is exact and cannot drift:
// `0.5` and `0.125` CPUs are 500 and 125 units of 10^-3. Amounts that lie more than 19 digits apart have no
// such unit within 63 bits; then demand rounds up and capacity down, which may cost a task its place but
// never overcommits a server.
#include "scheduling/unit.hpp"

#include <algorithm>
#include <climits>
#include <optional>

namespace mirab::scheduling {
namespace {

/// The finest power of ten that an amount needs; no value when all amounts are 0.
std::optional<int> finest_exponent(std::span<const Offered> offered, std::span<const Quantity> asked) {
  std::optional<int> finest;
  const auto look = [&](const Quantity& amount) {
    if (!amount.is_zero()) finest = std::min(finest.value_or(INT_MAX), amount.exponent());
  };
  for (const Offered& offer : offered) look(offer.amount);
  for (const Quantity& demand : asked) look(demand);
  return finest;
}

/// Can all that is offered be counted in this unit?
bool can_count(std::span<const Offered> offered, int exponent) {
  std::int64_t left = kMostUnits;
  for (const Offered& offer : offered) {
    const auto units = count_units(offer.amount, exponent, Rounding::down);
    if (!units) return false;
    if (*units > left / offer.count) return false;
    left -= *units * offer.count;
  }
  return true;
}

}  // namespace

Unit choose_unit(std::span<const Offered> offered, std::span<const Quantity> asked) {
  const std::optional<int> finest = finest_exponent(offered, asked);
  if (!finest) return {};
  int exponent = *finest;
  while (!can_count(offered, exponent)) ++exponent;
  return {.exponent = exponent, .exact = exponent == *finest};
}

Unit choose_unit(const Problem& problem, std::size_t resource) {
  std::vector<Offered> offered;
  std::vector<Quantity> asked;
  for (const Server& server : problem.servers())
    offered.push_back({.amount = server.capacity[resource], .count = server.count});
  for (const User& user : problem.users()) {
    asked.push_back(user.demand[resource]);
    for (const auto& [server, demand] : user.demand_on) asked.push_back(demand[resource]);
  }
  return choose_unit(offered, asked);
}

std::int64_t units_offered(const Quantity& capacity, Unit unit) {
  const auto units = count_units(capacity, unit.exponent, Rounding::down);
  MIRAB_ASSERT(units.has_value(), "the unit was chosen so that every capacity can be counted in it");
  return *units;
}

std::int64_t units_asked(const Quantity& demand, Unit unit) {
  return count_units(demand, unit.exponent, Rounding::up).value_or(INT64_MAX);
}

}  // namespace mirab::scheduling
