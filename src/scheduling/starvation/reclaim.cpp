// Which running tasks may end for a task of user b in a tree of groups (docs/explanation/teams.md, "Who may
// end whose tasks"). With M the resources of which too little is free on the server, V the standing of a
// user, which are the levels of its path, from the top, in the task view (order/descent.cpp) of what is used,
// and for each user q who loses tasks c and c' the children, towards b and q, of their lowest common node: of
// the state after the whole move
//
//   1. every limit on b's path holds, and what the root is charged is at most C, or no more than before;
//   2. every node from q up to c' still uses at least ĝ of each resource in M of which it lost some. If all
//      rights are by guarantee, one that used more than ĝ may use less by less than a task that it lost;
//   3. for each q there is a right:
//        rank       q is b, and the task has a lower priority;
//        tier       b's tier is higher than q's. Nothing of a higher tier ends for a lower one;
//        guarantee  some node from b up to c uses at most ĝ of each resource in M;
//        share      φ_c > 0; c as a whole is not ahead of c': over_c/φ_c ≤ over_c'/φ_c' of each resource in
//        M,
//                   or by the largest of all; not asked where φ_c' = 0; and c in the exact view of b is not
//                   above c' in the task view of q;
//   4. if a right is by guarantee or share: the satisfaction Γ rises (satisfaction.cpp), or it stays, V_b is
//      above k = V_b before, and each V that falls is above k;
//   5. no task ends that started after the latest event.
//
// Rank and tier do not ask for 2. While tasks are taken one by one, 2 and 3 are asked of the user who loses;
// of the final set everything is asked.
//
// It ends: (Γ, the sorted list of all V) rises with every move by guarantee or share, and no placement lowers
// it, since both views grow with every use. See docs/explanation/teams.md for the proof.
//
// Choice: of the tasks for which 2 and 3 hold those are taken whose users stand highest without them. The
// keys of the nodes on a path are compared from the top, each of all that the node would use, beyond its
// guarantee and per weight.
//
// All keys are exact: numbers of parts where all weights are 1, and else fractions. A node of weight 0 is
// above every one with a weight, whatever it holds: else its last task would never end for others. A path
// that is shorter is compared as if it went on with its last key.
//
// Cost: givers.cpp passes over most tasks. O(depth m) for each task that is looked at; O(depth m members) for
// each that is taken; and of the final set the same for every user below the losers' highest groups.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "scheduling/ledger/paths.hpp"
#include "scheduling/starvation/givers.hpp"
#include "scheduling/starvation/rights.hpp"
#include "scheduling/starvation/satisfaction.hpp"

namespace mirab::scheduling {
namespace {

using fairness::Wide;

mpq_class fraction_of(const mpq_class& number) { return number; }
mpq_class fraction_of(Wide number) {
  return mpq_class((mpz_class(static_cast<std::int64_t>(number >> 62)) << 62) +
                   mpz_class(static_cast<std::int64_t>(number & ((Wide{1} << 62) - 1))));
}

template <class Number>
class RightsInTree final : public Rights {
 public:
  RightsInTree(const Precedence& precedence, Descent now, const StartedTasks& started)
      : ledger_(precedence.context->ledger),
        started_tasks_(started),
        nothing_(ledger_.resource_count(), 0),
        rounding_(kRounding + 4e-16 * static_cast<double>(ledger_.users.size() + ledger_.groups.size())),
        now_(std::move(now)),
        after_(now_.after(move_)),
        givers_(precedence),
        before_(ledger_.users.index_count()) {
    if (ledger_.has_priorities) lowest_priority_ = lowest_running_priorities(ledger_);
    for (const UserIndex user : ledger_.users.present()) {
      if (ledger_.users[user].running > 0) lowest_tier_ = std::min(lowest_tier_, ledger_.users[user].tier);
    }
  }

  bool may_gain(QueueIndex queue) const override {
    const QueueRow& row = ledger_.queues[queue];
    if (ends_unasked(row.user, ledger_.jobs[row.first_job].rank.priority)) return true;
    const std::span<const DemandAlternative> ways = ledger_.task_classes.alternatives(row.task_class);
    return std::any_of(ways.begin(), ways.end(), [&](const DemandAlternative& way) {
      const TreeCandidate task{.entry = {.queue = queue}, .user = row.user, .demand = way.demand};
      return is_countable(task) && givers_.any(task);
    });
  }

