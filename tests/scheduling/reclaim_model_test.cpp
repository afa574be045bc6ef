// Reclaim as a game of its own, without an engine: what docs/explanation/teams.md, "Who may end whose tasks",
// promises of any order of placements and moves, on small random clusters. MIRAB_SEED is the first seed,
// MIRAB_SEQUENCES and MIRAB_INSTANCES say how many there are (`ctest --preset long` draws more).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "scheduling/reclaim_instances.hpp"

namespace mirab::scheduling::oracle {
namespace {

std::uint64_t reclaim_asked(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Calls `play(seed)` for each; the first that fails is named.
void for_each_seed(const char* how_many, std::uint64_t otherwise, const char* test,
                   const std::function<void(std::uint64_t)>& play) {
  const std::uint64_t first = reclaim_asked("MIRAB_SEED", 1);
  const std::uint64_t count = std::getenv("MIRAB_SEED") != nullptr ? 1 : reclaim_asked(how_many, otherwise);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    play(seed);
    ASSERT_FALSE(testing::Test::HasFailure())
        << "replay: MIRAB_SEED=" << seed << " scheduling_tests --gtest_filter='ReclaimModel." << test << "'";
  }
}

void tell(const char* name, std::size_t count) {
  testing::Test::RecordProperty(name, std::to_string(count));
  printf("%s: %zu\n", name, count);
}

/// What runs where, who started first.
std::vector<std::tuple<std::size_t, std::size_t, Amounts>> state(const Running& running) {
  std::vector<std::tuple<std::size_t, std::size_t, Amounts>> state;
  for (const Task& task : running) state.emplace_back(task.server, task.user, task.demand);
  std::sort(state.begin(), state.end());
  return state;
}

Running all_may_end(Running running) {
  for (Task& task : running) task.may_end = true;
  return running;
}

Running with_placed(Running running, const Waiting& waiting, std::size_t server) {
  running.push_back({.user = waiting.user, .server = server, .demand = waiting.demand});
  return running;
}

/// Servers with room for the task, if limits and reserves let it start.
std::vector<std::size_t> servers_with_room(const Cluster& cluster, const Running& running,
                                           const Waiting& waiting) {
  std::vector<std::size_t> servers;
  if (!is_allowed(cluster, use(cluster, running), waiting)) return servers;
  for (std::size_t server = 0; server < cluster.servers.size(); ++server)
    if (is_within(waiting.demand, free_on(cluster, running, server))) servers.push_back(server);
  return servers;
}

bool is_by_guarantee_alone(const Verdict& verdict) {
  return std::all_of(verdict.rights.begin(), verdict.rights.end(),
                     [](const auto& each) { return each.second == Right::guarantee; });
}

/// Without any one of the victims the task would not fit.
void expect_each_is_needed(const Cluster& cluster, const Running& running, const Move& move) {
  for (const std::size_t spared : move.ended) {
    Amounts free = free_on(cluster, running, move.server);
    for (const std::size_t task : move.ended)
      for (std::size_t r = 0; r < free.size() && task != spared; ++r) free[r] += running[task].demand[r];
    EXPECT_FALSE(is_within(move.gains.demand, free));
  }
}

/// Who loses stays at the guarantees of what was missing, below the node where the paths meet; but for less
/// than one of its ended tasks in a move by guarantee alone.
void expect_guarantees_kept(const Cluster& cluster, const Running& running, const Move& move,
                            const Verdict& verdict) {
  const Use before = use(cluster, running), then = use(cluster, after(running, move));
  const Amounts free = free_on(cluster, running, move.server);
  const auto& path_of_b = cluster.paths[move.gains.user];
  for (std::size_t r = 0; r < free.size(); ++r) {
    if (free[r] >= move.gains.demand[r]) continue;
    std::map<std::size_t, std::int64_t> lost;  // at the most, by one task below the node
    for (const std::size_t task : move.ended)
      for (const std::size_t v : cluster.paths[running[task].user])
        if (std::find(path_of_b.begin(), path_of_b.end(), v) == path_of_b.end())
          lost[v] = std::max(lost[v], running[task].demand[r]);
    for (const auto& [v, largest] : lost) {
      const std::int64_t lacks = cluster.guarantees[v][r] - then.used[v][r];
      if (largest == 0 || lacks <= 0) continue;
      EXPECT_TRUE(is_by_guarantee_alone(verdict));
      EXPECT_GT(before.used[v][r], cluster.guarantees[v][r]);
      EXPECT_LT(lacks, largest);
    }
  }
}

/// A loser of one task may not take its room back.
void expect_not_taken_back(const Cluster& cluster, const Running& running, const Move& move) {
  const Task& lost = running[move.ended.front()];
  const Running then = all_may_end(after(running, move));
  EXPECT_NE(judged(cluster, then,
                   {.gains = {.user = lost.user, .demand = lost.demand},
                    .server = move.server,
                    .ended = {then.size() - 1}})
                .broken,
            0);
}

struct Counts {
  std::size_t placements = 0, by_share = 0, by_guarantee = 0, by_both = 0, ended = 0;
};

void count(Counts& counts, const Move& move, const Verdict& verdict) {
  const bool any_guarantee = std::any_of(verdict.rights.begin(), verdict.rights.end(),
                                         [](const auto& each) { return each.second == Right::guarantee; });
  ++(is_by_guarantee_alone(verdict) ? counts.by_guarantee : any_guarantee ? counts.by_both : counts.by_share);
  counts.ended += move.ended.size();
}

TEST(ReclaimModel, ThePotentialRisesAtEachMoveFallsAtNoPlacementAndNoStateComesBack) {
  Counts counts;
  for_each_seed("MIRAB_SEQUENCES", 5'000, "ThePotential*", [&](std::uint64_t seed) {
    Random random(seed);
    const Instance instance = oracle::instance(random, {});
    const Cluster& cluster = instance.cluster;
    Running running = some_running(random, instance, 4 + random.below(20));
    std::set met = {state(running)};
    Potential potential = oracle::potential(cluster, use(cluster, running));
    for (int step = 0; step < 12 && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(describe(cluster, running));
      const Waiting& waiting = instance.kinds[random.below(instance.kinds.size())];
      const auto servers = servers_with_room(cluster, running, waiting);
      if (!servers.empty() && random.below(2) == 0) {
        running = with_placed(running, waiting, servers[random.below(servers.size())]);
        const Potential then = oracle::potential(cluster, use(cluster, running));
        EXPECT_LE(potential, then) << "a placement of " << waiting.user;
        potential = then;
        ++counts.placements;
        continue;
      }
      const std::vector<Move> moves = legal_moves(cluster, running, waiting);
      if (moves.empty()) continue;
      const Move& move = moves[random.below(moves.size())];
      SCOPED_TRACE(describe(move));
      const Verdict verdict = judged(cluster, running, move);
      count(counts, move, verdict);
      expect_each_is_needed(cluster, running, move);
      expect_guarantees_kept(cluster, running, move, verdict);
      if (move.ended.size() == 1) expect_not_taken_back(cluster, running, move);
      running = all_may_end(after(running, move));
      const Potential then = oracle::potential(cluster, use(cluster, running));
      EXPECT_LE(potential.first, then.first) << "the satisfaction falls";
      EXPECT_LT(potential, then);
      EXPECT_TRUE(met.insert(state(running)).second) << "a state comes back";
      potential = then;
    }
  });
  tell("placements", counts.placements);
  tell("moves_by_share", counts.by_share);
  tell("moves_by_guarantee", counts.by_guarantee);
  tell("moves_by_both", counts.by_both);
  tell("tasks_ended", counts.ended);
}

/// All states of what runs, and what placements and moves make of each.
class Graph {
 public:
  Graph(const Instance& instance, std::size_t most) : instance_(instance) {
    place_of({});
    for (std::size_t from = 0; from < states_.size() && states_.size() <= most; ++from) grow(from);
    is_whole_ = states_.size() <= most;
  }

