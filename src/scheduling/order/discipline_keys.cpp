// The keys of the disciplines, one after the other: the user (or the user on a class of servers) with the
// lowest key is served next. a is what a user's tasks use, d what one takes, c the capacity of a server, C
// that of the pool, s the scale of shares and φ the weight. The table of disciplines is in disciplines.cpp.
#include <algorithm>

#include "scheduling/order/disciplines.hpp"

namespace mirab::scheduling {

// First come, first served: the key is the number of jobs that came before. Fair to nobody but the first;
// Östman's section 4.1 uses it as the worst case. Weights do not count.

namespace {

std::uint64_t sequence(const ShareContext& context, Entry entry) {
  return context.ledger.jobs[context.queue(entry).first_job].sequence;
}

}  // namespace

double fifo_key(const ShareContext& context, Entry entry) {
  return static_cast<double>(sequence(context, entry));
}

std::weak_ordering fifo_compare(const ShareContext& context, Entry a, Entry b) {
  return sequence(context, a) <=> sequence(context, b);
}

// One task of each user in turn: the key is X_n / φ_n, the number of its running tasks per weight, and the
// tie rule is the order within a round. The size of a task does not count: a user with large tasks gets a
// large part of the cluster.

double round_robin_key(const ShareContext& context, Entry entry) {
  const UserRow& user = context.user(entry);
  return static_cast<double>(user.running) / user.weight.value();
}

std::weak_ordering round_robin_compare(const ShareContext& context, Entry a, Entry b) {
  const auto turns = [&](Entry entry) {
    return Part{.numerator = context.user(entry).running, .denominator = 1};
  };
  return compare_per_weight(turns(a), context.user(a).weight, turns(b), context.user(b).weight);
}

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

namespace {

Part share(const ShareContext& context, Entry entry) {
  return exact_dominant_part(context.ledger.used(context.queue(entry).user),
                             context.ledger.server_pool.pool(), context.scale);
}

}  // namespace

double drf_share(const ShareContext& context, std::uint32_t user) {
  return dominant_part(context.ledger.used(user), context.ledger.server_pool.pool(), context.scale);
}

double drf_key(const ShareContext& context, Entry entry) {
  return drf_share(context, context.queue(entry).user) / context.user(entry).weight.value();
}

std::weak_ordering drf_compare(const ShareContext& context, Entry a, Entry b) {
  return compare_per_weight(share(context, a), context.user(a).weight, share(context, b),
                            context.user(b).weight);
}

// Asset fairness (Ghodsi et al. 2011): the same part of any resource is worth the same, and everybody spends
// the same. The key is
//
//   Σ_r s_r (Σ_i a_{n,i,r} / C_r) / φ_n,
//
// X_n Σ_r (d_{n,r}/C_r) / φ_n where a user's tasks are all the same. A user may end with less than an N-th of
// every resource: asset fairness gives no sharing incentive.

namespace {

mpq_class spent(const ShareContext& context, Entry entry) {
  const std::span<const std::int64_t> used = context.ledger.used(context.queue(entry).user);
  const std::span<const std::int64_t> pool = context.ledger.server_pool.pool();
  mpq_class spent = 0;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] == 0) continue;
    mpq_class part(used[r], pool[r]);
    part.canonicalize();
    spent += part * mpq_class(context.scale.whole[r]);
  }
  const Weight& weight = context.user(entry).weight;
  return spent * mpq_class(weight.denominator, weight.numerator);
}

}  // namespace

double asset_share(const ShareContext& context, std::uint32_t user) {
  const std::span<const std::int64_t> used = context.ledger.used(user);
  const std::span<const std::int64_t> pool = context.ledger.server_pool.pool();
  double spent = 0;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] > 0)
      spent += context.scale.rounded[r] * (static_cast<double>(used[r]) / static_cast<double>(pool[r]));
  }
  return spent;
}

double asset_key(const ShareContext& context, Entry entry) {
  return asset_share(context, context.queue(entry).user) / context.user(entry).weight.value();
}

std::weak_ordering asset_compare(const ShareContext& context, Entry a, Entry b) {
  return cmp(spent(context, a), spent(context, b)) <=> 0;
}

// Proportional fairness, task by task: the most deprived is who has spent least at the prices ν of the
// divisible allocation of the users that are present (docs/explanation/mathematics.md, section 3),
//
//   Σ_r (Σ_i a_{n,i,r} / C_r) ν_r / φ_n,
//
// X_n (d_n·ν) / φ_n where a user's tasks are all the same: in the divisible optimum everybody has spent φ_n.
// The prices follow the population; they are doubles, so that equal means equal doubles.
// Known failure: the prices are those of one pool, whatever the servers and who may use them.

double pf_spent(const ShareContext& context, std::span<const std::int64_t> used, const Weight& weight) {
  const std::span<const std::int64_t> pool = context.ledger.server_pool.pool();
  double spent = 0;
  for (std::size_t r = 0; r < pool.size(); ++r) {
    if (pool[r] > 0) spent += static_cast<double>(used[r]) / static_cast<double>(pool[r]) * context.prices[r];
  }
  return spent / weight.value();
}

