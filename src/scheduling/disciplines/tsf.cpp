// Task Share Fairness (Wang et al.; docs/mathematics.md, section 4), task by task: the key is
//
//   Σ_s x_{n,s} / u_s / φ_n,   u_s = Σ_i min_r c_{i,r} / d_{s,i,r},
//
// over the shapes s of the user's tasks: what runs, as a part of what would run if it had the whole cluster
// and no placement constraint stood in the way; X_n / (u_n φ_n) where its tasks are all the same.
#include "scheduling/disciplines.hpp"

namespace mirab::scheduling {

double tsf_key(const Standing& standing, Entry entry) {
  const UserRow& user = standing.user(entry);
  double part = 0;
  for (const std::uint32_t queue : user.queues) {
    const QueueRow& row = standing.accounts.queues[queue];
    if (row.running > 0) part += static_cast<double>(row.running) / standing.alone_value[row.shape];
  }
  return part / user.weight.value();
}

std::weak_ordering tsf_compare(const Standing& standing, Entry a, Entry b) {
  const auto part = [&](Entry entry) {
    const UserRow& user = standing.user(entry);
    mpq_class sum = 0;
    for (const std::uint32_t queue : user.queues) {
      const QueueRow& row = standing.accounts.queues[queue];
      if (row.running > 0) sum += mpq_class(row.running) / standing.alone[row.shape];
    }
    return mpq_class(sum * mpq_class(user.weight.denominator, user.weight.numerator));
  };
  return cmp(part(a), part(b)) <=> 0;
}

}  // namespace mirab::scheduling
