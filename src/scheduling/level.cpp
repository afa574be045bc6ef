// The keys of the disciplines that have one for each user (docs/mathematics.md, section 8), once more as
// functions of what the user has:
//
//   round-robin   X / φ
//   drf           max_r s_r (used_r / C_r) / φ
//   asset         Σ_r s_r (used_r / C_r) / φ
//   pf            Σ_r (used_r / C_r) ν_r / φ, as the doubles of the discipline
//   tsf           Σ_s x_s / u_s / φ
//
// each in doubles and exactly, by one formula. s counts in a unit that is the same for all resources.
#include "scheduling/level.hpp"

#include <algorithm>

#include "scheduling/disciplines.hpp"

namespace mirab::scheduling {
namespace {

template <class Number>
Number ratio(std::int64_t numerator, std::int64_t denominator) {
  return static_cast<Number>(numerator) / static_cast<Number>(denominator);
}

template <class Number>
Number per_weight(const Number& amount, const Weight& weight) {
  return amount * static_cast<Number>(weight.denominator) / static_cast<Number>(weight.numerator);
}

const Weight& weight_of(const Standing& standing, const Holding& holding) {
  return standing.accounts.users[holding.user].weight;
}

/// s_r used_r / C_r
template <class Number>
Number part(const Standing& standing, const Holding& holding, std::size_t r) {
  return static_cast<Number>(standing.scale.whole[r]) *
         ratio<Number>(holding.used[r], standing.accounts.park.pool()[r]);
}

template <class Number>
Number round_robin(const Standing& standing, const Holding& holding) {
  return per_weight(static_cast<Number>(holding.running), weight_of(standing, holding));
}

template <class Number>
Number drf(const Standing& standing, const Holding& holding) {
  Number most = 0;
  for (std::size_t r = 0; r < holding.used.size(); ++r) {
    if (standing.accounts.park.pool()[r] > 0) most = std::max(most, part<Number>(standing, holding, r));
  }
  return per_weight(most, weight_of(standing, holding));
}

template <class Number>
Number asset(const Standing& standing, const Holding& holding) {
  Number sum = 0;
  for (std::size_t r = 0; r < holding.used.size(); ++r) {
    if (standing.accounts.park.pool()[r] > 0) sum += part<Number>(standing, holding, r);
  }
  return per_weight(sum, weight_of(standing, holding));
}

template <class Number>
Number pf(const Standing& standing, const Holding& holding) {
  return static_cast<Number>(pf_spent(standing, holding.used, weight_of(standing, holding)));
}

template <class Number>
Number tasks_alone(const Standing& standing, std::uint32_t shape);
template <>
double tasks_alone(const Standing& standing, std::uint32_t shape) {
  return standing.alone_value[shape];
}
template <>
mpq_class tasks_alone(const Standing& standing, std::uint32_t shape) {
  return standing.alone[shape];
}

/// Shapes of which nothing runs before or after may have u_s = 0, and are passed over.
template <class Number>
Number tsf(const Standing& standing, const Holding& holding) {
  const auto running = [&](std::uint32_t shape, std::int64_t tasks) {
    return tasks == 0 ? Number(0) : Number(static_cast<Number>(tasks) / tasks_alone<Number>(standing, shape));
  };
  Number sum = 0;
  for (const std::uint32_t queue : standing.accounts.users[holding.user].queues) {
    const QueueRow& row = standing.accounts.queues[queue];
    std::int64_t tasks = row.running;
    for (const auto& [shape, more] : holding.changed) tasks += shape == row.shape ? more : 0;
    sum += running(row.shape, tasks);
  }
  return per_weight(sum, weight_of(standing, holding));
}

}  // namespace

Holding Holding::of(const Accounts& accounts, std::uint32_t user) {
  const std::span<const std::int64_t> used = accounts.used(user);
  return {.user = user,
          .used = Amounts(used.begin(), used.end()),
          .running = accounts.users[user].running,
          .changed = {}};
}

void Holding::add(std::uint32_t shape, std::span<const std::int64_t> demand, std::int64_t tasks) {
  for (std::size_t r = 0; r < used.size(); ++r) used[r] += demand[r] * tasks;
  running += tasks;
  const auto known =
      std::find_if(changed.begin(), changed.end(), [&](const auto& each) { return each.first == shape; });
  if (known == changed.end()) {
    changed.emplace_back(shape, tasks);
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
