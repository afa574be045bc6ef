// Properties of efficiency: non-wastefulness and Pareto efficiency.
#include "audit/properties/efficiency.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "audit/cluster_view.hpp"
#include "audit/findings.hpp"
#include "mechanisms/servers.hpp"
#include "numerics/base/dense_programs.hpp"

namespace mirab {

// Non-wastefulness: no user holds more of a resource than its tasks use, a_{n,i,r} ≤ V_n(a_{n,i}) d_{n,i,r},
// and no resource idles that alone would let a user run more tasks.
//
// Source: Bonald and Roberts, section 2.2, for bundles that need not be in proportion to demand. Weaker than
// Pareto efficiency in what it asks of free resources (room for whole tasks is not looked for), stronger in
// that bundles may hold nothing in vain.

namespace {

using Bundles = std::map<std::pair<std::size_t, std::size_t>, std::vector<double>>;  // by user, server

// The largest part of a server that a user holds in vain.
std::optional<Witness> held_but_unused(const Division& division, const ClusterView& ground,
                                       double threshold) {
  std::optional<Witness> worst;
  for (const Grant& grant : division.outcome.allocation.grants) {
    const double tasks = ground.tasks_with(grant.user, grant.server, grant.resources);
    for (std::size_t r = 0; r < ground.resources(); ++r) {
      const double capacity = ground.capacity(grant.server)[r];
      const double used = tasks * ground.demand(grant.user, grant.server)[r];
      const double size = capacity > 0 ? (grant.resources[r] - used) / capacity : 0;
      if (size <= threshold || (worst && size <= worst->size)) continue;
      const auto [holds, uses] = distinct_words(grant.resources[r], used);
      worst = Witness{.words = fmt::format("{} holds {} {} on {} under {}, and its {} tasks there use {}",
                                           ground.user_name(grant.user), holds,
                                           division.problem.resources()[r], ground.place_name(grant.server),
                                           division.outcome.mechanism, number_words(tasks), uses),
                      .problem = {},
                      .user = ground.user_name(grant.user),
                      .numbers = {{"holds", grant.resources[r]}, {"uses", used}, {"tasks", tasks}},
                      .size = size};
    }
  }
  return worst;
}

// The largest part of its tasks that a user would gain by one idle resource.
std::optional<Witness> useful_but_idle(const Division& division, const ClusterView& ground,
                                       double threshold) {
  std::vector<std::vector<double>> idle;
  for (std::size_t i = 0; i < ground.places(); ++i) idle.push_back(ground.capacity(i));
  Bundles bundles;
  for (const Grant& grant : division.outcome.allocation.grants) {
    bundles[{grant.user, grant.server}].assign(grant.resources.begin(), grant.resources.end());
    for (std::size_t r = 0; r < ground.resources(); ++r) idle[grant.server][r] -= grant.resources[r];
  }
  const std::vector<double> nothing(ground.resources(), 0.0);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < ground.users(); ++n) {
    const double tasks = division.outcome.allocation.tasks[n];
    for (std::size_t i = 0; i < ground.places(); ++i) {
      if (!ground.eligible(n, i)) continue;
      const auto holding = bundles.find({n, i});
      const std::vector<double>& bundle = holding == bundles.end() ? nothing : holding->second;
      const double here = ground.tasks_with(n, i, bundle);
      for (std::size_t r = 0; r < ground.resources(); ++r) {
        std::vector<double> with = bundle;
        with[r] += std::max(0.0, idle[i][r]);
        const double could = std::min(ground.cap(n), tasks - here + ground.tasks_with(n, i, with));
        const double size = shortfall(tasks, could);
        if (size <= threshold || (worst && size <= worst->size)) continue;
        const auto [more, has] = distinct_words(could, tasks);
        worst = Witness{.words = fmt::format(
                            "{} {} idles on {} under {}, with which {} could run {} tasks instead of {}",
                            number_words(idle[i][r]), division.problem.resources()[r], ground.place_name(i),
                            division.outcome.mechanism, ground.user_name(n), more, has),
                        .problem = {},
                        .user = ground.user_name(n),
                        .numbers = {{"idle", idle[i][r]}, {"tasks", tasks}, {"possible", could}},
                        .size = size};
      }
    }
  }
  return worst;
}

}  // namespace

Verdict check_non_wastefulness(const Division& division, const Tolerances& tolerances) {
  const ClusterView ground(division.problem, division.scope);
  const double threshold = slack(division.outcome, tolerances);
  std::optional<Witness> worst = held_but_unused(division, ground, threshold);
  if (!worst) worst = useful_but_idle(division, ground, threshold);
  if (!worst) return {.property = Property::non_wastefulness};
  worst->problem = division.problem.cluster();
  return violated(Property::non_wastefulness, *std::move(worst));
}

