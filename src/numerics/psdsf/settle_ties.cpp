// Levels that are proportional to each other because rows are tied between them.
//
// Source: Kruskal 1956, for the maximum spanning forest. At the end of the path a row with tasks on servers i
// and j has rate_{n,i} L_i = rate_{n,j} L_j but for rounding and a rest of μ, least where it has most tasks
// on both: the strongest ties fix the ratios, weaker ones that would close a circle only repeat them. A tie's
// strength is the lesser part of the row's tasks.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "numerics/base/rows.hpp"
#include "numerics/psdsf/tied_levels.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

struct Tie {
  double strength;
  Index a, b;     // nodes i m + r
  double b_by_a;  // ratio of levels
};

// The strongest tie between each two nodes, the strongest first.
std::vector<Tie> strongest_ties(const TiedRows& rows, const ArrayXXd& rate, double weakest) {
  std::map<std::pair<Index, Index>, Tie> best;
  for (std::size_t n = 0; n < rows.row.size(); ++n) {
    const auto begin = static_cast<std::size_t>(rows.first[n]),
               end = static_cast<std::size_t>(rows.first[n + 1]);
    auto main = begin;
    for (std::size_t p = begin; p < end; ++p) main = rows.x[p] > rows.x[main] ? p : main;
    for (std::size_t p = begin; p < end; ++p) {
      const double strength = rows.x[p] / rows.total[n];
      if (p == main || rows.x[p] < rows.z[p] || strength < weakest) continue;
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

std::vector<Index> join_ties(const TiedRows& rows, const ArrayXXd& rate, ArrayXXd& levels,
                             const TieTuning& tuning) {
  const Index m = levels.cols();
  const auto level = [&](Index node) -> double& { return levels(node / m, node % m); };
  std::vector<Index> tree(static_cast<std::size_t>(levels.size()));
  std::iota(tree.begin(), tree.end(), Index{0});
  const auto of = [&](Index node) -> Index& { return tree[static_cast<std::size_t>(node)]; };
  for (const Tie& tie : strongest_ties(rows, rate, tuning.weakest_tie)) {
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

// From the end of the path to exact ties.
//
// Levels first (join_ties). Then the tasks: of all changes that fill the resources, δx_{n,i} = x ρ + x²
// (d·y - its mean over the row's tied servers) and one ρ for each tree, is the least Σ (δx/x)² + Σ ρ²: a
// system of order Km at most in the multipliers y (docs/explanation/mathematics.md, section 5).
//
// Known failure: where x would go below zero it stops at zero, and something may not be full; the level
// form's violation shows it.

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// What a row has on the servers where it is tied.
struct Part {
  Index n, server, tree;
  double x;
};

class Settlement {
 public:
  Settlement(const ServerRows& rows, const ArrayXXd& rate, const TiedRows& ties, ArrayXXd& levels,
             const TieTuning& tuning)
      : rows_(rows),
        rate_(rate),
        ties_(ties),
        tuning_(tuning),
        levels_(levels),
        tree_(join_ties(ties, rate, levels, tuning)) {}

  ArrayXXd run() {
    place();
    for (int round = 0; round < tuning_.settling_rounds; ++round) fill();
    ArrayXXd x = ArrayXXd::Zero(rows_.rows(), rows_.servers());
    for (const Part& part : parts_) x(part.n, part.server) = part.x;
    return x;
  }

 private:
  // The node at which row n stops on server i.
  Index stop_of(Index n, Index i) const {
    Index stop = -1;
    for (Index r = 0; r < rows_.resources(); ++r) {
      if (rows_.demand_on(i)(n, r) > 0 && (stop < 0 || levels_(i, r) < levels_(i, stop))) stop = r;
    }
    return i * rows_.resources() + stop;
  }

  // Every row at the best of its levels: where it is tied in the parts that the path found, else on one
  // server.
  void place() {
    std::vector<Index> tied(static_cast<std::size_t>(rows_.rows()), -1);
    for (std::size_t t = 0; t < ties_.row.size(); ++t)
      tied[static_cast<std::size_t>(ties_.row[t])] = static_cast<Index>(t);
    for (Index n = 0; n < rows_.rows(); ++n) place_row(n, tied[static_cast<std::size_t>(n)]);
  }

  void place_row(Index n, Index tied) {
    const double cap = rows_.cap.size() > 0 ? rows_.cap[n] : kInfinity;
    if (cap <= 0) return;
    double best = 0;
    for (Index i = 0; i < rows_.servers(); ++i) best = std::max(best, reach(n, i));
    const std::size_t first = parts_.size();
    double sum = 0;
    const auto add = [&](Index i, double x) {
      if (reach(n, i) < best * (1 - tuning_.tied)) return;
      parts_.push_back({.n = n, .server = i, .tree = tree_of(n, i), .x = x});
      sum += x;
    };
    if (tied >= 0) {
      for (auto p = static_cast<std::size_t>(ties_.first[static_cast<std::size_t>(tied)]);
           p < static_cast<std::size_t>(ties_.first[static_cast<std::size_t>(tied) + 1]); ++p)
        add(ties_.server[p], ties_.x[p]);
    }
    for (Index i = 0; i < rows_.servers() && parts_.size() == first; ++i) add(i, 1);
    const double total = std::min(cap, best);
    for (std::size_t p = first; p < parts_.size(); ++p) {
      parts_[p].x *= total / sum;
      if (best >= cap) parts_[p].tree = -1;
    }
  }

  double reach(Index n, Index i) const {
    if (rate_(n, i) == 0) return 0;
    const Index stop = stop_of(n, i);
    constexpr double kMaxLevel = 1e300;  // instead of infinity: times a rate it still compares
    return rate_(n, i) * std::min(levels_(stop / rows_.resources(), stop % rows_.resources()), kMaxLevel);
  }
  Index tree_of(Index n, Index i) const { return tree_[static_cast<std::size_t>(stop_of(n, i))]; }

  // d / c of a part's resource.
  double weight(const Part& part, Index r) const {
    const double demand = rows_.demand_on(part.server)(part.n, r);
    return demand > 0 ? demand / rows_.capacity(part.server, r) : 0;
  }

  // The least change that fills what has to be full.
  void fill() {
    const Index m = rows_.resources(), nodes = levels_.size();
    VectorXd use = VectorXd::Zero(nodes);
    MatrixXd of_tree = MatrixXd::Zero(nodes, nodes), normal = MatrixXd::Zero(nodes, nodes);
    for (const Part& part : parts_) {
      for (Index r = 0; r < m; ++r) {
        const double used = weight(part, r) * part.x;
        use[part.server * m + r] += used;
        if (part.tree >= 0) of_tree(part.server * m + r, part.tree) += used;
      }
    }
    each_split([&](std::size_t first, std::size_t end, double all) { add_split(first, end, all, normal); });
    normal += of_tree * of_tree.transpose();
    VectorXd missing = VectorXd::Ones(nodes) - use;
    for (Index j = 0; j < nodes; ++j) {
      const bool full = levels_(j / m, j % m) < kInfinity && std::abs(missing[j]) < tuning_.nearly_full;
      if (full) continue;
      missing[j] = 0;
      normal.row(j).setZero();
      normal.col(j).setZero();
      of_tree.row(j).setZero();
    }
    const VectorXd y = normal.completeOrthogonalDecomposition().solve(missing);
    if (!y.allFinite()) return;
    each_split([&](std::size_t first, std::size_t end, double all) { shift(first, end, all, y); });
    const VectorXd growth = of_tree.transpose() * y;
    for (Part& part : parts_) {
      if (part.tree >= 0) part.x *= 1 + growth[part.tree];
    }
    for (Index j = 0; j < nodes; ++j) levels_(j / m, j % m) *= 1 + growth[tree_[static_cast<std::size_t>(j)]];
  }

  // Calls with every row that has more than one part, and Σ x² over them.
  template <class Body>
  void each_split(const Body& body) {
    for (std::size_t first = 0, end = 0; first < parts_.size(); first = end) {
      double all = 0;
      for (end = first; end < parts_.size() && parts_[end].n == parts_[first].n; ++end)
        all += parts_[end].x * parts_[end].x;
      if (end > first + 1 && all > 0) body(first, end, all);
    }
  }

  // d (diag(x²) - x² x²ᵀ / Σ x²) dᵀ of one row.
  void add_split(std::size_t first, std::size_t end, double all, MatrixXd& normal) const {
    const Index m = rows_.resources();
    for (std::size_t p = first; p < end; ++p) {
      for (std::size_t q = first; q < end; ++q) {
        const double xp = parts_[p].x * parts_[p].x, xq = parts_[q].x * parts_[q].x;
        const double w = p == q ? xp * (all - xp) / all : -xp * xq / all;
        for (Index r = 0; r < m; ++r) {
          for (Index s = 0; s < m; ++s)
            normal(parts_[p].server * m + r, parts_[q].server * m + s) +=
                w * weight(parts_[p], r) * weight(parts_[q], s);
        }
      }
    }
  }

  void shift(std::size_t first, std::size_t end, double all, const VectorXd& y) {
    const auto pull = [&](const Part& part) {
      double sum = 0;
      for (Index r = 0; r < rows_.resources(); ++r)
        sum += weight(part, r) * y[part.server * rows_.resources() + r];
      return sum;
    };
    double mean = 0, total = 0, kept = 0;
    for (std::size_t p = first; p < end; ++p) mean += parts_[p].x * parts_[p].x / all * pull(parts_[p]);
    for (std::size_t p = first; p < end; ++p) {
      total += parts_[p].x;
      parts_[p].x = std::max(0.0, parts_[p].x + parts_[p].x * parts_[p].x * (pull(parts_[p]) - mean));
      kept += parts_[p].x;
    }
    for (std::size_t p = first; p < end; ++p) parts_[p].x *= total / kept;
  }

  const ServerRows& rows_;
  const ArrayXXd& rate_;
  const TiedRows& ties_;
  const TieTuning& tuning_;
  ArrayXXd& levels_;
  std::vector<Index> tree_;  // of a node
  std::vector<Part> parts_;  // a row's together
};

}  // namespace

ArrayXXd settle_ties(const ServerRows& rows, const ArrayXXd& rate, const TiedRows& ties, ArrayXXd& levels,
                     const TieTuning& tuning) {
  return Settlement(rows, rate, ties, levels, tuning).run();
}

}  // namespace mirab::numerics
