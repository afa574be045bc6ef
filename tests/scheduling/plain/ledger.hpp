#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/counted_problem.hpp"

namespace mirab::plain {

using scheduling::CountedProblem;

/// What is free on every server and what was placed for whom, in exact units. The servers of an entry are
/// spelled out: K' servers, those of an entry next to each other, in the order of the cluster. Starts with
/// everything free.
///
/// Invariant: nothing free is below zero, and what is free and what was placed make up the capacity.
class Ledger {
 public:
  /// Requires the cluster to outlive the ledger. O(K' m) of memory.
  explicit Ledger(const CountedProblem& cluster);

  const CountedProblem& cluster() const { return *cluster_; }
  std::size_t server_count() const { return entries_.size(); }
  std::size_t entry(std::size_t server) const { return entries_[server]; }

  /// Which server of its entry this is, from 0.
  std::int64_t instance(std::size_t server) const {
    return static_cast<std::int64_t>(server - first_servers_[entries_[server]]);
  }

  /// [m], units
  std::span<const std::int64_t> free(std::size_t server) const {
    return std::span(free_).subspan(server * resources_, resources_);
  }

  /// d_n: what the user's next task would take there. [m], units
  std::span<const std::int64_t> demand(std::size_t user, std::size_t server) const {
    return cluster_->demand(cluster_->task(user, entries_[server]));
  }

  /// May the user run there, and is enough free? An exact fit fits (Östman, table 3.1, step 7).
  bool fits(std::size_t user, std::size_t server) const {
    return cluster_->problem().eligible(user, entries_[server]) &&
           is_within(demand(user, server), free(server));
  }

  /// The first server from `from` on where the user's next task fits. O(K' m).
  std::optional<std::size_t> first_fit(std::size_t user, std::size_t from) const;

  /// Visits every server from `from` on where the user's next task fits, in order, until a visit says true:
  /// that it has found what it looked for. Says whether one did. O(K' m).
  template <class Visit>
  bool any_fit(std::size_t user, std::size_t from, Visit visit) const {
    // Eligibility and demand belong to the entry, so they are looked up once for all its servers.
    for (std::size_t server = from, end = from; server < server_count(); server = end) {
      const std::size_t i = entries_[server];
      end = first_servers_[i + 1];
      if (!cluster_->problem().eligible(user, i)) continue;
      const auto demand = cluster_->demand(cluster_->task(user, i));
      for (; server < end; ++server) {
        if (is_within(demand, free(server)) && visit(server)) return true;
      }
    }
    return false;
  }

  /// Visits every server from `from` on where the user's next task fits, in order. O(K' m).
  template <class Visit>
  void for_each_fit(std::size_t user, std::size_t from, Visit visit) const {
    any_fit(user, from, [&](std::size_t server) {
      visit(server);
      return false;
    });
  }

  /// Places one task of the user. Requires that it fits there.
  void take(std::size_t user, std::size_t server);

  /// x_{n,i}: tasks by server entry; only where there are some.
  const std::map<std::size_t, std::int64_t>& placed(std::size_t user) const { return placed_[user]; }

  /// Does what is free on every entry, together with all the tasks placed there, make up its capacity? O(K'
  /// m).
  bool balances() const;

 private:
  static bool is_within(std::span<const std::int64_t> demand, std::span<const std::int64_t> free) {
    return std::equal(demand.begin(), demand.end(), free.begin(), std::less_equal<>());
  }

  const CountedProblem* cluster_;
  std::size_t resources_;                                    // m
  std::vector<std::uint32_t> entries_;                       // [K']
  std::vector<std::size_t> first_servers_;                   // [K + 1], where an entry's servers begin
  std::vector<std::int64_t> free_;                           // [K' × m]
  std::vector<std::map<std::size_t, std::int64_t>> placed_;  // [n]
};

}  // namespace mirab::plain
