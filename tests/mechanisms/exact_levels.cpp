#include "mechanisms/exact_levels.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "model/exact.hpp"

namespace mirab::testing {
namespace {

using Row = std::vector<mpq_class>;

// A x = b, x ≥ 0, as a tableau: the last column is b ≥ 0, the columns of the basis are unit vectors.
class Tableau {
 public:
  explicit Tableau(std::size_t variables) : open_(variables, true) {}

  void add(Row row, std::size_t basic) {
    rows_.push_back(std::move(row));
    basic_.push_back(basic);
  }

  mpq_class value(std::size_t variable) const {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (basic_[k] == variable) return rows_[k].back();
    }
    return 0;
  }

  // The variable is 0 from now on; it must be already.
  void close(std::size_t variable) { open_[variable] = false; }

  // The largest Σ of these variables; what would lower it is 0 from now on when asked for.
  void maximise(const std::vector<std::size_t>& sum, bool stay) {
    while (true) {
      const Row gain = gains(sum);
      std::size_t entering = 0;
      while (entering < open_.size() && !(open_[entering] && gain[entering] > 0)) ++entering;
      if (entering == open_.size()) {
        for (std::size_t j = 0; stay && j < open_.size(); ++j) {
          if (gain[j] < 0) close(j);
        }
        return;
      }
      pivot(leaving(entering), entering);
    }
  }

 private:
  Row gains(const std::vector<std::size_t>& sum) const {
    Row gain(open_.size());
    for (const std::size_t j : sum) gain[j] = 1;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (std::find(sum.begin(), sum.end(), basic_[k]) == sum.end()) continue;
      for (std::size_t j = 0; j < open_.size(); ++j) {
        if (rows_[k][j] != 0) gain[j] -= rows_[k][j];
      }
    }
    return gain;
  }

  // Bland: the least index, so that it does not go round in circles. What is closed must stay at 0.
  std::size_t leaving(std::size_t entering) const {
    std::optional<std::size_t> best;
    mpq_class least;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const bool closed = !open_[basic_[k]] && rows_[k][entering] != 0;
      if (!closed && rows_[k][entering] <= 0) continue;
      const mpq_class ratio = closed ? mpq_class(0) : mpq_class(rows_[k].back() / rows_[k][entering]);
      if (best && (ratio > least || (ratio == least && basic_[k] > basic_[*best]))) continue;
      best = k;
      least = ratio;
    }
    return best.value();
  }

  void pivot(std::size_t row, std::size_t column) {
    const mpq_class by = rows_[row][column];
    for (mpq_class& entry : rows_[row]) entry /= by;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const mpq_class factor = rows_[k][column];
      if (k == row || factor == 0) continue;
      for (std::size_t j = 0; j < rows_[k].size(); ++j) {
        if (rows_[row][j] != 0) rows_[k][j] -= factor * rows_[row][j];
      }
    }
    basic_[row] = column;
  }

  std::vector<Row> rows_;
  std::vector<std::size_t> basic_;
  std::vector<bool> open_;
};

struct Pair {
  std::size_t user, server;
};

