// Explanations in words: what they say, and in whose amounts.
#include <gmock/gmock.h>
#include <map>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

const std::vector<std::string> kWhyWordsResources = {"cpu", "MiB"};

/// An engine with two resources and users with names.
struct WhyWordsTwo : SmallEngine {
  explicit WhyWordsTwo(const std::string& discipline = "drf", const std::string& placement = "best-fit",
                       Tie tie = Tie::first)
      : SmallEngine(discipline, placement, 2, tie) {}

  UserId named(const std::string& name) { return *engine.apply(UserAdded{.name = name}, now); }
  std::string why(JobId job) const { return describe(*engine.why_waiting(job, now), kWhyWordsResources); }
  std::string explained() {
    WhyPlaced why;
    EXPECT_TRUE(engine.step(now, random, why));
    return describe(why, kWhyWordsResources);
  }
};

TEST(WhyWords, SayWhatIsInTheWayOnServers) {
  WhyWordsTwo two;
  const UserId alice = two.named("alice");
  two.server({4, 9}, "full");
  two.server({1, 9}, "small");
  two.server({9, 9}, "other", {{"zone", "a"}});
  const ServerId gone = two.server({9, 9}, "gone");
  JobSubmitted there{.user = alice, .demand = {2, 1}};
  there.servers = {"full"};
  two.job(there);
  ASSERT_FALSE(two.engine.apply(ServerDrained{gone}, two.now));
  ASSERT_TRUE(two.step());
  JobSubmitted wanted{.user = two.named("bob"), .demand = {3, 4}, .tasks = 2};
  wanted.servers = {"full", "small", "gone"};
  EXPECT_EQ(two.why(two.job(wanted)),
            "2 tasks of bob wait\n"
            "none of 4 servers has room: 1 is full (too little cpu on 1), 1 is drained, 1 is too small (too "
            "little cpu on 1), 1 is not allowed\n"
            "1 server is excluded by name, 1 by that alone\n"
            "nearest is full, with 1 cpu to free\n");
}

TEST(WhyWords, TakeOutOfNamesWhatWouldSteerATerminal) {
  WhyWordsTwo two;
  two.server({1, 1}, "n\u202Eode");
  JobSubmitted wanted{.user = two.named("b\x1B[31mob"), .demand = {1, 1}, .tasks = 2};
  two.job(wanted);
  const std::string placed = two.explained();
  EXPECT_THAT(placed, ::testing::HasSubstr("b?[31mob is served"));
  EXPECT_THAT(placed, ::testing::HasSubstr("it goes to n?ode"));
  EXPECT_THAT(two.why(two.job(wanted)), ::testing::HasSubstr("nearest is n?ode"));
}

TEST(WhyWords, SayWhoComesBeforeAndWithWhatWeightNobodyWould) {
  WhyWordsTwo two;
  two.server({10, 10}, "node");
  const UserId alice = two.named("alice");
  const UserId bob = two.named("bob");
  two.job(alice, {6, 1});
  two.job(bob, {2, 1});
  two.run();
  two.job(bob, {1, 1});
  two.job(alice, {1, 2});
  two.job(alice, {1, 1});
  EXPECT_EQ(two.why(two.job(alice, {1, 1})),
            "1 task of alice waits\n"
            "1 of 1 server has room\n"
            "1 older job of alice for the same comes before it\n"
            "1 queue of alice for something else comes before it\n"
            "1 user comes before it\n"
            "first of all comes bob, whose key is 0.2 against 0.6\n"
            "with a weight above 3 alice comes first\n");
}

TEST(WhyWords, SayWhomFreezeWaitsFor) {
  WhyWordsTwo two("drf:blocking=freeze");
  two.server({10, 10}, "node");
  const UserId alice = two.named("alice");
  two.job(alice, {6, 1});
  two.run();
  two.job(two.named("bob"), {5, 1});
  EXPECT_EQ(two.why(two.job(alice, {1, 1})),
            "1 task of alice waits\n"
            "nothing is placed until there is room for the task of bob (blocking=freeze)\n"
            "1 of 1 server has room\n"
            "1 user comes before it\n"
            "first of all comes bob, whose key is 0 against 0.6\n");
}

TEST(WhyWords, SayThatATaskIsNextOrDrawnFor) {
  WhyWordsTwo two("drf", "best-fit", Tie::random);
  two.server({10, 10}, "node");
  const JobId job = two.job(two.named("alice"), {6, 1});
  EXPECT_EQ(two.why(job),
            "1 task of alice waits\n"
            "the next step places one\n"
            "1 of 1 server has room\n");
  two.job(two.named("bob"), {6, 1});
  EXPECT_EQ(two.why(job),
            "1 task of alice waits\n"
            "1 of 1 server has room\n"
            "lots are drawn with 1 user whose key is equal\n");
}