  bool is_whole() const { return is_whole_; }
  std::size_t states() const { return states_.size(); }
  std::size_t moves() const { return moves_; }

  /// States are left out as long as nothing leads to one.
  bool has_cycle() const {
    std::vector<std::size_t> into(states_.size(), 0);
    for (const auto& targets : targets_)
      for (const std::size_t to : targets) ++into[to];
    std::vector<std::size_t> free;
    for (std::size_t place = 0; place < into.size(); ++place)
      if (into[place] == 0) free.push_back(place);
    std::size_t left = states_.size();
    while (!free.empty()) {
      const std::size_t from = free.back();
      free.pop_back();
      --left;
      for (const std::size_t to : targets_[from])
        if (--into[to] == 0) free.push_back(to);
    }
    return left > 0;
  }

 private:
  std::size_t place_of(const Running& running) {
    const auto [found, is_new] = places_.try_emplace(state(running), states_.size());
    if (is_new) states_.push_back(running);
    return found->second;
  }

  void grow(std::size_t from) {
    const Cluster& cluster = instance_.cluster;
    const Running running = states_[from];
    std::vector<std::size_t> targets;
    for (const Waiting& waiting : instance_.kinds) {
      for (const std::size_t server : servers_with_room(cluster, running, waiting))
        targets.push_back(place_of(with_placed(running, waiting, server)));
      for (const Move& move : legal_moves(cluster, running, waiting)) {
        targets.push_back(place_of(all_may_end(after(running, move))));
        ++moves_;
      }
    }
    targets_.push_back(std::move(targets));
  }