class Rounds {
 public:
  Rounds(const Problem& problem, std::string_view mechanism) : problem_(problem) {
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      unit_.push_back(rational(problem.users()[n].weight) * yardstick(n, mechanism));
      for (std::size_t i = 0; i < problem.server_count(); ++i) {
        if (problem.eligible(n, i) && alone(n, i) > 0) pairs_.push_back({n, i});
      }
    }
    tasks_.resize(problem.user_count());
    fixed_.resize(problem.user_count());
  }

  std::vector<mpq_class> run() {
    while (std::find(fixed_.begin(), fixed_.end(), false) != fixed_.end()) round();
    return tasks_;
  }

 private:
  mpq_class capacity(std::size_t i, std::size_t r) const {
    const Server& server = problem_.servers()[i];
    return rational(server.capacity[r]) * static_cast<long>(server.count);
  }
  mpq_class demand(std::size_t n, std::size_t i, std::size_t r) const {
    return rational(problem_.demand(n, i)[r]);
  }

  // γ, placement constraints ignored.
  mpq_class alone(std::size_t n, std::size_t i) const {
    std::optional<mpq_class> least;
    for (std::size_t r = 0; r < problem_.resource_count(); ++r) {
      if (demand(n, i, r) == 0) continue;
      const mpq_class ratio = capacity(i, r) / demand(n, i, r);
      if (!least || ratio < *least) least = ratio;
    }
    return least.value_or(0);
  }

  mpq_class yardstick(std::size_t n, std::string_view mechanism) const {
    if (mechanism == "cmmf") return 1;
    mpq_class tasks = 0;
    if (mechanism == "tsf") {
      for (std::size_t i = 0; i < problem_.server_count(); ++i) tasks += alone(n, i);
      return tasks;
    }
    mpq_class share = 0;
    for (std::size_t r = 0; r < problem_.resource_count(); ++r) {
      mpq_class pool = 0;
      for (std::size_t i = 0; i < problem_.server_count(); ++i) pool += capacity(i, r);
      if (pool > 0) share = std::max<mpq_class>(share, rational(problem_.users()[n].demand[r]) / pool);
    }
    return 1 / share;
  }

  // Variables: t, a surplus over t and a rest below the cap for every user, x of every pair, a slack for
  // every capacity, and for whom a former round fixed what is missing of that.
  void round() {
    const std::size_t users = tasks_.size(), m = problem_.resource_count(), servers = problem_.server_count();
    const std::size_t x = 1 + 2 * users, slack = x + pairs_.size(), missing = slack + servers * m;
    const std::size_t variables = missing + users;
    Tableau tableau(variables);
    std::vector<std::size_t> wanted;
    for (std::size_t n = 0; n < users; ++n) {
      Row all(variables + 1);
      for (std::size_t p = 0; p < pairs_.size(); ++p) all[x + p] = pairs_[p].user == n ? 1 : 0;
      if (fixed_[n]) {
        all[missing + n] = 1;
        all.back() = tasks_[n];
        tableau.add(all, missing + n);
        wanted.push_back(n);
        continue;
      }
      if (problem_.users()[n].tasks) {
        Row cap = all;
        cap[1 + users + n] = 1;
        cap.back() = rational(*problem_.users()[n].tasks);
        tableau.add(std::move(cap), 1 + users + n);
      }
      for (mpq_class& entry : all) entry = -entry;
      all[0] = unit_[n];
      all[1 + n] = 1;
      tableau.add(std::move(all), 1 + n);
    }
    for (std::size_t i = 0; i < servers; ++i) {
      for (std::size_t r = 0; r < m; ++r) {
        Row row(variables + 1);
        for (std::size_t p = 0; p < pairs_.size(); ++p) {
          if (pairs_[p].server == i) row[x + p] = demand(pairs_[p].user, i, r);
        }
        row[slack + i * m + r] = 1;
        row.back() = capacity(i, r);
        tableau.add(std::move(row), slack + i * m + r);
      }
    }
    std::vector<std::size_t> given;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      if (fixed_[pairs_[p].user]) given.push_back(x + p);
    }
    tableau.maximise(given, false);
    for (const std::size_t n : wanted) {
      if (tableau.value(missing + n) != 0) throw std::logic_error("a level was not kept");
      tableau.close(missing + n);
    }
    tableau.maximise({0}, true);
    fix(tableau);
  }

  void fix(Tableau& tableau) {
    const mpq_class level = tableau.value(0);
    std::vector<bool> more(tasks_.size(), false);
    for (std::size_t n = 0; n < tasks_.size(); ++n) {
      if (fixed_[n] || more[n]) continue;
      tableau.maximise({1 + n}, false);
      for (std::size_t k = 0; k < tasks_.size(); ++k) more[k] = more[k] || tableau.value(1 + k) > 0;
    }
    for (std::size_t n = 0; n < tasks_.size(); ++n) {
      if (fixed_[n] || more[n]) continue;
      fixed_[n] = true;
      tasks_[n] = level * unit_[n];
    }
  }

  const Problem& problem_;
  std::vector<mpq_class> unit_;
  std::vector<Pair> pairs_;
  std::vector<mpq_class> tasks_;
  std::vector<bool> fixed_;
};

