// Pareto efficiency: nobody can have more tasks without somebody's loss. Two linear programs over all ways y
// to place tasks, with X_n what everybody has:
//   max Σ_n ε_n / X_n   under  Σ_i y_{n,i} ≥ X_n + ε_n,  ε ≥ 0      (0 when efficient: it decides)
//   max t               under  Σ_i y_{n,i} ≥ t X_n                  (1 when not even all can have more)
//
// Source: docs/mathematics.md, section 11. Users with equal tasks and proportional servers are merged first,
// which changes neither optimum. The first program starts at y = 0 and pays M for every part of X_n that is
// served: an exact penalty, checked afterwards. On one server, where X_n takes X_n d_n and no more, what is
// free is a program of m rows. Tasks are in units of X_n, capacities of the server's; of a user without any
// tasks, in those that it could run alone.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "audit/finding.hpp"
#include "audit/ground.hpp"
#include "mechanisms/levels.hpp"
#include "mechanisms/servers.hpp"
#include "numerics/simplex.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using numerics::ServerRows;

constexpr double kPenalties[] = {1e3, 1e6, 1e9};  // of a task that somebody would lose, one after the other
constexpr double kNextToNothing = 1e-9;           // of a capacity, one unit
constexpr double kServed = 1e-7;                  // of X_n may be lost to rounding
constexpr double kMostEntries = 4e6;              // of the tableau

// Users and servers in classes; on the pool one class of servers.
struct Classed {
  ServerRows rows;
  ArrayXd tasks;                              // X of each class of users
  ArrayXd unit;                               // X, or what a class without tasks could run alone
  std::vector<std::vector<std::size_t>> who;  // [class]
};

Classed classed_pool(const Ground& ground, const std::vector<double>& tasks) {
  const auto users = static_cast<Index>(ground.users());
  const auto resources = static_cast<Index>(ground.resources());
  Classed classed{.rows = {.demand = {Eigen::ArrayXXd(users, resources)},
                           .capacity = Eigen::ArrayXXd(1, resources),
                           .alone = Eigen::ArrayXXd(users, 1),
                           .cap = ArrayXd(users)},
                  .tasks = ArrayXd(users),
                  .unit = {},
                  .who = {}};
  for (Index r = 0; r < resources; ++r)
    classed.rows.capacity(0, r) = ground.capacity(0)[static_cast<std::size_t>(r)];
  for (Index n = 0; n < users; ++n) {
    const auto user = static_cast<std::size_t>(n);
    for (Index r = 0; r < resources; ++r)
      classed.rows.demand[0](n, r) = ground.demand(user, 0)[static_cast<std::size_t>(r)];
    classed.rows.alone(n, 0) = ground.alone_everywhere(user);
    classed.rows.cap[n] = ground.cap(user);
    classed.tasks[n] = tasks[user];
    classed.who.push_back({user});
  }
  return classed;
}

Classed classed_servers(const Problem& problem, const std::vector<double>& tasks) {
  MergedServers merged = merge_servers(problem, MergeUsers::equal);
  Classed classed{
      .rows = std::move(merged.rows), .tasks = ArrayXd::Zero(merged.weight.size()), .unit = {}, .who = {}};
  for (const UserClass& alike : merged.classes.users) {
    for (const std::size_t n : alike.members)
      classed.tasks[static_cast<Index>(classed.who.size())] += tasks[n];
    classed.who.push_back(alike.members);
  }
  if (classed.rows.cap.size() == 0)
    classed.rows.cap = ArrayXd::Constant(classed.tasks.size(), std::numeric_limits<double>::infinity());
  return classed;
}

// Where a class may go: (class, server) pairs, the variables y.
std::vector<std::pair<Index, Index>> pairs_of(const ServerRows& rows) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index i = 0; i < rows.servers(); ++i) {
    for (Index n = 0; n < rows.rows(); ++n) {
      if (rows.alone(n, i) > 0) pairs.emplace_back(n, i);
    }
  }
  return pairs;
}

