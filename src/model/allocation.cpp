// Who gets what: grants as a sparse matrix.
#include <algorithm>

#include <mirab/model/allocation.hpp>
#include <mirab/model/assert.hpp>

namespace mirab {

void Grants::add(std::size_t user, std::size_t server, double tasks, std::span<const double> resources) {
  MIRAB_ASSERT(user + 1 >= first_.size(), "grants in the order of the users");
  if (empty()) resource_count_ = resources.size();
  MIRAB_ASSERT(resources.size() == resource_count_, "as many resources in every grant");
  first_.resize(user + 1, size());
  servers_.push_back(static_cast<std::uint32_t>(server));
  tasks_.push_back(tasks);
  resources_.insert(resources_.end(), resources.begin(), resources.end());
}

Grant Grants::operator[](std::size_t index) const {
  const auto next = std::upper_bound(first_.begin(), first_.end(), index);
  return grant(static_cast<std::size_t>(next - first_.begin()) - 1, index);
}

Grants::Range Grants::of(std::size_t user) const {
  if (user >= first_.size()) return {end(), end()};
  const std::size_t next = user + 1 < first_.size() ? first_[user + 1] : size();
  return {Iterator(*this, user, first_[user]), Iterator(*this, user, next)};
}

std::vector<std::vector<double>> bundles(const Problem& problem, const Allocation& allocation) {
  std::vector<std::vector<double>> held(problem.user_count(), std::vector<double>(problem.resource_count()));
  for (const Grant& grant : allocation.grants) {
    for (std::size_t r = 0; r < grant.resources.size(); ++r) held[grant.user][r] += grant.resources[r];
  }
  return held;
}

}  // namespace mirab
