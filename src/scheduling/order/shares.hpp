#pragma once

#include <cstdint>
#include <optional>

#include <mirab/model/time.hpp>

#include "scheduling/order/disciplines.hpp"
#include "scheduling/order/share_context.hpp"

namespace mirab::scheduling {

/// What the discipline compares users by, kept up to date. The usage of a user is written whenever its share
/// changes. The prices and the tasks alone depend on the whole cluster: they become stale, and are computed
/// when a step needs them.
struct Shares {
  /// Requires the ledger to outlive it.
  Shares(const Ledger& ledger, const Discipline& discipline, fairness::ShareScale scale,
         std::optional<Duration> half_life);
  /// A copy that looks at another ledger, which has the same rows.
  Shares(const Shares& other, const Ledger& ledger);

  const Discipline* discipline;
  ShareContext context;
  TournamentRules tournaments;
  bool are_stale = false;  ///< prices, tasks alone, and which tournaments task classes enter

  void user_added(UserIndex user, Time now);

  /// What a user used until now counts with the share that it had; from now on the present one counts.
  void user_changed(UserIndex user, Time now) {
    if (context.usage) context.usage->set_share(user, share_of(*discipline, context, user), now);
  }

  /// Users with a queue have come or gone, or weights have changed.
  void population_changed() { are_stale = are_stale || discipline->priced; }

  /// Shares are of other capacities from now on, and the server classes may be others.
  void capacities_changed(Time now);

  /// The servers of a server class that take tasks may be others from now on.
  void open_servers_changed() { are_stale = are_stale || tournaments.follow_open_servers(); }

  void task_class_added(TaskClassIndex task_class);
  void task_placed(TournamentEntry entry) { tournaments.served(entry.tournament, context.rounds); }

  /// Decayed usage, when that is due; then all keys are stale. O(users).
  void refresh_usage(Time now) {
    if (!context.usage || !context.usage->is_due(now)) return;
    context.usage->refresh(now);
    are_stale = true;
  }
  void refresh();  ///< what is stale

  /// The context as a step at this time would see it; nothing when it is that already.
  std::optional<ShareContext> refreshed(Time at) const;

 private:
  void count_alone(TaskClassIndex task_class);
};

}  // namespace mirab::scheduling
