#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mirab/model/random.hpp>

#include "random_cases.hpp"
#include "scheduling/ledger/ledger.hpp"
#include "scheduling/ledger/task_classes.hpp"

namespace mirab::scheduling {
namespace {

Selection zone(const std::string& value) { return {.servers = {}, .select = {{"zone", {value}}}}; }

TEST(Eligibility, EqualSelectionsShareANumberAsLongAsSomebodyHoldsIt) {
  Eligibility eligibility;
  const SelectionIndex north = eligibility.hold(zone("north"));
  EXPECT_EQ(eligibility.hold(zone("north")), north);
  eligibility.release(north);
  EXPECT_EQ(eligibility.hold(zone("north")), north);
  EXPECT_NE(eligibility.hold(zone("south")), north);
  EXPECT_EQ(eligibility.hold(Selection{}), SelectionIndex(0));
}

TEST(Eligibility, TheNumberOfASelectionThatNobodyHoldsIsGivenAgain) {
  Eligibility eligibility;
  eligibility.server_added(ServerIndex(0), {.name = "a", .labels = {{"zone", "north"}}});
  eligibility.server_added(ServerIndex(1), {.name = "b", .labels = {{"zone", "south"}}});
  const SelectionIndex north = eligibility.hold(zone("north"));
  const std::uint64_t first = eligibility.sequence(north);
  eligibility.release(north);
  const SelectionIndex south = eligibility.hold(zone("south"));
  EXPECT_EQ(south, north);
  EXPECT_NE(eligibility.sequence(south), first);
  EXPECT_FALSE(eligibility.contains(south, ServerIndex(0)));
  EXPECT_TRUE(eligibility.contains(south, ServerIndex(1)));
}

TEST(Eligibility, ServersThatComeAndGoAreInTheSelectionsThatAdmitThem) {
  Eligibility eligibility;
  const SelectionIndex north = eligibility.hold(zone("north"));
  eligibility.server_added(ServerIndex(3), {.name = "a", .labels = {{"zone", "north"}}});
  EXPECT_TRUE(eligibility.contains(north, ServerIndex(3)));
  EXPECT_EQ(eligibility.description_of(ServerIndex(3)).name, "a");
  eligibility.server_removed(ServerIndex(3));
  EXPECT_FALSE(eligibility.contains(north, ServerIndex(3)));
  eligibility.server_added(ServerIndex(3), {.name = "a", .labels = {{"zone", "south"}}});
  EXPECT_FALSE(eligibility.contains(north, ServerIndex(3)));
}

TEST(TaskClasses, ListsOfTheSameNamesInAnotherOrderAreTheSameWish) {
  TaskClasses classes;
  const JobSubmitted job{
      .user = {}, .demand = {1}, .servers = {{"a", "b"}}, .select = {{"zone", {"x", "y"}}}};
  const TaskClassIndex held = classes.hold(job);
  JobSubmitted other = job;
  other.servers = {{"b", "a", "b"}};
  EXPECT_EQ(classes.hold(other), held);
  other.select["zone"] = {"y", "x"};
  EXPECT_EQ(classes.hold(other), held);
  other.servers = {{"b"}};
  EXPECT_NE(classes.hold(other), held);
}

TEST(TaskClasses, KeepTheDemandsOnServersThatAreNotAllowed) {
  TaskClasses classes;
  const std::map<std::string, std::string> nowhere;
  classes.eligibility.server_added(ServerIndex(0), {.name = "a", .labels = nowhere});
  classes.eligibility.server_added(ServerIndex(1), {.name = "b", .labels = nowhere});
  const JobSubmitted job{.user = {}, .demand = {1}, .servers = {{"b"}}, .demand_on = {{"a", {10}}}};
  const TaskClassIndex held = classes.hold(job);
  EXPECT_EQ(classes.alternative_on(held, ServerIndex(0)), nullptr);
  EXPECT_EQ(classes.demand_anywhere(held, ServerIndex(0)), Amounts{10});
  EXPECT_EQ(classes.demand_anywhere(held, ServerIndex(1)), Amounts{1});
  EXPECT_EQ(classes.job_of(held).demand_on, job.demand_on);
}

TEST(AdmittedServers, AreNotThoseOfASelectionThatHadTheNumberBefore) {
  Eligibility eligibility;
  ServerClasses server_classes;
  AdmittedServers admitted;
  const Amounts capacity{4};
  for (const auto& [server, place] : {std::pair{ServerIndex(0), "north"}, {ServerIndex(1), "south"}}) {
    eligibility.server_added(server, {.name = place, .labels = {{"zone", place}}});
    server_classes.hold(server, capacity);
  }
  const SelectionIndex north = eligibility.hold(zone("north"));
  EXPECT_TRUE(admitted.of(server_classes, ServerClassIndex(0), north, eligibility)->contains(ServerIndex(0)));
  eligibility.release(north);
  const SelectionIndex south = eligibility.hold(zone("south"));
  EXPECT_FALSE(
      admitted.of(server_classes, ServerClassIndex(0), south, eligibility)->contains(ServerIndex(0)));
  EXPECT_TRUE(admitted.of(server_classes, ServerClassIndex(0), south, eligibility)->contains(ServerIndex(1)));
  eligibility.server_added(ServerIndex(2), {.name = "south", .labels = {{"zone", "south"}}});
  server_classes.hold(ServerIndex(2), capacity);
  EXPECT_TRUE(admitted.of(server_classes, ServerClassIndex(0), south, eligibility)->contains(ServerIndex(2)));
}

// The plainest list of vacant indices: those at the end are erased at once.
TEST(TaskClasses, GivesTheIndexThatWasLeftLastAndNoneAboveThoseHeld) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    TaskClasses task_classes;
    std::vector<TaskClassIndex> held, vacant;
    std::uint32_t size = 0;
    for (int step = 0; step < 400; ++step) {
      if (held.empty() || random.below(step % 200 < 100 ? 3 : 2) > 0) {
        TaskClassIndex expected(size);
        if (vacant.empty()) {
          ++size;
        } else {
          expected = vacant.back();
          vacant.pop_back();
        }
        held.push_back(task_classes.hold({.user = {}, .demand = {1}, .tasks = 2, .gang = 2}));
        ASSERT_EQ(held.back(), expected) << "seed " << seed << " step " << step;
      } else {
        const auto gone = held.begin() + static_cast<std::ptrdiff_t>(random.below(held.size()));
        task_classes.release(*gone);
        vacant.push_back(*gone);
        held.erase(gone);
        while (size > 0 && std::count(vacant.begin(), vacant.end(), TaskClassIndex(size - 1)) > 0)
          std::erase(vacant, TaskClassIndex(--size));
      }
      ASSERT_EQ(task_classes.vacant(), vacant) << "seed " << seed << " step " << step;
      ASSERT_EQ(task_classes.index_count(), size) << "seed " << seed << " step " << step;
    }
  }
}

