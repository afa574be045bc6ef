// Keys as functions of what a user has: by hand, and the same numbers as those of the disciplines.
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
                       .scale = ShareScale(2)};
  std::uint32_t task_class;

  One() {
    const Amounts capacity{9, 18};
    ledger.server_pool.add(capacity);
    ledger.servers.add_at(0, {.kind = server_classes.hold(0, capacity)});
    task_class = ledger.task_classes.hold({.user = {}, .demand = {1, 4}, .tasks = 1});
    const std::uint32_t user = ledger.add_user({.name = "u", .weight = {.numerator = 1, .denominator = 2}});
    const std::uint32_t queue = ledger.add_queue(user, task_class);
    const std::uint32_t job = ledger.jobs.add({.queue = queue, .waiting = 3});
    ledger.enqueue(job);
    for (int task = 0; task < 2; ++task) ledger.start(job, 0, {});
    context.alone = {tasks_alone(ledger, server_classes, task_class)};
    context.alone_value = {context.alone[0].get_d()};
  }

  /// Exactly, with this many more tasks.
  mpq_class level(const Level& level, std::int64_t more) const {
    Holding holding = Holding::of(ledger, 0);
    holding.add(task_class, Amounts{1, 4}, more);
    const mpq_class exact = level.exact(context, holding);
    EXPECT_NEAR(level.rounded(context, holding), exact.get_d(), 1e-12 * exact.get_d());
    return exact;
  }
};

TEST(Level, IsTheKeyOfTheDiscipline) {
  const One one;
  const Entry entry{.queue = 0, .lane = 0};
  EXPECT_DOUBLE_EQ(one.level(kRoundRobinLevel, 0).get_d(), round_robin_key(one.context, entry));
  EXPECT_DOUBLE_EQ(one.level(kDrfLevel, 0).get_d(), drf_key(one.context, entry));
  EXPECT_DOUBLE_EQ(one.level(kAssetLevel, 0).get_d(), asset_key(one.context, entry));
  EXPECT_DOUBLE_EQ(one.level(kTsfLevel, 0).get_d(), tsf_key(one.context, entry));
  EXPECT_EQ(one.level(kPfLevel, 0).get_d(), pf_key(one.context, entry));
}

TEST(Level, FollowsTheTasksThatComeAndEnd) {
  const One one;
  EXPECT_EQ(one.level(kRoundRobinLevel, 1), 6);
  EXPECT_EQ(one.level(kDrfLevel, 1), mpq_class(4, 3)) << "12 / 18 / φ";
  EXPECT_EQ(one.level(kAssetLevel, 1), 2) << "(3 / 9 + 12 / 18) / φ";
  EXPECT_EQ(one.level(kTsfLevel, 1), mpq_class(4, 3)) << "18 / 4 tasks alone";
  EXPECT_EQ(one.level(kDrfLevel, -1), mpq_class(4, 9));
  EXPECT_EQ(one.level(kTsfLevel, -2), 0);
}

}  // namespace
}  // namespace mirab::scheduling
