// What a fill says of users of whom no server holds a single task.
#include <gtest/gtest.h>

#include "scheduling/clusters.hpp"

namespace mirab::scheduling {
namespace {

TEST(FillNotices, AUserWhoseTaskNoServerHoldsIsNamedWithWhatIsShort) {
  const Problem cluster = problem({server("small", {"4", "64"}, 9), server("large", {"16", "32"})},
                                  {user("a", {"20", "1"}), user("b", {"1", "50"}), user("c", {"9", "40"})});
  EXPECT_EQ(
      filled(cluster, {}).notices,
      (std::vector<std::string>{
          "no server holds a task of user 'a': it takes 20 r0, and large, which comes nearest, has 16",
          "no server holds a task of user 'c': it takes 40 r1, and large, which comes nearest, has 32"}));
}

TEST(FillNotices, OnlyServersWhereTheUserMayRunHoldItsTasks) {
  User pinned = user("a", {"6"});
  pinned.servers = {"small"};
  const auto notices = [](User user) {
    return filled(problem({server("small", {"4"}), server("large", {"16"})}, {std::move(user)}), {}).notices;
  };
  EXPECT_EQ(notices(pinned),
            std::vector<std::string>{
                "no server holds a task of user 'a': it takes 6 r0, and small, which comes nearest, has 4"});
  pinned.demand_on["small"] = amounts({"3"});
  EXPECT_EQ(notices(pinned), std::vector<std::string>()) << "there it takes less";
  EXPECT_EQ(notices(limited(user("a", {"17"}), "0.5")), std::vector<std::string>()) << "it has no whole task";
}

TEST(FillNotices, AUserWhoOnlyLostToOthersIsNotInThem) {
  const mirab::Outcome outcome =
      filled(problem({server("s", {"4"})}, {user("a", {"4"}), user("b", {"4"})}), {.discipline = "fifo"});
  EXPECT_EQ(outcome.allocation.tasks[1], 0);
  EXPECT_EQ(outcome.notices, std::vector<std::string>());
}

TEST(FillNotices, AUserWhoWaitsForAResourceIsNamedWithIt) {
  EXPECT_EQ(filled(problem({server("s", {"4", "0", "0"})},
                           {user("a", {"1", "0", "0"}), waiting(user("b", {"1", "1", "2"}))}),
                   {})
                .notices,
            (std::vector<std::string>{
                "no server on which user 'b' may run has all that it asks for; missing: r1, r2"}));
}

TEST(FillNotices, AUserWhoWaitsForALabelIsNamed) {
  User labelled = waiting(user("b", {"1"}));
  labelled.select = {{"model", {"new"}}};
  EXPECT_EQ(filled(problem({server("s", {"4"})}, {user("a", {"1"}), labelled}), {}).notices,
            std::vector<std::string>{"user 'b' may run on none of the servers"});
}

TEST(FillNotices, OfManyUsersFiveAreNamed) {
  std::vector<User> users;
  for (int n = 0; n < 12; ++n) users.push_back(user(fmt::format("u{}", n), {"2"}));
  const mirab::Outcome outcome = filled(problem({server("s", {"1"}, 3)}, users), {});
  ASSERT_EQ(outcome.notices.size(), 6U);
  EXPECT_EQ(outcome.notices.back(), "no server holds a task of 7 more users");
}

}  // namespace
}  // namespace mirab::scheduling
