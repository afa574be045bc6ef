// Why a task of a gang, or of a job with terms of placement, waits; and why it was placed.
#include <gmock/gmock.h>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kWhyTermsResources = {"cpu"};

std::map<std::string, std::string> in_zone(const std::string& value) { return {{"zone", value}}; }

std::string words(const WhyNotOn& why) { return describe(why, kWhyTermsResources); }

TEST(WhyTerms, AGangTellsForHowManyThereIsRoom) {
  SmallEngine small("drf", "first-fit", 1, Tie::first, Oversized::wait);
  small.server({2});
  small.server({3});
  const UserId user = small.user();
  const JobId gang = small.job({.user = user, .demand = {1}, .tasks = 8, .gang = 6});
  WhyWaiting why = *small.engine.why_waiting(gang, small.now);
  EXPECT_EQ(why.gang, (WhyWaiting::Gang{.together = 6, .room = 5}));
  EXPECT_EQ(why.servers.with_room, 2) << "for one of them";
  EXPECT_FALSE(why.is_next());
  EXPECT_THAT(describe(why, kWhyTermsResources),
              HasSubstr("6 of them have to start together, and there is room for 5\n"));
  small.server({1});
  why = *small.engine.why_waiting(gang, small.now);
  EXPECT_EQ(why.gang->room, 6);
  EXPECT_TRUE(why.is_next());
  EXPECT_THAT(describe(why, kWhyTermsResources), HasSubstr("the next step places them\n"));
  EXPECT_EQ(small.step()->with.size(), 5U);
  EXPECT_FALSE(small.engine.why_waiting(gang, small.now)->gang) << "the others start one by one";
}

TEST(WhyTerms, TheNearestMissOfAGangIsForOneOfIt) {
  SmallEngine small("drf", "first-fit", 1, Tie::first, Oversized::wait);
  small.server({4}, "node");
  const UserId user = small.user();
  small.job(user, {3});
  small.run();
  const JobId gang = small.job({.user = user, .demand = {2}, .tasks = 2, .gang = 2});
  const WhyWaiting why = *small.engine.why_waiting(gang, small.now);
  EXPECT_THAT(why.nearest_miss->to_free, ElementsAre(1));
  EXPECT_THAT(describe(why, kWhyTermsResources),
              HasSubstr("nearest is node, with 1 cpu to free for one of them\n"));
}

TEST(WhyTerms, AServerWithAllThatTheJobAllowsOnOneIsToldApart) {
  SmallEngine small("drf");
  const ServerId server = small.server({9});
  const JobId job = small.job({.user = small.user(), .demand = {1}, .tasks = 3, .per_server = 2});
  small.run();
  const WhyWaiting why = *small.engine.why_waiting(job, small.now);
  EXPECT_EQ(why.servers.per_server, 1);
  EXPECT_EQ(why.servers.with_room, 0);
  EXPECT_FALSE(why.nearest_miss) << "nothing that comes free there helps";
  EXPECT_THAT(describe(why, kWhyTermsResources),
              HasSubstr("none of 1 server has room: 1 has as much of it as it allows\n"));
  EXPECT_EQ(words(*small.engine.why_not_on(job, server)), "it has 2 tasks of the job, of at most 2\n");
}

TEST(WhyTerms, ADomainThatIsTooFarAheadIsToldApart) {
  SmallEngine small("drf");
  const ServerId a = small.server({9}, "a", in_zone("a"));
  const ServerId b = small.server({1}, "b", in_zone("b"));
  const ServerId nowhere = small.server({9}, "c");
  const JobId job =
      small.job({.user = small.user(), .demand = {1}, .tasks = 5, .spread = Spread{.label = "zone"}});
  EXPECT_EQ(small.run().size(), 3U) << "two in zone a, one in zone b";
  const WhyWaiting why = *small.engine.why_waiting(job, small.now);
  EXPECT_EQ(why.servers.spread, 1);
  EXPECT_EQ(why.servers.full, 1);
  EXPECT_EQ(why.servers.not_allowed, 1);
  EXPECT_THAT(why.constraints,
              ElementsAre(WhyWaiting::Constraint{.label = "zone", .excludes = 1, .alone = 1}));
  EXPECT_EQ(why.nearest_miss->server, b);
  EXPECT_EQ(words(*small.engine.why_not_on(job, a)),
            "its domain of zone has 2 tasks of the job, of at most 2 now\n");
  EXPECT_EQ(words(*small.engine.why_not_on(job, nowhere)), "its label zone is not what is asked for\n");
  EXPECT_THAT(describe(why, kWhyTermsResources), HasSubstr("1 is in a domain too far ahead"));
}

TEST(WhyTerms, AnotherDomainThanThatOfTheRunningTasksIsToldApart) {
  SmallEngine small("drf");
  small.server({1}, "a", in_zone("a"));
  const ServerId b = small.server({9}, "b", in_zone("b"));
  const JobId job = small.job({.user = small.user(), .demand = {1}, .tasks = 2, .pack = "zone"});
  EXPECT_EQ(small.run().size(), 1U);
  const WhyWaiting why = *small.engine.why_waiting(job, small.now);
  EXPECT_EQ(why.servers.pack, 1);
  EXPECT_EQ(why.servers.full, 1);
  EXPECT_EQ(words(*small.engine.why_not_on(job, b)), "what runs of the job is in another domain of zone\n");
  EXPECT_THAT(describe(why, kWhyTermsResources), HasSubstr("1 is in another domain than what runs of it"));
}

// A gang of 3, two of which may stand on a server: the first may go to either server.
TEST(WhyTerms, AGangThatIsPlacedTellsHowManyStartAndWhyTheFirstIsThere) {
  SmallEngine small("drf");
  const ServerId first = small.server({4}, "one");
  const ServerId second = small.server({2}, "two");
  small.server({1}, "three");
  small.job({.user = small.user(), .demand = {1}, .tasks = 3, .gang = 3, .per_server = 2});
  WhyPlaced why;
  ASSERT_TRUE(small.engine.step(small.now, small.random, why));
  EXPECT_EQ(why.together, 3);
  EXPECT_EQ(why.server, first);
  EXPECT_EQ(why.runner_up_server, second);
  EXPECT_EQ(why.servers_with_room, 3);
  EXPECT_THAT(why.free_before, ElementsAre(4));
  EXPECT_THAT(why.free_after, ElementsAre(2)) << "two of them start there";
  EXPECT_THAT(describe(why, kWhyTermsResources), HasSubstr("3 tasks start together; of the first:\n"));
}

}  // namespace
}  // namespace mirab::scheduling
