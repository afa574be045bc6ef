// What disciplines compare users by: the scale of shares, decayed usage, exact dominant shares, the tasks
// that a class could run alone, and prices.
#include "scheduling/order/share_context.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "model/exact.hpp"
#include "numerics/pool/dual.hpp"

namespace mirab::scheduling {

Result<ShareScale> ShareScale::from(std::span<const Quantity> scales, std::size_t resources) {
  ShareScale scale(resources);
  if (scales.empty()) return scale;
  const auto error = [](std::string message) {
    return Error{.message = std::move(message), .key = "share_scale"};
  };
  if (scales.size() != resources)
    return error(fmt::format("{} scales for {} resources", scales.size(), resources));
  if (std::all_of(scales.begin(), scales.end(), [](const Quantity& each) { return each.is_zero(); }))
    return error("no resource counts");
  int unit = INT32_MAX;
  for (const Quantity& each : scales) {
    if (!each.is_zero()) unit = std::min(unit, each.exponent());
  }
  for (std::size_t r = 0; r < resources; ++r) {
    const std::optional<std::int64_t> whole = count_units(scales[r], unit, Rounding::down);
    if (!whole) return error("the scales are too far apart to be compared exactly");
    scale.whole[r] = static_cast<std::uint64_t>(*whole);
    scale.rounded[r] = scales[r].value();
  }
  return scale;
}

namespace {

constexpr std::int64_t kRefreshes = 1024;  // in a half-life

/// Nanoseconds from one time to a later one, which may be further apart than a Duration tells.
std::uint64_t between(Time earlier, Time later) {
  return static_cast<std::uint64_t>(later.time_since_epoch().count()) -
         static_cast<std::uint64_t>(earlier.time_since_epoch().count());
}

}  // namespace

double DecayedUsage::usage_at(const Row& row, Time now) const {
  const double half_lives =
      static_cast<double>(between(row.since, now)) / static_cast<double>(half_life_.count());
  return row.share + (row.usage - row.share) * std::exp2(-half_lives);
}

void DecayedUsage::set_row(std::uint32_t user, Row row) {
  if (user >= rows_.size()) rows_.resize(user + 1);
  rows_[user] = row;
}

void DecayedUsage::begin(std::uint32_t user, Time now) { set_row(user, {.since = now}); }

void DecayedUsage::set_share(std::uint32_t user, double share, Time now) {
  Row& row = rows_[user];
  row.usage = usage_at(row, now);
  row.since = now;
  row.share = share;
}

bool DecayedUsage::is_due(Time now) const {
  return !refreshed_ ||
         between(*refreshed_, now) >= static_cast<std::uint64_t>(half_life_.count() / kRefreshes);
}

void DecayedUsage::refresh(Time now) {
  refreshed_ = now;
  for (Row& row : rows_) row.key = usage_at(row, now);
}

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

mpq_class tasks_alone(const Ledger& ledger, const ServerClasses& server_classes, std::uint32_t task_class) {
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
  const Amounts& demand = ledger.task_classes.alternatives(task_class).front().demand;
  mpq_class alone = 0;
  if (!ledger.task_classes.varies(task_class)) {
    for (std::uint32_t kind = 0; kind < server_classes.capacities().size(); ++kind)
      alone += tasks_on(server_classes.capacities()[kind], demand) * mpq_class(server_classes.servers(kind));
    return alone;
  }
  for (std::uint32_t server = 0; server < ledger.servers.end(); ++server) {
    if (ledger.servers.holds(server))
      alone += tasks_on(ledger.server_pool.capacity(server),
                        ledger.task_classes.demand_anywhere(task_class, server));
  }
  return alone;
}

std::vector<double> pool_prices(const Ledger& ledger) {
  using Eigen::Index;
  const std::span<const std::int64_t> pool = ledger.server_pool.pool();
  std::vector<double> prices(pool.size(), 0.0);
  std::vector<std::size_t> present;  // resources
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] > 0) present.push_back(r);
  }
  std::vector<std::uint32_t> users;
  for (std::uint32_t user = 0; user < ledger.users.end(); ++user) {
    if (!ledger.users.holds(user) || ledger.users[user].queues.empty()) continue;
    const Amounts& task =
        ledger.task_classes.alternatives(ledger.queues[ledger.users[user].queues.front()].task_class)
            .front()
            .demand;
    const bool can_run =
        std::equal(task.begin(), task.end(), pool.begin(),
                   [](std::int64_t wanted, std::int64_t all) { return wanted == 0 || all > 0; });
    if (can_run) users.push_back(user);
  }
  if (users.empty() || present.empty()) return prices;

  Eigen::ArrayXXd demand(static_cast<Index>(users.size()), static_cast<Index>(present.size()));
  Eigen::ArrayXd weight(demand.rows());
  for (Index n = 0; n < demand.rows(); ++n) {
    const UserRow& user = ledger.users[users[static_cast<std::size_t>(n)]];
    const Amounts& task =
        ledger.task_classes.alternatives(ledger.queues[user.queues.front()].task_class).front().demand;
    weight[n] = user.weight.value();
    for (Index r = 0; r < demand.cols(); ++r) {
      const std::size_t resource = present[static_cast<std::size_t>(r)];
      demand(n, r) = static_cast<double>(task[resource]) / static_cast<double>(pool[resource]);
    }
  }
  const Eigen::ArrayXd capacity = Eigen::ArrayXd::Ones(demand.cols());
  const Eigen::ArrayXd no_cap(0);
  const numerics::PricedAmounts priced =
      numerics::solve_dual({demand, capacity, weight, no_cap, 1.0}, {.target = 1e-12, .accepted = 1e-9});
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
