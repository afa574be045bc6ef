#include "scheduling/reference_engine.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "model/exact.hpp"

namespace mirab::scheduling {
namespace {

template <class Row, class Id>
auto find(std::vector<Row>& rows, Id id) {
  return std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; });
}
template <class Row, class Id>
const Row* known(const std::vector<Row>& rows, Id id) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; });
  return at == rows.end() ? nullptr : &*at;
}

bool is_nothing(const Amounts& amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](std::int64_t units) { return units == 0; });
}

bool is_within(const Amounts& demand, const Amounts& room) {
  return std::equal(demand.begin(), demand.end(), room.begin(), std::less_equal<>());
}

}  // namespace

ReferenceEngine::ReferenceEngine(EngineOptions options)
    : options_(std::move(options)),
      freeze_(options_.discipline.options.contains("blocking") &&
              options_.discipline.options.at("blocking") == "freeze"),
      next_round_(options_.resources.size(), 0) {}

// --- what is refused

std::optional<std::string> ReferenceEngine::refusal(const Event& event, Time now) const {
  if (now < now_) return "now";
  return std::visit([&](const auto& each) { return refusal(each); }, event);
}

std::optional<std::string> ReferenceEngine::refused(const Amounts& amounts, const std::string& key) const {
  if (amounts.size() != options_.resources.size()) return key;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] < 0) return key + "." + options_.resources[r];
  }
  return {};
}

std::optional<std::string> ReferenceEngine::refused_in_pool(const Amounts& capacity,
                                                            const Server* instead_of) const {
  // Capacities and what tasks take beyond them are counted together.
  for (std::size_t r = 0; r < capacity.size(); ++r) {
    mpz_class all = instead_of == nullptr ? capacity[r] : std::max(capacity[r], taken(instead_of->id)[r]);
    for (const Server& server : servers_) {
      if (&server != instead_of) all += std::max(server.added.capacity[r], taken(server.id)[r]);
    }
    if (all > INT64_MAX) return "capacity." + options_.resources[r];
  }
  return {};
}

std::optional<std::string> ReferenceEngine::refusal(const ServerAdded& event) const {
  if (auto key = refused(event.capacity, "capacity")) return key;
  return refused_in_pool(event.capacity, nullptr);
}

std::optional<std::string> ReferenceEngine::refusal(const ServerChanged& event) const {
  const Server* server = known(servers_, event.server);
  if (server == nullptr) return "server";
  if (auto key = refused(event.capacity, "capacity")) return key;
  if (auto key = refused_in_pool(event.capacity, server)) return key;
  const Amounts taken = event.allow_below_use ? Amounts{} : this->taken(event.server);
  for (std::size_t r = 0; r < taken.size(); ++r) {
    if (event.capacity[r] < taken[r]) return "capacity." + options_.resources[r];
  }
  return {};
}

std::optional<std::string> ReferenceEngine::refusal(const ServerDrained& event) const {
  return known(servers_, event.server) ? std::nullopt : std::optional("server");
}

std::optional<std::string> ReferenceEngine::refusal(const ServerReopened& event) const {
  return known(servers_, event.server) ? std::nullopt : std::optional("server");
}

std::optional<std::string> ReferenceEngine::refusal(const ServerRemoved& event) const {
  const bool runs = std::any_of(tasks_.begin(), tasks_.end(),
                                [&](const Task& task) { return task.server == event.server; });
  return known(servers_, event.server) && !runs ? std::nullopt : std::optional("server");
}

std::optional<std::string> ReferenceEngine::refusal(const ServerFailed& event) const {
  return known(servers_, event.server) ? std::nullopt : std::optional("server");
}

std::optional<std::string> ReferenceEngine::refusal(const UserRemoved& event) const {
  const bool has_jobs =
      std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.user == event.user; });
  if (!known(users_, event.user) || has_jobs) return "user";
  return refused_after(event, "user");
}

