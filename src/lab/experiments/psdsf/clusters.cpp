// The clusters of psdsf-bitbrains, psdsf-time and psdsf-google, drawn from the traces, and how much of
// them the mechanisms of paper 001 use.
#include "lab/experiments/psdsf/clusters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <mirab/model/assert.hpp>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/findings.hpp"
#include "lab/simulation/base/statistics.hpp"

namespace mirab::experiments {

// The data centre that serves the Bitbrains machines, and these machines: what `psdsf-bitbrains` and
// `psdsf-time` share. Paper 001 (Ravi Kiran and Srinuvas), "Adjusting the resource utilization".
//
// Printed: three types of servers, storage by place, two kinds of network. Not in our text: how many servers
// there are, which place has which network, and whether storage and network are a server's or a place's.
// Taken: 40 servers a place, as many of each type as can be, storage and network of each server its own, and
// the three places all different.

namespace {

struct ServerType {
  std::int64_t cpu_ghz, memory_gb;
};
constexpr std::array<ServerType, 3> kTypes = {{{4, 12}, {8, 8}, {16, 4}}};

struct Place {
  std::int64_t storage_mb_s, out_mbit_s, in_mbit_s;
  std::array<std::int64_t, 3> servers;  // of each type
};
constexpr std::array<Place, 3> kPlaces = {{
    {.storage_mb_s = 32, .out_mbit_s = 100, .in_mbit_s = 1000, .servers = {14, 13, 13}},
    {.storage_mb_s = 100, .out_mbit_s = 100, .in_mbit_s = 1000, .servers = {13, 14, 13}},
    {.storage_mb_s = 32, .out_mbit_s = 1000, .in_mbit_s = 2000, .servers = {13, 13, 14}},
}};

// The columns of the table.
enum Column : std::size_t {
  instant_of,
  cpu_mhz,
  memory_mb,
  read_kbs,
  write_kbs,
  received_kbs,
  transmitted_kbs
};

Quantity amount(double value) {
  const Result<Quantity> quantity = Quantity::from(value);
  MIRAB_ASSERT(static_cast<bool>(quantity), "amounts of the table are decimals");
  return *quantity;
}

ResourceVector used_by(const std::vector<double>& row) {
  constexpr double kMbitPerKb = 8.0 / 1000;
  return {amount(row[cpu_mhz] / 1000), amount(row[memory_mb] / 1024),
          amount((row[read_kbs] + row[write_kbs]) / 1024), amount(row[transmitted_kbs] * kMbitPerKb),
          amount(row[received_kbs] * kMbitPerKb)};
}

}  // namespace

std::vector<std::string> bitbrains_resources() { return {"cpu", "memory", "storage", "out", "in"}; }

std::vector<Server> bitbrains_servers(std::int64_t times) {
  std::vector<Server> servers;
  for (std::size_t p = 0; p < kPlaces.size(); ++p) {
    const Place& place = kPlaces[p];
    for (std::size_t t = 0; t < kTypes.size(); ++t) {
      servers.push_back(
          {.name = fmt::format("place {} type {}", p + 1, t + 1),
           .capacity = {Quantity(kTypes[t].cpu_ghz), Quantity(kTypes[t].memory_gb),
                        Quantity(place.storage_mb_s), Quantity(place.out_mbit_s), Quantity(place.in_mbit_s)},
           .count = place.servers[t] * times});
    }
  }
  return servers;
}

std::vector<User> bitbrains_users(std::size_t instant) {
  MIRAB_ASSERT(instant < kBitbrainsInstants, "an instant of the table");
  std::vector<User> users;
  for (const std::vector<double>& row : data_rows("bitbrains_instants.csv.gz")) {
    if (row[instant_of] != static_cast<double>(instant)) continue;
    users.push_back({.name = fmt::format("machine {}", users.size() + 1), .demand = used_by(row)});
  }
  return users;
}

// Jobs and servers of the Google trace as divisible work: the input of `psdsf-google`. Paper 001 (Ravi Kiran
// and Srinuvas), "Adjusting the resource utilization": d_n, q_n and the quantum are named as there.

namespace {

constexpr std::int64_t kIntervalSeconds = 300;
constexpr std::int64_t kIntervals = 18;

struct ServerKind {
  std::string_view name;
  double cpu, memory;
  std::int64_t count;
};
// 788, 6,672, 3,835 and 992 of the trace's 12,477 machines, 1 % of each.
constexpr std::array<ServerKind, 4> kServers = {{{"class 1", 1, 1, 8},
                                                 {"class 2", 0.5, 0.5, 65},
                                                 {"class 3", 0.5, 0.25, 37},
                                                 {"class 4", 0.5, 0.75, 10}}};

// What a job's tasks request, mean over an interval.
struct IntervalUse {
  std::int64_t interval;
  double cpu, memory;
};

std::map<double, std::vector<IntervalUse>> all_jobs() {
  std::map<double, std::vector<IntervalUse>> jobs;
  for (const std::vector<double>& row : data_rows("google2011_jobs.csv.gz"))
    jobs[row[0]].push_back({static_cast<std::int64_t>(row[1]), row[2], row[3]});
  MIRAB_ASSERT(jobs.size() == kGoogleJobs, "the table holds all jobs that run");
  return jobs;
}

// Without a value: all of them.
std::optional<std::vector<std::string>> drawn_classes(double class_is_eligible, Random& random) {
  std::vector<std::string> drawn;
  while (drawn.empty()) {
    for (const ServerKind& kind : kServers) {
      if (random.unit() < class_is_eligible) drawn.emplace_back(kind.name);
    }
  }
  if (drawn.size() == kServers.size()) return {};
  return drawn;
}

// Adds the work of one interval.
void add(const IntervalUse& use, std::uint32_t user, const std::optional<std::vector<std::string>>& servers,
         Workload& workload) {
  const double most = std::max(use.cpu, use.memory);
  const double quanta = static_cast<double>(kIntervalSeconds) * most;
  workload.jobs.push_back({.name = workload.users[user].name,
                           .submitted = std::chrono::seconds(use.interval * kIntervalSeconds),
                           .user = user,
                           .request = static_cast<std::uint32_t>(workload.requests.size()),
                           .runtime = Duration(std::llround(std::ceil(quanta * 1e9)))});
  workload.requests.push_back(
      {.demand = {amount(use.cpu / most), amount(use.memory / most)}, .servers = servers});
}

}  // namespace

Problem google_servers() {
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  for (const ServerKind& kind : kServers) {
    cluster.servers.push_back({.name = std::string(kind.name),
                               .capacity = {amount(kind.cpu), amount(kind.memory)},
                               .count = kind.count});
  }
  cluster.users = {{.name = "nobody", .demand = {amount(1), amount(1)}}};  // a problem has users
  Result<Problem> problem = Problem::from(std::move(cluster));
  MIRAB_ASSERT(static_cast<bool>(problem), "a cluster that stands in our own code");
  return *std::move(problem);
}

Workload google_jobs(std::size_t count, double class_is_eligible, Random& random) {
  const std::map<double, std::vector<IntervalUse>> jobs = all_jobs();
  std::vector<const std::vector<IntervalUse>*> left;
  left.reserve(jobs.size());
  for (const auto& [name, uses] : jobs) left.push_back(&uses);
  MIRAB_ASSERT(count <= left.size(), "no more jobs than there are");
  Workload workload{.resources = {"cpu", "memory"},
                    .users = {},
                    .requests = {},
                    .jobs = {},
                    .span = std::chrono::seconds(kIntervals * kIntervalSeconds)};
  for (std::uint32_t user = 0; user < count; ++user) {
    std::swap(left[user], left[user + random.below(left.size() - user)]);
    workload.users.push_back({.name = "job " + std::to_string(user + 1)});
    const auto servers = drawn_classes(class_is_eligible, random);
    for (const IntervalUse& use : *left[user]) add(use, user, servers, workload);
  }
  std::stable_sort(workload.jobs.begin(), workload.jobs.end(),
                   [](const Job& a, const Job& b) { return a.submitted < b.submitted; });
  return workload;
}

// How much of a cluster the mechanisms of paper 001 (Ravi Kiran and Srinuvas) use: what `psdsf-bitbrains` and
// `psdsf-google` share.
//
// Use is what is used over what there is of all servers together. It is the measure that the mechanisms
// determine: DRFH and TSF say how many tasks each user gets, not on which of the servers where it may run, so
// a mean over servers of the part used of each depends on who picks among equally good placements.

std::vector<double> gains(const Use& use, std::size_t one, std::size_t other) {
  return differences(use[one], use[other]);
}

void check_use(std::string_view resource, const Use& use, Reproduction& result) {
  constexpr std::array<std::array<std::size_t, 2>, 4> pairs = {
      {{kAlpha1, kAlpha3}, {kAlpha3, kPsDsf}, {kPsDsf, kDrfh}, {kPsDsf, kTsf}}};
  for (const auto& [one, other] : pairs) {
    result.findings.push_back(not_less(fmt::format("{}: use under {} not less than under {}, the difference",
                                                   resource, kContenders[one], kContenders[other]),
                                       gains(use, one, other)));
  }
}

std::string mean_text(const std::vector<double>& values) {
  const simulation::Interval mean = simulation::mean_interval(values);
  return fmt::format("{:.4f} ± {:.4f}", mean.mean, mean.high - mean.mean);
}

Table use_table(std::string title, const std::vector<std::string>& columns, const std::vector<Use>& use) {
  MIRAB_ASSERT(columns.size() == use.size(), "a column for each use");
  Table table{.title = std::move(title), .head = {"mechanism"}, .rows = {}};
  table.head.insert(table.head.end(), columns.begin(), columns.end());
  for (std::size_t m = 0; m < kContenders.size(); ++m) {
    std::vector<std::string> row = {std::string(kContenders[m])};
    for (const Use& of_column : use) row.push_back(mean_text(of_column[m]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace mirab::experiments
