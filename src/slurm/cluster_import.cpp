// A cluster of Slurm as a cluster file: accounts become users, each node of a job a task.
#include "slurm/cluster_import.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "inventory/inventory.hpp"
#include "model/names.hpp"
#include "slurm/jobs.hpp"
#include "slurm/nodes.hpp"
#include "slurm/records.hpp"

namespace mirab::slurm {
namespace {

constexpr std::size_t kMostChecks = 200'000'000;  // nodes times rules
constexpr std::size_t kMostHostsInAll = 2'000'000;
constexpr std::int64_t kMostTries = 100;  // of numbers of nodes for a job
constexpr std::string_view kYes = "yes";

bool is_generic(std::string_view name) { return name.starts_with("gres/"); }
bool is_type(std::string_view name) { return is_generic(name) && name.find(':') != std::string_view::npos; }

/// Where the tasks of a job may run.
struct JobRule {
  std::string partitions;            // any of them, with commas between
  std::string features;              // an expression
  std::string excluded;              // hosts
  std::vector<std::string> missing;  // generic resources that no node has

  auto operator<=>(const JobRule&) const = default;
};

using inventory::Tally;

class ClusterImporter {
 public:
  ClusterImporter(const CommandOutput& nodes, const CommandOutput& jobs, const ClusterImportOptions& options)
      : nodes_text_(nodes), jobs_text_(jobs), team_(options.team) {
    found_.tolerance = options.tolerance;
  }

  Result<ClusterImport> import() {
    Result<std::vector<Record>> nodes = read_records(nodes_text_.text, nodes_text_.file);
    if (!nodes) return std::move(nodes).error();
    for (const Record& record : *nodes) {
      if (Check wrong = add_nodes(record)) return in_file(*std::move(wrong), nodes_text_, record);
    }
    Result<std::vector<Record>> jobs = read_records(jobs_text_.text, jobs_text_.file);
    if (!jobs) return std::move(jobs).error();
    choose_resources();
    for (const Record& record : *jobs) {
      if (Check wrong = add_job(record)) return in_file(*std::move(wrong), jobs_text_, record);
    }
    give_whole_nodes();
    if (found_.tasks.empty())
      return Error{.message = "no job in it runs, or waits and may start", .file = jobs_text_.file};
    return describe();
  }

 private:
  static Error in_file(Error error, const CommandOutput& output, const Record& record) {
    error.file = output.file;
    error.line = record.line;
    return error;
  }

  Check add_nodes(const Record& record) {
    Result<std::vector<NodeRow>> rows = read_nodes(record);
    if (!rows) return std::move(rows).error();
    for (NodeRow& row : *rows) {
      const auto [place, is_new] = node_numbers_.emplace(row.name, nodes_.size());
      if (is_new) {
        if (nodes_.size() == kMostHostsInAll)
          return wrong("NodeList", fmt::format("more than {} nodes", nodes_.size()));
        nodes_.push_back(std::move(row));
        continue;
      }
      NodeRow& known = nodes_[place->second];
      if (!row.is_of_a_partition || !known.is_of_a_partition)
        return wrong("NodeName", fmt::format("a second node '{}'", row.name));
      known.partitions.merge(row.partitions);
    }
    return {};
  }

  // CPUs, memory, and every generic resource that a node has. Its types are resources beside it, unless there
  // is one type only: it would say the same twice.
  void choose_resources() {
    std::map<std::string, std::set<std::string>> generic;  // with their types
    for (const NodeRow& node : nodes_) {
      for (const auto& [name, amount] : node.amounts) {
        if (!is_generic(name) || amount.is_zero()) continue;
        std::set<std::string>& types = generic[name.substr(0, name.find(':'))];
        if (is_type(name)) types.insert(name);
      }
    }
    keys_ = {"cpu", "mem"};
    for (const auto& [name, types] : generic) {
      keys_.push_back(name);
      if (types.size() == 1 && is_all_of(*types.begin(), name))
        only_types_.insert(*types.begin());
      else
        keys_.insert(keys_.end(), types.begin(), types.end());
    }
    for (const std::string& key : keys_)
      found_.resources.push_back(key == "mem" ? "memory" : key.substr(is_generic(key) ? 5 : 0));
  }

