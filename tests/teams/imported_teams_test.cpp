// What all importers of queues share: names, parents, amounts, and the teams file that is written.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "teams/read_back.hpp"

namespace mirab {
namespace {

using teams::arrange;
using teams::Group;
using teams::NotKept;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Group queue(const std::string& name, std::optional<std::string> parent = {}) {
  return {.id = name,
          .name = name,
          .kind = "queue",
          .parent = std::move(parent),
          .position = {.key = "q." + name, .file = "f", .line = 7}};
}

TEST(ImportedTeams, StandAfterTheirParents) {
  const auto teams = arrange("users", {queue("c", "b"), queue("b", "a"), queue("a"), queue("d", "a")}, {});
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: a
    groups:
      - name: b
        groups:
          - name: c
            users: []
      - name: d
        users: []
)");
}

TEST(ImportedTeams, OfAParentThatIsNotThereAreRefused) {
  const auto teams = arrange("users", {queue("team"), queue("b", "taem")}, {});
  ASSERT_FALSE(teams);
  EXPECT_EQ(describe(teams.error()),
            "f:7: q.b: there is no queue 'taem'; did you mean team? Known are b, team");
}

TEST(ImportedTeams, OfACycleAreRefused) {
  const auto teams = arrange("users", {queue("x", "a"), queue("a", "b"), queue("b", "a")}, {});
  ASSERT_FALSE(teams);
  EXPECT_EQ(describe(teams.error()), "f:7: q.a: the queue 'a' is above itself");
  const auto own = arrange("users", {queue("a", "a")}, {});
  ASSERT_FALSE(own);
  EXPECT_THAT(describe(own.error()), HasSubstr("is above itself"));
}

TEST(ImportedTeams, OfMoreLevelsThanTheReaderTakesAreRefused) {
  std::vector<Group> groups = {queue("q1")};
  while (groups.size() < teams::kMostLevels)
    groups.push_back(queue(fmt::format("q{}", groups.size() + 1), groups.back().id));
  groups.back().guarantee.amounts = {{"cpu", 1}};
  groups.back().members = {"alice"};
  test::read_back(arrange("users", groups, {}));
  groups.push_back(queue("one-more", groups.back().id));
  const auto teams = arrange("users", groups, {});
  ASSERT_FALSE(teams);
  EXPECT_THAT(describe(teams.error()),
              HasSubstr("q.one-more: the queue 'one-more' stands more than 15 levels deep"));
}

// Groups and users of a cluster have one set of names.
TEST(ImportedTeams, AreRenamedWhereAMemberOrAnotherGroupHasTheName) {
  Group first = queue("shop"), second = queue("a"), third = queue("b");
  first.members = {"shop", "shop-queue"};
  second.name = third.name = "both";
  const auto teams = arrange("users", {first, second, third}, {});
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: shop-queue-2
    users: [shop, shop-queue]
  - name: both
    users: []
  - name: both-queue
    users: []
)");
  EXPECT_THAT(
      teams->notices,
      ElementsAre(
          "renamed, since a member or another group has the name: 2 groups: both-queue, shop-queue-2"));
}

TEST(ImportedTeams, HaveEachMemberOnce) {
  Group first = queue("a"), second = queue("b");
  first.members = {"alice", "alice"};
  second.members = {"alice", "bob"};
  const auto teams = arrange("users", {first, second}, {});
  EXPECT_THAT(test::read_back(teams), HasSubstr("[alice]\n  - name: b\n    users: [bob]"));
  EXPECT_THAT(teams->notices, ElementsAre("not kept, that it is in b too, beside a: 1 name: alice"));
}

TEST(ImportedTeams, WithAMemberThatStandsForOthersAreRefused) {
  Group group = queue("a");
  group.members = {"ml-*"};
  const auto teams = arrange("users", {group}, {});
  ASSERT_FALSE(teams);
  EXPECT_THAT(describe(teams.error()), HasSubstr("the name 'ml-*': holds a *"));
}

// What the reader of a teams file refuses: less than the members, a reserve above, a limit below.
TEST(ImportedTeams, HaveQuotasThatTheReaderTakes) {
  Group all = queue("all"), part = queue("part", "all");
  all.guarantee.amounts = {{"cpu", 4}};
  all.limit.amounts = {{"cpu", 5}, {"gpu", 3}};
  part.guarantee.amounts = {{"cpu", 6}, {"gpu", 2}};
  part.reserved.amounts = {{"cpu", 7}, {"memory", 1}};
  const auto teams = arrange("users", {all, part}, {});
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: all
    guarantee: {cpu: 6, gpu: 2}
    limit: {cpu: 6, gpu: 3}
    groups:
      - name: part
        guarantee: {cpu: 6, gpu: 2}
        reserved: {cpu: 6}
        users: []
)");
  EXPECT_THAT(teams->notices, ElementsAre("lowered to the guarantee: the reserve: 1 queue: part",
                                          "raised to the guarantees below: the guarantee: 1 queue: all",
                                          "raised to the guarantee: the limit: 1 queue: all"));
}

// A resource that a guarantee leaves out is 0 in it, and those below have some.
TEST(ImportedTeams, AddWhatAGuaranteeLeavesOutWithoutANotice) {
  Group all = queue("all"), part = queue("part", "all");
  all.guarantee.amounts = {{"cpu", 4}};
  part.guarantee.amounts = {{"gpu", 2}};
  const auto teams = arrange("users", {all, part}, {});
  EXPECT_THAT(test::read_back(teams), HasSubstr("guarantee: {cpu: 4, gpu: 2}"));
  EXPECT_THAT(teams->notices, IsEmpty());
}

TEST(ImportedTeams, ThatAreClosedHaveNothingNorHaveThoseBelow) {
  Group all = queue("all"), part = queue("part", "all");
  all.is_closed = true;
  all.limit.amounts = {{"cpu", 5}};
  part.guarantee.amounts = {{"cpu", 6}};
  part.reserved.amounts = {{"cpu", 6}};
  EXPECT_EQ(test::read_back(arrange("users", {all, part}, {})), R"(groups:
  - name: all
    limit: 0%
    groups:
      - name: part
        users: []
)");
}

TEST(ImportedTeams, OfAmountsBeyondAllAreRefused) {
  Group group = queue("a");
  group.guarantee.amounts = {{"cpu", mpz_class("1000000000000000001")}};
  const auto teams = arrange("users", {group}, {});
  ASSERT_FALSE(teams);
  EXPECT_EQ(describe(teams.error()), "f:7: q.a: the amount of cpu of 'a' is more than 10^18");
}

TEST(ImportedTeams, AreWrittenSoThatStrangeNamesReadBack) {
  Group group = queue("yes");
  group.members = {"a: b", "0", "\"quoted\""};
  group.limit.amounts = {{"x y", mpq_class(1, 3)}};
  const std::string text = test::read_back(arrange("users", {group}, {}));
  EXPECT_THAT(text, HasSubstr(R"(- name: "yes")"));
  EXPECT_THAT(teams::write_teams_yaml(*arrange("users", {group}, {}), {"One.", "Two\nlines."}),
              testing::StartsWith("# One.\n# Two\n# lines.\ngroups:\n"));
}

}  // namespace
}  // namespace mirab
