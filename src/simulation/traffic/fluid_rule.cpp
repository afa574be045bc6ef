// Which pool mechanism is which yardstick u_k and α (docs/mathematics.md, section 1). A class is one user of
// weight n_k: jobs that are alike get alike shares under every one of these rules.
#include "simulation/traffic/fluid_rule.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <span>

#include "simulation/traffic/load.hpp"

namespace mirab::simulation {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// u_k of a task that takes these parts of the resources.
using Yardstick = double (*)(std::span<const double> parts);

double one_task(std::span<const double>) { return 1; }
double dominant_share_of_one(std::span<const double> parts) {
  return 1 / *std::max_element(parts.begin(), parts.end());
}
double asset_share_of_one(std::span<const double> parts) {
  return 1 / std::accumulate(parts.begin(), parts.end(), 0.0);
}

struct Kind {
  Yardstick yardstick;
  double alpha;
};

Result<Kind> alpha_fair(const Choice& mechanism) {
  constexpr std::string_view yardsticks[] = {"tasks", "dominant"};
  const Result<double> alpha = number_option(mechanism, "alpha", 0);
  if (!alpha) return alpha.error();
  if (*alpha <= 0)
    return Error{.message = "option 'alpha' of 'alpha-fair' must be given as a number greater than 0"};
  const Result<std::size_t> yardstick = word_option(mechanism, "yardstick", yardsticks);
  if (!yardstick) return yardstick.error();
  return Kind{.yardstick = *yardstick == 0 ? one_task : dominant_share_of_one, .alpha = *alpha};
}

Result<Kind> kind_of(const Choice& mechanism) {
  if (mechanism.name == "drf") return Kind{dominant_share_of_one, kEndless};
  if (mechanism.name == "max-min") return Kind{one_task, kEndless};
  if (mechanism.name == "asset") return Kind{asset_share_of_one, kEndless};
  if (mechanism.name == "pf") return Kind{one_task, 1};
  if (mechanism.name == "alpha-fair") return alpha_fair(mechanism);
  return Error{.message =
                   fmt::format("'{}' does not divide a pool among jobs that come and go; drf, max-min, "
                               "asset, pf and alpha-fair do",
                               mechanism.name)};
}

}  // namespace

Result<FluidRule> fluid_rule(const TrafficScenario& scenario, const Choice& mechanism) {
  const Result<Kind> kind = kind_of(mechanism);
  if (!kind) return kind.error();
  const std::size_t m = scenario.capacity.size();
  FluidRule rule{.resources = m, .demand = {}, .yardstick = {}, .alpha = kind->alpha};
  std::vector<double> parts(m);
  for (const TrafficClass& job_class : scenario.classes) {
    const std::span<const double> claims = claims_of(job_class);
    for (std::size_t r = 0; r < m; ++r) parts[r] = claims[r] / scenario.capacity[r];
    const double u = kind->yardstick(parts);
    for (const double part : parts) rule.demand.push_back(u * part);
    rule.yardstick.push_back(u);
  }
  return rule;
}

}  // namespace mirab::simulation
