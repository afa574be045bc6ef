#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "lab/simulation/traffic.hpp"
#include "simulation/traffic_scenarios.hpp"

namespace mirab::simulation {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// The error of figure 1b when this is done to it.
Error refused(const std::function<void(TrafficScenario&)>& spoil) {
  TrafficScenario scenario = figure_1b({"drf", "pf"}, {0.3, 0.6});
  EXPECT_FALSE(check(scenario));
  spoil(scenario);
  const Check found = check(scenario);
  EXPECT_FALSE(simulate_traffic(scenario, 1, 1));
  return found ? *found : Error{.message = "not refused"};
}

TEST(TrafficCheck, NamesTheKeyThatIsWrong) {
  const std::pair<const char*, std::function<void(TrafficScenario&)>> kCases[] = {
      {"capacity", [](TrafficScenario& s) { s.capacity.pop_back(); }},
      {"capacity.r2", [](TrafficScenario& s) { s.capacity[1] = 0; }},
      {"capacity.r1", [](TrafficScenario& s) { s.capacity[0] = kEndless; }},
      {"classes", [](TrafficScenario& s) { s.classes.clear(); }},
      {"classes", [](TrafficScenario& s) { s.classes[0].arrivals = 0.7; }},
      {"classes[1].demand", [](TrafficScenario& s) { s.classes[1].demand = {1}; }},
      {"classes[1].demand.r2",
       [](TrafficScenario& s) {
         s.classes[1].demand = {1, -1};
       }},
      {"classes[1].demand",
       [](TrafficScenario& s) {
         s.classes[1].demand = {0, 0};
       }},
      {"classes[0].claims",
       [](TrafficScenario& s) {
         s.classes[0].claims = {1, 1, 1};
       }},
      {"classes[0].claims.r1",
       [](TrafficScenario& s) {
         s.classes[0].claims = {kEndless, 1};
       }},
      {"classes[0].claims.r2",
       [](TrafficScenario& s) {
         s.classes[0].claims = {1, 0.05};
       }},
      {"classes[0].arrivals", [](TrafficScenario& s) { s.classes[0].arrivals = -0.25; }},
      {"classes[0].arrivals", [](TrafficScenario& s) { s.classes[0].arrivals = 1.25; }},
      {"classes[0].permanent", [](TrafficScenario& s) { s.classes[0].permanent = -1; }},
      {"classes[0].permanent", [](TrafficScenario& s) { s.classes[0].permanent = INT64_MAX; }},
      {"classes[0]", [](TrafficScenario& s) { s.classes[0].arrivals = 0; }},
      {"sizes", [](TrafficScenario& s) { s.sizes = {.law = Sizes::Law::erlang, .stages = 0}; }},
      {"mechanisms", [](TrafficScenario& s) { s.mechanisms.clear(); }},
      {"mechanisms[1]", [](TrafficScenario& s) { s.mechanisms[1] = *choose_mechanism("ps-dsf"); }},
      {"load.resource", [](TrafficScenario& s) { s.load_resource = 2; }},
      {"load.at", [](TrafficScenario& s) { s.loads.clear(); }},
      {"load.at[1]", [](TrafficScenario& s) { s.loads[1] = 0; }},
      {"sizes", [](TrafficScenario& s) { s.sizes = {.law = Sizes::Law::hyperexponential, .cv2 = 1e5}; }},
      {"jobs", [](TrafficScenario& s) { s.jobs = 199; }},
      {"jobs", [](TrafficScenario& s) { s.jobs = 20'000'000'000; }},
  };
  for (const auto& [key, spoil] : kCases) {
    const Error error = refused(spoil);
    EXPECT_EQ(error.key, key) << error.message;
  }
}

TEST(TrafficCheck, RefusesALoadOfAResourceThatNobodyWhoArrivesTakes) {
  const Error error = refused([](TrafficScenario& s) {
    s.classes[0] = {.name = "c1", .demand = {1, 0}, .arrivals = 1};
    s.classes[1] = {.name = "c2", .demand = {0, 1}, .permanent = 1};
    s.load_resource = 1;
  });
  EXPECT_EQ(describe(error), "load.resource: no job that arrives demands any r2");
}

TEST(TrafficCheck, RefusesToClaimLessThanIsUsed) {
  const Error error = refused([](TrafficScenario& s) { s.classes[0].claims = {0.5, 1}; });
  EXPECT_EQ(describe(error),
            "classes[0].claims.r1: less is claimed than is used, 0.5 of 1: the pool could overflow");
}

}  // namespace
}  // namespace mirab::simulation
