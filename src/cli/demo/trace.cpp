#include "cli/demo/trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/workload_file.hpp>

namespace mirab::embedded {
extern const unsigned char demo_google_cluster[];
extern const std::size_t demo_google_cluster_size;
extern const unsigned char demo_google_workload[];
extern const std::size_t demo_google_workload_size;
extern const unsigned char demo_openb_cluster[];
extern const std::size_t demo_openb_cluster_size;
extern const unsigned char demo_openb_workload[];
extern const std::size_t demo_openb_workload_size;
}  // namespace mirab::embedded

namespace mirab::cli::demo {
namespace {

using client::Json;

constexpr std::array<std::string_view, 2> kNames = {"google", "openb"};

std::string_view text_of(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// How a trace becomes a service: what its numbers stand for, and who is in which team.
struct Setting {
  std::string title;
  double speed;
  std::map<std::string, double> factor;  ///< by resource: cores, bytes or GPUs in one of the trace's
  Named groups;  ///< each after its parent; those that no other has as parent are teams
  /// The team and the queue of a user of the trace.
  std::pair<std::string, std::string> (*place)(const std::string& user);
};

/// The teams of examples/teams/google2011-hour-teams.yaml: made up, since the trace tells no organisation.
std::pair<std::string, std::string> google_place(const std::string& user) {
  static const std::map<std::string, std::string> kTeams = {
      {"u-fJYeclsk", "batch"}, {"u-ZpQmujQY", "batch"},   {"u-tjYrEWcP", "front"},  {"u-5ANFyIGy", "front"},
      {"u-txbj5VoY", "front"}, {"u-5Pg2spXT", "storage"}, {"u-CwGnjPqF", "storage"}};
  const auto found = kTeams.find(user);
  return {found == kTeams.end() ? "others" : found->second, user};
}

/// `LS-11.3-49152-1`: class of service, CPUs, memory, GPUs. The class is the team, and a queue has the pods
/// with whole GPUs, with parts of one, or without.
std::pair<std::string, std::string> openb_place(const std::string& user) {
  const std::string team = user.starts_with("LS-") ? "online" : user.starts_with("BE-") ? "batch" : "others";
  const std::string gpus = user.substr(user.rfind('-') + 1);
  const char* const kind = gpus == "0" ? "cpu" : gpus.starts_with("0.") ? "shared-gpu" : "gpu";
  return {team, fmt::format("{}-{}", team, kind)};
}

Setting google_setting() {
  return {.title = "an hour of a Google cluster: 60 machines, 30 users in four made-up teams",
          .speed = 10,
          .factor = {{"cpu", 64}, {"memory", 256.0 * (1U << 30U)}},
          .groups = {{"batch", Json::object()},
                     {"services", {{"weight", 2}}},
                     {"front", {{"parent", "services"}}},
                     {"storage", {{"parent", "services"}}},
                     {"others", Json::object()}},
          .place = google_place};
}

Setting openb_setting() {
  return {.title = "two days of an Alibaba cluster on 12 of its GPU servers: pods by class of service",
          .speed = 300,
          .factor = {{"cpu", 1}, {"memory", 1}, {"gpu", 1}},
          .groups = {{"online", {{"weight", 2}}}, {"batch", Json::object()}, {"others", Json::object()}},
          .place = openb_place};
}

enum class Round { down, up };

/// An amount in whole thousandths, of memory in whole MiB.
std::string amount(const std::string& resource, double value, Round round) {
  const bool is_memory = resource == "memory";
  const double units = is_memory ? value / (1U << 20U) : value * 1000;
  const double whole = round == Round::down ? std::floor(units + 1e-6) : std::ceil(units - 1e-6);
  return fmt::format("{:.0f}{}", whole, is_memory ? "Mi" : "m");
}

Json amounts(const std::vector<std::string>& resources, const ResourceVector& vector, const Setting& setting,
             Round round) {
  Json json = Json::object();
  for (std::size_t r = 0; r < resources.size(); ++r) {
    if (!vector[r].is_zero())
      json[resources[r]] = amount(resources[r], vector[r].value() * setting.factor.at(resources[r]), round);
  }
  return json;
}

void add_servers(const Problem& cluster, const Setting& setting, Trace& trace) {
  for (const Server& server : cluster.servers()) {
    Json body = {{"capacity", amounts(cluster.resources(), server.capacity, setting, Round::down)}};
    if (!server.labels.empty()) body["labels"] = server.labels;
    for (std::int64_t n = 1; n <= server.count; ++n)
      trace.servers.emplace_back(server.count == 1 ? server.name : fmt::format("{}-n{}", server.name, n),
                                 body);
  }
}

/// A guarantee of a quarter of everything for the group `services`, as the teams file says.
void add_guarantee(const Problem& cluster, const Setting& setting, Trace& trace) {
  for (auto& [name, body] : trace.groups) {
    if (name != "services" && name != "online") continue;
    for (std::size_t r = 0; r < cluster.resource_count(); ++r) {
      const std::string& resource = cluster.resources()[r];
      body["guarantee"][resource] =
          amount(resource, cluster.pool()[r] * setting.factor.at(resource) / 4, Round::down);
    }
  }
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

void add_jobs(const Workload& workload, const Setting& setting, Trace& trace) {
  std::set<std::string> queues;
  std::set<std::string> tenants;
  std::map<std::string, int> named;
  for (const Job& job : workload.jobs) {
    const auto [team, queue] = setting.place(workload.users[job.user].name);
    if (tenants.insert(team).second) trace.tenants.push_back(team);
    if (queues.insert(queue).second)
      trace.queues.emplace_back(queue, Json{{"tenant", team}, {"group", team}});
    const int number = ++named[queue + "/" + job.name];
    const Request& request = workload.requests[job.request];
    Json body = {{"tasks", job.tasks},
                 {"demand", amounts(workload.resources, request.demand, setting, Round::up)}};
    if (job.gang > 1) body["gang"] = job.gang;
    for (const auto& [label, values] : request.select) body["select"][label] = values;
    trace.jobs.push_back({.at_s = seconds(job.submitted),
                          .runtime_s = seconds(job.runtime),
                          .queue = queue,
                          .name = number == 1 ? job.name : fmt::format("{}.{}", job.name, number),
                          .body = std::move(body)});
  }
}

}  // namespace

std::span<const std::string_view> trace_names() { return kNames; }

Result<Trace> read_trace(std::string_view name) {
  using namespace embedded;
  const bool is_google = name == kNames[0];
  const std::string_view servers = is_google ? text_of(demo_google_cluster, demo_google_cluster_size)
                                             : text_of(demo_openb_cluster, demo_openb_cluster_size);
  const std::string_view jobs = is_google ? text_of(demo_google_workload, demo_google_workload_size)
                                          : text_of(demo_openb_workload, demo_openb_workload_size);
  Result<Problem> cluster = read_cluster_text(servers, Syntax::yaml, "the demo's cluster");
  if (!cluster) return cluster.error();
  const Result<Workload> workload = read_workload_text(jobs, "the demo's workload");
  if (!workload) return workload.error();

  const Setting setting = is_google ? google_setting() : openb_setting();
  Trace trace{.title = setting.title,
              .speed = setting.speed,
              .resources = {"cpu:milli", "memory:bytes"},
              .groups = setting.groups,
              .span_s = seconds(workload->span)};
  if (!is_google) trace.resources.emplace_back("gpu:milli");
  add_servers(*cluster, setting, trace);
  add_guarantee(*cluster, setting, trace);
  add_jobs(*workload, setting, trace);
  return trace;
}

}  // namespace mirab::cli::demo
