// What must hold before jobs are divided: once, for all mechanisms.
#include <fmt/format.h>

#include "simulation/reallocation/report.hpp"
#include "simulation/workload_check.hpp"

namespace mirab::simulation {
namespace {

/// Of a run: as many means over the window are told for every server.
constexpr std::int64_t kMostIntervals = 1'000'000;

}  // namespace

Check check_reallocation(const Problem& cluster, const Workload& workload,
                         const ReallocationOptions& options) {
  if (options.mechanisms.empty())
    return Error{.message = "there must be at least one mechanism", .key = "mechanisms"};
  if (options.interval <= Duration::zero())
    return Error{.message = "must be greater than 0", .key = "interval"};
  if (options.window <= Duration::zero()) return Error{.message = "must be greater than 0", .key = "window"};
  if (Check wrong = check_workload(cluster, workload)) return wrong;
  if (workload.span / options.interval >= kMostIntervals)
    return Error{
        .message = fmt::format("is too short: the trace must have less than {} of them", kMostIntervals),
        .key = "interval"};
  return {};
}

}  // namespace mirab::simulation
