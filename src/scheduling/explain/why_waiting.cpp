// Why a task waits: what it finds on the servers, the reservations that the next step would make, the queues
// ahead of it, and what preemption would change.
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <mirab/scheduling/why.hpp>

#include "scheduling/constraints/constraints.hpp"
#include "scheduling/constraints/roles.hpp"
#include "scheduling/explain/explainer.hpp"

namespace mirab::scheduling {

// Why a task does not go to a server. What is in the way is named in one order, the lasting reasons before
// those that pass: the job's own wishes, its size, a drained server, one that is kept for another task, the
// terms of the job (pack, per_server, spread), a full one. So each server counts once.
//
// How near a full server is to having room is max_r (d_r − f_r) / d_r, the largest part of the task's demand
// that is not free there. Freeing d_r − f_r of every resource is then enough, and less of any is not: terms
// that admit one more task to a server admit it whatever is free (constraints.cpp).

namespace {

/// One thing that a job asks of its servers.
struct Wish {
  std::string label;        ///< empty: the names
  bool is_for_any = false;  ///< any value of the label will do
  Selection selection = {};
  std::optional<std::string> set = {};  ///< within this set, and nothing else
};

/// By its name, and the names of those for whom it is kept.
KeptServer kept_server(const Ledger& ledger, const Reservations::Kept& kept) {
  const QueueRow& queue = ledger.queues[kept.queue];
  return {.server = ledger.servers.id(kept.server),
          .server_name = name_of_server(ledger, kept.server),
          .user = ledger.users.id(queue.user),
          .user_name = ledger.users[queue.user].name,
          .job = ledger.jobs.id(queue.first_job),
          .since = kept.since};
}

std::vector<Wish> wishes_of(const TaskClasses& task_classes, TaskClassIndex task_class) {
  const JobSubmitted job = task_classes.job_of(task_class);
  std::vector<Wish> wishes;
  if (job.servers) wishes.push_back({.label = {}, .selection = {.servers = job.servers}});
  for (const auto& [label, values] : job.select)
    wishes.push_back({.label = label, .selection = {.select = {{label, values}}}});
  const auto wish_for_any = [&](const std::string& label) {
    if (!job.select.contains(label)) wishes.push_back({.label = label, .is_for_any = true});
  };
  if (job.spread) wish_for_any(job.spread->label);
  if (job.pack) wish_for_any(*job.pack);
  if (job.within) wishes.push_back({.label = {}, .set = job.within});
  return wishes;
}

/// a − b, or INT64_MAX where it is more. Requires a ≥ 0.
std::int64_t less(std::int64_t a, std::int64_t b) { return b < 0 && a > INT64_MAX + b ? INT64_MAX : a - b; }

/// max(0, d_r − of_r) of what it demands, [m]; an amount below 0 is missing too.
Amounts shortfall(std::span<const std::int64_t> demand, std::span<const std::int64_t> of) {
  Amounts missing;
  for (std::size_t r = 0; r < demand.size(); ++r)
    missing.push_back(demand[r] <= std::max<std::int64_t>(0, of[r]) ? 0 : less(demand[r], of[r]));
  return missing;
}

bool is_nothing(const Amounts& amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](std::int64_t units) { return units == 0; });
}

/// max_r missing_r / d_r
double missing_part(const Amounts& missing, std::span<const std::int64_t> demand) {
  double part = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (missing[r] > 0)
      part = std::max(part, static_cast<double>(missing[r]) / static_cast<double>(demand[r]));
  }
  return part;
}

class Look {
 public:
  Look(const Ledger& ledger, const OpenServers& open, const Reservations& reservations, JobIndex job)
      : ledger_(ledger),
        reservations_(reservations),
        queue_(ledger.jobs[job].queue),
        job_(job),
        task_class_(ledger.queues[queue_].task_class),
        wishes_(wishes_of(ledger.task_classes, task_class_)) {
    if (ledger.task_classes.terms(task_class_) != nullptr)
      gang_feasibility_.emplace(ledger, job, reservations.open_to(queue_, open));
  }

