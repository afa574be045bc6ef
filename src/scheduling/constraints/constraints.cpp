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
// Known failure: nothing is kept from one decision to the next, so that a batch of b tasks costs b times
// O(servers m).
#include "scheduling/constraints/constraints.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mirab::scheduling {

GangFeasibility::GangFeasibility(const Ledger& ledger, JobIndex job, const OpenServers& open)
    : ledger_(ledger),
      task_class_(ledger.queues[ledger.jobs[job].queue].task_class),
      terms_(*ledger.task_classes.terms(task_class_)) {
  add_running(job);
  const Amounts nothing(ledger.resource_count(), 0);  // is free on a server that is kept for a task
  servers_.reserve(ledger.servers.size());
  for (const ServerIndex server : ledger.servers.present()) {
    if (ledger.servers[server].drained) continue;
    add_server(server, open.contains(server) ? ledger.server_pool.free(server) : nothing);
  }
  count_packs();
}

GangFeasibility::GangFeasibility(const Ledger& ledger, TaskClassIndex task_class,
                                 const PlacementConstraints& terms, Emptied emptied)
    : ledger_(ledger), task_class_(task_class), terms_(terms) {
  servers_.reserve(ledger.servers.size());
  for (const ServerIndex server : ledger.servers.present()) {
    if (emptied == Emptied::all || !ledger.servers[server].drained)
      add_server(server, ledger.server_pool.capacity(server));
  }
  count_packs();
}

void GangFeasibility::add_running(JobIndex job) {
  for (TaskIndex task = ledger_.jobs[job].first_task; task != kNone; task = ledger_.tasks[task].next_of_job) {
    const ServerIndex server = ledger_.tasks[task].server;
    running_on_.cover(server);
    ++running_on_[server];
    ++running_;
    const DomainIndex domain = domain_of(server);
    if (domain != kNowhere) {
      ++domains_[domain].running;
    } else if (terms_.pack) {
      const auto& labels = ledger_.task_classes.eligibility.description_of(server).labels;
      if (const auto value = labels.find(*terms_.pack); value != labels.end())
        ++running_nowhere_[value->second];
    }
  }
}

void GangFeasibility::add_server(ServerIndex server, std::span<const std::int64_t> free) {
  const DemandAlternative* const alternative = ledger_.task_classes.alternative_on(task_class_, server);
  if (alternative == nullptr || !is_within(alternative->demand, ledger_.server_pool.capacity(server))) return;
  const DomainIndex domain = domain_of(server);
  if (domain == kNowhere) return;
  domains_[domain].is_present = true;
  const std::int64_t room = room_on(server, *alternative, free);
  if (room <= 0) return;
  domains_[domain].room += room;
  const auto at = alternative - ledger_.task_classes.alternatives(task_class_).data();
  servers_.push_back(
      {.index = server, .alternative = AlternativeIndex(static_cast<std::uint32_t>(at)), .domain = domain});
}

std::int64_t GangFeasibility::room_on(ServerIndex server, const DemandAlternative& alternative,
                                      std::span<const std::int64_t> free) const {
  const std::int64_t running = running_on_.holds(server) ? running_on_[server] : 0;
  std::int64_t room = terms_.per_server.value_or(INT64_MAX) - running;
  for (std::size_t r = 0; r < free.size(); ++r) {
    if (alternative.demand[r] > 0) room = std::min(room, free[r] / alternative.demand[r]);
  }
  return room;
}

/// kNowhere for a server without a label that the terms name.
GangFeasibility::DomainIndex GangFeasibility::domain_of(ServerIndex server) {
  const DescriptionIndex description = ledger_.task_classes.eligibility.description_index(server);
  domains_of_.cover(description);
  if (domains_of_[description] == kNone)
    domains_of_[description] = new_domain(ledger_.task_classes.eligibility.description_of(server).labels);
  return domains_of_[description];
}

GangFeasibility::DomainIndex GangFeasibility::new_domain(const std::map<std::string, std::string>& labels) {
  const auto value = [&](const std::string& label) -> std::optional<std::string_view> {
    const auto found = labels.find(label);
    return found == labels.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  };
  const auto packed = terms_.pack ? value(*terms_.pack) : "";
  const auto spread = terms_.spread ? value(terms_.spread->label) : "";
  if (!packed || !spread) return kNowhere;
  const PackIndex pack = known_packs_.emplace(*packed, packs_.end_index()).first->second;
  packs_.cover(pack);
  const DomainIndex domain =
      known_domains_.emplace(std::pair(pack, *spread), domains_.end_index()).first->second;
  if (!domains_.holds(domain)) domains_.push_back({.pack = pack});
  return domain;
}

