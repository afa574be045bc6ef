#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include <mirab/scheduling/events.hpp>
#include <mirab/scheduling/fill.hpp>

#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/share_context.hpp"
#include "scheduling/order/tournament_rules.hpp"

namespace mirab::scheduling {

/// Tasks of a task class; below 0: fewer.
struct ClassTasks {
  TaskClassIndex task_class;
  std::int64_t tasks;
};

/// How many tasks of each task class run: those of some queues, and what a what-if changes. A view.
class TasksByClass {
 public:
  TasksByClass(const IndexedVector<QueueIndex, QueueRow>& rows, std::span<const QueueIndex> queues,
               std::span<const ClassTasks> changed = {})
      : rows_(&rows), queues_(queues), changed_(changed) {}

  /// Visits (task class, tasks) for each queue.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const QueueIndex queue : queues_) {
      const QueueRow& row = (*rows_)[queue];
      std::int64_t tasks = row.running;
      for (const ClassTasks& each : changed_) tasks += each.task_class == row.task_class ? each.tasks : 0;
      visit(row.task_class, tasks);
    }
  }

 private:
  const IndexedVector<QueueIndex, QueueRow>* rows_;
  std::span<const QueueIndex> queues_;
  std::span<const ClassTasks> changed_;
};

using Usage = fairness::Usage<TasksByClass>;

/// Inlined, so that a key pays only for the parts that its formula reads.
[[gnu::always_inline]] inline Usage usage_of(const Ledger& ledger, UserIndex user) {
  const UserRow& row = ledger.users[user];
  return {.amounts = ledger.used(user),
          .tasks = row.running,
          .by_class = TasksByClass(ledger.queues, row.queues)};
}

/// What a user would have after some of its tasks have ended and others have started. Requires the ledger to
/// stay as it is.
class UsageAfter {
 public:
  UsageAfter(const Ledger& ledger, UserIndex user);

  /// `tasks` more tasks of the task class, each of this demand; fewer when it is below 0. O(m + changed).
  void add(TaskClassIndex task_class, std::span<const std::int64_t> demand, std::int64_t tasks);

  UserIndex user() const { return user_; }
  const Amounts& amounts() const { return amounts_; }
  const Weight& weight() const { return ledger_->users[user_].weight; }
  Usage usage() const {
    return {.amounts = amounts_,
            .tasks = tasks_,
            .by_class = TasksByClass(ledger_->queues, ledger_->users[user_].queues, changed_)};
  }

 private:
  const Ledger* ledger_;
  UserIndex user_;
  Amounts amounts_;
  std::int64_t tasks_;
  std::vector<ClassTasks> changed_;
};

/// What the nodes of a tree would use after some tasks have ended and others have started. Requires the
/// ledger to stay as it is.
class TreeUsageAfter {
 public:
  explicit TreeUsageAfter(const Ledger& ledger) : ledger_(&ledger) {}

  /// Would amounts that are counted overflow with this much more of the user?
  bool may_count(UserIndex user, std::span<const std::int64_t> demand) const;

  /// `tasks` more tasks of the user's task class, each of this demand; fewer when it is below 0. O(depth (m +
  /// changed)).
  void add(UserIndex user, TaskClassIndex task_class, std::span<const std::int64_t> demand,
           std::int64_t tasks);

  /// As the ledger has them, of any node but the root. O(changed).
  std::span<const std::int64_t> used(TreeNode node) const;
  std::int64_t running(TreeNode node) const;
  TasksByClass by_class(UserIndex user) const;

  /// q of the root. Requires that anything is reserved. [m]
  std::vector<fairness::Wide> charged() const;

 private:
  struct OfGroup {
    GroupIndex group;
    Amounts used;
    std::vector<fairness::Wide> charged;  // while anything is reserved
    std::int64_t running;
  };
  OfGroup& of(GroupIndex group);
  const OfGroup* find(GroupIndex group) const;
  const UsageAfter* find(UserIndex user) const;
  UsageAfter& of(UserIndex user);

  const Ledger* ledger_;
  std::vector<UsageAfter> users_;  // those that changed, and the groups around them
  std::vector<OfGroup> groups_;
};

/// Rounded keys are right to one part in 10^12: those that differ by more than this part differ exactly in
/// the same way.
inline constexpr double kRounding = 4e-12;

/// A share as a function of what its holder has and of its weight, computed in doubles and compared exactly.
/// It never falls when the holder gets more.
struct ShareFunction {
  double (*rounded)(const ShareContext& context, const Usage& usage, const Weight& weight);
  std::weak_ordering (*compare)(const ShareContext& context, const Usage& a, const Weight& of_a,
                                const Usage& b, const Weight& of_b);
};
extern const ShareFunction kRoundRobinShare;
extern const ShareFunction kDrfShare;
extern const ShareFunction kAssetShare;
extern const ShareFunction kPfShare;
extern const ShareFunction kTsfShare;

