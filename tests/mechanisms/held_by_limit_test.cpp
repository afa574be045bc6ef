// "Held by the limit of a group", against clusters in which these limits are higher.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <mirab/audit/teams.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

#include "mechanisms/exact_tree.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

constexpr double kNothing = 1e-6;  // relative: what a certificate may leave open

Quota& quota_at(Cluster& cluster, const Tree& tree, std::size_t node) {
  return tree.is_user(node) ? cluster.users[tree.user_at(node)].quota
                            : cluster.groups[tree.group_at(node)].quota;
}

/// What the user has where these nodes have no limit.
double tasks_without(const Problem& problem, const std::string& mechanism, std::size_t user,
                     const std::vector<std::size_t>& nodes) {
  Cluster cluster = problem.cluster();
  for (const std::size_t node : nodes) quota_at(cluster, problem.tree(), node).limit.clear();
  return allocate(*Problem::from(std::move(cluster)), mechanism)->allocation.tasks[user];
}

struct Counts {
  int limits = 0;    ///< users whom a limit holds, or several
  int wrong = 0;     ///< of these, whom an end of them brings nothing
  int several = 0;   ///< limits that are named together
  int too_many = 0;  ///< of these, whose end alone brings more
  int unnamed = 0;   ///< limits around users whom something else holds
  int missed = 0;    ///< of these, whose end alone brings more
};

void compare(const Problem& problem, const std::string& mechanism, Counts& counts) {
  const Outcome outcome = *allocate(problem, mechanism);
  if (outcome.status == Status::not_converged) return;
  const Stops stops(problem, outcome);
  const Tree& tree = problem.tree();
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const Stop stop = stops.of(n);
    const double now = outcome.allocation.tasks[n];
    const auto gains = [&](const std::vector<std::size_t>& nodes) {
      return tasks_without(problem, mechanism, n, nodes) > now * (1 + kNothing) + kNothing;
    };
    if (stop.kind == StopKind::tasks) continue;
    if (stop.kind == StopKind::limit) {
      const std::vector<std::size_t> nodes = nodes_of(stop);
      ++counts.limits;
      if (!gains(nodes)) ++counts.wrong;
      for (const std::size_t node : nodes) {
        if (nodes.size() == 1) continue;
        ++counts.several;
        if (gains({node})) ++counts.too_many;
      }
      continue;
    }
    for (const std::size_t node : tree.path(tree.node_of_user(n))) {
      if (tree.limit(node).empty()) continue;
      ++counts.unnamed;
      if (gains({node})) ++counts.missed;
    }
  }
}

/// What holds a user follows from one division. Where others change what they hold too, that is not always
/// right: of a hundred limits that are named at most `wrong` bring nothing, of those that are not at most
/// `missed` bring something.
Counts expect_right(const std::string& mechanism, const testing::TreeStyle& style, std::uint64_t seed,
                    int wrong, int missed) {
  constexpr int kTrees = 1'500;
  Random random(seed);
  Counts counts;
  for (int i = 0; i < random_cases(kTrees); ++i)
    compare(testing::random_tree(random, style), mechanism, counts);
  EXPECT_LE(100 * counts.wrong, wrong * counts.limits);
  EXPECT_LE(100 * counts.missed, missed * counts.unnamed);
  EXPECT_LE(counts.too_many, 1 + counts.several / 10);
  if (!kIsSanitized) {
    EXPECT_GT(counts.limits, 100);
  }
  fmt::print("{}: {} limits, {} of them wrong; {} of several, {} too many; {} unnamed, {} missed\n",
             mechanism, counts.limits, counts.wrong, counts.several, counts.too_many, counts.unnamed,
             counts.missed);
  return counts;
}

TEST(HeldByLimit, WhoIsHeldByALimitHasMoreWithoutItInOnePool) {
  const Counts counts = expect_right("hdrf", {.leaves_max = 8}, 1, 3, 4);
  if (!kIsSanitized) {
    EXPECT_GT(counts.several, 0);
  }
}

TEST(HeldByLimit, WhoIsHeldByALimitHasMoreWithoutItOverServers) {
  expect_right("hdrfh", {.leaves_max = 8, .servers_max = 4, .placement = true}, 2, 4, 4);
}

}  // namespace
}  // namespace mirab
