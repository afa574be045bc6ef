// Gangs and placement terms in the reference: every rule as the documents state it, and whether a batch has
// room by placing its tasks one after the other.
#include <algorithm>
#include <set>

#include "scheduling/reference_candidate.hpp"

namespace mirab::scheduling {
namespace {

bool reference_terms_is_within(const Amounts& demand, const Amounts& room) {
  return std::equal(demand.begin(), demand.end(), room.begin(), std::less_equal<>());
}

std::optional<std::string> value_of(const ReferenceEngine::Server& server, const std::string& label) {
  const auto found = server.added.labels.find(label);
  return found == server.added.labels.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool has_terms(const JobSubmitted& job) {
  return !job.roles.empty() || job.gang > 1 || job.per_server || job.spread || job.pack;
}

std::int64_t ReferenceEngine::batch(JobId id) const {
  const Job& job = *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == id; });
  return std::min(job.waiting, std::max<std::int64_t>(1, group(job).look.gang - running(job)));
}

/// May one more task of the job start on the server, when tasks of it run on some servers, and more are about
/// to?
bool ReferenceEngine::may_start(const JobSubmitted& look, const std::vector<const Server*>& running,
                                const std::vector<const Server*>& more, const Server& server) const {
  const std::optional<Amounts> demand = demand_on(look, server);
  if (!demand || server.drained || kept_on(server.id) != kept_.end()) return false;
  Amounts free = state(server).free;
  for (const Server* const other : more) {
    for (std::size_t r = 0; other == &server && r < free.size(); ++r) free[r] -= (*demand)[r];
  }
  if (!reference_terms_is_within(*demand, free)) return false;

  std::vector<const Server*> all = running;
  all.insert(all.end(), more.begin(), more.end());
  return terms_allow(look, all, server);
}

/// Do the terms allow one more task there, when some run on all these?
bool ReferenceEngine::terms_allow(const JobSubmitted& look, const std::vector<const Server*>& all,
                                  const Server& server) const {
  if (look.per_server && std::count(all.begin(), all.end(), &server) >= *look.per_server) return false;
  if (look.pack) {
    if (!value_of(server, *look.pack)) return false;
    const auto is_elsewhere = [&](const Server* other) {
      return value_of(*other, *look.pack) != value_of(server, *look.pack);
    };
    if (std::any_of(all.begin(), all.end(), is_elsewhere)) return false;
  }
  if (!look.spread) return true;
  const std::string& label = look.spread->label;
  if (!value_of(server, label)) return false;
  const auto count = [&](const std::string& domain) {
    return std::count_if(all.begin(), all.end(),
                         [&](const Server* other) { return value_of(*other, label) == domain; });
  };
  std::int64_t least = INT64_MAX;
  for (const Server& other : servers_) {
    const bool is_of_domain = !other.drained && value_of(other, label) && can_ever_run(look, other) &&
                              (!look.pack || value_of(other, *look.pack) == value_of(server, *look.pack));
    if (is_of_domain) least = std::min<std::int64_t>(least, count(*value_of(other, label)));
  }
  return count(*value_of(server, label)) + 1 - least <= look.spread->most_apart;
}

bool ReferenceEngine::all_start(const JobSubmitted& look, const std::vector<const Server*>& running,
                                std::vector<const Server*> more, std::int64_t batch) const {
  while (std::cmp_less(more.size(), batch)) {
    const auto next = std::find_if(servers_.begin(), servers_.end(), [&](const Server& server) {
      return may_start(look, running, more, server);
    });
    if (next == servers_.end()) return false;
    more.push_back(&*next);
  }
  return true;
}

std::vector<const ReferenceEngine::Server*> ReferenceEngine::first_of_batch(const JobSubmitted& look,
                                                                            JobId job,
                                                                            std::int64_t batch) const {
  std::vector<const Server*> running;
  for (const Task& task : tasks_) {
    const auto its = [&](const Server& server) { return server.id == task.server; };
    if (task.job == job) running.push_back(&*std::find_if(servers_.begin(), servers_.end(), its));
  }
  std::vector<const Server*> servers;
  for (const Server& server : servers_) {
    if (may_start(look, running, {}, server) && all_start(look, running, {&server}, batch))
      servers.push_back(&server);
  }
  return servers;
}

std::vector<ServerId> ReferenceEngine::next_of_gang(JobId id, std::int64_t batch, Random& random) const {
  const Job& job = *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == id; });
  const JobSubmitted& look = group(job).look;
  if (!look.roles.empty()) {
    const std::vector<RoleOn> places = places_of_roles(look, id);
    return places.empty() ? std::vector<ServerId>{} : std::vector{places.front().server->id};
  }
  std::vector<const Server*> fitting = first_of_batch(look, id, batch);
  if (!fitting.empty()) fitting = best_of(std::move(fitting), look);
  if (options_.tie != Tie::random && options_.placement.name == "random" &&
      options_.discipline.name != "mrfs" && !fitting.empty())
    fitting = {fitting[random.below(fitting.size())]};
  std::vector<ServerId> ids;
  for (const Server* const server : fitting) ids.push_back(server->id);
  return ids;
}

