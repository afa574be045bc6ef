// What a step would find and do, computed without a step: the queues that wait, and the tasks that it would
// end by force. Nothing in the engine changes, so that the question may be asked at any time, by several
// threads at once.
#include <algorithm>
#include <deque>
#include <set>

#include "scheduling/constraints/constraints.hpp"
#include "scheduling/explain/explainer.hpp"

namespace mirab::scheduling {
namespace {

/// The tournaments in which queues of a task class wait, and whether their next task has room there, or all
/// that start together.
struct Rooms {
  std::vector<TournamentId> tournaments;
  std::vector<bool> have_room;  ///< [tournament]
};

Rooms rooms_of(const Ledger& ledger, const TournamentRules& tournaments, QueueIndex queue,
               const OpenServers& open) {
  const TaskClassIndex task_class = ledger.queues[queue].task_class;
  Rooms rooms{.tournaments = tournaments.of(task_class), .have_room = {}};
  for (const TournamentId tournament : rooms.tournaments) {
    rooms.have_room.push_back(
        ledger.task_classes.terms(task_class) != nullptr
            ? batch_fits_in(ledger, tournaments, tournament, ledger.queues[queue].first_job, open)
            : has_room_in(tournament, ledger, tournaments, task_class, open));
  }
  return rooms;
}

}  // namespace

std::vector<Contender> contenders(const EngineView& view, Precedence precedence, const OpenServers& open) {
  const Ledger& ledger = view.ledger;
  std::vector<QueueIndex> queues;
  for (const QueueIndex queue : ledger.queues.indices()) {
    if (view.dispatcher.waiting().holds(queue)) queues.push_back(queue);
  }
  // Until the next step the queues may wait in other tournaments than these.
  IndexedVector<TaskClassIndex, std::optional<Rooms>> rooms(ledger.task_classes.index_count());
  QueuesByPlace waiting;
  for (const QueueIndex queue : queues) {
    std::optional<Rooms>& of_class = rooms[ledger.queues[queue].task_class];
    if (!of_class) of_class = rooms_of(ledger, view.shares.tournaments, queue, open);
    waiting.enter(of_class->tournaments);
  }
  precedence.waiting = &waiting;
  // With freeze the queue with the lowest key is next, with room or without.
  const auto is_better = [&](const Contender& a, const Contender& b) {
    if (view.dispatcher.choice().blocking == Blocking::skip && a.has_room != b.has_room) return a.has_room;
    return precedence.before(a.keyed, b.keyed);
  };
  std::vector<Contender> all;
  for (const QueueIndex queue : queues) {
    const Rooms& of_class = *rooms[ledger.queues[queue].task_class];
    std::optional<Contender> best;
    for (std::size_t index = 0; index < of_class.tournaments.size(); ++index) {
      const TournamentEntry entry{.queue = queue, .tournament = of_class.tournaments[index]};
      const double key = precedence.discipline->key->rounded(*precedence.context, entry);
      const Contender here{.keyed = {.entry = entry, .key = key}, .has_room = of_class.have_room[index]};
      if (!best || is_better(here, *best)) best = here;
    }
    if (best) all.push_back(*best);
  }
  return all;
}

/// Of a queue in a tournament, for its next task or all that start together.
static bool has_room_now(const EngineView& view, TournamentEntry entry, const OpenServers& open) {
  const Ledger& ledger = view.ledger;
  const QueueRow& queue = ledger.queues[entry.queue];
  return ledger.task_classes.terms(queue.task_class) != nullptr
             ? batch_fits_in(ledger, view.shares.tournaments, entry.tournament, queue.first_job, open)
             : has_room_in(entry.tournament, ledger, view.shares.tournaments, queue.task_class, open);
}

WhyWaiting::Other other_of(const Ledger& ledger, const Contender& contender) {
  const QueueRow& queue = ledger.queues[contender.keyed.entry.queue];
  return {.user = ledger.users.id(queue.user),
          .user_name = ledger.users[queue.user].name,
          .job = ledger.jobs.id(queue.first_job),
          .key = contender.keyed.key};
}

const std::string& name_of_server(const Ledger& ledger, ServerIndex server) {
  return ledger.task_classes.eligibility.description_of(server).name;
}

// In a tree. Of two tasks the one in the higher tier is ahead, then the covered one, then the one whose
// member of their lowest common group has the lower key. That is no order of all tasks: which of them is next
// the descent tells, and the first of all is ahead of every other.

namespace {

/// The tree as a step would find it now.
class TreeLook {
 public:
  TreeLook(const EngineView& view, const ShareContext& context, const OpenServers& open)
      : ledger_(view.ledger),
        tournaments_(view.shares.tournaments),
        places_(queues_by_place(view)),
        precedence_(precedence_of(view, context, places_)),
        descent_(precedence_),
        all_(ledger_, tournaments_, view.dispatcher.waiting(), open, view.dispatcher.choice().blocking,
             TreeCandidates::Tournaments::present) {}

