// Jobs as scontrol, squeue and sacct print them: whether they run or wait, and with what.
#include "slurm/jobs.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gmpxx.h>
#include <numeric>
#include <set>

#include "model/exact.hpp"
#include "model/names.hpp"

namespace mirab::slurm {
namespace {

constexpr std::int64_t kMostNodesOfJob = 1'000'000;

constexpr auto kRunning =
    std::to_array<std::string_view>({"RUNNING", "R", "COMPLETING", "CG", "CONFIGURING", "CF", "STAGE_OUT",
                                     "SO", "RESIZING", "RS", "SIGNALING", "SI"});
constexpr auto kWaiting =
    std::to_array<std::string_view>({"PENDING", "PD", "REQUEUED", "RQ", "REQUEUE_FED", "RF"});
constexpr auto kHeld =
    std::to_array<std::string_view>({"REQUEUE_HOLD", "RH", "SPECIAL_EXIT", "SE", "RESV_DEL_HOLD", "RD"});
constexpr auto kDone = std::to_array<std::string_view>({"BOOT_FAIL",     "BF",
                                                        "CANCELLED",     "CA",
                                                        "COMPLETED",     "CD",
                                                        "DEADLINE",      "DL",
                                                        "FAILED",        "F",
                                                        "NODE_FAIL",     "NF",
                                                        "OUT_OF_MEMORY", "OOM",
                                                        "PREEMPTED",     "PR",
                                                        "REVOKED",       "RV",
                                                        "TIMEOUT",       "TO",
                                                        "LAUNCH_FAILED", "RECONFIG_FAIL",
                                                        "POWER_UP_NODE", "UPDATE_DB",
                                                        "EXPEDITING"});
constexpr auto kSuspended = std::to_array<std::string_view>({"SUSPENDED", "S", "STOPPED", "ST"});

/// No more than a quantity of bytes holds.
Result<Quantity> bounded(const mpq_class& amount, std::string_view field) {
  if (amount >= mpz_class("9223372036854775807")) return wrong(field, "is more than 2^63 - 1");
  return rounded_down(amount);
}

/// The first number that is not 0: what waits has nothing allocated.
std::string_view number_of(const Record& record, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::string_view text = record.value({key}); !text.empty() && text != "0") return text;
  }
  return record.value(keys);
}

/// `JobHeldUser`, `JobHoldMaxRequeue`, `launch_failed_requeued_held`; squeue has the reason in brackets where
/// nodes would stand.
std::string reason_of(const Record& record) {
  const std::string_view nodes = record.value({"nodelist(reason)"});
  return lower_case(nodes.starts_with('(') ? nodes : record.value({"reason"}));
}

Result<JobState> read_state(const Record& record) {
  const std::string_view written = record.value({"jobstate", "state", "st"});
  const std::string_view state = written.substr(0, written.find(' '));
  if (state.empty()) return wrong("State", "missing: does the job run or wait?");
  if (is_one_of(state, kRunning)) return JobState::runs;
  if (is_one_of(state, kSuspended)) return JobState::suspended;
  if (is_one_of(state, kHeld)) return JobState::held;
  if (is_one_of(state, kDone)) return JobState::done;
  if (!is_one_of(state, kWaiting)) return JobState::unknown;
  const std::string reason = reason_of(record);
  const auto has = [&](std::string_view word) { return reason.find(word) != std::string::npos; };
  if (has("held") || has("jobhold") || record.value({"hold"}) == "true") return JobState::held;
  return has("dependencyneversatisfied") || has("badconstraints") ? JobState::never_starts : JobState::waits;
}

Result<std::int64_t> array_size(const Record& record, std::string_view id) {
  const std::string_view list = record.value({"arraytaskid", "array_task_id"});
  const bool is_listed = !list.empty() && id.find("_[") == std::string_view::npos;
  Result<std::int64_t> size = array_tasks(is_listed ? fmt::format("_[{}]", list) : std::string(id));
  if (!size) return wrong(is_listed ? "ArrayTaskId" : "JobID", size.error().message);
  return size;
}