TEST(WhyWords, SayWhatIsInTheWayOnOneServer) {
  const auto words = [](const WhyNotOn& why) { return describe(why, kWhyWordsResources); };
  EXPECT_EQ(words({.reason = InTheWay::nothing}), "it has room\n");
  EXPECT_EQ(words({.reason = InTheWay::name}), "its name is not among those asked for\n");
  EXPECT_EQ(words({.reason = InTheWay::label, .label = "zone"}), "its label zone is not what is asked for\n");
  EXPECT_EQ(words({.reason = InTheWay::too_small, .label = {}, .missing = {0, 7}}),
            "it is too small by 7 MiB\n");
  EXPECT_EQ(words({.reason = InTheWay::drained}), "it is drained\n");
  EXPECT_EQ(words({.reason = InTheWay::full, .label = {}, .missing = {2, 7}}),
            "it is full: 2 cpu, 7 MiB to free\n");
}

TEST(WhyWords, SayWhyThisUserAndThisServer) {
  WhyWordsTwo two("drf", "worst-fit");
  two.server({4, 9}, "small");
  two.server({9, 9}, "large");
  two.job(two.named("alice"), {2, 1});
  two.job(two.named("bob"), {2, 1});
  EXPECT_EQ(two.explained(),
            "alice is served, whose key 0 is the lowest; 2 of 2 users that wait have a task that fits\n"
            "1 more user with an equal key: the tie rule decides\n"
            "next would be bob, with 0\n"
            "it goes to large, of 2 servers with room\n"
            "the second choice would be small\n"
            "number of such tasks that fit there: 4.5 against 2\n"
            "it leaves 7 cpu, 8 MiB there, of 9 cpu, 9 MiB\n");
}

TEST(WhyWords, CountUsersInWordsThatAgree) {
  WhyWordsTwo two("drf", "first-fit");
  two.server({4, 9}, "small");
  two.job(two.named("alice"), {2, 1}, 2);
  EXPECT_THAT(two.explained(), testing::HasSubstr("; 1 of 1 user that waits has a task that fits\n"));
  two.job(two.named("bob"), {3, 1});
  EXPECT_THAT(two.explained(), testing::HasSubstr("; 1 of 2 users that wait has a task that fits\n"));
}

TEST(WhyWords, SayTheLineOrTheKindOfServers) {
  const std::map<std::string, std::string> words_of = {
      {"mlf-drs",
       "alice is served, the head of the line of cpu, in round 1; 2 of 2 users that wait have a task that "
       "fits\n"
       "next would be bob\n"},
      {"ps-dsf",
       "alice is served, whose key 0 is the lowest; 2 of 2 users that wait have a task that fits\n"
       "1 more user with an equal key: the tie rule decides\n"
       "the key is that for servers of 4 cpu, 9 MiB\n"
       "next would be bob, with 0\n"}};
  for (const auto& [discipline, words] : words_of) {
    WhyWordsTwo two(discipline, "first-fit");
    two.server({4, 9}, "node");
    two.job(two.named("alice"), {2, 1}, 2);
    two.job(two.named("bob"), {1, 1});
    ASSERT_FALSE(two.engine.apply(TaskFinished{two.step()->task}, two.now));
    EXPECT_EQ(two.explained(), words +
                                   "it goes to node, of 1 server with room\n"
                                   "it leaves 2 cpu, 8 MiB there, of 4 cpu, 9 MiB\n");
  }
}

// Beyond its guarantee a user of weight 0 comes last, whatever its keys.
TEST(WhyWords, SayThatAWeightOf0ComesLast) {
  WhyWordsTwo two;
  two.server({10, 10}, "node");
  const UserId bob = two.named("bob");
  two.job(bob, {4, 1});
  two.run();
  const UserId zoe = *two.engine.apply(UserAdded{.name = "zoe", .weight = Quantity{0}}, two.now);
  const JobId last = two.job(zoe, {1, 1});
  two.job(bob, {1, 1});
  const WhyWaiting why = *two.engine.why_waiting(last, two.now);
  EXPECT_EQ(why.key, 0);
  EXPECT_EQ(why.users_ahead, 1);
  ASSERT_TRUE(why.tree);
  EXPECT_TRUE(why.tree->path.back().is_last);
  EXPECT_THAT(
      describe(why, kWhyWordsResources),
      ::testing::HasSubstr("first of all comes bob\n"
                           "from the top: zoe with 0 (after all with a weight, since its own is 0)\n"
                           "in the cluster it is compared by zoe with 0 (after all with a weight, since "
                           "its own is 0), the other by bob with 0.4\n"));
}

// Within its guarantee the same user comes first.
TEST(WhyWords, SayNothingOfAWeightOf0WithinTheGuarantee) {
  WhyWordsTwo two;
  two.server({10, 10}, "node");
  const UserId zoe =
      *two.engine.apply(UserAdded{.name = "zoe", .weight = Quantity{0}, .guarantee = Amounts{1, 1}}, two.now);
  const JobId first = two.job(zoe, {1, 1});
  two.job(two.named("bob"), {1, 1});
  EXPECT_TRUE(two.engine.why_waiting(first, two.now)->is_next());
  EXPECT_FALSE(two.engine.why_waiting(first, two.now)->tree->path.back().is_last);
}

}  // namespace
}  // namespace mirab::scheduling
