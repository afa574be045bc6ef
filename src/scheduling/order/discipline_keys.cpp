// The keys of the disciplines, one after the other: the user (or the user on a class of servers) with the
// lowest key is served next. Each is one formula, a template on the number that it is computed in: in
// doubles, and in its own exact number, Exact, for the comparison. a is what a user's tasks use, d what one
// takes, c the capacity of a server, C that of the pool, s the scale of shares and φ the weight. The table of
// disciplines is in disciplines.cpp.
#include <algorithm>
#include <type_traits>

#include "scheduling/order/disciplines.hpp"

namespace mirab::scheduling {
namespace {

using fairness::Part;
using fairness::per_weight;

std::weak_ordering order_of(const mpq_class& a, const mpq_class& b) { return cmp(a, b) <=> 0; }
std::weak_ordering order_of(double a, double b) {
  if (a == b) return std::weak_ordering::equivalent;
  return a < b ? std::weak_ordering::less : std::weak_ordering::greater;
}
template <class Number>
std::weak_ordering order_of(const Number& a, const Number& b) {
  return a <=> b;
}

template <class Formula>
double rounded_share(const ShareContext& context, const Usage& usage, const Weight& weight) {
  return Formula::template key<double>(context, usage, weight);
}
template <class Formula>
std::weak_ordering compare_shares(const ShareContext& context, const Usage& a, const Weight& of_a,
                                  const Usage& b, const Weight& of_b) {
  using Exact = typename Formula::Exact;
  return order_of(Formula::template key<Exact>(context, a, of_a),
                  Formula::template key<Exact>(context, b, of_b));
}
template <class Formula>
constexpr ShareFunction kShareFunction{.rounded = rounded_share<Formula>, .compare = compare_shares<Formula>};

/// U_n / φ_n
double decayed_key(const ShareContext& context, TournamentEntry entry) {
  return context.usage->key(context.queue(entry).user) / context.user(entry).weight.value();
}

/// The formula for what the user of a queue has.
template <class Formula>
struct OfUser {
  using Exact = typename Formula::Exact;

  template <class Number>
  static auto key(const ShareContext& context, TournamentEntry entry) {
    const UserIndex user = context.queue(entry).user;
    return Formula::template key<Number>(context, usage_of(context.ledger, user),
                                         context.ledger.users[user].weight);
  }
};

template <class Formula>
double rounded_key(const ShareContext& context, TournamentEntry entry) {
  return static_cast<double>(Formula::template key<double>(context, entry));
}
template <class Formula>
std::weak_ordering compare_keys(const ShareContext& context, TournamentEntry a, TournamentEntry b) {
  using Exact = typename Formula::Exact;
  return order_of(Formula::template key<Exact>(context, a), Formula::template key<Exact>(context, b));
}

template <class Formula>
double rounded_key_of_user(const ShareContext& context, TournamentEntry entry) {
  return context.usage ? decayed_key(context, entry) : rounded_key<OfUser<Formula>>(context, entry);
}
template <class Formula>
std::weak_ordering compare_keys_of_users(const ShareContext& context, TournamentEntry a, TournamentEntry b) {
  const std::weak_ordering decayed = context.usage
                                         ? order_of(decayed_key(context, a), decayed_key(context, b))
                                         : std::weak_ordering::equivalent;
  return decayed != 0 ? decayed : compare_keys<OfUser<Formula>>(context, a, b);
}

template <class Formula>
constexpr KeyFunction kKeyFunction{.rounded = rounded_key<Formula>, .compare = compare_keys<Formula>};
template <class Formula>
constexpr KeyFunction kKeyOfUser{.rounded = rounded_key_of_user<Formula>,
                                 .compare = compare_keys_of_users<Formula>};

// First come, first served: the key is the number of jobs that came before. Fair only to the first;
// Östman's section 4.1 uses it as the worst case. Weights do not count.

struct Fifo {
  using Exact = std::uint64_t;

  template <class Number>
  static Number key(const ShareContext& context, TournamentEntry entry) {
    return static_cast<Number>(context.ledger.jobs[context.queue(entry).first_job].sequence);
  }
};

// One task of each user in turn: the key is X_n / φ_n, the number of its running tasks per weight, and the
// tie rule is the order within a round. The size of a task does not count: a user with large tasks gets a
// large part of the cluster.

struct RoundRobin {
  using Exact = Part;

