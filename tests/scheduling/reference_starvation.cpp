// Reservations and preemption of the reference: what ought to be kept is found among all servers, and keys
// after losses are those of a copy of the reference in which the tasks have ended.
#include <algorithm>

#include "scheduling/reference_candidate.hpp"

namespace mirab::scheduling {
namespace {

bool reference_starvation_is_within(const Amounts& demand, const Amounts& room) {
  return std::equal(demand.begin(), demand.end(), room.begin(), std::less_equal<>());
}

using Balance = std::vector<mpz_class>;  // of a server: below 0 where its tasks and others have too much

/// A task that takes nothing of a resource has room where too much of it is taken.
bool has_room_in(const Balance& balance, const Amounts& demand) {
  return std::equal(demand.begin(), demand.end(), balance.begin(),
                    [](std::int64_t units, const mpz_class& left) { return units == 0 || left >= units; });
}

Balance sum(Balance a, const Amounts& b) {
  for (std::size_t r = 0; r < a.size(); ++r) a[r] += b[r];
  return a;
}

Balance difference(Balance a, const Amounts& b) {
  for (std::size_t r = 0; r < a.size(); ++r) a[r] -= b[r];
  return a;
}

}  // namespace

// --- reservations

std::vector<ReferenceEngine::Kept>::const_iterator ReferenceEngine::kept_on(ServerId server) const {
  return std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.server == server; });
}

void ReferenceEngine::keep_no_longer(ServerId server) {
  const auto kept = kept_on(server);
  if (kept == kept_.end()) return;
  std::erase_if(kept_, [group = kept->group](const Kept& each) { return each.group == group; });
}

/// What misses there most, as a part of the demand; nothing where it would not fit if no task ran.
std::optional<mpq_class> ReferenceEngine::missing_of(const JobSubmitted& look, const Amounts& demand,
                                                     const Server& server) const {
  if (!demand_on(look, server)) return {};
  const Amounts free = state(server).free;
  mpq_class missing = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    const std::int64_t held = server.held.empty() ? 0 : server.held[r];
    if (demand[r] > std::max<std::int64_t>(0, server.added.capacity[r] - held)) return {};
    if (demand[r] > free[r]) missing = std::max(missing, ratio(demand[r] - free[r], demand[r]));
  }
  return missing;
}

/// Would the task fit if no task ran there?
bool ReferenceEngine::can_be_kept(const Group& group, const Server& server) const {
  const std::vector<Role>& roles = group.look.roles;
  if (!roles.empty())
    return std::any_of(roles.begin(), roles.end(), [&](const Role& role) {
      return missing_of(group.look, role.demand, server).has_value();
    });
  const std::optional<Amounts> demand = demand_on(group.look, server);
  if (!demand) return false;
  for (std::size_t r = 0; r < demand->size(); ++r) {
    const std::int64_t held = server.held.empty() ? 0 : server.held[r];
    if ((*demand)[r] > std::max<std::int64_t>(0, server.added.capacity[r] - held)) return false;
  }
  return true;
}

const ReferenceEngine::Job& ReferenceEngine::first_waiting(const Group& group) const {
  const Job* first = nullptr;
  for (const Job& job : jobs_) {
    if (job.group == group.number && job.waiting > 0 && (first == nullptr || is_before(job, *first)))
      first = &job;
  }
  return *first;
}

std::vector<Reservation> ReferenceEngine::reservations() const {
  std::vector<Reservation> all;
  for (const Kept& kept : kept_) {
    const Group& group = *std::find_if(groups_.begin(), groups_.end(),
                                       [&](const Group& each) { return each.number == kept.group; });
    all.push_back(
        {.server = kept.server, .job = first_waiting(group).id, .user = group.user, .since = kept.since});
  }
  return all;
}

void ReferenceEngine::pass(Time now) {
  now_ = std::max(now_, now);
  first_servers_.clear();
  if (!options_.reservations) return;
  const auto lasted = [&](const Kept& kept) {
    return options_.reservations->at_most && now_ - kept.since >= *options_.reservations->at_most;
  };
  for (const Kept& kept : kept_) {
    if (!lasted(kept)) continue;
    futile_at_.reset();
    for (Group& group : groups_)
      if (group.number == kept.group) group.since = now_;
  }
  std::erase_if(kept_, lasted);
  if (looked_ && now_ - *looked_ < options_.reservations->after / 64) return;
  looked_ = now_;
  for (const Group& group : groups_) {
    std::vector<const Server*> servers;
    for (const Kept& kept : kept_) {  // in their order: with roles it matters
      const auto its = [&](const Server& server) { return server.id == kept.server; };
      if (kept.group == group.number)
        servers.push_back(&*std::find_if(servers_.begin(), servers_.end(), its));
    }
    if (!servers.empty() && has_terms(group.look) && servers_if_emptied(group, servers).empty())
      keep_no_longer(servers.front()->id);
  }
  keep_where_due();
}

/// As it would be without the servers that are kept for the group: they are open.
ReferenceEngine ReferenceEngine::without_kept(const Group& group) const {
  ReferenceEngine without = *this;
  without.first_servers_.clear();
  for (const Kept& kept : kept_) {
    if (kept.group == group.number) without.first_servers_[first_waiting(group).id].push_back(kept.server);
  }
  std::erase_if(without.kept_, [&](const Kept& kept) { return kept.group == group.number; });
  return without;
}

