#include "scheduling/eligibility.hpp"

#include <gtest/gtest.h>

#include "scheduling/kinds.hpp"

namespace mirab::scheduling {
namespace {

Selection zone(const std::string& value) { return {.servers = {}, .select = {{"zone", {value}}}}; }

TEST(Eligibility, EqualSelectionsShareANumberAsLongAsSomebodyHoldsIt) {
  Eligibility eligibility;
  const std::uint32_t north = eligibility.hold(zone("north"));
  EXPECT_EQ(eligibility.hold(zone("north")), north);
  eligibility.release(north);
  EXPECT_EQ(eligibility.hold(zone("north")), north);
  EXPECT_NE(eligibility.hold(zone("south")), north);
  EXPECT_EQ(eligibility.hold(Selection{}), 0U);
}

TEST(Eligibility, TheNumberOfASelectionThatNobodyHoldsIsGivenAgain) {
  Eligibility eligibility;
  eligibility.server_added(0, {.name = "a", .labels = {{"zone", "north"}}});
  eligibility.server_added(1, {.name = "b", .labels = {{"zone", "south"}}});
  const std::uint32_t north = eligibility.hold(zone("north"));
  const std::uint64_t first = eligibility.sequence(north);
  eligibility.release(north);
  const std::uint32_t south = eligibility.hold(zone("south"));
  EXPECT_EQ(south, north);
  EXPECT_NE(eligibility.sequence(south), first);
  EXPECT_FALSE(eligibility.contains(south, 0));
  EXPECT_TRUE(eligibility.contains(south, 1));
}

TEST(Eligibility, ServersThatComeAndGoAreInTheSelectionsThatAdmitThem) {
  Eligibility eligibility;
  const std::uint32_t north = eligibility.hold(zone("north"));
  eligibility.server_added(3, {.name = "a", .labels = {{"zone", "north"}}});
  EXPECT_TRUE(eligibility.contains(north, 3));
  EXPECT_EQ(eligibility.description_of(3).name, "a");
  eligibility.server_removed(3);
  EXPECT_FALSE(eligibility.contains(north, 3));
  eligibility.server_added(3, {.name = "a", .labels = {{"zone", "south"}}});
  EXPECT_FALSE(eligibility.contains(north, 3));
}

TEST(Kinds, ForgetTheServersOfASelectionThatHadTheNumberBefore) {
  Eligibility eligibility;
  Kinds kinds;
  const Amounts capacity{4};
  for (const auto& [server, place] : {std::pair{0U, "north"}, {1U, "south"}}) {
    eligibility.server_added(server, {.name = place, .labels = {{"zone", place}}});
    kinds.hold(server, capacity);
  }
  const std::uint32_t north = eligibility.hold(zone("north"));
  EXPECT_TRUE(kinds.servers_of(0, north, eligibility)->contains(0));
  eligibility.release(north);
  const std::uint32_t south = eligibility.hold(zone("south"));
  EXPECT_FALSE(kinds.servers_of(0, south, eligibility)->contains(0));
  EXPECT_TRUE(kinds.servers_of(0, south, eligibility)->contains(1));
}

}  // namespace
}  // namespace mirab::scheduling