// Pareto efficiency: no user can have more tasks without a loss to another. Two linear programs over all ways
// y to place tasks, with X_n what every user has:
//   max Σ_n ε_n / X_n   under  Σ_i y_{n,i} ≥ X_n + ε_n,  ε ≥ 0      (0 when efficient: it decides)
//   max t               under  Σ_i y_{n,i} ≥ t X_n                  (1 when not even all can have more)
//
// Source: docs/explanation/mathematics.md, section 12. Users with equal tasks and proportional servers are
// merged first, which changes neither optimum. The first program starts at y = 0 and pays M for every part of
// X_n that is served: an exact penalty, checked afterwards. On one server, where X_n takes X_n d_n and no
// more, only what is free counts. Tasks are in units of X_n, capacities of the server's; of a user without
// any tasks, in those that it could run alone. Over several servers a unit takes at least a billionth of some
// capacity: a program in doubles cannot see less, so a gain of a user that holds less is measured in that.

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using numerics::ServerRows;

// Of a task that a user would lose, one after the other. Derived: too small a penalty is seen, and the next
// tried; 1e9 and 1e-7 of rounding leave nothing to see of a gain of 1.
constexpr double kPenalties[] = {1e3, 1e6, 1e9};
constexpr double kRoundingOfSums = 1e-13;  // of a capacity. Derived: sums of a thousand amounts in doubles.
constexpr double kSmallestPart = 1e-9;     // of a capacity, a unit. Derived: rounding of 1e-16 is 1e-7 of it.
constexpr double kServed = 1e-7;     // of X_n may be lost. Derived: a penalty of 1e9 times rounding of 1e-16.
constexpr double kMaxEntries = 4e6;  // of the tableau: 32 MB, a limit on time.
constexpr const char* kTooLarge = "the linear program is too large";
constexpr const char* kNotSolved =
    "the linear program has not converged, or what users have is too far apart in size";

// Users and servers in classes; on the pool one class of servers.
struct ClassedProblem {
  ServerRows rows;
  ArrayXd tasks;                              // X of each class of users
  ArrayXd unit;                               // X, or what a class without tasks could run alone
  std::vector<std::vector<std::size_t>> who;  // [class]
};

