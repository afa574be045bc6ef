// What is taken out of a cluster leaves no trace in the rest.
#include <gmock/gmock.h>

#include "audit/clusters.hpp"
#include "audit/counterexamples.hpp"

namespace mirab {
namespace {

using testing::amounts;
using testing::cluster_of;
using ::testing::ElementsAre;

Cluster three_servers() {
  Cluster cluster = cluster_of({{4, 5}, {6, 7}, {8, 9}}, {{1, 2}, {3, 4}});
  cluster.users[0].servers = {{"s1", "s2"}};
  cluster.users[0].demand_on = {{"s1", amounts({2, 1})}, {"s2", amounts({5, 6})}};
  return cluster;
}

TEST(Alter, NobodyNamesAServerThatIsGone) {
  Cluster cluster = three_servers();
  remove_server(cluster, 1);
  ASSERT_EQ(cluster.servers.size(), 2u);
  EXPECT_EQ(cluster.servers[1].name, "s3");
  EXPECT_THAT(*cluster.users[0].servers, ElementsAre("s1"));
  EXPECT_FALSE(cluster.users[0].demand_on.contains("s2"));
  EXPECT_TRUE(Problem::from(cluster));
}

TEST(Alter, AResourceGoesFromCapacitiesAndAllDemands) {
  Cluster cluster = three_servers();
  remove_resource(cluster, 0);
  EXPECT_THAT(cluster.resources, ElementsAre("memory"));
  EXPECT_EQ(cluster.servers[2].capacity, amounts({9}));
  EXPECT_EQ(cluster.users[1].demand, amounts({4}));
  EXPECT_EQ(cluster.users[0].demand_on.at("s2"), amounts({6}));
}

TEST(Alter, AUserGoesAlone) {
  Cluster cluster = three_servers();
  remove_user(cluster, 0);
  ASSERT_EQ(cluster.users.size(), 1u);
  EXPECT_EQ(cluster.users[0].name, "B");
  EXPECT_EQ(cluster.servers.size(), 3u);
}

TEST(Alter, AProductHasSoManyDigits) {
  EXPECT_EQ(times(Quantity(2), 1.0 / 3, 4)->value(), 0.6667);
  EXPECT_EQ(times(Quantity(3), 0.1)->value(), 0.3);
  EXPECT_FALSE(times(Quantity(1), 1e300));
}

}  // namespace
}  // namespace mirab
