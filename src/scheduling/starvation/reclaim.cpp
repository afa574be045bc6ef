// Which running tasks may end for a task of user b in a tree of groups (docs/explanation/teams.md, "Who may
// end whose tasks"). With M the resources of which too little is free on the server, the standing of a user
// V = (κ at the top, …, κ of the user) as in order/descent.cpp, from what is used now, with the user's own κ
// in the place of κ⁺, and for each user q who loses tasks c and c' the children, towards b and q, of their
// lowest common node: of the state after the whole move
//
//   1. every limit on b's path holds, and what the root is charged is at most C, or no more than before;
//   2. every node from q up to c' still uses at least ĝ of each resource in M of which it lost some;
//   3. for each q there is a right:
//        rank       q is b, and the task has a lower priority;
//        tier       b's tier is higher than q's. Nothing of a higher tier ends for a lower one;
//        guarantee  some node from b up to c uses at most ĝ of each resource in M;
//        share      V_b ≤ V_q, φ_c > 0, and c as a whole is not ahead of c': over_c/φ_c ≤ over_c'/φ_c' of
//                   each resource in M, or by the largest of all; not asked where φ_c' = 0;
//   4. if a right is by share: V_b is above k = V_b before, and each V that falls is above k;
//   5. no task ends that started after the latest event.
//
// Rank and tier do not ask for 2. While tasks are taken one by one, 2 and 3 are asked of the user who loses,
// and by share that it is above k; of the final set everything is asked.
//
// Standings are compared from the top, in doubles; where keys are too close, exactly. A node of weight 0
// with κ > 0 is above every one with a weight, as in the descent.
//
// Standings as things are, and without one task of a queue, are worked out once. Most tasks are passed over
// by these: by share no task ends whose end alone would leave its user at V_b before or below. While nothing
// below b's top group is lost, V_b after the move is that with its task: a task whose end alone would leave a
// user of another top group below does not end. So where no user of b's top group may lose, and no other
// one's task passes, b is done before any server is looked at.
//
// Cost: O(depth m members) for each user in question; condition 4 looks at the users of the losers' highest
// groups.
#include <algorithm>
#include <array>
#include <cmath>

#include "scheduling/ledger/paths.hpp"
#include "scheduling/starvation/rights.hpp"

namespace mirab::scheduling {
namespace {

using fairness::Wide;

template <class Number>
using Standing = std::vector<std::pair<bool, Number>>;  // is it last, and κ; from the top

/// Does a task of nothing: the keys are of what is used.
TreeCandidate of_nothing(const Amounts& nothing, UserIndex user) {
  return {.entry = {}, .user = user, .demand = nothing, .tasks = 0};
}

template <class Number>
Standing<Number> standing_of(const Descent& descent, const TreeCandidate& candidate) {
  Standing<Number> standing;
  for (const TreeKey<Number>& key : descent.template path<Number>(candidate))
    standing.emplace_back(key.is_last(), key.kappa);
  std::reverse(standing.begin(), standing.end());
  return standing;
}

/// A standing, which is worked out exactly once that is asked for.
struct KnownStanding {
  Standing<double> rounded = {};
  Standing<Wide> counted = {};  // of users whose keys are whole numbers (Descent::counted)
  Standing<mpq_class> exact = {};
};

class RightsInTree final : public Rights {
 public:
  RightsInTree(const Precedence& precedence, const StartedTasks& started)
      : precedence_(precedence),
        ledger_(precedence.context->ledger),
        started_tasks_(started),
        nothing_(ledger_.resource_count(), 0),
        rounding_(kRounding + 4e-16 * static_cast<double>(ledger_.users.size() + ledger_.groups.size())),
        before_(ledger_.users.index_count()),
        without_one_(ledger_.queues.size()) {
    if (ledger_.has_priorities) lowest_priority_ = lowest_running_priorities(ledger_);
  }

  bool may_gain(QueueIndex /*queue*/) const override { return true; }

