// Preemption. First the choice of victims for one task, then the decision whether to preempt at all.
#include "scheduling/starvation/preemption.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace mirab::scheduling {

// Which running tasks end so that a task of user b fits, by the key of each user in the
// discipline, the same for all its queues (see disciplines.hpp).
//
//   - b's key after its gain, k', is above its key before. A task that takes nothing that counts gets
//     nothing by force.
//   - Every user v ≠ b who loses tasks has, after all its losses, a key of at least k'.
//
// So there is a key, k', below which b was, and above which every victim was and at or above which it
// stays: tasks go from users above their fair share to one below its own, and the order does not flip. A task
// that started on a server kept for it (reservations.cpp) is not preempted as long as it runs.
//
// On each server tasks are taken in the order of the work that is lost, (now − started) · max_r d_r / C_r,
// the newest of equal ones first, passing over those that may not be, until b's task fits; then those that
// are not needed are dropped again, the most work first. Of all servers the set with the least work is
// chosen, then the one with fewer tasks, then that on the server with the lower number.
//
// Known failures: which tasks make room with the least loss is a knapsack in several dimensions; this is a
// greedy answer, and where it finds none on a server there may be one, now or in an order that comes later.

namespace {

/// Can what the user has, which stays, and this much more be counted?
bool may_count(const UsageAfter& usage, std::span<const std::int64_t> demand) {
  return std::equal(demand.begin(), demand.end(), usage.amounts().begin(),
                    [](std::int64_t more, std::int64_t used) { return more <= INT64_MAX - used; });
}

/// Has a server with this balance (ServerPool::balance) room? What is below 0 counts as 0.
bool has_room(std::span<const std::int64_t> demand, const Amounts& balance) {
  return std::equal(demand.begin(), demand.end(), balance.begin(),
                    [](std::int64_t units, std::int64_t left) { return units == 0 || units <= left; });
}

}  // namespace

struct VictimSearch::Gainer {
  UserIndex user;
  std::span<const std::int64_t> demand;
  const UsageAfter* after;  // with the task
  double rounded;           // its key
};

struct VictimSearch::Loss {
  TaskIndex task;
  UserIndex user;
  TaskClassIndex task_class;
  std::span<const std::int64_t> demand;
  std::size_t place;  // among the tasks of the server, the newest first
  mpq_class work;
};

VictimSearch::VictimSearch(const ShareContext& context, const ShareFunction& share,
                           const std::set<TaskIndex>& spared, Time now)
    : context_(context),
      ledger_(context.ledger),
      share_(share),
      spared_(spared),
      now_(now),
      spare_(ledger_.users.index_count(), -1.0) {
  for (const UserIndex user : ledger_.users.present()) {
    note_spare(user);
  }
}

double VictimSearch::rounded(const UsageAfter& after) const {
  return share_.rounded(context_, after.usage(), after.weight());
}

std::weak_ordering VictimSearch::compare(const UsageAfter& a, const UsageAfter& b) const {
  return share_.compare(context_, a.usage(), a.weight(), b.usage(), b.weight());
}

/// Of all ways in which the user's tasks may run, or do, the one that leaves most.
void VictimSearch::note_spare(UserIndex user) {
  for (const QueueIndex queue : ledger_.users[user].queues) {
    const QueueRow& row = ledger_.queues[queue];
    if (row.running == 0) continue;
    ledger_.task_classes.for_each_demand(row.task_class, [&](const Amounts& demand) {
      UsageAfter after(ledger_, user);
      if (!is_within(demand, after.amounts())) return;
      after.add(row.task_class, demand, -1);
      spare_[user] = std::max(spare_[user], rounded(after));
    });
  }
  max_spare_ = std::max(max_spare_, spare_[user]);
}

bool VictimSearch::may_lose(UserIndex user, double key) const {
  return spare_[user] >= key * (1 - kRounding);
}

bool VictimSearch::may_gain(QueueIndex queue) const {
  const UserIndex user = ledger_.queues[queue].user;
  const double key = share_.rounded(context_, usage_of(ledger_, user), ledger_.users[user].weight);
  return key * (1 - kRounding) <= max_spare_;
}

/// Is the key after these losses at least that of who gains, exactly?
bool VictimSearch::is_at_least(const UsageAfter& after, const Gainer& gainer) const {
  const double key = rounded(after);
  if (std::abs(key - gainer.rounded) > kRounding * std::max(key, gainer.rounded)) return key > gainer.rounded;
  return compare(after, *gainer.after) >= 0;
}