  bool begin(const Gain& gain) override {
    gain_ = gain;
    const TreeCandidate task{.entry = {.queue = gain.queue}, .user = gain.user, .demand = gain.demand};
    if (!is_countable(task)) return false;
    start_ = TreeUsageAfter(ledger_);
    start_.add(gain.user, ledger_.queues[gain.queue].task_class, gain.demand, 1);
    path_ = path_of(ledger_, gain.user);
    asks_all_ = ends_unasked(gain.user, gain.priority);
    return givers_.begin(task) || asks_all_;
  }

  void begin_on(std::span<const std::size_t> missing) override {
    missing_.assign(missing.begin(), missing.end());
    move_ = start_;
    lost_.clear();
    move_has_changed();
  }

  bool may_lose_any(const JobRow& job, UserIndex user) const override { return may_lose(job, user, {}); }

  bool may_lose(TaskIndex task, const JobRow& job, UserIndex user) const override {
    const auto frees = [&](std::size_t r) { return ledger_.demand(task)[r] > 0; };
    return !started_tasks_.contains(task) && std::any_of(missing_.begin(), missing_.end(), frees) &&
           may_lose(job, user, missing_);
  }

  bool lose(const Loss& loss) override {
    if (is_surely_refused(loss)) return false;
    move_.add(loss.user, loss.task_class, loss.demand, -1);
    lost_.push_back(&loss);
    if (rights_of_losers()) {
      move_has_changed();
      return true;
    }
    keep(loss);
    return false;
  }

  void keep(const Loss& loss) override {
    move_.add(loss.user, loss.task_class, loss.demand, 1);
    lost_.erase(std::find(lost_.begin(), lost_.end(), &loss));
  }

  /// Of the first band the task of the user that stands highest without it, the newest of equal ones. Of the
  /// user's tasks those with the lowest priority first.
  void choose(std::span<Turn> left) override {
    const auto end = std::find_if(left.begin(), left.end(),
                                  [&](const Turn& turn) { return turn.band != left.front().band; });
    const std::span<Turn> band(left.begin(), end);
    // As long as no other task ends, the order of those that are left is the same.
    if (is_in_order_ && band_in_order_ == left.front().band && !ledger_.has_priorities) return;
    is_in_order_ = true;
    band_in_order_ = left.front().band;
    const auto comes_first = [&](const Turn& a, const Turn& b) {
      return this->comes_first(*a.loss, *b.loss);
    };
    const auto sort = [&](std::span<Turn> turns) {
      for (const Turn& turn : turns) look_without(*turn.loss);
      std::sort(turns.begin(), turns.end(), comes_first);
    };
    if (!ledger_.has_priorities) {  // those that are refused at once need no order
      const auto refused = std::partition(band.begin(), band.end(),
                                          [&](const Turn& turn) { return !is_surely_refused(*turn.loss); });
      return sort(std::span(band.begin(), refused));
    }
    sort(band);
    const UserIndex user = band.front().loss->user;
    std::size_t first = 0;
    for (std::size_t at = 1; at < band.size(); ++at) {
      const Loss &a = *band[at].loss, &b = *band[first].loss;
      if (a.user == user && a.priority < b.priority) first = at;
    }
    const auto chosen = band.begin() + static_cast<std::ptrdiff_t>(first);
    std::rotate(band.begin(), chosen, chosen + 1);
  }

  std::optional<std::vector<Right>> of(std::span<const Loss* const> losses) override {
    if (!holds_limits() || !holds_reserves()) return {};
    const std::optional<std::map<UserIndex, Right>> of_users = rights_of_losers();
    if (!of_users) return {};
    const bool any_asked = std::any_of(of_users->begin(), of_users->end(),
                                       [](const auto& each) { return !is_unasked(each.second); });
    if (any_asked && !rises(losses)) return {};
    std::vector<Right> rights;
    for (const Loss* const loss : losses) rights.push_back(of_users->at(loss->user));
    return rights;
  }

