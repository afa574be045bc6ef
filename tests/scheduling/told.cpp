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

void Told::newcomer() {
  const UserId user = *engine.apply(UserAdded{.name = "new"}, now);
  const JobSubmitted job{.user = user, .demand = Amounts(options.resources.size(), 2)};
  if (const Result<JobId> id = engine.apply(job, now)) jobs.emplace(*id, job);
}

void Told::place_what_fits() {
  for (;;) {
    Random same_draws = draws;
    WhyPlaced why;
    if (!twin().step(now, same_draws, why) || why.by_force || why.kept_since) return;
    const LogEntry entry{.now = now, .what = StepAsked{.seed = 7}};
    const Outcome outcome = *tell(engine, entry, draws);
    events.learn(outcome);
    remember(entry, outcome);
  }
}

void Told::remember(const LogEntry& entry, const Outcome& outcome) {
  const auto* const event = std::get_if<Event>(&entry.what);
  if (const auto* const server = std::get_if<ServerId>(&outcome))
    servers.emplace(*server, std::get<ServerAdded>(*event));
  if (const auto* const job = std::get_if<JobId>(&outcome))
    jobs.emplace(*job, std::get<JobSubmitted>(*event));
  const auto* const placed = std::get_if<std::optional<Placed>>(&outcome);
  if (placed != nullptr && *placed) {
    tasks.push_back(**placed);
    running.emplace((*placed)->task, std::pair((*placed)->job, (*placed)->server));
    for (const Companion& other : (*placed)->with)
      running.emplace(other.task, std::pair((*placed)->job, other.server));
    for (const Preempted& lost : (*placed)->preempted) running.erase(lost.task);
  }
  if (const auto* const lost = std::get_if<std::vector<Lost>>(&outcome)) {
    for (const Lost& each : *lost) running.erase(each.task);
  }
  if (event == nullptr) return;
  if (const auto* const finished = std::get_if<TaskFinished>(event)) running.erase(finished->task);
  if (const auto* const failed = std::get_if<TaskFailed>(event)) running.erase(failed->task);
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
  const auto needs = [&](const std::string& label) {
    if (!asked.select.contains(label) && !label_of(server, label)) broken.push_back(label);
  };
  if (asked.spread) needs(asked.spread->label);
  if (asked.pack) needs(*asked.pack);
  return broken;
}

std::optional<std::string> Told::label_of(ServerId server, const std::string& label) const {
  const auto found = servers.at(server).labels.find(label);
  return found == servers.at(server).labels.end() ? std::nullopt : std::optional(found->second);
}

/// Is the server one of those whose domains count, with the job's terms?
bool Told::is_domain(JobId job, ServerId server) const {
  const auto state = engine.server(server);
  const Amounts& demand = demand_on(job, server);
  return state && !state->drained && broken_wishes(job, server).empty() &&
         std::equal(demand.begin(), demand.end(), state->capacity.begin(), std::less_equal<>());
}

InTheWay Told::broken_term(JobId job, ServerId server, const More& more) const {
  const JobSubmitted& asked = jobs.at(job);
  std::vector<ServerId> used;  // by each task of the job
  for (const auto& [task, where] : running) {
    if (where.first == job) used.push_back(where.second);
  }
  for (const auto& [on, count] : more) used.insert(used.end(), static_cast<std::size_t>(count), on);
  const auto is_packed = [&](ServerId other) {
    return label_of(other, *asked.pack) == label_of(server, *asked.pack);
  };
  if (asked.pack && !std::all_of(used.begin(), used.end(), is_packed)) return InTheWay::pack;
  if (asked.per_server && std::count(used.begin(), used.end(), server) >= *asked.per_server)
    return InTheWay::per_server;
  if (!asked.spread) return InTheWay::nothing;
  const auto tasks_beside = [&](ServerId one) {
    return std::count_if(used.begin(), used.end(), [&](ServerId other) {
      return label_of(other, asked.spread->label) == label_of(one, asked.spread->label);
    });
  };
  auto least = tasks_beside(server);
  for (const auto& [other, added] : servers) {
    if (is_domain(job, other) && (!asked.pack || is_packed(other)))
      least = std::min(least, tasks_beside(other));
  }
  return tasks_beside(server) + 1 > least + asked.spread->most_apart ? InTheWay::spread : InTheWay::nothing;
}

