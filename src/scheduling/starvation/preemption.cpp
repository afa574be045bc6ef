// Preemption. First the choice of victims for one task, then the decision whether to preempt at all.
#include "scheduling/starvation/preemption.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/seconds.hpp"
#include "scheduling/dispatch/room_search.hpp"
#include "scheduling/order/tree_order.hpp"

namespace mirab::scheduling {

// Which running tasks end so that a task of user b fits. By which right tasks may end for others:
// rights.cpp, and reclaim.cpp where there are groups. A task that started on a server kept for it
// (reservations.cpp) is not preempted as long as it runs.
//
// On each server tasks are taken in this order, passing over those that may not be, until b's task fits; in a
// tree those passed over are asked again after one has been taken:
//
//   1. lower tiers first;
//   2. in b's tier those of others before those of b, and of b's own those with lower priorities first;
//   3. in a tree of groups from the user that stands highest without the task, the newest of equal ones
//      first, and of its tasks those with lower priorities first (reclaim.cpp). Without groups by the work
//      that is lost, (now − started) · max_r d_r / C_r, the newest of equal ones first. This says whose turn
//      it is. A user's first turn takes its task with the lowest priority, the least work first among equal
//      ones, and so on: its priorities say which of its tasks end, and not how many.
//
// Then those that are not needed are dropped again, the last first, in a tree the first first; then the
// rights are asked of the set that is left. Of all servers the set is best whose last task comes first by 1
// and 2, then the one whose turns have the least work (in a tree they have none), then the one with fewer
// tasks, in a tree then the one whose losers stand higher, the lowest of each compared, then that on the
// server with the lower number. This says which users lose tasks. Of all sets that take from the same users
// the one is chosen whose last task comes first by 1 and 2, then the one whose highest priority is lowest,
// then the best one. So a user gains nothing against others by the priorities of its jobs.
//
// Known failures: which tasks make room with the least loss is a knapsack in several dimensions; this is a
// greedy answer, and where it finds none on a server there may be one, now or in an order that comes later.

namespace {

/// Has a server with this balance (ServerPool::balance) room? What is below 0 counts as 0.
bool has_room(std::span<const std::int64_t> demand, std::span<const std::int64_t> balance) {
  return std::equal(demand.begin(), demand.end(), balance.begin(),
                    [](std::int64_t units, std::int64_t left) { return units == 0 || units <= left; });
}

void add(std::span<std::int64_t> amounts, std::span<const std::int64_t> demand, std::int64_t sign) {
  for (std::size_t r = 0; r < amounts.size(); ++r) amounts[r] += sign * demand[r];
}

LossBand band_of(const Loss& loss, UserIndex b) {
  const bool is_own = loss.user == b;
  return {.tier = loss.tier, .is_own = is_own, .own_priority = is_own ? loss.priority : 0};
}

/// By work; of those who take from the same users, also by the priorities that are lost.
bool is_cheaper(const Victims& a, const Victims& b) {
  if (a.last != b.last) return a.last < b.last;
  if (a.work != b.work) return a.work < b.work;
  if (a.tasks.size() != b.tasks.size()) return a.tasks.size() < b.tasks.size();
  const std::weak_ordering order = order_of(a.poorest, b.poorest);
  return order != 0 ? order > 0 : a.server < b.server;
}
bool is_lower(const Victims& a, const Victims& b) {
  const auto height = [](const Victims& victims) { return std::pair(victims.last, victims.priority); };
  return height(a) != height(b) ? height(a) < height(b) : is_cheaper(a, b);
}

}  // namespace

/// max_r d_r / C_r: what the task loses in a nanosecond that it has run.
mpq_class VictimSearch::work_rate(std::span<const std::int64_t> demand) const {
  return mpq_class(fairness::dominant_share<fairness::Part>(demand, ledger_.server_pool.pool()));
}

/// The work that is lost with the task, worked out once.
const mpq_class& VictimSearch::work_of(TaskIndex task) {
  const auto [known, is_new] = works_.try_emplace(task);
  if (!is_new) return known->second;
  const auto lasted = static_cast<std::uint64_t>(now_.time_since_epoch().count()) -
                      static_cast<std::uint64_t>(ledger_.tasks[task].started.time_since_epoch().count());
  return known->second = work_rate(ledger_.demand(task)) * mpq_class(lasted);
}

Loss VictimSearch::loss_of(TaskIndex task, std::size_t place) {
  const TaskRow& row = ledger_.tasks[task];
  const QueueRow& queue = ledger_.queues[ledger_.jobs[row.job].queue];
  return {.task = task,
          .job = row.job,
          .user = queue.user,
          .task_class = queue.task_class,
          .demand = ledger_.demand(task),
          .tier = ledger_.users[queue.user].tier,
          .priority = ledger_.jobs[row.job].rank.priority,
          .place = place,
          .work = in_tree() ? nullptr : &work_of(task)};
}

/// Do enough tasks of the job's gang go on without this many of them?
bool VictimSearch::can_spare(JobIndex job, std::int64_t tasks) const {
  const JobRow& row = ledger_.jobs[job];
  const PlacementConstraints* const terms = ledger_.task_classes.terms(ledger_.queues[row.queue].task_class);
  return terms == nullptr || terms->gang == 1 || row.running - tasks >= terms->gang;
}

/// The balance that each server would have if all tasks ended that may, or more.
IndexedAmounts<ServerIndex> VictimSearch::room_if_all_end() {
  if (!balances_) {
    balances_.emplace(ledger_.resource_count());
    balances_->resize(ledger_.servers.index_count());
    for (const ServerIndex server : ledger_.servers.present())
      add((*balances_)[server], ledger_.server_pool.balance(server), 1);
  }
  IndexedAmounts<ServerIndex> room = *balances_;
  for (const JobIndex job : ledger_.jobs.present()) {
    const JobRow& row = ledger_.jobs[job];
    if (row.running == 0 || !row.may_be_preempted ||
        !rights_.may_lose_any(row, ledger_.queues[row.queue].user))
      continue;
    ledger_.for_each_task_of(
        job, [&](TaskIndex task) { add(room[ledger_.tasks[task].server], ledger_.demand(task), 1); });
  }
  return room;
}

/// The tasks there that may end, those with least work lost first, in a tree the newest; none when all of
/// them together leave too little room.
std::vector<Loss> VictimSearch::losses_on(ServerIndex server, std::span<const std::int64_t> demand) {
  std::vector<TaskIndex> tasks;
  Amounts room = ledger_.server_pool.balance(server);
  ledger_.for_each_task_on(server, [&](TaskIndex task) {
    const JobRow& job = ledger_.jobs[ledger_.tasks[task].job];
    const QueueRow& queue = ledger_.queues[job.queue];
    if (!job.may_be_preempted || !rights_.may_lose(task, job, queue.user) || spared_.contains(task)) return;
    add(room, ledger_.demand(task), 1);
    tasks.push_back(task);
  });
  std::vector<Loss> losses;
  if (!has_room(demand, room)) return losses;
  for (const TaskIndex task : tasks) losses.push_back(loss_of(task, losses.size()));
  if (in_tree()) return losses;
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return *a.work < *b.work; });
  return losses;
}

