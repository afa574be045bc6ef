// Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2, table 4.1, and (6.1), (6.2).
#include "lab/simulation/demands/dominant_queues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mirab::simulation {
namespace {

using testing::ElementsAre;

std::vector<std::size_t> order_of(const std::vector<ServedTask>& served) {
  std::vector<std::size_t> order;
  for (const ServedTask& task : served) order.push_back(task.task);
  return order;
}

// Arrivals 0 to 9 at once, in the order of the table: 0 CPU, 1 memory, 2 disk.
std::vector<QueuedTask> table_4_1() {
  std::vector<QueuedTask> tasks;
  for (const std::size_t dominant : {1u, 0u, 0u, 2u, 0u, 1u, 2u, 0u, 0u, 1u})
    tasks.push_back({.arrival = 0,
                     .dominant = dominant,
                     .dominant_share = 0.1 * static_cast<double>(10 - tasks.size()),
                     .instructions = 1});
  return tasks;
}

TEST(DominantQueues, ServeTheArrivalsOfTableFourOneInItsOrder) {
  EXPECT_THAT(order_of(serve(table_4_1(), QueueOrder::dominant_queues, {})),
              ElementsAre(0, 1, 3, 2, 5, 6, 4, 9, 7, 8));
}

TEST(DominantQueues, OtherOrdersAreThatOfArrivalAndThatOfTheLowestShare) {
  EXPECT_THAT(order_of(serve(table_4_1(), QueueOrder::arrival, {})),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(order_of(serve(table_4_1(), QueueOrder::lowest_share, {})),
              ElementsAre(9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

TEST(SpaceSharedHost, ATaskEndsItsInstructionsOverTheMeanStrengthAfterItsStart) {
  // (6.2): (100 + 300) / 2 = 200 Mips for either element; (6.1): 0 + 400 / 200, 0 + 100 / 200, 0.5 + 200 /
  // 200.
  const std::vector<QueuedTask> tasks = {{.arrival = 0, .instructions = 400},
                                         {.arrival = 0, .instructions = 100},
                                         {.arrival = 0.1, .instructions = 200}};
  const std::vector<ServedTask> served = serve(tasks, QueueOrder::arrival, {.strength = {100, 300}});
  ASSERT_EQ(served.size(), 3u);
  EXPECT_DOUBLE_EQ(served[0].finish, 2);
  EXPECT_DOUBLE_EQ(served[1].finish, 0.5);
  EXPECT_DOUBLE_EQ(served[2].start, 0.5);
  EXPECT_DOUBLE_EQ(served[2].finish, 1.5);
}

TEST(SpaceSharedHost, AnIdleElementWaitsForTheNextArrival) {
  const std::vector<QueuedTask> tasks = {{.arrival = 1, .instructions = 2},
                                         {.arrival = 10, .instructions = 2}};
  const std::vector<ServedTask> served = serve(tasks, QueueOrder::dominant_queues, {});
  EXPECT_DOUBLE_EQ(served[0].start, 1);
  EXPECT_DOUBLE_EQ(served[1].start, 10);
}

TEST(SpaceSharedHost, NobodyWaitsForATaskThatHasNotArrived) {
  // The second arrives first in its queue's turn, but the third is there when the element is idle.
  const std::vector<QueuedTask> tasks = {
      {.arrival = 0, .dominant = 0, .instructions = 1},
      {.arrival = 0.5, .dominant = 1, .dominant_share = 0.9, .instructions = 1},
      {.arrival = 5, .dominant = 0, .dominant_share = 0.1, .instructions = 1}};
  EXPECT_THAT(order_of(serve(tasks, QueueOrder::lowest_share, {})), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace mirab::simulation
