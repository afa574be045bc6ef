// The reduction between two rounds of a lexicographic max-min.
//
// Let λ be optimal prices of a round. In every allocation that keeps the round's levels a user has tasks only
// where it pays least. So a user who pays nothing can only grow on servers where it pays nothing, and whoever
// is not connected with such a user by pairs (user, server) that pay least is done.
//
// Prices μ of the part become prices μ + M λ of everything: pairs that pay λ too much pay for M large enough,
// and those that do not are inside.
#include "mechanisms/level_part.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using numerics::ServerRows;

// Of a capacity: rounding must not turn a full resource into one that is not there.
constexpr double kHair = 1e-13;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Index> chosen(const std::vector<bool>& among) {
  std::vector<Index> indices;
  for (std::size_t i = 0; i < among.size(); ++i) {
    if (among[i]) indices.push_back(static_cast<Index>(i));
  }
  return indices;
}

// Users and servers that are connected with the active users by pairs that pay least.
void spread(const ArrayXXd& too_much, const ArrayXd& tolerable, std::vector<bool>& users,
            std::vector<bool>& servers) {
  for (bool grew = true; grew;) {
    grew = false;
    for (Index n = 0; n < too_much.rows(); ++n) {
      const auto user = static_cast<std::size_t>(n);
      const auto pays_least = [&](Index i) { return too_much(n, i) <= tolerable[n]; };
      for (Index i = 0; i < too_much.cols() && !users[user]; ++i)
        users[user] = servers[static_cast<std::size_t>(i)] && pays_least(i);
      if (!users[user]) continue;
      for (Index i = 0; i < too_much.cols(); ++i) {
        if (servers[static_cast<std::size_t>(i)] || !pays_least(i)) continue;
        servers[static_cast<std::size_t>(i)] = true;
        grew = true;
      }
    }
  }
}

// What the users outside of the part leave of its servers.
ArrayXXd left_by_others(const ServerRows& rows, const ArrayXXd& tasks, const std::vector<bool>& inside,
                        const std::vector<Index>& servers) {
  ArrayXXd capacity = rows.capacity(servers, Eigen::all);
  for (Index n = 0; n < rows.rows(); ++n) {
    if (inside[static_cast<std::size_t>(n)]) continue;
    for (Index k = 0; k < capacity.rows(); ++k) {
      const Index i = servers[static_cast<std::size_t>(k)];
      if (tasks(n, i) > 0) capacity.row(k) -= tasks(n, i) * rows.demand_on(i).row(n);
    }
  }
  return capacity.max(kHair * rows.capacity(servers, Eigen::all));
}

}  // namespace

LevelCosts::LevelCosts(const ServerRows& rows, const ArrayXXd& price)
    : least(rows.rows()), too_much(rows.rows(), rows.servers()) {
  for (Index i = 0; i < rows.servers(); ++i) {
    too_much.col(i) = rows.demand_on(i).col(0) * price(i, 0);
    for (Index r = 1; r < rows.resources(); ++r) too_much.col(i) += rows.demand_on(i).col(r) * price(i, r);
  }
  too_much = (rows.alone > 0).select(too_much, kInfinity);
  least = too_much.rowwise().minCoeff();
  too_much.colwise() -= least;
}

LevelPart whole(const ServerRows& rows) {
  LevelPart part{.users = std::vector<Index>(static_cast<std::size_t>(rows.rows())),
                 .servers = std::vector<Index>(static_cast<std::size_t>(rows.servers())),
                 .rows = rows};
  std::iota(part.users.begin(), part.users.end(), 0);
  std::iota(part.servers.begin(), part.servers.end(), 0);
  return part;
}

LevelPart part_of(const ServerRows& rows, const ArrayXXd& tasks, const LevelCosts& costs,
                  const ArrayXd& tolerable, const std::vector<bool>& active) {
  std::vector<bool> users = active;
  std::vector<bool> servers(static_cast<std::size_t>(rows.servers()), false);
  spread(costs.too_much, tolerable, users, servers);
  LevelPart part{.users = chosen(users), .servers = chosen(servers), .rows = {}};
  if (rows.demand.size() == 1) {
    part.rows.demand = {rows.demand[0](part.users, Eigen::all)};
  } else {
    for (const Index i : part.servers) part.rows.demand.push_back(rows.demand_on(i)(part.users, Eigen::all));
  }
  part.rows.capacity = left_by_others(rows, tasks, users, part.servers);
  part.rows.alone = rows.alone(part.users, part.servers);
  if (rows.cap.size() > 0) part.rows.cap = rows.cap(part.users);
  return part;
}

ArrayXXd lifted(const ServerRows& rows, const LevelPart& part, const ArrayXXd& price,
                const ArrayXXd& before) {
  ArrayXXd all = ArrayXXd::Zero(rows.servers(), rows.resources());
  all(part.servers, Eigen::all) = price;
  if (before.cols() == 0) return all;
  std::vector<bool> inside(static_cast<std::size_t>(rows.servers()), false);
  for (const Index i : part.servers) inside[static_cast<std::size_t>(i)] = true;
  const ArrayXXd too_much = LevelCosts(rows, before).too_much;
  const ArrayXd least = LevelCosts(part.rows, price).least;
  double times = 0;
  for (std::size_t j = 0; j < part.users.size(); ++j) {
    for (Index i = 0; i < rows.servers(); ++i) {
      const double extra = too_much(part.users[j], i);
      if (!inside[static_cast<std::size_t>(i)] && extra < kInfinity)
        times = std::max(times, least[static_cast<Index>(j)] / extra);
    }
  }
  return all + times * before;
}

}  // namespace mirab
