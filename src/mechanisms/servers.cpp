// Division over servers: problems merged to classes of users and servers, as doubles and in full, the
// equilibrium of the market among servers, and the outcome.
#include "mechanisms/servers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "model/exact.hpp"
#include "numerics/base/rows.hpp"
#include "numerics/market/equilibrium.hpp"

namespace mirab {

// From a problem to arrays of user classes and server classes, and from what a solver found back to the
// problem's users and servers.

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

using numerics::BigFloat;

ArrayXXd capacities(const Problem& problem, const Classes& classes) {
  ArrayXXd capacity(classes.servers.size(), problem.resource_count());
  for (Index k = 0; k < capacity.rows(); ++k) {
    for (Index r = 0; r < capacity.cols(); ++r)
      capacity(k, r) = classes.servers[static_cast<std::size_t>(k)].capacity[static_cast<std::size_t>(r)];
  }
  return capacity;
}

numerics::TableOf<BigFloat> capacities_in_full(const Problem& problem, const Classes& classes) {
  numerics::TableOf<BigFloat> capacity(classes.servers.size(), problem.resource_count());
  for (Index k = 0; k < capacity.rows(); ++k) {
    for (Index r = 0; r < capacity.cols(); ++r) {
      mpq_class sum = 0;
      for (const std::size_t i : classes.servers[static_cast<std::size_t>(k)].members) {
        const Server& server = problem.servers()[i];
        sum += rational(server.capacity[static_cast<std::size_t>(r)]) * rational(Quantity(server.count));
      }
      capacity(k, r) = BigFloat(sum);
    }
  }
  return capacity;
}

template <class Number>
Number number(const Quantity& amount) {
  if constexpr (std::is_same_v<Number, double>) {
    return amount.value();
  } else {
    return Number(rational(amount));
  }
}

// One array when no user has another demand somewhere, else one for each server class.
template <class Number>
std::vector<numerics::TableOf<Number>> demands(const Problem& problem, const Classes& classes) {
  const std::size_t arrays = problem.has_demand_on() ? classes.servers.size() : 1;
  std::vector<numerics::TableOf<Number>> demand(
      arrays, numerics::TableOf<Number>(classes.users.size(), problem.resource_count()));
  for (std::size_t k = 0; k < arrays; ++k) {
    for (std::size_t j = 0; j < classes.users.size(); ++j) {
      const std::size_t user = classes.users[j].members[0];
      const ResourceVector& amounts = problem.has_demand_on()
                                          ? problem.demand(user, classes.servers[k].members[0])
                                          : problem.users()[user].demand;
      for (std::size_t r = 0; r < amounts.size(); ++r)
        demand[k](static_cast<Index>(j), static_cast<Index>(r)) = number<Number>(amounts[r]);
    }
  }
  return demand;
}

// min_r c_{k,r} / d_{j,k,r}
template <class Number>
Number alone_on(const numerics::ServerRowsOf<Number>& rows, Index j, Index k) {
  Number tasks = numerics::infinity_of<Number>();
  for (Index r = 0; r < rows.resources(); ++r) {
    const Number demand = rows.demand_on(k)(j, r);
    if (demand > 0) tasks = std::min<Number>(tasks, rows.capacity(k, r) / demand);
  }
  return tasks;
}

// What follows from demands and capacities.
template <class Number>
void find_alone(const Problem& problem, const Classes& classes, ServerArraysOf<Number>& arrays) {
  numerics::ServerRowsOf<Number>& rows = arrays.rows;
  const auto user_classes = static_cast<Index>(classes.users.size());
  const auto server_classes = static_cast<Index>(classes.servers.size());
  rows.alone = numerics::TableOf<Number>::Zero(user_classes, server_classes);
  arrays.alone_everywhere = numerics::ArrayOf<Number>::Zero(user_classes);
  for (Index j = 0; j < user_classes; ++j) {
    for (Index k = 0; k < server_classes; ++k) {
      const Number alone = alone_on(rows, j, k);
      arrays.alone_everywhere[j] += alone;
      const std::size_t user = classes.users[static_cast<std::size_t>(j)].members[0];
      const std::size_t server = classes.servers[static_cast<std::size_t>(k)].members[0];
      if (problem.eligible(user, server)) rows.alone(j, k) = alone;
    }
  }
}

// The demand of a user as a multiple of that of another user of its class.
mpq_class relative_size(const User& user, const User& first) {
  const auto ratio = [](const ResourceVector& own, const ResourceVector& other) {
    const auto positive =
        std::find_if(other.begin(), other.end(), [](const Quantity& amount) { return !amount.is_zero(); });
    if (positive == other.end()) return mpq_class(0);
    return mpq_class(rational(own[static_cast<std::size_t>(positive - other.begin())]) / rational(*positive));
  };
  mpq_class size = ratio(user.demand, first.demand);
  for (const auto& [server, demand] : first.demand_on) {
    if (size == 0) size = ratio(user.demand_on.at(server), demand);
  }
  return size;
}

// The prices of every server; false where a double does not hold one.
bool price(const Classes& classes, const ServerShares& shares, Allocation& allocation) {
  bool held = true;
  for (std::size_t k = 0; k < classes.servers.size(); ++k) {
    const ServerClass& alike = classes.servers[k];
    for (std::size_t j = 0; j < alike.members.size(); ++j) {
      std::vector<double>& prices = allocation.servers[alike.members[j]].prices;
      for (const double of_class : shares.prices.row(static_cast<Index>(k))) {
        prices.push_back(of_class * std::pow(alike.part[j], shares.price_power));
        held = held && (of_class == 0 || std::isnormal(prices.back()));
      }
    }
  }
  return held;
}

}  // namespace

