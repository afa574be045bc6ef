// The level form of PS-DSF: what the allocation itself says the levels are, and who is below one that it
// should have reached. Source: Khamse-Ashari et al., Per-Server Dominant-Share Fairness, 2017, definition of
// PS-DSF; the form with levels is worked out in docs/reference/mechanisms/ps-dsf.md.
#include <algorithm>
#include <limits>

#include <mirab/audit/level_form.hpp>

namespace mirab {
namespace {

// Of a user's total, or of a capacity. As ServerLevelTuning::nothing: a tenth of what a certificate of PS-DSF
// accepts, so that what is left out cannot make an accepted violation a false one.
constexpr double kNothing = 1e-9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Table = std::vector<std::vector<double>>;

struct Placed {
  Table tasks;                // x, [n][i]
  std::vector<double> total;  // X, [n]
  Table used;                 // [i][r]
};

double capacity(const Problem& problem, std::size_t i, std::size_t r) {
  const Server& server = problem.servers()[i];
  return server.capacity[r].value() * static_cast<double>(server.count);
}

// γ_{n,i} = min_{r: d_{n,r} > 0} c_{i,r} / d_{n,r}
double alone(const Problem& problem, std::size_t n, std::size_t i) {
  double tasks = kInfinity;
  const ResourceVector& demand = problem.demand(n, i);
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (!demand[r].is_zero()) tasks = std::min(tasks, capacity(problem, i, r) / demand[r].value());
  }
  return tasks;
}

Placed placed(const Problem& problem, const Allocation& allocation) {
  Placed placed{.tasks = Table(problem.user_count(), std::vector<double>(problem.server_count(), 0.0)),
                .total = std::vector<double>(problem.user_count(), 0.0),
                .used = Table(problem.server_count(), std::vector<double>(problem.resource_count(), 0.0))};
  for (const Grant& grant : allocation.grants) {
    placed.tasks[grant.user][grant.server] += grant.tasks;
    placed.total[grant.user] += grant.tasks;
    const ResourceVector& demand = problem.demand(grant.user, grant.server);
    for (std::size_t r = 0; r < demand.size(); ++r)
      placed.used[grant.server][r] += grant.tasks * demand[r].value();
  }
  return placed;
}

bool runs(const Placed& placed, std::size_t n, std::size_t i) {
  return placed.tasks[n][i] > kNothing * placed.total[n];
}

// s_{n,i} / φ_n, the virtual dominant share for the weight.
double level_of(const Problem& problem, const Placed& placed, std::size_t n, std::size_t i) {
  return placed.total[n] / (problem.users()[n].weight.value() * alone(problem, n, i));
}

Table levels_of(const Problem& problem, const Placed& placed) {
  Table levels = placed.used;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (std::size_t r = 0; r < levels[i].size(); ++r) {
      const double all = capacity(problem, i, r);
      const bool full = all > 0 && placed.used[i][r] >= all * (1 - kNothing);
      levels[i][r] = full ? 0 : kInfinity;
    }
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      if (!problem.eligible(n, i) || !runs(placed, n, i)) continue;
      const double level = level_of(problem, placed, n, i);
      for (std::size_t r = 0; r < levels[i].size(); ++r) {
        if (!problem.demand(n, i)[r].is_zero()) levels[i][r] = std::max(levels[i][r], level);
      }
    }
  }
  return levels;
}

// M_{n,i}: where the user has to stop.
double stop_level(const Problem& problem, const Table& levels, std::size_t n, std::size_t i) {
  double stop = kInfinity;
  const ResourceVector& demand = problem.demand(n, i);
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (!demand[r].is_zero()) stop = std::min(stop, levels[i][r]);
  }
  return stop;
}

void note(LevelForm& form, double violation, std::size_t user, std::size_t server) {
  if (!(violation > form.violation)) return;
  form.violation = violation;
  form.user = user;
  form.server = server;
}

// Tasks that are no amount hide what is wrong with everything that they are added to.
void check_tasks(LevelForm& form, const Allocation& allocation) {
  for (const Grant& grant : allocation.grants) {
    if (!(grant.tasks >= 0 && grant.tasks < kInfinity)) note(form, kInfinity, grant.user, grant.server);
  }
}

void check_cap(LevelForm& form, const Problem& problem, const Placed& placed, std::size_t n) {
  const std::optional<Quantity>& cap = problem.users()[n].tasks;
  if (cap && placed.total[n] > 0) note(form, placed.total[n] / cap->value() - 1, n, 0);
}

bool has_enough(const Problem& problem, const Placed& placed, std::size_t n) {
  const std::optional<Quantity>& cap = problem.users()[n].tasks;
  return cap && placed.total[n] >= cap->value() * (1 - kNothing);
}

}  // namespace

LevelForm level_form(const Problem& problem, const Allocation& allocation) {
  MIRAB_ASSERT(allocation.servers.size() == problem.server_count(), "an allocation to the problem's servers");
  const Placed placed = mirab::placed(problem, allocation);
  LevelForm form{.levels = levels_of(problem, placed)};
  check_tasks(form, allocation);
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      if (placed.used[i][r] > 0) note(form, placed.used[i][r] / capacity(problem, i, r) - 1, 0, i);
    }
  }
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    check_cap(form, problem, placed, n);
    const bool enough = has_enough(problem, placed, n);
    for (std::size_t i = 0; i < problem.server_count(); ++i) {
      if (!problem.eligible(n, i)) {
        if (placed.tasks[n][i] > 0) note(form, kInfinity, n, i);
        continue;
      }
      if (enough) continue;
      const double stop = stop_level(problem, form.levels, n, i);
      note(form, stop == kInfinity ? 1 : 1 - level_of(problem, placed, n, i) / stop, n, i);
    }
  }
  return form;
}

}  // namespace mirab