  template <class Number>
  static auto key(const ShareContext& /*context*/, const Usage& usage, const Weight& weight) {
    return per_weight(fairness::part_of<Number>(usage.tasks, std::int64_t{1}), weight);
  }
};

// Dominant Resource Fairness by progressive filling (Ghodsi et al. 2011, algorithm 1): the key is the
// weighted global dominant share
//
//   max_r s_r (Σ_i a_{n,i,r} / C_r) / φ_n,
//
// which is X_n max_r (d_{n,r}/C_r) / φ_n where a user's tasks are all the same. On many servers this is the
// task-by-task form of DRFH. Whole tasks make the shares equal only up to one task; with blocking=skip the
// users that still fit somewhere pass those that do not.
//
// Example (the slides' table 1): C = (9, 18), tasks (1, 4) and (3, 1) raise the shares by 2/9 and 1/3;
// starting with B the order is B A A B A.

struct Drf {
  using Exact = Part;

  template <class Number>
  static auto key(const ShareContext& context, const Usage& usage, const Weight& weight) {
    return per_weight(fairness::dominant_share<Number>(usage.amounts, context.pool(), context.scale), weight);
  }
};

// Asset fairness (Ghodsi et al. 2011): the same part of any resource is worth the same, and everybody spends
// the same. The key is
//
//   Σ_r s_r (Σ_i a_{n,i,r} / C_r) / φ_n,
//
// X_n Σ_r (d_{n,r}/C_r) / φ_n where a user's tasks are all the same. A user may end with less than an N-th of
// every resource: asset fairness gives no sharing incentive.

struct Asset {
  using Exact = mpq_class;

  template <class Number>
  static auto key(const ShareContext& context, const Usage& usage, const Weight& weight) {
    return per_weight(fairness::asset_share<Number>(usage.amounts, context.pool(), context.scale), weight);
  }
};

// Proportional fairness, task by task: the most deprived is who has spent least at the prices ν of the
// divisible allocation of the users that are present (docs/explanation/mathematics.md, section 3),
//
//   Σ_r (Σ_i a_{n,i,r} / C_r) ν_r / φ_n,
//
// X_n (d_n·ν) / φ_n where a user's tasks are all the same: in the divisible optimum everybody has spent φ_n.
// The prices follow the population; they are doubles, so that equal means equal doubles.
// Known failure: the prices are those of one pool, whatever the servers and who may use them.

struct Prices {
  std::span<const double> of;
  double times(double part, std::size_t r) const { return part * of[r]; }
};

struct Pf {
  using Exact = double;

  template <class Number>
  static auto key(const ShareContext& context, const Usage& usage, const Weight& weight) {
    return per_weight(
        fairness::asset_share<Number>(usage.amounts, context.pool(), Prices{.of = context.prices}), weight);
  }
};

// Task Share Fairness (Wang et al.; docs/explanation/mathematics.md, section 4), task by task: the key is
//
//   Σ_s x_{n,s} / u_s / φ_n,   u_s = Σ_i min_r c_{i,r} / d_{s,i,r},
//
// over the task classes s of the user's tasks: what runs, as a part of what would run if it had the whole
// cluster and no placement constraint stood in the way; X_n / (u_n φ_n) where its tasks are all the same.
// Where no server has anything of what a task takes, u_s = 1.

struct Tsf {
  using Exact = mpq_class;

  template <class Number>
  static auto key(const ShareContext& context, const Usage& usage, const Weight& weight) {
    Number sum = 0;
    usage.by_class.for_each([&](TaskClassIndex task_class, std::int64_t tasks) {
      if (tasks > 0) sum += Number(static_cast<Number>(tasks) / alone<Number>(context, task_class));
    });
    return per_weight(sum, weight);
  }

  template <class Number>
  static const Number& alone(const ShareContext& context, TaskClassIndex task_class) {
    if constexpr (std::is_same_v<Number, double>) {
      return context.alone_value[task_class];
    } else {
      return context.alone[task_class];
    }
  }
};

// PS-DSF, task by task (docs/explanation/mathematics.md, sections 5 and 8): of all users n and kinds of
// servers i the pair with the lowest virtual dominant share
//
//   max_r s_r (a_{n,i,r} / c_{i,r}) / φ_n,   over the resources that the task to be placed demands there,
//
// is served, on a server of that kind; X_n / (γ_{n,i} φ_n) where a user's tasks are all the same. a_{n,i} is
// what n would use, on all servers together, if all its tasks like the one to be placed took what that one
// takes: X_n counts in the demand that n has on i. A kind of server on which the demand differs by the name
// of the server counts once for each demand.

/// What is used of the resources that a task demands; of the others nothing.
struct UsedOfDemanded {
  std::span<const std::int64_t> used;
  std::span<const std::int64_t> demand;
  std::int64_t operator[](std::size_t r) const { return demand[r] > 0 ? used[r] : 0; }
};

/// The same if all tasks of a queue took the demand, instead of what they take now.
template <class Number>
struct UsedIfAllTookIt {
  std::span<const std::int64_t> used;
  std::span<const std::int64_t> taken;
  std::span<const std::int64_t> demand;
  std::int64_t tasks;

