// The oracle of reclaim against cases that were worked out by hand, and against
// tests/golden/reclaim_cases.json.
#include "scheduling/reclaim_oracle.hpp"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

namespace mirab::scheduling::oracle {
namespace {

using testing::ElementsAre;

Node group_in(std::size_t parent, const mpq_class& weight = 1) {
  return {.parent = parent, .weight = weight};
}
Node user_in(std::size_t parent, const Amounts& demand, const mpq_class& weight = 1) {
  return {.parent = parent, .is_user = true, .weight = weight, .kinds = {demand}};
}

void run_tasks(Running& running, std::size_t user, const Amounts& demand, int tasks) {
  for (int task = 0; task < tasks; ++task) running.push_back({.user = user, .server = 0, .demand = demand});
}

mpq_class fraction(const char* text) {
  mpq_class value(text);
  value.canonicalize();
  return value;
}
Key key(const char* value) { return {false, fraction(value)}; }
Key last(const char* value) { return {true, fraction(value)}; }

/// Of two teams on ten GPUs and ten CPUs: a complementary member holds all CPUs.
struct Complementary {
  Cluster cluster = oracle::cluster(
      {{10, 10}}, {group_in(0), user_in(0, {0, 1}), group_in(0), user_in(2, {1, 0}), user_in(2, {0, 1})});
  std::size_t n1 = 1, n2 = 2, n21 = 3, n22 = 4;
  Running running(int of_n1, int of_n21, int of_n22) const {
    Running running;
    run_tasks(running, n1, {0, 1}, of_n1);
    run_tasks(running, n21, {1, 0}, of_n21);
    run_tasks(running, n22, {0, 1}, of_n22);
    return running;
  }
};

TEST(ReclaimOracle, AViewCountsOfAMemberWhatItsOwnLevelAllowsAndTheTaskViewItsLastTaskWhole) {
  const Complementary of;
  const Use use = oracle::use(of.cluster, of.running(6, 10, 4));
  // n22 is at 4/10, so n21 counts for 4/10 of the CPUs, and in whole tasks for the fifth, which began at
  // 4/10.
  EXPECT_THAT(view(of.cluster, use, of.n22, View::exact), ElementsAre(key("4/10"), key("4/10")));
  EXPECT_THAT(view(of.cluster, use, of.n22, View::task), ElementsAre(key("4/10"), key("5/10")));
  EXPECT_THAT(view(of.cluster, use, of.n21, View::exact), ElementsAre(key("1"), key("1")));
  EXPECT_EQ(whole_key(of.cluster, use, of.n2), key("1"));
  EXPECT_THAT(standing(of.cluster, use, of.n22), ElementsAre(key("5/10"), key("4/10")));
  EXPECT_THAT(standing(of.cluster, use, of.n1), ElementsAre(key("6/10"), key("6/10")));  // continued
  const Potential potential = oracle::potential(of.cluster, use);
  EXPECT_EQ(potential.first, 0);
  EXPECT_EQ(potential.second.front(), standing(of.cluster, use, of.n22));
}

TEST(ReclaimOracle, AtFiveAndFiveGpusNobodyMayTakeMore) {
  const Complementary of;
  const auto condition = [&](int n1, int n22, std::size_t user, std::size_t ended) {
    return judged(of.cluster, of.running(n1, 10, n22),
                  {.gains = {.user = user, .demand = {0, 1}}, .server = 0, .ended = {ended}})
        .broken;
  };
  EXPECT_EQ(condition(6, 4, of.n22, 5), 0);  // the newest of n1
  EXPECT_EQ(condition(5, 5, of.n22, 4), 3);  // n22 sees 6/10, n1 would have 4/10
  EXPECT_EQ(condition(5, 5, of.n1, 19), 3);  // n1 would have 6/10, n22 sees n2 at 5/10
  EXPECT_EQ(condition(6, 4, of.n22, 6), 1);  // the end of a CPU task makes no room
}

TEST(ReclaimOracle, AMoveThatEndsTooManyIsNone) {
  const Complementary of;
  EXPECT_EQ(judged(of.cluster, of.running(8, 10, 2),
                   {.gains = {.user = of.n22, .demand = {0, 1}}, .server = 0, .ended = {6, 7}})
                .broken,
            1);
}

TEST(ReclaimOracle, ATaskThatStartedAfterTheLatestEventDoesNotEnd) {
  const Complementary of;
  Running running = of.running(8, 10, 2);
  running[7].may_end = false;
  const Waiting waiting{.user = of.n22, .demand = {0, 1}};
  EXPECT_EQ(judged(of.cluster, running, {.gains = waiting, .server = 0, .ended = {7}}).broken, 5);
  EXPECT_EQ(greedy_move(of.cluster, running, waiting)->ended, std::vector<std::size_t>{6});
}

// Case 10: 2 CPUs and 3 GPUs. Z takes from Y, X from Z; that Y takes from X would lower Γ.
TEST(ReclaimOracle, GammaRisesAroundARingOfGuaranteesAndStops) {
  Node t = group_in(0), y = user_in(0, {1, 2}), z = user_in(1, {2, 1}), x = user_in(1, {1, 2});
  t.guarantee = Amounts{2, 0}, y.guarantee = Amounts{0, 3}, x.guarantee = Amounts{1, 0};
  const Cluster ring = cluster({{2, 3}}, {group_in(0), t, y, z, x});
  const std::size_t of_y = 2, of_z = 3, of_x = 4;
  const auto gamma = [&](std::size_t user, const Amounts& demand) {
    return satisfaction(ring, use(ring, {{.user = user, .server = 0, .demand = demand}}));
  };
  EXPECT_EQ(gamma(of_y, {1, 2}), mpq_class(2, 3));
  EXPECT_EQ(gamma(of_z, {2, 1}), 1);
  EXPECT_EQ(gamma(of_x, {1, 2}), mpq_class(3, 2));
  const auto condition = [&](std::size_t from, const Amounts& lost, std::size_t to, const Amounts& demand) {
    return judged(ring, {{.user = from, .server = 0, .demand = lost}},
                  {.gains = {.user = to, .demand = demand}, .server = 0, .ended = {0}})
        .broken;
  };
  EXPECT_EQ(condition(of_y, {1, 2}, of_z, {2, 1}), 0);
  EXPECT_EQ(condition(of_z, {2, 1}, of_x, {1, 2}), 0);
  EXPECT_NE(condition(of_x, {1, 2}, of_y, {1, 2}), 0);
}

// Case 9: a1 holds 396 of its 300 and ends at 297, less than a task of 99 below.
TEST(ReclaimOracle, ByGuaranteeAloneALoserEndsBelowItsOwnByLessThanATask) {
  Node a = group_in(0), a1 = user_in(1, {99}), a2 = user_in(1, {300});
  a.guarantee = Amounts{600}, a1.guarantee = Amounts{300}, a2.guarantee = Amounts{300};
  const Cluster lump = cluster({{690}}, {group_in(0), a, a1, a2});
  Running running;
  run_tasks(running, 2, {99}, 4);
  const Move move{.gains = {.user = 3, .demand = {300}}, .server = 0, .ended = {3}};
  const Verdict verdict = judged(lump, running, move);
  EXPECT_EQ(verdict.broken, 0);
  EXPECT_THAT(verdict.rights, ElementsAre(std::pair(std::size_t{2}, Right::guarantee)));
  EXPECT_EQ(satisfaction(lump, use(lump, running)), fraction("83/50"));
  EXPECT_EQ(satisfaction(lump, use(lump, after(running, move))), fraction("597/200"));
}

// q is guaranteed 3 and holds 4; beside it in its team z holds 6. b, outside, has nothing.
TEST(ReclaimOracle, ByShareNobodyEndsBelowItsGuaranteeOfWhatWasMissing) {
  Node q = user_in(1, {2});
  q.guarantee = Amounts{3};
  const Cluster of = cluster({{10}}, {group_in(0), group_in(0), q, user_in(1, {1}), user_in(0, {1})});
  Running running;
  run_tasks(running, 2, {2}, 2);
  run_tasks(running, 3, {1}, 6);
  const Waiting b{.user = 4, .demand = {1}};
  EXPECT_EQ(judged(of, running, {.gains = b, .server = 0, .ended = {0}}).broken, 2);
  EXPECT_EQ(judged(of, running, {.gains = b, .server = 0, .ended = {7}}).broken, 0);
}

TEST(ReclaimOracle, WeightZeroIsLastBeyondItsGuaranteeAndNeverTakesByShare) {
  const Cluster of = cluster({{8}}, {group_in(0), user_in(0, {2}, 0), user_in(0, {1})});
  Running running;
  run_tasks(running, 1, {2}, 4);
  const Use all = use(of, running);
  EXPECT_EQ(whole_key(of, all, 1), last("1"));
  EXPECT_THAT(standing(of, all, 1), ElementsAre(last("1")));
  EXPECT_EQ(judged(of, running, {.gains = {.user = 2, .demand = {1}}, .server = 0, .ended = {3}}).broken, 0);
  running.clear();
  run_tasks(running, 2, {1}, 8);
  EXPECT_EQ(judged(of, running, {.gains = {.user = 1, .demand = {2}}, .server = 0, .ended = {6, 7}}).broken,
            3);
}

TEST(ReclaimOracle, BesideAMemberOfWeightZeroBeyondItsGuaranteeAllOthersCountInFull) {
  const Cluster of =
      cluster({{8}}, {group_in(0), group_in(0), user_in(1, {1}, 0), user_in(1, {1}), user_in(0, {1})});
  Running running;
  run_tasks(running, 2, {1}, 1);
  run_tasks(running, 3, {1}, 5);
  EXPECT_THAT(view(of, use(of, running), 2, View::task), ElementsAre(last("1/8"), key("6/8")));
  EXPECT_THAT(view(of, use(of, running), 3, View::exact), ElementsAre(key("5/8"), key("5/8")));
  // Nothing of a member of weight 0 counts for one with a weight: it stands above.
  EXPECT_THAT(view(of, use(of, running), 3, View::task), ElementsAre(key("5/8"), key("5/8")));
}

// The golden cases.

Amounts amounts_of(const nlohmann::json& by_name, const std::vector<std::string>& resources) {
  Amounts amounts;
  for (const std::string& resource : resources)
    amounts.push_back(by_name.contains(resource) ? std::stoll(by_name.at(resource).get<std::string>()) : 0);
  return amounts;
}

void add_nodes(const nlohmann::json& members, std::size_t parent, const std::vector<std::string>& resources,
               std::vector<Node>& nodes, std::map<std::string, std::size_t>& by_name) {
  for (const nlohmann::json& member : members) {
    const std::size_t place = nodes.size();
    by_name[member.at("name")] = place;
    Node node{.parent = parent,
              .is_user = member.contains("demand"),
              .weight = fraction(member.value("weight", "1").c_str())};
    if (member.contains("guarantee")) node.guarantee = amounts_of(member.at("guarantee"), resources);
    if (node.is_user) node.kinds = {amounts_of(member.at("demand"), resources)};
    nodes.push_back(node);
    if (!node.is_user) add_nodes(member.at("members"), place, resources, nodes, by_name);
  }
}

/// Tasks of one kind a user on one server: who is next starts where there is room, else by a move.
struct Play {
  Cluster cluster;
  Running running = {};
  std::map<std::size_t, std::int64_t> waits = {};  // [user]
  int ended = 0;