  const std::vector<Wish>& wishes() const { return wishes_; }
  const std::optional<GangFeasibility>& gang_feasibility() const {
    return gang_feasibility_;
  }  ///< with terms
  /// Of a task, in a job with roles of the waiting one that misses least there.
  std::span<const std::int64_t> demand_on(ServerIndex server) const {
    const DemandAlternative* const way = way_on(server);
    return way == nullptr ? std::span<const std::int64_t>() : std::span<const std::int64_t>(way->demand);
  }

  bool holds(const Wish& wish, ServerIndex server) const {
    if (wish.set) return ledger_.task_classes.eligibility.in_set(*wish.set, server);
    const auto& [name, labels] = ledger_.task_classes.eligibility.description_of(server);
    return wish.is_for_any ? labels.contains(wish.label) : wish.selection.admits(name, labels);
  }

  WhyNotOn on(ServerIndex server) const {
    if (const Wish* const broken = first_broken_wish(server)) {
      if (broken->set) return {.reason = InTheWay::set, .label = *broken->set};
      return {.reason = broken->label.empty() ? InTheWay::name : InTheWay::label, .label = broken->label};
    }
    const DemandAlternative* const alternative = way_on(server);
    MIRAB_ASSERT(alternative != nullptr, "a server is not allowed, and no wish keeps the task from it");
    if (Amounts missing = shortfall(alternative->demand, ledger_.server_pool.capacity(server));
        !is_nothing(missing))
      return {.reason = InTheWay::too_small, .missing = std::move(missing)};
    if (ledger_.servers[server].drained) return {.reason = InTheWay::drained};
    if (const Reservations::Kept* const kept = kept_for_another(server))
      return {.reason = InTheWay::kept, .kept = kept_server(ledger_, *kept)};
    if (WhyNotOn term = broken_term(server); term.reason != InTheWay::nothing) return term;
    if (Amounts missing = shortfall(alternative->demand, ledger_.server_pool.balance(server));
        !is_nothing(missing))
      return {.reason = InTheWay::full, .missing = std::move(missing)};
    return {};
  }

 private:
  /// How a task may run there; in a job with roles how one of the waiting tasks, or of all where none waits:
  /// of those that are not too large for the server the one that misses least, of equal ones the first.
  const DemandAlternative* way_on(ServerIndex server) const {
    const std::span<const std::int64_t> waiting = ledger_.waiting_by_role(job_);
    if (waiting.empty()) return ledger_.task_classes.alternative_on(task_class_, server);
    const bool any_waits = std::any_of(waiting.begin(), waiting.end(), [](auto tasks) { return tasks > 0; });
    const DemandAlternative* best = nullptr;
    std::pair<double, double> least;
    for (std::size_t role = 0; role < waiting.size(); ++role) {
      const DemandAlternative& way = ledger_.task_classes.alternatives(task_class_)[role];
      if ((any_waits && waiting[role] == 0) ||
          !ledger_.task_classes.eligibility.contains(way.servers, server))
        continue;
      const std::pair missing{
          missing_part(shortfall(way.demand, ledger_.server_pool.capacity(server)), way.demand),
          missing_part(shortfall(way.demand, ledger_.server_pool.balance(server)), way.demand)};
      if (best != nullptr && !(missing < least)) continue;
      best = &way;
      least = missing;
    }
    return best;
  }

  const Wish* first_broken_wish(ServerIndex server) const {
    const auto broken =
        std::find_if(wishes_.begin(), wishes_.end(), [&](const Wish& wish) { return !holds(wish, server); });
    return broken == wishes_.end() ? nullptr : &*broken;
  }

  const Reservations::Kept* kept_for_another(ServerIndex server) const {
    const Reservations::Kept* const kept = reservations_.on_server(server);
    if (kept == nullptr) return nullptr;
    const bool is_its = kept->queue == queue_ && ledger_.queues[queue_].first_job == job_;
    return is_its ? nullptr : kept;
  }