void ReferenceEngine::place_companion(JobId id, const Companion& companion) {
  const auto job = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == id; });
  const auto server = std::find_if(servers_.begin(), servers_.end(),
                                   [&](const Server& each) { return each.id == companion.server; });
  run(*job, companion.task, *server, companion.role);
  if (!job->waiting_by_role.empty()) --job->waiting_by_role[static_cast<std::size_t>(companion.role)];
  tasks_.back().is_fresh = true;
  tasks_.back().is_protected = spares_companions_;
  --job->waiting;
}

// Jobs with roles: first fit, the largest tasks first.

/// May a task of the role run there, whatever is free?
bool ReferenceEngine::may_run(const JobSubmitted& look, std::size_t role, const Server& server) const {
  JobSubmitted alone = look;
  alone.demand = look.roles[role].demand;
  alone.roles.clear();
  return demand_on(alone, server).has_value();
}

std::vector<std::size_t> ReferenceEngine::order_of_roles(const JobSubmitted& look) const {
  const Amounts pool = this->pool();
  std::vector<std::pair<mpq_class, std::size_t>> order;  // the share below 0, the place
  for (std::size_t role = 0; role < look.roles.size(); ++role) {
    mpq_class share = 0;
    for (std::size_t r = 0; r < pool.size(); ++r) {
      if (pool[r] > 0) share = std::max(share, ratio(look.roles[role].demand[r], pool[r]));
    }
    order.emplace_back(-share, role);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> roles;
  for (const auto& [share, role] : order) roles.push_back(role);
  return roles;
}

/// One for each domain of `pack`, in which all find room.
std::vector<std::vector<ReferenceEngine::RoleOn>> ReferenceEngine::role_packings(
    const JobSubmitted& look, JobId job, std::vector<std::int64_t> waiting,
    const std::vector<const Server*>& servers) const {
  std::vector<const Server*> running;
  for (const Task& task : tasks_) {
    const auto its = [&](const Server& server) { return server.id == task.server; };
    if (task.job == job) running.push_back(&*std::find_if(servers_.begin(), servers_.end(), its));
  }
  std::set<std::optional<std::string>> packs{std::nullopt};
  if (look.pack) {
    packs.clear();
    for (const Server* const server : servers) {
      if (const auto value = value_of(*server, *look.pack)) packs.insert(value);
    }
  }
  std::vector<std::vector<RoleOn>> packings;
  for (const std::optional<std::string>& pack : packs) {
    std::vector<RoleOn> places;
    std::vector<const Server*> all = running;
    bool is_whole = true;
    for (const std::size_t role : order_of_roles(look)) {
      const Amounts& demand = look.roles[role].demand;
      for (std::int64_t left = waiting[role]; left > 0 && is_whole; --left) {
        const auto next = std::find_if(servers.begin(), servers.end(), [&](const Server* server) {
          if (server->drained || kept_on(server->id) != kept_.end() || !may_run(look, role, *server))
            return false;
          if (pack && value_of(*server, *look.pack) != pack) return false;
          Amounts free = state(*server).free;
          for (const RoleOn& place : places) {
            const Amounts& takes = look.roles[static_cast<std::size_t>(place.role)].demand;
            for (std::size_t r = 0; place.server == server && r < free.size(); ++r) free[r] -= takes[r];
          }
          return reference_terms_is_within(demand, free) && terms_allow(look, all, *server);
        });
        is_whole = next != servers.end();
        if (!is_whole) break;
        places.push_back({.role = static_cast<std::int64_t>(role), .server = *next});
        all.push_back(*next);
      }
    }
    if (is_whole) packings.push_back(std::move(places));
  }
  return packings;
}

/// None when not all have room. Servers that were kept for the job come first.
std::vector<ReferenceEngine::RoleOn> ReferenceEngine::places_of_roles(const JobSubmitted& look,
                                                                      JobId id) const {
  std::vector<std::int64_t> waiting;
  for (const Role& role : look.roles) waiting.push_back(role.tasks);
  const auto job = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == id; });
  if (job != jobs_.end()) waiting = job->waiting_by_role;
  std::vector<const Server*> servers;
  const auto first = first_servers_.find(id);
  for (std::size_t at = 0; first != first_servers_.end() && at < first->second.size(); ++at)
    servers.push_back(&*std::find_if(servers_.begin(), servers_.end(),
                                     [&](const Server& server) { return server.id == first->second[at]; }));
  for (const Server& server : servers_) {
    if (std::find(servers.begin(), servers.end(), &server) == servers.end()) servers.push_back(&server);
  }
  const auto place = [&](const std::vector<RoleOn>& places) {
    return std::find(servers.begin(), servers.end(), places.front().server);
  };
  std::vector<RoleOn> best;
  for (const std::vector<RoleOn>& places : role_packings(look, id, waiting, servers)) {
    if (best.empty() || place(places) < place(best)) best = places;
  }
  return best;
}

