// Jobs over time from a log in the Standard Workload Format, as the Parallel Workloads Archive has them.
//
// A parallel job wants all its processors at once, wherever they are: a gang of tasks of one CPU.
//
// Not kept: groups, executables, queues, partitions, and that a job waits for another.
// Cost: O(jobs + requests · servers).
#include "lab/traces/swf/swf.hpp"

#include <cmath>
#include <fmt/format.h>

#include "lab/traces/swf/log.hpp"

namespace mirab::traces {

namespace {

using swf::Entry;
using swf::Head;
using swf::Jobs;

/// Of a requested time.
constexpr std::int64_t kMostRequested =
    std::chrono::duration_cast<std::chrono::seconds>(kLongestWorkload).count();

/// What one entry asks for, before it is known whether the servers tell their memory.
struct JobRequest {
  std::optional<std::int64_t> processors;
  std::optional<std::int64_t> memory;  // KB of one processor
};

Result<JobRequest> asked(const Entry& entry) {
  JobRequest asked;
  for (const std::size_t field : {swf::requested, swf::allocated}) {
    const auto processors = entry.known(field);
    if (!processors) return processors.error();
    if (const Result<double> written = entry.value(field); std::floor(*written) != *written)
      return entry.error(field, "is no whole number");
    if (!asked.processors && processors->value_or(0) > 0) asked.processors = *processors;
  }
  for (const std::size_t field : {swf::requested_memory, swf::used_memory}) {
    const auto memory = entry.known(field);
    if (!memory) return memory.error();
    if (!asked.memory) asked.memory = *memory;
  }
  return asked;
}

Quantity bytes(std::int64_t kilobytes) { return *Quantity::parse(fmt::format("{}Ki", kilobytes)); }

/// MaxMemory is of one processor, as the memory of jobs is.
struct HeadNumbers {
  std::optional<std::int64_t> processors, nodes, memory;
};

Result<HeadNumbers> numbers_in(const Head& head, const std::string& log) {
  HeadNumbers numbers;
  for (const auto& [name, number] :
       {std::pair{"MaxProcs", &numbers.processors}, std::pair{"MaxNodes", &numbers.nodes},
        std::pair{"MaxMemory", &numbers.memory}}) {
    const auto read = swf::number_in(head, name, log);
    if (!read) return read.error();
    *number = *read;
  }
  return numbers;
}

Result<Server> nodes(const Head& head, const SwfOptions& options, const std::string& log) {
  if (options.processors)
    return Server{.name = "nodes", .capacity = {Quantity(1)}, .count = *options.processors};
  const auto numbers = numbers_in(head, log);
  if (!numbers) return numbers.error();
  const std::optional<std::int64_t>& processors = numbers->processors;
  std::optional<std::int64_t> count = numbers->nodes;
  if (!processors && !count) {
    return Error{
        .message = "the head names neither MaxProcs nor MaxNodes: say with --processors N how many there are",
        .file = log};
  }
  if (processors && count && *processors % *count != 0) count.reset();
  const std::int64_t each = processors && count ? *processors / *count : 1;
  Server server{
      .name = "nodes", .capacity = {Quantity(each)}, .count = count.value_or(processors.value_or(1))};
  if (!numbers->memory) return server;
  const Result<Quantity> memory = Quantity::parse(fmt::format("{}Ki", *numbers->memory * each));
  if (!memory) {
    return Error{.message = memory.error().message,
                 .key = "MaxMemory",
                 .file = log,
                 .line = head.find("MaxMemory")->second.line};
  }
  server.capacity.push_back(*memory);
  return server;
}

std::string head_line(const Head& head, std::string_view name) {
  const auto entry = head.find(name);
  return entry == head.end() ? "" : fmt::format("{}: {}", name, entry->second.text);
}

std::vector<std::string> provenance(const Head& head, const Server& nodes, const Workload& workload,
                                    const SwfOptions& options) {
  std::vector<std::string> lines{
      "From a log in the Standard Workload Format; if it is of the Parallel Workloads Archive, cite D. G. "
      "Feitelson,",
      "D. Tsafrir and D. Krakov, Experience with using the Parallel Workloads Archive, JPDC 74, 2014, and "
      "whom "
      "the log names."};
  for (const char* name : {"Computer", "Installation", "Acknowledge", "Information", "Conversion"}) {
    if (std::string line = head_line(head, name); !line.empty()) lines.push_back(std::move(line));
  }
  lines.push_back(
      fmt::format("Servers: {} nodes of {} CPUs each. {} jobs of {} users; a job is a task of one CPU",
                  nodes.count, nodes.capacity[0].text(), workload.jobs.size(), workload.users.size()));
  lines.push_back("for each of its processors, all of which start together. All runtimes are measured.");
  if (options.days) lines.push_back(swf::first_days(*options.days));
  return lines;
}

/// The log is read twice: its head need not stand above its jobs, and says whether memory counts.
Result<Head> read_head(const std::string& log) {
  return swf::read_log(log, swf::kStandard, [](const Entry&) { return Check(); });
}

}  // namespace

Result<WorkloadImport> import_swf(const std::string& log, const SwfOptions& options) {
  const Result<Head> head = read_head(log);
  if (!head) return head.error();
  const Result<Server> server = nodes(*head, options, log);
  if (!server) return server.error();
  const bool has_memory = server->capacity.size() > 1;

  Jobs jobs(options.days);
  std::uint64_t without_processors = 0;
  std::uint64_t without_memory = 0;
  const auto on_entry = [&](const Entry& entry) -> Check {
    const auto times = jobs.times(entry);
    if (!times) return times.error();
    const Result<JobRequest> ask = asked(entry);
    if (!ask) return ask.error();
    if (!*times) return std::nullopt;
    if (!ask->processors) return ++without_processors, std::nullopt;
    Request request{.demand = {Quantity(1)}};
    if (has_memory) request.demand.push_back(ask->memory ? bytes(*ask->memory) : Quantity());
    if (has_memory && !ask->memory) ++without_memory;
    swf::Times of = **times;
    const auto requested = entry.time(swf::requested_time, kMostRequested);
    if (!requested) return requested.error();
    if (requested->value_or(Duration::zero()) > Duration::zero()) of.requested = **requested;
    jobs.add(entry, of, request, *ask->processors);
    return std::nullopt;
  };
  const Result<Head> again = swf::read_log(log, swf::kStandard, on_entry);
  if (!again) return again.error();

  std::vector<std::string> resources{"cpu"};
  if (has_memory) resources.emplace_back("memory");
  Result<Workload> workload = jobs.finish(std::move(resources), {*server}, log);
  if (!workload) return workload.error();
  WorkloadImport import;
  import.workload = *std::move(workload);
  import.provenance = provenance(*head, *server, import.workload, options);
  import.notices = jobs.notices();
  note(import.notices, "left out, jobs without processors", without_processors);
  note(import.notices, "taken for 0, memory of jobs that the log does not tell", without_memory);
  import.cluster = {import.workload.resources, {*server}, users_of(import.workload)};
  return import;
}

}  // namespace mirab::traces
