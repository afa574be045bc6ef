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

/// The finest power of ten that a given amount of the resource needs; no value when all amounts are 0.
std::optional<int> finest_exponent(const Problem& problem, std::size_t resource) {
  std::optional<int> finest;
  const auto look = [&](const ResourceVector& amounts) {
    const Quantity& amount = amounts[resource];
    if (!amount.is_zero()) finest = std::min(finest.value_or(INT_MAX), amount.exponent());
  };
  for (const Server& server : problem.servers()) look(server.capacity);
  for (const User& user : problem.users()) {
    look(user.demand);
    for (const auto& [server, demand] : user.demand_on) look(demand);
  }
  return finest;
}

/// Can the whole cluster's capacity be counted in this unit?
bool can_count(const Problem& problem, std::size_t resource, int exponent) {
  std::int64_t left = kMostUnits;
  for (const Server& server : problem.servers()) {
    const auto units = count_units(server.capacity[resource], exponent, Rounding::down);
    if (!units) return false;
    if (*units > left / server.count) return false;
    left -= *units * server.count;
  }
  return true;
}

}  // namespace

Unit choose_unit(const Problem& problem, std::size_t resource) {
  const std::optional<int> finest = finest_exponent(problem, resource);
  if (!finest) return {};
  int exponent = *finest;
  while (!can_count(problem, resource, exponent)) ++exponent;
  return {.exponent = exponent, .exact = exponent == *finest};
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
