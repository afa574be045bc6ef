// Virtual machines that ask for much and use less: GWA-T-12 Bitbrains.
//
// Source of the data: S. Shen, V. van Beek and A. Iosup, "Statistical Characterization of Business-Critical
// Workloads Hosted in Cloud Datacenters", CCGrid 2015; the Grid Workloads Archive.
//
// What is provisioned is the request, what is used the usage. Hosts are chosen, for the trace tells none.
// Cost: O(rows).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include <mirab/traces/bitbrains.hpp>

#include "traces/bitbrains_table.hpp"
#include "traces/submitters.hpp"

namespace mirab::traces {

namespace {

using bitbrains::Sample;
using bitbrains::VirtualMachine;
using std::chrono::seconds;

constexpr std::uint64_t kStep = 300;       // s between two rows
constexpr std::uint64_t kMostSteps = 1e6;  // nine years

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
  if (window.end - window.start > kMostSteps * kStep) {
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
