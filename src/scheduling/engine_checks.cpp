// What an event may not be. Everything is checked before anything changes, so that an error leaves the engine
// as it was.
#include <algorithm>
#include <fmt/format.h>

#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

Error Engine::State::unknown(std::string_view what) {
  return {.message = fmt::format("there is no such {}, or no longer", what), .key = std::string(what)};
}

Check Engine::State::check_time(Time time) const {
  if (time >= now) return {};
  return Error{.message = fmt::format("{} ns is before the last event, at {} ns",
                                      time.time_since_epoch().count(), now.time_since_epoch().count()),
               .key = "now"};
}

Check Engine::State::check_amounts(const Amounts& amounts, const std::string& key) const {
  if (amounts.size() != accounts.resource_count()) {
    return Error{
        .message = fmt::format("{} amounts for {} resources", amounts.size(), accounts.resource_count()),
        .key = key};
  }
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] >= 0) continue;
    return Error{.message = fmt::format("{} is below zero", amounts[r]),
                 .key = fmt::format("{}.{}", key, options.resources[r])};
  }
  return {};
}

/// Would the pool still be counted with so much instead of so much?
Check Engine::State::check_pool(const Amounts& with, std::span<const std::int64_t> instead_of) const {
  const std::span<const std::int64_t> pool = accounts.park.pool();
  for (std::size_t r = 0; r < with.size(); ++r) {
    const std::int64_t others = pool[r] - (instead_of.empty() ? 0 : instead_of[r]);
    if (with[r] <= INT64_MAX - others) continue;
    return Error{
        .message = "all servers together would have more units than can be counted; choose a larger unit",
        .key = fmt::format("capacity.{}", options.resources[r])};
  }
  return {};
}

Check Engine::State::check_job(const JobSubmitted& job) const {
  if (Check bad = check_amounts(job.demand, "demand")) return bad;
  const auto is_nothing = [](const Amounts& demand) {
    return std::all_of(demand.begin(), demand.end(), [](std::int64_t units) { return units == 0; });
  };
  if (is_nothing(job.demand)) return Error{.message = "a task takes nothing", .key = "demand"};
  for (const auto& [server, demand] : job.demand_on) {
    const std::string key = fmt::format("demand_on.{}", server);
    if (Check bad = check_amounts(demand, key)) return bad;
    if (is_nothing(demand)) return Error{.message = "a task takes nothing", .key = key};
  }
  if (job.tasks < 1) return Error{.message = fmt::format("{} tasks", job.tasks), .key = "tasks"};
  return check_terms(job);
}

/// Could a task of the shape run on some server if that were empty?
bool Engine::State::is_possible(std::uint32_t shape) const {
  for (std::uint32_t server = 0; server < accounts.servers.end(); ++server) {
    if (!accounts.servers.holds(server)) continue;
    const Way* const way = accounts.shapes.way_on(shape, server);
    if (way == nullptr) continue;
    if (is_within(way->demand, accounts.park.capacity(server))) return true;
  }
  return false;
}

/// Could the job run, and start as it wants to, if nothing else did? Asked where impossible jobs are refused.
Check Engine::State::check_possible(const JobSubmitted& job, std::uint32_t shape) const {
  if (options.oversized == Oversized::wait) return {};
  if (!is_possible(shape))
    return Error{.message = "no server that the job may use is large enough for one of its tasks",
                 .key = "demand"};
  return check_terms_possible(job, shape);
}

}  // namespace mirab::scheduling
