#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mirab/model/time.hpp>

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
  void begin(std::uint32_t user, Time now);
  /// From now on the user has this share.
  void set_share(std::uint32_t user, double share, Time now);

  bool is_due(Time now) const;
  void refresh(Time now);  ///< O(users)

  double key(std::uint32_t user) const { return rows_[user].key; }  ///< U at the latest refresh
  double usage(std::uint32_t user, Time now) const { return usage_at(rows_[user], now); }

  /// What a snapshot keeps beside the shares.
  struct Row {
    double usage = 0;  ///< U(since)
    double key = 0;
    Time since = {};
    double share = 0;  ///< since then
  };
  const Row& row(std::uint32_t user) const { return rows_[user]; }
  void set_row(std::uint32_t user, Row row);
  std::optional<Time> refreshed() const { return refreshed_; }
  void set_refreshed(std::optional<Time> time) { refreshed_ = time; }

 private:
  double usage_at(const Row& row, Time now) const;

  Duration half_life_;
  std::optional<Time> refreshed_;
  std::vector<Row> rows_;  // [user]
};

}  // namespace mirab::scheduling
