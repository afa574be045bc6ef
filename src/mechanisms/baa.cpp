// Bottleneck-Aware Allocation: users with the same dominant resource have the same dominant share per weight,
// and what these levels are makes the most use of the cluster that leaves no user envious.
//
// Source: Wang and Varman, Balancing Fairness and Efficiency in Tiered Storage Systems with Bottleneck-Aware
// Allocation, FAST 2014; docs/explanation/mathematics.md, section 7. Users n of group k have the dominant
// share φ_n g_k; d̂_n is a demand scaled to dominant share 1:
//
//   max Σ_r use_r/C_r   under  use_r ≤ C_r,   g_k ≥ 1/Φ  (sharing incentive),
//                              g_k ≥ ρ_{k,l} g_l,   ρ_{k,l} = max_{n∈k, q∈l} min_r d̂_{q,r}/d̂_{n,r}  (no envy)
//
// It always has a solution: with g_k = 1/Φ for all, Σ_n φ_n g d̂_{n,r} ≤ 1, and ρ ≤ 1 since d̂_{n,k} = 1 for n
// in k. A linear program of at most m variables, in z_k, the part of resource k that its own group holds
// above 1/Φ; envy is added where it arises. Certificate: the prices' bound on the use, over the use, less 1.
// Example: C = (9, 18), d = (1, 4) and (3, 1): g = (10/11, 6/11), 45/11 and 18/11 tasks, both resources full.
//
// Known failures: a user gains by a false demand; the level jumps when a demand changes its group (of equal
// parts the first resource is the dominant one); with zero demands a full resource stops the whole group;
// where several allocations make equal use, which one is a matter of the order of resources.
// Cost: O(N F m) for the F users whose demands no other's of the group exceeds (few, unless made so).
// When the solver fails: the simplex method ends at a vertex, or after 100 pivots of O(m²) for each of its
// variables: then the division still fits and no user is worse off than alone, but users may be envious,
// the gap is infinite, and the status is not_converged.
#include <algorithm>
#include <limits>

#include "mechanisms/pool.hpp"
#include "mechanisms/registry.hpp"
#include "mechanisms/servers.hpp"
#include "numerics/base/dense_programs.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// Of the certificate. As kFewUsers of pool.cpp.
constexpr numerics::Accuracy kBaaAccuracy{.target = 1e-12, .accepted = 1e-9};
constexpr double kEnvies = 1e-12;  // relative. Derived: thousands of roundings, and no more than the target.

constexpr std::string_view kBaaPaper = "Wang and Varman, FAST 2014";
constexpr std::string_view kFullResource =
    "at the optimum some resource is full, or all levels could rise together";

constexpr Claim kBaaClaims[] = {
    {Property::sharing_incentive, true, kUncapped, kBaaPaper},
    {Property::envy_freeness, true, kUncapped, kBaaPaper},
    {Property::pareto_efficiency, true, kUncappedPositive, kFullResource},
    {Property::single_resource_fairness, true, kUncapped, "one group, one level"},
    {Property::bottleneck_fairness, true, kUncapped, "one group, one level"},
    {Property::scale_invariance, false, {}, "searched: where several divisions use equally much"},
    {Property::strategy_proofness, false, {}, "searched"},
    {Property::population_monotonicity, false, {}, "searched"},
    {Property::resource_monotonicity, false, {}, "searched"},
};

// Users by dominant resource. N users, m resources, K groups.
struct Groups {
  ArrayXXd scaled;                          // d̂, [n][r]
  std::vector<std::vector<Index>> members;  // [k]
  std::vector<Index> dominant;              // the resource of a group, [k]
  ArrayXXd use;       // Σ_{n∈k} φ_n d̂_{n,r}: part of r that a level of 1 takes, [k][r]
  double weight = 0;  // Φ
};

