// What two classes have in every state of a grid.
#include "simulation/class_rates.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::simulation {
namespace {

constexpr int kKeepNone = -1;  // of the states that were divided: they are kept here

}  // namespace

ClassRates::ClassRates(FluidRule rule) : rates_(std::make_unique<FluidRates>(std::move(rule), kKeepNone)) {}

Result<ClassRates> ClassRates::from(const TrafficScenario& scenario, std::size_t mechanism) {
  MIRAB_ASSERT(scenario.classes.size() == 2, "rates of two classes");
  Result<FluidRule> rule = fluid_rule(scenario, scenario.mechanisms[mechanism]);
  if (!rule) return rule.error();
  return ClassRates(*std::move(rule));
}

std::array<double, 2> ClassRates::divided(std::size_t n1, std::size_t n2) {
  const std::array<std::int64_t, 2> jobs = {static_cast<std::int64_t>(n1), static_cast<std::int64_t>(n2)};
  const std::span<const double> each = rates_->at(jobs);
  return {static_cast<double>(n1) * each[0], static_cast<double>(n2) * each[1]};
}

void ClassRates::cover(std::array<std::size_t, 2> most) {
  most = {std::max(most[0], most_[0]), std::max(most[1], most_[1])};
  if (most == most_) return;
  std::vector<std::array<double, 2>> wider((most[0] + 1) * (most[1] + 1), {0, 0});
  const auto place = [&](std::size_t n1, std::size_t n2) -> auto& { return wider[n1 * (most[1] + 1) + n2]; };
  for (std::size_t n1 = 0; n1 <= most[0]; ++n1) {
    for (std::size_t n2 = n1 == 0 ? 1 : 0; n2 <= most[1]; ++n2) {
      const std::size_t divisor = std::gcd(n1, n2);
      if (n1 <= most_[0] && n2 <= most_[1]) {
        place(n1, n2) = at(n1, n2);
      } else {
        place(n1, n2) = divisor > 1 ? place(n1 / divisor, n2 / divisor) : divided(n1, n2);
      }
    }
  }
  tasks_ = std::move(wider);
  most_ = most;
}

}  // namespace mirab::simulation
