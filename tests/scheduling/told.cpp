#include "scheduling/told.hpp"

#include <algorithm>
#include <functional>

#include <mirab/scheduling/snapshot.hpp>

namespace mirab::scheduling {
namespace {

EngineOptions options_of(const std::string& discipline, Random& random) {
  EngineOptions options = random_options(random);
  while (options.discipline.name != discipline) options = random_options(random);
  return options;
}

bool is_among(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

Told::Told(const std::string& discipline, std::uint64_t seed)
    : random(seed),
      draws(seed + 1),
      options(options_of(discipline, random)),
      engine(*Engine::from(options)),
      events(random, options.resources.size()) {}

std::pair<LogEntry, std::optional<Outcome>> Told::live() {
  LogEntry entry = events.next();
  const Result<Outcome> outcome = tell(engine, entry, draws);
  if (!outcome) return {entry, {}};
  events.learn(*outcome);
  remember(entry, *outcome);
  now = std::max(now, entry.now);
  return {entry, *outcome};
}

void Told::open_up() {
  const ServerAdded added{.name = "a", .capacity = Amounts(options.resources.size(), 4), .labels = {}};
  for (int i = 0; i < 2; ++i) servers.emplace(*engine.apply(added, now), added);
}

void Told::remember(const LogEntry& entry, const Outcome& outcome) {
  const auto* const event = std::get_if<Event>(&entry.what);
  if (const auto* const server = std::get_if<ServerId>(&outcome))
    servers.emplace(*server, std::get<ServerAdded>(*event));
  if (const auto* const job = std::get_if<JobId>(&outcome))
    jobs.emplace(*job, std::get<JobSubmitted>(*event));
  const auto* const placed = std::get_if<std::optional<Placed>>(&outcome);
  if (placed != nullptr && *placed) tasks.push_back(**placed);
}

const Amounts& Told::demand_on(JobId job, ServerId server) const {
  const JobSubmitted& asked = jobs.at(job);
  const auto own = asked.demand_on.find(servers.at(server).name);
  return own == asked.demand_on.end() ? asked.demand : own->second;
}

/// The keys of the labels that do not hold, and an empty one for the name.
std::vector<std::string> Told::broken_wishes(JobId job, ServerId server) const {
  const JobSubmitted& asked = jobs.at(job);
  const ServerAdded& added = servers.at(server);
  std::vector<std::string> broken;
  if (asked.servers && !is_among(added.name, *asked.servers)) broken.emplace_back();
  for (const auto& [label, values] : asked.select) {
    const auto found = added.labels.find(label);
    if (found == added.labels.end() || !is_among(found->second, values)) broken.push_back(label);
  }
  return broken;
}

InTheWay Told::in_the_way(JobId job, ServerId server) const {
  const std::vector<std::string> broken = broken_wishes(job, server);
  if (!broken.empty()) return broken.front().empty() ? InTheWay::name : InTheWay::label;
  const Engine::ServerState state = *engine.server(server);
  const Amounts& demand = demand_on(job, server);
  const auto fits = [&](const Amounts& of) {
    return std::equal(demand.begin(), demand.end(), of.begin(), std::less_equal<>());
  };
  if (!fits(state.capacity)) return InTheWay::too_small;
  if (state.drained) return InTheWay::drained;
  return fits(state.free) ? InTheWay::nothing : InTheWay::full;
}

WhyWaiting::Servers Told::count_servers(JobId job) const {
  WhyWaiting::Servers count;
  count.lacking.assign(options.resources.size(), 0);
  count.too_small_in = count.lacking;
  for (const auto& [server, added] : servers) {
    const auto state = engine.server(server);
    if (!state) continue;
    const Amounts& demand = demand_on(job, server);
    const InTheWay reason = in_the_way(job, server);
    count.with_room += reason == InTheWay::nothing;
    count.not_allowed += reason == InTheWay::name || reason == InTheWay::label;
    count.too_small += reason == InTheWay::too_small;
    count.drained += reason == InTheWay::drained;
    count.full += reason == InTheWay::full;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      count.lacking[r] += reason == InTheWay::full && demand[r] > state->free[r];
      count.too_small_in[r] += reason == InTheWay::too_small && demand[r] > state->capacity[r];
    }
  }
  return count;
}

std::vector<WhyWaiting::Constraint> Told::count_constraints(JobId job) const {
  std::vector<WhyWaiting::Constraint> counts;
  if (jobs.at(job).servers) counts.push_back({.label = {}, .excludes = 0, .alone = 0});
  for (const auto& [label, values] : jobs.at(job).select)
    counts.push_back({.label = label, .excludes = 0, .alone = 0});
  for (const auto& [server, added] : servers) {
    if (!engine.server(server)) continue;
    const std::vector<std::string> broken = broken_wishes(job, server);
    for (WhyWaiting::Constraint& count : counts) {
      if (!is_among(count.label, broken)) continue;
      ++count.excludes;
      count.alone += broken.size() == 1;
    }
  }
  return counts;
}

std::map<JobId, WhyWaiting> Told::ask_all(Time at) const {
  std::map<JobId, WhyWaiting> all;
  for (const auto& [job, asked] : jobs) {
    if (const auto why = engine.why_waiting(job, at)) all.emplace(job, *why);
  }
  return all;
}

Engine Told::twin() const { return *restore(snapshot(engine)); }

std::string test_name(const std::string& discipline) {
  std::string name = discipline;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace mirab::scheduling
