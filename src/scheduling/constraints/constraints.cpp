// Room for tasks that start together, without trying.
//
// The tasks of a job are identical, so server i has room for
//
//   room_i = min(per_server − running on i, min_r ⌊f_{i,r} / d_{i,r}⌋)
//
// more of them, whatever is put elsewhere. Without spread Σ_i room_i tasks can start, in any order. With
// spread, let c_d be the tasks that run in domain d, room_d = Σ_{i ∈ d} room_i, a the most apart, and
// M = min_d (c_d + room_d). A task may go to d while there is room and c_d + 1 ≤ min_e c_e + a. Then, in
// whatever order tasks start until none can, the last one leaves in every domain
//
//   max(c_d, min(c_d + room_d, M + a))   tasks.
//
// Proof. Let c' be the counts at the end and m' = min_d c'_d. Every c'_d ≤ c_d + room_d, so m' ≤ M. A domain
// e with c'_e = m' < m' + a takes one more unless it is full, so m' = c_e + room_e ≥ M: m' = M. The least
// count never falls while tasks start, so that none is put above M + a:
// c'_d ≤ max(c_d, min(c_d + room_d, M + a)). And d takes one more unless it is full or c'_d ≥ M + a, so that
// c'_d is no less. ∎
//
// So how many can start does not depend on where the placement puts them. With pack each value of its label
// is a cluster of its own: the job starts in one where its batch finds room, and stays there while it runs.
//
// Domains are those of servers that are not drained, that the job may use, and that hold one of its tasks
// when they are empty; tasks on drained servers count in their domain as long as it is one.
//
// A decision starts a batch: the tasks that the gang of the job lacks, or one task. Whether it has room is
// known before the first one is placed, and the placement then chooses for one task after the other, of the
// servers that leave room for the rest (dispatcher.cpp).
//
// Room is counted for a batch of more than one task, and no further than shows whether there is room for it:
// that a domain has room for more than the batch changes nothing, since none takes more of it. For one task
// the placement finds out itself: a task can start where the terms allow the next one and it fits. While the
// tasks of a batch start, what the terms allow is kept up to date (task_started), and room is not counted
// again: by the proof there is room for all of them.
#include "scheduling/constraints/constraints.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "scheduling/constraints/roles.hpp"

