// GWA-T-12 Bitbrains: the table of virtual machines, and the workload that it becomes.
#include "lab/traces/bitbrains.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <mirab/model/result.hpp>

#include "lab/traces/csv.hpp"
#include "lab/traces/workload_import.hpp"

/// Virtual machines of the Bitbrains trace and their rows.
namespace mirab::traces::bitbrains {

struct Sample {
  std::uint64_t time;  ///< Unix seconds
  double cores;        ///< used
  double bytes;        ///< used
};

struct VirtualMachine {
  std::string name;
  double cores = 0;  ///< provisioned, the most of all rows
  double bytes = 0;
  std::vector<Sample> samples;  ///< by time, at least one
};

/// In the order in which they first appear. Errors: as of read_rows; another heading; a negative or bad
/// number; times of a machine that go backwards, or on after a gap of more than 31 days; no row.
Result<std::vector<VirtualMachine>> read_table(const std::string& path);

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
constexpr std::uint64_t kLongestGap =
    std::uint64_t{31} * 24 * 3600;  // s; every step of a gap is kept, so it ends

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
  if (!machine.samples.empty()) {
    const std::uint64_t before = machine.samples.back().time;
    if (*time <= before) return row.error(column::time, "is not after the time of the machine's row before");
    if (*time - before > kLongestGap) {
      return row.error(column::time, "is more than 31 days after the machine's row before");
    }
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
  if (Check failed = read_rows(path, {column::heading.size(), "a table of Bitbrains' machines"}, on_row,
                               [](std::uint64_t) {}))
    return *failed;
  if (machines.empty()) return Error{.message = "the table has no row below its heading", .file = path};
  return machines;
}

}  // namespace mirab::traces::bitbrains

// Virtual machines that ask for much and use less: GWA-T-12 Bitbrains.
//
// Source of the data: S. Shen, V. van Beek and A. Iosup, "Statistical Characterization of Business-Critical
// Workloads Hosted in Cloud Datacenters", CCGrid 2015; the Grid Workloads Archive.
//
// What is provisioned is the request, what is used the usage. Hosts are chosen, for the trace tells none.
// Cost: O(rows).