/// Of a job with roles that is about to start where servers are kept for it: these. It may as well start
/// without them, on servers where first fit finds room only as long as they are closed.
std::map<JobId, std::vector<ServerId>> ReferenceEngine::servers_kept_for(const Job& job) const {
  const bool is_any =
      std::any_of(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.group == job.group; });
  if (job.waiting_by_role.empty() || !is_any) return {};
  const ReferenceEngine open = without_kept(group(job));
  const bool has_room = !open.places_of_roles(group(job).look, job.id).empty();
  return has_room && is_allowed(job.user, taken_by_roles(job)) ? open.first_servers_
                                                               : decltype(first_servers_){};
}

/// What the next tasks of the group that start together take, of each resource the most on any server.
std::vector<mpz_class> ReferenceEngine::taken_by_batch(const Group& group) const {
  if (!group.look.roles.empty()) return taken_by_roles(first_waiting(group));
  std::vector<mpz_class> taken(options_.resources.size());
  for (const Amounts& demand : demands(group.look)) {
    for (std::size_t r = 0; r < taken.size(); ++r)
      taken[r] = std::max<mpz_class>(taken[r], mpz_class(demand[r]) * batch(first_waiting(group).id));
  }
  return taken;
}

/// Those of the candidates that the group's next batch uses if no other tasks run: each task goes to the
/// first one where it may. With pack in the domain where that is fewest. None when there is no room.
std::vector<const ReferenceEngine::Server*> ReferenceEngine::servers_if_emptied(
    const Group& group, const std::vector<const Server*>& candidates) const {
  const Job& job = first_waiting(group);
  ReferenceEngine empty = without_kept(group);
  std::erase_if(empty.tasks_, [&](const Task& task) { return task.job != job.id; });
  const auto there = [&](const Server* server) {
    return &*std::find_if(empty.servers_.begin(), empty.servers_.end(),
                          [&](const Server& each) { return each.id == server->id; });
  };
  std::vector<const Server*> running;
  for (const Task& task : empty.tasks_)
    running.push_back(&*std::find_if(empty.servers_.begin(), empty.servers_.end(),
                                     [&](const Server& server) { return server.id == task.server; }));
  std::set<std::optional<std::string>> packs{std::nullopt};
  if (group.look.pack) {
    packs.clear();
    for (const Server* const server : candidates) {
      const auto value = server->added.labels.find(*group.look.pack);
      if (value != server->added.labels.end()) packs.insert(value->second);
    }
  }
  std::vector<const Server*> best;
  const auto lowest = [](const std::vector<const Server*>& servers) {
    std::size_t slot = SIZE_MAX;
    for (const Server* const server : servers) slot = std::min(slot, server->slot);
    return slot;
  };
  if (!group.look.roles.empty()) {
    std::vector<const Server*> those;
    for (const Server* const server : candidates) those.push_back(there(server));
    for (const auto& places : empty.role_packings(group.look, job.id, job.waiting_by_role, those)) {
      std::set<std::size_t> used;
      for (const RoleOn& place : places) used.insert(place.server->slot);
      if (!best.empty() &&
          (used.size() > best.size() || (used.size() == best.size() && *used.begin() > lowest(best))))
        continue;
      best.clear();
      for (const Server* const server : candidates)
        if (used.contains(server->slot)) best.push_back(server);
    }
    packs.clear();
  }
  for (const std::optional<std::string>& pack : packs) {
    std::vector<const Server*> more;
    std::vector<const Server*> used;
    std::int64_t left = batch(job.id);
    for (bool is_stuck = false; left > 0 && !is_stuck;) {
      is_stuck = true;
      for (const Server* const server : candidates) {
        const auto value = server->added.labels.find(group.look.pack.value_or(""));
        if (pack && (value == server->added.labels.end() || value->second != *pack)) continue;
        if (!empty.may_start(group.look, running, more, *there(server))) continue;
        if (std::find(used.begin(), used.end(), server) == used.end()) used.push_back(server);
        more.push_back(there(server));
        --left;
        is_stuck = false;
        break;
      }
    }
    if (left > 0) continue;
    if (best.empty() || used.size() < best.size() ||
        (used.size() == best.size() && lowest(used) < lowest(best)))
      best = used;
  }
  std::vector<const Server*> ordered;
  for (const Server* const server : candidates)
    if (std::find(best.begin(), best.end(), server) != best.end()) ordered.push_back(server);
  return ordered;
}