  // Are all that the nodes have of this type?
  bool is_all_of(const std::string& type, const std::string& name) const {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const NodeRow& node) {
      return amount_of(node.amounts, type) == amount_of(node.amounts, name);
    });
  }

  static Quantity amount_of(const Amounts& amounts, const std::string& name) {
    const auto amount = amounts.find(name);
    return amount == amounts.end() ? Quantity() : amount->second;
  }

  ResourceVector vector_of(const Amounts& amounts) const {
    ResourceVector vector;
    for (const std::string& key : keys_) vector.push_back(amount_of(amounts, key));
    return vector;
  }

  Check add_job(const Record& record) {
    if (is_step(record)) {
      ++steps_;
      return {};
    }
    const Result<Job> job = read_job(record);
    if (!job) return job.error();
    if (job->state == JobState::done) return done_.add(job->id), Check();
    if (job->state == JobState::unknown) return of_unknown_state_.add(job->id), Check();
    if (job->state == JobState::held) return held_.add(job->id, job->array), Check();
    if (job->state == JobState::never_starts) return never_start_.add(job->id, job->array), Check();
    if (job->state == JobState::suspended) stopped_.add(job->id);
    if ((hosts_ += job->hosts.size()) > kMostHostsInAll)
      return wrong("NodeList", fmt::format("more than {} nodes of jobs in all", kMostHostsInAll));
    const JobRule rule = rule_of(record, *job);
    const Result<std::size_t> number = rule_number(rule, job->id);
    if (!number) return number.error();
    note_what_is_lost(record, *job, *number);
    const inventory::Tasks tasks{.team = team_of(record),
                                 .name = rule.partitions.empty() ? "job" : rule.partitions,
                                 .demand = {},
                                 .rule = *number};
    if (Check wrong = check_name(tasks.team, "team", "Account")) return wrong;
    if (!job->hosts.empty()) return add_running(*job, tasks), Check();
    if (job->state == JobState::runs) unknown_.add(job->id);
    return add_waiting(*job, tasks);
  }

  JobRule rule_of(const Record& record, const Job& job) const {
    JobRule rule{.partitions = std::string(record.value({"partition"})),
                 .features = std::string(record.value({"constraints", "features"})),
                 .excluded = std::string(record.value({"excnodelist", "exc_nodes"})),
                 .missing = {}};
    for (const auto& [name, amount] : job.total) {
      const bool is_had = is_one_of(name, keys_) || only_types_.contains(name);
      if (is_generic(name) && !amount.is_zero() && !is_had) rule.missing.push_back(name);
    }
    return rule;
  }

  void note_what_is_lost(const Record& record, const Job& job, std::size_t rule) {
    const auto lose = [&](std::string_view what) { unsaid_[what].add(job.id); };
    const bool waits = job.state != JobState::runs;
    for (const auto& [name, amount] : job.total) {
      if (name.starts_with("license/")) lose("licenses");
      if (name.starts_with("bb/")) lose("burst buffers");
    }
    if (!record.value({"reqnodelist", "req_nodes"}).empty()) lose("requested nodes");
    if (!job.of_task.empty() && !job.total.contains(job.of_task.begin()->first))
      lose("TresPerTask, since the number of tasks is not known");
    if (!record.value({"trespersocket", "tres_per_socket"}).empty()) lose("TresPerSocket");
    if (!record.value({"reservation"}).empty()) lose("reservations");
    if (waits && !record.value({"dependency"}).empty()) lose("dependencies (counted as if they were met)");
    if (waits && record.value({"reason", "nodelist(reason)"}).find("BeginTime") != std::string_view::npos)
      lose("begin times (counted as if they were past)");
    if (!record.value({"hetjobid", "het_job_id"}).empty() || job.id.find('+') != std::string::npos)
      lose("that the parts of a heterogeneous job start together");
    if (job.nodes > 1) gangs_.add(job.id, job.array);
    if (is_uneven(job) && job.on_host.empty()) uneven_.add(job.id);
    if (job.is_generic_unknown && may_use_generic(rule)) without_generic_.add(job.id, job.array);
  }