std::optional<std::string> ReferenceEngine::refusal(const JobSubmitted& event) const {
  if (!known(users_, event.user)) return "user";
  const bool has_roles = !event.roles.empty();
  if (!has_roles) {
    if (auto key = refused(event.demand, "demand")) return key;
    if (is_nothing(event.demand)) return "demand";
  }
  for (std::size_t role = 0; role < event.roles.size(); ++role) {
    const std::string key = fmt::format("roles.{}.demand", role);
    if (auto bad = refused(event.roles[role].demand, key)) return bad;
    if (is_nothing(event.roles[role].demand)) return key;
  }
  for (const auto& [name, demand] : event.demand_on) {
    if (auto key = refused(demand, "demand_on." + name)) return key;
    if (is_nothing(demand)) return "demand_on." + name;
  }
  if (event.tasks < 1) return "tasks";
  if (has_roles && !event.demand.empty()) return "demand";
  if (has_roles && event.tasks != 1) return "tasks";
  if (has_roles && event.gang != 1) return "gang";
  if (has_roles && !event.demand_on.empty()) return "demand_on";
  mpz_class together = 0;
  for (std::size_t role = 0; role < event.roles.size(); ++role) {
    if (event.roles[role].tasks < 1) return fmt::format("roles.{}.tasks", role);
    together += event.roles[role].tasks;
    if (together > 100'000) return "roles";
  }
  if (event.gang < 1 || event.gang > event.tasks) return "gang";
  if (event.per_server && *event.per_server < 1) return "per_server";
  if (event.spread && event.spread->most_apart < 1) return "spread.most_apart";
  if (event.spread && event.pack && event.spread->label == *event.pack) return "pack";
  if (options_.oversized == Oversized::wait) return {};
  for (std::size_t role = 0; role < event.roles.size(); ++role) {
    if (std::none_of(servers_.begin(), servers_.end(), [&](const Server& server) {
          return may_run(event, role, server) && is_within(event.roles[role].demand, server.added.capacity);
        }))
      return fmt::format("roles.{}.demand", role);
  }
  const bool possible = std::any_of(servers_.begin(), servers_.end(),
                                    [&](const Server& server) { return can_ever_run(event, server); });
  if (!possible) return "demand";
  return has_terms(event) ? impossible_by(event) : std::nullopt;
}

std::optional<std::string> ReferenceEngine::refusal(const JobCancelled& event) const {
  return known(jobs_, event.job) ? std::nullopt : std::optional("job");
}

std::optional<std::string> ReferenceEngine::refusal(const TaskFinished& event) const {
  return known(tasks_, event.task) ? std::nullopt : std::optional("task");
}

std::optional<std::string> ReferenceEngine::refusal(const TaskFailed& event) const {
  return known(tasks_, event.task) ? std::nullopt : std::optional("task");
}

std::optional<std::string> ReferenceEngine::refusal(const ServerHeld& event) const {
  return known(servers_, event.server) ? refused(event.amounts, "amounts") : std::optional("server");
}

std::optional<std::string> ReferenceEngine::refusal(const ServerRelabelled& event) const {
  return known(servers_, event.server) ? std::nullopt : std::optional("server");
}

std::optional<std::string> ReferenceEngine::refusal(const SetChanged& event) const {
  for (const ServerId server : event.add)
    if (!known(servers_, server)) return "add";
  for (const ServerId server : event.remove)
    if (!known(servers_, server) || std::count(event.add.begin(), event.add.end(), server) > 0)
      return "remove";
  return {};
}

std::optional<std::string> ReferenceEngine::refusal(const TaskAdopted& event) const {
  const Job* job = known(jobs_, event.job);
  if (job == nullptr) return "job";
  const Server* server = known(servers_, event.server);
  if (server == nullptr) return "server";
  if (job->waiting == 0) return "job";
  const auto roles = static_cast<std::int64_t>(std::max<std::size_t>(job->waiting_by_role.size(), 1));
  if (event.role < 0 || event.role >= roles) return "role";
  if (!job->waiting_by_role.empty() && job->waiting_by_role[static_cast<std::size_t>(event.role)] == 0)
    return "role";
  if (event.since > now_) return "since";
  const Amounts& demand = demand_anywhere(group(*job).look, server->added.name, event.role);
  for (std::size_t r = 0; r < demand.size(); ++r) {
    mpz_class all = 0;
    for (const Server& each : servers_) {
      const mpz_class taken = mpz_class(this->taken(each.id)[r]) + (&each == server ? demand[r] : 0);
      all += std::max(taken, mpz_class(each.added.capacity[r]));
    }
    if (all > INT64_MAX) return "server";
  }
  return {};
}

// --- what happens

std::vector<Lost> ReferenceEngine::apply(const Event& event, Time now, std::uint64_t id) {
  now_ = now;
  futile_at_.reset();
  first_servers_.clear();
  for (Task& task : tasks_) task.is_fresh = false;
  return std::visit([&](const auto& each) { return happen(each, id); }, event);
}

std::vector<Lost> ReferenceEngine::happen(const ServerAdded& event, std::uint64_t id) {
  std::size_t slot = 0;  // the lowest that is vacant
  auto place = servers_.begin();
  while (place != servers_.end() && place->slot == slot) ++place, ++slot;
  servers_.insert(place, {.id = ServerId{id}, .slot = slot, .added = event});
  add_kind(event.capacity);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const ServerChanged& event, std::uint64_t /*id*/) {
  Amounts& capacity = find(servers_, event.server)->added.capacity;
  capacity.clear();  // it leaves its kind before it joins another, or the same again
  drop_empty_kinds();
  capacity = event.capacity;
  add_kind(event.capacity);
  check_kept(event.server);
  return {};
}

/// The server is kept no longer when the task could never run there.
void ReferenceEngine::check_kept(ServerId server) {
  const auto kept = kept_on(server);
  if (kept == kept_.end()) return;
  const auto its = [&](const Group& group) { return group.number == kept->group; };
  if (!can_be_kept(*std::find_if(groups_.begin(), groups_.end(), its), *find(servers_, server)))
    keep_no_longer(server);
}

std::vector<Lost> ReferenceEngine::happen(const ServerDrained& event, std::uint64_t /*id*/) {
  find(servers_, event.server)->drained = true;
  keep_no_longer(event.server);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const ServerReopened& event, std::uint64_t /*id*/) {
  find(servers_, event.server)->drained = false;
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const ServerRemoved& event, std::uint64_t /*id*/) {
  keep_no_longer(event.server);
  for (auto& [name, servers] : sets_) servers.erase(event.server);
  servers_.erase(find(servers_, event.server));
  drop_empty_kinds();
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const ServerFailed& event, std::uint64_t /*id*/) {
  std::vector<Lost> lost;
  for (std::size_t t = tasks_.size(); t-- > 0;) {
    if (tasks_[t].server != event.server) continue;
    lost.push_back({.task = tasks_[t].id, .job = tasks_[t].job});
    happen(TaskFailed{.task = tasks_[t].id}, 0);
  }
  keep_no_longer(event.server);
  for (auto& [name, servers] : sets_) servers.erase(event.server);
  servers_.erase(find(servers_, event.server));
  drop_empty_kinds();
  return lost;
}

std::vector<Lost> ReferenceEngine::happen(const UserReweighted& event, std::uint64_t /*id*/) {
  find(users_, event.user)->weight = rational(event.weight);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const UserRemoved& event, std::uint64_t /*id*/) {
  users_.erase(find(users_, event.user));
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const JobSubmitted& event, std::uint64_t id) {
  for (const Role& role : event.roles) note_demand(event.user, role.demand);
  if (event.roles.empty()) note_demand(event.user, event.demand);
  for (const auto& [name, demand] : event.demand_on) note_demand(event.user, demand);
  JobSubmitted look = event;
  look.tasks = 1;
  look.rank.reset();
  look.may_be_preempted = true;
  for (const Role& role : look.roles) look.gang += role.tasks;
  if (!look.roles.empty()) --look.gang;  // was 1
  // Lists ask for the same in whatever order.
  const auto sort = [](std::vector<std::string>& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  };
  if (look.servers) sort(*look.servers);
  for (auto& [label, values] : look.select) sort(values);
  // With terms whether a task fits depends on the job's other tasks, so that it waits for itself.
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Group& other) { return !has_terms(look) && other.look == look; });
  if (group == groups_.end())
    group = groups_.insert(group, {.number = groups_before_++, .user = event.user, .look = look});
  jobs_.push_back({.id = JobId{id},
                   .user = event.user,
                   .group = group->number,
                   .sequence = jobs_before_++,
                   .waiting = 0,
                   .rank = event.rank.value_or(Rank()),
                   .may_be_preempted = event.may_be_preempted});
  if (event.roles.empty()) {
    wait(jobs_.back(), event.tasks);
    return {};
  }
  jobs_.back().waiting_by_role.resize(event.roles.size());
  for (std::size_t role = 0; role < event.roles.size(); ++role)
    wait(jobs_.back(), event.roles[role].tasks, static_cast<std::int64_t>(role));
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const JobCancelled& event, std::uint64_t /*id*/) {
  const auto job = find(jobs_, event.job);
  job->waiting = 0;
  std::fill(job->waiting_by_role.begin(), job->waiting_by_role.end(), 0);
  if (!waits(job->group)) std::erase_if(kept_, [&](const Kept& kept) { return kept.group == job->group; });
  std::vector<Lost> stopped;
  for (std::size_t t = tasks_.size(); t-- > 0;) {
    if (tasks_[t].job != event.job) continue;
    stopped.push_back({.task = tasks_[t].id, .job = event.job});
    end(tasks_[t].id);
  }
  drop_if_over(event.job);
  return stopped;
}

