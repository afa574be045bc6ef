// The reduction between two rounds of a lexicographic max-min.
//
// Let λ be optimal prices of a round, in the middle of all that are. In every allocation that keeps the round's
// levels users have tasks only where they pay least, those who pay have their levels and no more, and what
// has a price is full: the allocations form a face. Later rounds move on this face, on which all that is not
// an equation has room again; left as inequalities, the equations would leave an interior point method none.
//
// A saturated user who is confined to one server there cannot move. Whoever is not connected with an active
// user by open pairs (user, server) is done.
//
// Prices μ on the face become prices μ + M λ of everything: closed pairs pay λ too much, so they pay for M
// large enough, and so it is with prices below 0 of what is full.
#include "mechanisms/level_part.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using numerics::ServerMask;
using numerics::ServerRows;

// Of a capacity: rounding must not turn a resource of which little is left into one that is not there.
constexpr double kHair = 1e-13;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Index> chosen(const std::vector<bool>& among) {
  std::vector<Index> indices;
  for (std::size_t i = 0; i < among.size(); ++i) {
    if (among[i]) indices.push_back(static_cast<Index>(i));
  }
  return indices;
}

// Users and servers that are connected with the active users by open pairs.
void spread(const ServerMask& open, std::vector<bool>& users, std::vector<bool>& servers) {
  for (bool grew = true; grew;) {
    grew = false;
    for (Index n = 0; n < open.rows(); ++n) {
      const auto user = static_cast<std::size_t>(n);
      for (Index i = 0; i < open.cols() && !users[user]; ++i)
        users[user] = servers[static_cast<std::size_t>(i)] && open(n, i);
      if (!users[user]) continue;
      for (Index i = 0; i < open.cols(); ++i) {
        if (servers[static_cast<std::size_t>(i)] || !open(n, i)) continue;
        servers[static_cast<std::size_t>(i)] = true;
        grew = true;
      }
    }
  }
}

// What the users of the part may use of its servers: what they do where it is full, otherwise what the
// others leave.
ArrayXXd capacity_for(const ServerRows& rows, const LevelFace& face, const ArrayXXd& tasks,
                      const std::vector<bool>& inside, const LevelPart& part) {
  const ArrayXXd capacity = rows.capacity(part.servers, Eigen::all);
  ArrayXXd theirs = ArrayXXd::Zero(capacity.rows(), capacity.cols());
  ArrayXXd left = capacity;
  for (Index n = 0; n < rows.rows(); ++n) {
    for (Index k = 0; k < capacity.rows(); ++k) {
      const Index i = part.servers[static_cast<std::size_t>(k)];
      if (tasks(n, i) <= 0) continue;
      if (inside[static_cast<std::size_t>(n)]) {
        if (face.open(n, i)) theirs.row(k) += tasks(n, i) * rows.demand_on(i).row(n);
      } else {
        left.row(k) -= tasks(n, i) * rows.demand_on(i).row(n);
      }
    }
  }
  return part.full.select(theirs, left.max(kHair * capacity));
}

}  // namespace

ArrayXXd level_costs(const ServerRows& rows, const ArrayXXd& price) {
  ArrayXXd cost(rows.rows(), rows.servers());
  for (Index i = 0; i < rows.servers(); ++i) {
    cost.col(i) = rows.demand_on(i).col(0) * price(i, 0);
    for (Index r = 1; r < rows.resources(); ++r) cost.col(i) += rows.demand_on(i).col(r) * price(i, r);
  }
  return (rows.alone > 0).select(cost, kInfinity);
}

LevelFace widest_face(const ServerRows& rows) {
  return {.open = rows.alone > 0, .full = ServerMask::Constant(rows.servers(), rows.resources(), false)};
}

LevelPart whole(const ServerRows& rows) {
  LevelPart part{.users = std::vector<Index>(static_cast<std::size_t>(rows.rows())),
                 .servers = std::vector<Index>(static_cast<std::size_t>(rows.servers())),
                 .rows = rows,
                 .full = ServerMask::Constant(rows.servers(), rows.resources(), false)};
  std::iota(part.users.begin(), part.users.end(), 0);
  std::iota(part.servers.begin(), part.servers.end(), 0);
  return part;
}

void narrow(const LevelPart& part, const ArrayXXd& price, const ArrayXd& tolerable, double dear,
            LevelFace& face) {
  const ArrayXXd cost = level_costs(part.rows, price);
  const ArrayXd most = cost.rowwise().minCoeff() + tolerable;
  for (Index k = 0; k < cost.cols(); ++k) {
    const Index i = part.servers[static_cast<std::size_t>(k)];
    for (Index j = 0; j < cost.rows(); ++j) {
      if (!(cost(j, k) <= most[j])) face.open(part.users[static_cast<std::size_t>(j)], i) = false;
    }
    for (Index r = 0; r < price.cols(); ++r) {
      if (price(k, r) * part.rows.capacity(k, r) > dear) face.full(i, r) = true;
    }
  }
}

LevelPart part_of(const ServerRows& rows, const LevelFace& face, const ArrayXXd& tasks,
                  const std::vector<bool>& active) {
  std::vector<bool> users = active;
  std::vector<bool> servers(static_cast<std::size_t>(rows.servers()), false);
  spread(face.open, users, servers);
  for (Index n = 0; n < rows.rows(); ++n) {
    const auto user = static_cast<std::size_t>(n);
    users[user] = active[user] || (users[user] && face.open.row(n).count() > 1);
  }
  LevelPart part{.users = chosen(users), .servers = chosen(servers), .rows = {}, .full = {}};
  part.full = face.full(part.servers, Eigen::all);
  if (rows.demand.size() == 1) {
    part.rows.demand = {rows.demand[0](part.users, Eigen::all)};
  } else {
    for (const Index i : part.servers) part.rows.demand.push_back(rows.demand_on(i)(part.users, Eigen::all));
  }
  part.rows.capacity = capacity_for(rows, face, tasks, users, part);
  part.rows.alone =
      face.open(part.users, part.servers).select(rows.alone(part.users, part.servers).array(), 0);
  if (rows.cap.size() > 0) part.rows.cap = rows.cap(part.users);
  return part;
}

ArrayXXd lifted(const ServerRows& rows, const LevelFace& face, const LevelPart& part, const ArrayXXd& price,
                const ArrayXXd& before) {
  ArrayXXd all = ArrayXXd::Zero(rows.servers(), rows.resources());
  all(part.servers, Eigen::all) = price;
  if (before.cols() == 0) return all;
  double times = (rows.capacity * all.abs()).sum() / (rows.capacity * before).sum();
  for (Index k = 0; k < all.size(); ++k) {
    if (all(k) < 0) times = std::max(times, -2 * all(k) / before(k));
  }
  const ArrayXXd cost = level_costs(rows, all);
  const ArrayXXd earlier = level_costs(rows, before);
  const ArrayXd least = face.open.select(cost, kInfinity).rowwise().minCoeff();
  const ArrayXd least_earlier = earlier.rowwise().minCoeff();
  for (Index i = 0; i < cost.cols(); ++i) {
    for (Index n = 0; n < cost.rows(); ++n) {
      if (face.open(n, i) || cost(n, i) >= least[n]) continue;
      times = std::max(times, 2 * (least[n] - cost(n, i)) / (earlier(n, i) - least_earlier[n]));
    }
  }
  return (all + times * before).max(0);
}

}  // namespace mirab
