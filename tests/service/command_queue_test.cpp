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

/// As the core answers a part: a number for each of its commands.
live::Answer answer_of_part(std::size_t first, std::size_t count, live::Revision revision) {
  live::Answer answer{.status = 200, .body = {{"answers", live::Json::array()}}, .revision = revision};
  for (std::size_t n = first; n < first + count; ++n) answer.body["answers"].push_back(n);
  answer.body["revision"] = revision;
  return answer;
}

TEST(CommandQueue, ServesOthersBetweenThePartsOfALongList) {
  CommandQueue queue(10'000);
  std::vector<std::string> order;
  ASSERT_FALSE(push(queue, work(1'000, &order, "list"), "a"));
  ASSERT_FALSE(push(queue, work(1, &order, "quiet"), "b"));
  EXPECT_EQ(queue.size(), 1'001U);
  const std::vector<CommandWork> taken = queue.take(65, milliseconds(0));
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].commands.size(), 64U);
  EXPECT_TRUE(taken[0].is_list);
  EXPECT_EQ(taken[1].commands.size(), 1U);
  EXPECT_EQ(queue.size(), 936U);
}

TEST(CommandQueue, JoinsTheAnswersToThePartsOfAListInWhateverOrderTheyCome) {
  CommandQueue queue(10'000);
  CommandWork list;
  list.commands.resize(150);
  std::vector<live::Answer> answers;
  list.reply = [&](live::Answer answer) { answers.push_back(std::move(answer)); };
  ASSERT_FALSE(push(queue, std::move(list), "a"));
  const std::vector<CommandWork> parts = queue.take(1'000, milliseconds(0));
  ASSERT_EQ(parts.size(), 3U);
  parts[2].reply(answer_of_part(128, 22, 9));
  parts[0].reply(answer_of_part(0, 64, 7));
  EXPECT_TRUE(answers.empty());
  parts[1].reply(answer_of_part(64, 64, 8));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].status, 200);
  EXPECT_EQ(answers[0].revision, 9U);
  EXPECT_EQ(answers[0].body, answer_of_part(0, 150, 9).body);
}

TEST(CommandQueue, AnswersAListOfWhichAPartWasNotAppliedWithWhatWasWrong) {
  CommandQueue queue(10'000);
  CommandWork list;
  list.commands.resize(100);
  std::vector<live::Answer> answers;
  list.reply = [&](live::Answer answer) { answers.push_back(std::move(answer)); };
  ASSERT_FALSE(push(queue, std::move(list), "a"));
  const std::vector<CommandWork> parts = queue.take(1'000, milliseconds(0));
  ASSERT_EQ(parts.size(), 2U);
  parts[0].reply(answer_of_part(0, 64, 7));
  parts[1].reply(live::answer_of(live::Problem{.status = 503, .detail = "the disk is full"}, 7));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].status, 503);
}

TEST(CommandQueue, TakesAllOfAListOrNothing) {
  CommandQueue queue(400);
  std::vector<std::string> order;
  ASSERT_FALSE(push(queue, work(100, &order, "before"), "a"));
  CommandWork list = work(101, &order, "list");
  EXPECT_EQ(queue.push(list, "a", false), Full::tenant);
  EXPECT_EQ(list.commands.size(), 101U) << "what is not taken stays with its owner";
  EXPECT_EQ(queue.size(), 100U);
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
