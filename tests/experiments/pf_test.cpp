// Bonald and Roberts 2014: what its figures show, in quick runs.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "experiments/expect.hpp"
#include "lab/experiments/pf/service_rates.hpp"

namespace mirab::experiments {
namespace {

const Curve& curve_of(const Reproduction& result, const std::string& name) {
  for (const Curve& curve : result.figures.front().curves) {
    if (curve.name == name) return curve;
  }
  ADD_FAILURE() << result.id << " has no curve '" << name << "'";
  return result.figures.front().curves.front();
}

// Section 3.3.
TEST(TwoClasses, OfAlikeProfilesAreAsThePaperSays) {
  for (const char* id : {"pf-fig1a", "pf-fig1b"}) {
    const Reproduction result = quick(id);
    EXPECT_EQ(result.verdict, Verdict::agrees) << id;
    expect_all_hold(result);
    EXPECT_TRUE(result.remarks.empty());
  }
}

TEST(TwoClasses, OfUnlikeProfilesCorrectTheLightAndTheHeavyTraffic) {
  const Reproduction result = quick("pf-fig2b");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees);
  expect_all_hold(result);
  const Finding& second = finding_of(result, "light traffic, pf: c of γ2 = 1 - ρ2 - c ρ1");
  EXPECT_TRUE(second.corrected);
  EXPECT_EQ(second.printed, 0.1);
  EXPECT_NEAR(second.ours, 0.0714, 1e-3);
  EXPECT_FALSE(finding_of(result, "light traffic, drf: c of γ2 = 1 - ρ2 - c ρ1").corrected);
  const Finding& heavy = finding_of(
      result,
      "γ2(PF)/(1 - ρ), rising over loads 0.85, 0.9 and 0.95, and drawn on to load 1: 1/β = 2 within 5 %");
  EXPECT_TRUE(heavy.corrected);
  EXPECT_NEAR(heavy.ours, 2, 0.1);
  EXPECT_EQ(result.remarks.size(), 2U);
}

// The slopes printed for PF are right exactly where α = β; those for DRF always.
TEST(LightTraffic, IsPrintedRightForAlikeProfilesAndForDrf) {
  const LightTraffic alike = light_traffic({.alpha = 0.3, .beta = 0.3}, "pf");
  const LightTraffic unlike = light_traffic({.alpha = 0.1, .beta = 0.8}, "pf");
  const LightTraffic drf = light_traffic({.alpha = 0.1, .beta = 0.8}, "drf");
  for (const std::size_t i : {0, 1}) {
    EXPECT_NEAR(alike.chain[i], alike.printed[i], 1e-3);
    EXPECT_NEAR(drf.chain[i], drf.printed[i], 1e-3);
    EXPECT_NEAR(unlike.chain[i], unlike.formula[i], 1e-3);
    EXPECT_GT(std::abs(unlike.chain[i] - unlike.printed[i]), 1e-2);
  }
}

TEST(FourClasses, AreServedFasterUnderProportionalFairness) {
  for (const char* id : {"pf-fig3a", "pf-fig3b"}) {
    const Reproduction result = quick(id);
    EXPECT_EQ(result.verdict, Verdict::shape_agrees) << id;
    expect_all_hold(result);
  }
}

// Section 3.4: 0.9498 true, 0.9406, 0.8462, 0.7250 at 0.5; 0.6539, 0.4444, 0.2561, 0.1810 at 0.9.
TEST(FalseClaims, OfAPermanentJobNeverPay) {
  const Reproduction result = quick("pf-fig4");
  expect_all_hold(result);
  struct Value {
    const char* curve;
    double at_half, at_most;
  };
  for (const Value& value :
       {Value{"true requirements", 0.9498, 0.6539}, Value{"best claim against 5", 0.9406, 0.4444},
        Value{"best claim against 2", 0.8462, 0.2561}, Value{"best claim against 1", 0.7250, 0.1810}}) {
    const Curve& curve = curve_of(result, value.curve);
    const auto at = [&](double load) {
      const auto p = std::find(curve.x.begin(), curve.x.end(), load) - curve.x.begin();
      return curve.y[static_cast<std::size_t>(p)];
    };
    EXPECT_NEAR(at(0.5), value.at_half, 5e-5) << value.curve;
    EXPECT_NEAR(at(0.9), value.at_most, 5e-5) << value.curve;
  }
}

// 1 / (1 + n (1 - α)) is where the two terms of φ_1(n) meet.
TEST(FalseClaims, AreBestWhereBothResourcesAreJustFull) {
  for (const int n : kAgainst) {
    const double beta = best_claim(n);
    EXPECT_NEAR((1 - kTrueNeed) / (1 - kTrueNeed * beta), 1 / (beta * (n + 1)), 1e-12) << n;
  }
}

// Against the text of section 3.4: "no winning strategy".
TEST(FalseClaims, OfAWholeClassPayALittleUnderProportionalFairness) {
  const Reproduction result = quick("pf-fig5b");
  EXPECT_EQ(result.verdict, Verdict::differs);
  const Finding& gain =
      finding_of(result, "best claim against 2: largest gain of γ1 over the truth, exact, at any load");
  EXPECT_FALSE(gain.holds);
  EXPECT_FALSE(gain.note.empty());
  EXPECT_NEAR(gain.ours, 0.0011, 1e-4);
  EXPECT_EQ(result.remarks.size(), 1U);
}

TEST(WholeTasks, StartFromTheZeroLoadRateAndGainByProportionalFairness) {
  const Reproduction result = quick("pf-fig6a");
  EXPECT_EQ(result.verdict, Verdict::agrees);
  expect_all_hold(result);
  EXPECT_NEAR(finding_of(result, "zero-load service rate").ours, 0.544, 0.01);
  ASSERT_EQ(result.tables.size(), 1U);
  EXPECT_EQ(result.tables.front().rows.size(), 5U);
}

TEST(ServiceRates, DoNotDependOnTheThreads) {
  auto scenario = cpu_and_ram({{1, 0.1}, {0.1, 1}}, {1, 1}, {"drf", "pf"}, Effort::quick);
  constexpr JobsUpTo kFew[] = {{0.5, 400, 400}, {1.0, 800, 800}};
  const ServiceRates one = ServiceRates::simulated(scenario, kFew, {.seed = 5, .threads = 1});
  const ServiceRates three = ServiceRates::simulated(scenario, kFew, {.seed = 5, .threads = 3});
  for (const std::size_t mechanism : {0, 1})
    EXPECT_EQ(one.curve("γ", mechanism, 1).y, three.curve("γ", mechanism, 1).y);
  EXPECT_EQ(one.loads(), scenario.loads);
}

// What is laid beside another chain is not covered.
TEST(ServiceRates, AreNotCoveredByAnotherChain) {
  const auto scenario = cpu_and_ram({{1, 0.1}, {0.1, 1}}, {1, 1}, {"drf", "pf"}, Effort::quick);
  auto swapped = scenario;
  std::swap(swapped.mechanisms[0], swapped.mechanisms[1]);
  constexpr JobsUpTo kSome[] = {{0.5, 3000, 3000}, {1.0, 8000, 8000}};
  const ServiceRates rates = ServiceRates::simulated(scenario, kSome, {.seed = 5});
  const Finding coverage = covered(rates, exact_rates(scenario, {}));
  EXPECT_TRUE(coverage.holds);
  EXPECT_GT(coverage.ours, 0) << "the furthest, in half widths: what decides";
  EXPECT_LT(coverage.ours, 3);
  EXPECT_FALSE(covered(rates, exact_rates(swapped, {})).holds);
}

}  // namespace
}  // namespace mirab::experiments
