// Room for a gang of several demands: first fit, the largest tasks first.
//
// Role k has n_k waiting tasks, each of which takes d_k. The roles choose one after the other, in descending
// order of the dominant share max_r d_{k,r} / C_r of a task; equal ones as they are given. Each task goes to
// the first server, in the order of the cluster, that has room for it after those before it and where the
// terms allow it then: per_server, spread and pack count the tasks of all roles alike.
//
// Unlike for equal tasks (constraints.cpp) it matters here who chooses first, and to know whether any order
// finds room is bin packing. So this is a rule and no proof: it may miss a packing that exists. Example: two
// servers with 7 CPUs, a role of 2 tasks with 3 CPUs and one of 4 tasks with 2. Each server has room for
// 3 + 2 + 2. First fit puts 3 + 3 on the first server and 2 + 2 + 2 on the second, and the last task waits,
// and with it the job.
//
// Nor does a task that starts elsewhere only take room from it: where a server has less room, a task of the
// job goes to the next one, and may leave room for others. So it is asked again after every change
// (dispatcher.cpp).
//
// Since it only looks at what is free and runs, to place the first task and ask again gives the places of the
// others as they were.
#include "scheduling/constraints/roles.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <utility>

#include "fairness/share.hpp"

namespace mirab::scheduling {

std::vector<std::uint32_t> order_of_roles(const Ledger& ledger, TaskClassIndex task_class) {
  const std::span<const DemandAlternative> roles = ledger.task_classes.alternatives(task_class);
  std::vector<std::uint32_t> order(roles.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<fairness::Part> shares;
  for (const DemandAlternative& role : roles)
    shares.push_back(fairness::dominant_share<fairness::Part>(role.demand, ledger.server_pool.pool()));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return shares[b] < shares[a]; });
  return order;
}

/// One pack: the places of those that find room there.
RolePacking GangFeasibility::fill_with_roles(PackIndex pack, std::span<const std::int64_t> waiting,
                                             const Candidates& candidates, const FreeOn& free_on) const {
  const TaskClasses& task_classes = ledger_->task_classes;
  std::vector<DomainIndex> domains;
  IndexedVector<DomainIndex, std::int64_t> running(domains_.size());  // c_d
  for (const DomainIndex at : domains_.indices()) {
    if (domains_[at].pack != pack || !domains_[at].is_present) continue;
    domains.push_back(at);
    running[at] = domains_[at].running;
  }
  std::int64_t least = packs_[pack].min_running;
  std::size_t at_least = packs_[pack].at_min;
  std::unordered_map<ServerIndex, Amounts> left;  // where tasks have been put
  std::unordered_map<ServerIndex, std::int64_t> put;
  RolePacking packing{.found = std::vector<std::int64_t>(waiting.size(), 0)};

  for (const std::uint32_t role : order_of_roles(*ledger_, task_class_)) {
    const DemandAlternative& way = task_classes.alternatives(task_class_)[role];
    const auto room = [&](std::size_t candidate) {
      const ServerIndex server = candidates.servers[candidate];
      if (!task_classes.eligibility.contains(way.servers, server)) return std::int64_t{0};
      const auto known = left.find(server);
      const Amounts free = known != left.end() ? known->second : free_on(server);
      if (!is_within(way.demand, free)) return std::int64_t{0};
      const std::int64_t there = room_on(server, way, free);
      const auto more = put.find(server);
      return terms_->per_server && more != put.end() ? there_with(server, there, more->second) : there;
    };
    IndexedVector<DomainIndex, std::size_t> heads(domains_.size());
    std::set<std::pair<std::size_t, DomainIndex>> open;  // the first candidate with room, of domains that may
    const auto enter = [&](DomainIndex at) {
      const std::vector<std::size_t>& of_domain = candidates.by_domain[at];
      if (terms_->spread && running[at] - least >= terms_->spread->most_apart) return;
      while (heads[at] < of_domain.size() && room(of_domain[heads[at]]) <= 0) ++heads[at];
      if (heads[at] < of_domain.size()) open.emplace(of_domain[heads[at]], at);
    };
    std::int64_t more = waiting[role];
    if (more == 0) continue;
    for (const DomainIndex at : domains) enter(at);
    while (more > 0 && !open.empty()) {
      const auto [candidate, at] = *open.begin();
      open.erase(open.begin());
      const ServerIndex server = candidates.servers[candidate];
      const std::int64_t start = terms_->spread ? 1 : std::min(more, room(candidate));
      more -= start;
      packing.found[role] += start;
      packing.places.insert(packing.places.end(), static_cast<std::size_t>(start),
                            {.role = role, .server = server});
      const auto known = left.try_emplace(server);
      if (known.second) known.first->second = free_on(server);
      for (std::size_t r = 0; r < way.demand.size(); ++r) known.first->second[r] -= way.demand[r] * start;
      put[server] += start;
      running[at] += start;
      if (terms_->spread && running[at] == least + start && --at_least == 0) {
        ++least;
        for (const DomainIndex each : domains) {
          if (running[each] == least) ++at_least;
          enter(each);
        }
      }
      enter(at);
    }
    if (more > 0) packing.is_whole = false;
  }
  return packing;
}

