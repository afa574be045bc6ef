// Groups and quotas online (docs/explanation/teams.md): the worked cases, whole fillings that tend to the
// divisible allocations, and sentences of the document one by one. Who is next in any tree is compared with
// its definition in engine_model_test.cpp.
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gmpxx.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/scheduling/fill.hpp>

#include "random_cases.hpp"
#include "scheduling/engines.hpp"
#include "scheduling/random_events.hpp"

namespace mirab::scheduling {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json golden_cases(const std::string& kind) {
  std::ifstream file(MIRAB_SOURCE_DIR "/tests/golden/teams_cases.json");
  const json all = json::parse(file);
  json found = json::array();
  for (const json& each : all.at("cases")) {
    if (each.at("kind") == kind) found.push_back(each);
  }
  return found;
}

/// A rational as the file has it: "600/11".
mpq_class rational_in(const json& text) {
  mpq_class value(text.get<std::string>());
  value.canonicalize();
  return value;
}

/// The amount with tasks of a 30th of their size; the unit is chosen so that they are whole.
constexpr std::int64_t kParts = 30;

Quantity times(const json& text, std::int64_t factor) {
  const mpq_class value = rational_in(text) * mpq_class(factor);
  // A decimal of ten digits after the point is exact for all that the file has.
  mpz_class units(mpq_class(value * mpq_class(10'000'000'000L)));
  return *Quantity::parse(units.get_str() + "e-10");
}

ResourceVector vector_of(const json& amounts, const std::vector<std::string>& resources,
                         std::int64_t factor) {
  ResourceVector vector;
  for (const std::string& resource : resources)
    vector.push_back(amounts.contains(resource) ? times(amounts.at(resource), factor) : Quantity{});
  return vector;
}

Quota quota_of(const json& member, const std::vector<std::string>& resources, std::int64_t factor) {
  Quota quota;
  if (member.contains("guarantee")) quota.guarantee = vector_of(member.at("guarantee"), resources, factor);
  if (member.contains("reserved")) quota.reserved = vector_of(member.at("reserved"), resources, factor);
  if (!member.contains("limit")) return quota;
  for (const std::string& resource : resources) {
    const json& limit = member.at("limit");
    quota.limit.push_back(limit.contains(resource) ? std::optional(times(limit.at(resource), factor))
                                                   : std::nullopt);
  }
  return quota;
}

/// `factor` times as large, with that many times the tasks.
void add_members(const json& members, const std::optional<std::string>& parent, std::int64_t factor,
                 Cluster& cluster) {
  for (const json& member : members) {
    const std::string name = member.at("name");
    const Quantity weight = *Quantity::parse(member.value("weight", "1"));
    const Quota quota = quota_of(member, cluster.resources, factor);
    if (member.contains("members")) {
      cluster.groups.push_back({.name = name, .parent = parent, .weight = weight, .quota = quota});
      add_members(member.at("members"), name, factor, cluster);
      continue;
    }
    User user{.name = name,
              .demand = vector_of(member.at("demand"), cluster.resources, 1),
              .weight = weight,
              .group = parent,
              .quota = quota};
    if (member.contains("tasks")) user.tasks = times(member.at("tasks"), factor);
    if (member.contains("servers")) user.servers = member.at("servers").get<std::vector<std::string>>();
    cluster.users.push_back(std::move(user));
  }
}

Problem problem_of(const json& golden, std::int64_t factor) {
  const json& given = golden.at("problem");
  Cluster cluster{.resources = given.at("resources"), .servers = {}, .users = {}};
  for (const json& server : given.at("servers"))
    cluster.servers.push_back(
        {.name = server.at("name"), .capacity = vector_of(server.at("capacity"), cluster.resources, factor)});
  add_members(given.at("members"), {}, factor, cluster);
  auto problem = Problem::from(std::move(cluster));
  EXPECT_TRUE(problem) << golden.at("name");
  return *std::move(problem);
}

std::map<std::string, double> filled(const Problem& problem, const std::string& discipline) {
  Random random(1);
  const auto outcome =
      fill(problem, {.discipline = choice(discipline), .placement = choice("first-fit"), .tie = Tie::first},
           random);
  EXPECT_TRUE(outcome) << describe(outcome.error());
  std::map<std::string, double> tasks;
  for (std::size_t n = 0; n < problem.user_count(); ++n)
    tasks[problem.users()[n].name] = outcome->allocation.tasks[n];
  return tasks;
}

/// An engine with the members of a case, each with tasks to run and more that wait.
class GoldenEngine {
 public:
  explicit GoldenEngine(const json& golden)
      : resources_(golden.at("problem").at("resources").get<std::vector<std::string>>()),
        small_("drf", "first-fit", resources_.size()) {
    for (const json& server : golden.at("problem").at("servers"))
      small_.server(units(vector_of(server.at("capacity"), resources_, 1)));
    add(golden.at("problem").at("members"), kCluster);
  }

  /// All of these at once: they fit.
  void run(const json& tasks) {
    submit(tasks);
    small_.run();
  }
  void submit(const json& tasks) {
    for (const auto& [name, count] : tasks.items()) {
      const std::int64_t all = count.is_string() ? 1'000 : count.get<std::int64_t>();
      if (all > 0) small_.job(users_.at(name), demands_.at(name), all);
    }
  }
  std::string order() {
    std::string names;
    for (const Placed& placed : small_.run()) names += (names.empty() ? "" : " ") + names_.at(placed.user);
    return names;
  }

 private:
  void add(const json& members, GroupId parent) {
    for (const json& member : members) {
      const std::string name = member.at("name");
      const Quantity weight = *Quantity::parse(member.value("weight", "1"));
      std::optional<Amounts> guarantee;
      if (member.contains("guarantee")) guarantee = units(vector_of(member.at("guarantee"), resources_, 1));
      if (member.contains("members")) {
        add(member.at("members"),
            *small_.engine.apply(
                GroupAdded{.name = name, .weight = weight, .parent = parent, .guarantee = guarantee}, {}));
        continue;
      }
      const UserId user = *small_.engine.apply(
          UserAdded{.name = name, .weight = weight, .group = parent, .guarantee = guarantee}, {});
      users_[name] = user;
      names_[user] = name;
      demands_[name] = units(vector_of(member.at("demand"), resources_, 1));
    }
  }

  std::vector<std::string> resources_;
  SmallEngine small_;
  std::map<std::string, UserId> users_;
  std::map<UserId, std::string> names_;
  std::map<std::string, Amounts> demands_;
};

const std::set<std::string>& disciplines_of_trees() {
  static const std::set<std::string> kAll = {"drf", "asset", "round-robin", "tsf", "ps-dsf"};
  return kAll;
}

TEST(Tree, WhatTheWorkedCasesServeNext) {
  const json cases = golden_cases("online");
  EXPECT_EQ(cases.size(), 4U);
  for (const json& golden : cases) {
    SCOPED_TRACE(golden.at("name"));
    GoldenEngine engine(golden);
    engine.run(golden.at("running"));
    engine.submit(golden.at("waiting"));
    EXPECT_EQ(engine.order(), golden.at("order").get<std::string>());
  }
}

TEST(Tree, WhatTheWorkedCasesEndWith) {
  const json cases = golden_cases("online-final");
  EXPECT_EQ(cases.size(), 1U);
  for (const json& golden : cases) {
    SCOPED_TRACE(golden.at("name"));
    for (const auto& [name, tasks] : filled(problem_of(golden, 1), "drf"))
      EXPECT_EQ(tasks, golden.at("tasks").at(name).get<double>()) << name;
  }
}

/// Section 4, (a): from empty, with ever smaller tasks, it gives the divisible allocation.
TEST(Tree, FillTendsToTheDivisibleAllocationAsTasksGetSmaller) {
  const json cases = golden_cases("divisible");
  EXPECT_GT(cases.size(), 10U);
  for (const json& golden : cases) {
    SCOPED_TRACE(golden.at("name"));
    // Tasks stay where they start: who may run anywhere takes the server that another one needs.
    if (golden.at("name") == "two-servers") continue;
    for (const auto& [name, tasks] : filled(problem_of(golden, kParts), "drf")) {
      const double divisible =
          mpq_class(rational_in(golden.at("tasks").at(name)) * mpq_class(kParts)).get_d();
      EXPECT_NEAR(tasks, divisible, 4) << name;
    }
  }
}

// docs/explanation/teams.md, "Prices and limits": groups that are level when divided, and differ by one task.
TEST(Tree, FillCanStayAnEighthOfTheClusterOffTheDivisionHoweverSmallTasksAre) {
  for (const std::int64_t size : {1000, 10'000}) {
    Cluster cluster{.resources = {"cpu", "gpu"},
                    .servers = {{.name = "pool", .capacity = {Quantity(size - 1), Quantity(size)}}},
                    .users = {}};
    cluster.groups = {{.name = "v"}, {.name = "v2"}};
    const ResourceVector cpu{Quantity(1), Quantity(0)}, gpu{Quantity(0), Quantity(1)};
    cluster.users = {{.name = "a", .demand = cpu, .weight = Quantity(4), .group = "v"},
                     {.name = "b", .demand = gpu, .group = "v"},
                     {.name = "a2", .demand = cpu, .weight = Quantity(4), .group = "v2"},
                     {.name = "b2", .demand = gpu, .group = "v2"},
                     {.name = "w", .demand = gpu}};
    const Problem problem = *Problem::from(cluster);
    const auto eighths = static_cast<double>(size) / 8;
    const auto divided = allocate(problem, "hdrf");
    EXPECT_NEAR(divided->allocation.tasks[1], 2 * eighths, 1e-6);
    EXPECT_NEAR(divided->allocation.tasks[3], 2 * eighths, 1e-6);
    const std::map<std::string, double> whole = filled(problem, "drf");
    EXPECT_EQ(whole.at("b"), eighths);
    EXPECT_EQ(whole.at("b2"), 3 * eighths);
    EXPECT_EQ(whole.at("w"), 4 * eighths);
  }
}

TEST(Tree, FillLeavesOutGroupsWhereItIsAskedTo) {
  json golden = golden_cases("divisible")[0];
  ASSERT_EQ(golden.at("name"), "collapsed-hierarchy");
  const Problem problem = problem_of(golden, kParts);
  EXPECT_THAT(filled(problem, "drf:groups=ignore"), testing::Contains(testing::Pair("n1", 15)));
  // Flat, n1 is compared with each of the others.
  Random random(1);
  const auto fifo = fill(problem, {.discipline = choice("fifo"), .placement = choice("first-fit")}, random);
  ASSERT_TRUE(fifo);
  EXPECT_THAT(fifo->notices, testing::Contains(HasSubstr("fifo does not honour groups")));
}

TEST(Tree, AWeightOfZeroIsAnErrorWhereGroupsAreNotHonoured) {
  Cluster cluster{.resources = {"cpu"},
                  .servers = {{.name = "s", .capacity = {Quantity(3)}}},
                  .users = {{.name = "a", .demand = {Quantity(1)}, .weight = Quantity(0)},
                            {.name = "b", .demand = {Quantity(1)}, .tasks = Quantity(2)}}};
  const Problem problem = *Problem::from(cluster);
  Random random(1);
  const auto fifo = fill(problem, {.discipline = choice("fifo"), .placement = choice("first-fit")}, random);
  ASSERT_FALSE(fifo);
  EXPECT_EQ(fifo.error().key, "users[0].weight");
  EXPECT_THAT(filled(problem, "drf"), ElementsAre(testing::Pair("a", 1), testing::Pair("b", 2)));

  cluster.users[0].weight = Quantity(1);
  cluster.users[0].group = "g";
  cluster.groups = {{.name = "g", .weight = Quantity(0)}};
  const Problem grouped = *Problem::from(cluster);
  for (const char* ignoring : {"pf", "fifo", "drf:groups=ignore"}) {
    const auto flat =
        fill(grouped, {.discipline = choice(ignoring), .placement = choice("first-fit")}, random);
    ASSERT_FALSE(flat) << ignoring;
    EXPECT_EQ(flat.error().key, "groups[0].weight");
  }
}

/// One task of a user of weight 0 would be half of the cluster, and nothing of it runs as yet.
TEST(Tree, UsersOfWeightZeroGetNothingThatOneWithAWeightCouldHave) {
  Cluster cluster{
      .resources = {"gpu"},
      .servers = {{.name = "n", .capacity = {Quantity(8)}}},
      .users = {{.name = "z1", .demand = {Quantity(4)}, .weight = Quantity(0), .tasks = Quantity(1)},
                {.name = "z2", .demand = {Quantity(4)}, .weight = Quantity(0), .tasks = Quantity(1)},
                {.name = "one", .demand = {Quantity(1)}, .tasks = Quantity(8)}}};
  for (const char* discipline : {"drf", "asset", "round-robin", "tsf", "ps-dsf"}) {
    EXPECT_THAT(filled(*Problem::from(cluster), discipline),
                ElementsAre(testing::Pair("one", 8), testing::Pair("z1", 0), testing::Pair("z2", 0)))
        << discipline;
  }
  cluster.users[2].tasks = Quantity(3);
  EXPECT_THAT(filled(*Problem::from(cluster), "drf"),
              ElementsAre(testing::Pair("one", 3), testing::Pair("z1", 1), testing::Pair("z2", 0)));
}

/// A cluster with amounts as a real one has them: thousandths of CPUs, bytes and GPUs. Of few sizes of tasks,
/// so that many members of a group tie.
Cluster cluster_of_bytes(Random& random, const Quantity& weight) {
  const std::vector<std::string> cpus{"250m", "500m", "2", "4"}, bytes{"768Mi", "1Gi", "8Gi"};
  const auto one_of = [&](const std::vector<std::string>& amounts) {
    return *Quantity::parse(amounts[random.below(amounts.size())]);
  };
  Cluster cluster{.resources = {"cpu", "memory", "gpu"}, .servers = {}, .users = {}};
  for (std::uint64_t i = 0; i < 2 + random.below(3); ++i)
    cluster.servers.push_back(
        {.name = fmt::format("s{}", i),
         .capacity = {*Quantity::parse(fmt::format("{}m", 15'740 + random.below(32'000))),
                      *Quantity::parse(fmt::format("{}Ki", 60'053'644 + random.below(1'000))),
                      Quantity(static_cast<std::int64_t>(3 + random.below(4)))}});
  for (const std::string group : {"a", "b", "c"}) {
    cluster.groups.push_back({.name = group, .weight = weight});
    for (std::uint64_t n = 0; n < 1 + random.below(3); ++n)
      cluster.users.push_back(
          {.name = fmt::format("{}{}", group, n),
           .demand = {one_of(cpus), one_of(bytes), Quantity(static_cast<std::int64_t>(random.below(2)))},
           .weight = weight,
           .group = group});
  }
  return cluster;
}

/// By user and server.
std::vector<std::pair<std::size_t, std::size_t>> steps_of(const Cluster& cluster) {
  Random random(1);
  const auto outcome =
      fill(*Problem::from(cluster),
           {.discipline = choice("drf"), .placement = choice("first-fit"), .trace = true}, random);
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  for (const FillStep& step : outcome->filling->steps) steps.emplace_back(step.user, step.server);
  return steps;
}

/// Keys are counted as whole numbers where all weights are 1, and compared as fractions elsewhere.
TEST(Tree, WeightsThatAreAllTwiceAsLargeChangeNothing) {
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    Random one(seed), two(seed);
    const auto steps = steps_of(cluster_of_bytes(one, Quantity(1)));
    EXPECT_GT(steps.size(), 3U) << "seed " << seed;
    EXPECT_EQ(steps, steps_of(cluster_of_bytes(two, Quantity(2)))) << "seed " << seed;
  }
}

TEST(Tree, GroupsAreNestedAsDeepAsTheEngineTakesThem) {
  for (const std::size_t depth : {64, 65}) {
    Cluster cluster{.resources = {"cpu"},
                    .servers = {{.name = "s", .capacity = {Quantity(3)}}},
                    .users = {{.name = "a", .demand = {Quantity(1)}}}};
    for (std::size_t g = 0; g < depth; ++g) {
      cluster.groups.push_back({.name = "g" + std::to_string(g)});
      if (g > 0) cluster.groups[g].parent = cluster.groups[g - 1].name;
    }
    cluster.users[0].group = cluster.groups.back().name;
    Random random(1);
    const auto filled = fill(*Problem::from(cluster),
                             {.discipline = choice("drf"), .placement = choice("first-fit")}, random);
    EXPECT_EQ(static_cast<bool>(filled), depth == 64);
    if (filled) continue;
    EXPECT_EQ(filled.error().key, "groups[64].parent");
  }
}

/// Section 7, 3: each user in a group of its own, one kind of task each: the same decisions.
TEST(Tree, AGroupOfOneUserIsThatUser) {
  for (const std::string discipline : {"drf", "asset", "round-robin", "tsf", "ps-dsf"}) {
    for (std::uint64_t seed = 1; seed <= random_cases(40); ++seed) {
      SCOPED_TRACE(testing::Message() << discipline << " seed " << seed);
      SmallEngine flat(discipline, "first-fit", 2), tree(discipline, "first-fit", 2);
      Random random(seed);
      const auto amounts = [&](std::uint64_t most) {
        return Amounts{1 + static_cast<std::int64_t>(random.below(most)),
                       static_cast<std::int64_t>(random.below(most))};
      };
      for (int s = 0; s < 3; ++s) {
        const Amounts capacity{5 + static_cast<std::int64_t>(random.below(9)), 9};
        flat.server(capacity), tree.server(capacity);
      }
      for (int u = 0; u < 4; ++u) {
        const Quantity weight(1 + static_cast<std::int64_t>(random.below(3)));
        const GroupId group = *tree.engine.apply(GroupAdded{.name = "g", .weight = weight}, {});
        const UserId in_flat = flat.user(weight);
        const UserId in_tree = *tree.engine.apply(UserAdded{.name = "u", .group = group}, {});
        const Amounts demand = amounts(3);
        flat.job(in_flat, demand, 20), tree.job(in_tree, demand, 20);
      }
      std::vector<TaskId> running;
      for (int round = 0; round < 30; ++round) {
        const std::vector<Placed> expected = flat.run();
        ASSERT_EQ(tree.run(), expected);
        for (const Placed& placed : expected) running.push_back(placed.task);
        std::swap(running[random.below(running.size())], running.back());
        ASSERT_FALSE(flat.engine.apply(TaskFinished{running.back()}, {}));
        ASSERT_FALSE(tree.engine.apply(TaskFinished{running.back()}, {}));
        running.pop_back();
      }
    }
  }
}

TEST(Tree, WhenTheLastGroupGoesUsersAreComparedAsBefore) {
  SmallEngine flat("drf"), tree("drf");
  for (SmallEngine* const each : {&flat, &tree}) each->server({7});
  const GroupId group = *tree.engine.apply(GroupAdded{.name = "g"}, {});
  for (SmallEngine* const each : {&flat, &tree}) {
    for (int u = 0; u < 3; ++u) each->job(each->user(Quantity(1 + u)), {1}, 9);
    EXPECT_TRUE(each->step());
  }
  ASSERT_FALSE(tree.engine.apply(GroupRemoved{group}, {}));
  EXPECT_EQ(flat.run(), tree.run());
  EXPECT_EQ(tree.engine.broken_invariant(), "");
}

TEST(Tree, ALimitHoldsWhateverIsFree) {
  SmallEngine small("drf");
  small.server({10});
  const GroupId group = *small.engine.apply(GroupAdded{.name = "g", .limit = Amounts{3}}, {});
  const UserId user = *small.engine.apply(UserAdded{.name = "u", .group = group}, {});
  small.job(user, {1}, 9);
  EXPECT_EQ(small.run().size(), 3U);
  // A limit below what is in use is allowed: nothing starts until it fits.
  ASSERT_FALSE(
      small.engine.apply(GroupChanged{.group = group, .weight = Quantity(1), .limit = Amounts{1}}, {}));
  EXPECT_FALSE(small.step());
  ASSERT_FALSE(small.engine.apply(GroupChanged{.group = group, .weight = Quantity(1)}, {}));
  EXPECT_EQ(small.run().size(), 6U);
}

TEST(Tree, WhatIsReservedIsKeptForItsOwner) {
  SmallEngine small("drf");
  small.server({10});
  const UserId other = small.user();
  const UserId owner =
      *small.engine.apply(UserAdded{.name = "owner", .guarantee = Amounts{4}, .reserved = Amounts{3}}, {});
  small.job(other, {1}, 20);
  EXPECT_EQ(small.run().size(), 7U);
  small.job(owner, {1}, 20);
  EXPECT_EQ(small.run().size(), 3U);
}

TEST(Tree, AGroupTellsWhatOfItsGuaranteeIsUnusedAndLent) {
  SmallEngine small("drf");
  small.server({10});
  const GroupId group =
      *small.engine.apply(GroupAdded{.name = "g", .weight = Quantity(2), .guarantee = Amounts{6}}, {});
  const UserId other = small.user();
  const UserId user = *small.engine.apply(UserAdded{.name = "u", .group = group}, {});
  small.job(other, {1}, 8);
  small.job(user, {1}, 1);
  small.run();
  Engine::GroupState state = *small.engine.group(group);
  EXPECT_EQ(state.name, "g");
  EXPECT_EQ(state.parent, kCluster);
  EXPECT_EQ(state.used, Amounts{1});
  EXPECT_EQ(state.running, 1);
  EXPECT_EQ(state.guarantee, Amounts{6});
  EXPECT_EQ(state.unused, Amounts{5});
  EXPECT_EQ(state.lent, Amounts{4});  // one of the five is free
  EXPECT_EQ(state.share, 0.1);
  EXPECT_EQ(state.key, 0);
  const Engine::GroupState cluster = *small.engine.group(kCluster);
  EXPECT_EQ(cluster.used, Amounts{9});
  EXPECT_EQ(cluster.guarantee, Amounts{6});
  EXPECT_FALSE(small.engine.group(GroupId{99}));
  // Beyond its guarantee: (8 − 6) / 10 per weight 2.
  ASSERT_FALSE(small.engine.apply(UserMoved{.user = other, .group = group}, {}));
  state = *small.engine.group(group);
  EXPECT_EQ(state.used, Amounts{9});
  EXPECT_EQ(state.key, 0.15);
}

/// The reason for which an event is refused, and its key.
template <class Event>
std::string refusal(Engine& engine, const Event& event) {
  const std::string before = engine.broken_invariant();
  const auto result = engine.apply(event, {});
  if constexpr (std::is_same_v<decltype(result), const Check>) {
    return result ? result->key + ": " + result->message : "";
  } else {
    return result ? "" : result.error().key + ": " + result.error().message;
  }
}

TEST(Tree, WhatCannotBePromisedIsRefusedByItsKey) {
  SmallEngine small("drf", "first-fit", 2);
  small.server({10, 4});
  Engine& engine = small.engine;
  EXPECT_THAT(refusal(engine, GroupAdded{.name = "g", .guarantee = Amounts{11, 0}}),
              HasSubstr("guarantee.r0: all guarantees together would be more than the 10 units"));
  const GroupId group = *engine.apply(GroupAdded{.name = "g", .guarantee = Amounts{6, 2}}, {});
  EXPECT_THAT(refusal(engine, GroupAdded{.name = "h", .guarantee = Amounts{4, 3}}),
              HasSubstr("guarantee.r1"));
  EXPECT_THAT(refusal(engine, GroupAdded{.name = "h", .guarantee = Amounts{4}}), HasSubstr("guarantee: 1"));
  EXPECT_THAT(refusal(engine, GroupAdded{.name = "h", .parent = group, .guarantee = Amounts{7, 0}}),
              HasSubstr("guarantee.r0: the group 'g' is guaranteed 6 units only"));
  const UserId user = *engine.apply(UserAdded{.name = "u", .group = group, .guarantee = Amounts{3, 0}}, {});
  EXPECT_THAT(
      refusal(engine, GroupChanged{.group = group, .weight = Quantity(1), .guarantee = Amounts{2, 2}}),
      HasSubstr("guarantee.r0: the members are guaranteed 3 units together"));
  EXPECT_THAT(refusal(engine, GroupChanged{.group = group,
                                           .weight = Quantity(1),
                                           .guarantee = Amounts{6, 2},
                                           .reserved = Amounts{0, 3}}),
              HasSubstr("reserved.r1: 3 units are more than the guarantee of 2"));
  EXPECT_THAT(refusal(engine, UserChanged{.user = user,
                                          .weight = Quantity(1),
                                          .guarantee = Amounts{3, 0},
                                          .limit = Amounts{2, kNoLimit}}),
              HasSubstr("limit.r0: 2 units are less than the guarantee of 3"));
  EXPECT_THAT(refusal(engine, GroupMoved{.group = group, .parent = group}),
              HasSubstr("parent: a group cannot"));
  EXPECT_THAT(refusal(engine, GroupRemoved{group}), HasSubstr("group: the group has members"));
  EXPECT_THAT(refusal(engine, GroupRemoved{kCluster}), HasSubstr("group: the cluster itself"));
  EXPECT_THAT(refusal(engine, UserMoved{.user = user, .group = GroupId{77}}),
              HasSubstr("group: there is no such"));
  // A failed server may leave more promised than there is: that is no error, and changes go on.
  const ServerId second = small.server({10, 4});
  const GroupId other = *engine.apply(GroupAdded{.name = "o", .guarantee = Amounts{12, 0}}, {});
  ASSERT_TRUE(engine.apply(ServerFailed{second}, {}));
  EXPECT_EQ(engine.broken_invariant(), "");
  EXPECT_EQ(refusal(engine, GroupChanged{.group = other, .weight = Quantity(2), .guarantee = Amounts{11, 0}}),
            "");
  EXPECT_THAT(
      refusal(engine, GroupChanged{.group = other, .weight = Quantity(2), .guarantee = Amounts{12, 0}}),
      HasSubstr("guarantee.r0"));
}

TEST(Tree, GroupsAreRefusedWhereTheyMeanNothing) {
  for (const std::string discipline : {"pf", "fifo", "mlf-drs", "mrfs", "drf:groups=ignore"}) {
    SmallEngine small(discipline);
    EXPECT_THAT(refusal(small.engine, GroupAdded{.name = "g"}),
                HasSubstr("discipline: " + discipline + " knows no groups"));
    EXPECT_THAT(refusal(small.engine, UserAdded{.name = "u", .weight = Quantity(0)}),
                HasSubstr("discipline: "));
    EXPECT_EQ(refusal(small.engine, UserAdded{.name = "u"}), "");
  }
  EngineOptions options{.resources = {"cpu"}, .discipline = choice("drf"), .placement = choice("first-fit")};
  options.half_life = Duration(1);
  Engine forgetful = *Engine::from(options);
  EXPECT_THAT(refusal(forgetful, GroupAdded{.name = "g"}), HasSubstr("half_life: "));
}

TEST(Tree, GroupsNestNoDeeperThanStated) {
  SmallEngine small("drf");
  GroupId deepest = kCluster;
  for (int depth = 1; depth <= 64; ++depth) {
    const auto next = small.engine.apply(GroupAdded{.name = "g", .parent = deepest}, {});
    ASSERT_TRUE(next) << depth;
    deepest = *next;
  }
  EXPECT_THAT(refusal(small.engine, GroupAdded{.name = "g", .parent = deepest}),
              HasSubstr("parent: groups are nested"));
  small.server({2});
  const UserId user = *small.engine.apply(UserAdded{.name = "u", .group = deepest}, {});
  small.job(user, {1}, 2);
  EXPECT_EQ(small.run().size(), 2U);
}

TEST(Tree, UsersOfAHigherTierComeFirst) {
  SmallEngine small("drf");
  small.server({4});
  const UserId owed = *small.engine.apply(UserAdded{.name = "owed", .guarantee = Amounts{4}}, {});
  const UserId critical = *small.engine.apply(UserAdded{.name = "critical", .tier = 1}, {});
  small.job(owed, {1}, 9);
  small.job(critical, {1}, 3);
  std::vector<UserId> served;
  for (const Placed& placed : small.run()) served.push_back(placed.user);
  EXPECT_THAT(served, ElementsAre(critical, critical, critical, owed));
}

/// Of all tasks that wait the one that a step places says that it is next, and no other does.
TEST(Tree, WhyWaitingTellsWhatTheStepPlaces) {
  std::size_t placed = 0, bounded = 0, covered = 0, parted = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Random draws(seed);
    EngineOptions options = random_options(random);
    options.half_life.reset();
    options.preemption.reset();
    options.reservations.reset();
    if (options.tie == Tie::random) options.tie = Tie::last;
    if (!disciplines_of_trees().contains(options.discipline.name)) options.discipline = choice("drf");
    if (options.discipline.name != "ps-dsf" && options.discipline.name != "drf") options.share_scale.clear();
    Engine engine = *Engine::from(options);
    RandomEvents events(random, options.resources.size());
    events.draw_trees();
    std::vector<JobId> jobs;
    for (int event = 0; event < 120; ++event) {
      const LogEntry entry = events.next();
      if (std::holds_alternative<StepAsked>(entry.what)) {
        std::vector<JobId> next;
        for (const JobId job : jobs) {
          const auto why = engine.why_waiting(job, entry.now);
          if (!why) continue;
          EXPECT_FALSE(describe(*why, options.resources).empty());
          if (why->is_next()) next.push_back(job);
          if (!why->tree) continue;
          bounded += why->tree->limit || why->tree->reserve;
          covered += !why->tree->covered_by.empty();
          parted += why->tree->parting.has_value();
        }
        WhyPlaced why;
        const std::optional<Placed> step = engine.step(entry.now, draws, why);
        ASSERT_EQ(next, step ? std::vector{step->job} : std::vector<JobId>{});
        if (step) {
          EXPECT_EQ(why.job, step->job);
          EXPECT_FALSE(describe(why, options.resources).empty());
          placed += why.tree.has_value();
        }
        events.learn(Outcome(step));
        continue;
      }
      const auto outcome = tell(engine, entry, draws);
      if (!outcome) continue;
      events.learn(*outcome);
      if (const auto* const job = std::get_if<JobId>(&*outcome)) jobs.push_back(*job);
    }
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(placed, 1'000U);
  EXPECT_GT(bounded, 300U);
  EXPECT_GT(covered, 100U);
  EXPECT_GT(parted, 300U);
}

TEST(Tree, WhyWaitingNamesTheLimitTheReserveAndWhereThePathsPart) {
  SmallEngine small("drf");
  small.server({10});
  const GroupId group = *small.engine.apply(GroupAdded{.name = "team", .limit = Amounts{2}}, {});
  const UserId user = *small.engine.apply(UserAdded{.name = "anna", .group = group}, {});
  const UserId other =
      *small.engine.apply(UserAdded{.name = "ben", .guarantee = Amounts{5}, .reserved = Amounts{4}}, {});
  const UserId third = *small.engine.apply(UserAdded{.name = "carl"}, {});
  const JobId limited = small.job(user, {1}, 9);
  const JobId reserved = small.job(third, {1}, 20);
  EXPECT_EQ(small.run().size(), 6U);
  const WhyWaiting by_limit = *small.engine.why_waiting(limited, {});
  ASSERT_TRUE(by_limit.tree && by_limit.tree->limit);
  EXPECT_EQ(*by_limit.tree->limit, (InTree::Bound{.name = "team", .resource = 0, .held = 2, .allowed = 2}));
  EXPECT_FALSE(by_limit.is_next());
  const std::vector<std::string> resources = {"cpu"};
  EXPECT_THAT(describe(by_limit, resources),
              HasSubstr("the limit of team is in the way: 2 of 2 cpu are in use\n"));
  const WhyWaiting by_reserve = *small.engine.why_waiting(reserved, {});
  ASSERT_TRUE(by_reserve.tree && by_reserve.tree->reserve);
  EXPECT_EQ(*by_reserve.tree->reserve,
            (InTree::Bound{.name = "ben", .resource = 0, .held = 10, .allowed = 10}));
  small.job(other, {1}, 1);
  const JobId second = small.job(other, {1}, 1);
  const WhyWaiting by_guarantee = *small.engine.why_waiting(second, {});
  EXPECT_EQ(by_guarantee.tree->covered_by, "ben");
  EXPECT_EQ(by_guarantee.older_jobs, 1);
  ASSERT_FALSE(small.engine.apply(UserChanged{.user = other, .weight = Quantity(1)}, {}));
  ASSERT_FALSE(small.engine.apply(GroupChanged{.group = group, .weight = Quantity(2)}, {}));
  const WhyWaiting ahead = *small.engine.why_waiting(reserved, {});
  ASSERT_TRUE(ahead.tree && ahead.tree->parting);
  EXPECT_EQ(ahead.next->user_name, "ben");
  EXPECT_EQ(ahead.tree->parting->group, "");
  EXPECT_EQ(ahead.tree->parting->own.name, "carl");
  EXPECT_EQ(ahead.tree->parting->own.key, 0.4);
  EXPECT_EQ(ahead.tree->parting->other.name, "ben");
  EXPECT_EQ(ahead.tree->parting->other.key, 0);
}

}  // namespace
}  // namespace mirab::scheduling