/// The turns in the order in which tasks end; in a tree by their bands, where Rights::choose says whose turn
/// it is. O(tasks log tasks).
std::vector<Turn> VictimSearch::turns_of(const std::vector<Loss>& by_work, UserIndex user) const {
  std::vector<Turn> turns;
  for (const Loss& loss : by_work) turns.push_back({.loss = &loss, .work = loss.work, .band = {}});
  if (ledger_.has_priorities && !in_tree()) {
    std::map<UserIndex, std::vector<const Loss*>> of_users;
    for (const Loss& loss : by_work) of_users[loss.user].push_back(&loss);
    for (auto& [owner, losses] : of_users)
      std::stable_sort(losses.begin(), losses.end(),
                       [](const Loss* a, const Loss* b) { return a->priority < b->priority; });
    std::map<UserIndex, std::size_t> next;
    for (std::size_t at = 0; at < by_work.size(); ++at)
      turns[at].loss = of_users[by_work[at].user][next[by_work[at].user]++];
  }
  for (Turn& turn : turns) turn.band = band_of(*turn.loss, user);
  std::stable_sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.band < b.band; });
  return turns;
}

/// The work of a task grows evenly, so the first two that change places are neighbours in the present order.
void VictimSearch::note_next_order(const std::vector<Loss>& losses) {
  if (in_tree()) return;
  for (std::size_t at = 1; at < losses.size(); ++at) {
    const Loss& first = losses[at - 1];
    const Loss& second = losses[at];
    if (first.demand.data() == second.demand.data()) continue;
    const mpq_class gains = work_rate(first.demand) - work_rate(second.demand);
    if (gains <= 0) continue;
    const mpq_class wait = (*second.work - *first.work) / gains;  // until they are equal, in ns
    mpz_class whole = wait.get_num() / wait.get_den();
    const bool comes_first_when_equal = second.place < first.place;
    if (!comes_first_when_equal || whole != wait) ++whole;
    const mpz_class then = whole + mpz_class(now_.time_since_epoch().count());
    if (then.fits_slong_p()) next_order_ = std::min(next_order_, Time(Duration(then.get_si())));
  }
}

