// Best-fit of DRFH (Wang, Li, Liang; Östman, section 2.1.4): of the servers where the task fits, the one with
// the smallest
//
//   H(n, i) = ‖d_n / Σ_r d_{n,r} − f_i / Σ_r f_{i,r}‖₁,
//
// the distance between the proportions of the task and those of what is free, all amounts as parts of the
// cluster's capacity so that units do not matter. Of several equal ones the first. H is a rule of thumb and
// is computed in doubles, always in the same order. O(K' m).
//
// As published the amounts are relative to the first resource instead: ‖d_n/d_{n,1} − f_i/f_{i,1}‖₁. That
// depends on which resource comes first and divides by zero where the task does not demand it or the server
// has none of it left: such an H ranks behind every finite one, and where no H is finite the first server is
// taken.
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "scheduling/plain/placements.hpp"

namespace mirab::plain {
namespace {

/// v / scale(v), where v are the amounts as parts of the cluster's capacity, per_unit[r] = 1 / C_r. [m]
template <class Scale>
void proportions(std::span<const std::int64_t> amounts, const std::vector<double>& per_unit, Scale scale,
                 std::vector<double>& result) {
  for (std::size_t r = 0; r < amounts.size(); ++r) result[r] = static_cast<double>(amounts[r]) * per_unit[r];
  const double per_whole = 1 / scale(result);
  for (double& part : result) part *= per_whole;
}

double sum(const std::vector<double>& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

double first(const std::vector<double>& parts) { return parts.front(); }

/// ‖a − b‖₁
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double distance = 0;
  for (std::size_t r = 0; r < a.size(); ++r) distance += std::abs(a[r] - b[r]);
  return distance;
}

/// 1 / C_r; 0 for a resource that the cluster lacks. [m]
std::vector<double> parts_per_unit(const CountedProblem& cluster) {
  std::vector<double> per_unit(cluster.resource_count(), 0.0);
  for (std::size_t r = 0; r < per_unit.size(); ++r) {
    if (cluster.pool(r) > 0) per_unit[r] = 1 / static_cast<double>(cluster.pool(r));
  }
  return per_unit;
}

template <class Scale>
std::size_t nearest_in_proportion(const Search& search, Scale scale) {
  const Ledger& ledger = search.ledger;
  const std::vector<double> per_unit = parts_per_unit(ledger.cluster());
  std::vector<double> demand(per_unit.size());
  std::vector<double> free(per_unit.size());
  std::size_t task = ledger.cluster().task_count();
  std::size_t best = search.first_fit;
  double best_h = std::numeric_limits<double>::infinity();
  ledger.for_each_fit(search.user, search.first_fit, [&](std::size_t server) {
    const std::size_t task_there = ledger.cluster().task(search.user, ledger.entry(server));
    if (task_there != task) {
      task = task_there;
      proportions(ledger.cluster().demand(task), per_unit, scale, demand);
    }
    proportions(ledger.free(server), per_unit, scale, free);
    const double h = distance(demand, free);
    if (h < best_h) {  // not so for NaN, 0/0
      best_h = h;
      best = server;
    }
  });
  return best;
}

}  // namespace

std::size_t best_fit(const Search& search) { return nearest_in_proportion(search, sum); }

std::size_t best_fit_as_published(const Search& search) { return nearest_in_proportion(search, first); }

}  // namespace mirab::plain