  std::span<const TreeCandidate> all() const { return all_.all(); }
  Tie tie() const { return tie_; }

  /// The first of all but those of a user; with ties at random the first by the users' order.
  const TreeCandidate* first(UserIndex without = kNone) const {
    std::vector<TreeCandidate> others;
    for (const TreeCandidate& each : all()) {
      if (each.user != without) others.push_back(each);
    }
    Random none(0);
    const TreeCandidate* const found = descent_.next(others, none);
    if (found == nullptr) return nullptr;
    return &*std::find_if(all().begin(), all().end(),
                          [&](const TreeCandidate& each) { return each.entry == found->entry; });
  }

  TreeCandidate candidate(TournamentEntry entry, Amounts& demand) const {
    TreeCandidate candidate = tree_candidate(ledger_, tournaments_, entry, demand);
    candidate.is_covered = covering(ledger_, candidate.user, candidate.demand).has_value();
    return candidate;
  }

  std::weak_ordering compare(const TreeCandidate& a, const TreeCandidate& b) const {
    if (a.tier != b.tier) return b.tier <=> a.tier;
    if (a.is_covered != b.is_covered) return b.is_covered <=> a.is_covered;
    return descent_.compare(a, b);
  }
  bool comes_before(const TreeCandidate& a, const TreeCandidate& b) const {
    const std::weak_ordering order = compare(a, b);
    return order != 0 ? order < 0 : precedence_.is_before_by_tie_rule(a.entry, b.entry);
  }

  double key(const TreeCandidate& candidate) const { return descent_.path(candidate).front().kappa; }

  WhyWaiting::Other other(const TreeCandidate& candidate) const {
    return other_of(ledger_, {.keyed = {.entry = candidate.entry, .key = key(candidate)}, .has_room = true});
  }

  /// The nodes of the path, from the top down.
  std::vector<InTree::Level> levels(const TreeCandidate& candidate) const {
    std::vector<InTree::Level> levels;
    TreeNode node{.user = candidate.user};
    for (const TreeKey<double>& key : descent_.path(candidate)) {
      levels.push_back({.name = ledger_.name(node),
                        .key = key.kappa,
                        .whole = std::max(key.kappa, descent_.whole(candidate, node)),
                        .held = descent_.held(candidate, node),
                        .is_last = key.is_last()});
      node = {.group = ledger_.parent(node)};
    }
    std::reverse(levels.begin(), levels.end());
    return levels;
  }

  InTree stand(const TreeCandidate& own, const TreeCandidate* other) const {
    InTree tree{.path = levels(own)};
    if (const auto by = covering(ledger_, own.user, own.demand)) tree.covered_by = ledger_.name(*by);
    if (const auto bound = quota_in_the_way(ledger_, own.user, own.demand)) {
      const TreeNode node = bound->is_reserve ? largest_reserve(ledger_, bound->resource) : bound->node;
      std::optional<InTree::Bound>& in_the_way = bound->is_reserve ? tree.reserve : tree.limit;
      in_the_way = InTree::Bound{.name = ledger_.name(node),
                                 .resource = static_cast<std::uint32_t>(bound->resource),
                                 .held = bound->held,
                                 .allowed = bound->allowed};
    }
    if (other != nullptr && other->user != own.user) tree.parting = parting(own, *other);
    return tree;
  }

 private:
  static QueuesByPlace queues_by_place(const EngineView& view) {
    QueuesByPlace places;
    for (const QueueIndex queue : view.ledger.queues.indices()) {
      if (view.dispatcher.waiting().holds(queue))
        places.enter(view.shares.tournaments.of(view.ledger.queues[queue].task_class));
    }
    return places;
  }
  Precedence precedence_of(const EngineView& view, const ShareContext& context, const QueuesByPlace& places) {
    Precedence precedence = view.dispatcher.precedence_in(context);
    tie_ = precedence.tie;
    if (tie_ == Tie::random) precedence.tie = Tie::first;
    precedence.waiting = &places;
    return precedence;
  }