/// Are those that would end there, at most `max_tasks`, the best as yet?
void VictimSearch::consider(ServerIndex server, const Gain& gain, std::int64_t max_tasks, BestVictims& best) {
  const std::span<const std::int64_t> demand = gain.demand;
  Amounts room = ledger_.server_pool.balance(server);
  std::vector<std::size_t> missing;
  for (std::size_t r = 0; r < room.size(); ++r) {
    if (demand[r] > 0 && room[r] < demand[r]) missing.push_back(r);
  }
  if (missing.empty()) return;
  rights_.begin_on(missing);
  const std::vector<Loss> losses = losses_on(server, demand);
  if (losses.empty()) return;
  std::map<JobIndex, std::int64_t> taken_of_jobs;
  std::vector<Turn> taken;
  std::vector<Turn> turns = turns_of(losses, gain.user);
  for (std::size_t at = 0; at < turns.size() && !has_room(demand, room);) {
    rights_.choose(std::span(turns).subspan(at));
    const Loss& loss = *turns[at].loss;
    if (!can_spare(loss.job, taken_of_jobs[loss.job] + 1) || !rights_.lose(loss)) {
      ++at;
      continue;
    }
    add(room, loss.demand, 1);
    ++taken_of_jobs[loss.job];
    taken.push_back(turns[at]);
    turns.erase(turns.begin() + static_cast<std::ptrdiff_t>(at));
    if (in_tree()) at = 0;
  }
  if (!has_room(demand, room)) return note_next_order(losses);
  if (!in_tree()) std::reverse(taken.begin(), taken.end());
  std::erase_if(taken, [&](const Turn& turn) {
    add(room, turn.loss->demand, -1);
    if (has_room(demand, room)) {
      rights_.keep(*turn.loss);
      return true;
    }
    add(room, turn.loss->demand, 1);
    return false;
  });
  if (!in_tree()) std::reverse(taken.begin(), taken.end());
  if (std::cmp_greater(taken.size(), max_tasks)) {
    found_too_many_ = true;
    return note_next_order(losses);
  }
  Victims here{.server = server,
               .tasks = {},
               .rights = {},
               .last = taken.back().band,
               .priority = taken.back().loss->priority,
               .work = 0,
               .poorest = {}};
  std::set<UserIndex> users;
  std::vector<const Loss*> lost;
  for (const Turn& turn : taken) {
    lost.push_back(turn.loss);
    here.tasks.push_back(turn.loss->task);
    here.priority = std::max(here.priority, turn.loss->priority);
    if (turn.work != nullptr) here.work += *turn.work;
    if (ledger_.has_priorities) users.insert(turn.loss->user);
  }
  here.poorest = rights_.poorest(lost);
  const bool is_best = !best.of_all || is_cheaper(here, *best.of_all);
  const auto of_these = best.of_users.find(users);
  const bool is_lowest =
      ledger_.has_priorities && (of_these == best.of_users.end() || is_lower(here, of_these->second));
  if (!is_best && !is_lowest) return;
  std::optional<std::vector<Right>> rights = rights_.of(lost);
  if (!rights) return note_next_order(losses);
  here.rights = *std::move(rights);
  if (is_lowest) best.of_users.insert_or_assign(users, here);
  if (is_best) best.users = std::move(users), best.of_all = std::move(here);
}

