// ViolationLog: a small cluster whose outcome a paper prints in numbers, and claims about the mean of
// several runs. A claim that A is no less than B is contradicted only by a 95 % interval that lies
// wholly below 0; a claim that A is more holds only for an interval wholly above 0. So a noisier run
// can neither contradict the first nor confirm the second.
#include "lab/experiments/findings.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>

#include "lab/simulation/base/statistics.hpp"

namespace mirab::experiments {

// Worked examples: small clusters whose outcome a paper prints in numbers.

namespace {

ResourceVector exact(const std::vector<double>& amounts) {
  ResourceVector quantities;
  for (const double amount : amounts) quantities.push_back(*Quantity::from(amount));
  return quantities;
}

}  // namespace

Problem worked_example(std::vector<std::string> resources, const std::vector<NamedAmounts>& servers,
                       const std::vector<NamedAmounts>& users) {
  Cluster cluster{.resources = std::move(resources), .servers = {}, .users = {}};
  for (const NamedAmounts& server : servers)
    cluster.servers.push_back({.name = server.name, .capacity = exact(server.amounts)});
  for (const NamedAmounts& user : users)
    cluster.users.push_back({.name = user.name, .demand = exact(user.amounts)});
  return *Problem::from(std::move(cluster));
}

Allocation divided(const Problem& problem, std::string_view mechanism, int threads) {
  Result<Outcome> outcome = allocate(problem, mechanism, {.threads = threads});
  MIRAB_ASSERT(outcome && outcome->status != Status::not_converged, "a worked example that can be solved");
  return std::move(outcome->allocation);
}

double rounding_of(int decimals) { return 0.5 * std::pow(10.0, -decimals); }

Finding compared(std::string what, double printed, double ours, double tolerance) {
  return {.what = std::move(what),
          .printed = printed,
          .ours = ours,
          .holds = std::abs(ours - printed) <= tolerance};
}

Finding corrected(std::string what, double printed, double right, double ours, double tolerance,
                  std::string why) {
  return {.what = std::move(what),
          .printed = printed,
          .ours = ours,
          .holds = std::abs(ours - right) <= tolerance,
          .note = std::move(why),
          .corrected = true};
}

Finding required(std::string what, double ours, bool holds) {
  return {.what = std::move(what), .ours = ours, .holds = holds};
}

// One rule for what a paper says of one thing compared with another, where ours has an interval: a claim that
// A is no less than B is contradicted only by an interval that is below 0 as a whole; a claim that A is more
// is held only by one that is above 0 as a whole. So a noisier run can neither contradict the first nor hold
// the second.

namespace {

constexpr double kNothing = 1e-6;
constexpr const char* kUndecided = "0 is in the interval: neither sign is shown";

Finding on_mean(std::string what, const simulation::Interval& mean) {
  Finding finding{.what = std::move(what), .ours = mean.mean, .interval = {{mean.low, mean.high}}};
  if (mean.low < -kNothing && mean.high > kNothing) finding.note = kUndecided;
  return finding;
}

}  // namespace

Finding not_less(std::string what, std::span<const double> differences) {
  const simulation::Interval mean = simulation::mean_interval(differences);
  Finding finding = on_mean(std::move(what), mean);
  finding.holds = mean.high >= -kNothing;
  return finding;
}

Finding more(std::string what, std::span<const double> differences) {
  const simulation::Interval mean = simulation::mean_interval(differences);
  Finding finding = on_mean(std::move(what), mean);
  finding.holds = mean.low > kNothing;
  return finding;
}

Finding part_between(std::string what, std::span<const double> parts, double least, double most,
                     double rounding) {
  const simulation::Interval mean = simulation::mean_interval(parts);
  return {.what = std::move(what),
          .ours = mean.mean,
          .interval = {{std::max(mean.low, 0.0), std::min(mean.high, 1.0)}},
          .holds = mean.mean >= least - rounding && mean.mean <= most + rounding};
}

std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  MIRAB_ASSERT(a.size() == b.size(), "differences of pairs");
  std::vector<double> values(a.size());
  std::transform(a.begin(), a.end(), b.begin(), values.begin(), std::minus<>());
  return values;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace mirab::experiments