Result<std::int64_t> node_count(const Record& record, bool runs) {
  const std::string_view text =
      runs ? number_of(record, {"nnodes", "allocnodes", "numnodes", "nodes", "reqnodes"})
           : number_of(record, {"reqnodes", "nnodes", "numnodes", "nodes", "allocnodes"});
  if (text.empty()) return std::int64_t{1};
  const std::string_view least = text.substr(0, text.find('-'));
  const Result<Quantity> count = Quantity::parse(least);
  const auto whole = count ? count_units(*count, 0, Rounding::up) : std::nullopt;
  if (!whole || *whole > kMostNodesOfJob)
    return wrong("NumNodes", fmt::format("must be a number of nodes up to {}, not '{}'", kMostNodesOfJob,
                                         text.substr(0, 40)));
  return std::max<std::int64_t>(*whole, 1);
}

/// How many CPUs `0-3,8` are.
Result<Quantity> count_cpus(std::string_view ids) {
  const Result<std::int64_t> count = array_tasks(fmt::format("_[{}]", ids));
  if (!count) return count.error();
  return Quantity(*count);
}

/// What the job holds on the nodes of one part of the record.
Result<Amounts> read_held(const Record& part) {
  Result<Amounts> held = read_gres(part.value({"gres"}));
  if (!held) return wrong("GRES", held.error().message);
  const std::string_view ids = part.value({"cpu_ids"}), number = part.value({"cpus"});
  const Result<Quantity> cpus = !ids.empty()      ? count_cpus(ids)
                                : !number.empty() ? Quantity::parse(number)
                                                  : Result<Quantity>(Quantity());
  if (!cpus) return wrong("CPU_IDs", cpus.error().message);
  const std::string_view text = part.value({"mem"});
  const Result<Quantity> memory = text.empty() ? Result<Quantity>(Quantity()) : read_memory(text);
  if (!memory) return wrong("Mem", memory.error().message);
  held->emplace("cpu", *cpus);
  held->emplace("mem", *memory);
  return held;
}

/// Nothing where the record does not tell it of each host.
Check read_on_hosts(const Record& record, Job& job) {
  const std::set<std::string_view> hosts(job.hosts.begin(), job.hosts.end());
  for (const Record& part : record.on_nodes) {
    const Result<Amounts> held = read_held(part);
    if (!held) return held.error();
    const Result<std::vector<std::string>> names = expand_hosts(part.value({"nodes"}));
    if (!names) return wrong("Nodes", names.error().message);
    for (const std::string& name : *names) {
      if (hosts.contains(name)) job.on_host.insert_or_assign(name, *held);
    }
  }
  if (job.on_host.size() != hosts.size()) job.on_host.clear();
  return {};
}

/// What only the hosts tell goes into the total, and what only the total tells is divided equally among them.
Check complete(Job& job) {
  std::map<std::string, mpq_class> sums;
  for (const auto& [host, held] : job.on_host) {
    for (const auto& [name, amount] : held) sums[name] += rational(amount);
  }
  for (const auto& [name, sum] : sums) {
    const Result<Quantity> bounded_sum = bounded(sum, "GRES");
    if (!bounded_sum) return bounded_sum.error();
    if (sum != 0) job.total.emplace(name, *bounded_sum);
  }
  const Amounts even = even_part(job).amounts;
  for (auto& [host, held] : job.on_host) {
    for (const auto& [name, amount] : even) {
      if (sums[name] == 0) held.insert_or_assign(name, amount);
    }
  }
  return {};
}

/// The memory of each node, or of each CPU where a `c` follows; TRES has the sum, or else it is made of
/// these. What sacct calls ReqMem has no letter since 21.08: it counts for each node only where TRES says
/// nothing.
Check read_memory_of(const Record& record, Job& job) {
  const bool is_reqmem = !record.value({"reqmem"}).empty();
  std::string_view text = record.value({"reqmem", "minmemorynode", "min_memory", "minmemorycpu"});
  if (text.empty()) return {};
  const bool is_minmemorycpu = record.value({"reqmem", "minmemorynode", "min_memory"}).empty();
  const bool is_of_cpu = text.ends_with('c') || is_minmemorycpu;
  const bool is_of_node = !is_of_cpu && (!is_reqmem || text.ends_with('n'));
  if (text.ends_with('c') || text.ends_with('n')) text.remove_suffix(1);
  const Result<Quantity> each = read_memory(text);
  if (!each) return wrong("ReqMem", each.error().message);
  if (is_of_cpu) job.memory_of_cpu = *each;
  if (is_of_node && !each->is_zero()) job.of_node["mem"] = *each;  // 0 is all that the node has
  const mpq_class times = is_of_cpu ? rational(job.total.at("cpu")) : mpq_class(static_cast<long>(job.nodes));
  const Result<Quantity> bytes = bounded(rational(*each) * times, "ReqMem");
  if (!bytes) return bytes.error();
  job.total.emplace("mem", *bytes);
  return {};
}

