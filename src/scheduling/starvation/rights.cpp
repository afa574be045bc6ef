// Which running tasks may end for a task of user b where there are no groups, by the key of each user in the
// discipline, the same for all its queues (see disciplines.hpp).
//
// By share:
//   - b's key after its gain, k', is above its key before. A task that takes nothing that counts gets
//     nothing by force.
//   - Every user v ≠ b who loses tasks has, after all its losses, a key of at least k'.
//
// So there is a key, k', below which b was, and above which every victim was and at or above which it
// stays: tasks go from users above their fair share to one below its own, and the order does not flip.
//
// While tasks are taken one by one, a user who has lost some by share is above the key of b before, and at or
// above its key with the task and without what it has lost so far. The former matters where b loses itself.
//
// By rank: a task of b itself of a job with a lower priority, which has not started since the latest event.
// It needs no keys. Where tasks end by share too, k' is b's key after all that it gains and loses, and the
// two conditions are asked of the final set.
#include "scheduling/starvation/rights.hpp"

#include <algorithm>
#include <cmath>

namespace mirab::scheduling {

std::vector<TaskIndex> StartedTasks::all() const {
  std::vector<TaskIndex> all;
  for (const TaskIndex task : tasks_) {
    if (contains(task)) all.push_back(task);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

namespace {

/// Can what the user has, which stays, and this much more be counted?
bool may_count(const UsageAfter& usage, std::span<const std::int64_t> demand) {
  return std::equal(demand.begin(), demand.end(), usage.amounts().begin(),
                    [](std::int64_t more, std::int64_t used) { return more <= INT64_MAX - used; });
}

}  // namespace

KeysOfUsers::Row KeysOfUsers::row_of(const ShareContext& context, const ShareFunction& share,
                                     UserIndex user) {
  const Ledger& ledger = context.ledger;
  Row row;
  const UsageAfter now(ledger, user);
  const auto with = [&](TaskClassIndex task_class, const Amounts& demand, std::int64_t tasks) {
    UsageAfter after = now;
    after.add(task_class, demand, tasks);
    return share.rounded(context, after.usage(), after.weight());
  };
  for (const QueueIndex queue : ledger.users[user].queues) {
    const TaskClassIndex task_class = ledger.queues[queue].task_class;
    ledger.task_classes.for_each_demand(task_class, [&](const Amounts& demand) {
      if (may_count(now, demand)) row.least = std::min(row.least, with(task_class, demand, 1));
      if (ledger.queues[queue].running > 0 && is_within(demand, now.amounts()))
        row.spare = std::max(row.spare, with(task_class, demand, -1));
    });
  }
  return row;
}

void KeysOfUsers::refresh(const ShareContext& context, const ShareFunction& share) {
  const Ledger& ledger = context.ledger;
  if (all_changed_) {
    rows_ = IndexedVector<UserIndex, Row>(ledger.users.index_count());
    for (const UserIndex user : ledger.users.present()) rows_[user] = row_of(context, share, user);
  } else {
    for (const UserIndex user : changed_) rows_[user] = row_of(context, share, user);
  }
  all_changed_ = false;
  changed_.clear();
  max_spare_ = -1;
  for (const Row& row : rows_) max_spare_ = std::max(max_spare_, row.spare);
}

namespace {

class RightsOfUsers final : public Rights {
 public:
  RightsOfUsers(const ShareContext& context, const ShareFunction& share, const KeysOfUsers& keys,
                const StartedTasks& started)
      : context_(context), ledger_(context.ledger), share_(share), keys_(keys), started_(started) {
    if (ledger_.has_priorities) lowest_priority_ = lowest_running_priorities(ledger_);
  }

  bool may_gain(QueueIndex queue) const override {
    const UserIndex user = ledger_.queues[queue].user;
    return keys_.least(user) * (1 - kRounding) <= keys_.max_spare() || has_lower(user, priority_of(queue));
  }

  bool begin(const Gain& gain) override {
    gain_ = gain;
    before_.emplace(ledger_, gain.user);
    if (!may_count(*before_, gain.demand)) return false;
    after_ = before_;
    after_->add(ledger_.queues[gain.queue].task_class, gain.demand, 1);
    level_ = rounded(*after_);  // infinite for tsf, where no server holds such a task
    has_own_ = has_lower(gain.user, gain.priority);
    // What b loses itself lowers its key.
    least_ = has_own_ ? rounded(*before_) : level_;
    may_share_ = keys_.max_spare() >= least_ * (1 - kRounding) && compare(*after_, *before_) > 0;
    start_ = after_;
    level_at_start_ = level_;
    return may_share_ || has_own_;
  }

  void begin_on(std::span<const std::size_t> /*missing*/) override {
    left_.clear();
    if (!has_own_) return;
    after_ = start_;
    level_ = level_at_start_;
  }

  bool may_lose_any(const JobRow& job, UserIndex user) const override {
    if (user == gain_.user) return job.rank.priority < gain_.priority;
    return may_share_ && keys_.spare(user) >= least_ * (1 - kRounding);
  }

  bool may_lose(TaskIndex task, const JobRow& job, UserIndex user) const override {
    return may_lose_any(job, user) && !(user == gain_.user && started_.contains(task));
  }

  bool lose(const Loss& loss) override {
    UsageAfter& after = usage_after(loss.user);
    after.add(loss.task_class, loss.demand, -1);
    if (loss.user == gain_.user) {
      level_ = rounded(after);
      return true;
    }
    // What b loses lowers level_, but in the end its key is above the one before.
    if (is_at_least(after) && (!has_own_ || order(after, *before_, least_) > 0)) return true;
    after.add(loss.task_class, loss.demand, 1);
    return false;
  }

  void keep(const Loss& loss) override {
    UsageAfter& after = usage_after(loss.user);
    after.add(loss.task_class, loss.demand, 1);
    if (loss.user == gain_.user) level_ = rounded(after);
  }

  std::optional<std::vector<Right>> of(std::span<const Loss* const> losses) override {
    std::vector<Right> rights;
    for (const Loss* const loss : losses)
      rights.push_back(loss->user == gain_.user ? Right::rank : Right::share);
    // Where b loses nothing its key stays, and those of the others rise as tasks are kept.
    if (!has_own_) return rights;
    for (const Loss* const loss : losses) {
      if (loss->user != gain_.user && !is_at_least(usage_after(loss->user))) return {};
    }
    const bool any_share = std::count(rights.begin(), rights.end(), Right::share) > 0;
    if (any_share && compare(*after_, *before_) <= 0) return {};
    return rights;
  }

 private:
  double rounded(const UsageAfter& after) const {
    return share_.rounded(context_, after.usage(), after.weight());
  }
  std::weak_ordering compare(const UsageAfter& a, const UsageAfter& b) const {
    return share_.compare(context_, a.usage(), a.weight(), b.usage(), b.weight());
  }
  UsageAfter& usage_after(UserIndex user) {
    return user == gain_.user ? *after_ : left_.try_emplace(user, ledger_, user).first->second;
  }
  std::int64_t priority_of(QueueIndex queue) const {
    return ledger_.jobs[ledger_.queues[queue].first_job].rank.priority;
  }

  /// Has the user a running task of a lower priority, which may end?
  bool has_lower(UserIndex user, std::int64_t priority) const {
    return !lowest_priority_.empty() && lowest_priority_[user] < priority;
  }

  /// Is the key after these losses at least that of b, exactly?
  bool is_at_least(const UsageAfter& after) const { return order(after, *after_, level_) >= 0; }

  /// Compares the key after these losses with that of b, exactly; `rounded_b` is the latter in doubles.
  std::weak_ordering order(const UsageAfter& after, const UsageAfter& of_b, double rounded_b) const {
    const double key = rounded(after);
    if (std::abs(key - rounded_b) > kRounding * std::max(key, rounded_b))
      return key > rounded_b ? std::weak_ordering::greater : std::weak_ordering::less;
    return compare(after, of_b);
  }

  const ShareContext& context_;
  const Ledger& ledger_;
  const ShareFunction& share_;
  const KeysOfUsers& keys_;
  const StartedTasks& started_;
  IndexedVector<UserIndex, std::int64_t> lowest_priority_;  // of running tasks; empty: all are 0

  Gain gain_{};
  std::optional<UsageAfter> before_, start_, after_;  // of b; with its task; and without what it loses
  double level_ = 0, level_at_start_ = 0;             // their keys
  double least_ = 0;                                  // what a user needs, after its losses
  bool has_own_ = false;                              // may tasks of b end?
  bool may_share_ = false;                            // may tasks of others?
  std::map<UserIndex, UsageAfter> left_;              // what the losses leave to others
};

}  // namespace

std::unique_ptr<Rights> rights_of_users(const ShareContext& context, const ShareFunction& share,
                                        const KeysOfUsers& keys, const StartedTasks& started) {
  return std::make_unique<RightsOfUsers>(context, share, keys, started);
}

}  // namespace mirab::scheduling