/// None when no open servers would do.
std::vector<const ReferenceEngine::Server*> ReferenceEngine::servers_to_keep(const Group& group) const {
  std::vector<std::pair<mpq_class, const Server*>> candidates;
  for (const Server& server : servers_) {
    if (server.drained || kept_on(server.id) != kept_.end() || !can_be_kept(group, server)) continue;
    if (!group.look.roles.empty()) {
      std::optional<mpq_class> least;
      for (const Role& role : group.look.roles) {
        const std::optional<mpq_class> here = missing_of(group.look, role.demand, server);
        if (here && (!least || *here < *least)) least = here;
      }
      candidates.emplace_back(*least, &server);
      continue;
    }
    const Amounts demand = *demand_on(group.look, server);
    if (!has_terms(group.look) && !is_allowed(group.user, {demand.begin(), demand.end()})) continue;
    const Amounts free = state(server).free;
    mpq_class missing = 0;
    for (std::size_t r = 0; r < demand.size(); ++r)
      if (demand[r] > free[r]) missing = std::max(missing, ratio(demand[r] - free[r], demand[r]));
    candidates.emplace_back(missing, &server);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Server*> servers;
  for (const auto& [missing, server] : candidates) servers.push_back(server);
  if (!has_terms(group.look)) {
    if (servers.size() > 1) servers.resize(1);
    return servers;
  }
  if (!is_allowed(group.user, taken_by_batch(group))) return {};
  return servers_if_emptied(group, servers);
}

void ReferenceEngine::keep_where_due() {
  std::vector<const Group*> due;
  for (const Group& group : groups_) {
    const auto has_room_on = [&](const Server& server) { return has_room(group.look, server); };
    const auto is_its = [&](const Kept& kept) { return kept.group == group.number; };
    if (!waits(group.number) || now_ - group.since < options_.reservations->after ||
        std::any_of(kept_.begin(), kept_.end(), is_its))
      continue;
    const JobId job = first_waiting(group).id;
    const bool has_roles = !group.look.roles.empty();
    const bool fits = has_roles               ? !places_of_roles(group.look, job).empty()
                      : has_terms(group.look) ? !first_of_batch(group.look, job, batch(job)).empty()
                                              : std::any_of(servers_.begin(), servers_.end(), has_room_on);
    if (!fits) due.push_back(&group);
  }
  std::sort(due.begin(), due.end(), [](const Group* a, const Group* b) {
    return std::pair(a->since, a->arrival) < std::pair(b->since, b->arrival);
  });
  for (const Group* group : due) {
    std::set<std::uint64_t> groups;
    for (const Kept& kept : kept_) groups.insert(kept.group);
    if (groups.size() >= options_.reservations->servers) return;
    for (const Server* const server : servers_to_keep(*group))
      kept_.push_back({.server = server->id, .group = group->number, .since = now_});
  }
}

/// Draws what the engine draws.
std::optional<ReferenceEngine::Option> ReferenceEngine::kept_with_room(Random& random) const {
  for (const Kept& kept : kept_) {
    const Server& server = *std::find_if(servers_.begin(), servers_.end(),
                                         [&](const Server& each) { return each.id == kept.server; });
    const Group& group = *std::find_if(groups_.begin(), groups_.end(),
                                       [&](const Group& each) { return each.number == kept.group; });
    const Job& job = first_waiting(group);
    if (!group.look.roles.empty()) {
      const ReferenceEngine open = without_kept(group);
      const std::vector<RoleOn> places = open.places_of_roles(group.look, job.id);
      if (places.empty() || !is_allowed(group.user, taken_by_batch(group))) continue;
      return Option{.job = job.id,
                    .user = group.user,
                    .servers = {places.front().server->id},
                    .preempted = {},
                    .role = places.front().role};
    }
    if (has_terms(group.look)) {
      const ReferenceEngine open = without_kept(group);
      std::vector<const Server*> fitting = open.first_of_batch(group.look, job.id, batch(job.id));
      if (fitting.empty() || !is_allowed(group.user, taken_by_batch(group))) continue;
      fitting = open.best_of(std::move(fitting), group.look);
      if (options_.tie != Tie::random && options_.placement.name == "random" &&
          options_.discipline.name != "mrfs")
        fitting = {fitting[random.below(fitting.size())]};
      Option option{.job = job.id, .user = group.user, .servers = {}};
      for (const Server* const each : fitting) option.servers.push_back(each->id);
      return option;
    }
    const Amounts demand = *demand_on(group.look, server);
    if (reference_starvation_is_within(demand, state(server).free) &&
        is_allowed(group.user, {demand.begin(), demand.end()}))
      return Option{.job = job.id, .user = group.user, .servers = {server.id}};
  }
  return {};
}

// --- preemption

/// How many tasks may still be preempted now.
std::int64_t ReferenceEngine::budget() const {
  return options_.preemption->tasks - std::count_if(preempted_.begin(), preempted_.end(), [&](Time then) {
           return now_ - then < options_.preemption->per;
         });
}

/// over of the node by component, as the discipline counts.
std::vector<mpq_class> ReferenceEngine::over(const Node& node) const {
  const std::string& discipline = options_.discipline.name;
  mpq_class sum = 0;
  if (discipline == "round-robin" || discipline == "tsf") {
    for (const Task* const task : tasks_below(node)) {
      const auto job =
          std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == task->job; });
      sum += discipline == "tsf" ? mpq_class(1 / alone(group(*job).look)) : mpq_class(1);
    }
    return {sum};
  }
  const Amounts pool = this->pool();
  std::vector<mpq_class> parts(pool.size());
  for (std::size_t r = 0; r < pool.size(); ++r) {
    const mpz_class beyond = used(node, r) - guarantee(node, r);
    if (pool[r] > 0 && beyond > 0) parts[r] = scale(r) * mpq_class(beyond) / mpq_class(pool[r]);
    sum += parts[r];
  }
  return discipline == "asset" ? std::vector{sum} : parts;
}

void ReferenceEngine::note_kind(std::vector<Amounts>& kinds, const Amounts& demand) {
  if (std::find(kinds.begin(), kinds.end(), demand) != kinds.end()) return;
  if (kinds.size() < 17) return kinds.push_back(demand);
  for (std::size_t r = 0; r < demand.size(); ++r) kinds[16][r] = std::max(kinds[16][r], demand[r]);
}

