// Which running tasks end so that a task of user b fits, by the level of each user: its key in the
// discipline, the same for all its queues (see level.hpp).
//
//   - b's level after its gain, k', is above its level before. A task that takes nothing that counts gets
//     nothing by force.
//   - Every user v ≠ b who loses tasks has, after all its losses, a level of at least k'.
//
// So there is a level, k', below which b was, and above which every victim was and at or above which it
// stays: tasks go from users above their fair share to one below its own, and the order does not flip. A task
// that started on a server kept for it (reservations.cpp) is not preempted as long as it runs.
//
// On each server tasks are taken in the order of the work that is lost, (now − started) · max_r d_r / C_r,
// the newest of equal ones first, passing over those that may not be, until b's task fits; then those that
// are not needed are dropped again, the most work first. Of all servers the set with the least work is
// chosen, then the one with fewer tasks, then that on the server with the lower number.
//
// Known failures: which tasks make room with the least loss is a knapsack in several dimensions; this is a
// greedy answer, and where it finds none on a server there may be one.
#include "scheduling/victims.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace mirab::scheduling {
namespace {

/// Does the pool hold so much besides what the user has, which stays? Where not, the sum may be more than can
/// be counted.
bool has_pool_for(const Accounts& accounts, const Holding& holding, std::span<const std::int64_t> demand) {
  Amounts others(accounts.park.pool().begin(), accounts.park.pool().end());
  for (std::size_t r = 0; r < others.size(); ++r) others[r] -= holding.used[r];
  return is_within(demand, others);
}

}  // namespace

struct VictimSearch::Gain {
  std::uint32_t user;
  std::span<const std::int64_t> demand;
  mpq_class level;  // afterwards
  double rounded;
};

struct VictimSearch::Loss {
  std::uint32_t task;
  std::uint32_t user;
  std::uint32_t shape;
  std::span<const std::int64_t> demand;
  mpq_class work;
};

VictimSearch::VictimSearch(const Standing& standing, const Level& level, const Reservations* reservations,
                           Time now)
    : standing_(standing),
      accounts_(standing.accounts),
      level_(level),
      reservations_(reservations),
      now_(now),
      spare_(accounts_.users.end(), -1.0) {
  for (std::uint32_t user = 0; user < accounts_.users.end(); ++user) {
    if (accounts_.users.holds(user)) note_spare(user);
  }
}

/// Of all ways in which the user's tasks may run the one that leaves most.
void VictimSearch::note_spare(std::uint32_t user) {
  for (const std::uint32_t queue : accounts_.users[user].queues) {
    const QueueRow& row = accounts_.queues[queue];
    if (row.running == 0) continue;
    for (const Way& way : accounts_.shapes.ways(row.shape)) {
      Holding after = Holding::of(accounts_, user);
      if (!is_within(way.demand, after.used)) continue;
      after.add(row.shape, way.demand, -1);
      spare_[user] = std::max(spare_[user], level_.rounded(standing_, after));
    }
  }
  most_spare_ = std::max(most_spare_, spare_[user]);
}

/// Did the task start on a server that was kept for it?
bool VictimSearch::is_protected(std::uint32_t task) const {
  return reservations_ != nullptr && reservations_->met.contains(task);
}

bool VictimSearch::may_lose(std::uint32_t user, double level) const {
  return spare_[user] >= level * (1 - kRounding);
}

bool VictimSearch::may_gain(std::uint32_t queue) const {
  const Holding now = Holding::of(accounts_, accounts_.queues[queue].user);
  return level_.rounded(standing_, now) * (1 - kRounding) <= most_spare_;
}

/// Is the level of the holding at least that of who gains, exactly?
bool VictimSearch::is_at_least(const Holding& holding, const Gain& gain) const {
  const double rounded = level_.rounded(standing_, holding);
  if (std::abs(rounded - gain.rounded) > kRounding * std::max(rounded, gain.rounded))
    return rounded > gain.rounded;
  return level_.exact(standing_, holding) >= gain.level;
}

VictimSearch::Loss VictimSearch::loss_of(std::uint32_t task, std::uint32_t server) const {
  const TaskRow& row = accounts_.tasks[task];
  const QueueRow& queue = accounts_.queues[accounts_.jobs[row.job].queue];
  const std::span<const std::int64_t> demand = accounts_.demand(queue, server);
  const std::span<const std::int64_t> pool = accounts_.park.pool();
  const std::uint32_t r = dominant_resource(demand, pool);
  const auto lasted = static_cast<std::uint64_t>(now_.time_since_epoch().count()) -
                      static_cast<std::uint64_t>(row.started.time_since_epoch().count());
  mpq_class work = mpq_class(demand[r]) * mpq_class(lasted);
  if (pool[r] > 0) work /= mpq_class(pool[r]);
  return {.task = task, .user = queue.user, .shape = queue.shape, .demand = demand, .work = std::move(work)};
}