  WhyNotOn broken_term(ServerIndex server) const {
    using Term = GangFeasibility::Objection::Term;
    if (!gang_feasibility_) return {};
    const PlacementConstraints& terms = *ledger_.task_classes.terms(task_class_);
    const GangFeasibility::Objection objection = gang_feasibility_->objection(server);
    switch (objection.term) {
      case Term::none:
        return {};
      case Term::pack:
        return {.reason = InTheWay::pack, .label = *terms.pack};
      case Term::per_server:
        return {.reason = InTheWay::per_server, .running = objection.running, .at_most = objection.at_most};
      case Term::spread:
        return {.reason = InTheWay::spread,
                .label = terms.spread->label,
                .running = objection.running,
                .at_most = objection.at_most};
    }
    MIRAB_ASSERT(false, "another term");
  }

  const Ledger& ledger_;
  const Reservations& reservations_;
  QueueIndex queue_;
  JobIndex job_;
  TaskClassIndex task_class_;
  std::vector<Wish> wishes_;
  std::optional<GangFeasibility> gang_feasibility_;
};

class Count {
 public:
  Count(const Ledger& ledger, const Look& look, WhyWaiting& why) : ledger_(ledger), look_(look), why_(why) {
    why_.servers.lacking.assign(ledger.resource_count(), 0);
    why_.servers.too_small_in.assign(ledger.resource_count(), 0);
    for (const Wish& wish : look_.wishes())
      why_.constraints.push_back({.label = wish.label, .excludes = 0, .alone = 0, .set = wish.set});
    for (const ServerIndex server : ledger.servers.present()) {
      count(server);
    }
  }

 private:
  void count(ServerIndex server) {
    const WhyNotOn why = look_.on(server);
    WhyWaiting::Servers& servers = why_.servers;
    switch (why.reason) {
      case InTheWay::nothing:
        ++servers.with_room;
        return;
      case InTheWay::name:
      case InTheWay::label:
      case InTheWay::set:
        ++servers.not_allowed;
        return count_wishes(server);
      case InTheWay::too_small:
        ++servers.too_small;
        return add(why.missing, servers.too_small_in);
      case InTheWay::drained:
        ++servers.drained;
        return;
      case InTheWay::kept:
        ++servers.kept;
        return why_.kept_for_others.push_back(*why.kept);
      case InTheWay::pack:
        ++servers.pack;
        return;
      case InTheWay::per_server:
        ++servers.per_server;
        return;
      case InTheWay::spread:
        ++servers.spread;
        return;
      case InTheWay::full:
        ++servers.full;
        add(why.missing, servers.lacking);
        return remember_if_nearest(server, why.missing);
    }
  }

  void count_wishes(ServerIndex server) {
    std::vector<std::size_t> broken;
    for (std::size_t wish = 0; wish < look_.wishes().size(); ++wish) {
      if (!look_.holds(look_.wishes()[wish], server)) broken.push_back(wish);
    }
    for (const std::size_t wish : broken) ++why_.constraints[wish].excludes;
    if (broken.size() == 1) ++why_.constraints[broken.front()].alone;
  }

  static void add(const Amounts& missing, std::vector<std::int64_t>& counts) {
    for (std::size_t r = 0; r < counts.size(); ++r) counts[r] += missing[r] > 0 ? 1 : 0;
  }

  void remember_if_nearest(ServerIndex server, const Amounts& missing) {
    const double part = missing_part(missing, look_.demand_on(server));
    if (part >= min_part_) return;
    min_part_ = part;
    why_.nearest_miss = {.server = ledger_.servers.id(server),
                         .name = ledger_.task_classes.eligibility.description_of(server).name,
                         .to_free = missing};
  }

  const Ledger& ledger_;
  const Look& look_;
  WhyWaiting& why_;
  double min_part_ = std::numeric_limits<double>::infinity();
};