  const Instance& instance_;
  std::map<std::vector<std::tuple<std::size_t, std::size_t, Amounts>>, std::size_t> places_;
  std::vector<Running> states_;
  std::vector<std::vector<std::size_t>> targets_;
  std::size_t moves_ = 0;
  bool is_whole_ = false;
};

TEST(ReclaimModel, NoOrderOfPlacementsAndMovesComesBackToAState) {
  constexpr std::size_t kMost = 400;
  std::size_t instances = 0, states = 0, moves = 0;
  for_each_seed("MIRAB_INSTANCES", 150, "NoOrder*", [&](std::uint64_t seed) {
    Random random(seed);
    while (true) {
      const Instance instance =
          oracle::instance(random, {.users = 4, .servers = 2, .capacity = 6, .demand = 3});
      const Graph graph(instance, kMost);
      if (!graph.is_whole() || graph.moves() == 0) continue;
      SCOPED_TRACE(describe(instance.cluster, {}));
      EXPECT_FALSE(graph.has_cycle());
      ++instances;
      states += graph.states();
      moves += graph.moves();
      return;
    }
  });
  tell("instances", instances);
  tell("states", states);
  tell("moves", moves);
}

/// Would one more task of the sibling, and one less of the other, still not turn their order round?
bool is_one_exchange_due(const Cluster& cluster, const Running& running, std::size_t b) {
  std::vector<std::int64_t> tasks(cluster.nodes.size(), 0);
  for (const Task& task : running)
    for (const std::size_t v : cluster.paths[task.user]) ++tasks[v];
  for (const std::size_t c : cluster.paths[b])
    for (const std::size_t other : cluster.members[cluster.nodes[c].parent])
      if (other != c &&
          (tasks[other] - 1) / cluster.nodes[other].weight >= (tasks[c] + 1) / cluster.nodes[c].weight)
        return true;
  return false;
}

/// Of the user's path, from the top, when the task has ended.
Keys whole_keys_without(const Cluster& cluster, Running running, std::size_t task) {
  const std::size_t user = running[task].user;
  running.erase(std::next(running.begin(), static_cast<std::ptrdiff_t>(task)));
  Keys keys;
  for (const std::size_t v : cluster.paths[user])
    keys.insert(keys.begin(), whole_key(cluster, use(cluster, running), v));
  keys.resize(cluster.depth, keys.back());
  return keys;
}

/// Of equal tasks one ends: who loses it stands no lower afterwards than others would who could have lost
/// one.
void expect_the_richest_loses(const Cluster& cluster, const Running& running, const Move& move,
                              const std::vector<Move>& legal) {
  const Keys left = whole_keys_without(cluster, running, move.ended.front());
  for (const Move& other : legal) {
    EXPECT_GE(left, whole_keys_without(cluster, running, other.ended.front())) << describe(cluster, running);
  }
}

TEST(ReclaimModel, EqualTasksOfTwoLevelsEndWithinOneExchangeOfTheFairDivision) {
  std::size_t ended = 0;
  for_each_seed("MIRAB_SEQUENCES", 1'000, "EqualTasks*", [&](std::uint64_t seed) {
    Random random(seed);
    const Instance instance = oracle::instance(random, {.levels = 2,
                                                        .users = 6,
                                                        .kinds = 1,
                                                        .servers = 1,
                                                        .capacity = 12,
                                                        .demand = 2,
                                                        .weights_of_0 = false,
                                                        .quotas = false,
                                                        .alike = true});
    const Cluster& cluster = instance.cluster;
    Running running = some_running(random, instance, 60);
    const bool chooses_greedily = random.below(2) == 0;
    while (!testing::Test::HasFailure()) {
      std::vector<Move> moves;
      for (const Waiting& waiting : instance.kinds) {
        const std::vector<Move> legal = legal_moves(cluster, running, waiting);
        const std::optional<Move> greedy = greedy_move(cluster, running, waiting);
        EXPECT_EQ(legal.empty(), !greedy) << describe(cluster, running);
        if (legal.empty() || !greedy) continue;
        expect_the_richest_loses(cluster, running, *greedy, legal);
        moves.push_back(chooses_greedily ? *greedy : legal[random.below(legal.size())]);
      }
      if (moves.empty()) break;
      running = all_may_end(after(running, moves[random.below(moves.size())]));
      ++ended;
    }
    for (const Waiting& waiting : instance.kinds) {
      if (servers_with_room(cluster, running, waiting).empty()) {
        EXPECT_FALSE(is_one_exchange_due(cluster, running, waiting.user)) << describe(cluster, running);
      }
    }
  });
  tell("tasks_ended", ended);
}