MergedServers merge_servers(const Problem& problem, MergeUsers users) {
  return lay_out(problem, merge(problem, users, MergeServers::proportional));
}

MergedServers lay_out(const Problem& problem, Classes merged_classes) {
  MergedServers merged;
  merged.classes = std::move(merged_classes);
  const Classes& classes = merged.classes;
  const auto user_classes = static_cast<Index>(classes.users.size());
  merged.rows.capacity = capacities(problem, classes);
  merged.rows.demand = demands<double>(problem, classes);
  merged.rows.cap.resize(user_classes);
  merged.weight.resize(user_classes);
  for (Index j = 0; j < user_classes; ++j) {
    const UserClass& of_users = classes.users[static_cast<std::size_t>(j)];
    merged.weight[j] = of_users.weight;
    merged.rows.cap[j] = of_users.tasks;
  }
  if (!merged.rows.cap.isFinite().any()) merged.rows.cap.resize(0);
  find_alone(problem, classes, merged);
  return merged;
}

ServerArraysOf<BigFloat> servers_in_full(const Problem& problem, const Classes& classes) {
  ServerArraysOf<BigFloat> servers;
  const auto user_classes = static_cast<Index>(classes.users.size());
  servers.rows.capacity = capacities_in_full(problem, classes);
  servers.rows.demand = demands<BigFloat>(problem, classes);
  servers.rows.cap = numerics::ArrayOf<BigFloat>::Constant(user_classes, BigFloat::infinity());
  servers.weight.resize(user_classes);
  bool capped = false;
  for (Index j = 0; j < user_classes; ++j) {
    const std::vector<std::size_t>& members = classes.users[static_cast<std::size_t>(j)].members;
    const User& first = problem.users()[members[0]];
    mpq_class weight = 0, cap = 0;
    for (const std::size_t n : members) {
      const User& user = problem.users()[n];
      weight += rational(user.weight);
      if (user.tasks) cap += rational(*user.tasks) * relative_size(user, first);
    }
    servers.weight[j] = BigFloat(weight);
    if (first.tasks) servers.rows.cap[j] = BigFloat(cap);
    capped = capped || first.tasks;
  }
  if (!capped) servers.rows.cap.resize(0);
  find_alone(problem, classes, servers);
  return servers;
}