double pf_key(const ShareContext& context, Entry entry) {
  return pf_spent(context, context.ledger.used(context.queue(entry).user), context.user(entry).weight);
}

std::weak_ordering pf_compare(const ShareContext& context, Entry a, Entry b) {
  const double spent_a = pf_key(context, a);
  const double spent_b = pf_key(context, b);
  if (spent_a == spent_b) return std::weak_ordering::equivalent;
  return spent_a < spent_b ? std::weak_ordering::less : std::weak_ordering::greater;
}

// Task Share Fairness (Wang et al.; docs/explanation/mathematics.md, section 4), task by task: the key is
//
//   Σ_s x_{n,s} / u_s / φ_n,   u_s = Σ_i min_r c_{i,r} / d_{s,i,r},
//
// over the task classes s of the user's tasks: what runs, as a part of what would run if it had the whole
// cluster and no placement constraint stood in the way; X_n / (u_n φ_n) where its tasks are all the same.

double tsf_key(const ShareContext& context, Entry entry) {
  const UserRow& user = context.user(entry);
  double part = 0;
  for (const std::uint32_t queue : user.queues) {
    const QueueRow& row = context.ledger.queues[queue];
    if (row.running > 0) part += static_cast<double>(row.running) / context.alone_value[row.task_class];
  }
  return part / user.weight.value();
}

std::weak_ordering tsf_compare(const ShareContext& context, Entry a, Entry b) {
  const auto part = [&](Entry entry) {
    const UserRow& user = context.user(entry);
    mpq_class sum = 0;
    for (const std::uint32_t queue : user.queues) {
      const QueueRow& row = context.ledger.queues[queue];
      if (row.running > 0) sum += mpq_class(row.running) / context.alone[row.task_class];
    }
    return mpq_class(sum * mpq_class(user.weight.denominator, user.weight.numerator));
  };
  return cmp(part(a), part(b)) <=> 0;
}

// PS-DSF, task by task (docs/explanation/mathematics.md, sections 5 and 8): of all users n and kinds of
// servers i the pair with the lowest virtual dominant share
//
//   max_r s_r (a_{n,r} / c_{i,r}) / φ_n,   over the resources that the task to be placed demands,
//
// is served, on a server of that kind; X_n / (γ_{n,i} φ_n) where a user's tasks are all the same. a_n is what
// n uses on all servers together.

namespace {

/// What the user uses of the resources that the task demands; of the others nothing.
class UsedOfDemanded {
 public:
  UsedOfDemanded(const ShareContext& context, Entry entry) : scale_(context.scale) {
    const QueueRow& queue = context.queue(entry);
    used_ = context.ledger.used(queue.user);
    capacity_ = context.server_classes.capacities()[entry.lane];
    demand_ = context.ledger.task_classes.alternatives(queue.task_class).front().demand;
  }

  double part() const {
    double part = 0;
    for (std::size_t r = 0; r < used_.size(); ++r) {
      if (!counts(r)) continue;
      part = std::max(
          part, scale_.rounded[r] * (static_cast<double>(used_[r]) / static_cast<double>(capacity_[r])));
    }
    return part;
  }

  Part exact() const {
    Amounts used;
    for (std::size_t r = 0; r < used_.size(); ++r) used.push_back(counts(r) ? used_[r] : 0);
    return exact_dominant_part(used, capacity_, scale_);
  }

 private:
  bool counts(std::size_t r) const { return demand_[r] > 0 && capacity_[r] > 0; }

  const ShareScale& scale_;
  std::span<const std::int64_t> used_;
  std::span<const std::int64_t> capacity_;
  std::span<const std::int64_t> demand_;
};

}  // namespace

double ps_dsf_key(const ShareContext& context, Entry entry) {
  return UsedOfDemanded(context, entry).part() / context.user(entry).weight.value();
}

std::weak_ordering ps_dsf_compare(const ShareContext& context, Entry a, Entry b) {
  return compare_per_weight(UsedOfDemanded(context, a).exact(), context.user(a).weight,
                            UsedOfDemanded(context, b).exact(), context.user(b).weight);
}

// The queues of MLF-DRS: users wait in a line for each dominant resource. A round serves one task of the head
// of every line, in the order of arrival; who has no task left, or none that fits, makes room for the next of
// its line. The key is the round, then the arrival. A line that was passed over goes on with the present
// round.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2 and table 4.1: arrivals
// 0 to 9, dominated by memory, CPU, CPU, disk, CPU, memory, disk, CPU, CPU, memory, are served in the order
// 0, 1, 3, 2, 5, 6, 4, 9, 7, 8. (Line 7 of its algorithm 1, taken literally, is first come, first served.)
// Known failures: what a task takes does not count, only what dominates it; weights do not count.

// The round belongs to the line, whose queues are not keyed again when it goes on: only the comparison knows
// it.
double mlf_drs_key(const ShareContext& /*context*/, Entry /*entry*/) { return 0; }