/// The amounts times a number, where none of the name is known yet.
Check add(const Amounts& amounts, const mpq_class& times, std::string_view field, Job& job) {
  for (const auto& [name, amount] : amounts) {
    const Result<Quantity> product = bounded(rational(amount) * times, field);
    if (!product) return product.error();
    job.total.emplace(name, *product);
  }
  return {};
}

/// What TRES tells only by its types.
Check add_sums_of_types(Job& job) {
  std::map<std::string, mpq_class> sums;
  for (const auto& [name, amount] : job.total) {
    if (name.starts_with("gres/") && name.find(':') != std::string::npos)
      sums[name.substr(0, name.find(':'))] += rational(amount);
  }
  for (const auto& [name, sum] : sums) {
    const Result<Quantity> bounded_sum = bounded(sum, "TRES");
    if (!bounded_sum) return bounded_sum.error();
    job.total.emplace(name, *bounded_sum);
  }
  return {};
}

/// Generic resources that a cluster does not keep account of stand only beside TRES.
Check read_generic(const Record& record, Job& job) {
  const Result<Amounts> of_node = read_gres(record.value({"tres_per_node", "trespernode"}));
  if (!of_node) return wrong("TresPerNode", of_node.error().message);
  const Result<Amounts> of_task = read_gres(record.value({"tres_per_task", "trespertask"}));
  if (!of_task) return wrong("TresPerTask", of_task.error().message);
  const Result<Amounts> of_job = read_gres(record.value({"tres_per_job", "tresperjob"}));
  if (!of_job) return wrong("TresPerJob", of_job.error().message);
  if (Check bad = add(*of_node, mpq_class(static_cast<long>(job.nodes)), "TresPerNode", job)) return bad;
  if (Check bad = add(*of_job, 1, "TresPerJob", job)) return bad;
  if (job.tasks) {
    if (Check bad = add(*of_task, mpq_class(static_cast<long>(*job.tasks)), "TresPerTask", job)) return bad;
  }
  job.of_node.insert(of_node->begin(), of_node->end());
  job.of_task = *of_task;
  return {};
}

Check read_tasks(const Record& record, Job& job) {
  const std::string_view text = record.value({"numtasks", "tasks"});
  if (text.empty()) return {};
  const Result<Quantity> count = Quantity::parse(text);
  const auto whole = count ? count_units(*count, 0, Rounding::up) : std::nullopt;
  if (!whole)
    return wrong("NumTasks", fmt::format("must be a number of tasks, not '{}'", text.substr(0, 40)));
  if (*whole > 0) job.tasks = *whole;
  return {};
}

Check read_hosts(const Record& record, Job& job) {
  const std::string_view names = record.value({"nodelist", "nodelist(reason)"});
  if (names.starts_with('(')) return {};  // why it has none
  Result<std::vector<std::string>> hosts = expand_hosts(names);
  if (!hosts) return wrong("NodeList", hosts.error().message);
  job.hosts = *std::move(hosts);
  if (!job.hosts.empty()) job.nodes = static_cast<std::int64_t>(job.hosts.size());
  return {};
}

