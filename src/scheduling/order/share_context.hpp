#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <gmpxx.h>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/time.hpp>

#include "fairness/share.hpp"
#include "scheduling/ledger/ledger.hpp"

namespace mirab::numerics {
struct PricedAmounts;
}

namespace mirab::scheduling {

/// What users have used lately: their shares s(τ), of which what lies a half-life h back counts half,
///
///   U(t) = (ln 2 / h) ∫_{-∞}^t s(τ) 2^{-(t-τ)/h} dτ,
///
/// so that a share that stays tends to itself. While s does not change, U(t + Δ) = s + (U(t) − s) 2^{-Δ/h},
/// which is all that is computed, in doubles.
///
/// The order of two users may change while nothing happens to either. They are compared by the keys of one
/// time for all: those of the latest refresh(), which is due when a 1024th of a half-life has passed. Until
/// then U is off by at most 0.07 % of the difference between U and s.
class DecayedUsage {
 public:
  /// Requires a half-life above 0.
  explicit DecayedUsage(Duration half_life) : half_life_(half_life) {}

  /// The user begins with nothing.
  void begin(UserIndex user, Time now);
  /// From now on the user has this share.
  void set_share(UserIndex user, double share, Time now);

  bool is_due(Time now) const;
  void refresh(Time now);  ///< O(users)

  double key(UserIndex user) const { return rows_[user].key; }  ///< U at the latest refresh
  double usage(UserIndex user, Time now) const { return usage_at(rows_[user], now); }

  struct Weighted {
    UserIndex user;
    double weight;
  };
  /// When two of these users change places by their keys per weight while no share changes: the first refresh
  /// that is due after two who are neighbours have equal usage; nothing: never. Two cross at most once: per
  /// weight, one is ahead of the other by e + (a − e) 2^{-Δ/h}, where a is by how much now, and e by how much
  /// in their shares. O(users log users).
  std::optional<Time> next_order(std::vector<Weighted> users, Time now) const;

  /// What a snapshot keeps besides the shares.
  struct Row {
    double usage = 0;  ///< U(since)
    double key = 0;
    Time since = {};
    double share = 0;  ///< since then
  };
  const Row& row(UserIndex user) const { return rows_[user]; }
  void set_row(UserIndex user, Row row);
  std::optional<Time> refreshed() const { return refreshed_; }
  void set_refreshed(std::optional<Time> time) { refreshed_ = time; }

 private:
  double usage_at(const Row& row, Time now) const;

  Duration half_life_;
  std::optional<Time> refreshed_;
  IndexedVector<UserIndex, Row> rows_;
};

using PlaceIndex = Index<struct PlaceTag>;
inline PlaceIndex place_of(ServerClassIndex server_class) { return PlaceIndex(server_class.number()); }
inline PlaceIndex place_of_resource(std::size_t resource) {
  return PlaceIndex(static_cast<std::uint32_t>(resource));
}

/// A tournament of the ready queue: what a discipline distinguishes besides the users (tournament_rules.hpp).
struct TournamentId {
  PlaceIndex place{0};  ///< the server class, or the resource that dominates; 0 where there is one
  AlternativeIndex alternative{0};  ///< of the task class, the first with equal demands: what its tasks take
  friend auto operator<=>(const TournamentId&, const TournamentId&) = default;

  /// What the place is, where the discipline distinguishes server classes, or resources.
  ServerClassIndex server_class() const { return ServerClassIndex(place.number()); }
  std::size_t resource() const { return place.number(); }
};

/// One number for it, as snapshots have it.
inline std::uint64_t number_of(TournamentId id) {
  return std::uint64_t{id.alternative.number()} << 32 | std::uint64_t{id.place.number()};
}
inline TournamentId tournament_of(std::uint64_t number) {
  return {.place = PlaceIndex(static_cast<std::uint32_t>(number)),
          .alternative = AlternativeIndex(static_cast<std::uint32_t>(number >> 32))};
}

/// A queue in a tournament: what plays.
struct TournamentEntry {
  QueueIndex queue;
  TournamentId tournament = {};
  friend bool operator==(const TournamentEntry&, const TournamentEntry&) = default;
};

/// The rounds in which lines are served, a task of each in a round. A line that nobody waited in, or of whose
/// tasks none fitted, has been passed over: it goes on with the present round, and has missed and gained
/// none.
class Rounds {
 public:
  explicit Rounds(std::size_t lines) : next_(lines, 0) {}

  /// Requires that no line is ahead of the present round by more than one.
  Rounds(std::vector<std::int64_t> next, std::int64_t present) : next_(std::move(next)), present_(present) {}

  /// The round in which the line is to be served next.
  std::int64_t of(std::size_t line) const { return std::max(next_[line], present_); }

  void serve(std::size_t line) {
    present_ = of(line);
    next_[line] = present_ + 1;
  }

  /// The round in which each line is next unless it is passed over, [line], and the present one.
  const std::vector<std::int64_t>& next() const { return next_; }
  std::int64_t present() const { return present_; }

 private:
  std::vector<std::int64_t> next_;
  std::int64_t present_ = 0;
};

/// What disciplines compare users by: the accounts, and what follows from them and changes less often.
struct ShareContext {
  const Ledger& ledger;
  const ServerClasses& server_classes;
  Rounds rounds;                                           ///< of lines
  std::vector<double> prices;                              ///< ν, of whole pools, [m]
  fairness::ShareScale scale;                              ///< s
  std::optional<DecayedUsage> usage = {};                  ///< with a half-life
  IndexedVector<TaskClassIndex, mpq_class> alone = {};     ///< u: tasks of it that the whole cluster runs
  IndexedVector<TaskClassIndex, double> alone_value = {};  ///< the same as doubles

  std::span<const std::int64_t> pool() const { return ledger.server_pool.pool(); }
  const QueueRow& queue(TournamentEntry entry) const { return ledger.queues[entry.queue]; }
  const UserRow& user(TournamentEntry entry) const { return ledger.users[queue(entry).user]; }
};

/// u_s = Σ_i min_r c_{i,r} / d_{s,i,r} over all present servers, as if every server were allowed; 1 where no
/// server has anything of what it takes, so that a task that runs all the same (TaskAdopted) counts as all.
/// O(servers log ways) where the demand varies, else O(server classes).
mpq_class tasks_alone(const Ledger& ledger, const ServerClasses& server_classes, TaskClassIndex task_class);

/// The same of tasks with this demand, [m], wherever they run. O(server classes m).
mpq_class tasks_alone_with(const ServerClasses& server_classes, std::span<const std::int64_t> demand);

/// The prices ν_r of the pool's resources, each as a whole, in the divisible proportionally fair allocation
/// of the users that have a queue, with the demand of their oldest one, if there is some of all that it
/// demands: Σ_r ν_r = Σ φ. [m], 0 for what nobody lacks. Source: docs/explanation/mathematics.md, section 3.
/// O(N m²) an iteration.
std::vector<double> pool_prices(const Ledger& ledger);

/// The prices that a solver found, if its certificate bounds the gap by a hundredth: what a user has spent is
/// then known that well, and a task is more than that of most shares. Else nothing is known of them (they
/// need not be finite, which would leave users without an order), and every resource costs the same. [m]
std::vector<double> usable_prices(const numerics::PricedAmounts& found);
inline constexpr double kUsableGap = 0.01;

}  // namespace mirab::scheduling
