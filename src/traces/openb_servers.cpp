#include "traces/openb_servers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string_view>

#include <mirab/model/assert.hpp>

namespace mirab::traces::openb {

namespace {

constexpr std::size_t kMemory = 1;
constexpr std::size_t kGpu = 2;
constexpr std::string_view kModelLabel = "gpu-model";

ResourceVector vector_of(const Amounts& amounts) { return {amounts.begin(), amounts.end()}; }

/// `96-393216-8`: CPUs, memory in MiB, GPUs.
std::string written(const Amounts& amounts) {
  const auto& [cpu, memory, gpu] = amounts;
  const auto bytes = count_units(memory, 0, Rounding::down);
  MIRAB_ASSERT(bytes.has_value(), "memory was read in MiB");
  return fmt::format("{}-{}-{}", cpu.text(), *bytes >> 20, gpu.text());
}

std::string model_label(const NodeKind& kind) {
  if (!kind.model.empty()) return kind.model;
  return kind.capacity[kGpu].is_zero() ? "none" : "unknown";
}

/// A node without any of a resource that everybody needs could not run a pod.
bool is_usable(const NodeKind& kind) {
  return !kind.capacity[0].is_zero() || !kind.capacity[kMemory].is_zero() || !kind.capacity[kGpu].is_zero();
}

}  // namespace

std::vector<Server> servers_of(const Nodes& nodes) {
  std::map<std::pair<std::string, Amounts>, std::uint64_t> counts;  // a model may be called as its label is
  for (const auto& [kind, count] : nodes) {
    if (is_usable(kind)) counts[{model_label(kind), kind.capacity}] += count;
  }
  std::vector<Server> servers;
  for (const auto& [entry, count] : counts) {
    const auto& [model, capacity] = entry;
    servers.push_back({.name = fmt::format("{}-{}", model, written(capacity)),
                       .capacity = vector_of(capacity),
                       .count = static_cast<std::int64_t>(count),
                       .labels = {{std::string(kModelLabel), model}}});
  }
  return servers;
}

bool accepts(const PodKind& pod, const Server& server) {
  if (!pod.models.empty() && !pod.models.contains(server.labels.at(std::string(kModelLabel)))) return false;
  return std::equal(pod.request.begin(), pod.request.end(), server.capacity.begin(),
                    [](const Quantity& asked, const Quantity& there) { return asked <= there; });
}

User user_of(const PodGroup& group) {
  const PodKind& kind = group.kind;
  User user{.name = fmt::format("{}-{}", kind.qos, written(kind.request)),
            .demand = vector_of(kind.request),
            .tasks = Quantity(static_cast<std::int64_t>(group.pods))};
  if (!kind.models.empty()) {
    user.name += fmt::format("-{}", fmt::join(kind.models, "+"));
    user.select.emplace(kModelLabel, std::vector<std::string>(kind.models.begin(), kind.models.end()));
  }
  return user;
}

}  // namespace mirab::traces::openb
