// Fairness over time is measured as measure() of mirab/audit/metrics.hpp does it, over the users with demand:
// the inequality of s_n · mean(φ) / φ_n, and the lowest s_n.
#include "simulation/replay/series.hpp"

#include <algorithm>

#include <mirab/audit/metrics.hpp>

#include "model/seconds.hpp"
#include "simulation/quantiles.hpp"

namespace mirab::simulation {
namespace {

constexpr double kBands[] = {0.1, 0.5, 0.9};

void keep_every_second(std::vector<double>& values) {
  for (std::size_t k = 0; 2 * k < values.size(); ++k) values[k] = values[2 * k];
  values.resize((values.size() + 1) / 2);
}

}  // namespace

ReplaySeries::ReplaySeries(const ReplayInput& input, std::size_t samples)
    : input_(input), samples_(samples), is_largest_(input.users.size(), false) {
  for (const std::string& resource : input.resources) {
    granted_.push_back({.name = resource, .values = {}});
    if (!input.usages.empty()) used_.push_back({.name = resource, .values = {}});
  }
  for (const std::uint32_t user : input.largest) {
    is_largest_[user] = true;
    shares_.push_back({.name = input.users[user].name, .values = {}});
  }
  if (input.users.size() > input.largest.size()) bands_ = {{"p10", {}}, {"p50", {}}, {"p90", {}}};
}

/// k span / n, with no product beyond 63 bits: of k = a n + b it is a span + b span / n. What lies behind the
/// end of counted time is never.
Duration ReplaySeries::instant(std::size_t k) const {
  const auto n = static_cast<std::int64_t>(samples_);
  const auto spans = static_cast<std::int64_t>(k / samples_);    // a
  const auto samples = static_cast<std::int64_t>(k % samples_);  // b
  if (spans >= Duration::max() / input_.span) return Duration::max();
  return spans * input_.span + input_.span / n * samples + input_.span % n * samples / n;
}

void ReplaySeries::sample(const ReplayUsers& users, ReplayServers& servers, const ReplayUsage& usage) {
  const Duration now = next();
  times_.push_back(in_seconds(now));
  waiting_.push_back(static_cast<double>(users.waiting()));
  running_.push_back(static_cast<double>(users.running()));
  sample_fairness(users);
  sample_shares(users);
  sample_use(servers, usage, now);
  fragmentation_.push_back(servers.fragmentation());
  next_ += stride_;
  if (times_.size() == 2 * samples_) thin_out();
}

void ReplaySeries::sample_fairness(const ReplayUsers& users) {
  std::vector<double> per_weight;  // of those with demand
  double weights = 0, unfairness = 0, least = 1;
  for (const ReplayUsers::User& user : users.users()) {
    unfairness += user.unfairness;
    if (!user.has_demand()) continue;
    per_weight.push_back(user.share / user.weight);
    weights += user.weight;
    least = std::min(least, user.share);
  }
  for (double& share : per_weight) share *= weights / static_cast<double>(per_weight.size());
  users_.push_back(static_cast<double>(per_weight.size()));
  jain_.push_back(jain(per_weight));
  gini_.push_back(gini(per_weight));
  min_share_.push_back(per_weight.empty() ? 0 : least);
  unfairness_.push_back(unfairness);
}

void ReplaySeries::sample_shares(const ReplayUsers& users) {
  for (std::size_t k = 0; k < input_.largest.size(); ++k)
    shares_[k].values.push_back(users.users()[input_.largest[k]].share);
  if (bands_.empty()) return;
  std::vector<double> others;
  for (std::size_t n = 0; n < users.users().size(); ++n) {
    if (!is_largest_[n] && users.users()[n].has_demand()) others.push_back(users.users()[n].share);
  }
  std::sort(others.begin(), others.end());
  for (std::size_t b = 0; b < bands_.size(); ++b)
    bands_[b].values.push_back(others.empty() ? 0 : quantile(others, kBands[b]));
}

void ReplaySeries::sample_use(const ReplayServers& servers, const ReplayUsage& usage, Duration now) {
  std::vector<double> surplus;
  if (usage.is_known()) surplus = usage.surplus(now);
  for (std::size_t r = 0; r < granted_.size(); ++r) {
    const double pool = static_cast<double>(servers.pool()[r]) * input_.unit[r];
    const double granted = static_cast<double>(servers.granted()[r]) * input_.unit[r];
    granted_[r].values.push_back(pool > 0 ? granted / pool : 0);
    if (usage.is_known()) used_[r].values.push_back(pool > 0 ? (granted + surplus[r]) / pool : 0);
  }
}

void ReplaySeries::thin_out() {
  for (std::vector<double>* values :
       {&times_, &waiting_, &running_, &users_, &jain_, &gini_, &min_share_, &unfairness_, &fragmentation_})
    keep_every_second(*values);
  for (std::vector<Series>* all : {&granted_, &used_, &shares_, &bands_}) {
    for (Series& series : *all) keep_every_second(series.values);
  }
  stride_ *= 2;
}

void ReplaySeries::write(ReplayOutcome& outcome) {
  outcome.times = std::move(times_);
  outcome.series = {{"waiting", std::move(waiting_)},
                    {"running", std::move(running_)},
                    {"users", std::move(users_)},
                    {"jain", std::move(jain_)},
                    {"gini", std::move(gini_)},
                    {"min_share", std::move(min_share_)},
                    {"unfairness", std::move(unfairness_)},
                    {"fragmentation", std::move(fragmentation_)}};
  outcome.utilization_over_time = std::move(granted_);
  outcome.used_over_time = std::move(used_);
  outcome.shares = std::move(shares_);
  outcome.share_bands = std::move(bands_);
}

}  // namespace mirab::simulation