  bool begin(const Gain& gain) override {
    gain_ = gain;
    start_ = TreeUsageAfter(ledger_);
    if (!start_.may_count(gain.user, gain.demand)) return false;
    start_.add(gain.user, ledger_.queues[gain.queue].task_class, gain.demand, 1);
    path_ = path_of(ledger_, gain.user);
    with_task_ = known(after(start_), gain.user);
    may_lose_.assign(ledger_.queues.size(), {});
    promises_ = std::any_of(path_.begin(), path_.end(),
                            [&](TreeNode node) { return covers_some(ledger_.guarantee(node)); });
    const auto loses_nothing = [&](UserIndex user) {
      const std::vector<QueueIndex>& queues = ledger_.users[user].queues;
      return std::none_of(queues.begin(), queues.end(), [&](QueueIndex queue) {
        return ledger_.queues[queue].running > 0 && may_lose(queue);
      });
    };
    top_stays_ = false;
    top_stays_ = all_below(path_.back(), loses_nothing);
    if (!top_stays_) return true;
    for (const UserIndex user : ledger_.users.present()) {
      if (!loses_nothing(user)) return true;
    }
    return false;
  }

  void begin_on(std::span<const std::size_t> missing) override {
    missing_.assign(missing.begin(), missing.end());
    move_ = start_;
    lost_in_top_ = 0;
  }

  bool may_lose_any(const JobRow& job, UserIndex user) const override {
    return user == gain_.user ? job.rank.priority < gain_.priority : may_lose(job.queue);
  }

  bool may_lose(TaskIndex task, const JobRow& job, UserIndex user) const override {
    return !started_tasks_.contains(task) && may_lose_any(job, user);
  }

  bool lose(const Loss& loss) override {
    if (loss.user != gain_.user && lost_in_top_ == 0 &&
        when(ledger_.jobs[loss.job].queue) == MayLose::after_others)
      return false;
    move_.add(loss.user, loss.task_class, loss.demand, -1);
    if (!right_of(loss.user)) {
      move_.add(loss.user, loss.task_class, loss.demand, 1);
      return false;
    }
    if (top(loss.user) == path_.back()) ++lost_in_top_;
    return true;
  }

  void keep(const Loss& loss) override {
    move_.add(loss.user, loss.task_class, loss.demand, 1);
    if (top(loss.user) == path_.back()) --lost_in_top_;
  }

  std::optional<std::vector<Right>> of(std::span<const Loss* const> losses) override {
    if (!holds_limits() || !holds_reserves()) return {};
    std::vector<std::pair<UserIndex, Right>> known;
    std::vector<Right> rights;
    for (const Loss* const loss : losses) {
      auto at = std::find_if(known.begin(), known.end(),
                             [&](const auto& each) { return each.first == loss->user; });
      if (at == known.end()) {
        const std::optional<Right> right = right_of(loss->user);
        if (!right) return {};
        at = known.insert(at, {loss->user, *right});
      }
      rights.push_back(at->second);
    }
    const bool any_share = std::count(rights.begin(), rights.end(), Right::share) > 0;
    if (any_share && !rises(known)) return {};
    return rights;
  }

 private:
  Descent now() const { return Descent(precedence_); }
  Descent after(const TreeUsageAfter& usage) const { return Descent(precedence_, &usage); }

  // Standings.

