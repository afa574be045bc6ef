// From the end of the path to exact ties: see tied_rows.hpp.
//
// Levels first: the strongest ties between two (server, resource) nodes, as in Kruskal's spanning forest, fix
// the ratio of their levels. Then the tasks: of all changes that fill the resources, δx_{n,i} = x ρ + x² (d·y
// - its mean over the row's tied servers) and one ρ for each tree, is the least Σ (δx/x)² + Σ ρ²: a system of
// order Km at most in the multipliers y.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "numerics/tied_rows.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kWeakestTie = 1e-6;  // the lesser part of a row's tasks
constexpr double kTied = 1e-10;       // of a level
constexpr double kNearlyFull = 1e-5;  // of a capacity: it is meant to be full
constexpr int kRounds = 4;

struct Tie {
  double strength;
  Index a, b;     // nodes i m + r
  double b_by_a;  // ratio of levels
};

// The strongest tie between each two nodes, the strongest first.
std::vector<Tie> strongest_ties(const TiedRows& rows) {
  std::map<std::pair<Index, Index>, Tie> best;
  for (std::size_t n = 0; n < rows.row.size(); ++n) {
    auto main = static_cast<std::size_t>(rows.first[n]);
    const auto end = static_cast<std::size_t>(rows.first[n + 1]);
    for (std::size_t p = main; p < end; ++p) main = rows.x[p] > rows.x[main] ? p : main;
    for (auto p = static_cast<std::size_t>(rows.first[n]); p < end; ++p) {
      const double strength = rows.x[p] / rows.total[n];
      if (p == main || rows.x[p] < rows.z[p] || strength < kWeakestTie) continue;
      const Tie tie{strength, rows.stop[main], rows.stop[p], rows.a[main] / rows.a[p]};
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

// Joins trees along the ties, the smaller node's tree keeping its levels; returns the tree of each node.
std::vector<Index> join_levels(const std::vector<Tie>& ties, VectorXd& scaled) {
  std::vector<Index> tree(static_cast<std::size_t>(scaled.size()));
  std::iota(tree.begin(), tree.end(), Index{0});
  const auto of = [&](Index node) -> Index& { return tree[static_cast<std::size_t>(node)]; };
  for (const Tie& tie : ties) {
    const Index kept = of(tie.a), joined = of(tie.b);
    if (kept == joined) continue;
    const double by = scaled[tie.a] * tie.b_by_a / scaled[tie.b];
    for (Index node = 0; node < scaled.size(); ++node) {
      if (of(node) != joined) continue;
      scaled[node] *= by;
      of(node) = kept;
    }
  }
  return tree;
}

// What a row has on the servers where it is tied.
struct Part {
  Index n, server, tree;
  double x;
};

class Settlement {
 public:
  Settlement(const ServerRows& rows, const ArrayXXd& rate, Ties& ties)
      : rows_(rows), rate_(rate), ties_(ties) {}

  ArrayXXd run() {
    tie();
    place();
    for (int round = 0; round < kRounds; ++round) fill();
    ArrayXXd x = ArrayXXd::Zero(rows_.rows(), rows_.servers());
    for (const Part& part : parts_) x(part.n, part.server) = part.x;
    return x;
  }

 private:
  void tie() {
    const Index m = rows_.resources();
    VectorXd levels(ties_.levels.size());
    for (Index j = 0; j < levels.size(); ++j) levels[j] = ties_.levels(j / m, j % m);
    std::vector<Tie> strongest = strongest_ties(ties_.rows);
    for (Tie& tie : strongest) {  // the ratio in the problem's units
      const double a = unit_of_level(tie.a / m), b = unit_of_level(tie.b / m);
      tie.b_by_a *= b / a;
    }
    tree_ = join_levels(strongest, levels);
    for (Index j = 0; j < levels.size(); ++j) ties_.levels(j / m, j % m) = levels[j];
  }

  // a_{n,i} = rate_{n,i} scale_i / unit_n: the scale of a server's levels, from any of its pairs.
  double unit_of_level(Index server) const {
    for (std::size_t n = 0; n < ties_.rows.row.size(); ++n) {
      for (auto p = static_cast<std::size_t>(ties_.rows.first[n]);
           p < static_cast<std::size_t>(ties_.rows.first[n + 1]); ++p) {
        if (ties_.rows.server[p] == server)
          return ties_.rows.a[p] * ties_.rows.unit[n] / rate_(ties_.rows.row[n], server);
      }
    }
    return 1;
  }

  // The node at which row n stops on server i.
  Index stop_of(Index n, Index i) const {
    Index stop = -1;
    for (Index r = 0; r < rows_.resources(); ++r) {
      if (rows_.demand_on(i)(n, r) > 0 && (stop < 0 || ties_.levels(i, r) < ties_.levels(i, stop))) stop = r;
    }
    return i * rows_.resources() + stop;
  }

  // Every row at the best of its levels: where it is tied in the parts that the path found, else on one
  // server.
  void place() {
    std::vector<Index> tied(static_cast<std::size_t>(rows_.rows()), -1);
    for (std::size_t t = 0; t < ties_.rows.row.size(); ++t)
      tied[static_cast<std::size_t>(ties_.rows.row[t])] = static_cast<Index>(t);
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
      if (reach(n, i) < best * (1 - kTied)) return;
      parts_.push_back({.n = n, .server = i, .tree = tree_of(n, i), .x = x});
      sum += x;
    };
    if (tied >= 0) {
      for (auto p = static_cast<std::size_t>(ties_.rows.first[static_cast<std::size_t>(tied)]);
           p < static_cast<std::size_t>(ties_.rows.first[static_cast<std::size_t>(tied) + 1]); ++p)
        add(ties_.rows.server[p], ties_.rows.x[p]);
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
    return rate_(n, i) * std::min(ties_.levels(stop / rows_.resources(), stop % rows_.resources()), 1e300);
  }
  Index tree_of(Index n, Index i) const { return tree_[static_cast<std::size_t>(stop_of(n, i))]; }

  // d / c of a part's resource.
  double weight(const Part& part, Index r) const {
    const double demand = rows_.demand_on(part.server)(part.n, r);
    return demand > 0 ? demand / rows_.capacity(part.server, r) : 0;
  }

  // The least change that fills what has to be full.
  void fill() {
    const Index m = rows_.resources(), nodes = ties_.levels.size();
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
      const bool full = ties_.levels(j / m, j % m) < kInfinity && std::abs(missing[j]) < kNearlyFull;
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
    for (Index j = 0; j < nodes; ++j)
      ties_.levels(j / m, j % m) *= 1 + growth[tree_[static_cast<std::size_t>(j)]];
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
  Ties& ties_;
  std::vector<Index> tree_;  // of a node
  std::vector<Part> parts_;  // a row's together
};

}  // namespace

ArrayXXd settle_ties(const ServerRows& rows, const ArrayXXd& rate, Ties& ties) {
  return Settlement(rows, rate, ties).run();
}

}  // namespace mirab::numerics
