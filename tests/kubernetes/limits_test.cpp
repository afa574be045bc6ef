// Fair limits of the thesis' examples, and what the options do to them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/model/random.hpp>

#include "kubernetes/examples.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::ElementsAre;
using testing::example;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::limits_of;
using testing::limits_text;
using testing::read;

TEST(Limits, OfTheTwoPodsAreThoseOfFigure415) {  // thesis, section 4.5.2
  const std::string text = example("two-pods.yaml");
  EXPECT_THAT(limits_text(limits_of(text, "cpu=900m,memory=1800Mi"), {"cpu", "memory"}),
              ElementsAre("300m 1200Mi", "600m 200Mi"));
}

// Thesis, section 4.5.4. The paper calls them DRF's and prints 779m for frontend1: they are those of MLF-DRS
// at 1800Mi, where 799m is meant (555/222 of frontend3's 319.88m).
TEST(Limits, OfTheFourPodsOnMinikubeAreThoseOfFigure416UnderMlfDrs) {
  const LimitOptions mlf_drs{.mechanism = *choose_mechanism("mlf-drs")};
  EXPECT_THAT(
      limits_text(limits_of(example("minikube.yaml"), "cpu=2,memory=1800Mi", mlf_drs), {"cpu", "memory"}),
      ElementsAre("720m 81Mi", "799m 245Mi", "159m 736Mi", "319m 736Mi"));
}

TEST(Limits, AreNeverBelowTheRequests) {
  // Equal halves of the memory would be 900Mi each; the first needs 1500Mi.
  const std::string text =
      testing::pod("a", "cpu: 1, memory: 1500Mi") + testing::pod("b", "cpu: 1, memory: 100Mi");
  EXPECT_THAT(limits_text(limits_of(text, "cpu=40,memory=1800Mi"), {"cpu", "memory"}),
              ElementsAre("1 1500Mi", "3 300Mi"));
}

TEST(Limits, SplitAPodsPartOverItsContainersInProportionToTheirRequests) {
  const std::string text = testing::pod("a", "cpu: 100m", "cpu: 300m") + testing::pod("b", "cpu: 200m");
  EXPECT_THAT(limits_text(limits_of(text, "cpu=2"), {"cpu"}), ElementsAre("250m + 750m", "1"));
}

TEST(Limits, CountAReplicaAsAPodOfItsOwn) {
  const std::string three =
      "kind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n  template: {spec: {containers: "
      "[{name: c, "
      "resources: {requests: {cpu: 100m}}}]}}\n---\n";
  const Limits limits = limits_of(three + testing::pod("b", "cpu: 200m"), "cpu=2");
  EXPECT_THAT(limits_text(limits, {"cpu"}), ElementsAre("500m", "500m"));
  EXPECT_THAT(limits.limited, ElementsAre(2000));
  EXPECT_THAT(limits.requested, ElementsAre(500));
}

TEST(Limits, GiveAPodOfTwiceTheWeightTwiceTheShare) {
  const std::string text = testing::pod("a", "cpu: 100m") + testing::pod("b", "cpu: 100m");
  EXPECT_THAT(
      limits_text(limits_of(text, "cpu=900m", {.mechanism = {}, .weights = {{"a", Quantity(2)}}}), {"cpu"}),
      ElementsAre("600m", "300m"));
}

// (4.75): dominant shares are x_r / f_r, here of what the node has.
TEST(Limits, DivideAResourceByItsWeightInTheChoiceOfDominance) {
  const std::string text = example("two-pods.yaml");
  // f_memory = 2 makes A's share of its memory count half: X_A · 400/1800/2 = X_B · 300/900, so X_A = 3 X_B;
  // CPUs: 100 · 3 X_B + 300 X_B = 900, X_B = 1.5, X_A = 4.5: just all the memory and more, 1800 + 150; so
  // memory stops them first: 400 · 3 X_B + 100 X_B = 1800, X_B = 18/13, X_A = 54/13.
  const Limits limits = limits_of(text, "cpu=900m,memory=1800Mi",
                                  {.mechanism = {}, .resource_weights = {{"memory", Quantity(2)}}});
  EXPECT_THAT(limits_text(limits, {"cpu", "memory"}), ElementsAre("415m 1661Mi", "415m 138Mi"));
}