void ReferenceEngine::note_demand(UserId id, const Amounts& demand) {
  note_kind(const_cast<User&>(user(id)).kinds, demand);
  for (GroupId up = user(id).group; up != kCluster; up = team(up).parent)
    note_kind(const_cast<Team&>(team(up)).kinds, demand);
}

/// What the node holds, by component, of tasks that began at or below the level, each counted whole; or the
/// level itself, where that is more. By the kind of task of which that is most.
std::vector<mpq_class> ReferenceEngine::begun(const Node& node, const mpq_class& level) const {
  std::vector<mpq_class> most(over(node).size(), level);
  for (const Amounts& kind : node.is_user ? user(node.user).kinds : team(node.team).kinds) {
    const std::vector<mpq_class> of_kind = begun(node, kind, level);
    for (std::size_t r = 0; r < most.size(); ++r) most[r] = std::max(most[r], of_kind[r]);
  }
  return most;
}

std::vector<mpq_class> ReferenceEngine::begun(const Node& node, const Amounts& kind,
                                              const mpq_class& level) const {
  const std::string& discipline = options_.discipline.name;
  const auto floor_of = [](const mpq_class& value) { return mpz_class(value.get_num() / value.get_den()); };
  const Amounts pool = this->pool();
  if (discipline != "drf") {
    mpq_class size = 0;
    const bool is_nothing = std::all_of(kind.begin(), kind.end(), [](auto units) { return units == 0; });
    if (discipline == "round-robin") {
      size = 1;
    } else if (discipline == "tsf") {
      const mpq_class tasks = is_nothing ? mpq_class(0) : alone({.user = {}, .demand = kind, .tasks = 1});
      size = tasks > 0 ? mpq_class(1 / tasks) : mpq_class(1);
    } else {
      for (std::size_t r = 0; r < kind.size(); ++r)
        if (pool[r] > 0) size += scale(r) * ratio(kind[r], pool[r]);
    }
    if (size == 0) return {level};
    return {std::max<mpq_class>(level, (floor_of(level / size) + 1) * size)};
  }
  std::optional<mpz_class> tasks;
  const auto units_of = [&](std::size_t r) {  // of the level, with the guarantee
    return mpq_class(level * pool[r] / scale(r) + guarantee(node, r));
  };
  const auto counts = [&](std::size_t r) { return pool[r] > 0 && scale(r) > 0; };
  for (std::size_t r = 0; r < kind.size(); ++r) {
    if (!counts(r) || kind[r] == 0) continue;
    const mpz_class begun = floor_of(units_of(r) / kind[r]) + 1;
    if (!tasks || begun < *tasks) tasks = begun;
  }
  std::vector<mpq_class> most(pool.size(), level);
  for (std::size_t r = 0; r < kind.size() && tasks; ++r) {
    if (!counts(r)) continue;
    const mpq_class units = std::max<mpq_class>(units_of(r), *tasks * kind[r]);
    most[r] = std::max<mpq_class>(0, (units - guarantee(node, r)) * scale(r) / pool[r]);
  }
  return most;
}

/// The keys of the nodes on the user's path from the top, each after whether it comes after siblings with a
/// weight. Of siblings as much counts as they would hold at the user's own level, or all tasks, whole, that
/// began there.
ReferenceEngine::Standing ReferenceEngine::view(UserId user, bool by_whole_tasks) const {
  Standing view;
  std::vector<mpq_class> e;
  std::optional<Node> child;
  for (const Node& node : path(user)) {
    std::vector<mpq_class> all = over(node);
    if (child) {
      for (const Node& sibling : members(node.team)) {
        if (sibling == *child) continue;
        const std::vector<mpq_class> of_sibling = over(sibling);
        const mpq_class level = weight(sibling) * view.back().second;
        std::vector<mpq_class> most(of_sibling.size(), level);
        if (by_whole_tasks && weight(sibling) > 0) most = begun(sibling, level);
        for (std::size_t r = 0; r < e.size(); ++r)
          e[r] +=
              view.back().first && view.back().second > 0 ? of_sibling[r] : std::min(of_sibling[r], most[r]);
      }
      for (std::size_t r = 0; r < e.size(); ++r) all[r] = std::min(all[r], e[r]);
    }
    e = std::move(all);
    const mpq_class most = *std::max_element(e.begin(), e.end());
    const bool has_weight = weight(node) > 0;
    view.emplace_back(!has_weight, has_weight ? mpq_class(most / weight(node)) : most);
    child = node;
  }
  std::reverse(view.begin(), view.end());
  return view;
}

/// The same of all that the nodes hold.
ReferenceEngine::Standing ReferenceEngine::whole_keys(UserId user) const {
  Standing keys;
  for (const Node& node : path(user)) {
    const std::vector<mpq_class> all = over(node);
    const mpq_class most = *std::max_element(all.begin(), all.end());
    const bool has_weight = weight(node) > 0;
    keys.emplace_back(!has_weight, has_weight ? mpq_class(most / weight(node)) : most);
  }
  std::reverse(keys.begin(), keys.end());
  return keys;
}