  KnownStanding known(const Descent& descent, UserIndex user) const {
    return {.rounded = standing_of<double>(descent, of_nothing(nothing_, user))};
  }
  std::weak_ordering compare(const Descent& of_a, UserIndex a, const Descent& of_b, UserIndex b) const {
    KnownStanding x = known(of_a, a), y = known(of_b, b);
    return compare(x, of_a, a, y, of_b, b);
  }
  std::weak_ordering compare(KnownStanding& x, const Descent& of_a, UserIndex a, KnownStanding& y,
                             const Descent& of_b, UserIndex b) const {
    if (const auto order = order_of(x.rounded, y.rounded)) return *order;
    if (write_counted(x, of_a, a) && write_counted(y, of_b, b)) return x.counted <=> y.counted;
    if (x.exact.empty()) x.exact = standing_of<mpq_class>(of_a, of_nothing(nothing_, a));
    if (y.exact.empty()) y.exact = standing_of<mpq_class>(of_b, of_nothing(nothing_, b));
    return x.exact <=> y.exact;
  }
  bool write_counted(KnownStanding& of, const Descent& descent, UserIndex user) const {
    if (!of.counted.empty()) return true;
    if (const std::optional<Descent> counted = descent.counted(user, top(user)))
      of.counted = standing_of<Wide>(*counted, of_nothing(nothing_, user));
    return !of.counted.empty();
  }
  /// Nothing where keys are too close to tell.
  std::optional<std::weak_ordering> order_of(const Standing<double>& x, const Standing<double>& y) const {
    for (std::size_t at = 0; at < std::min(x.size(), y.size()); ++at) {
      if (x[at].first != y[at].first)
        return x[at].first ? std::weak_ordering::greater : std::weak_ordering::less;
      const double p = x[at].second, q = y[at].second;
      if (p == 0 && q == 0) continue;
      if (std::abs(p - q) <= rounding_ * std::max(p, q)) return {};
      return p < q ? std::weak_ordering::less : std::weak_ordering::greater;
    }
    return x.size() <=> y.size();
  }

  KnownStanding& before(UserIndex user) const {
    KnownStanding& of = before_[user];
    if (of.rounded.empty()) of = known(now(), user);
    return of;
  }
  /// The user's standing there, compared with b's before the move.
  std::weak_ordering compare_with_before(const Descent& there, UserIndex user) const {
    KnownStanding of = known(there, user);
    return compare(of, there, user, before(gain_.user), now(), gain_.user);
  }

  // What may be lost.

  bool covers_some(std::span<const std::int64_t> guarantee) const {
    for (std::size_t r = 0; r < guarantee.size(); ++r) {
      if (gain_.demand[r] > 0 && guarantee[r] >= gain_.demand[r]) return true;
    }
    return false;
  }

  /// May a task of the queue end: never; only once others of b's top group have lost some; or at once?
  enum class MayLose : std::uint8_t { never, after_others, at_once };

  bool may_lose(QueueIndex queue) const {
    const MayLose when = this->when(queue);
    return when == MayLose::at_once || (when == MayLose::after_others && !top_stays_);
  }
  MayLose when(QueueIndex queue) const {
    std::optional<MayLose>& known = may_lose_[queue.number()];
    if (!known) known = find_when(queue);
    return *known;
  }
  MayLose find_when(QueueIndex queue) const {
    const auto at_once_if = [](bool holds) { return holds ? MayLose::at_once : MayLose::never; };
    const UserIndex user = ledger_.queues[queue].user;
    if (user == gain_.user)
      return at_once_if(!lowest_priority_.empty() && lowest_priority_[user] < gain_.priority);
    const std::int64_t own = ledger_.users[gain_.user].tier, other = ledger_.users[user].tier;
    if (own != other) return at_once_if(own > other);
    if (promises_) return MayLose::at_once;
    // By share V_q is at least V_b after the move, which is above V_b before. What others lose does not raise
    // V_q, nor does what it loses itself: it is to be above V_b before when this task alone has ended.
    const TaskClassIndex task_class = ledger_.queues[queue].task_class;
    const std::span<const DemandAlternative> ways = ledger_.task_classes.alternatives(task_class);
    if (top(user) == path_.back()) {
      TreeUsageAfter usage = start_;
      if (ways.size() == 1) usage.add(user, task_class, ways.front().demand, -1);
      return at_once_if(compare_with_before(after(usage), user) > 0);
    }
    // b's task does not change the keys of others than its top group.
    if (compare(before(user), now(), user, before(gain_.user), now(), gain_.user) <= 0) return MayLose::never;
    if (ways.size() > 1) return MayLose::at_once;
    if (compare_without_one(queue, before(gain_.user), now()) <= 0) return MayLose::never;
    return compare_without_one(queue, with_task_, after(start_)) >= 0 ? MayLose::at_once
                                                                      : MayLose::after_others;
  }