/// What a task of the job finds on the servers: `servers`, those kept for others, the constraints, the
/// nearest miss and the gang. O(servers (m + wishes log labels)).
void explain_servers(const Ledger& ledger, const ReservationPreview& step, JobIndex job, WhyWaiting& why) {
  const Look look(ledger, step.open, step.reservations, job);
  Count(ledger, look, why);
  if (!look.gang_feasibility()) return;
  const std::int64_t batch = batch_of(ledger, job);
  if (batch == 1) return;
  if (const std::span<const std::int64_t> waiting = ledger.waiting_by_role(job); !waiting.empty()) {
    const QueueIndex queue = ledger.jobs[job].queue;
    const RolePacking packing = pack_waiting(ledger, job, step.reservations.open_to(queue, step.open),
                                             step.reservations.servers_of(queue));
    why.gang = {.together = batch, .room = static_cast<std::int64_t>(packing.places.size())};
    for (std::size_t role = 0; role < waiting.size(); ++role)
      why.gang->roles.push_back({.together = waiting[role], .room = packing.found[role]});
    return;
  }
  why.gang = {.together = batch,
              .room = std::min(look.gang_feasibility()->max_tasks(), ledger.jobs[job].waiting)};
}

}  // namespace

WhyNotOn why_not_on(const Ledger& ledger, const OpenServers& open, const Reservations& kept, JobIndex job,
                    ServerIndex server) {
  return Look(ledger, open, kept, job).on(server);
}

// Why a task waits. Two questions are asked of everything that the engine knows, and nothing is changed: has
// any server room for it, and if not what is in the way; and who, of those that a step would look at, comes
// before. A server that is kept and has room comes before all keys; and when nothing can be placed without, a
// task may be by force. What would change it follows: what must be freed on the server that misses least, and
// the weight with which the user would come before the others.
//
// The weight: where a key is what a user has over φ, it is with φ' the key times φ/φ', and no other
// key changes. So with φ' > φ key / key' the user comes before another with the key key' > 0.

namespace {

/// Who of the others comes before one's own task.
class Ahead {
 public:
  Ahead(const Precedence& precedence, const Contender& own)
      : precedence_(precedence), own_(own), user_(precedence.context->queue(own.keyed.entry).user) {
    marks_.resize(precedence.context->ledger.users.index_count());
  }

  void meet(const Contender& other) {
    const UserIndex user = precedence_.context->queue(other.keyed.entry).user;
    if (user != user_ && precedence_.tie == Tie::random && precedence_.ties(other.keyed, own_.keyed)) {
      marks_[user] = std::max(marks_[user], Mark::tied);
      return remember_rival(other.keyed.key);
    }
    if (!precedence_.before(other.keyed, own_.keyed)) return;
    if (!first_ || precedence_.before(other.keyed, first_->keyed)) first_ = other;
    if (user == user_) {
      ++own_ahead_;
      return;
    }
    marks_[user] = Mark::ahead;
    remember_rival(other.keyed.key);
  }

  std::int64_t own_ahead() const { return own_ahead_; }
  std::int64_t users_ahead() const { return std::count(marks_.begin(), marks_.end(), Mark::ahead); }
  std::int64_t users_tied() const { return std::count(marks_.begin(), marks_.end(), Mark::tied); }
  const std::optional<Contender>& first() const { return first_; }

  /// The lowest key of all other users that are ahead or tied.
  std::optional<double> rival() const { return rival_; }

 private:
  enum class Mark { none, tied, ahead };

  void remember_rival(double key) { rival_ = std::min(rival_.value_or(key), key); }