  // Has a node that the rule allows generic resources?
  bool may_use_generic(std::size_t rule) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Amounts& amounts = nodes_[i].amounts;
      const bool has_some = std::any_of(amounts.begin(), amounts.end(), [](const auto& each) {
        return is_generic(each.first) && !each.second.is_zero();
      });
      if (has_some && found_.rules[rule].allowed[i]) return true;
    }
    return false;
  }

  // What the job holds on each host.
  std::vector<Amounts> parts_on_hosts(const Job& job) {
    std::vector<const Amounts*> nodes;
    std::vector<Amounts> held;
    for (const std::string& host : job.hosts) {
      if (const auto known = job.on_host.find(host); known != job.on_host.end())
        held.push_back(known->second);
      const auto node = node_numbers_.find(host);
      nodes.push_back(node == node_numbers_.end() ? nullptr : &nodes_[node->second].amounts);
    }
    if (held.size() == job.hosts.size()) return held;
    std::vector<Amounts> parts = parts_on(job, nodes);
    const bool differ = std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) != parts.end();
    if (differ) by_nodes_.add(job.id);
    return parts;
  }

  void add_running(const Job& job, inventory::Tasks tasks) {
    const std::string name = tasks.name;
    const std::vector<Amounts> parts = parts_on_hosts(job);
    tasks.count = job.array;
    for (std::size_t i = 0; i < job.hosts.size(); ++i) {
      const std::string& host = job.hosts[i];
      tasks.name = name + suffix_of(parts[i]);
      tasks.demand = vector_of(parts[i]);
      const auto node = node_numbers_.find(host);
      tasks.machine = node == node_numbers_.end() ? std::optional<std::size_t>() : node->second;
      if (tasks.machine)
        ++jobs_on_[*tasks.machine];
      else
        unknown_.add(job.id);
      if (tasks.machine && job.is_exclusive) alone_.push_back({.job = job.id, .tasks = found_.tasks.size()});
      found_.tasks.push_back(tasks);
    }
  }

  // An exclusive job has the whole of its nodes, unless other jobs run there all the same.
  void give_whole_nodes() {
    std::map<std::string, bool> are_alone;
    for (const Alone& each : alone_) {
      inventory::Tasks& tasks = found_.tasks[each.tasks];
      const bool is_alone = jobs_on_[*tasks.machine] == 1;
      if (is_alone) tasks.demand = vector_of(nodes_[*tasks.machine].amounts);
      const auto [known, is_new] = are_alone.emplace(each.job, is_alone);
      known->second = known->second && is_alone;
    }
    for (const auto& [job, is_alone] : are_alone) (is_alone ? exclusive_ : not_alone_).add(job);
  }

  Check add_waiting(const Job& job, inventory::Tasks tasks) {
    const std::string name = tasks.name;
    bool has_whole_nodes = job.is_exclusive;
    for (const Part& part : parts_of(job, tasks.rule)) {
      if (part.count > INT64_MAX / job.array) return wrong("NumNodes", "too many tasks");
      const NodeRow* const whole = job.is_exclusive ? smallest_node(part.amounts, tasks.rule) : nullptr;
      const Amounts& amounts = whole != nullptr ? whole->amounts : part.amounts;
      has_whole_nodes = has_whole_nodes && whole != nullptr;
      tasks.name = name + suffix_of(amounts);
      tasks.demand = vector_of(amounts);
      tasks.count = part.count * job.array;
      found_.tasks.push_back(tasks);
    }
    if (has_whole_nodes) exclusive_.add(job.id, job.array);
    return {};
  }

  // The nodes of a job that waits are the least that it asked for. When no node holds an N-th, the job goes
  // on the fewest nodes that hold its parts.
  std::vector<Part> parts_of(const Job& job, std::size_t rule) {
    const Part even = even_part(job);
    if (smallest_node(even.amounts, rule) != nullptr) return {even};
    const std::int64_t most = std::min(open_nodes(rule), most_nodes(job));
    for (std::int64_t nodes = least_nodes(job, most, rule), tries = 0; nodes <= most && tries < kMostTries;
         ++nodes, ++tries) {
      std::vector<Part> parts = spread(job, nodes);
      if (!has_nodes_for(parts, rule)) continue;
      spread_.add(job.id, job.array);
      return parts;
    }
    return {even};
  }

  // Of which some node holds the largest part; more than `most` when there are none.
  std::int64_t least_nodes(const Job& job, std::int64_t most, std::size_t rule) {
    std::int64_t least = job.nodes, end = most + 1;
    while (least < end) {
      const std::int64_t middle = least + (end - least) / 2;
      if (smallest_node(spread(job, middle).front().amounts, rule) != nullptr)
        end = middle;
      else
        least = middle + 1;
    }
    return least;
  }

  // A node for each part: each part needs no more than those before it.
  bool has_nodes_for(const std::vector<Part>& parts, std::size_t rule) {
    std::int64_t needed = 0;
    return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
      const ResourceVector wanted = vector_of(part.amounts);
      std::int64_t count = 0;
      for (const Kind& kind : kinds_of(rule)) count += holds(kind, wanted) ? kind.count : 0;
      return count >= (needed += part.count);
    });
  }

  bool is_open(std::size_t node, std::size_t rule) const {
    return found_.rules[rule].allowed[node] && nodes_[node].use != NodeUse::closed;
  }

  std::int64_t open_nodes(std::size_t rule) const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) count += is_open(i, rule) ? 1 : 0;
    return count;
  }

  /// Equal nodes.
  struct Kind {
    ResourceVector capacity;
    const NodeRow* node;  // one of them
    std::int64_t count;
  };

  static bool holds(const Kind& kind, const ResourceVector& wanted) {
    for (std::size_t r = 0; r < wanted.size(); ++r) {
      if (wanted[r] > kind.capacity[r]) return false;
    }
    return true;
  }

  // Of those that are open to the rule and have the amounts; null: no node.
  const NodeRow* smallest_node(const Amounts& amounts, std::size_t rule) {
    const ResourceVector wanted = vector_of(amounts);
    const std::vector<Kind>& kinds = kinds_of(rule);
    const auto smallest =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return holds(kind, wanted); });
    return smallest == kinds.end() ? nullptr : smallest->node;
  }

  // The kinds of nodes that are open to the rule, the smallest first: with the fewest generic resources, then
  // CPUs, then memory.
  const std::vector<Kind>& kinds_of(std::size_t rule) {
    const auto [place, is_new] = kinds_.try_emplace(rule);
    if (!is_new) return place->second;
    std::map<ResourceVector, Kind> kinds;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!is_open(i, rule)) continue;
      const ResourceVector capacity = vector_of(nodes_[i].amounts);
      ResourceVector order = capacity;
      std::rotate(order.begin(), order.begin() + 2, order.end());
      ++kinds.try_emplace(std::move(order), Kind{capacity, &nodes_[i], 0}).first->second.count;
    }
    for (auto& [order, kind] : kinds) place->second.push_back(std::move(kind));
    return place->second;
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

  // `-8cpu-2gpu`, or `-8cpu-2a100` where all are of a type.
  std::string suffix_of(const Amounts& amounts) const {
    std::string suffix;
    for (std::size_t r = 0; r < keys_.size(); ++r) {
      const Quantity amount = amount_of(amounts, keys_[r]);
      const bool is_told_by_type = std::any_of(keys_.begin(), keys_.end(), [&](const std::string& key) {
        return key.starts_with(keys_[r] + ":") && amount_of(amounts, key) == amount;
      });
      if (amount.is_zero() || keys_[r] == "mem" || is_told_by_type) continue;
      const std::string& resource = found_.resources[r];
      suffix += fmt::format("-{:.3g}{}", amount.value(), resource.substr(resource.find(':') + 1));
    }
    return suffix;
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
    return in_partition && rule.missing.empty() && has_features(rule.features, node);
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

  // Nothing where it asks for one of several partitions or features, or for what labels do not say. A
  // partition of all nodes is left out.
  std::optional<std::map<std::string, LabelCondition>> selected_labels(const JobRule& rule) const {
    std::map<std::string, LabelCondition> select;
    const LabelCondition yes{std::string(kYes)};
    if (!rule.missing.empty() || rule.partitions.find(',') != std::string::npos ||
        rule.features.find_first_of("|[]()*") != std::string::npos)
      return {};
    const auto is_in = [&](const NodeRow& node) { return node.partitions.contains(rule.partitions); };
    if (!rule.partitions.empty() && !std::all_of(nodes_.begin(), nodes_.end(), is_in))
      select.emplace("partition/" + rule.partitions, yes);
    for (const std::string_view part : split(rule.features, '&')) {
      for (const std::string_view feature : split(part, ',')) {
        if (!feature.empty()) select.emplace(fmt::format("feature/{}", feature), yes);
      }
    }
    return select;
  }

  Result<ClusterImport> describe() {
    found_.task_word = "task";
    found_.machine_word = "node";
    for (const NodeRow& node : nodes_) {
      inventory::Machine machine{
          .name = node.name, .capacity = vector_of(node.amounts), .is_closed = node.use == NodeUse::closed};
      if (node.use == NodeUse::set_aside) set_aside_.add(node.name);
      if (node.use == NodeUse::unnamed) unnamed_.add(fmt::format("{} ({})", node.name, node.state));
      for (const std::string& name : node.partitions) machine.labels.emplace("partition/" + name, kYes);
      for (const std::string& name : node.features) machine.labels.emplace("feature/" + name, kYes);
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
    const auto note = [&](const Tally& tally, std::string_view what, std::string_view word = "job") {
      if (tally.count > 0) notices.push_back(tally.notice(what, word));
    };
    note(set_aside_, "counted as open to all jobs, reserved or blocked", "node");
    note(unnamed_, "counted as open to all jobs, in a state that is not known", "node");
    note(done_, "left out, done");
    note(of_unknown_state_, "left out, in a state that is not known");
    note(held_, "left out, held until somebody releases them");
    note(never_start_,
         "left out, never start as they are (a dependency failed, or no node meets their constraints)");
    note(stopped_, "counted as waiting, suspended");
    note(gangs_, "not kept, that the tasks of a job on several nodes start together");
    note(spread_, "divided among more nodes than they name, since no node holds as much");
    note(by_nodes_, "divided among their nodes by what these have, since some have less than an equal part");
    note(exclusive_,
         "counted with all that their nodes have, exclusive (where they wait, the smallest that fit)");
    note(not_alone_, "counted with what they asked for, exclusive but not alone on their nodes");
    note(uneven_,
         "divided equally over their nodes and rounded up, amounts that are no multiple of the nodes");
    note(
        without_generic_,
        "perhaps without GPUs, of which the table says nothing (print tres-alloc with squeue -O, or --json)");
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
  std::vector<std::string> keys_;     // the resources as Slurm calls them
  std::set<std::string> only_types_;  // of all units of their resource
  inventory::Inventory found_;
  std::map<JobRule, std::size_t> rule_numbers_;
  std::map<std::size_t, std::vector<Kind>> kinds_;  // by rule
  struct Alone {
    std::string job;
    std::size_t tasks;
  };
  std::vector<Alone> alone_;                     // tasks of exclusive jobs that run
  std::map<std::size_t, std::int64_t> jobs_on_;  // by node
  std::int64_t steps_ = 0;
  std::size_t hosts_ = 0;      // of all jobs
  Tally set_aside_, unnamed_;  // nodes
  Tally done_, of_unknown_state_, held_, never_start_, stopped_, gangs_, spread_, by_nodes_, exclusive_,
      not_alone_, uneven_, without_generic_, unknown_;
  std::map<std::string_view, Tally> unsaid_;
};

}  // namespace

Result<ClusterImport> import_cluster(const CommandOutput& nodes, const CommandOutput& jobs,
                                     const ClusterImportOptions& options) {
  return ClusterImporter(nodes, jobs, options).import();
}

}  // namespace mirab::slurm