// Beside a list of capacities in which the first vacant place is looked for.
TEST(ServerClasses, ANewOneTakesTheLowestVacantIndex) {
  Random random(1);
  ServerClasses server_classes;
  std::vector<std::optional<std::int64_t>> capacities;
  std::vector<std::pair<ServerIndex, ServerClassIndex>> held;
  for (std::uint32_t step = 0; step < 2000; ++step) {
    if (held.empty() || random.below(step % 400 < 200 ? 3 : 2) > 0) {
      const auto capacity = static_cast<std::int64_t>(random.below(40));
      auto place = std::find(capacities.begin(), capacities.end(), capacity);
      if (place == capacities.end()) place = std::find(capacities.begin(), capacities.end(), std::nullopt);
      if (place == capacities.end()) place = capacities.insert(place, std::nullopt);
      *place = capacity;
      held.emplace_back(ServerIndex(step), server_classes.hold(ServerIndex(step), Amounts{capacity}));
      ASSERT_EQ(held.back().second.number(), place - capacities.begin()) << "step " << step;
    } else {
      const auto gone = held.begin() + static_cast<std::ptrdiff_t>(random.below(held.size()));
      const ServerClassIndex server_class = gone->second;
      server_classes.release(gone->first, server_class);
      held.erase(gone);
      if (server_classes.servers(server_class) == 0) capacities[server_class.number()].reset();
    }
  }
}

TEST(Domains, AreTheServersWithEqualValuesOfTheLabels) {
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    DomainLabels by;
    if (random.below(3) > 0) by.spread = "rack";
    if (random.below(3) > 0) by.pack = "zone";
    Domains domains(by);
    std::map<ServerIndex, Domains::Labels> servers;
    const auto value = [&](ServerIndex server, const std::optional<std::string>& label) {
      if (!label) return std::optional<std::string>("");
      const auto found = servers.at(server).find(*label);
      return found == servers.at(server).end() ? std::nullopt : std::optional(found->second);
    };
    for (int step = 0; step < 100; ++step) {
      const ServerIndex changed(static_cast<std::uint32_t>(13 * random.below(10)));
      if (servers.erase(changed) > 0) {
        domains.remove(changed);
      } else {
        Domains::Labels labels;
        if (random.below(5) > 0) labels["rack"] = std::to_string(random.below(4));
        if (random.below(5) > 0) labels["zone"] = std::to_string(random.below(3));
        servers[changed] = labels;
        domains.add(changed, labels);
      }
      for (const auto& [server, labels] : servers) {
        const DomainIndex domain = domains.of(server);
        ASSERT_EQ(domain == kNone, !value(server, by.pack));
        if (domain == kNone) continue;
        ASSERT_EQ(domains[domain].takes_tasks, value(server, by.spread).has_value());
        for (const auto& [other, of_other] : servers) {
          const bool is_packed = value(server, by.pack) == value(other, by.pack);
          const bool is_same = is_packed && value(server, by.spread) == value(other, by.spread);
          ASSERT_EQ(domains.of(other) == domain, is_same);
          if (domains.of(other) == kNone) continue;
          ASSERT_EQ(domains[domains.of(other)].pack == domains[domain].pack, is_packed);
        }
      }
      std::size_t listed = 0, in_domains = 0;
      for (const Domains::Domain& domain : domains.domains()) {
        for (const Domains::Word& word : domain.words)
          listed += static_cast<std::size_t>(std::popcount(word.servers));
      }
      for (const auto& [server, labels] : servers) in_domains += domains.of(server) == kNone ? 0U : 1U;
      ASSERT_EQ(listed, in_domains);
    }
  }
}

}  // namespace
}  // namespace mirab::scheduling