namespace mirab::scheduling {

GangFeasibility::GangFeasibility(const Ledger& ledger, JobIndex job, OpenServers open)
    : ledger_(&ledger),
      job_(job),
      task_class_(ledger.task_class_of(job)),
      terms_(ledger.task_classes.terms(task_class_)),
      of_servers_(ledger.task_classes.domains(task_class_)),
      open_(std::move(open)) {
  find_domains();
  ledger.for_each_task_of(job, [&](TaskIndex task) {
    const ServerIndex server = ledger.tasks[task].server;
    if (terms_->per_server) ++running_on_[server];
    if (const DomainIndex domain = domain_of(server); domain != kNone) ++domains_[domain].running;
    ++running_;
  });
  count_packs();
}

GangFeasibility::GangFeasibility(const Ledger& ledger, TaskClassIndex task_class,
                                 const PlacementConstraints& terms, const Domains* domains, Emptied emptied)
    : ledger_(&ledger),
      task_class_(task_class),
      terms_(&terms),
      of_servers_(domains),
      open_(ledger.server_pool),
      emptied_(emptied) {
  find_domains();
  count_packs();
}

void GangFeasibility::find_domains() {
  packs_.resize(has_labels() ? of_servers_->pack_count() : 1);
  if (!has_labels()) return domains_.resize(1);
  for (const Domains::Domain& domain : of_servers_->domains()) {
    domains_.push_back({.pack = domain.pack,
                        .takes_tasks = domain.takes_tasks,
                        .is_present = domain.takes_tasks && is_present(domain)});
  }
}

bool GangFeasibility::is_present(const Domains::Domain& domain) const {
  for (const DemandAlternative& alternative : ledger_->task_classes.alternatives(task_class_)) {
    const ServerSet* const may = ledger_->task_classes.eligibility.servers(alternative.servers);
    for (const Domains::Word& word : domain.words) {
      std::uint64_t servers = may == nullptr ? word.servers : word.servers & may->word(word.index);
      for (; servers != 0; servers &= servers - 1) {
        const ServerIndex server = ServerSet::first_of(word.index, servers);
        const bool counts = emptied_ == Emptied::all || !ledger_->servers[server].drained;
        if (counts && is_within(alternative.demand, ledger_->server_pool.capacity(server))) return true;
      }
    }
  }
  return false;
}

void GangFeasibility::count_packs() {
  is_allowed_known_ = false;
  for (Pack& pack : packs_) pack = {};
  for (const Domain& domain : domains_) {
    if (domain.pack == kNone) continue;
    Pack& pack = packs_[domain.pack];
    pack.running += domain.running;
    if (!domain.is_present) continue;
    if (pack.at_min == 0 || domain.running < pack.min_running) {
      pack.min_running = domain.running;
      pack.at_min = 0;
    }
    if (domain.running == pack.min_running) ++pack.at_min;
  }
  for (Pack& pack : packs_) pack.is_excluded = terms_->pack && pack.running < running_;
}

void GangFeasibility::task_started(ServerIndex server) {
  const bool was_first = running_++ == 0;
  if (terms_->per_server && ++running_on_[server] >= *terms_->per_server) allowed_.erase(server);
  const DomainIndex at = domain_of(server);
  if (at == kNone) return count_packs();
  Domain& domain = domains_[at];
  Pack& pack = packs_[domain.pack];
  ++pack.running;
  const bool was_least = domain.running++ == pack.min_running;
  const bool is_elsewhere = terms_->pack && (was_first || pack.running < running_);
  if (!domain.is_present || is_elsewhere) return count_packs();
  if (!terms_->spread) return;
  if (was_least && --pack.at_min == 0) return count_packs();
  if (may_be_next_in(domain)) return;
  for (const Domains::Word& word : (*of_servers_)[at].words) allowed_.erase(word.index, word.servers);
}

void GangFeasibility::task_ended(ServerIndex server) {
  --running_;
  if (terms_->per_server && --running_on_[server] == 0) running_on_.erase(server);
  if (const DomainIndex domain = domain_of(server); domain != kNone) --domains_[domain].running;
  count_packs();
}

// Room.

std::int64_t GangFeasibility::room_on(ServerIndex server, const DemandAlternative& alternative,
                                      std::span<const std::int64_t> free) const {
  std::int64_t room = terms_->per_server ? *terms_->per_server - running_on(server) : INT64_MAX;
  for (std::size_t r = 0; r < free.size(); ++r) {
    if (alternative.demand[r] > 0) room = std::min(room, free[r] / alternative.demand[r]);
  }
  return room;
}

/// Σ room_i of the servers of a domain, or some number from `at_most` on. `queries`: for each way to run a
/// task, what asks for room for it.
fairness::Wide GangFeasibility::room_in(const std::vector<Domains::Word>& words,
                                        std::span<const Columns::Query> queries, std::int64_t at_most) const {
  const std::span<const DemandAlternative> ways = ledger_->task_classes.alternatives(task_class_);
  const ServerPool& pool = ledger_->server_pool;
  Wide sum = 0;
  for (std::size_t at = 0; at < ways.size(); ++at) {
    const ServerSet* const may = ledger_->task_classes.eligibility.servers(ways[at].servers);
    for (const Domains::Word& word : words) {
      std::uint64_t servers = may == nullptr ? word.servers : word.servers & may->word(word.index);
      if (!emptied_) servers &= open_.may_have_room(queries[at], word.index);
      for (; servers != 0; servers &= servers - 1) {
        const ServerIndex server = ServerSet::first_of(word.index, servers);
        if (emptied_ != Emptied::all && ledger_->servers[server].drained) continue;
        const std::span<const std::int64_t> free = emptied_ ? pool.capacity(server) : pool.free(server);
        if (!is_within(ways[at].demand, free)) continue;
        sum += std::max<std::int64_t>(0, room_on(server, ways[at], free));
        if (sum >= at_most) return sum;
      }
    }
  }
  return sum;
}

/// The same of all servers.
fairness::Wide GangFeasibility::room_anywhere(std::int64_t at_most) const {
  const ServerPool& pool = ledger_->server_pool;
  Wide sum = 0;
  for (const DemandAlternative& way : ledger_->task_classes.alternatives(task_class_)) {
    const ServerSet* const may = ledger_->task_classes.eligibility.servers(way.servers);
    const auto add = [&](ServerIndex server) {
      const std::span<const std::int64_t> free = emptied_ ? pool.capacity(server) : pool.free(server);
      const bool counts = emptied_ == Emptied::all || !ledger_->servers[server].drained;
      if (counts && is_within(way.demand, free)) sum += std::max<std::int64_t>(0, room_on(server, way, free));
      return sum >= at_most;
    };
    if (!emptied_) {
      if (open_.any_with_room({.demand = way.demand, .among = may}, add)) return sum;
      continue;
    }
    for (const ServerIndex server : ledger_->servers.present()) {
      if ((may == nullptr || may->contains(server)) && add(server)) return sum;
    }
  }
  return sum;
}

/// How many more tasks can start in each pack that is not excluded, where no domain takes many more than
/// `at_most`.
IndexedVector<PackIndex, fairness::Wide> GangFeasibility::max_more(std::int64_t at_most) const {
  IndexedVector<DomainIndex, Wide> rooms(domains_.size());  // room_d
  const auto is_asked = [&](const Domain& domain) {
    return domain.is_present && !packs_[domain.pack].is_excluded;
  };
  if (!has_labels()) {
    rooms[DomainIndex(0)] = room_anywhere(at_most);
  } else {
    std::vector<Columns::Query> queries;
    for (const DemandAlternative& way : ledger_->task_classes.alternatives(task_class_))
      queries.push_back(ledger_->server_pool.room_for(way.demand));
    for (const DomainIndex at : domains_.indices()) {
      if (is_asked(domains_[at])) rooms[at] = room_in((*of_servers_)[at].words, queries, at_most);
    }
  }
  IndexedVector<PackIndex, std::optional<Wide>> fullest(packs_.size());  // M
  for (const DomainIndex at : domains_.indices()) {
    const Domain& domain = domains_[at];
    if (!is_asked(domain)) continue;
    const Wide full = domain.running + rooms[at];
    fullest[domain.pack] = std::min(full, fullest[domain.pack].value_or(full));
  }
  IndexedVector<PackIndex, Wide> more(packs_.size());
  for (const DomainIndex at : domains_.indices()) {
    const Domain& domain = domains_[at];
    if (!is_asked(domain)) continue;
    Wide at_the_end = domain.running + rooms[at];
    if (terms_->spread) at_the_end = std::min(at_the_end, *fullest[domain.pack] + terms_->spread->most_apart);
    more[domain.pack] += std::max(Wide{0}, at_the_end - domain.running);
  }
  return more;
}

std::int64_t GangFeasibility::max_tasks() const {
  Wide max = 0;
  for (const Wide more : max_more(INT64_MAX)) max = std::max(max, more);
  return static_cast<std::int64_t>(std::min(max, Wide{INT64_MAX}));
}

bool GangFeasibility::has_room_for(std::int64_t tasks) const {
  const IndexedVector<PackIndex, Wide> more = max_more(tasks);
  return std::any_of(more.begin(), more.end(), [&](Wide here) { return here >= tasks; });
}

// Where the terms allow a task.

bool GangFeasibility::may_be_next_in(const Domain& domain) const {
  return !terms_->spread || domain.running < max_in(domain);
}

/// min_e c_e + a
std::int64_t GangFeasibility::max_in(const Domain& domain) const {
  const Wide max = Wide{packs_[domain.pack].min_running} + terms_->spread->most_apart;
  return static_cast<std::int64_t>(std::min(max, Wide{INT64_MAX}));
}

GangFeasibility::Objection GangFeasibility::objection(ServerIndex server) const {
  using Term = Objection::Term;
  const Domain& domain = domains_[domain_of(server)];
  if (packs_[domain.pack].is_excluded) return {.term = Term::pack};
  const std::int64_t running = running_on(server);
  if (terms_->per_server && running >= *terms_->per_server)
    return {.term = Term::per_server, .running = running, .at_most = *terms_->per_server};
  if (!may_be_next_in(domain))
    return {.term = Term::spread, .running = domain.running, .at_most = max_in(domain)};
  return {};
}

/// In the packs that are open.
template <class IsOpen>
ServerSet GangFeasibility::allowed_in(IsOpen is_open) const {
  ServerSet allowed;
  if (!has_labels()) {
    for (std::size_t index = (ledger_->servers.index_count() + ServerSet::kWord - 1) / ServerSet::kWord;
         index-- > 0;)
      allowed.insert(index, ~std::uint64_t{0});
  }
  for (const DomainIndex at : has_labels() ? domains_.indices() : Indices<DomainIndex>(0)) {
    const Domain& domain = domains_[at];
    if (!domain.is_present || packs_[domain.pack].is_excluded || !is_open(domain.pack) ||
        !may_be_next_in(domain))
      continue;
    for (const Domains::Word& word : (*of_servers_)[at].words) allowed.insert(word.index, word.servers);
  }
  for (const auto& [server, running] : running_on_) {
    if (running >= *terms_->per_server) allowed.erase(server);
  }
  return allowed;
}

const ServerSet* GangFeasibility::allowed() {
  if (allows_all()) return nullptr;
  if (!is_allowed_known_) allowed_ = allowed_in([](PackIndex /*pack*/) { return true; });
  is_allowed_known_ = true;
  return &allowed_;
}

std::optional<GangFeasibility::First> GangFeasibility::first_of(std::int64_t batch) const {
  const auto all = [](PackIndex /*pack*/) { return true; };
  if (batch == 1) return allows_all() ? First{} : First{.is_any = false, .servers = allowed_in(all)};
  const IndexedVector<PackIndex, Wide> more = max_more(batch);
  const auto has_room = [&](PackIndex pack) { return more[pack] >= batch; };
  const Indices<PackIndex> packs = more.indices();
  if (std::none_of(packs.begin(), packs.end(), has_room)) return {};
  return allows_all() ? First{} : First{.is_any = false, .servers = allowed_in(has_room)};
}

// Room on servers that are emptied. By the proof above it does not matter in which order the tasks are put:
// where there is room for the batch, each of them finds a server.

std::optional<std::vector<ServerIndex>> GangFeasibility::servers_if_emptied(
    std::int64_t batch, std::span<const ServerIndex> candidates) const {
  if (!terms_->roles.empty()) return servers_for_roles_if_emptied(candidates);
  std::unordered_map<ServerIndex, std::int64_t> own;  // tasks of the job
  if (job_ != kNone)
    ledger_->for_each_task_of(job_, [&](TaskIndex task) { ++own[ledger_->tasks[task].server]; });
  Candidates by_domain{.servers = candidates,
                       .by_domain = IndexedVector<DomainIndex, std::vector<std::size_t>>(domains_.size())};
  std::vector<std::int64_t> rooms(candidates.size(), 0);
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    const ServerIndex server = candidates[at];
    const DomainIndex domain = domain_of(server);
    if (domain == kNone || !domains_[domain].is_present) continue;
    const DemandAlternative& way = *ledger_->task_classes.alternative_on(task_class_, server);
    const std::span<const std::int64_t> takes = ledger_->task_classes.demand_on(task_class_, server, 0);
    const auto stay = own.find(server);
    Amounts free;
    for (std::size_t r = 0; r < takes.size(); ++r) {
      const Wide left = Wide{ledger_->server_pool.capacity(server)[r]} -
                        ledger_->server_pool.held(server)[r] -
                        (stay == own.end() ? 0 : Wide{takes[r]} * stay->second);
      free.push_back(static_cast<std::int64_t>(std::max(Wide{0}, left)));
    }
    if (is_within(way.demand, free)) rooms[at] = room_on(server, way, free);
    if (rooms[at] > 0) by_domain.by_domain[domain].push_back(at);
  }
  std::optional<std::vector<ServerIndex>> best;
  const auto is_better = [&](const std::vector<ServerIndex>& servers) {
    if (!best || servers.size() != best->size()) return !best || servers.size() < best->size();
    return *std::min_element(servers.begin(), servers.end()) < *std::min_element(best->begin(), best->end());
  };
  for (const PackIndex pack : packs_.indices()) {
    if (packs_[pack].is_excluded) continue;
    std::optional<std::vector<ServerIndex>> servers = fill_pack(pack, batch, by_domain, rooms);
    if (servers && is_better(*servers)) best = std::move(servers);
  }
  return best;
}

