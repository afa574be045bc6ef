// Keys as functions of what a user has, or would have: by hand.
#include <gtest/gtest.h>

#include "scheduling/engines.hpp"
#include "scheduling/order/disciplines.hpp"

namespace mirab::scheduling {
namespace {

/// A server of (9, 18), and a user with φ = 1/2 who runs two tasks of (1, 4) and waits to run more.
struct One {
  Ledger ledger{2};
  ServerClasses server_classes;
  ShareContext context{.ledger = ledger,
                       .server_classes = server_classes,
                       .rounds = Rounds(2),
                       .prices = {0.5, 0.25},
                       .scale = fairness::ShareScale(2)};
  TaskClassIndex task_class;

  One() {
    const Amounts capacity{9, 18};
    ledger.server_pool.add(capacity);
    const ServerIndex server(0);
    ledger.servers.add_at(server, {.server_class = server_classes.hold(server, capacity)});
    task_class = ledger.task_classes.hold({.user = {}, .demand = {1, 4}, .tasks = 1});
    const UserIndex user = ledger.add_user({.name = "u", .weight = {.numerator = 1, .denominator = 2}});
    const QueueIndex queue = ledger.add_queue(user, task_class);
    const JobIndex job = ledger.jobs.add({.queue = queue, .waiting = 3});
    ledger.enqueue(job);
    for (int task = 0; task < 2; ++task) ledger.start(job, server, {});
    context.alone.push_back(tasks_alone(ledger, server_classes, task_class));
    context.alone_value.push_back(context.alone[task_class].get_d());
  }

  /// What the user would have with this many more tasks.
  UsageAfter with(std::int64_t more) const {
    UsageAfter after(ledger, UserIndex(0));
    after.add(task_class, Amounts{1, 4}, more);
    return after;
  }

  double rounded(const ShareFunction& share, std::int64_t more) const {
    const UsageAfter after = with(more);
    return share.rounded(context, after.usage(), after.weight());
  }
};

/// φ = 1/2 doubles the shares.
TEST(ShareFunction, FollowsTheTasksThatComeAndEnd) {
  const One one;
  EXPECT_DOUBLE_EQ(one.rounded(kRoundRobinShare, 1), 6);
  EXPECT_DOUBLE_EQ(one.rounded(kDrfShare, 1), 4.0 / 3) << "12 / 18 / φ";
  EXPECT_DOUBLE_EQ(one.rounded(kAssetShare, 1), 2) << "(3 / 9 + 12 / 18) / φ";
  EXPECT_DOUBLE_EQ(one.rounded(kPfShare, 1), 2 * (3.0 / 9 * 0.5 + 12.0 / 18 * 0.25)) << "at the prices";
  EXPECT_DOUBLE_EQ(one.rounded(kTsfShare, 1), 4.0 / 3) << "18 / 4 tasks alone";
  EXPECT_DOUBLE_EQ(one.rounded(kDrfShare, -1), 4.0 / 9);
  EXPECT_EQ(one.rounded(kTsfShare, -2), 0);
}

/// 3 tasks at φ = 1/2 against 6 tasks at φ = 1, for which the doubles need not be equal; and against 1 more.
TEST(ShareFunction, ComparesExactlyWhatItRounds) {
  const One one;
  const Weight twice{.numerator = 1, .denominator = 1};
  const UsageAfter three = one.with(1), six = one.with(4), seven = one.with(5);
  for (const ShareFunction* share : {&kRoundRobinShare, &kDrfShare, &kAssetShare, &kPfShare, &kTsfShare}) {
    const auto order = [&](const UsageAfter& other) {
      return share->compare(one.context, three.usage(), three.weight(), other.usage(), twice);
    };
    EXPECT_TRUE(order(six) == 0);
    EXPECT_TRUE(order(seven) < 0);
    EXPECT_TRUE(order(three) > 0);
  }
}

}  // namespace
}  // namespace mirab::scheduling