Groups group(const Pool& pool) {
  Groups groups;
  groups.scaled = pool.demand.rowwise() / pool.capacity.transpose();
  groups.scaled.colwise() /= groups.scaled.rowwise().maxCoeff().eval();
  std::vector<std::vector<Index>> by_resource(static_cast<std::size_t>(pool.capacity.size()));
  for (Index n = 0; n < groups.scaled.rows(); ++n) {
    Index dominant = 0;
    groups.scaled.row(n).maxCoeff(&dominant);  // the first of equals
    by_resource[static_cast<std::size_t>(dominant)].push_back(n);
  }
  for (std::size_t r = 0; r < by_resource.size(); ++r) {
    if (by_resource[r].empty()) continue;
    groups.dominant.push_back(static_cast<Index>(r));
    groups.members.push_back(std::move(by_resource[r]));
  }
  groups.use = ArrayXXd::Zero(static_cast<Index>(groups.members.size()), pool.capacity.size());
  for (Index k = 0; k < groups.use.rows(); ++k) {
    for (const Index n : groups.members[static_cast<std::size_t>(k)]) {
      const double weight = pool.weight.size() > 0 ? pool.weight[n] : 1;
      groups.use.row(k) += weight * groups.scaled.row(n);
      groups.weight += weight;
    }
  }
  return groups;
}

// Those users of a group of whom no other in it has, in every resource, at least as high a `sign` · d̂.
std::vector<Index> extremes(const ArrayXXd& scaled, std::vector<Index> users, double sign) {
  const auto total = [&](Index n) { return sign * scaled.row(n).sum(); };
  std::stable_sort(users.begin(), users.end(), [&](Index a, Index b) { return total(a) > total(b); });
  std::vector<Index> found;  // one that exceeds another comes before it
  for (const Index n : users) {
    const auto exceeds = [&](Index other) {
      return (sign * scaled.row(other) >= sign * scaled.row(n)).all();
    };
    if (std::none_of(found.begin(), found.end(), exceeds)) found.push_back(n);
  }
  return found;
}

// min_r d̂_{q,r}/d̂_{n,r} over what n needs: the part of its own level that n would have with q's bundle.
double worth(const ArrayXXd& scaled, Index n, Index q) {
  double tasks = std::numeric_limits<double>::infinity();
  for (Index r = 0; r < scaled.cols(); ++r) {
    if (scaled(n, r) > 0) tasks = std::min(tasks, scaled(q, r) / scaled(n, r));
  }
  return tasks;
}

// ρ, [k][l]; 0 on the diagonal: within a group no user envies another.
ArrayXXd envies(const Groups& groups) {
  const std::size_t count = groups.members.size();
  std::vector<std::vector<Index>> modest, lavish;
  for (const auto& members : groups.members) {
    modest.push_back(extremes(groups.scaled, members, -1));
    lavish.push_back(extremes(groups.scaled, members, +1));
  }
  ArrayXXd rho = ArrayXXd::Zero(static_cast<Index>(count), static_cast<Index>(count));
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t l = 0; l < count; ++l) {
      double& largest = rho(static_cast<Index>(k), static_cast<Index>(l));
      for (std::size_t n = 0; n < (k == l ? 0 : modest[k].size()); ++n) {
        for (const Index q : lavish[l]) largest = std::max(largest, worth(groups.scaled, modest[k][n], q));
      }
    }
  }
  return rho;
}

// The linear program in z_k = (g_k - 1/Φ) · own_k, where own_k is what a level takes of the group's resource.
struct BaaLevels {
  ArrayXd own;   // [k]
  ArrayXd base;  // own / Φ: the group's part at the least level, [k]
  numerics::LinearProgram program;
};

BaaLevels capacities_only(const Groups& groups) {
  const Index count = groups.use.rows();
  ArrayXd own(count);
  for (Index k = 0; k < count; ++k) own[k] = groups.use(k, groups.dominant[static_cast<std::size_t>(k)]);
  const ArrayXXd use = groups.use.colwise() / own;  // of r for a part of the dominant resource
  const ArrayXd base = own / groups.weight;
  const Eigen::VectorXd left = 1 - (use.transpose().matrix() * base.matrix()).array();
  return {own, base, {use.rowwise().sum(), use.transpose(), left.cwiseMax(0)}};
}

// g_k ≥ ρ g_l as ρ own_k/own_l z_l - z_k ≤ (1 - ρ) base_k, over the largest coefficient.
void forbid_envy(BaaLevels& levels, Index k, Index l, double rho) {
  const double slope = rho * levels.own[k] / levels.own[l];
  const double size = std::max(1.0, slope);
  numerics::LinearProgram& program = levels.program;
  const Index row = program.rows.rows();
  program.rows.conservativeResize(row + 1, Eigen::NoChange);
  program.limit.conservativeResize(row + 1);
  program.rows.row(row).setZero();
  program.rows(row, l) = slope / size;
  program.rows(row, k) = -1 / size;
  program.limit[row] = (1 - rho) * levels.base[k] / size;
}