  InTree::Parting parting(const TreeCandidate& own, const TreeCandidate& other) const {
    const std::vector<GroupIndex> own_groups = groups(own.user), other_groups = groups(other.user);
    std::size_t depth = 0;  // of the lowest common group
    while (depth < own_groups.size() && depth < other_groups.size() &&
           own_groups[depth] == other_groups[depth])
      ++depth;
    return {.group = depth == 0 ? std::string() : ledger_.groups[own_groups[depth - 1]].name,
            .own = levels(own)[depth],
            .other = levels(other)[depth]};
  }

  /// From the top down, without the root.
  std::vector<GroupIndex> groups(UserIndex user) const {
    std::vector<GroupIndex> groups;
    for (GroupIndex up = ledger_.users[user].group; up != kRoot; up = ledger_.groups[up].parent)
      groups.push_back(up);
    std::reverse(groups.begin(), groups.end());
    return groups;
  }

  const Ledger& ledger_;
  const TournamentRules& tournaments_;
  Tie tie_ = Tie::first;
  QueuesByPlace places_;
  Precedence precedence_;
  Descent descent_;
  TreeCandidates all_;
};

}  // namespace

bool explain_in_tree(const EngineView& view, QueueIndex queue, const ShareContext& context,
                     const OpenServers& open, WhyWaiting& why) {
  const Ledger& ledger = view.ledger;
  const TreeLook look(view, context, open);
  const TreeCandidate* const first = look.first();
  const bool is_blocked = view.dispatcher.choice().blocking == Blocking::freeze && first != nullptr &&
                          !has_room_now(view, first->entry, open);
  const bool may_be_placed = first != nullptr && !is_blocked;
  const TaskClassIndex task_class = ledger.queues[queue].task_class;
  // Of its entries the first that may start; else the first with room, which a limit or a reserve stops; else
  // the first.
  std::optional<TreeCandidate> own;
  for (const TreeCandidate& each : look.all()) {
    if (each.entry.queue == queue && (!own || look.comes_before(each, *own))) own = each;
  }
  std::deque<Amounts> demands;
  const std::vector<TournamentId> tournaments =
      own ? std::vector<TournamentId>{} : view.shares.tournaments.of(task_class);
  bool own_has_room = false;
  for (const TournamentId tournament : tournaments) {
    const TournamentEntry entry{.queue = queue, .tournament = tournament};
    const TreeCandidate here = look.candidate(entry, demands.emplace_back());
    const bool has_room = has_room_now(view, entry, open);
    if (own && (has_room != own_has_room ? own_has_room : !look.comes_before(here, *own))) continue;
    own = here;
    own_has_room = has_room;
  }
  if (!own) return may_be_placed;  // no kind of server could run it
  why.key = look.key(*own);
  std::set<QueueIndex> own_ahead;
  std::set<UserIndex> ahead, tied;
  for (const TreeCandidate& each : look.all()) {
    if (each.entry.queue == queue) continue;
    const bool ties = look.compare(each, *own) == 0 && look.tie() == Tie::random && each.user != own->user;
    if (ties) tied.insert(each.user);
    if (ties || !look.comes_before(each, *own)) continue;
    if (each.user == own->user) {
      own_ahead.insert(each.entry.queue);
    } else {
      ahead.insert(each.user);
    }
  }
  const bool is_first = first != nullptr && first->entry.queue == queue;
  if (is_first) own_ahead.clear(), ahead.clear();
  if (first != nullptr && !is_first && first->user == own->user) own_ahead.insert(first->entry.queue);
  if (first != nullptr && !is_first && first->user != own->user && !tied.contains(first->user))
    ahead.insert(first->user);
  why.own_ahead = static_cast<std::int64_t>(own_ahead.size());
  why.users_ahead = static_cast<std::int64_t>(ahead.size());
  why.users_tied = static_cast<std::int64_t>(tied.size());
  if (first != nullptr && !is_first) why.next = look.other(*first);
  why.tree = look.stand(*own, is_first ? nullptr : first);
  if (is_blocked) why.blocked_by = look.other(*first);
  return may_be_placed;
}

void explain_in_tree(const EngineView& view, TournamentEntry served, const OpenServers& open,
                     WhyPlaced& why) {
  const Ledger& ledger = view.ledger;
  const TreeLook look(view, view.shares.context, open);
  Amounts demand;
  const TreeCandidate own = look.candidate(served, demand);
  std::set<UserIndex> waits{own.user}, fits{own.user}, ties;
  for (const QueueIndex queue : ledger.queues.indices()) {
    if (view.dispatcher.waiting().holds(queue)) waits.insert(ledger.queues[queue].user);
  }
  for (const TreeCandidate& each : look.all()) {
    if (has_room_now(view, each.entry, open)) fits.insert(each.user);
    if (each.user != own.user && look.compare(each, own) == 0) ties.insert(each.user);
  }
  const TreeCandidate* const second = look.first(own.user);
  why.key = look.key(own);
  why.users_waiting = static_cast<std::int64_t>(waits.size());
  why.users_fitting = static_cast<std::int64_t>(fits.size());
  why.users_tied = static_cast<std::int64_t>(ties.size());
  if (second != nullptr) why.runner_up = look.other(*second);
  if (const auto server_class = view.shares.tournaments.server_class(served.tournament))
    why.kind = ledger.server_classes.capacities()[*server_class];
  why.tree = look.stand(own, second);
  why.tree->limit = why.tree->reserve = {};  // it was placed
}

// What a step would end by force, and by which keys: those of the user that gains and of all that
// lose, before and after. The search is that of the step (preemption.cpp).

ByForce by_force(const PreemptionCandidate& candidate, const Precedence& precedence) {
  const Ledger& ledger = precedence.context->ledger;
  const ServerIndex server = candidate.victims.server;
  const QueueRow& queue = ledger.queues[candidate.queue];
  ByForce force{.server = ledger.servers.id(server),
                .server_name = name_of_server(ledger, server),
                .key_before = 0,
                .key_after = 0,
                .losers = {},
                .ends = {}};
  std::vector<UsageAfter> left{UsageAfter(ledger, queue.user)};  // of who gains, and of the losers
  TreeUsageAfter after(ledger);
  std::vector<UserIndex> losers;
  const auto add = [&](const QueueRow& of, std::span<const std::int64_t> demand, std::int64_t tasks) {
    const auto known = std::find_if(left.begin(), left.end(),
                                    [&](const UsageAfter& each) { return each.user() == of.user; });
    UsageAfter& usage = known != left.end() ? *known : left.emplace_back(ledger, of.user);
    usage.add(of.task_class, demand, tasks);
    after.add(of.user, of.task_class, demand, tasks);
  };
  add(queue, ledger.demand(queue, server), 1);
  for (std::size_t at = 0; at < candidate.victims.tasks.size(); ++at) {
    const JobIndex job = ledger.tasks[candidate.victims.tasks[at]].job;
    const Right right = candidate.victims.rights[at];
    const QueueRow& of = ledger.queues[ledger.jobs[job].queue];
    add(of, ledger.demand(candidate.victims.tasks[at]), -1);
    const auto known = std::find(losers.begin(), losers.end(), of.user);
    if (known == losers.end()) {
      losers.push_back(of.user);
      force.losers.push_back({.user = ledger.users.id(of.user),
                              .user_name = ledger.users[of.user].name,
                              .key_before = 0,
                              .key_after = 0,
                              .tasks = 1,
                              .right = right});
    } else {
      ++force.losers[static_cast<std::size_t>(known - losers.begin())].tasks;
    }
    force.ends.push_back(
        {.task = ledger.tasks.id(candidate.victims.tasks[at]), .job = ledger.jobs.id(job), .right = right});
  }
  const auto explain = [&](UserIndex user, auto& of) {
    if (ledger.has_tree()) {
      of.standing_before = standing(precedence, user);
      of.standing_after = standing(precedence, user, &after);
      of.key_before = of.standing_before.back();
      of.key_after = of.standing_after.back();
      return;
    }
    const auto key = [&](const UsageAfter& usage) {
      return precedence.discipline->share->rounded(*precedence.context, usage.usage(), usage.weight());
    };
    of.key_before = key(UsageAfter(ledger, user));
    of.key_after = key(
        *std::find_if(left.begin(), left.end(), [&](const UsageAfter& each) { return each.user() == user; }));
  };
  explain(queue.user, force);
  for (std::size_t at = 0; at < losers.size(); ++at) explain(losers[at], force.losers[at]);
  return force;
}

}  // namespace mirab::scheduling
