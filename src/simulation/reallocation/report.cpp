// What is told of a run's use of the servers: means over the span, and moving averages at each interval's
// end.
#include "simulation/reallocation/report.hpp"

#include <algorithm>
#include <span>

#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

// Used over capacity, of one kind of server; 0 of a resource that it lacks.
std::vector<double> parts_of(const Server& server, std::span<const double> used) {
  std::vector<double> parts;
  for (std::size_t r = 0; r < used.size(); ++r) {
    const double capacity = static_cast<double>(server.count) * server.capacity[r].value();
    parts.push_back(capacity > 0 ? used[r] / capacity : 0);
  }
  return parts;
}

std::vector<Duration> interval_ends(Duration interval, Duration span) {
  std::vector<Duration> ends;
  for (Duration end = interval; end < span; end += interval) ends.push_back(end);
  ends.push_back(span);
  return ends;
}

}  // namespace

void report_use(const Problem& cluster, const ServerKinds& kinds, const ReallocationOptions& options,
                Duration span, const StepIntegral& steps, ReallocationOutcome& outcome) {
  const std::size_t m = cluster.resource_count();
  for (const Server& server : cluster.servers())
    outcome.servers.push_back({.name = server.name, .count = server.count, .mean = {}, .moving = {}});
  // Servers of a kind are used alike.
  const auto part = [&](const std::vector<double>& means, std::size_t i) {
    const std::size_t kind = kinds.kind_of[i];
    return parts_of(kinds.servers[kind], std::span(means).subspan(kind * m, m));
  };
  const std::vector<double> over_all = steps.mean(Duration::zero(), span);
  for (std::size_t i = 0; i < outcome.servers.size(); ++i) outcome.servers[i].mean = part(over_all, i);
  outcome.mean_active = over_all.back();
  for (const Duration end : interval_ends(options.interval, span)) {
    const std::vector<double> means = steps.mean(std::max(Duration::zero(), end - options.window), end);
    for (std::size_t i = 0; i < outcome.servers.size(); ++i)
      outcome.servers[i].moving.push_back(part(means, i));
    outcome.active.push_back(means.back());
    outcome.times.push_back(in_seconds(end));
  }
}

}  // namespace mirab::simulation