namespace mirab::traces {

namespace {

using bitbrains::Sample;
using bitbrains::VirtualMachine;
using std::chrono::seconds;

constexpr std::uint64_t kStep = 300;      // s between two rows
constexpr std::uint64_t kMaxSteps = 1e6;  // nine years

struct Window {
  std::uint64_t start;
  std::uint64_t end;  // a step after the last row
};

Window window_of(const std::vector<VirtualMachine>& machines) {
  Window window{UINT64_MAX, 0};
  for (const VirtualMachine& machine : machines) {
    window.start = std::min(window.start, machine.samples.front().time);
    window.end = std::max(window.end, machine.samples.back().time + kStep);
  }
  return window;
}

/// Steps of equal length from the first row; one without a row repeats the step before.
Usage usage_of(const VirtualMachine& machine) {
  Usage usage{.step = seconds(kStep), .of = {}};
  const std::uint64_t start = machine.samples.front().time;
  for (const Sample& sample : machine.samples) {
    const std::uint64_t step = (sample.time - start + kStep / 2) / kStep;
    while (!usage.of.empty() && usage.of.size() < step) usage.of.push_back(usage.of.back());
    if (usage.of.size() == step) usage.of.push_back({sample.cores, sample.bytes});
  }
  return usage;
}

Job job_of(const VirtualMachine& machine, const Window& window) {
  const std::uint64_t start = machine.samples.front().time;
  const std::uint64_t end = machine.samples.back().time + kStep;
  const bool is_cut = start < window.start + kStep || end + kStep > window.end;
  return {.name = machine.name,
          .submitted = seconds(start - window.start),
          .user = 0,
          .request = 0,
          .runtime = seconds(end - start),
          .known = is_cut ? Runtime::cut : Runtime::measured};
}

std::optional<Request> request_of(const VirtualMachine& machine) {
  const Result<Quantity> cores = Quantity::from(machine.cores);
  const Result<Quantity> bytes = Quantity::from(machine.bytes);
  if (!cores || !bytes || cores->is_zero() || bytes->is_zero()) return {};
  return Request{.demand = {*cores, *bytes}};
}

/// The fewest hosts that have as much of each resource as all machines ask for together.
std::int64_t enough_hosts(const Workload& workload, const Server& host) {
  std::int64_t count = 1;
  for (std::size_t r = 0; r < host.capacity.size(); ++r) {
    double sum = 0;
    for (const Job& job : workload.jobs) sum += workload.requests[job.request].demand[r].value();
    count = std::max(count, static_cast<std::int64_t>(std::ceil(sum / host.capacity[r].value())));
  }
  return count;
}

std::vector<std::string> provenance(const Workload& workload, const Server& host, bool chosen_count) {
  const auto cut = std::count_if(workload.jobs.begin(), workload.jobs.end(),
                                 [](const Job& job) { return job.known == Runtime::cut; });
  return {
      "From GWA-T-12 Bitbrains of the Grid Workloads Archive. Cite: S. Shen, V. van Beek and A. Iosup, "
      "Statistical",
      "Characterization of Business-Critical Workloads Hosted in Cloud Datacenters, CCGrid 2015. Changed: "
      "another form.",
      fmt::format(
          "Servers: {} hosts of {} CPUs and {} bytes of memory; the trace tells none, they are chosen{}.",
          host.count, host.capacity[0].text(), host.capacity[1].text(),
          chosen_count ? "" : ", as many as hold what is asked for"),
      fmt::format("{} virtual machines, each a user with one job; it asks for what it is provisioned with at "
                  "most and",
                  workload.jobs.size()),
      "uses what was measured, in steps of 300 s. Disk and network are left out: nothing of them is "
      "provisioned.",
      fmt::format("{} of them were there at the beginning or the end: their runtime is what the table shows "
                  "of it.",
                  cut),
      "Nothing is drawn at random.",
  };
}

}  // namespace

Result<WorkloadImport> import_bitbrains(const std::string& table, const BitbrainsOptions& options) {
  Result<std::vector<VirtualMachine>> machines = bitbrains::read_table(table);
  if (!machines) return machines.error();
  std::stable_sort(machines->begin(), machines->end(), [](const VirtualMachine& a, const VirtualMachine& b) {
    return a.samples.front().time < b.samples.front().time;
  });
  const Window window = window_of(*machines);
  if (window.end - window.start > kMaxSteps * kStep) {
    return Error{.message = "the table covers more than nine years", .key = "t_s", .file = table};
  }

  WorkloadImport import;
  Workload& workload = import.workload;
  workload.resources = {"cpu", "memory"};
  workload.span = seconds(window.end - window.start);
  Server host{.name = "host", .capacity = {options.host_cpus, options.host_memory}};
  Requests requests;
  std::uint64_t without_provision = 0;
  std::uint64_t fitting_nowhere = 0;
  for (const VirtualMachine& machine : *machines) {
    const std::optional<Request> request = request_of(machine);
    if (!request) {
      ++without_provision;
    } else if (!fits_somewhere(*request, {host})) {
      ++fitting_nowhere;
    } else {
      Job job = job_of(machine, window);
      job.user = static_cast<std::uint32_t>(workload.users.size());
      job.request = requests.number(*request);
      job.usage = static_cast<std::uint32_t>(workload.usages.size());
      workload.users.push_back({.name = "vm-" + machine.name});
      workload.usages.push_back(usage_of(machine));
      workload.jobs.push_back(std::move(job));
    }
  }
  workload.requests = requests.take();
  if (workload.jobs.empty()) return Error{.message = "no machine fits on a host", .file = table};

  host.count = options.hosts.value_or(enough_hosts(workload, host));
  import.provenance = provenance(workload, host, options.hosts.has_value());
  note(import.notices, "left out, virtual machines without cores or memory", without_provision);
  note(import.notices, "left out, virtual machines that fit on no host", fitting_nowhere);
  import.cluster = {workload.resources, {host}, users_of(workload)};
  return import;
}

}  // namespace mirab::traces
