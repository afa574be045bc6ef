#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <gmpxx.h>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <mirab/scheduling/events.hpp>

#include "scheduling/order/descent.hpp"
#include "scheduling/order/disciplines.hpp"

namespace mirab::scheduling {

/// A waiting task for which others would end on a server.
struct Gain {
  QueueIndex queue;
  UserIndex user;                        ///< b
  std::span<const std::int64_t> demand;  ///< d, [m]
  std::int64_t priority;                 ///< of its job
};

/// A running task that would end.
struct Loss {
  TaskIndex task;
  JobIndex job;
  UserIndex user;  ///< q
  TaskClassIndex task_class;
  std::span<const std::int64_t> demand;
  std::int64_t tier;      ///< of q
  std::int64_t priority;  ///< of the job
  std::size_t place;      ///< among the tasks of the server, the newest first
  const mpq_class* work;  ///< that is lost: ns times parts of the pool; in a tree not asked for
};

/// What counts before all else of a task that ends for one of user b: the lower ones first.
struct LossBand {
  std::int64_t tier;
  bool is_own;                ///< is it b's?
  std::int64_t own_priority;  ///< of b's tasks; of others 0

  friend auto operator<=>(const LossBand&, const LossBand&) = default;
};

/// A task that ends, and by which work it was its user's turn.
struct Turn {
  const Loss* loss;
  const mpq_class* work;
  LossBand band;
};

/// The key of each node on a user's path, from the top: does it come after its siblings with a weight, and κ.
template <class Number>
using Keys = std::vector<std::pair<bool, Number>>;
using KeysFromTop = Keys<mpq_class>;

/// Compares keys from the top; a path that is shorter as if it went on with its last key. None come first.
template <class Number>
std::weak_ordering order_of(const Keys<Number>& a, const Keys<Number>& b) {
  if (a.empty() || b.empty()) return a.size() <=> b.size();
  for (std::size_t at = 0; at < std::max(a.size(), b.size()); ++at) {
    const auto& of_a = a[std::min(at, a.size() - 1)];
    const auto& of_b = b[std::min(at, b.size() - 1)];
    if (of_a < of_b) return std::weak_ordering::less;
    if (of_b < of_a) return std::weak_ordering::greater;
  }
  return std::weak_ordering::equivalent;
}

/// The running tasks that have started since the latest event.
class StartedTasks {
 public:
  void event_happened() {
    ++present_;
    tasks_.clear();
  }
  void started(TaskIndex task) {
    events_.cover(task);
    events_[task] = present_;
    tasks_.push_back(task);
  }
  void ended(TaskIndex task) {
    if (events_.holds(task)) events_[task] = 0;
  }
  bool contains(TaskIndex task) const { return events_.holds(task) && events_[task] == present_; }
  std::vector<TaskIndex> all() const;  ///< by their numbers

 private:
  std::uint64_t present_ = 1;                       // how many events there were
  IndexedVector<TaskIndex, std::uint64_t> events_;  // after how many it started
  std::vector<TaskIndex> tasks_;                    // some of them have ended
};

/// The rounded keys of users after the gain or the loss of one task, kept from one search to the next.
class KeysOfUsers {
 public:
  // What has happened: a user has more tasks or jobs, or fewer; or something else, whatever it is.
  void user_changed(UserIndex user) {
    if (changed_.size() > rows_.size()) all_changed_ = true;
    if (!all_changed_) changed_.push_back(user);
  }
  void all_changed() { all_changed_ = true; }

  /// Brings them up to date. O(users), and O(queues m) of those that changed.
  void refresh(const ShareContext& context, const ShareFunction& share);

  /// Of all ways in which tasks of the user's jobs may run, the one that adds least; infinite without jobs.
  double least(UserIndex user) const { return rows_[user].least; }
  /// Of all ways in which the user's tasks may run, or do, the one that leaves most; -1 without tasks.
  double spare(UserIndex user) const { return rows_[user].spare; }
  double max_spare() const { return max_spare_; }  ///< of all users

 private:
  struct Row {
    double least = std::numeric_limits<double>::infinity();
    double spare = -1;
  };
  static Row row_of(const ShareContext& context, const ShareFunction& share, UserIndex user);

  IndexedVector<UserIndex, Row> rows_;
  double max_spare_ = -1;
  std::vector<UserIndex> changed_;
  bool all_changed_ = true;
};

/// Which tasks may end for which: the rights of users. One move after another is asked about: a task of b
/// starts on a server, and tasks end there one by one. Requires the ledger to stay as it is.
class Rights {
 public:
  Rights() = default;
  virtual ~Rights() = default;
  Rights(const Rights&) = delete;
  Rights& operator=(const Rights&) = delete;

  /// May some task end for the next one of the queue? False only when none may.
  virtual bool may_gain(QueueIndex queue) const = 0;

  /// From now on moves are for this task. False: no task may end for it.
  virtual bool begin(const Gain& gain) = 0;
  /// On a server where too little is free of these resources; nothing has been lost as yet.
  virtual void begin_on(std::span<const std::size_t> missing) = 0;

  /// May some task of the user's job end in some move? False only when none may.
  virtual bool may_lose_any(const JobRow& job, UserIndex user) const = 0;
  /// The same of this task.
  virtual bool may_lose(TaskIndex task, const JobRow& job, UserIndex user) const = 0;
  /// The task ends too, if it may after those that have; else nothing changes.
  virtual bool lose(const Loss& loss) = 0;
  /// A task that was lost goes on.
  virtual void keep(const Loss& loss) = 0;

  /// Brings to the front of those left, which stand in the order of their bands, the one whose turn it is.
  virtual void choose(std::span<Turn> /*left*/) {}

  /// In a tree the keys, after the move as it stands, of the loser that stands lowest then.
  virtual KeysFromTop poorest(std::span<const Loss* const> /*losses*/) const { return {}; }

  /// May the move be made as it stands? Then the right by which each of the losses, all there are, ends.
  virtual std::optional<std::vector<Right>> of(std::span<const Loss* const> losses) = 0;

  /// In which order two users are asked by force, where one has no precedence by tier or guarantee.
  virtual std::weak_ordering standing_order(UserIndex /*a*/, UserIndex /*b*/) const {
    return std::weak_ordering::equivalent;
  }
};

/// Without groups: rights by share, and by rank. See rights.cpp. Requires keys that are up to date. O(1), and
/// O(jobs) where jobs have priorities.
std::unique_ptr<Rights> rights_of_users(const ShareContext& context, const ShareFunction& share,
                                        const KeysOfUsers& keys, const StartedTasks& started);

/// With groups, quotas or tiers. See reclaim.cpp.
std::unique_ptr<Rights> rights_in_tree(const Precedence& precedence, const StartedTasks& started);

/// The standing of a user: the κ of the nodes on its path, from the top, by whole tasks. `after`: what the
/// nodes would use. O(depth m members).
std::vector<double> standing(const Precedence& precedence, UserIndex user,
                             const TreeUsageAfter* after = nullptr);

}  // namespace mirab::scheduling