bool VictimSearch::begin(QueueIndex queue, const DemandAlternative& alternative, Gain& gain) {
  const QueueRow& row = ledger_.queues[queue];
  gain = {.queue = queue,
          .user = row.user,
          .demand = alternative.demand,
          .priority = ledger_.jobs[row.first_job].rank.priority};
  return rights_.begin(gain);
}

std::optional<Victims> VictimSearch::best_of(BestVictims best, bool has_priorities) {
  if (best.of_all && has_priorities) return best.of_users.at(best.users);
  return best.of_all;
}

std::optional<Victims> VictimSearch::find(QueueIndex queue, std::int64_t max_tasks,
                                          const std::function<bool(ServerIndex server)>& may_use) {
  BestVictims best;
  Gain gain;
  for (const DemandAlternative& alternative :
       ledger_.task_classes.alternatives(ledger_.queues[queue].task_class)) {
    if (!begin(queue, alternative, gain)) continue;
    const IndexedAmounts<ServerIndex> room = room_if_all_end();
    for (const ServerIndex server : ledger_.servers.indices()) {
      if (has_room(alternative.demand, room[server]) &&
          ledger_.task_classes.eligibility.contains(alternative.servers, server) && may_use(server) &&
          is_within(alternative.demand, ledger_.server_pool.capacity(server)))
        consider(server, gain, max_tasks, best);
    }
  }
  return best_of(std::move(best), ledger_.has_priorities);
}

std::optional<Victims> VictimSearch::find_on(std::span<const ServerIndex> servers, QueueIndex queue,
                                             std::int64_t max_tasks,
                                             const std::function<bool(ServerIndex server)>& may_use) {
  BestVictims best;
  Gain gain;
  for (const DemandAlternative& alternative :
       ledger_.task_classes.alternatives(ledger_.queues[queue].task_class)) {
    if (!begin(queue, alternative, gain)) continue;
    for (const ServerIndex server : servers) {
      if (ledger_.task_classes.eligibility.contains(alternative.servers, server) && may_use(server) &&
          is_within(alternative.demand, ledger_.server_pool.capacity(server)))
        consider(server, gain, max_tasks, best);
    }
  }
  return best_of(std::move(best), ledger_.has_priorities);
}

// Preemption: when nothing else can be placed, tasks end for others that have a right to it. The queues are
// asked in the order of the discipline, users that tie as they came (with tie last the other way round), and
// only those whose task fits nowhere. In a tree higher tiers come first, then tasks that a guarantee covers,
// then the users that stand lowest (reclaim.cpp): of tasks that limits and reserves stop too, since what a
// member loses may be what a limit asks for. With blocking=freeze only the first of all queues is asked, as
// the dispatcher has them: no other queue passes it by force either.
//
// No loops. Without groups, moves by rank end tasks that ran at the latest event: there are finitely many.
// With every other decision between two events the keys of all users, sorted, rise lexicographically:
//   - a preemption changes b's key, which rises from k to k' > k, and those of its victims, which do not fall
//     below k'. Keys of at most k stay, but for b's, of which there is one less;
//   - a placement changes the key of one user, which rises; or stays, for a task that takes nothing that
//     counts: then the number of running tasks rises, which such tasks do not lose by force.
// Between two events finitely many sets of tasks can run, so the decisions come to an end. In a tree every
// move ends a task that ran at the latest event; see docs/explanation/teams.md for what else holds.
//
// Budget: of any time of length `per`, [t, t + per), at most `tasks` tasks end so. Sets with more tasks than
// are left are passed over.
//
// A search that found nothing is not repeated before its outcome may be another: after an event, a decision,
// or the end of a reservation; where the budget stood in its way, when some of it is free; and when the tasks
// of a server that it looked at come in another order, since their work grows at different rates. Until then
// the search would take the same tasks. Where too little may be lost whatever the order, time changes
// nothing. In a tree, where shares are of resources, a job that comes changes nothing for others: after a
// search that found nothing its user is asked alone, and the others only for servers with tasks that had just
// started then, and may end since. What such a search finds is what a search of everything would find.
//
// Cost: without the option a branch. A search: O(queues m) when no user may lose anything to another, else
// for every queue below the highest user see VictimSearch::find. In a tree O(nodes m), O(depth m) for every
// queue that waits, and for those that could gain O(depth m members) and VictimSearch::find.

