#pragma once

#include <algorithm>
#include <cstdint>
#include <gmpxx.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <mirab/model/result.hpp>

#include "scheduling/accounts.hpp"
#include "scheduling/decayed_usage.hpp"
#include "scheduling/fraction.hpp"
#include "scheduling/kinds.hpp"
#include "scheduling/share_scale.hpp"

namespace mirab::scheduling {

/// A queue in a lane: what races. Lanes are what a discipline tells apart beside the users: kinds of servers,
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
struct Standing {
  const Accounts& accounts;
  const Kinds& kinds;
  Rounds rounds;                           ///< of lines
  std::vector<double> prices;              ///< ν, of whole pools, [m]
  ShareScale scale;                        ///< s
  std::optional<DecayedUsage> usage = {};  ///< with a half-life
  std::vector<mpq_class> alone = {};       ///< u: tasks of the shape that the whole cluster runs, [shape]
  std::vector<double> alone_value = {};    ///< the same as doubles

  const QueueRow& queue(Entry entry) const { return accounts.queues[entry.queue]; }
  const UserRow& user(Entry entry) const { return accounts.users[queue(entry).user]; }
};

/// u_s = Σ_i min_r c_{i,r} / d_{s,i,r} over all present servers, whatever the placement constraints; on
/// servers where the shape's tasks may not run they are taken to be what they are elsewhere. O(servers of
/// several ways, kinds of one).
mpq_class tasks_alone(const Accounts& accounts, const Kinds& kinds, std::uint32_t shape);

/// The prices ν_r of the pool's resources, each as a whole, in the divisible proportionally fair allocation
/// of the users that have a queue, with the demand of their oldest one, if there is some of all that it
/// demands: Σ_r ν_r = Σ φ. [m], 0 for what nobody lacks. Source: docs/mathematics.md, section 3. O(N m²) an
/// iteration.
std::vector<double> pool_prices(const Accounts& accounts);

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