struct Solved {
  numerics::SolveReport report;  // error: the bound on the use of all resources over the use, less 1
  ArrayXd level;                 // g, [k]
};

// No z_k exceeds 1, a whole resource: so rounding in the prices is bounded too.
double excess(const Groups& groups, const BaaLevels& levels, const numerics::LinearOptimum& best) {
  const numerics::LinearProgram& program = levels.program;
  const Eigen::ArrayXd unpriced = program.value - program.rows.transpose() * best.price;
  const double bound = program.limit.dot(best.price) + unpriced.max(0.0).sum();
  const double base_use = groups.use.sum() / groups.weight;
  return (bound - program.value.dot(best.amount)) / (base_use + program.value.dot(best.amount));
}

Solved solve(const Groups& groups) {
  BaaLevels levels = capacities_only(groups);
  const ArrayXXd rho = envies(groups);
  ArrayXXd forbidden = ArrayXXd::Zero(rho.rows(), rho.cols());
  for (;;) {
    const numerics::LinearOptimum best = numerics::maximise(levels.program);
    const ArrayXd level = best.amount.array() / levels.own + 1 / groups.weight;
    bool envious = false;
    for (Index k = 0; k < rho.rows(); ++k) {
      for (Index l = 0; l < rho.cols(); ++l) {
        if (forbidden(k, l) > 0 || level[k] >= rho(k, l) * level[l] * (1 - kEnvies)) continue;
        forbid_envy(levels, k, l, rho(k, l));
        forbidden(k, l) = 1;
        envious = true;
      }
    }
    if (envious && best.report.stop != numerics::Stop::limit) continue;
    const double error = std::max(0.0, excess(groups, levels, best));
    return {.report = envious ? best.report : report_of_levels(error, best.report), .level = level};
  }
}

PoolShares share_levels(const Pool& pool) {
  const Groups groups = group(pool);
  const Solved solved = solve(groups);
  ArrayXd u(pool.demand.rows());
  dominant_share_of_one(pool.demand, pool.capacity, u);
  ArrayXd tasks = u;
  if (pool.weight.size() > 0) tasks *= pool.weight;
  for (std::size_t k = 0; k < groups.members.size(); ++k) {
    for (const Index n : groups.members[k]) tasks[n] *= solved.level[static_cast<Index>(k)];
  }
  const ArrayXd used = (pool.demand.transpose().matrix() * tasks.matrix()).array();
  return {.tasks = tasks,
          .used = used,
          .prices = {},
          .status = status_of(solved.report, Status::exact),
          .certificate = {.kind = "relative-duality-gap", .value = solved.report.error},
          .notice = {}};
}

Result<Outcome> allocate_baa(const Problem& problem, const Choice& choice, const Execution&) {
  return share_pool(problem, choice, share_levels);
}

}  // namespace

numerics::SolveReport report_of_levels(double gap, const numerics::SolveReport& program) {
  using numerics::Stop;
  const Stop otherwise = program.stop == Stop::limit ? Stop::limit : Stop::stalled;
  return numerics::report_of(gap, kBaaAccuracy, otherwise, program.iterations);
}

namespace {

// Dominant-Resource Bottleneck Fairness (Zhao, Du and Chen 2018) gives these levels too: all numbers that
// Hamzeh's tables 4.3 and 4.7 print of it are those of BAA on the same cluster.
constexpr std::string_view kBaaAliases[] = {"drbf"};

}  // namespace

Mechanism baa_row() {
  Accepts accepts = kPoolAccepts;
  accepts.caps = false;
  return {.name = "baa",
          .aliases = kBaaAliases,
          .scope = Scope::pool,
          .title = "Bottleneck-Aware Allocation",
          .summary =
              "One level of dominant share for each dominant resource, for the most use that leaves "
              "no user envious or worse off than alone.",
          .yardstick = "1 / max_r (d_{n,r} / C_r)",
          .alpha = "–",
          .source =
              "Wang and Varman, Balancing Fairness and Efficiency in Tiered Storage Systems with "
              "Bottleneck-Aware Allocation, FAST 2014",
          .accepts = accepts,
          .options = {},
          .claims = kBaaClaims,
          .objective =
              "Σ_r use_r / C_r, with the share s_n = X_n / (φ_n u_n) equal for all users with the "
              "same dominant resource, ≥ 1/Φ, and no user envious",
          .allocate = allocate_baa};
}

}  // namespace mirab
