#include <gmock/gmock.h>

#include <mirab/model/allocation.hpp>

#include "model/clusters.hpp"

namespace mirab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The second of four users has two grants, the first and the third none, the fourth one.
Grants two_rows() {
  Grants grants;
  grants.add(1, 0, 2, {4, 6});
  grants.add(1, 3, 1, {2, 3});
  grants.add(3, 0, 5, {5, 0});
  return grants;
}

std::vector<std::pair<std::size_t, std::size_t>> places(const auto& grants) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const Grant& grant : grants) places.emplace_back(grant.user, grant.server);
  return places;
}

TEST(Grants, AreGoneThroughInTheOrderOfTheUsers) {
  const Grants grants = two_rows();
  EXPECT_EQ(grants.size(), 3U);
  EXPECT_THAT(places(grants), ElementsAre(std::pair(1, 0), std::pair(1, 3), std::pair(3, 0)));
  EXPECT_THAT(places(Grants()), IsEmpty());
}

TEST(Grants, HaveTheirTasksAndResources) {
  const Grants grants = two_rows();
  EXPECT_EQ(grants[1].user, 1U);
  EXPECT_EQ(grants[1].tasks, 1);
  EXPECT_THAT(grants[1].resources, ElementsAre(2, 3));
  EXPECT_EQ(grants[2].user, 3U);
  EXPECT_THAT(grants[2].resources, ElementsAre(5, 0));
}

TEST(Grants, OfAUserAreItsOwn) {
  const Grants grants = two_rows();
  EXPECT_THAT(places(grants.of(0)), IsEmpty());
  EXPECT_THAT(places(grants.of(1)), ElementsAre(std::pair(1, 0), std::pair(1, 3)));
  EXPECT_THAT(places(grants.of(2)), IsEmpty());
  EXPECT_THAT(places(grants.of(3)), ElementsAre(std::pair(3, 0)));
  EXPECT_THAT(places(grants.of(9)), IsEmpty());
}

TEST(Grants, MakeTheBundlesOfTheUsers) {
  const Problem problem = testing::pool_of({9, 9}, {{1, 1}, {1, 1}, {1, 1}, {1, 1}});
  const Allocation allocation{.tasks = {0, 3, 0, 5}, .grants = two_rows(), .servers = {}};
  EXPECT_THAT(bundles(problem, allocation),
              ElementsAre(ElementsAre(0, 0), ElementsAre(6, 9), ElementsAre(0, 0), ElementsAre(5, 0)));
}

TEST(GrantsDeathTest, OfAnEarlierUserCannotBeAdded) {
  Grants grants = two_rows();
  EXPECT_DEATH(grants.add(2, 0, 1, {1, 1}), "in the order of the users");
}

}  // namespace
}  // namespace mirab
