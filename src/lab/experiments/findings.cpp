// A small cluster whose outcome a paper prints in numbers, and claims about the mean of several runs.
#include "lab/experiments/findings.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
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

// One rule for what is claimed of a bound, where ours has an interval: it holds where the whole interval is
// on the side that is claimed, and fails where none of it is. Between these nothing is shown. So a noisier
// run can neither contradict a claim nor confirm it, whichever side it is on.

void decide(Finding& finding, Side side, double bound, double shown_bound) {
  const auto [low, high] = finding.interval.value_or(std::pair(finding.ours, finding.ours));
  const auto is_on_side = [&](double value) {
    switch (side) {
      case Side::above:
        return value > bound;
      case Side::at_least:
        return value >= bound;
      case Side::at_most:
        return value <= bound;
      case Side::below:
        return value < bound;
    }
    return false;
  };
  finding.holds = is_on_side(low) && is_on_side(high);
  finding.undecided = is_on_side(low) != is_on_side(high);
  if (!finding.undecided) return;
  const std::string note = fmt::format("{:.4g} is in the interval: neither side is shown", shown_bound);
  finding.note = finding.note.empty() ? note : finding.note + "; " + note;
}

void decide(Finding& finding, Side side, double bound) { decide(finding, side, bound, bound); }

void decide_near(Finding& finding, double value, double tolerance) {
  const auto [low, high] = finding.interval.value_or(std::pair(finding.ours, finding.ours));
  finding.holds = low >= value - tolerance && high <= value + tolerance;
  finding.undecided = !finding.holds && low <= value + tolerance && high >= value - tolerance;
  if (!finding.undecided) return;
  const std::string note = "only a part of the interval is within the tolerance: nothing is shown";
  finding.note = finding.note.empty() ? note : finding.note + "; " + note;
}

namespace {

constexpr double kNothing = 1e-6;

Finding on_mean(std::string what, std::span<const double> differences) {
  const simulation::Interval mean = simulation::mean_interval(differences);
  return {.what = std::move(what), .ours = mean.mean, .interval = {{mean.low, mean.high}}};
}

}  // namespace

Finding not_less(std::string what, std::span<const double> differences) {
  Finding finding = on_mean(std::move(what), differences);
  decide(finding, Side::at_least, -kNothing, 0);
  return finding;
}

Finding more(std::string what, std::span<const double> differences) {
  Finding finding = on_mean(std::move(what), differences);
  decide(finding, Side::above, kNothing, 0);
  return finding;
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