std::weak_ordering mlf_drs_compare(const ShareContext& context, Entry a, Entry b) {
  if (context.rounds.of(a.lane) != context.rounds.of(b.lane))
    return context.rounds.of(a.lane) <=> context.rounds.of(b.lane);
  return context.queue(a).arrival <=> context.queue(b).arrival;
}

// The keys of the disciplines that have one for each user (docs/explanation/mathematics.md, section 8), once
// more as functions of what the user has:
//
//   round-robin   X / φ
//   drf           max_r s_r (used_r / C_r) / φ
//   asset         Σ_r s_r (used_r / C_r) / φ
//   pf            Σ_r (used_r / C_r) ν_r / φ, as the doubles of the discipline
//   tsf           Σ_s x_s / u_s / φ
//
// each in doubles and exactly, by one formula. s counts in a unit that is the same for all resources.

namespace {

template <class Number>
Number ratio(std::int64_t numerator, std::int64_t denominator) {
  return static_cast<Number>(numerator) / static_cast<Number>(denominator);
}

template <class Number>
Number per_weight(const Number& amount, const Weight& weight) {
  return amount * static_cast<Number>(weight.denominator) / static_cast<Number>(weight.numerator);
}

const Weight& weight_of(const ShareContext& context, const Holding& holding) {
  return context.ledger.users[holding.user].weight;
}

/// s_r used_r / C_r
template <class Number>
Number part(const ShareContext& context, const Holding& holding, std::size_t r) {
  return static_cast<Number>(context.scale.whole[r]) *
         ratio<Number>(holding.used[r], context.ledger.server_pool.pool()[r]);
}

template <class Number>
Number round_robin(const ShareContext& context, const Holding& holding) {
  return per_weight(static_cast<Number>(holding.running), weight_of(context, holding));
}

template <class Number>
Number drf(const ShareContext& context, const Holding& holding) {
  Number most = 0;
  for (std::size_t r = 0; r < holding.used.size(); ++r) {
    if (context.ledger.server_pool.pool()[r] > 0) most = std::max(most, part<Number>(context, holding, r));
  }
  return per_weight(most, weight_of(context, holding));
}

template <class Number>
Number asset(const ShareContext& context, const Holding& holding) {
  Number sum = 0;
  for (std::size_t r = 0; r < holding.used.size(); ++r) {
    if (context.ledger.server_pool.pool()[r] > 0) sum += part<Number>(context, holding, r);
  }
  return per_weight(sum, weight_of(context, holding));
}

template <class Number>
Number pf(const ShareContext& context, const Holding& holding) {
  return static_cast<Number>(pf_spent(context, holding.used, weight_of(context, holding)));
}

template <class Number>
Number tasks_alone(const ShareContext& context, std::uint32_t task_class);
template <>
double tasks_alone(const ShareContext& context, std::uint32_t task_class) {
  return context.alone_value[task_class];
}
template <>
mpq_class tasks_alone(const ShareContext& context, std::uint32_t task_class) {
  return context.alone[task_class];
}

/// Task classes of which nothing runs before or after may have u_s = 0, and are passed over.
template <class Number>
Number tsf(const ShareContext& context, const Holding& holding) {
  const auto running = [&](std::uint32_t task_class, std::int64_t tasks) {
    return tasks == 0 ? Number(0)
                      : Number(static_cast<Number>(tasks) / tasks_alone<Number>(context, task_class));
  };
  Number sum = 0;
  for (const std::uint32_t queue : context.ledger.users[holding.user].queues) {
    const QueueRow& row = context.ledger.queues[queue];
    std::int64_t tasks = row.running;
    for (const auto& [task_class, more] : holding.changed) tasks += task_class == row.task_class ? more : 0;
    sum += running(row.task_class, tasks);
  }
  return per_weight(sum, weight_of(context, holding));
}

}  // namespace

Holding Holding::of(const Ledger& ledger, std::uint32_t user) {
  const std::span<const std::int64_t> used = ledger.used(user);
  return {.user = user,
          .used = Amounts(used.begin(), used.end()),
          .running = ledger.users[user].running,
          .changed = {}};
}

void Holding::add(std::uint32_t task_class, std::span<const std::int64_t> demand, std::int64_t tasks) {
  for (std::size_t r = 0; r < used.size(); ++r) used[r] += demand[r] * tasks;
  running += tasks;
  const auto known = std::find_if(changed.begin(), changed.end(),
                                  [&](const auto& each) { return each.first == task_class; });
  if (known == changed.end()) {
    changed.emplace_back(task_class, tasks);
  } else {
    known->second += tasks;
  }
}

const Level kRoundRobinLevel{.rounded = round_robin<double>, .exact = round_robin<mpq_class>};
const Level kDrfLevel{.rounded = drf<double>, .exact = drf<mpq_class>};
const Level kAssetLevel{.rounded = asset<double>, .exact = asset<mpq_class>};
const Level kPfLevel{.rounded = pf<double>, .exact = pf<mpq_class>};
const Level kTsfLevel{.rounded = tsf<double>, .exact = tsf<mpq_class>};

}  // namespace mirab::scheduling