/// Do enough tasks of the job's gang go on without so many of them?
bool VictimSearch::can_spare(std::uint32_t job, std::int64_t tasks) const {
  const JobRow& row = accounts_.jobs[job];
  const Terms* const terms = accounts_.shapes.terms(accounts_.queues[row.queue].shape);
  return terms == nullptr || terms->gang == 1 || row.running - tasks >= terms->gang;
}

/// The tasks there of users who may lose one, those with least work lost first; none when all of them
/// together leave too little room.
std::vector<VictimSearch::Loss> VictimSearch::losses_on(std::uint32_t server, const Gain& gain) const {
  std::vector<std::uint32_t> tasks;
  const std::span<const std::int64_t> free = accounts_.park.free(server);
  Amounts room(free.begin(), free.end());
  for (std::uint32_t task = accounts_.servers[server].first_task; task != kNone;
       task = accounts_.tasks[task].next_on_server) {
    const QueueRow& queue = accounts_.queues[accounts_.jobs[accounts_.tasks[task].job].queue];
    if (queue.user == gain.user || !may_lose(queue.user, gain.rounded) || is_protected(task)) continue;
    const std::span<const std::int64_t> demand = accounts_.demand(queue, server);
    for (std::size_t r = 0; r < room.size(); ++r) room[r] += demand[r];
    tasks.push_back(task);
  }
  std::vector<Loss> losses;
  if (!is_within(gain.demand, room)) return losses;
  for (const std::uint32_t task : tasks) losses.push_back(loss_of(task, server));
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.work < b.work; });
  return losses;
}

/// Those of them that end, if this makes room; else none.
std::vector<VictimSearch::Loss> VictimSearch::taken_on(std::uint32_t server, const Gain& gain) const {
  const std::span<const std::int64_t> free = accounts_.park.free(server);
  Amounts room(free.begin(), free.end());
  std::map<std::uint32_t, Holding> holdings;            // by user, what its losses leave
  std::map<std::uint32_t, std::int64_t> taken_of_jobs;  // by job
  std::vector<Loss> taken;
  for (Loss& loss : losses_on(server, gain)) {
    const std::uint32_t job = accounts_.tasks[loss.task].job;
    if (!can_spare(job, taken_of_jobs[job] + 1)) continue;
    Holding& holding = holdings.try_emplace(loss.user, Holding::of(accounts_, loss.user)).first->second;
    holding.add(loss.shape, loss.demand, -1);
    if (!is_at_least(holding, gain)) {
      holding.add(loss.shape, loss.demand, 1);
      continue;
    }
    for (std::size_t r = 0; r < room.size(); ++r) room[r] += loss.demand[r];
    ++taken_of_jobs[job];
    taken.push_back(std::move(loss));
    if (is_within(gain.demand, room)) break;
  }
  if (!is_within(gain.demand, room)) return {};
  for (std::size_t at = taken.size(); at-- > 0;) {
    Amounts without = room;
    for (std::size_t r = 0; r < room.size(); ++r) without[r] -= taken[at].demand[r];
    if (!is_within(gain.demand, without)) continue;
    room = without;
    taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return taken;
}

void VictimSearch::consider(std::uint32_t server, const Gain& gain, std::int64_t most,
                            std::optional<Victims>& best) {
  Victims here{.server = server, .tasks = {}, .work = 0};
  for (const Loss& loss : taken_on(server, gain)) {
    here.tasks.push_back(loss.task);
    here.work += loss.work;
  }
  if (here.tasks.empty()) return;
  if (std::cmp_greater(here.tasks.size(), most)) {
    found_too_many_ = true;
    return;
  }
  const auto rank = [](const Victims& victims) { return std::tuple(victims.tasks.size(), victims.server); };
  if (!best || here.work < best->work || (here.work == best->work && rank(here) < rank(*best)))
    best = std::move(here);
}

std::optional<Victims> VictimSearch::find(std::uint32_t queue, std::int64_t most,
                                          const std::function<bool(std::uint32_t server)>& may_use) {
  const QueueRow& row = accounts_.queues[queue];
  const Holding before = Holding::of(accounts_, row.user);
  std::optional<Victims> best;
  for (const Way& way : accounts_.shapes.ways(row.shape)) {
    if (!has_pool_for(accounts_, before, way.demand)) continue;
    Holding after = before;
    after.add(row.shape, way.demand, 1);
    // Infinite for tsf, where no server holds such a task.
    const double rounded = level_.rounded(standing_, after);
    if (most_spare_ < rounded * (1 - kRounding)) continue;
    const Gain gain{
        .user = row.user, .demand = way.demand, .level = level_.exact(standing_, after), .rounded = rounded};
    if (gain.level <= level_.exact(standing_, before)) continue;
    for (std::uint32_t server = 0; server < accounts_.servers.end(); ++server) {
      if (accounts_.shapes.eligibility.contains(way.servers, server) && may_use(server) &&
          is_within(way.demand, accounts_.park.capacity(server)))
        consider(server, gain, most, best);
    }
  }
  return best;
}

}  // namespace mirab::scheduling