/// The key of a queue in a tournament: the same formula for what its user has at present, or one that depends
/// on what waits. With a half-life the key of a share is U_n / φ_n, and the present shares decide between
/// equal ones (see DecayedUsage).
struct KeyFunction {
  double (*rounded)(const ShareContext& context, TournamentEntry entry);  ///< right to 1 part in 10^12
  std::weak_ordering (*compare)(const ShareContext& context, TournamentEntry a,
                                TournamentEntry b);  ///< exactly
};
extern const KeyFunction kFifoKey;
extern const KeyFunction kRoundRobinKey;
extern const KeyFunction kDrfKey;
extern const KeyFunction kAssetKey;
extern const KeyFunction kPfKey;
extern const KeyFunction kTsfKey;
extern const KeyFunction kPsDsfKey;
extern const KeyFunction kMlfDrsKey;

/// By what the nodes of a tree are compared (descent.hpp): the components e_r of what one has beyond its
/// guarantee.
enum class TreeMeasure {
  none,          ///< groups and quotas are refused
  resources,     ///< the part of each resource
  sum,           ///< one component: the sum of the parts
  tasks,         ///< one: the number of tasks, without guarantees
  tasks_alone,   ///< one: tasks as parts of those that the whole cluster runs, without guarantees
  server_class,  ///< the part of each resource that the task demands, of servers of one class
};

/// One row of the table: a discipline is the key by which the next queue is found, the lowest first. A new
/// one is a formula and a row.
struct Discipline {
  DisciplineInfo info;

  const KeyFunction* key;
  const ShareFunction* share = nullptr;  ///< nullptr: the key depends on more than what its user has

  TournamentsBy tournaments = TournamentsBy::nothing;
  bool weighted = true;      ///< the key is divided by φ
  bool priced = false;       ///< needs ShareContext::prices
  bool monopolised = false;  ///< needs ShareContext::alone
  bool places = false;       ///< chooses the servers too, whatever the placement
  bool scaled = false;       ///< honours ShareContext::scale
  bool decays = false;       ///< its share may be averaged over time: ShareContext::usage
  TreeMeasure tree = TreeMeasure::none;
};

/// The share of a user, not per weight. Requires a discipline with a share function.
double share_of(const Discipline& discipline, const ShareContext& context, UserIndex user);

/// What happens when the task of the queue with the lowest key fits nowhere.
enum class Blocking {
  skip,   ///< others are served until something is freed
  freeze  ///< nothing is placed until it fits or another queue has the lowest key
};

/// A discipline with its options read.
struct DisciplineChoice {
  const Discipline* discipline;
  Blocking blocking;
  bool has_tree = false;  ///< are groups and quotas honoured? Else they are refused
};

/// Does the discipline honour groups? Requires one of the table.
bool honours_groups(const Choice& discipline);

/// Errors, with the key `discipline`: a name or an option that is not in the table, a bad option value.
Result<DisciplineChoice> discipline_choice(const Choice& choice);

/// An entry and its rounded key.
struct Keyed {
  TournamentEntry entry;
  double key;
};

/// Who is served before whom. Rounded keys decide first; only where they are too close the exact comparison
/// of the discipline does. Then, for keys that are equal, the tie rule: users as they came, or the other way
/// round; of one user the job that is first by rank, the older of equal ones; of one queue the tournament at
/// the place where the fewest queues wait, so that tasks that may go to several classes of servers leave to
/// others those that others need; then the tournament.
struct Precedence {
  const Discipline* discipline;
  Tie tie;
  const ShareContext* context;
  const QueuesByPlace* waiting = nullptr;  ///< compared for two tournaments of a queue, and only then needed

  /// Are the keys equal, whatever the tie rule?
  bool ties(Keyed a, Keyed b) const { return !differ(a.key, b.key) && compare(a.entry, b.entry) == 0; }

  double rounded(TournamentEntry entry) const { return discipline->key->rounded(*context, entry); }

  /// Is a served before b? A strict order.
  bool before(Keyed a, Keyed b) const {
    if (differ(a.key, b.key)) return a.key < b.key;
    const std::weak_ordering order = compare(a.entry, b.entry);
    return order != 0 ? order < 0 : is_before_by_tie_rule(a.entry, b.entry);
  }

  /// Which of two with equal keys is served first.
  bool is_before_by_tie_rule(TournamentEntry a, TournamentEntry b) const;

  /// Have all entries of a user the same key? Then it is computed and compared once for all of them.
  bool has_key_of_user() const { return discipline->share != nullptr; }

 private:
  std::weak_ordering compare(TournamentEntry a, TournamentEntry b) const {
    const bool is_same = has_key_of_user() && context->queue(a).user == context->queue(b).user;
    return is_same ? std::weak_ordering::equivalent : discipline->key->compare(*context, a, b);
  }
  static bool differ(double a, double b) { return std::abs(a - b) > kRounding * std::max(a, b); }
};

}  // namespace mirab::scheduling
