// Where random traffic is solved: docs/explanation/mathematics.md, section 11.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lab/simulation/traffic/arrivals.hpp"
#include "lab/simulation/traffic/points.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

// Of a hundred intervals of 99 % one misses by right. With this seed none does.
constexpr std::uint64_t kSeed = 3;

struct Law {
  const char* name;
  Sizes sizes;
};
const Law kLaws[] = {{"exponential", {}},
                     {"erlang:20", {.law = Sizes::Law::erlang, .stages = 20}},
                     {"deterministic", {.law = Sizes::Law::deterministic}},
                     {"hyperexponential:cv2=4", {.law = Sizes::Law::hyperexponential, .cv2 = 4}}};

// The points of the only mechanism at the only load, with 99 % intervals.
std::vector<TrafficPoint> points_at_99(const TrafficScenario& scenario) {
  EXPECT_FALSE(check(scenario));
  const TrafficRun run{.scenario = scenario,
                       .mechanism = 0,
                       .load = scenario.loads[0],
                       .arrivals = arrival_rates(scenario, scenario.loads[0]),
                       .seed = kSeed};
  return points_of(run, simulate_fluid_traffic(run), 0.99);
}

void expect_rate(const TrafficPoint& point, double truth, const std::string& what) {
  EXPECT_LE(point.low, truth) << what << ", seed " << kSeed;
  EXPECT_GE(point.high, truth) << what << ", seed " << kSeed;
  EXPECT_LT(point.high - point.low, 0.3 * truth) << what << ": an interval that says little";
}

// One resource, however large the tasks: a locally fair rule is processor sharing, γ = 1 - ρ for every law
// of sizes (the paper, section 3.3).
TEST(ClosedForms, OneResourceServesAtOneMinusItsLoadWhateverTheSizes) {
  for (const char* mechanism : {"drf", "pf"}) {
    for (const Law& law : kLaws) {
      for (const double load : {0.3, 0.6, 0.9}) {
        TrafficScenario scenario = traffic_of({{1}, {0.25}}, {0.5, 0.5}, {mechanism}, {load});
        scenario.sizes = law.sizes;
        scenario.jobs = load < 0.8 ? 50'000 : 300'000;
        for (const TrafficPoint& point : points_at_99(scenario)) {
          expect_rate(point, 1 - load,
                      fmt::format("{}, {}, load {}, class {}", mechanism, law.name, load, point.job_class));
        }
      }
    }
  }
}

// Max-min is not locally fair (the paper, section 2.3): a task four times as large gets four times as much.
TEST(ClosedForms, MaxMinFavoursTheLargerTasksOfOneResource) {
  TrafficScenario scenario = traffic_of({{1}, {0.25}}, {0.5, 0.5}, {"max-min"}, {0.6});
  scenario.jobs = 50'000;
  const std::vector<TrafficPoint> points = points_at_99(scenario);
  EXPECT_GT(points[0].low, 0.4);
  EXPECT_LT(points[1].high, 0.4);
}

// Class 0 takes of two resources, classes 1 and 2 of one each. Under PF: E[n_l] = ρ_l / (1 - ρ_0 - ρ_l),
// E[n_0] = ρ_0 / (1 - ρ_0) (1 + Σ_l ρ_l / (1 - ρ_0 - ρ_l)), for every law of sizes.
TEST(ClosedForms, PfOnALinearNetworkHasTheProductForm) {
  constexpr double kLoad0 = 0.3;
  constexpr double kLoad1 = 0.4;
  constexpr double kLoad2 = 0.2;
  const double all = kLoad0 + kLoad1 + kLoad2;
  const double jobs1 = kLoad1 / (1 - kLoad0 - kLoad1);
  const double jobs2 = kLoad2 / (1 - kLoad0 - kLoad2);
  const double jobs0 = kLoad0 / (1 - kLoad0) * (1 + jobs1 + jobs2);
  for (const Law& law : kLaws) {
    TrafficScenario scenario = traffic_of(
        {{1, 1}, {1, 0}, {0, 1}}, {kLoad0 / all, kLoad1 / all, kLoad2 / all}, {"pf"}, {kLoad0 + kLoad1});
    scenario.sizes = law.sizes;
    scenario.jobs = 200'000;
    const std::vector<TrafficPoint> points = points_at_99(scenario);
    expect_rate(points[0], kLoad0 / jobs0, fmt::format("{}, class 0", law.name));
    expect_rate(points[1], kLoad1 / jobs1, fmt::format("{}, class 1", law.name));
    expect_rate(points[2], kLoad2 / jobs2, fmt::format("{}, class 2", law.name));
    EXPECT_NEAR(points[1].jobs * points[1].service_rate, kLoad1, 1e-12);
  }
}

// Permanent jobs on one resource: with n that come and go and b that stay, each gets 1/(n + b), and n is
// distributed like C(n + b, b) (1 - ρ)^(b + 1) ρ^n: E[n] = (b + 1) ρ / (1 - ρ), and b/(n + b) is for the
// permanent jobs together, 1 - ρ in the mean.
TEST(ClosedForms, PermanentJobsHaveWhatIsLeftOfOneResource) {
  for (const char* mechanism : {"drf", "pf"}) {
    TrafficScenario scenario = traffic_of({{1}, {2}}, {1, 0}, {mechanism}, {0.7});
    scenario.classes[1].permanent = 2;
    scenario.jobs = 100'000;
    const std::vector<TrafficPoint> points = points_at_99(scenario);
    expect_rate(points[0], 0.3 / 3, fmt::format("{}, those that come and go", mechanism));
    expect_rate(points[1], 0.3 / 2, fmt::format("{}, one of the permanent", mechanism));
    EXPECT_EQ(points[1].jobs, 2);
  }
}

// The paper, section 3.4, figure 4: birth and death with n φ_2(n) = 1 - β φ_1(n), where φ_1(0) = 1 and
// φ_1(n) = min((1 - α)/(1 - αβ), 1/(β (n + 1))) for one permanent job of class 1 that claims β. α = 1/10,
// β = 1/(1 + 2 (1 - α)), ρ_2 = 1/2.
TEST(ClosedForms, APermanentJobThatClaimsMoreThanItUsesGetsWhatBirthAndDeathSay) {
  constexpr double kAlpha = 0.1;
  constexpr double kBeta = 1 / 2.8;
  double weight = 1;
  double all = 0;
  double served = 0;
  for (int n = 0; n < 200; ++n) {
    const double rate = n == 0 ? 1 : std::min((1 - kAlpha) / (1 - kAlpha * kBeta), 1 / (kBeta * (n + 1)));
    if (n > 0) weight *= 0.5 / (1 - kBeta * rate);
    all += weight;
    served += weight * rate;
  }
  TrafficScenario scenario = traffic_of({{1, kAlpha}, {kAlpha, 1}}, {0, 1}, {"pf"}, {0.5});
  scenario.classes[0].permanent = 1;
  scenario.classes[0].claims = {1, kBeta};
  scenario.load_resource = 1;
  scenario.jobs = 100'000;
  EXPECT_NEAR(served / all, 0.8462, 1e-4);  // as mathematics has it
  expect_rate(points_at_99(scenario)[0], served / all, "the permanent job");
}

}  // namespace
}  // namespace mirab::simulation