  /// The standing of the queue's user without one of its tasks, compared with one of b. Requires that they
  /// can run in one way only, and that nothing of b is below the user's top group.
  std::weak_ordering compare_without_one(QueueIndex queue, KnownStanding& of_b, const Descent& there) const {
    const UserIndex user = ledger_.queues[queue].user;
    KnownStanding& without = without_one_[queue];
    if (!without.rounded.empty()) {
      if (const auto order = order_of(without.rounded, of_b.rounded)) return *order;
    }
    const TaskClassIndex task_class = ledger_.queues[queue].task_class;
    TreeUsageAfter usage(ledger_);
    usage.add(user, task_class, ledger_.task_classes.alternatives(task_class).front().demand, -1);
    const Descent descent = after(usage);
    if (without.rounded.empty()) without = known(descent, user);
    return compare(without, descent, user, of_b, there, gain_.user);
  }

  TreeNode top(UserIndex user) const {
    TreeNode top;
    any_on_path(ledger_, user, [&](TreeNode node) { return top = node, false; });
    return top;
  }

  std::optional<Right> right_of(UserIndex user) const {
    if (user == gain_.user) return Right::rank;
    const std::int64_t own = ledger_.users[gain_.user].tier, other = ledger_.users[user].tier;
    if (own != other) return own > other ? std::optional(Right::tier) : std::nullopt;
    const std::vector<TreeNode> of_user = path_of(ledger_, user);
    const std::size_t shared = nodes_in_common(path_, of_user);
    const std::span<const TreeNode> below_b(path_.data(), path_.size() - shared);  // up to c
    const std::span<const TreeNode> below_user(of_user.data(), of_user.size() - shared);
    if (!is_protected(below_user)) return {};
    if (is_within_guarantee(below_b)) return Right::guarantee;
    return has_share(user, below_b.back(), below_user.back()) ? std::optional(Right::share) : std::nullopt;
  }

  /// Do the nodes keep what they are guaranteed of what is missing and they lost?
  bool is_protected(std::span<const TreeNode> nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [&](TreeNode node) {
      const std::span<const std::int64_t> used = move_.used(node), before = ledger_.used(node);
      const std::span<const std::int64_t> guarantee = ledger_.guarantee(node);
      return std::all_of(missing_.begin(), missing_.end(),
                         [&](std::size_t r) { return used[r] >= before[r] || used[r] >= guarantee[r]; });
    });
  }

