#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <gmp.h>
#include <gmpxx.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>

#include "scheduling/ledger/ledger.hpp"

namespace mirab::scheduling {

/// A fraction of products of up to three 64-bit numbers each, compared exactly and without allocation: shares
/// over weights, whose cross products no integer of the compiler holds.
class Fraction {
 public:
  /// numerator / denominator. Requires denominator > 0.
  Fraction(std::uint64_t numerator, std::uint64_t denominator)
      : numerator_{numerator, 0, 0}, denominator_{denominator, 0, 0} {}

  /// Times numerator / denominator, at most twice. Requires denominator > 0.
  Fraction& times(std::uint64_t numerator, std::uint64_t denominator) {
    mpn_mul_1(numerator_.data(), numerator_.data(), kLimbs, numerator);
    mpn_mul_1(denominator_.data(), denominator_.data(), kLimbs, denominator);
    return *this;
  }

  friend std::strong_ordering operator<=>(const Fraction& a, const Fraction& b) {
    std::array<mp_limb_t, 2 * kLimbs> left;
    std::array<mp_limb_t, 2 * kLimbs> right;
    mpn_mul_n(left.data(), a.numerator_.data(), b.denominator_.data(), kLimbs);
    mpn_mul_n(right.data(), b.numerator_.data(), a.denominator_.data(), kLimbs);
    return mpn_cmp(left.data(), right.data(), 2 * kLimbs) <=> 0;
  }
  friend bool operator==(const Fraction& a, const Fraction& b) { return (a <=> b) == 0; }

 private:
  static constexpr mp_size_t kLimbs = 3;
  static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t) && GMP_NAIL_BITS == 0);

  std::array<mp_limb_t, kLimbs> numerator_;
  std::array<mp_limb_t, kLimbs> denominator_;
};

/// s_r: what the part of resource r counts in a share, in every formula where a_r / C_r stands. 0 keeps it
/// out.
struct ShareScale {
  std::vector<double> rounded;       ///< s_r, [m]
  std::vector<std::uint64_t> whole;  ///< s_r times a number that is the same for all resources, [m]

  /// Every resource counts alike.
  explicit ShareScale(std::size_t resources) : rounded(resources, 1.0), whole(resources, 1) {}

  /// Errors: another number of scales than resources, all of them 0, or so far apart that no common unit
  /// counts them in 63 bits. None at all: every resource counts alike.
  static Result<ShareScale> from(std::span<const Quantity> scales, std::size_t resources);
};

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

/// A queue in a lane: what races. Lanes are what a discipline tells apart beside the users: server classes,
/// lines of users; most have a single one.
struct Entry {
  std::uint32_t queue;
  std::uint32_t lane;
  friend bool operator==(const Entry&, const Entry&) = default;
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
  std::int64_t of(std::uint32_t line) const { return std::max(next_[line], present_); }

  void serve(std::uint32_t line) {
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
  Rounds rounds;                           ///< of lines
  std::vector<double> prices;              ///< ν, of whole pools, [m]
  ShareScale scale;                        ///< s
  std::optional<DecayedUsage> usage = {};  ///< with a half-life
  std::vector<mpq_class> alone =
      {};  ///< u: tasks of the task class that the whole cluster runs, [task class]
  std::vector<double> alone_value = {};  ///< the same as doubles

  const QueueRow& queue(Entry entry) const { return ledger.queues[entry.queue]; }
  const UserRow& user(Entry entry) const { return ledger.users[queue(entry).user]; }
};

/// u_s = Σ_i min_r c_{i,r} / d_{s,i,r} over all present servers, as if every server were allowed. O(servers
/// log ways) where the demand varies, else O(kinds).
mpq_class tasks_alone(const Ledger& ledger, const ServerClasses& server_classes, std::uint32_t task_class);

/// The prices ν_r of the pool's resources, each as a whole, in the divisible proportionally fair allocation
/// of the users that have a queue, with the demand of their oldest one, if there is some of all that it
/// demands: Σ_r ν_r = Σ φ. [m], 0 for what nobody lacks. Source: docs/explanation/mathematics.md, section 3.
/// O(N m²) an iteration.
std::vector<double> pool_prices(const Ledger& ledger);

/// argmax_r d_r / C_r of the resources of which there are some, the first of equals.
std::uint32_t dominant_resource(std::span<const std::int64_t> demand, std::span<const std::int64_t> pool);

/// max_r s_r used_r / of_r over the resources of which there are some, the user's part of a pool or of a
/// server, rounded.
double dominant_part(std::span<const std::int64_t> used, std::span<const std::int64_t> of,
                     const ShareScale& scale);

/// The same, exactly, in the unit of the whole scales: scale · numerator / denominator.
struct Part {
  std::int64_t numerator;
  std::int64_t denominator;
  std::uint64_t scale = 1;
};
Part exact_dominant_part(std::span<const std::int64_t> used, std::span<const std::int64_t> of,
                         const ShareScale& scale);

/// a / φ_a against b / φ_b, exactly.
std::strong_ordering compare_per_weight(Part a, const Weight& of_a, Part b, const Weight& of_b);

/// φ in lowest terms. Errors: zero, or more digits than the comparison of shares holds.
Result<Weight> weight_from(const Quantity& quantity);

}  // namespace mirab::scheduling
