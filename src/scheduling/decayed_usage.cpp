#include "scheduling/decayed_usage.hpp"

#include <cmath>

namespace mirab::scheduling {
namespace {

constexpr std::int64_t kRefreshes = 1024;  // in a half-life

/// Nanoseconds from one time to a later one, which may be further apart than a Duration tells.
std::uint64_t between(Time earlier, Time later) {
  return static_cast<std::uint64_t>(later.time_since_epoch().count()) -
         static_cast<std::uint64_t>(earlier.time_since_epoch().count());
}

}  // namespace

double DecayedUsage::usage_at(const Row& row, Time now) const {
  const double half_lives =
      static_cast<double>(between(row.since, now)) / static_cast<double>(half_life_.count());
  return row.share + (row.usage - row.share) * std::exp2(-half_lives);
}

void DecayedUsage::set_row(std::uint32_t user, Row row) {
  if (user >= rows_.size()) rows_.resize(user + 1);
  rows_[user] = row;
}

void DecayedUsage::begin(std::uint32_t user, Time now) { set_row(user, {.since = now}); }

void DecayedUsage::set_share(std::uint32_t user, double share, Time now) {
  Row& row = rows_[user];
  row.usage = usage_at(row, now);
  row.since = now;
  row.share = share;
}

bool DecayedUsage::is_due(Time now) const {
  return !refreshed_ ||
         between(*refreshed_, now) >= static_cast<std::uint64_t>(half_life_.count() / kRefreshes);
}

void DecayedUsage::refresh(Time now) {
  refreshed_ = now;
  for (Row& row : rows_) row.key = usage_at(row, now);
}

}  // namespace mirab::scheduling
