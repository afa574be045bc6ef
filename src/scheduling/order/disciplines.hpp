#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <gmpxx.h>
#include <span>
#include <utility>
#include <vector>

#include <mirab/scheduling/events.hpp>
#include <mirab/scheduling/fill.hpp>

#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/share_context.hpp"

namespace mirab::scheduling {

struct ShareContext;

/// What a user has, or would have after some of its tasks have ended and others have started.
struct Holding {
  std::uint32_t user;
  Amounts used;                                                 ///< [m]
  std::int64_t running;                                         ///< tasks
  std::vector<std::pair<std::uint32_t, std::int64_t>> changed;  ///< task class, tasks of it more or fewer

  static Holding of(const Ledger& ledger, std::uint32_t user);

  /// `tasks` more tasks of the task class, each of this demand; fewer when it is below 0. O(m + changed).
  void add(std::uint32_t task_class, std::span<const std::int64_t> demand, std::int64_t tasks);
};

/// The key of a discipline as a function of what one user has: the same number by which the ready queue
/// compares users. It never falls when the user gets more.
struct Level {
  double (*rounded)(const ShareContext& context, const Holding& holding);  ///< right to 1 part in 10^12
  mpq_class (*exact)(const ShareContext& context, const Holding& holding);
};

/// Rounded keys and levels are right to one part in 10^12: those that differ by more than this part differ
/// exactly in the same way.
inline constexpr double kRounding = 4e-12;

extern const Level kRoundRobinLevel;
extern const Level kDrfLevel;
extern const Level kAssetLevel;
extern const Level kPfLevel;
extern const Level kTsfLevel;

/// What a discipline tells apart beside users.
enum class Lanes {
  one,             ///< nothing
  lines,           ///< the resources that dominate tasks
  server_classes,  ///< the server classes
};

/// One row of the table: a discipline is the key by which the next queue is found, the lowest first. A new
/// one is a file and a row.
struct Discipline {
  DisciplineInfo info;

  /// The key, rounded: right to 1 part in 10^12.
  double (*key)(const ShareContext& context, Entry entry);

  /// Which key is lower, exactly: asked when the rounded ones cannot tell.
  std::weak_ordering (*compare)(const ShareContext& context, Entry a, Entry b);

  Lanes lanes = Lanes::one;
  bool weighted = true;      ///< the key is divided by φ
  bool priced = false;       ///< needs ShareContext::prices
  bool monopolised = false;  ///< needs ShareContext::alone
  bool places = false;       ///< chooses the servers too, whatever the placement
  bool scaled = false;       ///< honours ShareContext::scale

  /// What its key is per weight, of the user alone; nullptr when the key is not that of a user's amounts.
  double (*share)(const ShareContext& context, std::uint32_t user) = nullptr;

  /// Its key, where every user has one that rises with what it has; else nullptr.
  const Level* level = nullptr;
};

/// The key of a discipline and its comparison, as each file in disciplines/ defines them.
#define MIRAB_DISCIPLINE(name)                                 \
  double name##_key(const ShareContext& context, Entry entry); \
  std::weak_ordering name##_compare(const ShareContext& context, Entry a, Entry b)
MIRAB_DISCIPLINE(fifo);
MIRAB_DISCIPLINE(round_robin);
MIRAB_DISCIPLINE(drf);
MIRAB_DISCIPLINE(asset);
MIRAB_DISCIPLINE(pf);
MIRAB_DISCIPLINE(tsf);
MIRAB_DISCIPLINE(ps_dsf);
MIRAB_DISCIPLINE(mlf_drs);
#undef MIRAB_DISCIPLINE
double pf_spent(const ShareContext& context, std::span<const std::int64_t> used, const Weight& weight);
double drf_share(const ShareContext& context, std::uint32_t user);
double asset_share(const ShareContext& context, std::uint32_t user);

/// What happens when the task of the queue with the lowest key fits nowhere.
enum class Blocking {
  skip,   ///< others are served until something is freed
  freeze  ///< nothing is placed until it fits or another queue has the lowest key
};

/// A discipline with its options read.
struct DisciplineChoice {
  const Discipline* discipline;
  Blocking blocking;
};

/// The discipline with decayed usage for its key, U_n / φ_n, and its own key between equal ones; nullptr when
/// its key is not that of a user's amounts. See DecayedUsage.
const Discipline* over_time(const Discipline& discipline);

/// Errors: a name that is not in the table, a bad option value.
Result<DisciplineChoice> discipline_choice(const Choice& choice);

/// An entry and its rounded key.
struct Keyed {
  Entry entry;
  double key;
};

/// Who is served before whom. Rounded keys decide first; only where they are too close the exact comparison
/// of the discipline does. Then, for keys that are equal, the tie rule: users as they came, or the other way
/// round; of one user the lane, then the older job.
struct Precedence {
  const Discipline* discipline;
  Tie tie;
  const ShareContext* context;

  /// Are the keys equal, whatever the tie rule?
  bool ties(Keyed a, Keyed b) const { return !differ(a.key, b.key) && exact(a, b) == 0; }

  /// Is a served before b? A strict order.
  bool before(Keyed a, Keyed b) const {
    if (differ(a.key, b.key)) return a.key < b.key;
    const std::weak_ordering order = exact(a, b);
    return order != 0 ? order < 0 : before_by_tie_rule(a.entry, b.entry);
  }

 private:
  static bool differ(double a, double b) { return std::abs(a - b) > kRounding * std::max(a, b); }
  std::weak_ordering exact(Keyed a, Keyed b) const { return discipline->compare(*context, a.entry, b.entry); }
  bool before_by_tie_rule(Entry a, Entry b) const {
    const std::uint64_t user_a = context->user(a).order;
    const std::uint64_t user_b = context->user(b).order;
    if (user_a != user_b) return tie == Tie::last ? user_a > user_b : user_a < user_b;
    if (a.lane != b.lane) return a.lane < b.lane;
    const auto sequence = [&](Entry entry) {
      return context->ledger.jobs[context->queue(entry).first_job].sequence;
    };
    return sequence(a) < sequence(b);
  }
};

}  // namespace mirab::scheduling
