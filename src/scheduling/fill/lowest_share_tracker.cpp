#include "scheduling/fill/lowest_share_tracker.hpp"

#include "model/exact.hpp"

namespace mirab::scheduling {
namespace {

UserIndex entrant(std::size_t user) { return UserIndex(static_cast<std::uint32_t>(user)); }

}  // namespace

LowestShareTracker::LowestShareTracker(const IntegerProblem& cluster) : cluster_(&cluster) {
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) pool_.push_back(cluster.pool(r));
  used_.assign(cluster.user_count() * pool_.size(), 0);
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    const Weight weight = *weight_or_zero_from(cluster.problem().users()[n].weight);
    weights_.push_back(weight.numerator > 0 ? weight : Weight{});
    users_.play(entrant(n), before());
  }
}

std::strong_ordering LowestShareTracker::compare(std::size_t a, std::size_t b) const {
  const auto share = [&](std::size_t user) {
    return per_weight(fairness::dominant_share<fairness::Part>(used(user), pool_), weights_[user]);
  };
  return share(a) <=> share(b);
}

void LowestShareTracker::raise(std::size_t user, std::size_t task) {
  const auto demand = cluster_->demand(task);
  for (std::size_t r = 0; r < pool_.size(); ++r) used_[user * pool_.size() + r] += demand[r];
  if (users_.holds(entrant(user))) users_.play(entrant(user), before());
}

void LowestShareTracker::leave(std::size_t user) { users_.leave(entrant(user), before()); }

double LowestShareTracker::share(std::size_t user) const {
  return nearest(per_weight(fairness::dominant_share<mpq_class>(used(user), pool_), weights_[user]));
}

}  // namespace mirab::scheduling