ClassedProblem classed_pool(const ClusterView& ground, const std::vector<double>& tasks) {
  const auto users = static_cast<Index>(ground.users());
  const auto resources = static_cast<Index>(ground.resources());
  ClassedProblem classed{.rows = {.demand = {Eigen::ArrayXXd(users, resources)},
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

ClassedProblem classed_servers(const Problem& problem, const std::vector<double>& tasks) {
  MergedServers merged = merge_servers(problem, MergeUsers::equal);
  ClassedProblem classed{
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
double part_taken(const ClassedProblem& classed, Index n, Index i, Index r) {
  const double capacity = classed.rows.capacity(i, r);
  return capacity > 0 ? classed.rows.demand_on(i)(n, r) * classed.unit[n] / capacity : 0;
}

// What a class may still gain, in its unit; nothing where it cannot run.
double room_of(const ClassedProblem& classed, Index n) {
  const double most = classed.rows.alone.row(n).sum();
  if (most <= 0) return 0;
  return std::min(std::max(0.0, classed.rows.cap[n] - classed.tasks[n]), most) / classed.unit[n];
}

// What is free of every resource of the one server. Doubles that are meant to fill it leave or miss a
// rounding, which may be more than all that a user of tiny tasks holds, and a solver as much as its
// certificate says: a part up to `open` of a capacity is not free.
ArrayXd free_of_one_server(const ClassedProblem& classed, double open) {
  const ServerRows& rows = classed.rows;
  ArrayXd free = rows.capacity.row(0).transpose();
  for (Index r = 0; r < rows.resources(); ++r) {
    const double capacity = free[r];
    const double used = (rows.demand[0].col(r) * classed.tasks).sum();
    free[r] = capacity - used > open * capacity ? capacity - used : 0;
  }
  return free;
}

// The tasks that a class could run in what is free, and no more than it has.
double tasks_in(const ClassedProblem& classed, const ArrayXd& free, Index n) {
  double tasks = room_of(classed, n) * classed.unit[n];
  for (Index r = 0; r < free.size(); ++r) {
    const double demand = classed.rows.demand[0](n, r);
    if (demand > 0) tasks = std::min(tasks, free[r] / demand);
  }
  return tasks;
}

// ε_n / X_n of the first program on one server: what fits into the room that is left. Who demands a resource
// that is full cannot gain, however little of it a task takes; of the others a unit is what fits for them
// alone, so that no entry of the program is too small to count. Nothing when the optimum is not proved: it
// may be larger.
std::optional<ArrayXd> gains_on_one_server(const ClassedProblem& classed, double open) {
  const ServerRows& rows = classed.rows;
  const ArrayXd free = free_of_one_server(classed, open);
  std::vector<Index> gainers;
  std::vector<double> alone;
  for (Index n = 0; n < rows.rows(); ++n) {
    const double tasks = tasks_in(classed, free, n);
    if (!(tasks > 0)) continue;
    gainers.push_back(n);
    alone.push_back(tasks);
  }
  ArrayXd gains = ArrayXd::Zero(rows.rows());
  if (gainers.empty()) return gains;
  const auto count = static_cast<Index>(gainers.size());
  const ArrayXd unit = Eigen::Map<const ArrayXd>(alone.data(), count);
  const ArrayXd value = unit / classed.unit(gainers);
  std::vector<Index> capped;  // by what they have, and not by what is free
  for (Index k = 0; k < count; ++k) {
    const Index n = gainers[static_cast<std::size_t>(k)];
    if (unit[k] >= room_of(classed, n) * classed.unit[n]) capped.push_back(k);
  }
  const Index limits = rows.resources() + static_cast<Index>(capped.size());
  numerics::LinearProgram program{.value = value / value.maxCoeff(),
                                  .rows = Eigen::MatrixXd::Zero(limits, count),
                                  .limit = Eigen::VectorXd::Ones(limits)};
  for (Index k = 0; k < count; ++k) {
    for (Index r = 0; r < rows.resources(); ++r) {
      if (free[r] > 0)
        program.rows(r, k) = rows.demand[0](gainers[static_cast<std::size_t>(k)], r) * unit[k] / free[r];
    }
  }
  for (std::size_t k = 0; k < capped.size(); ++k)
    program.rows(rows.resources() + static_cast<Index>(k), capped[k]) = 1;
  const numerics::LinearOptimum best = numerics::maximise(program);
  if (!best.report.converged()) return {};
  gains(gainers) = best.amount.array() * value;
  return gains;
}

// The same over several servers, where to lose a task costs so much. Nothing when it does not cost enough to
// keep every user what it has, or the optimum is not proved.
std::optional<ArrayXd> gains_over_servers(const ClassedProblem& classed, double penalty) {
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
  if (!best.report.converged()) return {};
  ArrayXd served = ArrayXd::Zero(users);
  for (Index column = 0; column < placed; ++column)
    served[pairs[static_cast<std::size_t>(column)].first] += best.amount[column];
  const ArrayXd owed = classed.tasks / classed.unit;
  if (!(served >= owed * (1 - kServed) - kServed).all()) return {};
  return (served - owed).max(0.0);
}

std::optional<ArrayXd> gains_of(const ClassedProblem& classed, double open) {
  if (classed.rows.servers() == 1) return gains_on_one_server(classed, open);
  for (const double penalty : kPenalties) {
    if (std::optional<ArrayXd> gains = gains_over_servers(classed, penalty)) return gains;
  }
  return {};
}

// max t of the second program; 1 when a user has nothing, or all its tasks, or when it was not found. Over
// servers it is the lowest level of the max-min allocation in units of X.
double common_factor(const Division& division, const ClassedProblem& classed) {
  if ((classed.tasks >= classed.rows.cap * (1 - kServed)).any() || (classed.tasks <= 0).any()) return 1;
  if (division.scope == Scope::pool) {
    const ArrayXd used = classed.rows.demand[0].matrix().transpose() * classed.tasks.matrix();
    const ArrayXd capacity = classed.rows.capacity.row(0);
    return 1 / (capacity > 0).select(used / capacity, 0.0).maxCoeff();
  }
  const auto unit = [&]<class Number>(const ServerArraysOf<Number>&) -> numerics::ArrayOf<Number> {
    return classed.tasks.cast<Number>();
  };
  const ServerShares levels =
      share_by_levels(division.problem, merge_servers(division.problem, MergeUsers::equal), unit);
  if (levels.status == Status::not_converged) return 1;
  return (levels.tasks.rowwise().sum() / classed.tasks).minCoeff();
}

ClassedProblem classed_in_units(const Problem& problem, Scope scope, const std::vector<double>& tasks) {
  ClassedProblem classed = scope == Scope::pool ? classed_pool(ClusterView(problem, scope), tasks)
                                                : classed_servers(problem, tasks);
  const ArrayXd alone = classed.rows.alone.rowwise().sum();
  const double none = classed.rows.servers() > 1 ? kDustOfTasks : 0;
  classed.unit = (classed.tasks > none * alone).select(classed.tasks, alone);
  if (classed.rows.servers() > 1)
    classed.unit = classed.unit.max(kSmallestPart * classed.rows.alone.rowwise().maxCoeff());
  classed.unit = (classed.unit > 0).select(classed.unit, 1.0);  // of a class that can run nowhere
  return classed;
}

bool is_too_large(const ClassedProblem& classed) {
  const auto users = static_cast<double>(classed.tasks.size());
  const auto servers = static_cast<double>(classed.rows.servers());
  const auto resources = static_cast<double>(classed.rows.resources());
  return servers > 1 && (servers * resources + 2 * users) * users * (servers + 1) > kMaxEntries;
}

}  // namespace

Verdict check_pareto_efficiency(const Division& division, const Tolerances& tolerances) {
  const ClusterView ground(division.problem, division.scope);
  const ClassedProblem classed =
      classed_in_units(division.problem, division.scope, division.outcome.allocation.tasks);
  if (is_too_large(classed)) return undecided(Property::pareto_efficiency, kTooLarge);
  const bool one = classed.rows.servers() == 1;
  const std::optional<ArrayXd> found =
      gains_of(classed, kRoundingOfSums + tolerances.certificates * division.outcome.certificate.value);
  if (!found)
    return undecided(Property::pareto_efficiency, one ? "the linear program has not converged"
                                                      : "what users have is too far apart in size");
  const ArrayXd& gains = *found;
  const double size = gains.sum();
  if (size <= slack(division.outcome, tolerances) * static_cast<double>(gains.size()))
    return {.property = Property::pareto_efficiency};

  Index best = 0;
  gains.maxCoeff(&best);
  const auto& who = classed.who[static_cast<std::size_t>(best)];
  const double has = classed.tasks[best];
  const double could = has + gains[best] * classed.unit[best];
  const double factor = common_factor(division, classed);
  const auto [more, now] = distinct_words(could, has);
  const std::string everybody =
      factor > 1 + kServed ? fmt::format("; all users together {}% more", number_words(100 * (factor - 1)))
                           : "";
  return violated(
      Property::pareto_efficiency,
      {.words = fmt::format("{} could have {} tasks instead of {} under {} while no other user loses any{}",
                            names_of(ground, who), more, now, division.outcome.mechanism, everybody),
       .problem = division.problem.cluster(),
       .user = ground.user_name(who[0]),
       .numbers = {{"tasks", has}, {"possible", could}, {"gain", size}, {"common_factor", factor}},
       .size = size});
}

// The same for tasks that run elsewhere: they need not fit.

namespace {

// Do all tasks fit together, but for a part `open`? Over several servers max Σ_n y_n / unit_n under y_n ≤
// X_n. Nothing when the optimum is not proved.
std::optional<bool> fits(const ClassedProblem& classed, double open) {
  const ServerRows& rows = classed.rows;
  if (rows.servers() == 1) {
    const ArrayXd used = rows.demand[0].matrix().transpose() * classed.tasks.matrix();
    return (used <= rows.capacity.row(0).transpose() * (1 + open)).all();
  }
  const auto pairs = pairs_of(rows);
  const auto placed = static_cast<Index>(pairs.size());
  const Index capacities = rows.servers() * rows.resources();
  const ArrayXd owed = classed.tasks / classed.unit;
  numerics::LinearProgram program{.value = Eigen::VectorXd::Ones(placed),
                                  .rows = Eigen::MatrixXd::Zero(capacities + rows.rows(), placed),
                                  .limit = Eigen::VectorXd::Ones(capacities + rows.rows())};
  for (Index column = 0; column < placed; ++column) {
    const auto& [n, i] = pairs[static_cast<std::size_t>(column)];
    for (Index r = 0; r < rows.resources(); ++r)
      program.rows(i * rows.resources() + r, column) = part_taken(classed, n, i, r);
    program.rows(capacities + n, column) = 1;
  }
  program.limit.tail(rows.rows()) = owed;
  const numerics::LinearOptimum best = numerics::maximise(program);
  if (!best.report.converged()) return {};
  return best.amount.sum() >= owed.sum() * (1 - open);
}

}  // namespace

Result<std::optional<Gain>> largest_gain(const Problem& problem, const std::vector<double>& tasks,
                                         double threshold) {
  const ClassedProblem classed = classed_in_units(problem, Scope::servers, tasks);
  if (is_too_large(classed)) return Error{.message = kTooLarge};
  const std::optional<bool> all = fits(classed, threshold);
  if (!all) return Error{.message = kNotSolved};
  if (!*all) return std::optional<Gain>{};
  const std::optional<ArrayXd> gains = gains_of(classed, std::max(kRoundingOfSums, threshold));
  if (!gains) return Error{.message = kNotSolved};
  Index best = 0;
  const double size = gains->maxCoeff(&best);
  if (size <= threshold) return std::optional<Gain>{};
  const double has = classed.tasks[best];
  return std::optional(Gain{.users = classed.who[static_cast<std::size_t>(best)],
                            .has = has,
                            .could = has + size * classed.unit[best]});
}

}  // namespace mirab