namespace {

/// From the top; a shorter path goes on with its last key.
int compare(ReferenceEngine::Standing a, ReferenceEngine::Standing b) {
  while (a.size() < b.size()) a.push_back(a.back());
  while (b.size() < a.size()) b.push_back(b.back());
  return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

/// Γ: over all nodes and kinds of tasks below, the largest part of what the node is guaranteed of what such a
/// task needs that it has, at most 1.
mpq_class ReferenceEngine::satisfaction() const {
  mpq_class sum = 0;
  const auto add = [&](const Node& node) {
    std::set<std::set<std::size_t>> kinds;
    const std::vector<UserId> below = users_below(node);
    for (const Group& group : groups_) {
      if (std::find(below.begin(), below.end(), group.user) == below.end()) continue;
      std::vector<Amounts> demands = this->demands(group.look);
      for (const auto& [name, demand] : group.look.demand_on) demands.push_back(demand);
      for (const Amounts& demand : demands) {
        std::set<std::size_t> needed;
        for (std::size_t r = 0; r < demand.size(); ++r)
          if (demand[r] > 0 && guarantee(node, r) > 0) needed.insert(r);
        if (!needed.empty()) kinds.insert(needed);
      }
    }
    for (const std::set<std::size_t>& needed : kinds) {
      mpq_class most = 0;
      for (const std::size_t r : needed) {
        mpq_class part(used(node, r), guarantee(node, r));
        part.canonicalize();
        most = std::max(most, part);
      }
      sum += std::min<mpq_class>(most, 1);
    }
  };
  for (const Team& team : teams_)
    if (team.id != kCluster) add({.is_user = false, .team = team.id});
  for (const User& user : users_) add({.is_user = true, .user = user.id});
  return sum;
}

/// All of them, sorted.
std::vector<ReferenceEngine::Standing> ReferenceEngine::standings() const {
  std::vector<Standing> all;
  for (const User& user : users_) all.push_back(standing(user.id));
  std::size_t depth = 0;
  for (const Standing& each : all) depth = std::max(depth, each.size());
  for (Standing& each : all) each.resize(depth, each.back());
  std::sort(all.begin(), all.end());
  return all;
}

/// By which right the user may lose what it loses from now to `after`, in which a task of b runs too, where
/// these resources are missing: condition 3 of docs/explanation/teams.md.
std::optional<Right> ReferenceEngine::right(const ReferenceEngine& after, UserId b, UserId q,
                                            const std::vector<std::size_t>& missing) const {
  if (b == q) return Right::rank;
  if (user(b).tier > user(q).tier) return Right::tier;
  if (user(b).tier < user(q).tier) return {};
  std::vector<Node> of_b = path(b), of_q = path(q);
  while (of_b.size() > 1 && of_q.size() > 1 && of_b.back() == of_q.back()) of_b.pop_back(), of_q.pop_back();
  for (const Node& node : of_b) {
    bool is_within = true;
    for (const std::size_t r : missing) is_within = is_within && after.used(node, r) <= guarantee(node, r);
    if (is_within) return Right::guarantee;
  }
  const mpq_class own_weight = weight(of_b.back()), other_weight = weight(of_q.back());
  if (own_weight == 0) return {};
  // Keys from the top: those of c and c' are as far from the end as they are from b and q.
  const Standing view_of_b = after.view(b, false), view_of_q = after.view(q, true);
  if (view_of_b[view_of_b.size() - of_b.size()] > view_of_q[view_of_q.size() - of_q.size()]) return {};
  if (other_weight == 0) return Right::share;
  const std::vector<mpq_class> own = after.over(of_b.back()), other = after.over(of_q.back());
  const auto most = [](const std::vector<mpq_class>& all) {
    return *std::max_element(all.begin(), all.end());
  };
  bool has_no_more = most(own) / own_weight <= most(other) / other_weight;
  if (!has_no_more && options_.discipline.name == "drf") {
    has_no_more = true;
    for (const std::size_t r : missing)
      has_no_more = has_no_more && own[r] / own_weight <= other[r] / other_weight;
  }
  return has_no_more ? std::optional(Right::share) : std::nullopt;
}

/// Condition 2: does every node on the path of q, up to c', keep what it is guaranteed of what was missing
/// and it lost? Where all rights are by guarantee it may fall below by less than one of the tasks it lost.
bool ReferenceEngine::is_protected(const ReferenceEngine& after, UserId b, UserId q,
                                   const std::vector<std::size_t>& missing, bool by_guarantee) const {
  std::vector<Node> of_b = path(b), of_q = path(q);
  while (of_b.size() > 1 && of_q.size() > 1 && of_b.back() == of_q.back()) of_b.pop_back(), of_q.pop_back();
  for (const Node& node : of_q) {
    for (const std::size_t r : missing) {
      const mpz_class before = used(node, r), then = after.used(node, r), promised = guarantee(node, r);
      if (then >= before || then >= promised) continue;
      mpz_class largest_lost = 0;
      for (const Task* const task : tasks_below(node)) {
        const bool goes_on = std::any_of(after.tasks_.begin(), after.tasks_.end(),
                                         [&](const Task& each) { return each.id == task->id; });
        if (!goes_on) largest_lost = std::max<mpz_class>(largest_lost, task->demand[r]);
      }
      if (!by_guarantee || before <= promised || promised - then >= largest_lost) return false;
    }
  }
  return true;
}

/// Conditions 1 and 4 of the same, for b's task that takes this.
bool ReferenceEngine::may_be_made(const ReferenceEngine& after, UserId b, const Amounts& demand,
                                  bool any_asked) const {
  for (const Node& node : path(b)) {
    const std::optional<Amounts>& limit = bounds(node).limit;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (limit && demand[r] > 0 && (*limit)[r] != kNoLimit && after.used(node, r) > mpz_class((*limit)[r]))
        return false;
    }
  }
  for (std::size_t r = 0; r < demand.size() && any_reserved(); ++r) {
    mpz_class charged_before = 0, charged_after = 0;
    for (const Node& member : members(kCluster)) {
      charged_before += charged(member, r, b, 0);
      charged_after += after.charged(member, r, b, 0);
    }
    if (charged_after > mpz_class(pool()[r]) && charged_after > charged_before) return false;
  }
  if (!any_asked) return true;
  const mpq_class satisfied = satisfaction(), satisfied_after = after.satisfaction();
  if (satisfied_after != satisfied) return satisfied_after > satisfied;
  const Standing k = standing(b);
  if (compare(after.standing(b), k) <= 0) return false;
  return std::none_of(users_.begin(), users_.end(), [&](const User& user) {
    const Standing then = after.standing(user.id);
    return compare(then, standing(user.id)) < 0 && compare(then, k) <= 0;
  });
}

/// Does the move break a condition? The first that it breaks, in words.
std::optional<std::string> ReferenceEngine::wrong_move(const Placed& placed) const {
  const auto job_of = [&](JobId id) -> const Job& {
    return *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.id == id; });
  };
  const Server& server = *std::find_if(servers_.begin(), servers_.end(),
                                       [&](const Server& each) { return each.id == placed.server; });
  const Job& job = job_of(placed.job);
  const Amounts demand = *demand_on(group(job).look, server);
  std::vector<std::size_t> missing;
  Balance room = balance(server);
  for (std::size_t r = 0; r < demand.size(); ++r)
    if (demand[r] > 0 && room[r] < demand[r]) missing.push_back(r);
  if (missing.empty()) return "1: nothing was missing";
  ReferenceEngine after = *this;
  after.tasks_.push_back({.id = placed.task,
                          .job = job.id,
                          .user = job.user,
                          .server = server.id,
                          .demand = demand,
                          .started = now_});
  bool any_asked = false, all_by_guarantee = true;
  for (const Preempted& lost : placed.preempted) {
    const Task& task =
        *std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& each) { return each.id == lost.task; });
    if (task.server != server.id) return "a task ends elsewhere";
    if (task.is_fresh) return "5: a task ends that started after the latest event";
    if (!job_of(lost.job).may_be_preempted || task.is_protected) return "a task ends that may not";
    if (lost.right == Right::rank &&
        (task.user != job.user || job_of(lost.job).rank.priority >= job.rank.priority))
      return "3: no lower priority";
    any_asked = any_asked || lost.right == Right::share || lost.right == Right::guarantee;
    all_by_guarantee = all_by_guarantee && lost.right != Right::share;
    room = sum(room, task.demand);
    after.end(task.id);
  }
  if (!has_room_in(room, demand)) return "1: it does not fit";
  for (const Preempted& lost : placed.preempted) {
    const UserId user = job_of(lost.job).user;
    if (right(after, job.user, user, missing) != lost.right) return "3: no such right";
    const bool is_asked = lost.right == Right::share || lost.right == Right::guarantee;
    if (is_asked && !is_protected(after, job.user, user, missing, all_by_guarantee)) return "2";
  }
  return may_be_made(after, job.user, demand, any_asked) ? std::nullopt
                                                         : std::optional<std::string>("1 or 4");
}

