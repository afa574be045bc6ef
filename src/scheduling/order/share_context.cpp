// What disciplines compare users by besides the ledger: decayed usage, the tasks that a class could run
// alone, and prices.
#include "scheduling/order/share_context.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/seconds.hpp"
#include "numerics/pool/dual.hpp"

namespace mirab::scheduling {

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

void DecayedUsage::set_row(UserIndex user, Row row) {
  rows_.cover(user);
  rows_[user] = row;
}

void DecayedUsage::begin(UserIndex user, Time now) { set_row(user, {.since = now}); }

void DecayedUsage::set_share(UserIndex user, double share, Time now) {
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

std::optional<Time> DecayedUsage::next_order(std::vector<Weighted> users, Time now) const {
  std::stable_sort(users.begin(), users.end(), [&](const Weighted& a, const Weighted& b) {
    return rows_[a.user].key / a.weight < rows_[b.user].key / b.weight;
  });
  std::optional<double> least;  // half-lives
  for (std::size_t i = 1; i < users.size(); ++i) {
    const Row& first = rows_[users[i - 1].user];
    const Row& second = rows_[users[i].user];
    const double ahead = usage_at(second, now) / users[i].weight - usage_at(first, now) / users[i - 1].weight;
    const double in_the_end = second.share / users[i].weight - first.share / users[i - 1].weight;
    if (ahead >= 0 && in_the_end >= 0) continue;
    const double wait = ahead > 0 ? std::log2((ahead - in_the_end) / -in_the_end) : 0;
    least = std::min(least.value_or(wait), wait);
  }
  if (!least) return {};
  const double ns = *least * static_cast<double>(half_life_.count());  // rounded down: rather a step too many
  if (!(ns < static_cast<double>(Duration::max().count()))) return {};
  const Time due = refreshed_ ? later(*refreshed_, half_life_ / kRefreshes) : now;
  return std::max({due, later(now, Duration(static_cast<std::int64_t>(ns))), later(now, Duration(1))});
}

namespace {

/// min_r c_r / d_r; requires that something is demanded.
mpq_class tasks_on(std::span<const std::int64_t> capacity, std::span<const std::int64_t> demand) {
  std::optional<mpq_class> least;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] == 0) continue;
    mpq_class tasks(capacity[r], demand[r]);
    tasks.canonicalize();
    if (!least || tasks < *least) least = tasks;
  }
  return *least;
}

mpq_class tasks_on_all_servers(const ServerClasses& server_classes, std::span<const std::int64_t> demand) {
  mpq_class alone = 0;
  for (const ServerClassIndex server_class : server_classes.indices())
    alone += tasks_on(server_classes.capacities()[server_class], demand) *
             mpq_class(server_classes.servers(server_class));
  return alone;
}

mpq_class tasks_on_all_servers(const Ledger& ledger, const ServerClasses& server_classes,
                               TaskClassIndex task_class) {
  mpq_class alone = 0;
  if (const std::span<const std::int64_t> roles = ledger.task_classes.roles(task_class); !roles.empty()) {
    const std::span<const DemandAlternative> ways = ledger.task_classes.alternatives(task_class);
    std::vector<mpz_class> demand(ledger.resource_count(), 0);  // of all tasks of the job
    mpz_class tasks = 0;
    for (std::size_t role = 0; role < roles.size(); ++role) {
      tasks += roles[role];
      for (std::size_t r = 0; r < demand.size(); ++r)
        demand[r] += mpz_class(ways[role].demand[r]) * roles[role];
    }
    for (const ServerClassIndex server_class : server_classes.indices()) {
      const Amounts& capacity = server_classes.capacities()[server_class];
      std::optional<mpq_class> jobs;
      for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r] == 0) continue;
        mpq_class part(mpz_class(capacity[r]), demand[r]);
        part.canonicalize();
        if (!jobs || part < *jobs) jobs = part;
      }
      alone += *jobs * tasks * mpq_class(server_classes.servers(server_class));
    }
    return alone;
  }
  const Amounts& demand = ledger.task_classes.alternatives(task_class).front().demand;
  if (!ledger.task_classes.varies(task_class)) return tasks_on_all_servers(server_classes, demand);
  for (const ServerIndex server : ledger.servers.indices()) {
    if (ledger.servers.holds(server))
      alone += tasks_on(ledger.server_pool.capacity(server),
                        ledger.task_classes.demand_anywhere(task_class, server));
  }
  return alone;
}

}  // namespace

mpq_class tasks_alone(const Ledger& ledger, const ServerClasses& server_classes, TaskClassIndex task_class) {
  const mpq_class tasks = tasks_on_all_servers(ledger, server_classes, task_class);
  return tasks > 0 ? tasks : mpq_class(1);
}

mpq_class tasks_alone_with(const ServerClasses& server_classes, std::span<const std::int64_t> demand) {
  const bool is_nothing = std::all_of(demand.begin(), demand.end(), [](auto units) { return units == 0; });
  const mpq_class tasks = is_nothing ? mpq_class(0) : tasks_on_all_servers(server_classes, demand);
  return tasks > 0 ? tasks : mpq_class(1);
}

std::vector<double> usable_prices(const numerics::PricedAmounts& found) {
  const auto m = static_cast<std::size_t>(found.log_price.size());
  std::vector<double> prices(m, 1.0);
  // A comparison with a gap that is not a number is false.
  if (!(found.report.error <= kUsableGap)) return prices;
  for (std::size_t r = 0; r < m; ++r) prices[r] = std::exp(found.log_price[static_cast<Eigen::Index>(r)]);
  return prices;
}

std::vector<double> pool_prices(const Ledger& ledger) {
  using Eigen::Index;
  const std::span<const std::int64_t> pool = ledger.server_pool.pool();
  std::vector<double> prices(pool.size(), 0.0);
  std::vector<std::size_t> present;  // resources
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] > 0) present.push_back(r);
  }
  std::vector<UserIndex> users;
  for (const UserIndex user : ledger.users.indices()) {
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
  const std::vector<double> found = usable_prices(
      numerics::solve_dual({demand, capacity, weight, no_cap, 1.0}, {.target = 1e-12, .accepted = 1e-9}));
  for (std::size_t r = 0; r < present.size(); ++r) prices[present[r]] = found[r];
  return prices;
}

}  // namespace mirab::scheduling