std::vector<Lost> ReferenceEngine::happen(const TaskFinished& event, std::uint64_t /*id*/) {
  const JobId job = find(tasks_, event.task)->job;
  end(event.task);
  drop_if_over(job);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const TaskFailed& event, std::uint64_t /*id*/) {
  const Task task = *find(tasks_, event.task);
  end(event.task);
  wait(*find(jobs_, task.job), 1, task.role);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const ServerHeld& event, std::uint64_t /*id*/) {
  find(servers_, event.server)->held = event.amounts;
  check_kept(event.server);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const ServerRelabelled& event, std::uint64_t /*id*/) {
  find(servers_, event.server)->added.labels = event.labels;
  check_kept(event.server);
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const SetChanged& event, std::uint64_t /*id*/) {
  for (const ServerId server : event.add) sets_[event.set].insert(server);
  for (const ServerId server : event.remove) {
    sets_[event.set].erase(server);
    check_kept(server);
  }
  return {};
}

std::vector<Lost> ReferenceEngine::happen(const TaskAdopted& event, std::uint64_t id) {
  const auto job = find(jobs_, event.job);
  run(*job, TaskId{id}, *find(servers_, event.server), event.role);
  tasks_.back().started = event.since;
  --job->waiting;
  if (!job->waiting_by_role.empty()) --job->waiting_by_role[static_cast<std::size_t>(event.role)];
  const auto its = [&](const Group& group) { return group.number == job->group; };
  std::find_if(groups_.begin(), groups_.end(), its)->since = now_;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.group == job->group; });
  return {};
}

