#include "service/command_queue.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace mirab::service {
namespace {

using std::chrono::milliseconds;

CommandWork work(std::size_t commands, std::vector<std::string>* order, const std::string& name) {
  CommandWork one;
  one.commands.resize(commands);
  one.reply = [order, name](live::Answer) { order->push_back(name); };
  return one;
}

std::optional<Full> push(CommandQueue& queue, CommandWork work, const std::string& tenant,
                         bool is_urgent = false) {
  return queue.push(work, tenant, is_urgent);
}

std::vector<std::string> names(std::vector<CommandWork> taken, std::vector<std::string>& order) {
  for (CommandWork& each : taken) each.reply({});
  return std::exchange(order, {});
}

TEST(CommandQueue, TakesTenantsInTurn) {
  CommandQueue queue(10'000);
  std::vector<std::string> order;
  for (int n = 0; n < 1000; ++n) ASSERT_FALSE(push(queue, work(1, &order, "flood"), "flood"));
  ASSERT_FALSE(push(queue, work(1, &order, "quiet"), "quiet"));
  const auto first = names(queue.take(100, milliseconds(0)), order);
  EXPECT_NE(std::find(first.begin(), first.end(), "quiet"), first.end());
}

TEST(CommandQueue, LeavesHalfOfItselfToTheOthers) {
  CommandQueue queue(100);
  std::vector<std::string> order;
  int taken = 0;
  while (!push(queue, work(1, &order, "flood"), "flood")) ++taken;
  EXPECT_EQ(taken, 50);
  EXPECT_EQ(push(queue, work(1, &order, "flood"), "flood"), Full::tenant);
  EXPECT_FALSE(push(queue, work(1, &order, "quiet"), "quiet"));
}

TEST(CommandQueue, TakesUrgentWorkFirstAndWhenItIsFull) {
  CommandQueue queue(4);
  std::vector<std::string> order;
  while (!push(queue, work(1, &order, "common"), "")) {
  }
  ASSERT_FALSE(push(queue, work(1, &order, "urgent"), "", true));
  EXPECT_EQ(names(queue.take(1, milliseconds(0)), order), std::vector<std::string>{"urgent"});
}

TEST(CommandQueue, TakesUrgentWorkOfTenantsInTurn) {
  CommandQueue queue(1'000);
  std::vector<std::string> order;
  for (int n = 0; n < 1000; ++n) ASSERT_FALSE(push(queue, work(1, &order, "flood"), "flood", true));
  ASSERT_FALSE(push(queue, work(1, &order, "quiet"), "quiet", true));
  const auto first = names(queue.take(100, milliseconds(0)), order);
  EXPECT_NE(std::find(first.begin(), first.end(), "quiet"), first.end());
}

TEST(CommandQueue, LeavesAQuarterOfABatchToWorkThatIsNotUrgent) {
  CommandQueue queue(1'000);
  std::vector<std::string> order;
  for (const char* tenant : {"a", "b", "c"}) {
    for (int n = 0; n < 500; ++n) ASSERT_FALSE(push(queue, work(1, &order, "cancel"), tenant, true));
  }
  for (int n = 0; n < 100; ++n) ASSERT_FALSE(push(queue, work(1, &order, "submit"), "quiet"));
  const auto first = names(queue.take(100, milliseconds(0)), order);
  EXPECT_EQ(std::count(first.begin(), first.end(), "submit"), 25);
  EXPECT_EQ(std::count(first.begin(), first.end(), "cancel"), 75);
}

TEST(CommandQueue, TakesAListThatIsLargerThanATurn) {
  CommandQueue queue(10'000);
  std::vector<std::string> order;
  ASSERT_FALSE(push(queue, work(1000, &order, "list"), "a"));
  std::vector<CommandWork> taken;
  for (int n = 0; n < 100 && taken.empty(); ++n) taken = queue.take(1024, milliseconds(0));
  EXPECT_EQ(taken.size(), 1U);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(CommandQueue, TakesNothingMoreOnceItIsClosed) {
  CommandQueue queue(4);
  std::vector<std::string> order;
  ASSERT_FALSE(push(queue, work(1, &order, "a"), "a"));
  queue.close();
  EXPECT_EQ(push(queue, work(1, &order, "b"), "a"), Full::all);
  EXPECT_EQ(queue.take(9, milliseconds(0)).size(), 1U);
}

}  // namespace
}  // namespace mirab::service