void GangFeasibility::count_packs() {
  IndexedVector<PackIndex, std::optional<Wide>> fullest(packs_.size());  // M
  IndexedVector<PackIndex, std::optional<std::int64_t>> min_running(packs_.size());
  for (const Domain& domain : domains_) {
    packs_[domain.pack].running += domain.running;
    if (!domain.is_present) continue;
    const Wide full = domain.running + domain.room;
    fullest[domain.pack] = std::min(full, fullest[domain.pack].value_or(full));
    min_running[domain.pack] = std::min(domain.running, min_running[domain.pack].value_or(domain.running));
  }
  for (const auto& [value, tasks] : running_nowhere_) {
    if (const auto pack = known_packs_.find(value); pack != known_packs_.end())
      packs_[pack->second].running += tasks;
  }
  for (Pack& pack : packs_) pack.is_excluded = terms_.pack && pack.running < running_;
  for (const Domain& domain : domains_) {
    Pack& pack = packs_[domain.pack];
    if (!domain.is_present) continue;
    pack.min_running = *min_running[domain.pack];
    Wide at_the_end = domain.running + domain.room;
    if (terms_.spread) at_the_end = std::min(at_the_end, *fullest[domain.pack] + terms_.spread->most_apart);
    pack.max_more += std::max(Wide{0}, at_the_end - domain.running);
  }
}

std::int64_t GangFeasibility::max_tasks() const {
  Wide max = 0;
  for (const Pack& pack : packs_) {
    if (!pack.is_excluded) max = std::max(max, pack.max_more);
  }
  return static_cast<std::int64_t>(std::min(max, Wide{INT64_MAX}));
}

bool GangFeasibility::may_be_next_in(const Domain& domain) const {
  return !terms_.spread || domain.running < max_in(domain);
}

/// min_e c_e + a
std::int64_t GangFeasibility::max_in(const Domain& domain) const {
  const Wide max = Wide{packs_[domain.pack].min_running} + terms_.spread->most_apart;
  return static_cast<std::int64_t>(std::min(max, Wide{INT64_MAX}));
}

GangFeasibility::Objection GangFeasibility::objection(ServerIndex server) const {
  using Term = Objection::Term;
  const Domain& domain = domains_[domains_of_[ledger_.task_classes.eligibility.description_index(server)]];
  if (packs_[domain.pack].is_excluded) return {.term = Term::pack};
  const std::int64_t running = running_on_.holds(server) ? running_on_[server] : 0;
  if (terms_.per_server && running >= *terms_.per_server)
    return {.term = Term::per_server, .running = running, .at_most = *terms_.per_server};
  if (!may_be_next_in(domain))
    return {.term = Term::spread, .running = domain.running, .at_most = max_in(domain)};
  return {};
}

std::vector<ServerSet> GangFeasibility::first_of(std::int64_t batch,
                                                 std::optional<ServerClassIndex> server_class) const {
  std::vector<ServerSet> servers(ledger_.task_classes.alternatives(task_class_).size());
  for (const Server& server : servers_) {
    const Domain& domain = domains_[server.domain];
    const Pack& pack = packs_[domain.pack];
    if (pack.is_excluded || pack.max_more < batch || !may_be_next_in(domain)) continue;
    if (server_class && ledger_.servers[server.index].server_class != *server_class) continue;
    servers[server.alternative.number()].insert(server.index);
  }
  return servers;
}

std::int64_t batch_of(const Ledger& ledger, JobIndex job) {
  const JobRow& row = ledger.jobs[job];
  const PlacementConstraints& terms = *ledger.task_classes.terms(ledger.queues[row.queue].task_class);
  return std::min(row.waiting, std::max<std::int64_t>(1, terms.gang - row.running));
}

bool any(const ServerSet& servers) {
  return std::any_of(servers.words().begin(), servers.words().end(),
                     [](std::uint64_t word) { return word != 0; });
}

bool batch_fits(const Ledger& ledger, JobIndex job, const OpenServers& open) {
  const std::vector<ServerSet> servers =
      GangFeasibility(ledger, job, open).first_of(batch_of(ledger, job), {});
  return std::any_of(servers.begin(), servers.end(), any);
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
  for (const auto& [key, terms] : stages) {
    // A server that is drained is a domain less, so that fewer servers may have room for more.
    const std::int64_t max_tasks =
        std::max(GangFeasibility(ledger, task_class, terms, GangFeasibility::Emptied::all).max_tasks(),
                 GangFeasibility(ledger, task_class, terms, GangFeasibility::Emptied::open).max_tasks());
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