/// max_r d_r / C_r: what the task loses in a nanosecond that it has run.
mpq_class VictimSearch::work_rate(std::span<const std::int64_t> demand) const {
  return mpq_class(fairness::dominant_share<fairness::Part>(demand, ledger_.server_pool.pool()));
}

VictimSearch::Loss VictimSearch::loss_of(TaskIndex task, ServerIndex server, std::size_t place) const {
  const TaskRow& row = ledger_.tasks[task];
  const QueueRow& queue = ledger_.queues[ledger_.jobs[row.job].queue];
  const std::span<const std::int64_t> demand = ledger_.demand(queue, server);
  const auto lasted = static_cast<std::uint64_t>(now_.time_since_epoch().count()) -
                      static_cast<std::uint64_t>(row.started.time_since_epoch().count());
  return {.task = task,
          .user = queue.user,
          .task_class = queue.task_class,
          .demand = demand,
          .place = place,
          .work = work_rate(demand) * mpq_class(lasted)};
}

/// Do enough tasks of the job's gang go on without this many of them?
bool VictimSearch::can_spare(JobIndex job, std::int64_t tasks) const {
  const JobRow& row = ledger_.jobs[job];
  const PlacementConstraints* const terms = ledger_.task_classes.terms(ledger_.queues[row.queue].task_class);
  return terms == nullptr || terms->gang == 1 || row.running - tasks >= terms->gang;
}

/// The tasks there of users who may lose one, those with least work lost first; none when all of them
/// together leave too little room.
std::vector<VictimSearch::Loss> VictimSearch::losses_on(ServerIndex server, const Gainer& gainer) const {
  std::vector<TaskIndex> tasks;
  Amounts room = ledger_.server_pool.balance(server);
  for (TaskIndex task = ledger_.servers[server].first_task; task != kNone;
       task = ledger_.tasks[task].next_on_server) {
    const JobRow& job = ledger_.jobs[ledger_.tasks[task].job];
    const QueueRow& queue = ledger_.queues[job.queue];
    if (queue.user == gainer.user || !job.may_be_preempted || !may_lose(queue.user, gainer.rounded) ||
        spared_.contains(task))
      continue;
    const std::span<const std::int64_t> demand = ledger_.demand(queue, server);
    for (std::size_t r = 0; r < room.size(); ++r) room[r] += demand[r];
    tasks.push_back(task);
  }
  std::vector<Loss> losses;
  if (!has_room(gainer.demand, room)) return losses;
  for (const TaskIndex task : tasks) losses.push_back(loss_of(task, server, losses.size()));
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.work < b.work; });
  return losses;
}

/// The work of a task grows evenly, so the first two that change places are neighbours in the present order.
void VictimSearch::note_next_order(const std::vector<Loss>& losses) {
  for (std::size_t at = 1; at < losses.size(); ++at) {
    const Loss& first = losses[at - 1];
    const Loss& second = losses[at];
    if (first.demand.data() == second.demand.data()) continue;
    const mpq_class gains = work_rate(first.demand) - work_rate(second.demand);
    if (gains <= 0) continue;
    const mpq_class wait = (second.work - first.work) / gains;  // until they are equal, in ns
    mpz_class whole = wait.get_num() / wait.get_den();
    const bool comes_first_when_equal = second.place < first.place;
    if (!comes_first_when_equal || whole != wait) ++whole;
    const mpz_class then = whole + mpz_class(now_.time_since_epoch().count());
    if (then.fits_slong_p()) next_order_ = std::min(next_order_, Time(Duration(then.get_si())));
  }
}

