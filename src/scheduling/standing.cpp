#include "scheduling/standing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/rational.hpp"
#include "numerics/dual_newton.hpp"

namespace mirab::scheduling {
namespace {

__extension__ using Wide = __int128;

}  // namespace

double dominant_part(std::span<const std::int64_t> used, std::span<const std::int64_t> of,
                     const ShareScale& scale) {
  double part = 0;
  for (std::size_t r = 0; r < of.size(); ++r) {
    if (of[r] > 0)
      part = std::max(part, scale.rounded[r] * (static_cast<double>(used[r]) / static_cast<double>(of[r])));
  }
  return part;
}

Part exact_dominant_part(std::span<const std::int64_t> used, std::span<const std::int64_t> of,
                         const ShareScale& scale) {
  Part part{.numerator = 0, .denominator = 1};
  for (std::size_t r = 0; r < of.size(); ++r) {
    if (of[r] == 0) continue;
    const Part other{.numerator = used[r], .denominator = of[r], .scale = scale.whole[r]};
    if (compare_per_weight(other, {}, part, {}) > 0) part = other;
  }
  return part;
}

std::strong_ordering compare_per_weight(Part a, const Weight& of_a, Part b, const Weight& of_b) {
  if (of_a == of_b && a.scale == b.scale)
    return Wide{a.numerator} * b.denominator <=> Wide{b.numerator} * a.denominator;
  const auto per_weight = [](Part part, const Weight& weight) {
    return Fraction(static_cast<std::uint64_t>(part.numerator), static_cast<std::uint64_t>(part.denominator))
        .times(part.scale, 1)
        .times(weight.denominator, weight.numerator);
  };
  return per_weight(a, of_a) <=> per_weight(b, of_b);
}

std::uint32_t dominant_resource(std::span<const std::int64_t> demand, std::span<const std::int64_t> pool) {
  std::uint32_t dominant = 0;
  for (std::uint32_t r = 1; r < demand.size(); ++r) {
    if (pool[r] == 0) continue;
    if (pool[dominant] == 0 || Wide{demand[r]} * pool[dominant] > Wide{demand[dominant]} * pool[r])
      dominant = r;
  }
  return dominant;
}

mpq_class tasks_alone(const Accounts& accounts, const Kinds& kinds, std::uint32_t shape) {
  const auto tasks_on = [](std::span<const std::int64_t> capacity, const Amounts& demand) {
    std::optional<mpq_class> least;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r] == 0) continue;
      mpq_class tasks(capacity[r], demand[r]);
      tasks.canonicalize();
      if (!least || tasks < *least) least = tasks;
    }
    return *least;
  };
  const std::span<const Way> ways = accounts.shapes.ways(shape);
  mpq_class alone = 0;
  if (ways.size() == 1) {
    for (std::uint32_t kind = 0; kind < kinds.capacities().size(); ++kind)
      alone += tasks_on(kinds.capacities()[kind], ways.front().demand) * mpq_class(kinds.servers(kind));
    return alone;
  }
  for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
    if (!accounts.servers.holds(server)) continue;
    const Way* const way = accounts.shapes.way_on(shape, server);
    alone += tasks_on(accounts.park.capacity(server), way == nullptr ? ways.front().demand : way->demand);
  }
  return alone;
}

std::vector<double> pool_prices(const Accounts& accounts) {
  using Eigen::Index;
  const std::span<const std::int64_t> pool = accounts.park.pool();
  std::vector<double> prices(pool.size(), 0.0);
  std::vector<std::size_t> present;  // resources
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] > 0) present.push_back(r);
  }
  std::vector<std::uint32_t> users;
  for (std::uint32_t user = 0; user < accounts.users.end(); ++user) {
    if (!accounts.users.holds(user) || accounts.users[user].queues.empty()) continue;
    const Amounts& task =
        accounts.shapes.ways(accounts.queues[accounts.users[user].queues.front()].shape).front().demand;
    const bool can_run =
        std::equal(task.begin(), task.end(), pool.begin(),
                   [](std::int64_t wanted, std::int64_t all) { return wanted == 0 || all > 0; });
    if (can_run) users.push_back(user);
  }
  if (users.empty() || present.empty()) return prices;

  Eigen::ArrayXXd demand(static_cast<Index>(users.size()), static_cast<Index>(present.size()));
  Eigen::ArrayXd weight(demand.rows());
  for (Index n = 0; n < demand.rows(); ++n) {
    const UserRow& user = accounts.users[users[static_cast<std::size_t>(n)]];
    const Amounts& task = accounts.shapes.ways(accounts.queues[user.queues.front()].shape).front().demand;
    weight[n] = user.weight.value();
    for (Index r = 0; r < demand.cols(); ++r) {
      const std::size_t resource = present[static_cast<std::size_t>(r)];
      demand(n, r) = static_cast<double>(task[resource]) / static_cast<double>(pool[resource]);
    }
  }
  const Eigen::ArrayXd capacity = Eigen::ArrayXd::Ones(demand.cols());
  const Eigen::ArrayXd no_cap(0);
  const numerics::PricedAmounts priced =
      numerics::solve_dual({demand, capacity, weight, no_cap, 1.0}, 1e-12, 1e-9);
  for (Index r = 0; r < demand.cols(); ++r)
    prices[present[static_cast<std::size_t>(r)]] = std::exp(priced.log_price[r]);
  return prices;
}

Result<Weight> weight_from(const Quantity& quantity) {
  if (quantity.is_zero()) return Error{.message = "a weight must be above 0", .key = "weight"};
  const mpq_class exact = rational(quantity);
  if (!exact.get_num().fits_ulong_p() || !exact.get_den().fits_ulong_p()) {
    return Error{.message = "the weight has more digits than shares can be compared with; round it to 18",
                 .key = "weight"};
  }
  return Weight{.numerator = exact.get_num().get_ui(), .denominator = exact.get_den().get_ui()};
}

}  // namespace mirab::scheduling
