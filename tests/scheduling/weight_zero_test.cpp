// Weight 0 online: beyond its guarantee such a node gets only what no sibling with a weight can take, also
// while it holds nothing. Random small clusters, flat and in trees, each decision judged by brute force.
// MIRAB_SEED is the first seed and MIRAB_SEQUENCES how many there are.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

#include "scheduling/engines.hpp"
#include "scheduling/reclaim_instances.hpp"

namespace mirab::scheduling::oracle {
namespace {

const std::vector<std::string> kDisciplines = {"drf", "asset", "round-robin", "tsf", "ps-dsf"};

std::uint64_t weight_zero_asked(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class WeightZero : public testing::TestWithParam<std::string> {};

// Two users of weight 0 with a task of 4 GPUs each, and one of weight 1 with eight tasks of 1.
TEST_P(WeightZero, TwoIdleUsersOfWeightZeroGetNothingThatTheThirdCanTake) {
  for (const Tie tie : {Tie::first, Tie::last}) {
    SmallEngine small(GetParam(), "first-fit", 1, tie);
    small.server({8});
    const UserId z1 = small.user(Quantity{0}), z2 = small.user(Quantity{0}), one = small.user();
    small.job(z1, {4});
    small.job(z2, {4});
    small.job(one, {1}, 8);
    small.run();
    EXPECT_EQ(small.engine.user(z1)->running, 0);
    EXPECT_EQ(small.engine.user(z2)->running, 0);
    EXPECT_EQ(small.engine.user(one)->running, 8);
  }
}

TEST_P(WeightZero, AUserOfWeightZeroGetsWhatIsLeft) {
  SmallEngine small(GetParam());
  small.server({8});
  const UserId z = small.user(Quantity{0}), one = small.user();
  small.job(z, {1}, 8);
  small.job(one, {1}, 5);
  small.run();
  EXPECT_EQ(small.engine.user(z)->running, 3);
  EXPECT_EQ(small.engine.user(one)->running, 5);
}

/// An engine that fills a random cluster with weights of 0.
class Filling {
 public:
  Filling(const std::string& discipline, std::uint64_t seed)
      : random_(seed),
        draws_(seed),
        instance_(drawn(random_)),
        engine_(*Engine::from({.resources = names(instance_.cluster.pool.size()),
                               .discipline = choice(discipline),
                               .placement = choice("first-fit"),
                               .tie = static_cast<Tie>(random_.below(3)),
                               .oversized = Oversized::wait})) {
    for (const Amounts& capacity : instance_.cluster.servers)
      apply(ServerAdded{.name = "s", .capacity = capacity});
    for (std::size_t v = 1; v < instance_.cluster.nodes.size(); ++v) add(v);
    for (const Waiting& each : instance_.kinds) {
      jobs_[apply(JobSubmitted{.user = users_.at(each.user),
                               .demand = each.demand,
                               .tasks = 1 + static_cast<std::int64_t>(random_.below(3))})] = each;
    }
  }

  /// Of the tasks placed, how many were of weight 0 beyond a guarantee. Each is judged.
  std::size_t fill() {
    std::size_t beyond = 0;
    while (true) {
      const std::vector<Waiting> candidates = this->candidates();
      const std::optional<Placed> placed = engine_.step(Time{}, draws_);
      if (!placed) return beyond;
      const Waiting& waiting = jobs_.at(placed->job);
      const std::vector<std::size_t> nodes = taken_beyond(waiting);
      beyond += nodes.empty() ? 0 : 1;
      for (const std::size_t node : nodes)
        EXPECT_FALSE(is_passed_over_for(node, waiting, candidates)) << "a task of " << waiting.user << "\n"
                                                                    << describe(instance_.cluster, running_);
      if (testing::Test::HasFailure()) return beyond;
      running_.push_back({.user = waiting.user,
                          .server = static_cast<std::size_t>(
                              std::find(servers_.begin(), servers_.end(), placed->server) - servers_.begin()),
                          .demand = waiting.demand});
    }
  }

 private:
  static Instance drawn(Random& random) {
    Instance instance =
        oracle::instance(random, {.levels = random.below(2) == 0 ? std::size_t{1} : std::size_t{3}});
    Node& node = instance.cluster.nodes[1 + random.below(instance.cluster.nodes.size() - 1)];
    node.weight = 0;
    return instance;
  }
  static std::vector<std::string> names(std::size_t resources) {
    std::vector<std::string> names;
    for (std::size_t r = 0; r < resources; ++r) names.push_back("r" + std::to_string(r));
    return names;
  }

  JobId apply(const JobSubmitted& event) { return *engine_.apply(event, Time{}); }
  void apply(const ServerAdded& event) { servers_.push_back(*engine_.apply(event, Time{})); }

  void add(std::size_t v) {
    const Node& node = instance_.cluster.nodes[v];
    const GroupId parent = node.parent == 0 ? kCluster : groups_.at(node.parent);
    const Quantity weight = *Quantity::parse(node.weight.get_str());
    if (node.is_user) {
      users_[v] = *engine_.apply(UserAdded{.name = "u",
                                           .weight = weight,
                                           .group = parent,
                                           .guarantee = node.guarantee,
                                           .limit = node.limit,
                                           .reserved = node.reserved},
                                 Time{});
    } else {
      groups_[v] = *engine_.apply(GroupAdded{.name = "g",
                                             .weight = weight,
                                             .parent = parent,
                                             .guarantee = node.guarantee,
                                             .limit = node.limit,
                                             .reserved = node.reserved},
                                  Time{});
    }
  }

  /// What waits and could start now.
  std::vector<Waiting> candidates() const {
    const Cluster& cluster = instance_.cluster;
    std::vector<Waiting> candidates;
    for (const auto& [id, waiting] : jobs_) {
      const auto job = engine_.job(id);
      if (!job || job->waiting == 0 || !is_allowed(cluster, use(cluster, running_), waiting)) continue;
      bool has_room = false;
      for (std::size_t server = 0; server < cluster.servers.size(); ++server)
        has_room = has_room || is_within(waiting.demand, free_on(cluster, running_, server));
      if (has_room) candidates.push_back(waiting);
    }
    return candidates;
  }

  /// The nodes of weight 0 on the path that hold more than their guarantee with the task.
  std::vector<std::size_t> taken_beyond(const Waiting& waiting) const {
    const Use use = oracle::use(instance_.cluster, running_);
    std::vector<std::size_t> nodes;
    for (const std::size_t v : instance_.cluster.paths[waiting.user]) {
      bool is_beyond = false;
      for (std::size_t r = 0; r < waiting.demand.size(); ++r)
        is_beyond = is_beyond || (waiting.demand[r] > 0 &&
                                  use.used[v][r] + waiting.demand[r] > instance_.cluster.guarantees[v][r]);
      if (is_beyond && instance_.cluster.nodes[v].weight == 0) nodes.push_back(v);
    }
    return nodes;
  }

  /// Could a sibling with a weight have started a task? One that a guarantee covers, if one covers the task.
  bool is_passed_over_for(std::size_t node, const Waiting& placed,
                          const std::vector<Waiting>& candidates) const {
    const Cluster& cluster = instance_.cluster;
    const Use use = oracle::use(cluster, running_);
    return std::any_of(candidates.begin(), candidates.end(), [&](const Waiting& other) {
      if (is_covered(cluster, use, placed) && !is_covered(cluster, use, other)) return false;
      const auto& path = cluster.paths[other.user];
      return std::any_of(path.begin(), path.end(), [&](std::size_t sibling) {
        return sibling != node && cluster.nodes[sibling].parent == cluster.nodes[node].parent &&
               cluster.nodes[sibling].weight > 0;
      });
    });
  }

  Random random_;
  Random draws_;
  Instance instance_;
  Engine engine_;
  std::vector<ServerId> servers_;
  std::map<std::size_t, GroupId> groups_;
  std::map<std::size_t, UserId> users_;
  std::map<JobId, Waiting> jobs_;
  Running running_;
};

TEST_P(WeightZero, IsNeverServedBeyondItsGuaranteeWhileASiblingWithAWeightHasATaskThatFits) {
  const std::uint64_t first = weight_zero_asked("MIRAB_SEED", 1);
  const std::uint64_t sequences =
      std::getenv("MIRAB_SEED") != nullptr ? 1 : weight_zero_asked("MIRAB_SEQUENCES", 150);
  std::size_t beyond = 0;
  for (std::uint64_t seed = first; seed < first + sequences; ++seed) {
    beyond += Filling(GetParam(), seed).fill();
    ASSERT_FALSE(HasFailure()) << "replay: MIRAB_SEED=" << seed
                               << " scheduling_tests --gtest_filter='*WeightZero.IsNever*'";
  }
  if (sequences >= 100) {
    EXPECT_GT(beyond, sequences / 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Disciplines, WeightZero, testing::ValuesIn(kDisciplines), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace mirab::scheduling::oracle