  KeysFromTop poorest(std::span<const Loss* const> losses) const override {
    std::optional<Keys<Number>> lowest;
    for (const Loss* const loss : losses) {
      Keys<Number> keys = whole_keys(*loss, 0);
      if (!lowest || order_of(keys, *lowest) < 0) lowest = std::move(keys);
    }
    KeysFromTop poorest;
    for (const auto& [is_last, key] : *lowest) poorest.emplace_back(is_last, fraction_of(key));
    return poorest;
  }

  std::weak_ordering standing_order(UserIndex a, UserIndex b) const override {
    return order_of(before(a), before(b));
  }

 private:
  bool may_lose(const JobRow& job, UserIndex user, std::span<const std::size_t> missing) const {
    if (user == gain_.user) return job.rank.priority < gain_.priority;
    const std::int64_t own = ledger_.users[gain_.user].tier, other = ledger_.users[user].tier;
    if (own != other) return own > other;
    return asks_all_ || givers_.could_lose(user, missing);
  }

  /// Could what all have be counted with the task?
  bool is_countable(const TreeCandidate& task) const {
    return TreeUsageAfter(ledger_).may_count(task.user, task.demand);
  }

  /// Might tasks end by rank or tier, for which nothing is asked?
  bool ends_unasked(UserIndex user, std::int64_t priority) const {
    return lowest_tier_ < ledger_.users[user].tier ||
           (!lowest_priority_.empty() && lowest_priority_[user] < priority);
  }
  static bool is_unasked(Right right) { return right == Right::rank || right == Right::tier; }

  // Keys.

  static Keys<Number> from_top(std::vector<TreeKey<Number>> path) {
    Keys<Number> keys;
    for (auto key = path.rbegin(); key != path.rend(); ++key)
      keys.emplace_back(!key->has_weight, std::move(key->kappa));
    return keys;
  }
  Keys<Number> standing(const Descent& descent, UserIndex user) const {
    return from_top(descent.template path<Number>(of_nothing(user), View::whole_tasks));
  }
  const Keys<Number>& before(UserIndex user) const {
    const UserRow& row = ledger_.users[user];
    Keys<Number>& keys =
        row.running > 0 ? before_[user] : idle_before_[{row.group, row.weight.numerator > 0}];
    if (keys.empty()) keys = standing(now_, user);
    return keys;
  }
  /// Does a task of nothing: keys are of what is used.
  TreeCandidate of_nothing(UserIndex user) const {
    return {.entry = {}, .user = user, .demand = nothing_, .tasks = 0};
  }

  TreeCandidate task_of(const Loss& loss) const {
    return {.entry = {.queue = ledger_.jobs[loss.job].queue}, .user = loss.user, .demand = loss.demand};
  }
  /// Of the loser, with this number of such tasks more: of all that the nodes on its path would use.
  Keys<Number> whole_keys(const Loss& loss, std::int64_t times) const {
    const TreeCandidate task = task_of(loss);
    Keys<Number> keys;
    any_on_path(ledger_, loss.user, [&](TreeNode node) {
      const std::vector<Number> over = after_.template beyond<Number>(task, node, times);
      Number most = *std::max_element(over.begin(), over.end());
      keys.emplace_back(ledger_.weight(node).numerator == 0, std::move(most));
      return false;
    });
    std::reverse(keys.begin(), keys.end());
    return keys;
  }

  /// Keys without one more task: the first one rounded, and all once they are asked for.
  struct Without {
    bool is_last = false;
    double top = -1;
    Keys<Number> all = {};
  };
  void look_without(const Loss& loss) {
    if (loss.place >= without_.size()) without_.resize(loss.place + 1);
    Without& without = without_[loss.place];
    if (without.top >= 0) return;
    const TreeNode top = path_of(ledger_, loss.user).back();
    const std::vector<double> over = after_.template beyond<double>(task_of(loss), top, -1);
    without.top = *std::max_element(over.begin(), over.end());
    without.is_last = ledger_.weight(top).numerator == 0;
  }
  /// Does the user of a stand higher without it than that of b, or, if not, is a newer?
  bool comes_first(const Loss& a, const Loss& b) {
    if (a.user == b.user && a.demand.data() == b.demand.data()) return a.place < b.place;
    Without &of_a = without_[a.place], &of_b = without_[b.place];
    if (of_a.is_last != of_b.is_last) return of_a.is_last;
    if (std::abs(of_a.top - of_b.top) > rounding_ * std::max(of_a.top, of_b.top)) return of_a.top > of_b.top;
    if (of_a.all.empty()) of_a.all = whole_keys(a, -1);
    if (of_b.all.empty()) of_b.all = whole_keys(b, -1);
    const std::weak_ordering order = order_of(of_a.all, of_b.all);
    return order != 0 ? order > 0 : a.place < b.place;
  }