TEST(Limits, WeighResourcesInMechanismsThatCompareDominantSharesOnly) {
  const Pods pods = read(example("two-pods.yaml"), {"cpu", "memory"});
  const Allocatable node = *read_capacity("cpu=900m,memory=1800Mi");
  const Result<Limits> refused = fair_limits(
      pods, node, {.mechanism = *choose_mechanism("pf"), .resource_weights = {{"memory", Quantity(2)}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().key, "--resource-weight");
  EXPECT_THAT(refused.error().message, HasSubstr("drf, drfh"));
}

// A weight of the pods can stand for a resource's weight in these, since on one node all give X_n ∝ φ_n u_n.
TEST(Limits, OfAllMechanismsThatCompareDominantSharesAreTheSameOnOneNode) {
  Random random(20191218);
  for (int i = 0; i < 50; ++i) {
    std::string text;
    for (int p = 0; p < 5; ++p)
      text += testing::pod(fmt::format("p{}", p), fmt::format("cpu: {}m, memory: {}Mi", 1 + random.below(300),
                                                              1 + random.below(300)));
    const auto with = [&](std::string_view mechanism) {
      return limits_of(text, "cpu=2,memory=2Gi",
                       {.mechanism = *choose_mechanism(mechanism),
                        .weights = {{"p1", Quantity(3)}},
                        .resource_weights = {{"cpu", *Quantity::parse("1.5")}}});
    };
    const Limits drf = with("drf");
    for (const char* mechanism : {"drfh", "tsf", "ps-dsf"}) {
      const Limits same = with(mechanism);
      for (std::size_t w = 0; w < 5; ++w) {
        for (std::size_t r = 0; r < 2; ++r)
          ASSERT_NEAR(same.workloads[w].share[r], drf.workloads[w].share[r], 1e-6 * drf.workloads[w].share[r])
              << mechanism << " on\n"
              << text;
      }
    }
  }
}

TEST(Limits, OfRequestsThatExceedTheNodeAreRefusedAndItIsSaidByHowMuch) {
  const std::string text = testing::pod("a", "cpu: 900m, memory: 1Gi") +
                           testing::pod("b", "cpu: 400m, memory: 3Gi") +
                           testing::pod("c", "cpu: 100m, memory: 1Gi");
  const Result<Limits> refused =
      fair_limits(read(text, {"cpu", "memory"}), *read_capacity("cpu=1,memory=4Gi"),
                  {.mechanism = *choose_mechanism("drf")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      "the requests do not fit on the node: cpu 1400m requested, 1 allocatable (largest: a 900m, b 400m, c "
      "100m); memory 5Gi requested, 4Gi allocatable (largest: b 3Gi, a 1Gi, c 1Gi)");
}

TEST(Limits, OfAnUnknownPodOrResourceAreRefused) {
  const Pods pods = read(testing::pod("frontend", "cpu: 1"), {"cpu"});
  const auto refusal = [&](const LimitOptions& options) {
    const Result<Limits> limits = fair_limits(pods, *read_capacity("cpu=2"), options);
    return limits ? "limits" : describe(limits.error());
  };
  const Choice drf = *choose_mechanism("drf");
  EXPECT_THAT(refusal({.mechanism = drf, .weights = {{"fronted", Quantity(2)}}}),
              HasSubstr("--weight: there is no pod 'fronted'; did you mean frontend?"));
  EXPECT_THAT(refusal({.mechanism = drf, .resource_weights = {{"gpu", Quantity(2)}}}),
              HasSubstr("--resource-weight: there is no resource 'gpu'"));
}

TEST(Limits, StayAsTheyAreWhenTheyFitAndOnlyExcessIsToBeMended) {
  const std::string text = example("two-pods.yaml");
  LimitOptions options{.mechanism = {}, .recalculate = Recalculate::when_exceeded};
  const Limits kept = limits_of(text, "cpu=2,memory=2Gi", options);
  EXPECT_FALSE(kept.recalculated);
  EXPECT_THAT(limits_text(kept, {"cpu", "memory"}), ElementsAre("400m 1500Mi", "800m 400Mi"));
  EXPECT_THAT(kept.evictions, IsEmpty());
  for (const char* small : {"cpu=1199m,memory=2Gi", "cpu=2,memory=1899Mi"})
    EXPECT_TRUE(limits_of(text, small, options).recalculated) << small;
  EXPECT_FALSE(limits_of(text, "cpu=1200m,memory=1900Mi", options).recalculated);
  EXPECT_TRUE(limits_of(testing::pod("a", "cpu: 1"), "cpu=8", options).recalculated)
      << "no limit is any limit";
}

}  // namespace
}  // namespace mirab::kubernetes