  auto operator[](std::size_t r) const {
    const std::int64_t others = used[r] - taken[r];
    if constexpr (std::is_same_v<Number, double>) {
      const double all = static_cast<double>(tasks) * static_cast<double>(demand[r]);
      return demand[r] > 0 ? static_cast<double>(others) + all : 0.0;
    } else {
      // More than a cluster holds, which may be more than can be counted: such keys are equal.
      const fairness::Wide all = fairness::Wide{tasks} * demand[r] + others;
      return demand[r] > 0 ? static_cast<std::int64_t>(std::min<fairness::Wide>(all, INT64_MAX))
                           : std::int64_t{0};
    }
  }
};

struct PsDsf {
  using Exact = Part;

  template <class Number>
  static auto key(const ShareContext& context, TournamentEntry entry) {
    const QueueRow& queue = context.queue(entry);
    const auto alternatives = context.ledger.task_classes.alternatives(queue.task_class);
    const std::span<const std::int64_t> used = context.ledger.used(queue.user);
    const std::span<const std::int64_t> demand = alternatives[entry.tournament.alternative.number()].demand;
    const auto virtual_share = [&](const auto& amounts) {
      const Amounts& capacity = context.server_classes.capacities()[entry.tournament.server_class()];
      return per_weight(fairness::dominant_share<Number>(amounts, capacity, context.scale),
                        context.user(entry).weight);
    };
    const TaskClasses& task_classes = context.ledger.task_classes;
    if (!task_classes.varies(queue.task_class) || task_classes.has_roles(queue.task_class))
      return virtual_share(UsedOfDemanded{.used = used, .demand = demand});
    return virtual_share(UsedIfAllTookIt<Number>{
        .used = used, .taken = context.ledger.taken(entry.queue), .demand = demand, .tasks = queue.running});
  }
};

// The queues of MLF-DRS: users wait in a line for each dominant resource. A round serves one task of the head
// of every line, in the order of arrival; who has no task left, or none that fits, makes room for the next of
// its line. The key is the round, then the arrival. A line that was passed over goes on with the present
// round.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2 and table 4.1: arrivals
// 0 to 9, dominated by memory, CPU, CPU, disk, CPU, memory, disk, CPU, CPU, memory, are served in the order
// 0, 1, 3, 2, 5, 6, 4, 9, 7, 8. (Line 7 of its algorithm 1, taken literally, is first come, first served.)
// Known failures: what a task takes does not count, only what dominates it; weights do not count.

struct MlfDrs {
  struct Exact {
    std::int64_t round;
    const std::uint64_t* arrival;  // read only when the rounds are equal

    friend std::strong_ordering operator<=>(const Exact& a, const Exact& b) {
      return a.round != b.round ? a.round <=> b.round : *a.arrival <=> *b.arrival;
    }
  };