/// What the job requests or holds on all its nodes together.
Check read_total(const Record& record, Job& job) {
  const bool runs = job.state == JobState::runs;
  const std::string_view tres = runs ? record.value({"alloctres", "tres_alloc", "tres", "reqtres"})
                                     : record.value({"reqtres", "tres", "alloctres", "tres_alloc"});
  Result<Amounts> total = read_tres(tres);
  if (!total) return wrong(runs ? "AllocTRES" : "ReqTRES", total.error().message);
  job.total = *std::move(total);
  if (!job.total.contains("cpu")) {
    const std::string_view cpus =
        runs ? number_of(record, {"ncpus", "alloccpus", "numcpus", "cpus", "reqcpus"})
             : number_of(record, {"reqcpus", "numcpus", "cpus", "ncpus", "alloccpus"});
    if (cpus.empty())
      return wrong("ReqTRES", "missing: what the job requests; or CPUs in a column of their own");
    const Result<Quantity> count = Quantity::parse(cpus.substr(0, cpus.find('-')));
    if (!count) return wrong("CPUs", count.error().message);
    job.total.emplace("cpu", *count);
  }
  if (Check bad = read_memory_of(record, job)) return bad;
  if (Check bad = add_sums_of_types(job)) return bad;
  if (Check bad = complete(job)) return bad;
  if (Check bad = read_generic(record, job)) return bad;
  const auto is_generic = [](const auto& each) { return each.first.starts_with("gres/"); };
  job.is_generic_unknown = tres.empty() && std::none_of(job.total.begin(), job.total.end(), is_generic);
  return {};
}

}  // namespace

bool is_step(const Record& record) {
  return record.value({"jobid", "jobidraw"}).find('.') != std::string_view::npos;
}

Result<Job> read_job(const Record& record) {
  Job job{.id = std::string(record.value({"jobid", "jobidraw"}))};
  if (job.id.empty())
    return wrong("JobID", "missing: jobs are read from `scontrol show job -o` or `sacct -P`");
  const Result<JobState> state = read_state(record);
  if (!state) return state.error();
  job.state = *state;
  if (job.state == JobState::done || job.state == JobState::unknown) return job;
  const Result<std::int64_t> array = array_size(record, job.id);
  if (!array) return array.error();
  job.array = *array;
  if (job.state == JobState::held || job.state == JobState::never_starts) return job;
  const Result<std::int64_t> nodes = node_count(record, job.state == JobState::runs);
  if (!nodes) return nodes.error();
  job.nodes = *nodes;
  if (job.state == JobState::runs) {
    if (Check bad = read_hosts(record, job)) return *std::move(bad);
    if (Check bad = read_on_hosts(record, job)) return *std::move(bad);
  }
  if (Check bad = read_tasks(record, job)) return *std::move(bad);
  if (Check bad = read_total(record, job)) return *std::move(bad);
  job.is_exclusive = record.value({"oversubscribe", "over_subscribe"}) == "NO";
  return job;
}

// Parts.

namespace {

/// CPUs are counted in thousandths, all else in whole units.
long scale_of(std::string_view name) { return name == "cpu" ? 1000 : 1; }

Quantity rounded_up(const mpq_class& amount, std::string_view name) {
  const mpq_class scaled = amount * scale_of(name);
  mpz_class whole;
  mpz_cdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  mpq_class rounded(whole, scale_of(name));
  rounded.canonicalize();
  return rounded_down(rounded);
}

/// The share of part `number` of a whole that is divided into whole units, the larger shares first.
mpz_class share_of(const mpz_class& whole, std::int64_t parts, std::int64_t number) {
  const long count = static_cast<long>(parts);
  return whole / count + (number < whole % count ? 1 : 0);
}

mpz_class whole_units(const Quantity& amount) { return rational(rounded_up(rational(amount), "")).get_num(); }

/// Slurm's tasks, or CPUs where the record does not tell them.
mpz_class task_count(const Job& job) {
  if (job.tasks) return mpz_class(static_cast<long>(*job.tasks));
  return std::max<mpz_class>(whole_units(job.total.at("cpu")), 1);
}

/// Does the job request it for all its tasks together?
bool is_divisible(const Job& job, const std::string& name) {
  return name.starts_with("gres/") && !job.of_node.contains(name) && !job.of_task.contains(name);
}

Amounts part_of(const Job& job, std::int64_t nodes, std::int64_t number) {
  const mpz_class all = task_count(job);
  const mpz_class tasks = std::max<mpz_class>(share_of(all, nodes, number), 1);
  const mpq_class cpus = rational(job.total.at("cpu")) * tasks / all;
  Amounts part;
  for (const auto& [name, total] : job.total) {
    mpq_class amount = rational(total) * tasks / all;
    if (job.of_node.contains(name))
      amount = rational(job.of_node.at(name));
    else if (job.of_task.contains(name))
      amount = rational(job.of_task.at(name)) * tasks;
    else if (name == "mem" && job.memory_of_cpu)
      amount = rational(*job.memory_of_cpu) * cpus;
    else if (is_divisible(job, name))
      amount = share_of(whole_units(total), nodes, number);
    part.emplace(name, rounded_up(amount, name));
  }
  return part;
}

}  // namespace