  // Rights.

  /// The paths of b and q, from the users up, below their lowest common node: up to c and c'.
  struct Parting {
    std::span<const TreeNode> own;
    std::vector<TreeNode> other;
  };
  Parting parting_from(UserIndex user) const {
    std::vector<TreeNode> path = path_of(ledger_, user);
    const std::size_t shared = nodes_in_common(path_, path);
    path.resize(path.size() - shared);
    return {.own = std::span(path_).first(path_.size() - shared), .other = std::move(path)};
  }

  /// Conditions 2 and 3 of all that lose tasks, as the move stands.
  std::optional<std::map<UserIndex, Right>> rights_of_losers() const {
    std::map<UserIndex, Right> rights;
    bool all_by_guarantee = true;
    for (const Loss* const loss : lost_) {
      if (rights.contains(loss->user)) continue;
      const std::optional<Right> right = right_of(loss->user);
      if (!right) return {};
      rights[loss->user] = *right;
      all_by_guarantee = all_by_guarantee && *right != Right::share;
    }
    for (const auto& [user, right] : rights) {
      if (!is_unasked(right) && !is_protected(user, all_by_guarantee)) return {};
    }
    return rights;
  }

  std::optional<Right> right_of(UserIndex user) const {
    if (user == gain_.user) return Right::rank;
    const std::int64_t own = ledger_.users[gain_.user].tier, other = ledger_.users[user].tier;
    if (own != other) return own > other ? std::optional(Right::tier) : std::nullopt;
    const Parting parting = parting_from(user);
    if (is_within_guarantee(parting.own)) return Right::guarantee;
    return has_share(user, parting) ? std::optional(Right::share) : std::nullopt;
  }

