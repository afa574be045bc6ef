#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

#include "lab/traces/workload_import.hpp"

namespace mirab::traces {

/// The trace tells no hosts: these are chosen.
struct BitbrainsOptions {
  Quantity host_cpus{64};                                        ///< > 0
  Quantity host_memory{std::int64_t{512} * 1024 * 1024 * 1024};  ///< bytes, > 0
  std::optional<std::int64_t> hosts =
      {};  ///< ≥ 1; without a value, the fewest with as much as all machines ask for
};

/// Reads virtual machines of GWA-T-12 Bitbrains, joined into one table (CSV with the heading vm, t_s,
/// cpu_cores, cpu_cap_mhz, cpu_use_mhz, cpu_use_pct, mem_cap_kb, mem_use_kb, and four of disk and network;
/// gzip or plain), a row every five minutes.
///
/// Every virtual machine is a user, `vm-17`, with one job of one task: it asks for the most that it is ever
/// provisioned with (cores, bytes), and uses what its rows say: cores · used MHz / MHz, and bytes. It is
/// submitted at its first row and runs until five minutes after its last (Runtime::cut when that is the end
/// of the table, or its beginning the start: nothing else tells how long it lives). Times count from the
/// first row. Nothing is drawn.
///
/// Not kept: disk and network, of which the trace tells no provision and no capacity. Left out, with a
/// notice: virtual machines without cores or memory, and those that fit on no host. Steps without a row
/// repeat the one before. Errors name file, line and column: a truncated or damaged file, another heading, a
/// wrong number of columns, a bad or negative number, times of a virtual machine that go backwards, a table
/// without rows.
Result<WorkloadImport> import_bitbrains(const std::string& table, const BitbrainsOptions& options);

}  // namespace mirab::traces
