// From a problem to arrays of user classes and server classes, and from what a solver found back to the
// problem's users and servers.
#include "mechanisms/servers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mirab {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ArrayXXd capacities(const Problem& problem, const Classes& classes) {
  ArrayXXd capacity(classes.servers.size(), problem.resource_count());
  for (Index k = 0; k < capacity.rows(); ++k) {
    for (Index r = 0; r < capacity.cols(); ++r)
      capacity(k, r) = classes.servers[static_cast<std::size_t>(k)].capacity[static_cast<std::size_t>(r)];
  }
  return capacity;
}

// One array when no user has another demand somewhere, else one for each server class.
std::vector<ArrayXXd> demands(const Problem& problem, const Classes& classes) {
  const std::size_t arrays = problem.has_demand_on() ? classes.servers.size() : 1;
  std::vector<ArrayXXd> demand(arrays, ArrayXXd(classes.users.size(), problem.resource_count()));
  for (std::size_t k = 0; k < arrays; ++k) {
    for (std::size_t j = 0; j < classes.users.size(); ++j) {
      const std::size_t user = classes.users[j].members[0];
      const ResourceVector& amounts = problem.has_demand_on()
                                          ? problem.demand(user, classes.servers[k].members[0])
                                          : problem.users()[user].demand;
      for (std::size_t r = 0; r < amounts.size(); ++r)
        demand[k](static_cast<Index>(j), static_cast<Index>(r)) = amounts[r].value();
    }
  }
  return demand;
}

// min_r c_{k,r} / d_{j,k,r}
double alone_on(const numerics::ServerRows& rows, Index j, Index k) {
  double tasks = kInfinity;
  for (Index r = 0; r < rows.resources(); ++r) {
    const double demand = rows.demand_on(k)(j, r);
    if (demand > 0) tasks = std::min(tasks, rows.capacity(k, r) / demand);
  }
  return tasks;
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
  MergedServers merged;
  merged.classes = merge(problem, users, MergeServers::proportional);
  const Classes& classes = merged.classes;
  const auto user_classes = static_cast<Index>(classes.users.size());
  const auto server_classes = static_cast<Index>(classes.servers.size());
  numerics::ServerRows& rows = merged.rows;
  rows.capacity = capacities(problem, classes);
  rows.demand = demands(problem, classes);
  rows.alone = ArrayXXd::Zero(user_classes, server_classes);
  rows.cap.resize(user_classes);
  merged.weight.resize(user_classes);
  merged.alone_everywhere = Eigen::ArrayXd::Zero(user_classes);
  for (Index j = 0; j < user_classes; ++j) {
    const UserClass& of_users = classes.users[static_cast<std::size_t>(j)];
    merged.weight[j] = of_users.weight;
    rows.cap[j] = of_users.tasks;
    for (Index k = 0; k < server_classes; ++k) {
      const double alone = alone_on(rows, j, k);
      merged.alone_everywhere[j] += alone;
      const std::size_t server = classes.servers[static_cast<std::size_t>(k)].members[0];
      if (problem.eligible(of_users.members[0], server)) rows.alone(j, k) = alone;
    }
  }
  if (!rows.cap.isFinite().any()) rows.cap.resize(0);
  return merged;
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
  if (shares.prices.size() > 0 && !price(merged.classes, shares, outcome.allocation)) {
    for (ServerUse& server : outcome.allocation.servers) server.prices.clear();
    outcome.notices.emplace_back(kPricesLeftOut);
  }
  return outcome;
}

}  // namespace mirab