Check check(const Preempting& rule) {
  if (rule.tasks < 1)
    return Error{.message = "must be at least 1; omit preemption to turn it off", .key = "preemption.tasks"};
  if (rule.per.count() <= 0) return Error{.message = "must be positive", .key = "preemption.per"};
  return {};
}

/// The first time at which what ended then counts no more.
Time PreemptionPolicy::end_of_window(Time ended) const { return later(ended, rule_.per); }

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

void PreemptionPolicy::job_comes(const Ledger& ledger, UserIndex user) {
  constexpr std::size_t kMostUsers = 64;
  is_futile_ = false;
  if (unsearched_ && unsearched_->users.size() == kMostUsers) unsearched_.reset();
  if (unsearched_) {
    std::set<ServerIndex> servers(unsearched_->servers.begin(), unsearched_->servers.end());
    for (const TaskIndex task : started_.all()) servers.insert(ledger.tasks[task].server);
    unsearched_->servers.assign(servers.begin(), servers.end());
    unsearched_->users.push_back(user);
  }
  started_.event_happened();
}

void PreemptionPolicy::found_too_many(Time next_order) {
  again_ = ended_.empty() ? next_order : std::min(next_order, end_of_window(ended_.front().first));
  is_futile_ = true;
  is_over_budget_ = true;
}

PreemptionPolicy PreemptionPolicy::with_budget(std::int64_t tasks) const {
  PreemptionPolicy other = *this;
  other.rule_.tasks = tasks;
  other.ended_.clear();
  other.recent_ = 0;
  other.something_changed();
  return other;
}

std::optional<Time> PreemptionPolicy::when_allowed(std::int64_t tasks, Time now) const {
  if (tasks > rule_.tasks) return {};
  std::int64_t recent = recent_;
  Time at = now;
  for (const auto& [when, ended] : ended_) {
    if (rule_.tasks - recent >= tasks) break;
    recent -= ended;
    at = std::max(at, end_of_window(when));
  }
  return at;
}