/// Room for that many at the most, when some have been put there: per_server counts them.
std::int64_t GangFeasibility::there_with(ServerIndex server, std::int64_t room, std::int64_t put) const {
  return std::min(room, *terms_->per_server - running_on(server) - put);
}

std::vector<RolePacking> GangFeasibility::pack_roles(std::span<const std::int64_t> waiting,
                                                     std::span<const ServerIndex> servers,
                                                     const FreeOn& free_on) const {
  Candidates candidates{.servers = servers,
                        .by_domain = IndexedVector<DomainIndex, std::vector<std::size_t>>(domains_.size())};
  for (std::size_t at = 0; at < servers.size(); ++at) {
    const DomainIndex domain = domain_of(servers[at]);
    if (domain != kNone && domains_[domain].is_present) candidates.by_domain[domain].push_back(at);
  }
  std::vector<RolePacking> packings;
  for (const PackIndex pack : packs_.indices()) {
    if (packs_[pack].is_excluded) continue;
    packings.push_back(fill_with_roles(pack, waiting, candidates, free_on));
  }
  return packings;
}

std::optional<std::vector<ServerIndex>> GangFeasibility::servers_for_roles_if_emptied(
    std::span<const ServerIndex> candidates) const {
  std::unordered_map<ServerIndex, std::vector<Wide>> own;  // what tasks of the job take
  ledger_->for_each_task_of(job_, [&](TaskIndex task) {
    std::vector<Wide>& there = own[ledger_->tasks[task].server];
    const std::span<const std::int64_t> demand = ledger_->demand(task);
    there.resize(demand.size(), 0);
    for (std::size_t r = 0; r < demand.size(); ++r) there[r] += demand[r];
  });
  const auto free_on = [&](ServerIndex server) {
    const auto stay = own.find(server);
    Amounts free;
    for (std::size_t r = 0; r < ledger_->resource_count(); ++r) {
      const Wide left = Wide{ledger_->server_pool.capacity(server)[r]} -
                        ledger_->server_pool.held(server)[r] - (stay == own.end() ? 0 : stay->second[r]);
      free.push_back(static_cast<std::int64_t>(std::max(Wide{0}, left)));
    }
    return free;
  };
  std::optional<std::vector<ServerIndex>> best;
  for (const RolePacking& packing : pack_roles(ledger_->waiting_by_role(job_), candidates, free_on)) {
    if (!packing.is_whole) continue;
    std::set<ServerIndex> used;
    for (const RolePlace& place : packing.places) used.insert(place.server);
    if (best &&
        (used.size() > best->size() ||
         (used.size() == best->size() && *used.begin() > *std::min_element(best->begin(), best->end()))))
      continue;
    best.emplace();
    for (const ServerIndex server : candidates) {
      if (used.contains(server)) best->push_back(server);
    }
  }
  return best;
}

RolePacking pack_waiting(const Ledger& ledger, JobIndex job, const OpenServers& open,
                         std::span<const ServerIndex> first) {
  const TaskClassIndex task_class = ledger.task_class_of(job);
  const SelectionIndex selection = ledger.task_classes.alternatives(task_class).front().servers;
  std::vector<ServerIndex> servers(first.begin(), first.end());
  std::erase_if(servers, [&](ServerIndex server) { return !open.contains(server); });
  for (const ServerIndex server : ledger.servers.indices()) {
    if (!open.contains(server) || !ledger.task_classes.eligibility.contains(selection, server)) continue;
    if (std::find(first.begin(), first.end(), server) == first.end()) servers.push_back(server);
  }
  const auto free_on = [&](ServerIndex server) {
    const std::span<const std::int64_t> free = ledger.server_pool.free(server);
    return Amounts(free.begin(), free.end());
  };
  const auto place = [&](const RolePacking& packing) {
    return packing.places.empty() ? servers.end()
                                  : std::find(servers.begin(), servers.end(), packing.places.front().server);
  };
  RolePacking best{.found = std::vector<std::int64_t>(ledger.waiting_by_role(job).size(), 0),
                   .is_whole = false};
  for (RolePacking& packing :
       GangFeasibility(ledger, job, open).pack_roles(ledger.waiting_by_role(job), servers, free_on)) {
    const bool is_better = packing.places.size() > best.places.size() ||
                           (packing.places.size() == best.places.size() && place(packing) < place(best));
    if (is_better) best = std::move(packing);
  }
  return best;
}