/// Of a cluster without groups: a task with its key stays at or below each loser, and its key rises.
bool is_legal_without_groups(const Cluster& cluster, const Running& running, const Move& move) {
  const Use before = use(cluster, running), then = use(cluster, after(running, move));
  const Key reached = whole_key(cluster, then, move.gains.user);
  return reached > whole_key(cluster, before, move.gains.user) &&
         std::all_of(move.ended.begin(), move.ended.end(), [&](std::size_t task) {
           return whole_key(cluster, then, running[task].user) >= reached;
         });
}

/// Each user in a group of its own, of its weight.
Cluster in_groups_of_their_own(const Cluster& flat) {
  std::vector<Node> nodes(1);
  std::vector<Node> users(flat.nodes.begin() + 1, flat.nodes.end());
  for (const Node& user : users) nodes.push_back({.weight = user.weight});
  for (std::size_t user = 0; user < users.size(); ++user) {
    users[user].parent = user + 1;
    nodes.push_back(users[user]);
  }
  return cluster(flat.servers, nodes);
}

Move in_groups_of_their_own(Move move, std::size_t users) {
  move.gains.user += users;
  return move;
}

TEST(ReclaimModel, WithoutGroupsOrWithEachUserInOneOfItsOwnTheMovesAreThoseOfAList) {
  std::size_t moves = 0;
  for_each_seed("MIRAB_SEQUENCES", 1'000, "WithoutGroups*", [&](std::uint64_t seed) {
    Random random(seed);
    const Instance instance = oracle::instance(random, {.levels = 1, .weights_of_0 = false, .quotas = false});
    const Running running = some_running(random, instance, 40);
    const std::size_t users = instance.cluster.users.size();
    const Cluster grouped = in_groups_of_their_own(instance.cluster);
    Running there = running;
    for (Task& task : there) task.user += users;
    SCOPED_TRACE(describe(instance.cluster, running));
    for (const Waiting& waiting : instance.kinds) {
      for (std::size_t first = 0; first < running.size(); ++first) {
        for (std::size_t second = first; second < running.size(); ++second) {
          Move move{.gains = waiting, .server = running[first].server, .ended = {first}};
          if (second != first) move.ended.push_back(second);
          if (running[second].server != move.server || running[first].user == waiting.user ||
              running[second].user == waiting.user)
            continue;
          const int broken = judged(instance.cluster, running, move).broken;
          EXPECT_EQ(broken, judged(grouped, there, in_groups_of_their_own(move, users)).broken)
              << describe(move);
          if (broken == 1) continue;
          EXPECT_EQ(broken == 0, is_legal_without_groups(instance.cluster, running, move)) << describe(move);
          moves += broken == 0 ? 1 : 0;
        }
      }
    }
  });
  tell("moves", moves);
}

/// How often does the greedy choice of victims find no legal move where there is one, or one that ends more
/// tasks?
void count_misses(const Drawn& drawn, std::uint64_t seeds, const char* test, std::size_t most_in_a_thousand) {
  std::size_t cases = 0, missed = 0, more = 0;
  for_each_seed("MIRAB_SEQUENCES", seeds, test, [&](std::uint64_t seed) {
    Random random(seed);
    const Instance instance = oracle::instance(random, drawn);
    const Running running = some_running(random, instance, 40);
    for (const Waiting& waiting : instance.kinds) {
      if (!servers_with_room(instance.cluster, running, waiting).empty()) continue;
      const std::vector<Move> moves = legal_moves(instance.cluster, running, waiting);
      const std::optional<Move> greedy = greedy_move(instance.cluster, running, waiting);
      if (greedy) {
        EXPECT_EQ(judged(instance.cluster, running, *greedy).broken, 0);
      }
      if (moves.empty()) continue;
      ++cases;
      std::size_t fewest = moves.front().ended.size();
      for (const Move& move : moves) fewest = std::min(fewest, move.ended.size());
      missed += greedy ? 0 : 1;
      more += greedy && greedy->ended.size() > fewest ? 1 : 0;
    }
  });
  tell("cases", cases);
  tell("missed", missed);
  tell("ended_more_than_needed", more);
  if (cases < 1'000) return;
  EXPECT_LE(1'000 * missed, most_in_a_thousand * cases);
  EXPECT_LE(1'000 * more, most_in_a_thousand * cases);
}

TEST(ReclaimModel, TheGreedyChoiceSeldomMissesALegalMoveOfMixedTasks) {
  count_misses({.weights_of_0 = false, .quotas = false}, 2'000,
               "TheGreedyChoiceSeldomMissesALegalMoveOfMixed*", 60);
}

TEST(ReclaimModel, TheGreedyChoiceSeldomMissesALegalMoveWithGuarantees) {
  count_misses({.weights_of_0 = false}, 2'000, "TheGreedyChoiceSeldomMissesALegalMoveWithG*", 80);
}

}  // namespace
}  // namespace mirab::scheduling::oracle
