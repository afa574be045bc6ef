// Jobs and servers of the Google trace as divisible work: the input of `psdsf-google`. Paper 001 (Ravi Kiran
// and Srinuvas), "Adjusting the resource utilization": d_n, q_n and the quantum are named as there.
#include "experiments/google_jobs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <mirab/model/assert.hpp>

#include "experiments/data.hpp"

namespace mirab::experiments {
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
struct Use {
  std::int64_t interval;
  double cpu, memory;
};

std::map<double, std::vector<Use>> all_jobs() {
  std::map<double, std::vector<Use>> jobs;
  for (const std::vector<double>& row : data_rows("google2011_jobs.csv.gz"))
    jobs[row[0]].push_back({static_cast<std::int64_t>(row[1]), row[2], row[3]});
  MIRAB_ASSERT(jobs.size() == kGoogleJobs, "the table holds all jobs that run");
  return jobs;
}

Quantity amount(double value) {
  const Result<Quantity> quantity = Quantity::from(value);
  MIRAB_ASSERT(static_cast<bool>(quantity), "amounts of the table are decimals");
  return *quantity;
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
void add(const Use& use, std::uint32_t user, const std::optional<std::vector<std::string>>& servers,
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
  const std::map<double, std::vector<Use>> jobs = all_jobs();
  std::vector<const std::vector<Use>*> left;
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
    for (const Use& use : *left[user]) add(use, user, servers, workload);
  }
  std::stable_sort(workload.jobs.begin(), workload.jobs.end(),
                   [](const Job& a, const Job& b) { return a.submitted < b.submitted; });
  return workload;
}

}  // namespace mirab::experiments