  bool is_within_guarantee(std::span<const TreeNode> nodes) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](TreeNode node) {
      const std::span<const std::int64_t> used = move_.used(node), guarantee = ledger_.guarantee(node);
      return std::all_of(missing_.begin(), missing_.end(),
                         [&](std::size_t r) { return used[r] <= guarantee[r]; });
    });
  }

  bool has_share(UserIndex user, TreeNode own, TreeNode other) const {
    if (ledger_.weight(own).numerator == 0) return false;
    const Descent descent = after(move_);
    if (ledger_.weight(other).numerator > 0 && !is_not_ahead(descent, own, other)) return false;
    return compare(descent, gain_.user, descent, user) <= 0 && compare_with_before(descent, user) > 0;
  }

  /// Of each missing resource, or by the largest of all, does the one have no more per weight?
  bool is_not_ahead(const Descent& descent, TreeNode own, TreeNode other) const {
    const TreeCandidate candidate = of_nothing(nothing_, gain_.user);
    const std::vector<double> x = descent.beyond<double>(candidate, own);
    const std::vector<double> y = descent.beyond<double>(candidate, other);
    const auto has_more = [&](const auto& a, const auto& b, const auto& is_more) {
      const bool by_resource = a.size() == nothing_.size() && a.size() > 1;
      const auto more = [&](std::size_t r) { return is_more(a[r], b[r]); };
      const bool of_some =
          by_resource ? std::any_of(missing_.begin(), missing_.end(), more) : is_more(a[0], b[0]);
      return of_some && is_more(*std::max_element(a.begin(), a.end()), *std::max_element(b.begin(), b.end()));
    };
    // Surely, in doubles; or as fractions.
    if (!has_more(x, y, [&](double a, double b) { return a > b * (1 - rounding_); })) return true;
    if (has_more(x, y, [&](double a, double b) { return a > b * (1 + rounding_) && a > 0; })) return false;
    return !has_more(descent.beyond<mpq_class>(candidate, own), descent.beyond<mpq_class>(candidate, other),
                     [](const mpq_class& a, const mpq_class& b) { return a > b; });
  }

  // The move as a whole.

  bool holds_limits() const {
    return std::all_of(path_.begin(), path_.end(), [&](TreeNode node) {
      const Amounts& limit = ledger_.quota(node).limit;
      const std::span<const std::int64_t> used = move_.used(node);
      for (std::size_t r = 0; r < limit.size(); ++r) {
        if (gain_.demand[r] > 0 && limit[r] != kNoLimit && used[r] > limit[r]) return false;
      }
      return true;
    });
  }

  bool holds_reserves() const {
    if (!ledger_.has_reserves()) return true;
    const std::vector<fairness::Wide> charged = move_.charged();
    const std::span<const std::int64_t> before = ledger_.charged(), pool = ledger_.server_pool.pool();
    for (std::size_t r = 0; r < charged.size(); ++r) {
      if (charged[r] > pool[r] && charged[r] > before[r]) return false;
    }
    return true;
  }

  /// Condition 4: only users below the losers' highest groups can fall.
  bool rises(std::span<const std::pair<UserIndex, Right>> losers) const {
    const Descent descent = after(move_), now = this->now();
    if (compare_with_before(descent, gain_.user) <= 0) return false;
    const auto stays_above = [&](UserIndex user) {
      return user == gain_.user || compare_with_before(descent, user) > 0 ||
             compare(descent, user, now, user) >= 0;
    };
    std::vector<TreeNode> seen;
    for (const auto& [loser, right] : losers) {
      const TreeNode top = this->top(loser);
      if (std::find(seen.begin(), seen.end(), top) != seen.end()) continue;
      seen.push_back(top);
      if (!all_below(top, stays_above)) return false;
    }
    return true;
  }

  template <class Holds>
  bool all_below(TreeNode node, const Holds& holds) const {
    if (node.is_user()) return holds(node.user);
    const GroupRow& row = ledger_.groups[node.group];
    return std::all_of(row.users.begin(), row.users.end(), holds) &&
           std::all_of(row.groups.begin(), row.groups.end(),
                       [&](GroupIndex group) { return all_below({.group = group}, holds); });
  }

  const Precedence precedence_;
  const Ledger& ledger_;
  const StartedTasks& started_tasks_;
  const Amounts nothing_;
  const double rounding_;
  IndexedVector<UserIndex, std::int64_t> lowest_priority_;        // of running jobs; empty without priorities
  mutable IndexedVector<UserIndex, KnownStanding> before_;        // as it is; empty: not known yet
  mutable IndexedVector<QueueIndex, KnownStanding> without_one_;  // the same without one of its tasks

  Gain gain_{};
  TreeUsageAfter start_{ledger_}, move_{ledger_};  // with the task of b; and with the losses
  std::vector<TreeNode> path_;                     // of b, from the user up
  mutable KnownStanding with_task_ = {};           // V_b with its task, while its top group loses nothing
  bool promises_ = false;                          // may a guarantee on the path hold the task?
  bool top_stays_ = false;                         // no user of its top group may lose a task
  std::size_t lost_in_top_ = 0;                    // tasks of its top group, as yet
  mutable std::vector<std::optional<MayLose>> may_lose_;  // [queue]
  std::vector<std::size_t> missing_;                      // M
};

}  // namespace

std::unique_ptr<Rights> rights_in_tree(const Precedence& precedence, const StartedTasks& started) {
  return std::make_unique<RightsInTree>(precedence, started);
}

std::vector<double> standing(const Precedence& precedence, UserIndex user, const TreeUsageAfter* after) {
  const Amounts nothing(precedence.context->ledger.resource_count(), 0);
  std::vector<double> keys;
  for (const auto& [is_last, key] :
       standing_of<double>(Descent(precedence, after), of_nothing(nothing, user)))
    keys.push_back(key);
  return keys;
}

}  // namespace mirab::scheduling
