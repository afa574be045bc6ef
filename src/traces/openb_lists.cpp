#include "traces/openb_lists.hpp"

#include <fmt/format.h>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "traces/row.hpp"

namespace mirab::traces::openb {

namespace {

namespace node {
constexpr Column name{0, "sn"};
constexpr Column cpu{1, "cpu_milli"};
constexpr Column memory{2, "memory_mib"};
constexpr Column gpus{3, "gpu"};
constexpr Column model{4, "model"};
constexpr std::array heading{name, cpu, memory, gpus, model};
}  // namespace node

namespace pod {
constexpr Column name{0, "name"};
constexpr Column cpu{1, "cpu_milli"};
constexpr Column memory{2, "memory_mib"};
constexpr Column gpus{3, "num_gpu"};
constexpr Column gpu_part{4, "gpu_milli"};
constexpr Column models{5, "gpu_spec"};
constexpr Column qos{6, "qos"};
constexpr Column created{8, "creation_time"};
constexpr Column deleted{9, "deletion_time"};
constexpr Column scheduled{10, "scheduled_time"};
constexpr std::array heading{name,    cpu,     memory,   gpus, gpu_part, models, qos, Column{7, "pod_phase"},
                             created, deleted, scheduled};
}  // namespace pod

Check check_heading(const Row& row, std::span<const Column> heading) {
  for (const Column& column : heading) {
    if (row.text(column) != column.name) return row.error(column, "stands where the heading should");
  }
  return std::nullopt;
}

/// The rows below the heading.
Check read_list(const std::string& path, std::span<const Column> heading,
                const std::function<Check(const Row&)>& visit) {
  bool below_heading = false;
  const auto on_row = [&](const Row& row) {
    return std::exchange(below_heading, true) ? visit(row) : check_heading(row, heading);
  };
  return read_rows(path, heading.size(), on_row, [](std::uint64_t) {});
}

/// A whole number of the suffix's units: `m` thousandths, `Mi` mebibytes.
Result<Quantity> amount(const Row& row, const Column& column, std::string_view suffix) {
  const auto number = row.whole(column);
  if (!number) return number.error();
  Result<Quantity> amount = Quantity::parse(fmt::format("{}{}", *number, suffix));
  if (!amount) return row.error(column, amount.error());
  return amount;
}

/// num_gpu · gpu_milli / 1000: a part of one GPU, or all of several.
Result<Quantity> requested_gpus(const Row& row) {
  const auto gpus = row.whole(pod::gpus);
  if (!gpus) return gpus.error();
  const auto part = row.whole(pod::gpu_part);
  if (!part) return part.error();
  if (*part != 0 && *gpus > UINT64_MAX / *part) return row.error(pod::gpus, "is too many GPUs");
  Result<Quantity> amount = Quantity::parse(fmt::format("{}m", *gpus * *part));
  if (!amount) return row.error(pod::gpus, amount.error());
  return amount;
}

/// The parts of `A|B`; none of an empty text.
std::set<std::string> alternatives(std::string_view text) {
  std::set<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (!part.empty()) parts.emplace(part);
  }
  return parts;
}

Result<PodKind> pod_kind(const Row& row) {
  const auto cpu = amount(row, pod::cpu, "m");
  if (!cpu) return cpu.error();
  const auto memory = amount(row, pod::memory, "Mi");
  if (!memory) return memory.error();
  const auto gpus = requested_gpus(row);
  if (!gpus) return gpus.error();
  return PodKind{
      std::string(row.text(pod::qos)), alternatives(row.text(pod::models)), {*cpu, *memory, *gpus}};
}

/// Seconds; no value for an empty field.
Result<std::optional<std::uint64_t>> time(const Row& row, const Column& column, std::uint64_t least) {
  constexpr std::uint64_t kMostSeconds = std::uint64_t{1} << 31;
  if (row.text(column).empty()) return std::optional<std::uint64_t>();
  const auto seconds = row.whole(column);
  if (!seconds) return seconds.error();
  if (*seconds < least)
    return row.error(column, fmt::format("is before {}, the time that precedes it", least));
  if (*seconds > kMostSeconds) return row.error(column, "is more than 68 years");
  return std::optional(*seconds);
}

Result<Pod> pod_times(const Row& row, std::uint64_t least) {
  Result<PodKind> kind = pod_kind(row);
  if (!kind) return kind.error();
  const auto created = time(row, pod::created, least);
  if (!created) return created.error();
  if (!*created) return row.error(pod::created, "is no time");
  const auto scheduled = time(row, pod::scheduled, **created);
  if (!scheduled) return scheduled.error();
  const auto deleted = time(row, pod::deleted, scheduled->value_or(**created));
  if (!deleted) return deleted.error();
  return Pod{std::string(row.text(pod::name)), *std::move(kind), **created, *scheduled, *deleted};
}

}  // namespace

Result<Nodes> read_nodes(const std::string& path) {
  Nodes nodes;
  const auto on_node = [&](const Row& row) -> Check {
    const auto cpu = amount(row, node::cpu, "m");
    if (!cpu) return cpu.error();
    const auto memory = amount(row, node::memory, "Mi");
    if (!memory) return memory.error();
    const auto gpus = amount(row, node::gpus, "");
    if (!gpus) return gpus.error();
    ++nodes[{std::string(row.text(node::model)), {*cpu, *memory, *gpus}}];
    return std::nullopt;
  };
  if (Check failed = read_list(path, node::heading, on_node)) return *failed;
  return nodes;
}

Result<std::vector<PodGroup>> read_pods(const std::string& path) {
  std::vector<PodGroup> groups;
  std::map<PodKind, std::size_t> group_of;
  const auto on_pod = [&](const Row& row) -> Check {
    Result<PodKind> read = pod_kind(row);
    if (!read) return read.error();
    PodKind& kind = *read;
    const auto [place, is_new] = group_of.try_emplace(kind, groups.size());
    if (is_new) groups.push_back({std::move(kind), 0});
    ++groups[place->second].pods;
    return std::nullopt;
  };
  if (Check failed = read_list(path, pod::heading, on_pod)) return *failed;
  return groups;
}

Result<std::vector<Pod>> read_pod_times(const std::string& path) {
  std::vector<Pod> pods;
  const auto on_pod = [&](const Row& row) -> Check {
    Result<Pod> read = pod_times(row, pods.empty() ? 0 : pods.back().created);
    if (!read) return read.error();
    pods.push_back(*std::move(read));
    return std::nullopt;
  };
  if (Check failed = read_list(path, pod::heading, on_pod)) return *failed;
  return pods;
}

}  // namespace mirab::traces::openb