std::vector<numerics::LevelDoubt> doubts_of_merged(const Problem& problem, const MergedServers& merged,
                                                   const Eigen::ArrayXd& unit, const ArrayXXd& x,
                                                   const std::vector<numerics::LevelRound<double>>& rounds) {
  if (!problem.cluster().merged) return {};
  const double left_out = problem.cluster().merged->largest_difference;
  return numerics::level_doubts(merged.rows, unit, x, rounds, left_out / (1 - left_out));
}

Outcome outcome_of(const Problem& problem, const MergedServers& merged, const Choice& choice,
                   const ServerShares& shares) {
  std::vector<std::vector<double>> tasks(merged.classes.users.size());
  for (std::size_t j = 0; j < tasks.size(); ++j) {
    const auto row = shares.tasks.row(static_cast<Index>(j));
    tasks[j].assign(row.begin(), row.end());
  }
  Outcome outcome{.mechanism = choice.text,
                  .status = shares.status,
                  .certificate = shares.certificate,
                  .seconds = 0,
                  .allocation = split(problem, merged.classes, tasks),
                  .notices = shares.notices};
  for (const numerics::LevelDoubt& doubt : shares.doubts) {
    MergedLevel level{.users = {}, .bound = doubt.of_level, .user_bound = doubt.of_row};
    for (const Index j : doubt.rows) {
      const std::vector<std::size_t>& members = merged.classes.users[static_cast<std::size_t>(j)].members;
      level.users.insert(level.users.end(), members.begin(), members.end());
    }
    std::sort(level.users.begin(), level.users.end());
    outcome.merged_levels.push_back(std::move(level));
  }
  if (shares.prices.size() > 0 && !price(merged.classes, shares, outcome.allocation)) {
    for (ServerUse& server : outcome.allocation.servers) server.prices.clear();
    outcome.notices.emplace_back(kPricesLeftOut);
  }
  return outcome;
}

// From the numerics of a game among servers to a mechanism's shares.

namespace {

// Of the regret. Derived: a regret is of the second order, so that tasks are right to about its root. A
// target of the last digits of a double costs next to nothing with few placements; with 10,000 and more an
// iteration does.
constexpr numerics::Accuracy kFewPlacements{.target = 1e-15, .accepted = 1e-7};
constexpr numerics::Accuracy kManyPlacements{.target = 1e-9, .accepted = 1e-7};
constexpr Eigen::Index kPlacementsPolished = 10'000;
constexpr Eigen::Index kPlacementsSwept =
    1000;  // Measured: sweeps after a path that fails take a second or so.

}  // namespace

ServerShares solve_market(const numerics::ServerGame& game, MarketSolver solver, int threads) {
  const bool cheap = game.rows.alone.size() < kPlacementsPolished;
  const numerics::Accuracy& accuracy = cheap ? kFewPlacements : kManyPlacements;
  numerics::PricedServers found = solver == MarketSolver::path
                                      ? numerics::follow_price_path(game, accuracy, threads)
                                      : numerics::sweep_best_responses(game, accuracy, threads);
  const bool swept_too = game.rows.alone.size() <= kPlacementsSwept && game.rows.cap.size() == 0;
  if (solver == MarketSolver::path && swept_too && !found.report.converged()) {
    numerics::PricedServers swept = numerics::sweep_best_responses(game, accuracy, threads);
    if (swept.report.error < found.report.error) found = std::move(swept);
  }
  ServerShares shares{.tasks = found.amount,
                      .prices = {},
                      .price_power = game.alpha - 1,
                      .status = status_of(found.report, Status::converged),
                      .certificate = {.kind = "relative-regret", .value = found.report.error}};
  if (std::all_of(found.log_price.data(), found.log_price.data() + found.log_price.size(), has_normal_exp)) {
    shares.prices = found.log_price.unaryExpr([](double l) { return std::exp(l); });
  } else {
    shares.notices.emplace_back(kPricesLeftOut);
  }
  return shares;
}

}  // namespace mirab