/// Those of them that end, if this makes room and they are no more than `max_tasks`; else none.
std::vector<VictimSearch::Loss> VictimSearch::taken_on(ServerIndex server, const Gainer& gainer,
                                                       std::int64_t max_tasks) {
  Amounts room = ledger_.server_pool.balance(server);
  std::map<UserIndex, UsageAfter> left;  // what its losses leave
  std::map<JobIndex, std::int64_t> taken_of_jobs;
  std::vector<Loss> losses = losses_on(server, gainer);
  std::vector<std::size_t> taken;  // of the losses
  for (std::size_t at = 0; at < losses.size(); ++at) {
    const Loss& loss = losses[at];
    const JobIndex job = ledger_.tasks[loss.task].job;
    if (!can_spare(job, taken_of_jobs[job] + 1)) continue;
    UsageAfter& after = left.try_emplace(loss.user, ledger_, loss.user).first->second;
    after.add(loss.task_class, loss.demand, -1);
    if (!is_at_least(after, gainer)) {
      after.add(loss.task_class, loss.demand, 1);
      continue;
    }
    for (std::size_t r = 0; r < room.size(); ++r) room[r] += loss.demand[r];
    ++taken_of_jobs[job];
    taken.push_back(at);
    if (has_room(gainer.demand, room)) break;
  }
  if (!has_room(gainer.demand, room)) {
    note_next_order(losses);
    return {};
  }
  for (std::size_t at = taken.size(); at-- > 0;) {
    Amounts without = room;
    for (std::size_t r = 0; r < room.size(); ++r) without[r] -= losses[taken[at]].demand[r];
    if (!has_room(gainer.demand, without)) continue;
    room = without;
    taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (std::cmp_greater(taken.size(), max_tasks)) {
    found_too_many_ = true;
    note_next_order(losses);
    return {};
  }
  std::vector<Loss> ended;
  for (const std::size_t at : taken) ended.push_back(std::move(losses[at]));
  return ended;
}

void VictimSearch::consider(ServerIndex server, const Gainer& gainer, std::int64_t max_tasks,
                            std::optional<Victims>& best) {
  Victims here{.server = server, .tasks = {}, .work = 0};
  for (const Loss& loss : taken_on(server, gainer, max_tasks)) {
    here.tasks.push_back(loss.task);
    here.work += loss.work;
  }
  if (here.tasks.empty()) return;
  const auto rank = [](const Victims& victims) { return std::tuple(victims.tasks.size(), victims.server); };
  if (!best || here.work < best->work || (here.work == best->work && rank(here) < rank(*best)))
    best = std::move(here);
}

std::optional<Victims> VictimSearch::find(QueueIndex queue, std::int64_t max_tasks,
                                          const std::function<bool(ServerIndex server)>& may_use) {
  const QueueRow& row = ledger_.queues[queue];
  const UsageAfter before(ledger_, row.user);
  std::optional<Victims> best;
  for (const DemandAlternative& alternative : ledger_.task_classes.alternatives(row.task_class)) {
    if (!may_count(before, alternative.demand)) continue;
    UsageAfter after = before;
    after.add(row.task_class, alternative.demand, 1);
    // Infinite for tsf, where no server holds such a task.
    const Gainer gainer{
        .user = row.user, .demand = alternative.demand, .after = &after, .rounded = rounded(after)};
    if (max_spare_ < gainer.rounded * (1 - kRounding) || compare(after, before) <= 0) continue;
    for (const ServerIndex server : ledger_.servers.indices()) {
      if (ledger_.task_classes.eligibility.contains(alternative.servers, server) && may_use(server) &&
          is_within(alternative.demand, ledger_.server_pool.capacity(server)))
        consider(server, gainer, max_tasks, best);
    }
  }
  return best;
}

// Preemption: when nothing else can be placed, tasks of users above their fair share end for a task of one
// below its own. Which tasks may end for which user: above. The queues are asked in the order of the
// discipline, users that tie as they came (with tie last the other way round), and only those whose task fits
// nowhere. With blocking=freeze only the first of all queues is asked: no other queue passes it by force
// either.
//
// No loops. With every decision between two events the keys of all users, sorted, rise lexicographically:
//   - a preemption changes b's key, which rises from k to k' > k, and those of its victims, which do not fall
//     below k'. Keys of at most k stay, but for b's, of which there is one less;
//   - a placement changes the key of one user, which rises; or stays, for a task that takes nothing that
//     counts: then the number of running tasks rises, which such tasks do not lose by force.
// Between two events finitely many sets of tasks can run, so the decisions come to an end.
//
// Budget: of any time of length `per`, [t, t + per), at most `tasks` tasks end so. Sets with more tasks than
// are left are passed over.
//
// A search that found nothing is not repeated before its outcome may be another: after an event, a decision,
// or the end of a reservation; where the budget stood in its way, when some of it is free; and when the tasks
// of a server that it looked at come in another order, since their work grows at different rates. Until then
// the search would take the same tasks. Where too little may be lost whatever the order, time changes
// nothing.
//
// Cost: without the option a branch. A search: O(queues m) when no user may lose anything to another, else
// for every queue below the highest user see VictimSearch::find.

Check check(const Preempting& rule) {
  if (rule.tasks < 1)
    return Error{.message = "must be at least 1; omit preemption to turn it off", .key = "preemption.tasks"};
  if (rule.per.count() <= 0) return Error{.message = "must be positive", .key = "preemption.per"};
  return {};
}

/// The first time at which what ended then counts no more.
Time PreemptionPolicy::end_of_window(Time ended) const {
  return ended > Time::max() - rule_.per ? Time::max() : ended + rule_.per;
}

std::int64_t PreemptionPolicy::left(Time now) {
  while (!ended_.empty() && end_of_window(ended_.front().first) <= now) {
    recent_ -= ended_.front().second;
    ended_.pop_front();
  }
  return rule_.tasks - recent_;
}

void PreemptionPolicy::ended(std::int64_t tasks, Time now) {
  ended_.emplace_back(now, tasks);
  recent_ += tasks;
}

void PreemptionPolicy::found_too_many(Time next_order) {
  again_ = ended_.empty() ? next_order : std::min(next_order, end_of_window(ended_.front().first));
  is_futile_ = true;
}

void PreemptionPolicy::set_memory(Memory memory) {
  ended_ = std::move(memory.ended);
  recent_ = 0;
  for (const auto& [when, tasks] : ended_) recent_ += tasks;
  is_futile_ = memory.is_futile;
  again_ = memory.again;
}

namespace {

/// The queues that may gain something, in the order of the discipline. Where the tasks of a job with terms
/// may go depends on more than one server: they wait for what ends by itself.
std::vector<QueueIndex> queues_that_may_gain(const PreemptionView& view, const VictimSearch& search) {
  const ShareContext& context = *view.precedence.context;
  const Ledger& ledger = context.ledger;
  const auto may_gain = [&](QueueIndex queue) {
    return ledger.task_classes.terms(ledger.queues[queue].task_class) == nullptr && search.may_gain(queue);
  };
  const bool is_frozen = view.blocking == Blocking::freeze;
  std::vector<Keyed> queues;
  for (const QueueIndex queue : ledger.queues.indices()) {
    if (!view.waiting.holds(queue) || !(is_frozen || may_gain(queue))) continue;
    const TournamentEntry entry{.queue = queue};
    queues.push_back({.entry = entry, .key = view.precedence.discipline->key->rounded(context, entry)});
  }
  std::sort(queues.begin(), queues.end(), [&](Keyed a, Keyed b) { return view.precedence.before(a, b); });
  std::vector<QueueIndex> in_order;
  for (const Keyed& queue : queues) {
    if (!is_frozen || may_gain(queue.entry.queue)) in_order.push_back(queue.entry.queue);
    if (is_frozen) break;
  }
  return in_order;
}

std::optional<PreemptionCandidate> first_candidate(const PreemptionView& view, VictimSearch& search,
                                                   std::int64_t max_tasks) {
  const Ledger& ledger = view.precedence.context->ledger;
  for (const QueueIndex queue : queues_that_may_gain(view, search)) {
    if (view.blocking == Blocking::freeze &&
        fits_somewhere(ledger, ledger.queues[queue].task_class, view.open))
      continue;
    std::optional<Victims> victims = search.find(queue, max_tasks, [&](ServerIndex server) {
      if (view.open.contains(server)) return true;
      const Reservations::Kept* const here = view.reservations.on_server(server);
      return here != nullptr && here->queue == queue;
    });
    if (victims) return PreemptionCandidate{.queue = queue, .victims = *std::move(victims)};
  }
  return {};
}

}  // namespace

std::optional<PreemptionCandidate> PreemptionPolicy::intend(const PreemptionView& view, Time now) {
  if (is_futile_ && now < again_) return {};
  const std::int64_t left = this->left(now);
  if (left == 0) {
    found_too_many(Time::max());
    return {};
  }
  VictimSearch search(*view.precedence.context, *view.precedence.discipline->share, view.spared, now);
  std::optional<PreemptionCandidate> candidate = first_candidate(view, search, left);
  if (!candidate)
    search.found_too_many() ? found_too_many(search.next_order()) : found_nothing(search.next_order());
  return candidate;
}

}  // namespace mirab::scheduling
