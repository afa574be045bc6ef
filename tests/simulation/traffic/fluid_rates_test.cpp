#include "lab/simulation/traffic/fluid_rates.hpp"

#include <cmath>
#include <gmock/gmock.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

#include "random_cases.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kSeed = 2014;
constexpr const char* kMechanisms[] = {"drf",
                                       "max-min",
                                       "asset",
                                       "pf",
                                       "alpha-fair:alpha=0.5",
                                       "alpha-fair:alpha=2",
                                       "alpha-fair:alpha=4,yardstick=dominant"};

// Demands and capacities of two digits, some of them 0.
TrafficScenario random_scenario(Random& random, const std::string& mechanism) {
  const std::size_t k_count = 1 + random.below(5);
  const std::size_t m = 1 + random.below(4);
  std::vector<std::vector<double>> demands(k_count, std::vector<double>(m));
  for (std::vector<double>& demand : demands) {
    for (double& amount : demand) amount = static_cast<double>(random.below(100)) / 10;
    demand[random.below(m)] += 1;
  }
  TrafficScenario scenario = traffic_of(std::move(demands), std::vector<double>(k_count), {mechanism}, {});
  for (double& capacity : scenario.capacity) capacity = static_cast<double>(1 + random.below(40));
  return scenario;
}

// The mechanism as everybody calls it, each class a user of weight n_k: the tasks of one job.
std::vector<double> allocated(const TrafficScenario& scenario, const std::vector<std::int64_t>& jobs) {
  Cluster cluster{
      .resources = scenario.resources, .servers = {{.name = "pool", .capacity = {}}}, .users = {}};
  for (const double capacity : scenario.capacity)
    cluster.servers[0].capacity.push_back(*Quantity::from(capacity));
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs[k] == 0) continue;
    present.push_back(k);
    User user{.name = scenario.classes[k].name, .demand = {}, .weight = Quantity{jobs[k]}};
    for (const double amount : scenario.classes[k].demand) user.demand.push_back(*Quantity::from(amount));
    cluster.users.push_back(user);
  }
  const auto outcome = allocate(*Problem::from(cluster), scenario.mechanisms[0]);
  std::vector<double> tasks(jobs.size(), 0.0);
  for (std::size_t i = 0; i < present.size(); ++i)
    tasks[present[i]] = outcome->allocation.tasks[i] / static_cast<double>(jobs[present[i]]);
  return tasks;
}

// n changes by one job at a time, as in traffic.
void walk(Random& random, std::vector<std::int64_t>& jobs) {
  std::int64_t& n = jobs[random.below(jobs.size())];
  n += n > 0 && random.below(2) == 0 ? -1 : 1;
}

FluidRates rates_of(const TrafficScenario& scenario, int kept_log2) {
  return FluidRates(*fluid_rule(scenario, scenario.mechanisms[0]), kept_log2);
}

TEST(FluidRates, AreWhatTheMechanismItselfGivesToUsersAlike) {
  for (const char* mechanism : kMechanisms) {
    Random random(kSeed);
    for (int instance = 0; instance < random_cases(40); ++instance) {
      const TrafficScenario scenario = random_scenario(random, mechanism);
      FluidRates rates = rates_of(scenario, 4);
      std::vector<std::int64_t> jobs(scenario.classes.size());
      for (int step = 0; step < 20; ++step) {
        walk(random, jobs);
        if (std::all_of(jobs.begin(), jobs.end(), [](std::int64_t n) { return n == 0; })) continue;
        const std::vector<double> expected = allocated(scenario, jobs);
        const std::span<const double> found = rates.at(jobs);
        for (std::size_t k = 0; k < jobs.size(); ++k) {
          EXPECT_NEAR(found[k], expected[k], 1e-9 * expected[k])
              << mechanism << ", seed " << kSeed << ", instance " << instance << ", step " << step;
        }
      }
    }
  }
}