void ReferenceEngine::drop_empty_kinds() {
  for (std::optional<Amounts>& kind : kinds_) {
    const bool any = std::any_of(servers_.begin(), servers_.end(),
                                 [&](const Server& server) { return server.added.capacity == kind; });
    if (!any) kind.reset();
  }
}

void ReferenceEngine::add_kind(const Amounts& capacity) {
  if (std::find(kinds_.begin(), kinds_.end(), capacity) != kinds_.end()) return;
  const auto vacant = std::find(kinds_.begin(), kinds_.end(), std::nullopt);
  *(vacant == kinds_.end() ? kinds_.insert(vacant, std::nullopt) : vacant) = capacity;
}

bool ReferenceEngine::waits(std::uint64_t group) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [&](const Job& job) { return job.group == group && job.waiting > 0; });
}

void ReferenceEngine::wait(Job& job, std::int64_t tasks, std::int64_t role) {
  if (!job.waiting_by_role.empty()) job.waiting_by_role[static_cast<std::size_t>(role)] += tasks;
  if (!waits(job.group)) {
    const auto its = [&](const Group& group) { return group.number == job.group; };
    const auto group = std::find_if(groups_.begin(), groups_.end(), its);
    group->arrival = waits_before_++;
    group->since = now_;
  }
  job.waiting += tasks;
}

void ReferenceEngine::end(TaskId task) { tasks_.erase(find(tasks_, task)); }

void ReferenceEngine::drop_if_over(JobId id) {
  const auto job = find(jobs_, id);
  if (job->waiting > 0 || running(*job) > 0) return;
  const std::uint64_t group = job->group;
  jobs_.erase(job);
  if (std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& other) { return other.group == group; })) return;
  std::erase_if(groups_, [&](const Group& other) { return other.number == group; });
}

// --- how things stand

Amounts ReferenceEngine::pool() const {
  Amounts pool(options_.resources.size(), 0);
  for (const Server& server : servers_) {
    for (std::size_t r = 0; r < pool.size(); ++r) pool[r] += server.added.capacity[r];
  }
  return pool;
}

Amounts ReferenceEngine::taken(ServerId server) const {
  Amounts taken(options_.resources.size(), 0);
  for (const Task& task : tasks_) {
    if (task.server != server) continue;
    for (std::size_t r = 0; r < taken.size(); ++r) taken[r] += task.demand[r];
  }
  return taken;
}

Amounts ReferenceEngine::used(UserId user) const {
  Amounts used(options_.resources.size(), 0);
  for (const Task& task : tasks_) {
    if (task.user != user) continue;
    for (std::size_t r = 0; r < used.size(); ++r) used[r] += task.demand[r];
  }
  return used;
}

std::int64_t ReferenceEngine::running(const Job& job) const {
  return std::count_if(tasks_.begin(), tasks_.end(), [&](const Task& task) { return task.job == job.id; });
}

const ReferenceEngine::Group& ReferenceEngine::group(const Job& job) const {
  return *std::find_if(groups_.begin(), groups_.end(),
                       [&](const Group& group) { return group.number == job.group; });
}

