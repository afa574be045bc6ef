#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include <mirab/model/random.hpp>

#include "fairness/share.hpp"
#include "overlay/turn_rules.hpp"

namespace mirab::overlay {
namespace {

constexpr double kPdgdrfNobody = -std::numeric_limits<double>::infinity();

Descriptor pdgdrf_server(NodeId node, double share) { return {.node = node, .utility = -share}; }

// Chapter 5: shares (A) 1, 2, 3, 4, 5 and (B) 1, 5, 5, 5, 5.
TEST(Gini, IsThatOfTheThesis) {
  EXPECT_NEAR(fairness::gini(std::vector<double>{1, 2, 3, 4, 5}), 0.267, 0.0005);
  EXPECT_NEAR(fairness::gini(std::vector<double>{1, 5, 5, 5, 5}), 0.152, 0.0005);
}

TEST(Gini, OfZerosAndOfNothingIsZero) {
  EXPECT_EQ(fairness::gini(std::vector<double>{0, 0, 0}), 0);
  EXPECT_EQ(fairness::gini({}), 0);
}

TEST(Gini, LiesBetweenZeroAndOneLessOneInN) {
  Random random(11);
  for (int draw = 0; draw < 200; ++draw) {
    std::vector<double> x(1 + random.below(12));
    for (double& x_i : x) x_i = random.unit();
    const double bound = 1 - 1 / static_cast<double>(x.size());
    EXPECT_GE(fairness::gini(x), 0) << "draw " << draw;
    EXPECT_LE(fairness::gini(x), bound + 1e-12) << "draw " << draw;
  }
  EXPECT_NEAR(fairness::gini(std::vector<double>{0, 0, 0, 7}), 0.75, 1e-15);
}

TEST(Pdgdrf, TheCentreServes) {
  EXPECT_TRUE(pdgdrf_may_serve(pdgdrf_server(1, 0.1), 100,
                               std::vector{pdgdrf_server(2, 0.2), pdgdrf_server(3, 0.1)}));
  EXPECT_TRUE(pdgdrf_may_serve(pdgdrf_server(1, 0.1), 100, {}));
}

// Algorithm 6, ISCENTERNODE: only a higher utility hinders, so with all shares 0 everybody begins.
TEST(Pdgdrf, TiesServe) {
  EXPECT_TRUE(is_highest(pdgdrf_server(1, 0), std::vector{pdgdrf_server(2, 0)}));
  EXPECT_TRUE(is_highest(pdgdrf_server(2, 0), std::vector{pdgdrf_server(1, 0)}));
}

TEST(Pdgdrf, ServesOffTheCentreWhenTheGiniCoefficientFalls) {
  const std::vector<Descriptor> view{pdgdrf_server(2, 1), pdgdrf_server(3, 4), pdgdrf_server(4, 4)};
  EXPECT_TRUE(gini_falls(pdgdrf_server(1, 2), 4, view));    // 1 2 4 4 → 1 4 4 4
  EXPECT_FALSE(gini_falls(pdgdrf_server(1, 2), 40, view));  // far above all
  EXPECT_TRUE(pdgdrf_may_serve(pdgdrf_server(1, 2), 4, view));
  EXPECT_FALSE(pdgdrf_may_serve(pdgdrf_server(1, 2), 40, view));
}

TEST(Pdgdrf, MustFallStrictly) {
  EXPECT_FALSE(gini_falls(pdgdrf_server(1, 2), 2, std::vector{pdgdrf_server(2, 1)}));
}

// Algorithm 6 prints U(q) ≠ ∞.
TEST(Pdgdrf, NeighboursWithoutUsersAreLeftOut) {
  const Descriptor nobody{.node = 9, .utility = kPdgdrfNobody};
  const std::vector<Descriptor> view{pdgdrf_server(2, 1), nobody, pdgdrf_server(3, 4)};
  EXPECT_EQ(gini_falls(pdgdrf_server(1, 2), 3, view),
            gini_falls(pdgdrf_server(1, 2), 3, std::vector{pdgdrf_server(2, 1), pdgdrf_server(3, 4)}));
  EXPECT_TRUE(pdgdrf_may_serve(pdgdrf_server(1, 2), 3, std::vector{nobody}));
}

TEST(Pdgdrf, AServerWithoutUsersNeverServes) {
  const Descriptor nobody{.node = 1, .utility = kPdgdrfNobody};
  EXPECT_FALSE(pdgdrf_may_serve(nobody, 0, std::vector{nobody}));
  EXPECT_FALSE(pdgdrf_may_serve(nobody, 0, {}));
}

}  // namespace
}  // namespace mirab::overlay