/// What counts before the work of a task that ends for one of user b.
ReferenceEngine::Height ReferenceEngine::height(const Task& task, UserId b) const {
  const bool is_own = task.user == b;
  const auto job =
      std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == task.job; });
  return {user(task.user).tier, is_own, is_own ? job->rank.priority : 0};
}

/// The tasks that end on the server for the candidate's in the order in which they are taken, and by which
/// rights; none when it cannot get one there.
std::vector<std::pair<ReferenceEngine::Task, Right>> ReferenceEngine::victims(
    const Candidate& candidate, const Server& server, const std::vector<double>& prices) const {
  const Amounts demand = *demand_on(candidate.group->look, server);
  const Amounts pool = this->pool();
  const UserId b = candidate.group->user;
  const bool in_tree = has_tree();
  for (const Node& node : path(b)) {
    for (std::size_t r = 0; r < demand.size(); ++r)
      if (used(node, r) > mpz_class(INT64_MAX) - demand[r]) return {};  // more than can be counted
  }
  ReferenceEngine after = *this;  // in which the task runs
  after.tasks_.push_back({.id = {},
                          .job = candidate.job->id,
                          .user = b,
                          .server = server.id,
                          .demand = demand,
                          .started = now_});
  const bool rises = !in_tree && after.key(*candidate.group, prices) > candidate.key;
  const auto work = [&](const Task& task) {
    mpq_class part = 0;
    for (std::size_t r = 0; r < pool.size(); ++r)
      if (pool[r] > 0) part = std::max(part, ratio(task.demand[r], pool[r]));
    return mpq_class(part * mpq_class((now_ - task.started).count()));
  };
  const auto job_of = [&](const Task& task) -> const Job& {
    return *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.id == task.job; });
  };
  std::vector<Task> there;
  for (std::size_t t = tasks_.size(); t-- > 0;) {
    const Task& task = tasks_[t];
    if (task.server != server.id || task.is_protected || !job_of(task).may_be_preempted) continue;
    const bool is_own = task.user == b;
    if (is_own && job_of(task).rank.priority >= candidate.job->rank.priority) continue;
    if ((is_own || in_tree) && task.is_fresh) continue;
    const Balance free = balance(server);
    bool frees = !in_tree;
    for (std::size_t r = 0; r < demand.size(); ++r)
      frees = frees || (demand[r] > 0 && free[r] < demand[r] && task.demand[r] > 0);
    if (frees) there.push_back(task);
  }
  if (!in_tree)
    std::stable_sort(there.begin(), there.end(),
                     [&](const Task& x, const Task& y) { return work(x) < work(y); });
  // Whose turn it is: by work, before any priorities. Which of its tasks: by priority.
  std::map<UserId, std::vector<Task>> of_users;
  for (Task& task : there) {
    if (!in_tree) task.turn = work(task);
    if (!in_tree) of_users[task.user].push_back(task);
  }
  for (auto& [owner, tasks] : of_users)
    std::stable_sort(tasks.begin(), tasks.end(), [&](const Task& x, const Task& y) {
      return job_of(x).rank.priority < job_of(y).rank.priority;
    });
  for (Task& task : there) {
    if (in_tree) break;
    std::vector<Task>& left = of_users[task.user];
    left.front().turn = task.turn;
    task = left.front();
    left.erase(left.begin());
  }
  std::stable_sort(there.begin(), there.end(),
                   [&](const Task& x, const Task& y) { return height(x, b) < height(y, b); });

  Balance room = balance(server);
  std::vector<std::size_t> missing;
  for (std::size_t r = 0; r < demand.size(); ++r)
    if (demand[r] > 0 && room[r] < demand[r]) missing.push_back(r);
  const auto right_of = [&](const Task& task) -> std::optional<Right> {
    if (in_tree) return this->right(after, b, task.user, missing);
    if (task.user == b) return Right::rank;
    const mpq_class key_left = after.key(group(job_of(task)), prices);
    const bool is_above =
        rises && key_left > candidate.key && key_left >= after.key(*candidate.group, prices);
    return is_above ? std::optional(Right::share) : std::nullopt;
  };
  const auto is_asked = [](Right right) { return right == Right::share || right == Right::guarantee; };
  // In a tree all that have been taken are asked again.
  std::vector<Task> taken;
  const auto has_right = [&](const Task& task) {
    if (!in_tree) return right_of(task).has_value();
    std::vector<Task> losses = taken;
    losses.push_back(task);
    bool all_by_guarantee = true;
    for (const Task& each : losses) {
      if (!right_of(each)) return false;
      all_by_guarantee = all_by_guarantee && right_of(each) != Right::share;
    }
    return std::all_of(losses.begin(), losses.end(), [&](const Task& each) {
      return !is_asked(*right_of(each)) || is_protected(after, b, each.user, missing, all_by_guarantee);
    });
  };
  // In a tree: who stands highest without the task. Of this user's tasks the one with the lowest priority.
  const auto choose_in_tree = [&](std::size_t from) {
    const auto is_asked_now = [&](const Task& task) { return height(task, b) == height(there[from], b); };
    const auto without = [&](const Task& task) {
      ReferenceEngine then = after;
      then.end(task.id);
      return then.whole_keys(task.user);
    };
    std::size_t first = from;
    for (std::size_t at = from + 1; at < there.size() && is_asked_now(there[at]); ++at)
      if (compare(without(there[at]), without(there[first])) > 0) first = at;
    const UserId user = there[first].user;
    std::optional<std::size_t> lowest;
    for (std::size_t at = from; at < there.size() && is_asked_now(there[at]); ++at) {
      if (there[at].user != user) continue;
      const auto priority = [&](std::size_t task) { return job_of(there[task]).rank.priority; };
      if (!lowest || priority(at) < priority(*lowest) ||
          (priority(at) == priority(*lowest) && compare(without(there[at]), without(there[*lowest])) > 0))
        lowest = at;
    }
    std::rotate(there.begin() + static_cast<std::ptrdiff_t>(from),
                there.begin() + static_cast<std::ptrdiff_t>(*lowest),
                there.begin() + static_cast<std::ptrdiff_t>(*lowest) + 1);
  };
  for (std::size_t at = 0; at < there.size() && !has_room_in(room, demand);) {
    if (in_tree) choose_in_tree(at);
    const Task task = there[at];
    const std::vector<Task> before = after.tasks_;
    after.end(task.id);
    const std::int64_t gang = group(job_of(task)).look.gang;
    if (!has_right(task) || (gang > 1 && after.running(job_of(task)) < gang)) {
      after.tasks_ = before;
      ++at;
      continue;
    }
    room = sum(room, task.demand);
    taken.push_back(task);
    there.erase(there.begin() + static_cast<std::ptrdiff_t>(at));
    if (in_tree) at = 0;  // what was refused may end now
  }
  if (!has_room_in(room, demand)) return {};
  if (!in_tree) std::reverse(taken.begin(), taken.end());
  for (std::size_t t = 0; t < taken.size();) {
    const Balance without = difference(room, taken[t].demand);
    if (!has_room_in(without, demand)) {
      ++t;
      continue;
    }
    room = without;
    after.tasks_.push_back(taken[t]);
    taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(t));
  }
  if (!in_tree) std::reverse(taken.begin(), taken.end());
  // Of the final set.
  std::vector<std::pair<Task, Right>> ended;
  bool any_share = false, any_asked = false;
  for (const Task& task : taken) {
    const std::optional<Right> right = right_of(task);
    if (!right) return {};
    any_share = any_share || right == Right::share;
    any_asked = any_asked || is_asked(*right);
    ended.emplace_back(task, *right);
  }
  if (in_tree) {
    for (const auto& [task, right] : ended) {
      if (is_asked(right) && !is_protected(after, b, task.user, missing, !any_share)) return {};
    }
    if (!may_be_made(after, b, demand, any_asked)) return {};
    std::optional<Standing> poorest;
    for (auto& [task, right] : ended) {
      Standing keys = after.whole_keys(task.user);
      if (!poorest || compare(keys, *poorest) < 0) poorest = keys;
    }
    for (auto& [task, right] : ended) task.poorest = *poorest;
  }
  if (!in_tree && any_share && after.key(*candidate.group, prices) <= candidate.key) return {};
  return ended;
}