void PreemptionPolicy::set_memory(Memory memory) {
  ended_ = std::move(memory.ended);
  recent_ = 0;
  for (const auto& [when, tasks] : ended_) recent_ += tasks;
  is_futile_ = is_over_budget_ = memory.is_futile;  // which of both is not kept: a question asks again
  again_ = memory.again;
  for (const TaskIndex task : memory.started) started_.started(task);
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

bool is_new(const Unsearched& unsearched, UserIndex user) {
  return std::find(unsearched.users.begin(), unsearched.users.end(), user) != unsearched.users.end();
}

/// The same in a tree: the order stands above.
std::vector<QueueIndex> queues_of_tree_that_may_gain(const PreemptionView& view, const VictimSearch& search,
                                                     const std::optional<Unsearched>& unsearched) {
  const Ledger& ledger = view.precedence.context->ledger;
  struct Asking {
    QueueIndex queue;
    UserIndex user;
    std::int64_t tier;
    bool is_covered;
  };
  std::vector<Asking> asking;
  for (const QueueIndex queue : ledger.queues.indices()) {
    const QueueRow& row = ledger.queues[queue];
    if (unsearched && unsearched->servers.empty() && !is_new(*unsearched, row.user)) continue;
    if (!view.waiting.holds(queue) || ledger.task_classes.terms(row.task_class) != nullptr ||
        !search.may_gain(queue))
      continue;
    Amounts demand;
    const TreeCandidate candidate = tree_candidate(ledger, view.tournaments, {.queue = queue}, demand);
    asking.push_back({.queue = queue,
                      .user = row.user,
                      .tier = ledger.users[row.user].tier,
                      .is_covered = covering(ledger, row.user, candidate.demand).has_value()});
  }
  std::sort(asking.begin(), asking.end(), [&](const Asking& a, const Asking& b) {
    if (a.tier != b.tier) return a.tier > b.tier;
    if (a.is_covered != b.is_covered) return a.is_covered;
    const std::weak_ordering order = search.standing_order(a.user, b.user);
    return order != 0 ? order < 0
                      : view.precedence.is_before_by_tie_rule({.queue = a.queue}, {.queue = b.queue});
  });
  std::vector<QueueIndex> queues;
  for (const Asking& each : asking) queues.push_back(each.queue);
  return queues;
}

/// With freeze the first queue of all, of which no limit or reserve stops the next task.
std::vector<QueueIndex> head_of_tree(const PreemptionView& view) {
  const Ledger& ledger = view.precedence.context->ledger;
  const auto write = [&](UserIndex user, std::vector<TreeCandidate>& candidates,
                         std::vector<Amounts>& demands) {
    for (const QueueIndex queue : ledger.users[user].queues) {
      if (!view.waiting.holds(queue)) continue;
      Amounts demand;
      TreeCandidate candidate = tree_candidate(ledger, view.tournaments, {.queue = queue}, demand);
      if (quota_in_the_way(ledger, user, candidate.demand)) continue;
      if (!demand.empty()) candidate.demand = demands.emplace_back(std::move(demand));
      candidate.is_covered = covering(ledger, user, candidate.demand).has_value();
      candidates.push_back(candidate);
    }
  };
  Precedence precedence = view.precedence;
  if (precedence.tie == Tie::random) precedence.tie = Tie::first;
  Random none(0);
  TreeOrder order;
  const TreeCandidate* const head = order.next(Descent(precedence), write, none);
  if (head == nullptr || ledger.task_classes.terms(ledger.queues[head->entry.queue].task_class) != nullptr)
    return {};
  return {head->entry.queue};
}

std::optional<PreemptionCandidate> first_candidate(const PreemptionView& view, VictimSearch& search,
                                                   std::int64_t max_tasks,
                                                   const std::optional<Unsearched>& unsearched) {
  const Ledger& ledger = view.precedence.context->ledger;
  const auto ask = [&](QueueIndex queue) -> std::optional<PreemptionCandidate> {
    if (view.blocking == Blocking::freeze &&
        fits_somewhere(ledger, ledger.queues[queue].task_class, view.open))
      return {};
    const auto may_use = [&](ServerIndex server) {
      if (view.open.contains(server)) return true;
      const Reservations::Kept* const here = view.reservations.on_server(server);
      return here != nullptr && here->queue == queue;
    };
    std::optional<Victims> victims = !unsearched || is_new(*unsearched, ledger.queues[queue].user)
                                         ? search.find(queue, max_tasks, may_use)
                                         : search.find_on(unsearched->servers, queue, max_tasks, may_use);
    if (!victims) return {};
    return PreemptionCandidate{.queue = queue, .victims = *std::move(victims)};
  };
  const std::vector<QueueIndex> queues = !ledger.has_tree() ? queues_that_may_gain(view, search)
                                         : view.blocking == Blocking::freeze
                                             ? head_of_tree(view)
                                             : queues_of_tree_that_may_gain(view, search, unsearched);
  for (const QueueIndex queue : queues) {
    if (std::optional<PreemptionCandidate> found = ask(queue)) return found;
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
  const ShareContext& context = *view.precedence.context;
  const Discipline& discipline = *view.precedence.discipline;
  const bool in_tree = context.ledger.has_tree();
  if (discipline.priced) keys_.all_changed();  // prices follow who is there
  if (!in_tree) keys_.refresh(context, *discipline.share);
  const std::unique_ptr<Rights> rights = in_tree
                                             ? rights_in_tree(view.precedence, started_)
                                             : rights_of_users(context, *discipline.share, keys_, started_);
  VictimSearch search(context.ledger, *rights, view.spared, now);
  std::optional<PreemptionCandidate> candidate = first_candidate(view, search, left, unsearched_);
  unsearched_.reset();
  if (candidate) return candidate;
  if (search.found_too_many()) {
    found_too_many(search.next_order());
  } else {
    found_nothing(search.next_order());
    // By other measures a job that comes may change what others count for, and with freeze who is first.
    if (in_tree && discipline.tree == TreeMeasure::resources && view.blocking == Blocking::skip)
      unsearched_.emplace();
  }
  return {};
}

}  // namespace mirab::scheduling