std::int64_t ReferenceEngine::next_role(JobId id) const {
  if (!has_roles(id)) return 0;
  const auto job = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == id; });
  const std::vector<RoleOn> places = places_of_roles(group(*job).look, id);
  return places.empty() ? -1 : places.front().role;
}

std::vector<mpz_class> ReferenceEngine::taken_by_roles(const Job& job) const {
  std::vector<mpz_class> taken(options_.resources.size());
  const std::vector<Role>& roles = group(job).look.roles;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    for (std::size_t r = 0; r < taken.size(); ++r)
      taken[r] += mpz_class(roles[role].demand[r]) * job.waiting_by_role[role];
  }
  return taken;
}

/// The first term with which the gang could not start on the empty servers: on all of them, or on the open
/// ones.
std::optional<std::string> ReferenceEngine::impossible_by(const JobSubmitted& event) const {
  ReferenceEngine open = *this;
  open.tasks_.clear();
  open.jobs_.clear();
  open.kept_.clear();
  open.first_servers_.clear();
  for (Server& server : open.servers_) server.held.clear();
  ReferenceEngine all = open;
  for (Server& server : all.servers_) server.drained = false;
  const auto is_possible = [&](const JobSubmitted& look) {
    if (!look.roles.empty())
      return !open.places_of_roles(look, {}).empty() || !all.places_of_roles(look, {}).empty();
    return !open.first_of_batch(look, {}, look.gang).empty() ||
           !all.first_of_batch(look, {}, look.gang).empty();
  };
  JobSubmitted look = event;
  look.per_server.reset();
  look.pack.reset();
  look.spread.reset();
  if (!is_possible(look)) return look.roles.empty() ? "gang" : "roles";
  look.per_server = event.per_server;
  if (!is_possible(look)) return "per_server";
  look.pack = event.pack;
  if (!is_possible(look)) return "pack";
  look.spread = event.spread;
  if (!is_possible(look)) return "spread";
  return {};
}

}  // namespace mirab::scheduling