std::optional<std::vector<ServerIndex>> GangFeasibility::fill_pack(PackIndex pack, std::int64_t batch,
                                                                   const Candidates& candidates,
                                                                   std::vector<std::int64_t> rooms) const {
  std::vector<DomainIndex> domains;
  IndexedVector<DomainIndex, std::int64_t> running(domains_.size());  // c_d
  IndexedVector<DomainIndex, std::size_t> heads(domains_.size());
  for (const DomainIndex at : domains_.indices()) {
    if (domains_[at].pack != pack || !domains_[at].is_present) continue;
    domains.push_back(at);
    running[at] = domains_[at].running;
  }
  std::int64_t least = packs_[pack].min_running;
  std::size_t at_least = packs_[pack].at_min;
  std::set<std::pair<std::size_t, DomainIndex>> open;  // the first candidate with room, of domains that may
  const auto enter = [&](DomainIndex at) {
    const std::vector<std::size_t>& of_domain = candidates.by_domain[at];
    const bool may_be_next = !terms_->spread || running[at] - least < terms_->spread->most_apart;
    if (heads[at] < of_domain.size() && may_be_next) open.emplace(of_domain[heads[at]], at);
  };
  for (const DomainIndex at : domains) enter(at);
  std::set<std::size_t> used;
  while (batch > 0) {
    if (open.empty()) return {};
    const auto [candidate, at] = *open.begin();
    open.erase(open.begin());
    used.insert(candidate);
    const std::int64_t start = terms_->spread ? 1 : std::min(batch, rooms[candidate]);
    batch -= start;
    if ((rooms[candidate] -= start) == 0) ++heads[at];
    running[at] += start;
    if (terms_->spread && running[at] == least + 1 && --at_least == 0) {
      ++least;
      for (const DomainIndex each : domains) {
        if (running[each] == least) ++at_least;
        enter(each);
      }
    }
    enter(at);
  }
  std::vector<ServerIndex> servers;
  for (const std::size_t candidate : used) servers.push_back(candidates.servers[candidate]);
  return servers;
}