  const Precedence& precedence_;
  const Contender& own_;
  UserIndex user_;
  IndexedVector<UserIndex, Mark> marks_;
  std::int64_t own_ahead_ = 0;
  std::optional<Contender> first_;
  std::optional<double> rival_;
};

/// The weight above which a user comes before the rival, where that can be promised.
std::optional<double> weight_before(const Precedence& precedence, UserIndex user, double key,
                                    std::optional<double> rival) {
  constexpr double kMaxWeight = 1e18;
  if (!precedence.discipline->weighted || precedence.discipline->priced) return {};
  if (!rival || *rival <= 0 || key <= 0) return {};
  const double weight = precedence.context->ledger.users[user].weight.value() * (key / *rival);
  return weight < kMaxWeight ? std::optional(weight) : std::nullopt;
}

/// Could the step place something without force? With lots to draw, whatever is drawn.
bool may_place_without_force(const std::vector<Contender>& all, const Precedence& precedence,
                             Blocking blocking) {
  const auto lowest = std::min_element(all.begin(), all.end(), [&](const Contender& a, const Contender& b) {
    return precedence.before(a.keyed, b.keyed);
  });
  const auto is_looked_at = [&](const Contender& each) {
    return blocking == Blocking::skip || &each == &*lowest ||
           (precedence.tie == Tie::random && precedence.ties(each.keyed, lowest->keyed));
  };
  return std::any_of(all.begin(), all.end(),
                     [&](const Contender& each) { return each.has_room && is_looked_at(each); });
}

void explain_kept(const Ledger& ledger, QueueIndex queue, const ReservationPreview& step, WhyWaiting& why) {
  const Reservations::Kept* const first = first_with_room(ledger, step.reservations, step.open);
  if (first != nullptr) why.served_first = kept_server(ledger, *first);
  const Reservations::Kept* const own = why.older_jobs == 0 ? step.reservations.of_queue(queue) : nullptr;
  if (own == nullptr) return;
  // Of several the first that is full.
  std::vector<ServerIndex> others = step.reservations.servers_of(queue);
  const Look look(ledger, step.open, step.reservations, ledger.queues[queue].first_job);
  const auto full = std::find_if(others.begin(), others.end(), [&](ServerIndex server) {
    return look.on(server).reason == InTheWay::full;
  });
  const ServerIndex server = full == others.end() ? others.front() : *full;
  why.kept_for_it = {.server = ledger.servers.id(server),
                     .name = name_of_server(ledger, server),
                     .since = own->since,
                     .missing = full == others.end() ? Amounts{} : look.on(server).missing};
  std::erase(others, server);
  for (const ServerIndex other : others) why.kept_for_it->others.push_back(ledger.servers.id(other));
}

void explain_order(QueueIndex queue, const std::vector<Contender>& all, const Precedence& precedence,
                   Blocking blocking, WhyWaiting& why) {
  const Ledger& ledger = precedence.context->ledger;
  const auto own = std::find_if(all.begin(), all.end(),
                                [&](const Contender& each) { return each.keyed.entry.queue == queue; });
  if (own == all.end()) return;  // no kind of server could run it
  why.key = own->keyed.key;
  Ahead ahead(precedence, *own);
  for (const Contender& other : all) {
    if (&other != &*own && (other.has_room || blocking == Blocking::freeze)) ahead.meet(other);
  }
  why.own_ahead = ahead.own_ahead();
  why.users_ahead = ahead.users_ahead();
  why.users_tied = ahead.users_tied();
  if (ahead.first()) why.next = other_of(ledger, *ahead.first());
  why.with_weight = weight_before(precedence, ledger.queues[queue].user, own->keyed.key, ahead.rival());
  const Contender lowest = ahead.first().value_or(*own);
  if (blocking == Blocking::freeze && !lowest.has_room) why.blocked_by = other_of(ledger, lowest);
}

/// What the next step would end by force. The policy remembers what it has searched in vain.
std::optional<PreemptionCandidate> intended_by_force(const EngineView& view, const Precedence& precedence,
                                                     const ReservationPreview& step,
                                                     PreemptionPolicy& policy) {
  static const std::set<TaskIndex> kNoTasks;
  return policy.intend({.waiting = view.dispatcher.waiting(),
                        .tournaments = view.shares.tournaments,
                        .precedence = precedence,
                        .blocking = view.dispatcher.choice().blocking,
                        .open = step.open,
                        .reservations = step.reservations,
                        .spared = view.reservations != nullptr ? view.reservations->spared() : kNoTasks},
                       step.at);
}

WhyWaiting::Other gains(const EngineView& view, const PreemptionCandidate& candidate,
                        const Precedence& precedence) {
  const TournamentEntry entry{.queue = candidate.queue};
  const double key = view.ledger.has_tree() ? by_force(candidate, precedence).key_before
                                            : precedence.discipline->key->rounded(*precedence.context, entry);
  return other_of(view.ledger, {.keyed = {.entry = entry, .key = key}, .has_room = false});
}

/// What the budget keeps from ending, as soon as it allows enough. Requires that it stands in the way. Where
/// a search finds tasks one with more budget does too, so the least that it takes is found by halving, in
/// O(log tasks) searches.
void explain_budget(const EngineView& view, const Precedence& precedence, const ReservationPreview& step,
                    PreemptionPolicy& policy, WhyWaiting& why) {
  const auto with_budget = [&](std::int64_t tasks) {
    PreemptionPolicy other = policy.with_budget(tasks);
    return intended_by_force(view, precedence, step, other);
  };
  const auto size = [](const PreemptionCandidate& found) { return std::ssize(found.victims.tasks); };
  const std::int64_t left = policy.left(step.at);
  std::optional<PreemptionCandidate> found = with_budget(std::numeric_limits<std::int64_t>::max());
  if (!found) return;
  for (std::int64_t too_few = left; size(*found) > too_few + 1;) {
    const std::int64_t half = too_few + (size(*found) - too_few) / 2;
    if (std::optional<PreemptionCandidate> fewer = with_budget(half))
      found = std::move(fewer);
    else
      too_few = half;
  }
  const std::optional<Time> free_at = policy.when_allowed(size(*found), step.at);
  if (free_at) found = with_budget(policy.left(*free_at));  // more may be free then than the least
  MIRAB_ASSERT(found, "with more budget a search finds something too");
  why.over_budget = {
      .first = gains(view, *found, precedence), .tasks = size(*found), .left = left, .free_at = free_at};
}

/// Requires that nothing can be placed without force.
void explain_force(const EngineView& view, QueueIndex queue, const Precedence& precedence,
                   const ReservationPreview& step, WhyWaiting& why) {
  PreemptionPolicy policy = *view.preemption;  // a copy is asked
  if (!step.ended.empty()) policy.something_changed();
  const std::optional<PreemptionCandidate> candidate = intended_by_force(view, precedence, step, policy);
  if (!candidate) {
    if (policy.is_stopped_by_budget()) explain_budget(view, precedence, step, policy, why);
    return;
  }
  why.forced_first = gains(view, *candidate, precedence);
  if (candidate->queue == queue && why.older_jobs == 0) why.by_force = by_force(*candidate, precedence);
}

}  // namespace