Part even_part(const Job& job) {
  Part part{.amounts = {}, .count = job.nodes};
  for (const auto& [name, total] : job.total)
    part.amounts.emplace(name, rounded_up(rational(total) / static_cast<long>(job.nodes), name));
  return part;
}

std::vector<Amounts> parts_on(const Job& job, const std::vector<const Amounts*>& nodes) {
  const Amounts even = even_part(job).amounts;
  std::vector<Amounts> parts(nodes.size(), even);
  for (const auto& each : even) {
    const std::string& name = each.first;
    const Quantity& part = each.second;
    const auto had = [&](const Amounts* node) {
      const auto amount = node == nullptr ? Amounts::const_iterator() : node->find(name);
      return node == nullptr || amount == node->end() ? Quantity() : amount->second;
    };
    const auto has_none = [&](const Amounts* node) { return had(node).is_zero(); };
    const auto has_less = [&](const Amounts* node) { return had(node) < part; };
    if (std::any_of(nodes.begin(), nodes.end(), has_none)) continue;  // nothing says where it is
    if (std::none_of(nodes.begin(), nodes.end(), has_less)) continue;
    std::vector<std::size_t> hosts(nodes.size());  // those that have least first
    std::iota(hosts.begin(), hosts.end(), std::size_t{0});
    std::stable_sort(hosts.begin(), hosts.end(),
                     [&](std::size_t a, std::size_t b) { return had(nodes[a]) < had(nodes[b]); });
    mpq_class left = rational(job.total.at(name));
    std::vector<Quantity> held(nodes.size());
    for (std::size_t at = 0; at < hosts.size(); ++at) {
      const Quantity all = had(nodes[hosts[at]]);
      const mpq_class share = left / static_cast<unsigned long>(hosts.size() - at);
      held[hosts[at]] = rational(all) < share ? all : rounded_up(share, name);
      left -= std::min<mpq_class>(rational(all), share);
    }
    if (left > 0) continue;  // more than all of them have
    for (std::size_t host = 0; host < nodes.size(); ++host) parts[host].insert_or_assign(name, held[host]);
  }
  return parts;
}

bool is_uneven(const Job& job) {
  if (job.nodes == 1) return false;
  return std::any_of(job.total.begin(), job.total.end(), [&](const auto& each) {
    const mpq_class of_node = rational(each.second) / static_cast<long>(job.nodes);
    return (each.first == "cpu" || each.first == "mem" || each.first.starts_with("gres/")) &&
           of_node.get_den() != 1;
  });
}

std::int64_t most_nodes(const Job& job) {
  mpz_class most = task_count(job);
  for (const auto& [name, total] : job.total) {
    if (is_divisible(job, name) && job.of_task.empty()) most = std::max<mpz_class>(most, whole_units(total));
  }
  return most < kMostNodesOfJob ? most.get_si() : kMostNodesOfJob;
}

std::vector<Part> spread(const Job& job, std::int64_t nodes) {
  std::set<std::int64_t> firsts{0};  // of parts that are smaller than those before them
  const auto differ_after = [&](const mpz_class& whole) {
    const mpz_class larger = whole % static_cast<long>(nodes);
    firsts.insert(larger.get_si());
  };
  differ_after(task_count(job));
  for (const auto& [name, total] : job.total) {
    if (is_divisible(job, name)) differ_after(whole_units(total));
  }
  std::vector<Part> parts;
  for (auto first = firsts.begin(); first != firsts.end(); ++first) {
    const std::int64_t end = std::next(first) == firsts.end() ? nodes : *std::next(first);
    Part part{.amounts = part_of(job, nodes, *first), .count = end - *first};
    if (!parts.empty() && parts.back().amounts == part.amounts)
      parts.back().count += part.count;
    else
      parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace mirab::slurm