// How much of server i's resource r one unit of class n takes.
double part_taken(const Classed& classed, Index n, Index i, Index r) {
  const double capacity = classed.rows.capacity(i, r);
  return capacity > 0 ? classed.rows.demand_on(i)(n, r) * classed.unit[n] / capacity : 0;
}

// What a class may still gain, in its unit; nothing where it cannot run.
double room_of(const Classed& classed, Index n) {
  const double most = classed.rows.alone.row(n).sum();
  if (most <= 0) return 0;
  return std::min(std::max(0.0, classed.rows.cap[n] - classed.tasks[n]), most) / classed.unit[n];
}

double largest_part(const Classed& classed, Index n) {
  double largest = 0;
  for (Index r = 0; r < classed.rows.resources(); ++r)
    largest = std::max(largest, part_taken(classed, n, 0, r));
  return largest;
}

// ε_n / X_n of the first program on one server: what fits into the room that is left.
ArrayXd gains_on_one_server(const Classed& classed) {
  const ServerRows& rows = classed.rows;
  const Index users = rows.rows();
  std::vector<Index> capped;
  for (Index n = 0; n < users; ++n) {
    if (std::isfinite(rows.cap[n]) || rows.alone(n, 0) <= 0 || largest_part(classed, n) < kNextToNothing)
      capped.push_back(n);
  }
  const Index limits = rows.resources() + static_cast<Index>(capped.size());
  numerics::LinearProgram program{.value = Eigen::VectorXd::Ones(users),
                                  .rows = Eigen::MatrixXd::Zero(limits, users),
                                  .limit = Eigen::VectorXd::Ones(limits)};
  for (Index n = 0; n < users; ++n) {
    for (Index r = 0; r < rows.resources(); ++r) {
      const double part = part_taken(classed, n, 0, r);
      program.rows(r, n) = part;
      program.limit[r] -= part * classed.tasks[n] / classed.unit[n];
    }
  }
  for (std::size_t k = 0; k < capped.size(); ++k) {
    const Index row = rows.resources() + static_cast<Index>(k);
    program.rows(row, capped[k]) = 1;
    program.limit[row] = room_of(classed, capped[k]);
  }
  program.limit = program.limit.cwiseMax(0.0);
  return numerics::maximise(program).amount;
}

// The same over several servers, where to lose a task costs so much. Nothing when it does not cost enough to
// keep everybody what it has.
std::optional<ArrayXd> gains_over_servers(const Classed& classed, double penalty) {
  const ServerRows& rows = classed.rows;
  const Index users = rows.rows();
  const auto pairs = pairs_of(rows);
  const auto placed = static_cast<Index>(pairs.size());
  const Index capacities = rows.servers() * rows.resources();
  numerics::LinearProgram program{.value = Eigen::VectorXd::Constant(placed + users, penalty),
                                  .rows = Eigen::MatrixXd::Zero(capacities + 2 * users, placed + users),
                                  .limit = Eigen::VectorXd::Ones(capacities + 2 * users)};
  for (Index column = 0; column < placed; ++column) {
    const auto& [n, i] = pairs[static_cast<std::size_t>(column)];
    for (Index r = 0; r < rows.resources(); ++r)
      program.rows(i * rows.resources() + r, column) = part_taken(classed, n, i, r);
    program.rows(capacities + n, column) = 1;
  }
  for (Index n = 0; n < users; ++n) {  // ε_n: what is placed beyond X_n is worth 1, not M
    program.value[placed + n] = 1 - penalty;
    program.rows(capacities + n, placed + n) = -1;
    program.rows(capacities + users + n, placed + n) = 1;
    program.limit[capacities + n] = classed.tasks[n] / classed.unit[n];
    program.limit[capacities + users + n] = room_of(classed, n);
  }
  const numerics::LinearOptimum best = numerics::maximise(program);
  ArrayXd served = ArrayXd::Zero(users);
  for (Index column = 0; column < placed; ++column)
    served[pairs[static_cast<std::size_t>(column)].first] += best.amount[column];
  const ArrayXd owed = classed.tasks / classed.unit;
  if (!(served >= owed * (1 - kServed) - kServed).all()) return {};
  return (served - owed).max(0.0);
}