/// Those whose tasks may be placed by force, in the order in which they are asked; with freeze the first of
/// all that wait.
std::vector<ReferenceEngine::Candidate> ReferenceEngine::order_of_force() const {
  std::vector<Candidate> all = candidates();
  if (!has_tree()) {
    if (freeze_ && all.size() > 1) all.erase(all.begin() + 1, all.end());
    return all;
  }
  std::erase_if(all, [&](const Candidate& each) {
    return freeze_ ? !is_allowed(each.group->user, taken_together(each)) : has_terms(each.group->look);
  });
  const auto band = [&](const Candidate& each) {
    return std::pair(user(each.group->user).tier, is_covered(each.group->user, taken_together(each)));
  };
  if (!freeze_) {
    // By tiers, covered ones first, then who stands lowest; then as they came.
    std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
      if (band(a) != band(b)) return band(a) > band(b);
      const int order = compare(standing(a.group->user), standing(b.group->user));
      if (order != 0) return order < 0;
      if (a.user_order != b.user_order)
        return options_.tie == Tie::last ? a.user_order > b.user_order : a.user_order < b.user_order;
      return is_before(*a.job, *b.job);
    });
    return all;
  }
  if (all.empty()) return all;
  auto highest = band(all.front());
  for (const Candidate& each : all) highest = std::max(highest, band(each));
  std::vector<const Candidate*> may;
  for (const Candidate& each : all)
    if (band(each) == highest) may.push_back(&each);
  return {*representatives({.is_user = false, .team = kCluster}, may).front().candidate};
}

