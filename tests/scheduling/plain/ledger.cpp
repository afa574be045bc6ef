#include "scheduling/plain/ledger.hpp"

namespace mirab::plain {

Ledger::Ledger(const CountedProblem& cluster)
    : cluster_(&cluster), resources_(cluster.resource_count()), placed_(cluster.user_count()) {
  const std::vector<Server>& entries = cluster.problem().servers();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    first_servers_.push_back(entries_.size());
    entries_.insert(entries_.end(), static_cast<std::size_t>(entries[i].count),
                    static_cast<std::uint32_t>(i));
  }
  first_servers_.push_back(entries_.size());

  free_.reserve(entries_.size() * resources_);
  for (const std::uint32_t i : entries_) {
    const auto capacity = cluster.capacity(i);
    free_.insert(free_.end(), capacity.begin(), capacity.end());
  }
}

std::optional<std::size_t> Ledger::first_fit(std::size_t user, std::size_t from) const {
  std::optional<std::size_t> first;
  any_fit(user, from, [&](std::size_t server) {
    first = server;
    return true;
  });
  return first;
}

void Ledger::take(std::size_t user, std::size_t server) {
  MIRAB_ASSERT(fits(user, server), "a task is placed where it does not fit");
  const auto demand = this->demand(user, server);
  for (std::size_t r = 0; r < resources_; ++r) free_[server * resources_ + r] -= demand[r];
  ++placed_[user][entries_[server]];
}

bool Ledger::balances() const {
  const std::size_t entry_count = first_servers_.size() - 1;
  std::vector<std::int64_t> accounted(entry_count * resources_, 0);
  for (std::size_t server = 0; server < server_count(); ++server) {
    for (std::size_t r = 0; r < resources_; ++r)
      accounted[entries_[server] * resources_ + r] += free(server)[r];
  }
  for (std::size_t n = 0; n < placed_.size(); ++n) {
    for (const auto& [i, tasks] : placed_[n]) {
      const auto demand = cluster_->demand(cluster_->task(n, i));
      for (std::size_t r = 0; r < resources_; ++r) accounted[i * resources_ + r] += tasks * demand[r];
    }
  }
  for (std::size_t i = 0; i < entry_count; ++i) {
    const std::int64_t count = cluster_->problem().servers()[i].count;
    for (std::size_t r = 0; r < resources_; ++r) {
      if (accounted[i * resources_ + r] != count * cluster_->capacity(i)[r]) return false;
    }
  }
  return std::all_of(free_.begin(), free_.end(), [](std::int64_t units) { return units >= 0; });
}

}  // namespace mirab::plain
