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
  if (kept != kept_.end()) kept_.erase(kept);
}

/// Would the task fit if no task ran there?
bool ReferenceEngine::can_be_kept(const Group& group, const Server& server) const {
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
  keep_where_due();
}

void ReferenceEngine::keep_where_due() {
  std::vector<const Group*> due;
  for (const Group& group : groups_) {
    const auto has_room_on = [&](const Server& server) { return has_room(group.look, server); };
    const auto is_its = [&](const Kept& kept) { return kept.group == group.number; };
    if (waits(group.number) && !has_terms(group.look) && now_ - group.since >= options_.reservations->after &&
        std::none_of(kept_.begin(), kept_.end(), is_its) &&
        std::none_of(servers_.begin(), servers_.end(), has_room_on))
      due.push_back(&group);
  }
  std::sort(due.begin(), due.end(), [](const Group* a, const Group* b) {
    return std::pair(a->since, a->arrival) < std::pair(b->since, b->arrival);
  });
  for (const Group* group : due) {
    if (kept_.size() == options_.reservations->servers) return;
    const Server* best = nullptr;
    mpq_class least;
    for (const Server& server : servers_) {
      if (server.drained || kept_on(server.id) != kept_.end() || !can_be_kept(*group, server)) continue;
      const Amounts demand = *demand_on(group->look, server);
      if (!is_allowed(group->user, {demand.begin(), demand.end()})) continue;
      const Amounts free = state(server).free;
      mpq_class missing = 0;
      for (std::size_t r = 0; r < demand.size(); ++r)
        if (demand[r] > free[r]) missing = std::max(missing, ratio(demand[r] - free[r], demand[r]));
      if (best != nullptr && missing >= least) continue;
      best = &server;
      least = missing;
    }
    if (best != nullptr) kept_.push_back({.server = best->id, .group = group->number, .since = now_});
  }
}

std::optional<ReferenceEngine::Option> ReferenceEngine::kept_with_room() const {
  for (const Kept& kept : kept_) {
    const Server& server = *std::find_if(servers_.begin(), servers_.end(),
                                         [&](const Server& each) { return each.id == kept.server; });
    const Group& group = *std::find_if(groups_.begin(), groups_.end(),
                                       [&](const Group& each) { return each.number == kept.group; });
    const Amounts demand = *demand_on(group.look, server);
    if (reference_starvation_is_within(demand, state(server).free) &&
        is_allowed(group.user, {demand.begin(), demand.end()}))
      return Option{.job = first_waiting(group).id, .user = group.user, .servers = {server.id}};
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

/// The tasks that end on the server for the candidate's, those with least work lost first; none when it
/// cannot get one there.
std::vector<ReferenceEngine::Task> ReferenceEngine::victims(const Candidate& candidate, const Server& server,
                                                            const std::vector<double>& prices) const {
  const Amounts demand = *demand_on(candidate.group->look, server);
  const Amounts pool = this->pool();
  ReferenceEngine after = *this;  // in which the task runs
  after.tasks_.push_back({.id = {},
                          .job = candidate.job->id,
                          .user = candidate.group->user,
                          .server = server.id,
                          .demand = demand,
                          .started = now_});
  for (std::size_t r = 0; r < demand.size(); ++r)
    if (demand[r] > INT64_MAX - used(candidate.group->user)[r]) return {};  // more than can be counted
  const mpq_class level = after.key(*candidate.group, prices);
  if (level <= candidate.key) return {};
  const auto work = [&](const Task& task) {
    mpq_class part = 0;
    for (std::size_t r = 0; r < pool.size(); ++r)
      if (pool[r] > 0) part = std::max(part, ratio(task.demand[r], pool[r]));
    return mpq_class(part * mpq_class((now_ - task.started).count()));
  };
  const auto may_be_preempted = [&](const Task& task) {
    return std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.id == task.job; })
        ->may_be_preempted;
  };
  std::vector<Task> there;
  for (std::size_t t = tasks_.size(); t-- > 0;)
    if (tasks_[t].server == server.id && tasks_[t].user != candidate.group->user && !tasks_[t].is_protected &&
        may_be_preempted(tasks_[t]))
      there.push_back(tasks_[t]);
  std::stable_sort(there.begin(), there.end(),
                   [&](const Task& a, const Task& b) { return work(a) < work(b); });

  Balance room = balance(server);
  std::vector<Task> taken;
  for (const Task& task : there) {
    if (has_room_in(room, demand)) break;
    const std::vector<Task> before = after.tasks_;
    after.end(task.id);
    const Job& job =
        *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.id == task.job; });
    const std::int64_t gang = group(job).look.gang;
    if (after.key(group(job), prices) < level || (gang > 1 && after.running(job) < gang)) {
      after.tasks_ = before;
      continue;
    }
    room = sum(room, task.demand);
    taken.push_back(task);
  }
  if (!has_room_in(room, demand)) return {};
  for (std::size_t t = taken.size(); t-- > 0;) {
    const Balance without = difference(room, taken[t].demand);
    if (!has_room_in(without, demand)) continue;
    room = without;
    taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(t));
  }
  return taken;
}

std::optional<ReferenceEngine::Option> ReferenceEngine::preemption() const {
  if (!options_.preemption || futile_at_ == now_ || budget() == 0) return {};
  const std::vector<double> prices =
      options_.discipline.name == "pf" ? this->prices() : std::vector<double>{};
  const Amounts pool = this->pool();
  const std::vector<Candidate> all = candidates();
  for (const Candidate& candidate : all) {
    if (freeze_ && &candidate != &all.front()) break;
    const JobSubmitted& look = candidate.group->look;
    if (has_terms(look)) continue;
    if (std::any_of(servers_.begin(), servers_.end(),
                    [&](const Server& server) { return has_room(look, server); }))
      continue;
    std::optional<Option> best;
    mpq_class least;
    for (const Server& server : servers_) {
      const auto kept = kept_on(server.id);
      const bool is_closed =
          server.drained || (kept != kept_.end() && kept->group != candidate.group->number);
      if (is_closed || !can_ever_run(look, server)) continue;
      const std::vector<Task> victims = this->victims(candidate, server, prices);
      if (victims.empty()) continue;
      if (static_cast<std::int64_t>(victims.size()) > budget()) continue;
      mpq_class work = 0;
      Option option{.job = candidate.job->id, .user = candidate.group->user, .servers = {server.id}};
      for (const Task& task : victims) {
        mpq_class part = 0;
        for (std::size_t r = 0; r < pool.size(); ++r)
          if (pool[r] > 0) part = std::max(part, ratio(task.demand[r], pool[r]));
        work += part * mpq_class((now_ - task.started).count());
        option.preempted.push_back({.task = task.id, .job = task.job});
      }
      if (best && (work > least || (work == least && option.preempted.size() >= best->preempted.size())))
        continue;
      best = option;
      least = work;
    }
    if (best) return best;
  }
  return {};
}

/// The reference remembers no more than that: at another time it searches again.
void ReferenceEngine::nothing() { futile_at_ = now_; }

}  // namespace mirab::scheduling