Told::Kept Told::kept() const {
  Kept kept;
  for (const Reservation& each : engine.reservations()) kept.emplace(each.server, each.job);
  return kept;
}

std::int64_t Told::count_starts(JobId job, const Kept& kept, std::int64_t most) const {
  std::int64_t best = 0;
  // With pack it matters where the first one goes, and nothing else does.
  for (const auto& [first, added] : servers) {
    if (!engine.server(first) || in_the_way(job, first, kept) != InTheWay::nothing) continue;
    More more = {{first, 1}};
    std::int64_t started = 1;
    for (auto next = servers.begin(); next != servers.end() && started < most;) {
      if (!engine.server(next->first) || in_the_way(job, next->first, kept, more) != InTheWay::nothing) {
        ++next;
        continue;
      }
      ++more[next->first];
      ++started;
      next = servers.begin();
    }
    best = std::max(best, started);
  }
  return best;
}

InTheWay Told::in_the_way(JobId job, ServerId server, const Kept& kept, const More& more) const {
  const std::vector<std::string> broken = broken_wishes(job, server);
  if (!broken.empty()) return broken.front().empty() ? InTheWay::name : InTheWay::label;
  const Engine::ServerState state = *engine.server(server);
  const Amounts& demand = demand_on(job, server);
  const auto fits = [&](const Amounts& of) {
    return std::equal(demand.begin(), demand.end(), of.begin(), std::less_equal<>());
  };
  if (!fits(state.capacity)) return InTheWay::too_small;
  if (state.drained) return InTheWay::drained;
  if (const auto of = kept.find(server); of != kept.end() && of->second != job) return InTheWay::kept;
  if (const InTheWay term = broken_term(job, server, more); term != InTheWay::nothing) return term;
  Amounts free = state.free;
  const auto here = more.find(server);
  for (std::size_t r = 0; here != more.end() && r < free.size(); ++r) free[r] -= here->second * demand[r];
  return fits(free) ? InTheWay::nothing : InTheWay::full;
}

WhyWaiting::Servers Told::count_servers(JobId job, const Kept& kept) const {
  WhyWaiting::Servers count;
  count.lacking.assign(options.resources.size(), 0);
  count.too_small_in = count.lacking;
  for (const auto& [server, added] : servers) {
    const auto state = engine.server(server);
    if (!state) continue;
    const Amounts& demand = demand_on(job, server);
    const InTheWay reason = in_the_way(job, server, kept);
    count.with_room += reason == InTheWay::nothing;
    count.not_allowed += reason == InTheWay::name || reason == InTheWay::label;
    count.too_small += reason == InTheWay::too_small;
    count.drained += reason == InTheWay::drained;
    count.kept += reason == InTheWay::kept;
    count.pack += reason == InTheWay::pack;
    count.per_server += reason == InTheWay::per_server;
    count.spread += reason == InTheWay::spread;
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
  const auto count_any = [&](const std::string& label) {
    if (!jobs.at(job).select.contains(label)) counts.push_back({.label = label, .excludes = 0, .alone = 0});
  };
  if (jobs.at(job).spread) count_any(jobs.at(job).spread->label);
  if (jobs.at(job).pack) count_any(*jobs.at(job).pack);
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

Time Told::live_until_asked() {
  for (int i = 0; i < 30; ++i) live();
  if (random.below(2) == 0) open_up();
  if (random.below(2) == 0) {
    newcomer();
    place_what_fits();
  }
  return now + Duration(random.below(2) * random.below(500));
}

}  // namespace mirab::scheduling
