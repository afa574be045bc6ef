// Levels that are proportional to each other because rows are tied between them.
//
// Source: Kruskal 1956, for the maximum spanning forest. At the end of the path a row with tasks on servers i
// and j has rate_{n,i} L_i = rate_{n,j} L_j but for rounding and a rest of μ, least where it has most tasks
// on both: the strongest ties fix the ratios, weaker ones that would close a circle only repeat them. A tie's
// strength is the lesser part of the row's tasks.
#include "numerics/tie_forest.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kWeakestTie = 1e-6;  // of a row's tasks

struct Tie {
  double strength;
  Index a, b;     // nodes i m + r
  double b_by_a;  // ratio of levels
};

// The strongest tie between each two nodes, the strongest first.
std::vector<Tie> strongest_ties(const TiedRows& rows, const ArrayXXd& rate) {
  std::map<std::pair<Index, Index>, Tie> best;
  for (std::size_t n = 0; n < rows.row.size(); ++n) {
    const auto begin = static_cast<std::size_t>(rows.first[n]),
               end = static_cast<std::size_t>(rows.first[n + 1]);
    auto main = begin;
    for (std::size_t p = begin; p < end; ++p) main = rows.x[p] > rows.x[main] ? p : main;
    for (std::size_t p = begin; p < end; ++p) {
      const double strength = rows.x[p] / rows.total[n];
      if (p == main || rows.x[p] < rows.z[p] || strength < kWeakestTie) continue;
      const double ratio = rate(rows.row[n], rows.server[main]) / rate(rows.row[n], rows.server[p]);
      const Tie tie{strength, rows.stop[main], rows.stop[p], ratio};
      const auto [known, is_new] = best.try_emplace(std::minmax(tie.a, tie.b), tie);
      if (!is_new && known->second.strength < strength) known->second = tie;
    }
  }
  std::vector<Tie> ties;
  for (const auto& [nodes, tie] : best) ties.push_back(tie);
  std::stable_sort(ties.begin(), ties.end(),
                   [](const Tie& one, const Tie& other) { return one.strength > other.strength; });
  return ties;
}

}  // namespace

std::vector<Index> join_ties(const TiedRows& rows, const ArrayXXd& rate, ArrayXXd& levels) {
  const Index m = levels.cols();
  const auto level = [&](Index node) -> double& { return levels(node / m, node % m); };
  std::vector<Index> tree(static_cast<std::size_t>(levels.size()));
  std::iota(tree.begin(), tree.end(), Index{0});
  const auto of = [&](Index node) -> Index& { return tree[static_cast<std::size_t>(node)]; };
  for (const Tie& tie : strongest_ties(rows, rate)) {
    const Index kept = of(tie.a), joined = of(tie.b);
    if (kept == joined) continue;
    const double by = level(tie.a) * tie.b_by_a / level(tie.b);
    for (Index node = 0; node < levels.size(); ++node) {
      if (of(node) != joined) continue;
      level(node) *= by;
      of(node) = kept;
    }
  }
  return tree;
}

}  // namespace mirab::numerics