  bool is_within_guarantee(std::span<const TreeNode> nodes) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](TreeNode node) {
      const std::span<const std::int64_t> used = move_.used(node), guarantee = ledger_.guarantee(node);
      return std::all_of(missing_.begin(), missing_.end(),
                         [&](std::size_t r) { return used[r] <= guarantee[r]; });
    });
  }

  bool has_share(UserIndex user, const Parting& parting) const {
    const TreeNode own = parting.own.back(), other = parting.other.back();
    if (ledger_.weight(own).numerator == 0) return false;
    if (ledger_.weight(other).numerator > 0 && !is_not_ahead(own, other)) return false;
    const std::vector<TreeKey<Number>> of_own = after_.template path<Number>(of_nothing(gain_.user));
    const std::vector<TreeKey<Number>> of_other =
        after_.template path<Number>(of_nothing(user), View::whole_tasks);
    const TreeKey<Number>& c = of_own[parting.own.size() - 1];
    const TreeKey<Number>& other_c = of_other[parting.other.size() - 1];
    return c.has_weight == other_c.has_weight ? c.kappa <= other_c.kappa : c.has_weight;
  }

  /// Without the task too, is c by more than doubles are rounded ahead of c', or higher in the view of b than
  /// all of c'? Most tasks that are refused are, and this takes little time.
  bool is_surely_refused(const Loss& loss) {
    if (loss.user == gain_.user || ledger_.users[gain_.user].tier != loss.tier) return false;
    TreeNode other{.user = loss.user};
    std::size_t level = path_.size();
    while (level == path_.size()) {
      const GroupIndex parent = ledger_.parent(other);
      for (level = 0; level < path_.size() && ledger_.parent(path_[level]) != parent;) ++level;
      if (level == path_.size()) other = {.group = parent};
    }
    if (seen_.empty()) see_own();
    if (seen_[level].is_within_guarantee) return false;
    if (ledger_.weight(path_[level]).numerator == 0) return true;
    if (ledger_.weight(other).numerator == 0) return false;
    const std::vector<double> over = after_.template beyond<double>(task_of(loss), other, -1);
    const double most = *std::max_element(over.begin(), over.end());
    const auto is_more = [&](double x, double y) { return x > y * (1 + rounding_) && x > 0; };
    const Seen& own = seen_[level];
    if (is_more(own.level, most)) return true;
    if (!is_more(*std::max_element(own.over.begin(), own.over.end()), most)) return false;
    return own.over.size() != nothing_.size() ||
           std::any_of(missing_.begin(), missing_.end(),
                       [&](std::size_t r) { return is_more(own.over[r], over[r]); });
  }

  /// What b sees of its path, from itself up, as the move stands: rounded.
  struct Seen {
    std::vector<double> over = {};     // over_c, per weight
    double level = 0;                  // of c in the exact view
    bool is_within_guarantee = false;  // it, or a node below it
  };
  void see_own() {
    const std::vector<TreeKey<double>> path = after_.path(of_nothing(gain_.user));
    for (std::size_t at = 0; at < path_.size(); ++at)
      seen_.push_back({.over = after_.template beyond<double>(of_nothing(gain_.user), path_[at]),
                       .level = path[at].kappa,
                       .is_within_guarantee = is_within_guarantee(std::span(path_).first(at + 1))});
  }
  void move_has_changed() {
    without_.clear();
    seen_.clear();
    is_in_order_ = false;
  }

  /// Of each missing resource, or by the largest of all, does the one have no more per weight?
  bool is_not_ahead(TreeNode own, TreeNode other) const {
    const TreeCandidate candidate = of_nothing(gain_.user);
    const std::vector<Number> a = after_.template beyond<Number>(candidate, own);
    const std::vector<Number> b = after_.template beyond<Number>(candidate, other);
    if (*std::max_element(a.begin(), a.end()) <= *std::max_element(b.begin(), b.end())) return true;
    return a.size() == nothing_.size() &&
           std::all_of(missing_.begin(), missing_.end(), [&](std::size_t r) { return a[r] <= b[r]; });
  }

  /// Do the nodes from the user up to c' keep what they are guaranteed of what is missing and they lost?
  bool is_protected(UserIndex user, bool by_guarantee) const {
    const std::vector<TreeNode> nodes = parting_from(user).other;
    return std::all_of(nodes.begin(), nodes.end(), [&](TreeNode node) {
      const std::span<const std::int64_t> used = move_.used(node), before = ledger_.used(node);
      const std::span<const std::int64_t> guarantee = ledger_.guarantee(node);
      return std::all_of(missing_.begin(), missing_.end(), [&](std::size_t r) {
        if (used[r] >= before[r] || used[r] >= guarantee[r]) return true;
        return by_guarantee && before[r] > guarantee[r] && guarantee[r] - used[r] < largest_loss(node, r);
      });
    });
  }

  /// Of the tasks below the node that end the one that takes most of the resource.
  std::int64_t largest_loss(TreeNode node, std::size_t r) const {
    std::int64_t largest = 0;
    for (const Loss* const loss : lost_) {
      if (any_on_path(ledger_, loss->user, [&](TreeNode at) { return at == node; }))
        largest = std::max(largest, loss->demand[r]);
    }
    return largest;
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
    const std::vector<Wide> charged = move_.charged();
    const std::span<const std::int64_t> before = ledger_.charged(), pool = ledger_.server_pool.pool();
    for (std::size_t r = 0; r < charged.size(); ++r) {
      if (charged[r] > pool[r] && charged[r] > before[r]) return false;
    }
    return true;
  }

  /// Condition 4.
  bool rises(std::span<const Loss* const> losses) const {
    std::vector<TreeNode> changed = path_;
    const auto add = [&](TreeNode node) {
      if (std::find(changed.begin(), changed.end(), node) == changed.end()) changed.push_back(node);
      return false;
    };
    for (const Loss* const loss : losses) any_on_path(ledger_, loss->user, add);
    const mpq_class more = gain_of_satisfaction(ledger_, changed, move_);
    if (more != 0) return more > 0;
    const Keys<Number>& least = before(gain_.user);  // k
    if (order_of(standing(after_, gain_.user), least) <= 0) return false;
    std::set<Alike> idle;
    const auto stays_above = [&](UserIndex user) {
      if (user == gain_.user) return true;
      const UserRow& row = ledger_.users[user];
      if (row.running == 0 && !idle.insert({row.group, row.weight.numerator > 0}).second) return true;
      const Keys<Number> after = standing(after_, user);
      return order_of(after, least) > 0 || order_of(after, before(user)) >= 0;
    };
    // Only users below the losers' highest groups can fall.
    return std::all_of(changed.begin(), changed.end(), [&](TreeNode node) {
      const bool is_top = ledger_.parent(node) == kRoot;
      return !is_top || !loses(node) || all_below(node, stays_above);
    });
  }

  bool loses(TreeNode node) const {
    return std::any_of(lost_.begin(), lost_.end(), [&](const Loss* loss) {
      return any_on_path(ledger_, loss->user, [&](TreeNode at) { return at == node; });
    });
  }

  template <class Holds>
  bool all_below(TreeNode node, const Holds& holds) const {
    if (node.is_user()) return holds(node.user);
    const GroupRow& row = ledger_.groups[node.group];
    return std::all_of(row.users.begin(), row.users.end(), holds) &&
           std::all_of(row.groups.begin(), row.groups.end(),
                       [&](GroupIndex group) { return all_below({.group = group}, holds); });
  }

  const Ledger& ledger_;
  const StartedTasks& started_tasks_;
  const Amounts nothing_;
  const double rounding_;                          // what keys in doubles are off by, at most
  TreeUsageAfter start_{ledger_}, move_{ledger_};  // with the task of b; and with the losses
  const Descent now_, after_;                      // after the move
  Givers givers_;
  IndexedVector<UserIndex, std::int64_t> lowest_priority_;  // of running jobs; empty without priorities
  std::int64_t lowest_tier_ = INT64_MAX;                    // of users of which something runs
  // Standings as they are; empty: not known yet. Users of a group that run nothing stand alike, but for
  // whether they have a weight.
  using Alike = std::pair<GroupIndex, bool>;
  mutable IndexedVector<UserIndex, Keys<Number>> before_;  // of those that run something
  mutable std::map<Alike, Keys<Number>> idle_before_;

  Gain gain_{};
  std::vector<TreeNode> path_;        // of b, from the user up
  bool asks_all_ = false;             // tasks may end by rank or tier: nobody is passed over by bounds
  std::vector<std::size_t> missing_;  // M
  std::vector<const Loss*> lost_;     // as yet
  // As the move stands; empty where it is not known.
  std::vector<Without> without_;  // by the places of tasks on the server
  std::vector<Seen> seen_;        // by level
  bool is_in_order_ = false;      // are those of this band that are left?
  LossBand band_in_order_{};
};

}  // namespace

std::unique_ptr<Rights> rights_in_tree(const Precedence& precedence, const StartedTasks& started) {
  const Descent now(precedence);
  if (std::optional<Descent> counted = now.counted())
    return std::make_unique<RightsInTree<Wide>>(precedence, *std::move(counted), started);
  return std::make_unique<RightsInTree<mpq_class>>(precedence, now, started);
}

std::vector<double> standing(const Precedence& precedence, UserIndex user, const TreeUsageAfter* after) {
  const Amounts nothing(precedence.context->ledger.resource_count(), 0);
  const TreeCandidate of_nothing{.entry = {}, .user = user, .demand = nothing, .tasks = 0};
  std::vector<double> keys;
  for (const TreeKey<mpq_class>& key :
       Descent(precedence, after).path<mpq_class>(of_nothing, View::whole_tasks))
    keys.push_back(key.kappa.get_num().get_d() / key.kappa.get_den().get_d());
  std::reverse(keys.begin(), keys.end());
  return keys;
}

}  // namespace mirab::scheduling
