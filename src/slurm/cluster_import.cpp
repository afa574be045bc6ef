// A cluster of Slurm as a cluster file: accounts become users, each node of a job a task.
#include "slurm/cluster_import.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gmpxx.h>
#include <map>
#include <optional>
#include <set>

#include "inventory/inventory.hpp"
#include "model/exact.hpp"
#include "model/names.hpp"
#include "slurm/records.hpp"

namespace mirab::slurm {
namespace {

constexpr std::size_t kMaxNamed = 5;              // in one notice
constexpr std::size_t kMostChecks = 200'000'000;  // nodes times rules
constexpr std::int64_t kMostNodesOfJob = 1'000'000;
constexpr std::size_t kMostHostsInAll = 2'000'000;
constexpr std::string_view kYes = "yes";

/// In which a node takes no new jobs.
constexpr std::array<std::string_view, 9> kClosedStates = {
    "DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "MAINT", "FUTURE", "NOT_RESPONDING", "UNKNOWN"};

constexpr std::array<std::string_view, 12> kRunningStates = {"RUNNING",     "R",  "COMPLETING", "CG",
                                                             "CONFIGURING", "CF", "STAGE_OUT",  "SO",
                                                             "RESIZING",    "RS", "SIGNALING",  "SI"};
constexpr std::array<std::string_view, 10> kWaitingStates = {
    "PENDING", "PD", "REQUEUED", "RQ", "REQUEUE_HOLD", "RH", "REQUEUE_FED", "RF", "RESV_DEL_HOLD", "RD"};
constexpr std::array<std::string_view, 4> kStoppedStates = {"SUSPENDED", "S", "STOPPED", "ST"};

template <class Words>
bool is_one_of(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

using Amounts = std::map<std::string, Quantity>;

struct NodeRow {
  std::string name;
  Amounts amounts = {};  // cpu, mem, gres/…
  std::set<std::string, std::less<>> partitions = {};
  std::set<std::string, std::less<>> features = {};
  std::set<std::string, std::less<>> types = {};  // `gres/gpu:a100`
  bool is_closed = false;
};

/// Where the tasks of a job may run.
struct JobRule {
  std::string partitions;          // any of them, with commas between
  std::string features;            // an expression
  std::string excluded;            // hosts
  std::vector<std::string> types;  // of generic resources, or one that no node has

  auto operator<=>(const JobRule&) const = default;
};

using inventory::Tally;

class ClusterImporter {
 public:
  ClusterImporter(const CommandOutput& nodes, const CommandOutput& jobs, Team team)
      : nodes_text_(nodes), jobs_text_(jobs), team_(team) {}

  Result<ClusterImport> import() {
    Result<std::vector<Record>> nodes = read_records(nodes_text_.text, nodes_text_.file);
    if (!nodes) return std::move(nodes).error();
    for (const Record& record : *nodes) {
      if (Check wrong = read_node(record)) return in_file(*std::move(wrong), nodes_text_, record);
    }
    Result<std::vector<Record>> jobs = read_records(jobs_text_.text, jobs_text_.file);
    if (!jobs) return std::move(jobs).error();
    choose_resources();
    for (const Record& record : *jobs) {
      if (Check wrong = read_job(record)) return in_file(*std::move(wrong), jobs_text_, record);
    }
    if (found_.tasks.empty()) {
      return Error{.message = "no job in it runs or waits", .file = jobs_text_.file};
    }
    return describe();
  }

 private:
  static Error in_file(Error error, const CommandOutput& output, const Record& record) {
    error.file = output.file;
    error.line = record.line;
    return error;
  }

  static Error wrong(std::string_view field, std::string message) {
    return {.message = std::move(message), .key = std::string(field)};
  }

  Check read_node(const Record& record) {
    NodeRow node{.name = std::string(record.value({"nodename", "nodelist", "hostnames"}))};
    if (node.name.empty()) return wrong("NodeName", "missing: nodes are read from `scontrol show node -o`");
    const std::string_view cpus = record.value({"cpuefctv", "cputot", "cpus"});
    const std::string_view memory = record.value({"realmemory", "memory"});
    if (cpus.empty()) return wrong("CPUTot", "missing: the CPUs of the node");
    const Result<Quantity> count = Quantity::parse(cpus);
    if (!count) return wrong("CPUTot", count.error().message);
    const Result<Quantity> bytes = memory.empty() ? Result<Quantity>(Quantity()) : read_memory(memory);
    if (!bytes) return wrong("RealMemory", bytes.error().message);
    const Result<Amounts> gres = read_gres(record.value({"gres"}));
    if (!gres) return wrong("Gres", gres.error().message);
    node.amounts = *gres;
    node.amounts["cpu"] = *count;
    node.amounts["mem"] = *bytes;
    if (const std::string_view special = record.value({"memspeclimit"}); !special.empty()) {
      const Result<Quantity> kept = read_memory(special);
      if (!kept) return wrong("MemSpecLimit", kept.error().message);
      node.amounts["mem"] = *kept < *bytes ? rounded_down(rational(*bytes) - rational(*kept)) : Quantity();
    }
    for (const auto& [name, amount] : *gres) {
      if (name.find(':') != std::string::npos && !amount.is_zero()) node.types.insert(name);
    }
    add_words(record.value({"partitions"}), node.partitions);
    add_words(record.value({"activefeatures", "availablefeatures", "features", "avail_features"}),
              node.features);
    std::string state(record.value({"state"}));
    state = state.substr(0, state.find(' '));
    node.is_closed = state.find('*') != std::string::npos;  // does not respond
    std::replace_if(
        state.begin(), state.end(), [](char c) { return c == '*' || c == '$' || c == '@'; }, '+');
    for (const std::string_view word : split(state, '+'))
      node.is_closed = node.is_closed || is_one_of(word, kClosedStates);
    if (!node_numbers_.emplace(node.name, nodes_.size()).second)
      return wrong("NodeName", fmt::format("a second node '{}'", node.name));
    nodes_.push_back(std::move(node));
    return {};
  }

  static void add_words(std::string_view list, std::set<std::string, std::less<>>& words) {
    for (const std::string_view word : split(list, ',')) {
      if (!word.empty()) words.emplace(word);
    }
  }

  // CPUs, memory, and every generic resource that a node has, without its types.
  void choose_resources() {
    std::set<std::string> generic;
    for (const NodeRow& node : nodes_) {
      for (const auto& [name, amount] : node.amounts) {
        if (name.starts_with("gres/") && name.find(':') == std::string::npos && !amount.is_zero())
          generic.insert(name);
      }
    }
    keys_ = {"cpu", "mem"};
    found_.resources = {"cpu", "memory"};
    for (const std::string& name : generic) {
      keys_.push_back(name);
      found_.resources.push_back(name.substr(std::string_view("gres/").size()));
    }
  }

  Check read_job(const Record& record) {
    const std::string_view id = record.value({"jobid", "jobidraw"});
    if (id.empty()) return wrong("JobID", "missing: jobs are read from `scontrol show job -o` or `sacct -P`");
    if (id.find('.') != std::string_view::npos) {
      ++steps_;
      return {};
    }
    const std::string_view written = record.value({"jobstate", "state", "st"});
    const std::string state(written.substr(0, written.find(' ')));
    if (state.empty()) return wrong("State", "missing: does the job run or wait?");
    const bool runs = is_one_of(state, kRunningStates);
    const bool is_stopped = is_one_of(state, kStoppedStates);
    if (!runs && !is_stopped && !is_one_of(state, kWaitingStates)) {
      done_.add(std::string(id));
      return {};
    }
    const std::string_view list = record.value({"arraytaskid", "array_task_id"});
    const bool is_listed = !list.empty() && id.find("_[") == std::string_view::npos;
    const Result<std::int64_t> array = array_tasks(is_listed ? fmt::format("_[{}]", list) : std::string(id));
    if (!array) return wrong(is_listed ? "ArrayTaskId" : "JobID", array.error().message);
    std::vector<std::string> hosts;
    if (const std::string_view names = record.value({"nodelist", "nodelist(reason)"});
        runs && !names.starts_with('(')) {
      Result<std::vector<std::string>> expanded = expand_hosts(names);
      if (!expanded) return wrong("NodeList", expanded.error().message);
      hosts = *std::move(expanded);
      if ((hosts_ += hosts.size()) > kMostHostsInAll)
        return wrong("NodeList", fmt::format("more than {} nodes of jobs in all", kMostHostsInAll));
    }
    Result<std::int64_t> nodes = node_count(record, runs);
    if (!nodes) return nodes.error();
    if (!hosts.empty()) *nodes = static_cast<std::int64_t>(hosts.size());
    Result<Amounts> total = amounts_of(record, *nodes, runs);
    if (!total) return total.error();
    if (is_stopped) stopped_.add(std::string(id));
    if (*nodes > 1) gangs_.add(std::string(id), *array);
    return add_tasks(record, *total, *nodes, *array, hosts, runs, id);
  }

  // The first number that is not 0: what waits has nothing allocated.
  static std::string_view number_of(const Record& record, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
      if (const std::string_view text = record.value({key}); !text.empty() && text != "0") return text;
    }
    return record.value(keys);
  }

  static Result<std::int64_t> node_count(const Record& record, bool runs) {
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

  // What the job requests on all its nodes together.
  Result<Amounts> amounts_of(const Record& record, std::int64_t nodes, bool runs) {
    const std::string_view tres = runs ? record.value({"alloctres", "tres", "reqtres"})
                                       : record.value({"reqtres", "tres", "alloctres"});
    Result<Amounts> amounts = read_tres(tres);
    if (!amounts) return wrong(runs ? "AllocTRES" : "ReqTRES", amounts.error().message);
    if (!amounts->contains("cpu")) {
      const std::string_view cpus =
          runs ? number_of(record, {"ncpus", "alloccpus", "numcpus", "cpus", "reqcpus"})
               : number_of(record, {"reqcpus", "numcpus", "cpus", "ncpus", "alloccpus"});
      if (cpus.empty())
        return wrong("ReqTRES", "missing: what the job requests; or CPUs in a column of their own");
      const Result<Quantity> count = Quantity::parse(cpus.substr(0, cpus.find('-')));
      if (!count) return wrong("CPUs", count.error().message);
      amounts->emplace("cpu", *count);
    }
    if (!amounts->contains("mem")) {
      if (Check bad = add_memory(record, nodes, *amounts)) return *std::move(bad);
    }
    if (Check bad = add_generic(record, nodes, *amounts)) return *std::move(bad);
    return amounts;
  }

  // Generic resources that TRES leaves out: the sum of their types, or what the job requests of them.
  static Check add_generic(const Record& record, std::int64_t nodes, Amounts& amounts) {
    std::map<std::string, mpq_class> sums;
    for (const auto& [name, amount] : amounts) {
      if (name.starts_with("gres/") && name.find(':') != std::string::npos)
        sums[name.substr(0, name.find(':'))] += rational(amount);
    }
    const auto add = [&](const std::string& name, const mpq_class& amount, std::string_view field) -> Check {
      if (amount >= mpz_class("9223372036854775807")) return wrong(field, "is more than 2^63 - 1");
      amounts.emplace(name, rounded_down(amount));
      return {};
    };
    for (const auto& [name, sum] : sums) {
      if (Check bad = add(name, sum, "TRES")) return bad;
    }
    const Amounts in_tres = amounts;
    for (const bool per_node : {true, false}) {
      const std::string_view field = per_node ? "TresPerNode" : "TresPerJob";
      const Result<Amounts> each = read_gres(per_node ? record.value({"tres_per_node", "trespernode"})
                                                      : record.value({"tres_per_job", "tresperjob"}));
      if (!each) return wrong(field, each.error().message);
      for (const auto& [name, amount] : *each) {
        const mpq_class times = per_node ? mpq_class(static_cast<long>(nodes)) : mpq_class(1);
        if (in_tres.contains(name)) continue;
        if (Check bad = add(name, rational(amount) * times, field)) return bad;
      }
    }
    return {};
  }

  // Of a node, or of a CPU where a `c` follows.
  static Check add_memory(const Record& record, std::int64_t nodes, Amounts& amounts) {
    std::string_view text = record.value({"reqmem", "minmemorynode", "min_memory"});
    bool per_cpu = text.ends_with('c');
    if (text.empty() && !(text = record.value({"minmemorycpu"})).empty()) per_cpu = true;
    if (text.ends_with('c') || text.ends_with('n')) text.remove_suffix(1);
    if (text.empty()) return {};
    const Result<Quantity> each = read_memory(text);
    if (!each) return wrong("ReqMem", each.error().message);
    const mpq_class times = per_cpu ? rational(amounts["cpu"]) : mpq_class(static_cast<long>(nodes));
    const mpq_class bytes = rational(*each) * times;
    if (bytes >= mpz_class("9223372036854775807")) return wrong("ReqMem", "is more than 2^63 - 1");
    amounts.emplace("mem", rounded_down(bytes));
    return {};
  }

  Check add_tasks(const Record& record, const Amounts& total, std::int64_t nodes, std::int64_t array,
                  const std::vector<std::string>& hosts, bool runs, std::string_view id) {
    JobRule rule{.partitions = std::string(record.value({"partition"})),
                 .features = std::string(record.value({"constraints", "features"})),
                 .excluded = std::string(record.value({"excnodelist", "exc_nodes"})),
                 .types = {}};
    for (const auto& [name, amount] : total) {
      const bool is_type = name.find(':') != std::string::npos;
      if (name.starts_with("gres/") && !amount.is_zero() && (is_type || !is_one_of(name, keys_)))
        rule.types.push_back(name);  // what no node has, none may run
      if (name.starts_with("license/")) unsaid_["licenses"].add(std::string(id));
      if (name.starts_with("bb/")) unsaid_["burst buffers"].add(std::string(id));
    }
    if (!record.value({"reqnodelist", "req_nodes"}).empty()) unsaid_["requested nodes"].add(std::string(id));
    if (!record.value({"trespertask", "trespersocket", "tres_per_task", "tres_per_socket"}).empty())
      unsaid_["TresPerTask and TresPerSocket"].add(std::string(id));
    if (!record.value({"reservation"}).empty()) unsaid_["reservations"].add(std::string(id));
    if (!record.value({"dependency"}).empty()) unsaid_["dependencies"].add(std::string(id));
    const Result<std::size_t> number = rule_number(rule, id);
    if (!number) return number.error();
    inventory::Tasks tasks{.team = team_of(record),
                           .name = name_of(rule, total, nodes),
                           .demand = {},
                           .rule = *number,
                           .count = array};
    if (Check wrong = check_name(tasks.team, "team", "Account")) return wrong;
    if (Check wrong = divide(total, nodes, id, tasks.demand)) return wrong;
    if (hosts.empty()) {
      if (runs) unknown_.add(std::string(id));
      if (array > INT64_MAX / nodes) return wrong("NumNodes", "too many tasks");
      tasks.count = array * nodes;
      found_.tasks.push_back(std::move(tasks));
      return {};
    }
    for (const std::string& host : hosts) {
      const auto node = node_numbers_.find(host);
      tasks.machine = node == node_numbers_.end() ? std::optional<std::size_t>() : node->second;
      if (!tasks.machine) unknown_.add(std::string(id));
      found_.tasks.push_back(tasks);
    }
    return {};
  }

  // An N-th of each amount, rounded up: of CPUs to thousandths, of all else to whole units.
  Check divide(const Amounts& total, std::int64_t nodes, std::string_view id, ResourceVector& demand) {
    bool is_uneven = false;
    for (const std::string& key : keys_) {
      const auto amount = total.find(key);
      if (amount == total.end()) {
        demand.emplace_back();
        continue;
      }
      const mpz_class scale = key == "cpu" ? 1000 : 1;
      const mpq_class each = rational(amount->second) * scale / static_cast<long>(nodes);
      mpz_class whole;
      mpz_cdiv_q(whole.get_mpz_t(), each.get_num_mpz_t(), each.get_den_mpz_t());
      const mpq_class of_node = each / scale;  // Slurm gives 2 CPUs and 1 of 3 on 2 nodes, not 1.5 each
      is_uneven = is_uneven || each.get_den() != 1 || (nodes > 1 && of_node.get_den() != 1);
      mpq_class rounded(whole, scale);
      rounded.canonicalize();
      demand.push_back(rounded_down(rounded));
    }
    if (is_uneven) uneven_.add(std::string(id));
    return {};
  }

  std::string team_of(const Record& record) const {
    std::string_view name;
    if (team_ == Team::account) name = record.value({"account"});
    if (team_ == Team::partition) name = record.value({"partition"});
    if (team_ == Team::user || name.empty()) {
      name = record.value({"user", "userid"});
      name = name.substr(0, name.find('('));
    }
    return name.empty() ? "unknown" : std::string(name);
  }

  // `gpu-8cpu-2gpu`: of each node.
  std::string name_of(const JobRule& rule, const Amounts& total, std::int64_t nodes) const {
    std::string name = rule.partitions.empty() ? "job" : rule.partitions;
    for (std::size_t r = 0; r < keys_.size(); ++r) {
      const auto amount = total.find(keys_[r]);
      if (amount == total.end() || amount->second.is_zero() || keys_[r] == "mem") continue;
      const mpq_class each = rational(amount->second) / static_cast<long>(nodes);
      name += fmt::format("-{:.3g}{}", each.get_d(), found_.resources[r]);
    }
    return name;
  }

  Result<std::size_t> rule_number(const JobRule& rule, std::string_view id) {
    const auto known = rule_numbers_.find(rule);
    if (known != rule_numbers_.end()) return known->second;
    if ((found_.rules.size() + 1) * nodes_.size() > kMostChecks)
      return wrong("Constraints", fmt::format("more than {} different rules of placement for {} nodes",
                                              found_.rules.size(), nodes_.size()));
    const Result<std::vector<std::string>> excluded = expand_hosts(rule.excluded);
    if (!excluded) return wrong("ExcNodeList", excluded.error().message);
    const std::set<std::string_view> out(excluded->begin(), excluded->end());
    if (rule.features.find_first_of("[]()*") != std::string::npos)
      unsaid_["constraints with brackets or counts"].add(std::string(id));
    inventory::Rule evaluated;
    for (const NodeRow& node : nodes_)
      evaluated.allowed.push_back(allows(rule, node) && !out.contains(node.name));
    evaluated.select = selected_labels(rule);
    rule_numbers_.emplace(rule, found_.rules.size());
    found_.rules.push_back(std::move(evaluated));
    return found_.rules.size() - 1;
  }

  static bool allows(const JobRule& rule, const NodeRow& node) {
    const std::vector<std::string_view> partitions = split(rule.partitions, ',');
    const bool in_partition = rule.partitions.empty() ||
                              std::any_of(partitions.begin(), partitions.end(), [&](std::string_view each) {
                                return node.partitions.contains(each);
                              });
    const bool has_types = std::all_of(rule.types.begin(), rule.types.end(),
                                       [&](const std::string& type) { return node.types.contains(type); });
    return in_partition && has_types && has_features(rule.features, node);
  }

  // `a&b|c` from left to right; brackets and counts are passed over.
  static bool has_features(std::string_view expression, const NodeRow& node) {
    bool holds = true;
    bool any = false;
    char joint = '&';
    std::string name;
    const auto take = [&](char next) {
      if (!name.empty()) {
        const bool has = node.features.contains(name);
        holds = !any ? has : joint == '|' ? holds || has : holds && has;
        any = true;
      }
      name.clear();
      joint = next;
    };
    bool is_count = false;
    for (const char c : expression) {
      if (c == '&' || c == '|' || c == ',') {
        take(c == '|' ? '|' : '&');
        is_count = false;
      } else if (c == '*') {
        is_count = true;
      } else if (!is_count && c != '[' && c != ']' && c != '(' && c != ')') {
        name += c;
      }
    }
    take('&');
    return holds;
  }

  static std::map<std::string, std::vector<std::string>> selected_labels(const JobRule& rule) {
    std::map<std::string, std::vector<std::string>> select;
    const std::vector<std::string> yes{std::string(kYes)};
    if (!rule.partitions.empty() && rule.partitions.find(',') == std::string::npos)
      select.emplace("partition/" + rule.partitions, yes);
    if (rule.features.find_first_of("|[]()*") == std::string::npos) {
      for (const std::string_view part : split(rule.features, '&')) {
        for (const std::string_view feature : split(part, ',')) {
          if (!feature.empty()) select.emplace(fmt::format("feature/{}", feature), yes);
        }
      }
    }
    for (const std::string& type : rule.types) select.emplace(type, yes);
    return select;
  }

  Result<ClusterImport> describe() {
    found_.task_word = "task";
    found_.machine_word = "node";
    for (const NodeRow& node : nodes_) {
      inventory::Machine machine{.name = node.name, .capacity = {}, .is_closed = node.is_closed};
      for (const std::string& key : keys_) {
        const auto amount = node.amounts.find(key);
        machine.capacity.push_back(amount == node.amounts.end() ? Quantity() : amount->second);
      }
      for (const std::string& name : node.partitions) machine.labels.emplace("partition/" + name, kYes);
      for (const std::string& name : node.features) machine.labels.emplace("feature/" + name, kYes);
      for (const std::string& name : node.types) machine.labels.emplace(name, kYes);
      found_.machines.push_back(std::move(machine));
    }
    Result<inventory::Description> description = inventory::describe(found_);
    if (!description) {
      Error error = std::move(description).error();
      error.file = fmt::format("{}, {}", nodes_text_.file, jobs_text_.file);
      return error;
    }
    ClusterImport import{.cluster = std::move(description->cluster),
                         .nodes = {},
                         .provenance = {},
                         .notices = std::move(description->notices)};
    for (const std::vector<std::size_t>& machines : description->machines) {
      std::vector<std::string>& names = import.nodes.emplace_back();
      for (const std::size_t i : machines) names.push_back(nodes_[i].name);
    }
    constexpr std::array<std::string_view, 3> kTeams = {"an account", "a user of Slurm", "a partition"};
    import.provenance = {
        fmt::format("From {} nodes of a Slurm cluster and its jobs.", nodes_.size()),
        fmt::format("A user is {}, a task one node of a job that runs or waits.",
                    kTeams[static_cast<std::size_t>(team_)]),
        "What runs now is under `running`. Time limits, priorities and limits of associations are not kept."};
    import.provenance.insert(import.provenance.end(), description->entries.begin(),
                             description->entries.end());
    add_notices(import.notices);
    return import;
  }

  void add_notices(std::vector<std::string>& notices) const {
    const auto note = [&](const Tally& tally, std::string_view what) {
      if (tally.count > 0) notices.push_back(tally.notice(what, "job"));
    };
    note(done_, "left out, done");
    note(stopped_, "counted as waiting, suspended");
    note(gangs_, "not kept, that the tasks of a job on several nodes start together");
    note(uneven_,
         "divided equally over their nodes and rounded up, amounts that are no multiple of the nodes");
    note(unknown_, "counted as waiting, on nodes that were not read");
    for (const auto& [what, tally] : unsaid_) note(tally, fmt::format("not kept, {}", what));
    if (steps_ > 0)
      notices.push_back(fmt::format("passed over, job steps (sacct -X leaves them out): {}", steps_));
  }

  const CommandOutput& nodes_text_;
  const CommandOutput& jobs_text_;
  Team team_;
  std::vector<NodeRow> nodes_;
  std::map<std::string, std::size_t> node_numbers_;
  std::vector<std::string> keys_;  // the resources as Slurm calls them
  inventory::Inventory found_;
  std::map<JobRule, std::size_t> rule_numbers_;
  std::int64_t steps_ = 0;
  std::size_t hosts_ = 0;  // of all jobs
  Tally done_, stopped_, gangs_, uneven_, unknown_;
  std::map<std::string_view, Tally> unsaid_;
};

}  // namespace

Result<ClusterImport> import_cluster(const CommandOutput& nodes, const CommandOutput& jobs, Team team) {
  return ClusterImporter(nodes, jobs, team).import();
}

}  // namespace mirab::slurm