std::optional<ArrayXd> gains_of(const Classed& classed) {
  if (classed.rows.servers() == 1) return gains_on_one_server(classed);
  for (const double penalty : kPenalties) {
    if (std::optional<ArrayXd> gains = gains_over_servers(classed, penalty)) return gains;
  }
  return {};
}

// max t of the second program; 1 when somebody has nothing, or all its tasks. Over servers it is the lowest
// level of the max-min allocation in units of X.
double common_factor(const Division& division, const Classed& classed) {
  if ((classed.tasks >= classed.rows.cap * (1 - kServed)).any() || (classed.tasks <= 0).any()) return 1;
  if (division.scope == Scope::pool) {
    const ArrayXd used = classed.rows.demand[0].matrix().transpose() * classed.tasks.matrix();
    const ArrayXd capacity = classed.rows.capacity.row(0);
    return 1 / (capacity > 0).select(used / capacity, 0.0).maxCoeff();
  }
  const Levels levels = raise_levels(merge_servers(division.problem, MergeUsers::equal), classed.tasks);
  return (levels.shares.tasks.rowwise().sum() / classed.tasks).minCoeff();
}

std::string names_of(const Ground& ground, const std::vector<std::size_t>& users) {
  std::string text = ground.user_name(users[0]);
  if (users.size() > 1) text += fmt::format(" and {} like it", users.size() - 1);
  return text;
}

}  // namespace

Verdict check_pareto_efficiency(const Division& division, const Tolerances& tolerances) {
  const Ground ground(division.problem, division.scope);
  const std::vector<double>& tasks = division.outcome.allocation.tasks;
  Classed classed =
      division.scope == Scope::pool ? classed_pool(ground, tasks) : classed_servers(division.problem, tasks);
  classed.unit = (classed.tasks > 0).select(classed.tasks, classed.rows.alone.rowwise().sum());
  classed.unit = (classed.unit > 0).select(classed.unit, 1.0);  // of a class that can run nowhere
  const auto users = static_cast<double>(classed.tasks.size());
  const auto servers = static_cast<double>(classed.rows.servers());
  const bool one = classed.rows.servers() == 1;
  const double entries =
      one ? 0 : (servers * static_cast<double>(ground.resources()) + 2 * users) * users * (servers + 1);
  if (entries > kMostEntries)
    return undecided(Property::pareto_efficiency, "the linear program is too large");

  const std::optional<ArrayXd> found = gains_of(classed);
  if (!found) return undecided(Property::pareto_efficiency, "what users have is too far apart in size");
  const ArrayXd& gains = *found;
  const double size = gains.sum();
  if (size <= slack(division.outcome, tolerances) * users) return {.property = Property::pareto_efficiency};

  Index best = 0;
  gains.maxCoeff(&best);
  const auto& who = classed.who[static_cast<std::size_t>(best)];
  const double has = classed.tasks[best];
  const double could = has + gains[best] * classed.unit[best];
  const double factor = common_factor(division, classed);
  const auto [more, now] = told_apart(could, has);
  const std::string everybody =
      factor > 1 + kServed ? fmt::format("; everybody together {}% more", number_words(100 * (factor - 1)))
                           : "";
  return violated(
      Property::pareto_efficiency,
      {.words = fmt::format("{} could have {} tasks instead of {} under {} while nobody else loses any{}",
                            names_of(ground, who), more, now, division.outcome.mechanism, everybody),
       .problem = cluster_of(division.problem),
       .user = ground.user_name(who[0]),
       .numbers = {{"tasks", has}, {"possible", could}, {"gain", size}, {"common_factor", factor}},
       .size = size});
}

}  // namespace mirab