std::optional<ReferenceEngine::Option> ReferenceEngine::preemption() const {
  if (!options_.preemption || futile_at_ == now_ || budget() == 0) return {};
  const std::vector<double> prices =
      options_.discipline.name == "pf" ? this->prices() : std::vector<double>{};
  for (const Candidate& candidate : order_of_force()) {
    const JobSubmitted& look = candidate.group->look;
    if (has_terms(look)) continue;
    const bool has_room_somewhere = std::any_of(servers_.begin(), servers_.end(),
                                                [&](const Server& server) { return has_room(look, server); });
    if (has_room_somewhere && (freeze_ || !has_tree())) continue;  // in a tree a limit may be in the way
    struct Set {
      std::set<UserId> users = {};
      Height highest;
      std::int64_t priority = INT64_MIN;
      mpq_class work = 0;
      Standing poorest = {};
      Option option = {};
    };
    std::vector<Set> sets;
    for (const Server& server : servers_) {
      const auto kept = kept_on(server.id);
      const bool is_closed =
          server.drained || (kept != kept_.end() && kept->group != candidate.group->number);
      if (is_closed || !can_ever_run(look, server)) continue;
      const auto victims = this->victims(candidate, server, prices);
      if (victims.empty()) continue;
      if (static_cast<std::int64_t>(victims.size()) > budget()) continue;
      Set set{.highest = height(victims.front().first, candidate.group->user)};
      set.option = {.job = candidate.job->id, .user = candidate.group->user, .servers = {server.id}};
      for (const auto& [task, right] : victims) {
        const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                      [&task = task](const Job& each) { return each.id == task.job; });
        set.work += task.turn;
        set.poorest = task.poorest;
        set.users.insert(task.user);
        set.highest = std::max(set.highest, height(task, candidate.group->user));
        set.priority = std::max(set.priority, job->rank.priority);
        set.option.preempted.push_back({.task = task.id, .job = task.job, .right = right});
      }
      sets.push_back(set);
    }
    if (sets.empty()) continue;
    // Who loses tasks: by work. Which tasks they lose: by priority first.
    const auto is_cheaper = [](const Set& a, const Set& b) {
      const auto cost = [](const Set& set) {
        return std::tuple(set.highest, set.work, set.option.preempted.size());
      };
      return cost(a) != cost(b) ? cost(a) < cost(b) : compare(a.poorest, b.poorest) > 0;
    };
    const std::set<UserId> users = std::min_element(sets.begin(), sets.end(), is_cheaper)->users;
    std::erase_if(sets, [&](const Set& set) { return set.users != users; });
    return std::min_element(sets.begin(), sets.end(),
                            [&](const Set& a, const Set& b) {
                              const auto height = [](const Set& set) {
                                return std::tuple(set.highest, set.priority);
                              };
                              return height(a) != height(b) ? height(a) < height(b) : is_cheaper(a, b);
                            })
        ->option;
  }
  return {};
}

/// The reference remembers no more than that: at another time it searches again.
void ReferenceEngine::nothing() { futile_at_ = now_; }

}  // namespace mirab::scheduling