  bool step() {
    const Use use = oracle::use(cluster, running);
    std::vector<Waiting> waiting;
    for (const auto& [user, tasks] : waits)
      if (tasks > 0) waiting.push_back({.user = user, .demand = cluster.nodes[user].kinds.front()});
    waiting = in_order(cluster, use, waiting);
    for (const Waiting& each : waiting) {
      if (!is_allowed(cluster, use, each) || !is_within(each.demand, free_on(cluster, running, 0))) continue;
      start({.gains = each, .server = 0, .ended = {}});
      return true;
    }
    for (const Waiting& each : waiting) {
      if (const auto move = greedy_move(cluster, running, each)) {
        start(*move);
        return true;
      }
    }
    return false;
  }

  void start(const Move& move) {
    for (const std::size_t task : move.ended) {
      ++waits[running[task].user];
      ++ended;
    }
    --waits[move.gains.user];
    running = after(running, move);
  }

  /// Until nothing changes, neither now nor after another event.
  void run() {
    for (bool changes = true; changes;) {
      changes = false;
      while (step()) changes = true;
      for (Task& task : running) task.may_end = true;
    }
  }

  std::int64_t tasks_below(std::size_t node) const {
    return std::count_if(running.begin(), running.end(), [&](const Task& task) {
      const auto& path = cluster.paths[task.user];
      return std::find(path.begin(), path.end(), node) != path.end();
    });
  }
};

std::vector<nlohmann::json> reclaim_cases() {
  std::ifstream file(MIRAB_SOURCE_DIR "/tests/golden/reclaim_cases.json");
  return nlohmann::json::parse(file).at("cases").get<std::vector<nlohmann::json>>();
}

class ReclaimCases : public testing::TestWithParam<nlohmann::json> {};

TEST_P(ReclaimCases, EndAsTheFileSaysAndEndAsManyTasks) {
  const nlohmann::json& golden = GetParam();
  const nlohmann::json& problem = golden.at("problem");
  const auto resources = problem.at("resources").get<std::vector<std::string>>();
  std::vector<Node> nodes = {Node{}};
  std::map<std::string, std::size_t> by_name;
  add_nodes(problem.at("members"), 0, resources, nodes, by_name);
  Play play{.cluster = cluster({amounts_of(problem.at("servers")[0].at("capacity"), resources)}, nodes)};
  for (const auto& [name, tasks] : golden.at("running").items())
    run_tasks(play.running, by_name.at(name), play.cluster.nodes[by_name.at(name)].kinds.front(),
              tasks.get<int>());
  for (const auto& [name, tasks] : golden.at("waiting").items())
    play.waits[by_name.at(name)] = tasks.get<std::int64_t>();
  play.run();
  for (const auto& [name, tasks] : golden.at("end").items()) {
    EXPECT_EQ(play.tasks_below(by_name.at(name)), tasks.get<std::int64_t>()) << name;
  }
  EXPECT_EQ(play.ended, golden.at("ended").get<int>());
}

INSTANTIATE_TEST_SUITE_P(Golden, ReclaimCases, testing::ValuesIn(reclaim_cases()), [](const auto& each) {
  auto name = each.param.at("name").template get<std::string>();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace mirab::scheduling::oracle