WhyWaiting why_waiting(const EngineView& view, JobIndex job, Time at) {
  const Ledger& ledger = view.ledger;
  const ReservationPreview step = view.reservations != nullptr
                                      ? view.reservations->preview(ledger, view.dispatcher.waiting(), at)
                                      : ReservationPreview{.at = at, .open = OpenServers(ledger.server_pool)};
  const QueueIndex queue = ledger.jobs[job].queue;
  const UserIndex user = ledger.queues[queue].user;
  WhyWaiting why{.user = ledger.users.id(user),
                 .user_name = ledger.users[user].name,
                 .job = ledger.jobs.id(job),
                 .waiting = ledger.jobs[job].waiting,
                 .servers = {}};
  explain_servers(ledger, step, job, why);
  for (JobIndex older = ledger.queues[queue].first_job; older != job; older = ledger.jobs[older].next)
    ++why.older_jobs;
  explain_kept(ledger, queue, step, why);

  // What a step would bring up to date first is brought up to date in a copy.
  const std::optional<ShareContext> fresh = view.shares.refreshed(at);
  const Precedence precedence = view.dispatcher.precedence_in(fresh ? *fresh : view.shares.context);
  if (ledger.has_tree()) {
    const bool may_be_placed = explain_in_tree(view, queue, *precedence.context, step.open, why);
    if (view.preemption != nullptr && !why.served_first && !may_be_placed)
      explain_force(view, queue, precedence, step, why);
    return why;
  }
  const std::vector<Contender> all = contenders(view, precedence, step.open);
  explain_order(queue, all, precedence, view.dispatcher.choice().blocking, why);
  const bool may_be_placed = may_place_without_force(all, precedence, view.dispatcher.choice().blocking);
  if (view.preemption != nullptr && !why.served_first && !may_be_placed)
    explain_force(view, queue, precedence, step, why);
  return why;
}

}  // namespace mirab::scheduling
