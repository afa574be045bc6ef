// A state that another version decided is taken over only where nothing is wrong with it.
#include "service/recovery.hpp"

#include <gtest/gtest.h>

#include "live/cluster.hpp"

namespace mirab::service {
namespace {

TEST(Recovery, AStateThatIsTakenOverIsRefusedWhereTheTwoEnginesDiffer) {
  live::LiveCluster cluster = live::small_cluster();
  cluster.submit("ml", "j", R"({"tasks":2,"demand":{"cpu":1}})");
  EXPECT_EQ(fault_of_adopted(cluster.decider, cluster.reader), "");
  const live::Reader before = cluster.reader.copy();
  cluster.submit("ml", "k", R"({"demand":{"cpu":1}})");
  EXPECT_EQ(fault_of_adopted(cluster.decider, cluster.reader), "");
  EXPECT_EQ(fault_of_adopted(cluster.decider, before), "the two engines differ");
}

}  // namespace
}  // namespace mirab::service