// The paper, section 2.3, remark 2: (2/3, 2/3), and equal shares of resource 1 when nobody takes of
// resource 2.
TEST(FluidRates, OfDrfDependOnAResourceThatIsNotFull) {
  FluidRates both = rates_of(traffic_of({{1, 1.0 / 3}, {0.5, 1}}, {0.5, 0.5}, {"drf"}, {}), 4);
  EXPECT_THAT(both.at(std::vector<std::int64_t>{1, 1}),
              testing::Pointwise(testing::DoubleNear(1e-12), {2.0 / 3, 2.0 / 3}));
  FluidRates one = rates_of(traffic_of({{1, 0}, {0.5, 0}}, {0.5, 0.5}, {"drf"}, {}), 4);
  EXPECT_THAT(one.at(std::vector<std::int64_t>{1, 1}),
              testing::Pointwise(testing::DoubleNear(1e-12), {0.5, 1.0}));
}

// The paper, section 2.4, proposition 5 and remark 4.
TEST(FluidRates, OfPfAreThoseOfTheWorkedExamples) {
  const std::vector<std::int64_t> one_each = {1, 1};
  FluidRates rates = rates_of(traffic_of({{0.5, 1}, {1, 0.5}}, {0.5, 0.5}, {"pf"}, {}), 4);
  EXPECT_THAT(rates.at(one_each), testing::Pointwise(testing::DoubleNear(1e-11), {2.0 / 3, 2.0 / 3}));
  FluidRates lying = rates_of(traffic_of({{2.0 / 3, 1}, {1, 0.5}}, {0.5, 0.5}, {"pf"}, {}), 4);
  EXPECT_THAT(lying.at(one_each), testing::Pointwise(testing::DoubleNear(1e-11), {0.75, 0.5}));
  FluidRates other = rates_of(traffic_of({{0.5, 1}, {1, 1.0 / 3}}, {0.5, 0.5}, {"pf"}, {}), 4);
  EXPECT_THAT(other.at(one_each), testing::Pointwise(testing::DoubleNear(1e-11), {0.8, 0.6}));
}

TEST(FluidRates, AreTheSameWhetherStatesAreKeptOrNot) {
  for (const char* mechanism : kMechanisms) {
    Random random(kSeed);
    const TrafficScenario scenario = random_scenario(random, mechanism);
    FluidRates kept = rates_of(scenario, 2);
    FluidRates fresh = rates_of(scenario, -1);
    std::vector<std::int64_t> jobs(scenario.classes.size());
    constexpr int kSteps = 2000;
    for (int step = 0; step < kSteps; ++step) {
      walk(random, jobs);
      const std::span<const double> a = kept.at(jobs);
      const std::span<const double> b = fresh.at(jobs);
      for (std::size_t k = 0; k < jobs.size(); ++k)
        ASSERT_NEAR(a[k], b[k], 1e-10 * b[k]) << mechanism << ", seed " << kSeed << ", step " << step;
    }
    EXPECT_EQ(fresh.divisions(), kSteps);
    EXPECT_LT(kept.divisions(), kSteps);
  }
}

TEST(FluidRule, KnowsOnlyMechanismsThatDivideOnePool) {
  const TrafficScenario scenario = figure_1b({"drfh"}, {0.5});
  EXPECT_EQ(
      fluid_rule(scenario, scenario.mechanisms[0]).error().message,
      "'drfh' does not divide a pool among jobs that come and go; drf, max-min, asset, pf and alpha-fair do");
}

// By claims: the paper, section 3.4.
TEST(FluidRule, IsMadeOfWhatIsClaimed) {
  TrafficScenario scenario = figure_1b({"drf"}, {0.5});
  scenario.capacity = {10, 100};
  scenario.classes[0].claims = {1, 20};
  const FluidRule rule = *fluid_rule(scenario, scenario.mechanisms[0]);
  EXPECT_THAT(rule.yardstick, testing::ElementsAre(5, testing::DoubleNear(100, 1e-12)));
  EXPECT_THAT(rule.demand,
              testing::ElementsAre(0.5, 1, testing::DoubleNear(1, 1e-12), testing::DoubleNear(1, 1e-12)));
}

}  // namespace
}  // namespace mirab::simulation