std::int64_t batch_of(const Ledger& ledger, JobIndex job) {
  const JobRow& row = ledger.jobs[job];
  const PlacementConstraints& terms = *ledger.task_classes.terms(ledger.queues[row.queue].task_class);
  return std::min(row.waiting, std::max<std::int64_t>(1, terms.gang - row.running));
}

bool batch_fits(const Ledger& ledger, JobIndex job, const OpenServers& open,
                std::span<const ServerIndex> first) {
  if (ledger.task_classes.has_roles(ledger.task_class_of(job)))
    return first_of_roles(ledger, job, open, first).has_value();
  const std::int64_t batch = batch_of(ledger, job);
  GangFeasibility gang(ledger, job, open);
  if (batch > 1) return gang.has_room_for(batch);
  std::vector<SearchAlternative> ways;
  std::vector<ServerSet> sets;
  write_ways(
      ledger, ledger.task_class_of(job), gang.allowed(),
      [](const DemandAlternative& /*way*/) { return true; }, ways, sets);
  return std::any_of(ways.begin(), ways.end(),
                     [&](const SearchAlternative& way) { return open.any_with_room(way); });
}

namespace {

/// Could the gang start if nothing ran? PlacementConstraints are added one after the other, so that the error
/// names the first one with which it cannot.
Check check_gang_possible(const Ledger& ledger, const JobSubmitted& job, TaskClassIndex task_class) {
  const std::optional<PlacementConstraints> all = constraints_of(job);
  if (!all) return {};
  struct Stage {
    const char* key;
    PlacementConstraints terms;
  };
  std::array<Stage, 4> stages = {Stage{.key = "gang", .terms = {.gang = all->gang}}};
  const auto more = [&](std::size_t stage, const char* key) -> PlacementConstraints& {
    stages[stage] = {.key = key, .terms = stages[stage - 1].terms};
    return stages[stage].terms;
  };
  more(1, "per_server").per_server = all->per_server;
  more(2, "pack").pack = all->pack;
  more(3, "spread").spread = all->spread;
  // A server that is drained is a domain less, so that fewer servers may have room for more.
  using Emptied = GangFeasibility::Emptied;
  const Domains* const held = ledger.task_classes.domains(task_class);
  if (GangFeasibility(ledger, task_class, *all, held, Emptied::all).has_room_for(all->gang)) return {};
  for (const auto& [key, terms] : stages) {
    const Domains by_labels = ledger.task_classes.eligibility.domains_by(labels_of(terms));
    const Domains* const domains = labels_of(terms) == DomainLabels{} ? nullptr : &by_labels;
    const std::int64_t max_tasks =
        std::max(GangFeasibility(ledger, task_class, terms, domains, Emptied::all).max_tasks(),
                 GangFeasibility(ledger, task_class, terms, domains, Emptied::open).max_tasks());
    if (max_tasks >= all->gang) continue;
    return Error{.message = fmt::format("{} tasks of the job could start together if nothing ran, not {}",
                                        max_tasks, all->gang),
                 .key = key};
  }
  return {};
}

/// Could a task of the task class run on some server if that were empty?
bool is_possible(const Ledger& ledger, TaskClassIndex task_class) {
  for (const ServerIndex server : ledger.servers.indices()) {
    if (ledger.servers.holds(server) && fits_when_empty(ledger, task_class, server)) return true;
  }
  return false;
}

}  // namespace

