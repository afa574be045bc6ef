#pragma once

#include <compare>

#include <mirab/scheduling/fill.hpp>

#include "scheduling/standing.hpp"

namespace mirab::scheduling {

/// What a discipline tells apart beside users.
enum class Lanes {
  one,    ///< nothing
  lines,  ///< the resources that dominate tasks
  kinds,  ///< the kinds of servers
};

/// One row of the table: a discipline is the key by which the next queue is found, the lowest first. A new
/// one is a file and a row.
struct Discipline {
  DisciplineInfo info;

  /// The key, rounded: right to 1 part in 10^12.
  double (*key)(const Standing& standing, Entry entry);

  /// Which key is lower, exactly: asked when the rounded ones cannot tell.
  std::weak_ordering (*compare)(const Standing& standing, Entry a, Entry b);

  Lanes lanes = Lanes::one;
  bool weighted = true;      ///< the key is divided by φ
  bool priced = false;       ///< needs Standing::prices
  bool monopolised = false;  ///< needs Standing::alone
  bool places = false;       ///< chooses the servers too, whatever the placement
  bool scaled = false;       ///< honours Standing::scale

  /// What its key is per weight, of the user alone; nullptr when the key is not that of a user's amounts.
  double (*share)(const Standing& standing, std::uint32_t user) = nullptr;
};

/// The key of a discipline and its comparison, as each file in disciplines/ defines them.
#define MIRAB_DISCIPLINE(name)                              \
  double name##_key(const Standing& standing, Entry entry); \
  std::weak_ordering name##_compare(const Standing& standing, Entry a, Entry b)
MIRAB_DISCIPLINE(fifo);
MIRAB_DISCIPLINE(round_robin);
MIRAB_DISCIPLINE(drf);
MIRAB_DISCIPLINE(asset);
MIRAB_DISCIPLINE(pf);
MIRAB_DISCIPLINE(tsf);
MIRAB_DISCIPLINE(ps_dsf);
MIRAB_DISCIPLINE(mlf_drs);
#undef MIRAB_DISCIPLINE
double drf_share(const Standing& standing, std::uint32_t user);
double asset_share(const Standing& standing, std::uint32_t user);

/// What happens when the task of the queue with the lowest key fits nowhere.
enum class Blocking {
  skip,   ///< others are served until something is freed
  freeze  ///< nothing is placed until it fits or another queue has the lowest key
};

/// A discipline with its options read.
struct Whom {
  const Discipline* discipline;
  Blocking blocking;
};

/// The discipline with decayed usage for its key, U_n / φ_n, and its own key between equal ones; nullptr when
/// its key is not that of a user's amounts. See DecayedUsage.
const Discipline* over_time(const Discipline& discipline);

/// Errors: a name that is not in the table, a bad option value.
Result<Whom> whom(const Choice& choice);

}  // namespace mirab::scheduling
