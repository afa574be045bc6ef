#include "scheduling/event_checks.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "scheduling/ledger/task_classes.hpp"

namespace mirab::scheduling {

Error unknown(std::string_view what) {
  return {.message = fmt::format("there is no such {}, or no longer", what), .key = std::string(what)};
}

Check check_time(Time time, Time last) {
  if (time >= last) return {};
  return Error{.message = fmt::format("{} ns is before the last event, at {} ns",
                                      time.time_since_epoch().count(), last.time_since_epoch().count()),
               .key = "now"};
}

Check check_amounts(const Amounts& amounts, const std::string& key, std::span<const std::string> resources) {
  if (amounts.size() != resources.size()) {
    return Error{.message = fmt::format("{} amounts for {} resources", amounts.size(), resources.size()),
                 .key = key};
  }
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] >= 0) continue;
    return Error{.message = fmt::format("{} is below zero", amounts[r]),
                 .key = fmt::format("{}.{}", key, resources[r])};
  }
  return {};
}

Check check_pool(const Amounts& with, std::span<const std::int64_t> instead_of,
                 std::span<const std::int64_t> pool, std::span<const std::string> resources) {
  for (std::size_t r = 0; r < with.size(); ++r) {
    const std::int64_t others = pool[r] - (instead_of.empty() ? 0 : instead_of[r]);
    if (with[r] <= INT64_MAX - others) continue;
    return Error{
        .message = "all servers together would have more units than can be counted; choose a larger unit",
        .key = fmt::format("capacity.{}", resources[r])};
  }
  return {};
}

Check check_job(const JobSubmitted& job, std::span<const std::string> resources) {
  if (job.roles.empty()) {
    if (Check bad = check_amounts(job.demand, "demand", resources)) return bad;
  }
  const auto is_nothing = [](const Amounts& demand) {
    return std::all_of(demand.begin(), demand.end(), [](std::int64_t units) { return units == 0; });
  };
  for (std::size_t role = 0; role < job.roles.size(); ++role) {
    const std::string key = fmt::format("roles.{}.demand", role);
    if (Check bad = check_amounts(job.roles[role].demand, key, resources)) return bad;
    if (is_nothing(job.roles[role].demand))
      return Error{.message = "at least one amount must be more than 0", .key = key};
  }
  if (job.roles.empty() && is_nothing(job.demand))
    return Error{.message = "at least one amount must be more than 0", .key = "demand"};
  for (const auto& [server, demand] : job.demand_on) {
    const std::string key = fmt::format("demand_on.{}", server);
    if (Check bad = check_amounts(demand, key, resources)) return bad;
    if (is_nothing(demand)) return Error{.message = "at least one amount must be more than 0", .key = key};
  }
  if (job.tasks < 1)
    return Error{.message = fmt::format("must be at least 1, not {}", job.tasks), .key = "tasks"};
  return check_constraints(job);
}

}  // namespace mirab::scheduling