Quantity digit_times_power(Random& random, int orders) {
  const auto power = static_cast<int>(random.below(static_cast<std::uint64_t>(2 * orders + 1))) - orders;
  return *Quantity::parse(fmt::format("{}e{}", 1 + random.below(9), power));
}

ResourceVector amounts(Random& random, std::size_t resources, int orders) {
  ResourceVector amounts(resources);
  for (Quantity& one : amounts) {
    if (random.unit() < 0.6) one = digit_times_power(random, orders);
  }
  amounts[random.below(resources)] = digit_times_power(random, orders);
  return amounts;
}

User user_of(Random& random, const Cluster& cluster, int orders, DemandOn demand_on) {
  constexpr std::array kWeights = {"0.25", "1", "2", "3", "100"};
  constexpr std::array kCaps = {"0.5", "1", "3"};
  constexpr std::array kZones = {"a", "b"};
  const std::size_t resources = cluster.resources.size();
  User user{.name = fmt::format("u{}", cluster.users.size()), .demand = amounts(random, resources, orders)};
  user.weight = *Quantity::parse(kWeights[random.below(kWeights.size())]);
  if (random.unit() < 0.3) user.tasks = *Quantity::parse(kCaps[random.below(kCaps.size())]);
  if (random.unit() < 0.2) user.select = {{"z", {kZones[random.below(2)]}}};
  if (random.unit() < 0.3) {
    user.servers.emplace();
    for (const Server& server : cluster.servers) {
      if (random.below(3) > 0) user.servers->push_back(server.name);
    }
  }
  if (demand_on == DemandOn::some && random.unit() < 0.3) {
    const Server& server = cluster.servers[random.below(cluster.servers.size())];
    user.demand_on = {{server.name, amounts(random, resources, orders)}};
  }
  return user;
}

}  // namespace

std::vector<mpq_class> exact_levels(const Problem& problem, std::string_view mechanism) {
  return Rounds(problem, mechanism).run();
}

double error_of(const std::vector<double>& tasks, const std::vector<mpq_class>& exact) {
  double worst = 0;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const mpq_class off = abs(mpq_class(tasks[n]) - exact[n]);
    if (off != 0) worst = std::max(worst, mpq_class(off / std::max<mpq_class>(tasks[n], exact[n])).get_d());
  }
  return worst;
}

Problem ill_scaled(Random& random, int orders, DemandOn demand_on) {
  constexpr std::array<std::int64_t, 4> kCounts = {1, 1, 2, 50};
  while (true) {
    Cluster cluster;
    const std::size_t resources = 1 + random.below(3);
    for (std::size_t r = 0; r < resources; ++r) cluster.resources.push_back(fmt::format("r{}", r));
    const std::size_t servers = 1 + random.below(4);
    for (std::size_t i = 0; i < servers; ++i) {
      cluster.servers.push_back({.name = fmt::format("s{}", i),
                                 .capacity = amounts(random, resources, orders),
                                 .count = kCounts[random.below(kCounts.size())],
                                 .labels = {{"z", random.below(2) == 0 ? "a" : "b"}}});
    }
    // A draw that leaves a user without a server is drawn again.
    const std::size_t users = 2 + random.below(5);
    for (int draw = 0; draw < 50 && cluster.users.size() < users; ++draw) {
      cluster.users.push_back(user_of(random, cluster, orders, demand_on));
      if (!Problem::from({cluster.resources, cluster.servers, {cluster.users.back()}}))
        cluster.users.pop_back();
    }
    if (cluster.users.empty()) continue;
    if (Result<Problem> problem = Problem::from(std::move(cluster))) return *std::move(problem);
  }
}

}  // namespace mirab::testing
