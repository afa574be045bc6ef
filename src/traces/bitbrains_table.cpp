#include "traces/bitbrains_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "traces/row.hpp"

namespace mirab::traces::bitbrains {

namespace {

namespace column {
constexpr Column vm{0, "vm"};
constexpr Column time{1, "t_s"};
constexpr Column cores{2, "cpu_cores"};
constexpr Column mhz{3, "cpu_cap_mhz"};
constexpr Column used_mhz{4, "cpu_use_mhz"};
constexpr Column memory{6, "mem_cap_kb"};
constexpr Column used_memory{7, "mem_use_kb"};
constexpr std::array heading{vm,
                             time,
                             cores,
                             mhz,
                             used_mhz,
                             Column{5, "cpu_use_pct"},
                             memory,
                             used_memory,
                             Column{8, "disk_rd_kbs"},
                             Column{9, "disk_wr_kbs"},
                             Column{10, "net_rx_kbs"},
                             Column{11, "net_tx_kbs"}};
}  // namespace column

constexpr double kBytesOfAKilobyte = 1024;

Check check_heading(const Row& row) {
  for (const Column& name : column::heading) {
    if (row.text(name) != name.name) return row.error(name, "stands where the heading should");
  }
  return std::nullopt;
}

Result<double> number(const Row& row, const Column& column) {
  const Result<std::optional<Quantity>> amount = row.amount(column);
  if (!amount) return amount.error();
  if (!*amount) return row.error(column, "is not a number");
  return (*amount)->value();
}

/// Of a machine that has no MHz, nothing is used.
double used_cores(double cores, double mhz, double used_mhz) {
  constexpr double kGrain = 1e6;  // the table has six digits
  return mhz > 0 ? std::round(cores * used_mhz / mhz * kGrain) / kGrain : 0;
}

Check add_row(const Row& row, VirtualMachine& machine) {
  constexpr std::uint64_t kLatest = std::uint64_t{1} << 33;  // the year 2242
  const auto time = row.whole(column::time);
  if (!time) return time.error();
  if (*time > kLatest) return row.error(column::time, "is after the year 2242");
  std::array<double, 5> read{};
  std::size_t next = 0;
  for (const Column& name :
       {column::cores, column::mhz, column::used_mhz, column::memory, column::used_memory}) {
    const Result<double> value = number(row, name);
    if (!value) return value.error();
    read[next++] = *value;
  }
  const auto& [cores, mhz, used_mhz, memory, used_memory] = read;
  if (!machine.samples.empty() && *time <= machine.samples.back().time) {
    return row.error(column::time, "is not after the time of the machine's row before");
  }
  machine.cores = std::max(machine.cores, cores);
  machine.bytes = std::max(machine.bytes, std::ceil(memory * kBytesOfAKilobyte));
  machine.samples.push_back(
      {*time, used_cores(cores, mhz, used_mhz), std::ceil(used_memory * kBytesOfAKilobyte)});
  return std::nullopt;
}

}  // namespace

Result<std::vector<VirtualMachine>> read_table(const std::string& path) {
  std::vector<VirtualMachine> machines;
  std::map<std::string, std::size_t, std::less<>> number_of;
  bool below_heading = false;
  const auto on_row = [&](const Row& row) -> Check {
    if (!std::exchange(below_heading, true)) return check_heading(row);
    const std::string_view name = row.text(column::vm);
    if (name.empty()) return row.error(column::vm, "names no machine");
    auto known = number_of.find(name);
    if (known == number_of.end()) {
      known = number_of.emplace(name, machines.size()).first;
      machines.push_back({.name = std::string(name), .samples = {}});
    }
    return add_row(row, machines[known->second]);
  };
  if (Check failed = read_rows(path, column::heading.size(), on_row, [](std::uint64_t) {})) return *failed;
  if (machines.empty()) return Error{.message = "the table has no row below its heading", .file = path};
  return machines;
}

}  // namespace mirab::traces::bitbrains
