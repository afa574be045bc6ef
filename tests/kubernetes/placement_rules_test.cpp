#include "kubernetes/placement_rules.hpp"

#include <gtest/gtest.h>

namespace mirab::kubernetes {
namespace {

using Operator = Requirement::Operator;

const std::vector<Taint> kNoTaints;
const std::vector<Taint> kForGpus = {{.key = "soft", .effect = "PreferNoSchedule"},
                                     {.key = "dedicated", .value = "gpu", .effect = "NoSchedule"}};

PlacementRule rule_with_affinity() {
  PlacementRule rule;
  rule.selector = {{"pool", "gpu"}};
  rule.terms.emplace();
  rule.terms->push_back(
      {{.key = "zone", .op = Operator::in, .values = {"a", "b"}}, {.key = "ssd", .op = Operator::exists}});
  rule.terms->push_back({{.key = "cpus", .op = Operator::above, .values = {"8"}}});
  return rule;
}

TEST(PlacementRules, AnObjectionNamesTheTaintThatThePodDoesNotTolerate) {
  EXPECT_EQ(objection({}, "n3", {}, kForGpus),
            "the node has the taint dedicated=gpu:NoSchedule, which the pod does not tolerate");
  EXPECT_EQ(objection({}, "n3", {}, {{.key = "away", .effect = "NoExecute"}}),
            "the node has the taint away:NoExecute, which the pod does not tolerate");
  const PlacementRule tolerant{
      .selector = {},
      .terms = {},
      .tolerations = {{.key = "dedicated", .op = Toleration::Operator::exists, .value = "", .effect = ""}}};
  EXPECT_EQ(objection(tolerant, "n3", {}, kForGpus), "");
}

// KEP 5471: the value of the taint is above or below that of the toleration.
TEST(PlacementRules, ATolerationMayBeOfNumbersAboveOrBelow) {
  const auto tolerates = [](Toleration::Operator op, const std::string& bound, const std::string& value) {
    PlacementRule rule;
    rule.tolerations = {{.key = "sla", .op = op, .value = bound, .effect = "NoSchedule"}};
    return allows(rule, "n", {}, {{.key = "sla", .value = value, .effect = "NoSchedule"}});
  };
  const auto above = Toleration::Operator::above, below = Toleration::Operator::below;
  EXPECT_TRUE(tolerates(above, "900", "950"));
  EXPECT_FALSE(tolerates(above, "900", "900"));
  EXPECT_FALSE(tolerates(above, "950", "900"));
  EXPECT_TRUE(tolerates(below, "900", "-5"));
  EXPECT_FALSE(tolerates(below, "900", "900"));
  for (const char* no_number : {"", "high", "0950", "+950", "9.5", "9223372036854775808"}) {
    EXPECT_FALSE(tolerates(above, "1", no_number)) << no_number;
    EXPECT_FALSE(tolerates(above, no_number, "950")) << no_number;
  }
  PlacementRule of_another_key, below_it;
  of_another_key.tolerations = {{.key = "x", .op = above, .value = "1", .effect = ""}};
  EXPECT_FALSE(allows(of_another_key, "n", {}, {{.key = "sla", .value = "5", .effect = "NoSchedule"}}));
  below_it.tolerations = {{.key = "x", .op = below, .value = "1", .effect = ""}};
  EXPECT_EQ(describe(of_another_key), "tolerates x>1");
  EXPECT_EQ(describe(below_it), "tolerates x<1");
  EXPECT_NE(words_of(of_another_key), words_of(below_it));
}

TEST(PlacementRules, AnObjectionNamesTheLabelThatTheNodeHasOtherwiseOrNotAtAll) {
  const PlacementRule rule = rule_with_affinity();
  EXPECT_EQ(objection(rule, "n1", {{"pool", "cpu"}}, kNoTaints),
            "the node has pool=cpu, and the pod's node selector asks for pool=gpu");
  EXPECT_EQ(objection(rule, "n1", {}, kNoTaints),
            "the node has no label pool, and the pod's node selector asks for pool=gpu");
}

TEST(PlacementRules, AnObjectionNamesTheAffinity) {
  EXPECT_EQ(objection(rule_with_affinity(), "n1", {{"pool", "gpu"}, {"zone", "a"}, {"cpus", "8"}}, kNoTaints),
            "the node does not meet the pod's node affinity: zone in (a, b) and a label ssd, or cpus > 8");
  EXPECT_EQ(objection(rule_with_affinity(), "n1", {{"pool", "gpu"}, {"cpus", "9"}}, kNoTaints), "");
}

TEST(PlacementRules, ThereIsAnObjectionWhereTheRuleDoesNotAllowTheNode) {
  PlacementRule without_terms, with_an_empty_term;
  without_terms.terms.emplace();
  with_an_empty_term.terms.emplace(1);
  const std::vector<PlacementRule> rules = {{}, rule_with_affinity(), without_terms, with_an_empty_term};
  const std::vector<NodeLabels> labels = {{}, {{"pool", "gpu"}}, {{"pool", "gpu"}, {"cpus", "9"}}};
  for (const PlacementRule& rule : rules) {
    for (const NodeLabels& each : labels) {
      for (const auto& taints : {kNoTaints, kForGpus})
        EXPECT_EQ(objection(rule, "n", each, taints).empty(), allows(rule, "n", each, taints));
    }
  }
}

TEST(PlacementRules, ARuleIsDescribedForPeople) {
  EXPECT_EQ(describe(PlacementRule()), "tolerates no taints");
  PlacementRule rule = rule_with_affinity();
  rule.selector["zone"] = "a";
  EXPECT_EQ(describe(rule),
            "node selector pool=gpu, zone=a; node affinity zone in (a, b) and a label ssd, or cpus > 8; "
            "tolerates no taints");
  PlacementRule tolerant;
  tolerant.terms.emplace();
  tolerant.terms->push_back(
      {{.key = "metadata.name", .op = Operator::not_in, .values = {"n1"}, .of_field = true},
       {.key = "old", .op = Operator::does_not_exist},
       {.key = "cpus", .op = Operator::below, .values = {"64"}}});
  tolerant.tolerations = {
      {.key = "dedicated", .op = Toleration::Operator::equal, .value = "gpu", .effect = "NoSchedule"},
      {.key = "away", .op = Toleration::Operator::exists, .value = "", .effect = "NoExecute"},
      {.key = "", .op = Toleration::Operator::exists, .value = "", .effect = ""}};
  EXPECT_EQ(describe(tolerant),
            "node affinity metadata.name not in (n1) and no label old and cpus < 64; "
            "tolerates dedicated=gpu:NoSchedule, away:NoExecute, all taints");
}

}  // namespace
}  // namespace mirab::kubernetes
