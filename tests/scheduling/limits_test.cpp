// What a fill refuses because nobody could wait for its end.
#include <gmock/gmock.h>

#include "scheduling/clusters.hpp"
#include "scheduling/fill/integer_problem.hpp"

namespace mirab::scheduling {
namespace {

using testing::HasSubstr;

TEST(FillErrors, MoreThanTenMillionServersAreTooMany) {
  Random random(1);
  const Problem cluster =
      problem({server("s", {"1"}, 9'999'999), server("t", {"1"}, 2)}, {limited(user("a", {"1"}), "1")});
  const Result<mirab::Outcome> outcome = fill(cluster, options({}), random);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().key, "servers");
}

TEST(FillErrors, TasksThatWouldTakeHoursAreRefusedUnlessLimited) {
  Random random(1);
  const auto cluster = [](User small) {
    return problem({server("s", {"64Gi"})}, {user("a", {"1Gi"}), std::move(small)});
  };
  const Result<mirab::Outcome> endless = fill(cluster(user("b", {"4"})), options({}), random);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().key, "users[1].demand");
  EXPECT_THAT(endless.error().message, HasSubstr("'b'"));
  EXPECT_EQ(fill(cluster(limited(user("b", {"4"}), "3")), options({}), random)->allocation.tasks[1], 3);
}

// The limit is looked at alone, since what passes it just so would take hours to fill.
TEST(FillErrors, TheTasksOfAllUsersTogetherAreLimited) {
  const auto pinned = [](const std::string& name, const std::string& server) {
    User user{.name = name, .demand = amounts({"1", "0"})};
    user.servers = {server};
    return user;
  };
  const auto refused = [](const Problem& cluster) {
    return check_ends_in_time(IntegerProblem(cluster)).has_value();
  };
  const std::vector<std::string> six_billion = {"6000000000", "1"};
  EXPECT_FALSE(refused(problem({server("s", six_billion)}, {pinned("a", "s")})));
  EXPECT_TRUE(refused(problem({server("s", six_billion, 2)}, {pinned("a", "s")})));
  EXPECT_TRUE(refused(
      problem({server("s", six_billion), server("t", six_billion)}, {pinned("a", "s"), pinned("b", "t")})))
      << "each alone is within the limit";
  EXPECT_FALSE(refused(problem({server("s", six_billion)}, {pinned("a", "s"), pinned("b", "s")})))
      << "they share one server";
  EXPECT_FALSE(refused(problem({server("s", six_billion), server("t", six_billion)},
                               {pinned("a", "s"), limited(pinned("b", "t"), "4000000000")})));
  EXPECT_TRUE(refused(problem({server("s", six_billion), server("t", six_billion)},
                              {pinned("a", "s"), limited(pinned("b", "t"), "4000000001")})));
  // Two resources, of which each user fills one.
  EXPECT_TRUE(refused(
      problem({server("s", {"6000000000", "6000000000"})}, {user("a", {"1", "0"}), user("b", {"0", "1"})})));
  // Many users whose limits are more than the server holds.
  EXPECT_FALSE(refused(problem({server("s", six_billion)}, {limited(pinned("a", "s"), "5500000000"),
                                                            limited(pinned("b", "s"), "5500000000")})));
}

TEST(FillErrors, TooManyTasksNameTheUserWithTheMost) {
  Random random(1);
  const Result<mirab::Outcome> outcome =
      fill(problem({server("s", {"9000000000000000000"}, 1)},
                   {user("a", {"1000000000000000000"}), user("b", {"1"}), user("c", {"3"})}),
           options({}), random);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().key, "users[1].demand");
  EXPECT_EQ(outcome.error().message,
            "more than 10000000000 tasks of all users together might fit, most of them of user 'b', and fill "
            "places them one by one; give it larger tasks, or limit them with `tasks`");
}

}  // namespace
}  // namespace mirab::scheduling