Engine::UserState ReferenceEngine::state(const User& user) const {
  const Amounts used = this->used(user.id);
  const Amounts pool = this->pool();
  double share = 0;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    const double scale = options_.share_scale.empty() ? 1 : options_.share_scale[r].value();
    if (pool[r] > 0)
      share = std::max(share, scale * (static_cast<double>(used[r]) / static_cast<double>(pool[r])));
  }
  const auto its = [&](const Task& task) { return task.user == user.id; };
  return {.used = used, .running = std::count_if(tasks_.begin(), tasks_.end(), its), .dominant_share = share};
}

Engine::ServerState ReferenceEngine::state(const Server& server) const {
  Amounts free;
  for (const mpz_class& left : balance(server)) free.push_back(left > 0 ? left.get_si() : 0);
  return {.capacity = server.added.capacity, .free = free, .drained = server.drained};
}

/// What neither tasks nor others have of it; below 0 where they have more than there is.
std::vector<mpz_class> ReferenceEngine::balance(const Server& server) const {
  const Amounts taken = this->taken(server.id);
  std::vector<mpz_class> balance;
  for (std::size_t r = 0; r < taken.size(); ++r)
    balance.push_back(mpz_class(server.added.capacity[r]) - taken[r] -
                      (server.held.empty() ? 0 : server.held[r]));
  return balance;
}

bool is_before(const ReferenceEngine::Job& a, const ReferenceEngine::Job& b) {
  if (a.rank.priority != b.rank.priority) return a.rank.priority > b.rank.priority;
  if (a.rank.time != b.rank.time) return a.rank.time < b.rank.time;
  return a.rank.tie != b.rank.tie ? a.rank.tie < b.rank.tie : a.sequence < b.sequence;
}

const Amounts& demand_anywhere(const JobSubmitted& look, const std::string& name) {
  if (!look.roles.empty()) return look.roles.front().demand;
  const auto other = look.demand_on.find(name);
  return other == look.demand_on.end() ? look.demand : other->second;
}

const Amounts& demand_anywhere(const JobSubmitted& look, const std::string& name, std::int64_t role) {
  if (!look.roles.empty()) return look.roles[static_cast<std::size_t>(role)].demand;
  return demand_anywhere(look, name);
}

Engine::JobState ReferenceEngine::state(const Job& job) const {
  return {.user = job.user, .waiting = job.waiting, .running = running(job)};
}

bool ReferenceEngine::fits(const Job& job) const {
  const JobSubmitted& look = group(job).look;
  if (job.waiting > 0 && !look.roles.empty())
    return !without_kept(group(job)).places_of_roles(look, job.id).empty();
  if (job.waiting > 0 && has_terms(look))
    return !without_kept(group(job)).first_of_batch(look, job.id, batch(job.id)).empty();
  return job.waiting > 0 && std::any_of(servers_.begin(), servers_.end(), [&](const Server& server) {
           if (has_room(look, server)) return true;
           const auto kept = kept_on(server.id);
           return kept != kept_.end() && kept->group == job.group &&
                  is_within(*demand_on(look, server), state(server).free);
         });
}

/// What a task takes there; nothing when it may not run there.
std::optional<Amounts> ReferenceEngine::demand_on(const JobSubmitted& look, const Server& server) const {
  const auto is_among = [](const std::string& text, const std::vector<std::string>& texts) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  };
  if (look.servers && !is_among(server.added.name, *look.servers)) return {};
  for (const auto& [label, values] : look.select) {
    const auto value = server.added.labels.find(label);
    if (value == server.added.labels.end() || !is_among(value->second, values)) return {};
  }
  const auto set = sets_.find(look.within.value_or(""));
  if (look.within && (set == sets_.end() || !set->second.contains(server.id))) return {};
  return demand_anywhere(look, server.added.name);
}

bool ReferenceEngine::has_room(const JobSubmitted& look, const Server& server) const {
  const std::optional<Amounts> demand = demand_on(look, server);
  return demand && !server.drained && kept_on(server.id) == kept_.end() &&
         is_within(*demand, state(server).free);
}

bool ReferenceEngine::can_ever_run(const JobSubmitted& look, const Server& server) const {
  for (std::size_t role = 0; role < look.roles.size(); ++role) {
    if (may_run(look, role, server) && is_within(look.roles[role].demand, server.added.capacity)) return true;
  }
  const std::optional<Amounts> demand = demand_on(look, server);
  return look.roles.empty() && demand && is_within(*demand, server.added.capacity);
}

}  // namespace mirab::scheduling