std::optional<RolePlace> first_of_roles(const Ledger& ledger, JobIndex job, const OpenServers& open,
                                        std::span<const ServerIndex> first) {
  const RolePacking packing = pack_waiting(ledger, job, open, first);
  return packing.is_whole ? std::optional(packing.places.front()) : std::nullopt;
}

Amounts taken_by_waiting_roles(const Ledger& ledger, JobIndex job) {
  const std::span<const std::int64_t> waiting = ledger.waiting_by_role(job);
  const std::span<const DemandAlternative> roles =
      ledger.task_classes.alternatives(ledger.task_class_of(job));
  Amounts taken;
  for (std::size_t r = 0; r < ledger.resource_count(); ++r) {
    fairness::Wide sum = 0;
    for (std::size_t role = 0; role < roles.size(); ++role)
      sum += fairness::Wide{roles[role].demand[r]} * waiting[role];
    taken.push_back(static_cast<std::int64_t>(std::min<fairness::Wide>(sum, INT64_MAX)));
  }
  return taken;
}

Check check_roles_possible(const Ledger& ledger, const JobSubmitted& job, TaskClassIndex task_class) {
  const std::span<const DemandAlternative> roles = ledger.task_classes.alternatives(task_class);
  const Eligibility& eligibility = ledger.task_classes.eligibility;
  for (std::size_t role = 0; role < roles.size(); ++role) {
    const bool is_possible = std::any_of(
        ledger.servers.indices().begin(), ledger.servers.indices().end(), [&](ServerIndex server) {
          return ledger.servers.holds(server) && eligibility.contains(roles[role].servers, server) &&
                 is_within(roles[role].demand, ledger.server_pool.capacity(server));
        });
    if (!is_possible)
      return Error{.message = "no server that the job may use is large enough for a task of this role",
                   .key = fmt::format("roles.{}.demand", role)};
  }
  const PlacementConstraints all = *constraints_of(job);
  std::array<std::pair<const char*, PlacementConstraints>, 4> stages;
  stages[0] = {"roles", {.gang = all.gang, .roles = all.roles}};
  stages[1] = {"per_server", stages[0].second};
  stages[1].second.per_server = all.per_server;
  stages[2] = {"pack", stages[1].second};
  stages[2].second.pack = all.pack;
  stages[3] = {"spread", all};
  const auto free_on = [&](ServerIndex server) {
    const std::span<const std::int64_t> capacity = ledger.server_pool.capacity(server);
    return Amounts(capacity.begin(), capacity.end());
  };
  using Emptied = GangFeasibility::Emptied;
  const auto find_room = [&](const PlacementConstraints& terms, Emptied emptied) {
    std::vector<ServerIndex> servers;
    for (const ServerIndex server : ledger.servers.present()) {
      if (emptied == Emptied::all || !ledger.servers[server].drained) servers.push_back(server);
    }
    const Domains by_labels = eligibility.domains_by(labels_of(terms));
    const Domains* const domains = labels_of(terms) == DomainLabels{} ? nullptr : &by_labels;
    const std::vector<RolePacking> packings =
        GangFeasibility(ledger, task_class, terms, domains, emptied).pack_roles(all.roles, servers, free_on);
    return std::any_of(packings.begin(), packings.end(),
                       [](const RolePacking& packing) { return packing.is_whole; });
  };
  for (const auto& [key, terms] : stages) {
    if (find_room(terms, Emptied::all) || find_room(terms, Emptied::open)) continue;
    return Error{.message =
                     "not all tasks of the job would find room together if nothing ran, each on the "
                     "first server with room for it, the largest first",
                 .key = key};
  }
  return {};
}

}  // namespace mirab::scheduling
