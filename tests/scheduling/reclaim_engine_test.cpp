// The engine against the oracle of reclaim: random events on random trees, and after each the engine decides
// until it places nothing more. Each of its moves is legal and the one that the oracle's choice of victims
// finds, the potential rises at it and falls at no placement, and when the engine is done the oracle finds no
// move either. MIRAB_SEED is the first seed and MIRAB_SEQUENCES how many there are.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "scheduling/engines.hpp"
#include "scheduling/reclaim_instances.hpp"

namespace mirab::scheduling::oracle {
namespace {

std::uint64_t reclaim_engine_asked(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// How many decisions of each sort there were.
struct Decisions {
  std::size_t placements = 0, by_force = 0, ended = 0, by_share = 0, by_guarantee = 0;
};

class Together {
 public:
  Together(std::uint64_t seed, Decisions& decisions)
      : random_(seed), draws_(seed), engine_(*Engine::from(drawn_options())), decisions_(decisions) {
    const Instance drawn = instance(random_, {});
    for (const Amounts& capacity : drawn.cluster.servers) add_server(capacity);
    for (std::size_t v = 1; v < drawn.cluster.nodes.size(); ++v) add_node(drawn.cluster.nodes[v]);
  }

  /// What goes wrong first; empty when nothing does.
  std::string live(int events) {
    for (int event = 0; event < events && wrong_.empty(); ++event) {
      now_ += Duration(1);
      if (happen()) {
        for (Started& task : tasks_) task.is_fresh = false;
      }
      decide();
    }
    return wrong_;
  }

 private:
  struct Server {
    ServerId id;
    Amounts capacity;
  };
  struct Job {
    std::size_t user;
    Amounts demand;
    bool may_be_preempted;
  };
  struct Started {
    TaskId id;
    JobId job;
    ServerId server;
    bool is_fresh;
  };

  EngineOptions drawn_options() {
    return {.resources = {"r0", "r1"},
            .discipline = choice("drf"),
            .placement = choice("first-fit"),
            .tie = static_cast<Tie>(random_.below(3)),
            .oversized = Oversized::wait,
            .preemption = Preempting{.tasks = 1'000'000, .per = Duration(1)}};
  }

  static Amounts of_two(Amounts amounts, std::int64_t otherwise) {
    amounts.resize(2, otherwise);
    return amounts;
  }
  static std::optional<Amounts> of_two(const std::optional<Amounts>& amounts, std::int64_t otherwise) {
    if (!amounts) return {};
    return of_two(*amounts, otherwise);
  }

  void add_server(const Amounts& capacity) {
    const Amounts units = of_two(capacity, 8);
    servers_.push_back({*engine_.apply(ServerAdded{.name = "s", .capacity = units}, now_), units});
    // By their numbers, as the engine compares servers: one that comes takes that of one that failed.
    const auto number_of = [](const Server& server) { return static_cast<std::uint32_t>(server.id); };
    std::sort(servers_.begin(), servers_.end(),
              [&](const Server& a, const Server& b) { return number_of(a) < number_of(b); });
  }

  GroupId group(std::size_t node) const { return node == 0 ? kCluster : groups_.at(node); }

  void add_node(Node node) {
    node.guarantee = of_two(node.guarantee, 0);
    node.limit = of_two(node.limit, kNoLimit);
    node.reserved = of_two(node.reserved, 0);
    node.seen.clear();
    node.kinds.clear();
    const Quantity weight = *Quantity::parse(node.weight.get_str());
    if (node.is_user) {
      users_[nodes_.size()] = *engine_.apply(UserAdded{.name = "u",
                                                       .weight = weight,
                                                       .group = group(node.parent),
                                                       .guarantee = node.guarantee,
                                                       .limit = node.limit,
                                                       .reserved = node.reserved},
                                             now_);
    } else {
      groups_[nodes_.size()] = *engine_.apply(GroupAdded{.name = "g",
                                                         .weight = weight,
                                                         .parent = group(node.parent),
                                                         .guarantee = node.guarantee,
                                                         .limit = node.limit,
                                                         .reserved = node.reserved},
                                              now_);
    }
    nodes_.push_back(node);
  }

  // Events.

  /// False when the engine refused it.
  bool happen() {
    const std::uint64_t drawn = random_.below(20);
    if (drawn < 10) return submit();
    if (drawn < 15) return !tasks_.empty() && finish(random_.below(tasks_.size()));
    if (drawn == 15 && servers_.size() < 3) {
      add_server({4 + static_cast<std::int64_t>(random_.below(6)), 4});
      return true;
    }
    if (drawn == 16 && servers_.size() > 1) return fail(random_.below(servers_.size()));
    return change(1 + random_.below(nodes_.size() - 1));
  }

  bool submit() {
    const auto user = std::next(users_.begin(), static_cast<std::ptrdiff_t>(random_.below(users_.size())));
    Job job{
        .user = user->first,
        .demand = {static_cast<std::int64_t>(random_.below(4)), static_cast<std::int64_t>(random_.below(4))},
        .may_be_preempted = random_.below(10) != 0};
    if (job.demand[0] + job.demand[1] == 0) job.demand[0] = 1;
    jobs_[*engine_.apply(JobSubmitted{.user = user->second,
                                      .demand = job.demand,
                                      .tasks = 1 + static_cast<std::int64_t>(random_.below(6)),
                                      .may_be_preempted = job.may_be_preempted},
                         now_)] = job;
    for (std::size_t v = job.user; v != 0; v = nodes_[v].parent) oracle::see(nodes_[v], job.demand);
    return true;
  }

  bool finish(std::size_t place) {
    if (engine_.apply(TaskFinished{tasks_[place].id}, now_)) return false;
    tasks_.erase(std::next(tasks_.begin(), static_cast<std::ptrdiff_t>(place)));
    return true;
  }

  bool fail(std::size_t place) {
    const ServerId server = servers_[place].id;
    if (!engine_.apply(ServerFailed{server}, now_)) return false;
    std::erase_if(tasks_, [&](const Started& task) { return task.server == server; });
    servers_.erase(std::next(servers_.begin(), static_cast<std::ptrdiff_t>(place)));
    return true;
  }

  /// Another weight, sometimes other quotas, unless the engine refuses them.
  bool change(std::size_t v) {
    Node node = nodes_[v];
    node.weight = static_cast<unsigned long>(random_.below(4));
    if (random_.below(2) == 0) node.guarantee = node.reserved = {};
    if (random_.below(3) == 0)
      node.guarantee =
          Amounts{static_cast<std::int64_t>(random_.below(5)), static_cast<std::int64_t>(random_.below(5))};
    const Quantity weight = *Quantity::parse(node.weight.get_str());
    const Check refused = node.is_user ? engine_.apply(UserChanged{.user = users_.at(v),
                                                                   .weight = weight,
                                                                   .guarantee = node.guarantee,
                                                                   .limit = node.limit,
                                                                   .reserved = node.reserved},
                                                       now_)
                                       : engine_.apply(GroupChanged{.group = groups_.at(v),
                                                                    .weight = weight,
                                                                    .guarantee = node.guarantee,
                                                                    .limit = node.limit,
                                                                    .reserved = node.reserved},
                                                       now_);
    if (!refused) nodes_[v] = node;
    return !refused;
  }

  // What the oracle is asked.

  Cluster cluster() const {
    std::vector<Node> nodes = nodes_;
    for (const auto& [id, job] : jobs_)
      if (engine_.job(id)) nodes[job.user].kinds.push_back(job.demand);
    std::vector<Amounts> capacities;
    for (const Server& server : servers_) capacities.push_back(server.capacity);
    return oracle::cluster(capacities, nodes);
  }

  std::size_t place_of(ServerId id) const {
    const auto found =
        std::find_if(servers_.begin(), servers_.end(), [&](const Server& server) { return server.id == id; });
    return static_cast<std::size_t>(found - servers_.begin());
  }

  Running running() const {
    Running running;
    for (const Started& task : tasks_) {
      const Job& job = jobs_.at(task.job);
      running.push_back({.user = job.user,
                         .server = place_of(task.server),
                         .demand = job.demand,
                         .may_end = job.may_be_preempted && !task.is_fresh});
    }
    return running;
  }

  std::vector<Waiting> waiting() const {
    std::vector<Waiting> waiting;
    for (const auto& [id, job] : jobs_)
      if (const auto state = engine_.job(id); state && state->waiting > 0)
        waiting.push_back({.user = job.user, .demand = job.demand});
    return waiting;
  }

  static bool has_room(const Cluster& cluster, const Running& running, const Waiting& waiting) {
    if (!is_allowed(cluster, use(cluster, running), waiting)) return false;
    for (std::size_t server = 0; server < cluster.servers.size(); ++server)
      if (is_within(waiting.demand, free_on(cluster, running, server))) return true;
    return false;
  }

  // Decisions.

  void decide() {
    while (wrong_.empty()) {
      const Cluster cluster = this->cluster();
      const Running before = running();
      const std::vector<Waiting> waiting = this->waiting();
      const std::optional<Placed> placed = engine_.step(now_, draws_);
      if (!placed) return expect_nothing_to_do(cluster, before, waiting);
      const Potential potential = oracle::potential(cluster, use(cluster, before));
      if (!placed->preempted.empty()) expect_move(cluster, before, waiting, *placed);
      for (const Preempted& lost : placed->preempted)
        std::erase_if(tasks_, [&](const Started& task) { return task.id == lost.task; });
      tasks_.push_back({.id = placed->task, .job = placed->job, .server = placed->server, .is_fresh = true});
      const Potential then = oracle::potential(cluster, use(cluster, running()));
      if (placed->preempted.empty()) {
        ++decisions_.placements;
        if (then < potential) fault("the potential falls at a placement", cluster, before, "");
      } else if (then <= potential) {
        fault("the potential does not rise at a move", cluster, before, "");
      }
    }
  }

  void expect_nothing_to_do(const Cluster& cluster, const Running& running,
                            const std::vector<Waiting>& waiting) {
    for (const Waiting& each : waiting) {
      if (has_room(cluster, running, each))
        return fault("the engine leaves a task waiting that has room", cluster, running, "");
      if (const auto move = greedy_move(cluster, running, each))
        return fault("the engine misses a move", cluster, running, describe(*move));
    }
  }

  void expect_move(const Cluster& cluster, const Running& running, const std::vector<Waiting>& waiting,
                   const Placed& placed) {
    const Job& job = jobs_.at(placed.job);
    Move move{
        .gains = {.user = job.user, .demand = job.demand}, .server = place_of(placed.server), .ended = {}};
    std::map<std::size_t, Right> said;
    for (const Preempted& lost : placed.preempted) {
      const auto found = std::find_if(tasks_.begin(), tasks_.end(),
                                      [&](const Started& task) { return task.id == lost.task; });
      move.ended.push_back(static_cast<std::size_t>(found - tasks_.begin()));
      said[running[move.ended.back()].user] = lost.right;
      ++(lost.right == Right::share ? decisions_.by_share : decisions_.by_guarantee);
    }
    std::sort(move.ended.begin(), move.ended.end());
    ++decisions_.by_force;
    decisions_.ended += move.ended.size();
    const Verdict verdict = judged(cluster, running, move);
    if (verdict.broken != 0)
      return fault(fmt::format("condition {} is broken", verdict.broken), cluster, running, describe(move));
    if (said != std::map(verdict.rights.begin(), verdict.rights.end()))
      return fault("another right is given", cluster, running, describe(move));
    if (std::any_of(waiting.begin(), waiting.end(),
                    [&](const Waiting& each) { return has_room(cluster, running, each); }))
      return fault("a move while there is room", cluster, running, describe(move));
    std::optional<Move> greedy = greedy_move(cluster, running, move.gains);
    if (greedy) std::sort(greedy->ended.begin(), greedy->ended.end());
    if (!greedy || greedy->server != move.server || greedy->ended != move.ended)
      fault("other victims than by the greedy choice", cluster, running,
            describe(move) + "; the choice: " + (greedy ? describe(*greedy) : "none"));
  }

  void fault(const std::string& what, const Cluster& cluster, const Running& running,
             const std::string& move) {
    wrong_ = fmt::format("{}: {}\n{}", what, move, describe(cluster, running));
  }

  Random random_;
  Random draws_;
  Engine engine_;
  Decisions& decisions_;
  Time now_{};
  std::vector<Node> nodes_ = std::vector<Node>(1);  // without kinds; with those seen so far
  std::map<std::size_t, GroupId> groups_;
  std::map<std::size_t, UserId> users_;
  std::vector<Server> servers_;
  std::map<JobId, Job> jobs_;  // those that are over too
  std::vector<Started> tasks_;
  std::string wrong_;
};

TEST(ReclaimEngine, MakesTheMovesOfTheOracleAndNoOthers) {
  const std::uint64_t first = reclaim_engine_asked("MIRAB_SEED", 1);
  const std::uint64_t sequences =
      std::getenv("MIRAB_SEED") != nullptr ? 1 : reclaim_engine_asked("MIRAB_SEQUENCES", 150);
  Decisions decisions;
  for (std::uint64_t seed = first; seed < first + sequences; ++seed) {
    const std::string wrong = Together(seed, decisions).live(30);
    ASSERT_EQ(wrong, "") << "replay: MIRAB_SEED=" << seed
                         << " scheduling_tests --gtest_filter='ReclaimEngine.*'";
  }
  if (sequences >= 100) {
    EXPECT_GT(decisions.by_share, sequences);
    EXPECT_GT(decisions.by_guarantee, sequences / 4);
  }
  RecordProperty("placements", std::to_string(decisions.placements));
  RecordProperty("by_force", std::to_string(decisions.by_force));
  RecordProperty("ended", std::to_string(decisions.ended));
  RecordProperty("by_share", std::to_string(decisions.by_share));
  RecordProperty("by_guarantee", std::to_string(decisions.by_guarantee));
}

}  // namespace
}  // namespace mirab::scheduling::oracle