  // The round belongs to the line, whose queues are not keyed again when it goes on: only the comparison
  // knows it.
  template <class Number>
  static Number key(const ShareContext& context, TournamentEntry entry) {
    if constexpr (std::is_same_v<Number, double>) {
      return 0;
    } else {
      return {context.rounds.of(entry.tournament.resource()), &context.queue(entry).arrival};
    }
  }
};

}  // namespace

const ShareFunction kRoundRobinShare = kShareFunction<RoundRobin>;
const ShareFunction kDrfShare = kShareFunction<Drf>;
const ShareFunction kAssetShare = kShareFunction<Asset>;
const ShareFunction kPfShare = kShareFunction<Pf>;
const ShareFunction kTsfShare = kShareFunction<Tsf>;

const KeyFunction kRoundRobinKey = kKeyOfUser<RoundRobin>;
const KeyFunction kDrfKey = kKeyOfUser<Drf>;
const KeyFunction kAssetKey = kKeyOfUser<Asset>;
const KeyFunction kPfKey = kKeyOfUser<Pf>;
const KeyFunction kTsfKey = kKeyOfUser<Tsf>;
const KeyFunction kFifoKey = kKeyFunction<Fifo>;
const KeyFunction kPsDsfKey = kKeyFunction<PsDsf>;
const KeyFunction kMlfDrsKey = kKeyFunction<MlfDrs>;

UsageAfter::UsageAfter(const Ledger& ledger, UserIndex user)
    : ledger_(&ledger),
      user_(user),
      amounts_(ledger.used(user).begin(), ledger.used(user).end()),
      tasks_(ledger.users[user].running) {}

void UsageAfter::add(TaskClassIndex task_class, std::span<const std::int64_t> demand, std::int64_t tasks) {
  for (std::size_t r = 0; r < amounts_.size(); ++r) amounts_[r] += demand[r] * tasks;
  tasks_ += tasks;
  const auto known = std::find_if(changed_.begin(), changed_.end(),
                                  [&](const ClassTasks& each) { return each.task_class == task_class; });
  if (known == changed_.end()) {
    changed_.push_back({.task_class = task_class, .tasks = tasks});
  } else {
    known->tasks += tasks;
  }
}

const UsageAfter* TreeUsageAfter::find(UserIndex user) const {
  const auto known =
      std::find_if(users_.begin(), users_.end(), [&](const UsageAfter& each) { return each.user() == user; });
  return known == users_.end() ? nullptr : &*known;
}

const TreeUsageAfter::OfGroup* TreeUsageAfter::find(GroupIndex group) const {
  const auto known =
      std::find_if(groups_.begin(), groups_.end(), [&](const OfGroup& each) { return each.group == group; });
  return known == groups_.end() ? nullptr : &*known;
}

UsageAfter& TreeUsageAfter::of(UserIndex user) {
  const UsageAfter* const known = find(user);
  return known != nullptr ? users_[static_cast<std::size_t>(known - users_.data())]
                          : users_.emplace_back(*ledger_, user);
}

TreeUsageAfter::OfGroup& TreeUsageAfter::of(GroupIndex group) {
  if (const OfGroup* const known = find(group))
    return groups_[static_cast<std::size_t>(known - groups_.data())];
  const GroupRow& row = ledger_->groups[group];
  const std::span<const std::int64_t> used = ledger_->used(group);
  OfGroup& added = groups_.emplace_back(
      OfGroup{.group = group, .used = {used.begin(), used.end()}, .charged = {}, .running = row.running});
  if (ledger_->has_reserves()) added.charged.assign(row.charged.begin(), row.charged.end());
  return added;
}

bool TreeUsageAfter::may_count(UserIndex user, std::span<const std::int64_t> demand) const {
  const auto fits = [&](std::span<const std::int64_t> used) {
    return std::equal(demand.begin(), demand.end(), used.begin(),
                      [](std::int64_t more, std::int64_t now) { return more <= INT64_MAX - now; });
  };
  if (!fits(used({.user = user}))) return false;
  for (GroupIndex group = ledger_->users[user].group; group != kRoot; group = ledger_->groups[group].parent) {
    if (!fits(used({.group = group}))) return false;
  }
  return true;
}

void TreeUsageAfter::add(UserIndex user, TaskClassIndex task_class, std::span<const std::int64_t> demand,
                         std::int64_t tasks) {
  using fairness::Wide;
  const auto reserved = [](const NodeQuota& quota, std::size_t r) {
    return quota.reserved.empty() ? Wide{0} : Wide{quota.reserved[r]};
  };
  UsageAfter& after = of(user);
  std::vector<Wide> change(demand.size(), 0);  // of what the node below is charged
  for (std::size_t r = 0; r < demand.size(); ++r) {
    const Wide before = after.amounts()[r], least = reserved(ledger_->users[user].quota, r);
    change[r] = std::max(before + Wide{demand[r]} * tasks, least) - std::max(before, least);
  }
  after.add(task_class, demand, tasks);
  for (GroupIndex group = ledger_->users[user].group; group != kNone; group = ledger_->groups[group].parent) {
    if (group == kRoot && !ledger_->has_reserves()) return;
    OfGroup& row = of(group);
    row.running += tasks;
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (group != kRoot) row.used[r] += demand[r] * tasks;
      if (!ledger_->has_reserves()) continue;
      const Wide before = row.charged[r], least = reserved(ledger_->groups[group].quota, r);
      row.charged[r] += change[r];
      change[r] = std::max(row.charged[r], least) - std::max(before, least);
    }
  }
}

std::span<const std::int64_t> TreeUsageAfter::used(TreeNode node) const {
  if (node.is_user()) {
    const UsageAfter* const after = find(node.user);
    return after != nullptr ? std::span<const std::int64_t>(after->amounts()) : ledger_->used(node.user);
  }
  const OfGroup* const after = find(node.group);
  return after != nullptr ? std::span<const std::int64_t>(after->used) : ledger_->used(node.group);
}

std::int64_t TreeUsageAfter::running(TreeNode node) const {
  if (node.is_user()) {
    const UsageAfter* const after = find(node.user);
    return after != nullptr ? after->usage().tasks : ledger_->running(node);
  }
  const OfGroup* const after = find(node.group);
  return after != nullptr ? after->running : ledger_->running(node);
}

TasksByClass TreeUsageAfter::by_class(UserIndex user) const {
  const UsageAfter* const after = find(user);
  return after != nullptr ? after->usage().by_class
                          : TasksByClass(ledger_->queues, ledger_->users[user].queues);
}

std::vector<fairness::Wide> TreeUsageAfter::charged() const {
  const OfGroup* const after = find(kRoot);
  if (after != nullptr) return after->charged;
  return {ledger_->charged().begin(), ledger_->charged().end()};
}

}  // namespace mirab::scheduling