Check check_possible(const Ledger& ledger, const JobSubmitted& job, TaskClassIndex task_class) {
  if (!job.roles.empty()) return check_roles_possible(ledger, job, task_class);
  if (!is_possible(ledger, task_class))
    return Error{.message = "no server that the job may use is large enough for one of its tasks",
                 .key = "demand"};
  return check_gang_possible(ledger, job, task_class);
}

std::string broken_constraint(const Ledger& ledger) {
  for (const JobIndex job : ledger.jobs.present()) {
    const QueueRow& queue = ledger.queues[ledger.jobs[job].queue];
    const PlacementConstraints* const terms = ledger.task_classes.terms(queue.task_class);
    if (terms == nullptr) continue;
    if (queue.jobs != 1) return fmt::format("job {} has terms and shares its task class", job.number());
    if (ledger.adopts) continue;
    std::map<ServerIndex, std::int64_t> running_on;
    std::optional<std::string> pack;
    for (TaskIndex task = ledger.jobs[job].first_task; task != kNone; task = ledger.tasks[task].next_of_job) {
      const ServerIndex server = ledger.tasks[task].server;
      if (++running_on[server] > terms->per_server.value_or(INT64_MAX))
        return fmt::format("more tasks of job {} on server {} than it allows", job.number(), server.number());
      const auto& labels = ledger.task_classes.eligibility.description_of(server).labels;
      if (terms->spread && !labels.contains(terms->spread->label))
        return fmt::format("a task of job {} on server {}, in no domain", job.number(), server.number());
      if (!terms->pack) continue;
      const auto value = labels.find(*terms->pack);
      if (value == labels.end() || value->second != pack.value_or(value->second))
        return fmt::format("the tasks of job {} are not packed", job.number());
      pack = value->second;
    }
  }
  return {};
}

}  // namespace mirab::scheduling
