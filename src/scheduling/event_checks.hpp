#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/events.hpp>

#include "scheduling/ledger/slots.hpp"

namespace mirab::scheduling {

// What an event may not be. Everything is checked before anything changes, so that an error leaves the engine
// as it was. Errors name the key of the event.

Error unknown(std::string_view what);

/// Errors: a time before that of the last event.
Check check_time(Time time, Time last);

/// Errors: another number of amounts than resources, an amount below zero.
Check check_amounts(const Amounts& amounts, const std::string& key, std::span<const std::string> resources);

/// Would the pool still be counted with this capacity `instead_of` that one? The latter may be empty.
Check check_pool(const Amounts& with, std::span<const std::int64_t> instead_of,
                 std::span<const std::int64_t> pool, std::span<const std::string> resources);

/// Errors: a demand of nothing, fewer than one task, terms that contradict each other.
Check check_job(const JobSubmitted& job, std::span<const std::string> resources);

/// The row that an event at this time names. Errors: an earlier time than the last; nothing by that
/// identifier.
template <class Row, class Id>
Result<Index<Id>> subject(const Slots<Row, Id>& rows, Id id, std::string_view what, Time time, Time last) {
  if (Check bad = check_time(time, last)) return *std::move(bad);
  const std::optional<Index<Id>> row = rows.find(id);
  return row ? Result<Index<Id>>(*row) : unknown(what);
}

}  // namespace mirab::scheduling
