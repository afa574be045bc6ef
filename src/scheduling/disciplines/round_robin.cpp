// One task of each user in turn: the key is X_n / φ_n, the number of its running tasks per weight, and the
// tie rule is the order within a round. The size of a task does not count: a user with large tasks gets a
// large part of the cluster.
#include "scheduling/disciplines.hpp"

namespace mirab::scheduling {

double round_robin_key(const Standing& standing, Entry entry) {
  const UserRow& user = standing.user(entry);
  return static_cast<double>(user.running) / user.weight.value();
}

std::weak_ordering round_robin_compare(const Standing& standing, Entry a, Entry b) {
  const auto turns = [&](Entry entry) {
    return Part{.numerator = standing.user(entry).running, .denominator = 1};
  };
  return compare_per_weight(turns(a), standing.user(a).weight, turns(b), standing.user(b).weight);
}

}  // namespace mirab::scheduling
