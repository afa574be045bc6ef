// A cluster of Kubernetes as a cluster file: nodes become servers, namespaces users, pods tasks.
#include "kubernetes/cluster_import.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>

#include <mirab/model/assert.hpp>

#include "inventory/inventory.hpp"
#include "kubernetes/node_rows.hpp"
#include "kubernetes/objects.hpp"
#include "kubernetes/placement_rules.hpp"
#include "kubernetes/pod_requests.hpp"
#include "model/names.hpp"
#include "model/placement_text.hpp"

namespace mirab::kubernetes {
namespace {

constexpr std::size_t kNamedInNotice = 5;         // in one notice
constexpr std::size_t kMostChecks = 200'000'000;  // nodes times rules
constexpr std::string_view kPods = "pods";        // the resource of which each pod takes one

/// What is read; of others the number is noted.
constexpr std::array<std::string_view, 4> kReadKinds = {"Namespace", "Node", "Pod", "ResourceQuota"};

struct PodRow {
  std::string team;
  std::string name;  // of its owner
  const Amounts* requests;
  std::size_t rule = 0;
  std::string node;  // empty while it waits
};

/// What a namespace may request of a resource.
struct Hard {
  Units least = 0;                   // of its quotas
  std::set<std::string> shown = {};  // in notices
};

Quantity quantity_of(const std::string& resource, Units units) {
  const Result<Quantity> quantity = Quantity::parse(units_text(resource, units));
  MIRAB_ASSERT(static_cast<bool>(quantity), "what was counted is a quantity");
  return *quantity;
}

bool is_extended(std::string_view resource) { return resource.find('/') != std::string_view::npos; }

using inventory::Tally;

class ClusterImporter {
 public:
  ClusterImporter(std::span<const ObjectText> texts, const ClusterImportOptions& options)
      : texts_(texts), options_(options) {}

  Result<ClusterImport> import() {
    for (const ObjectText& text : texts_) {
      if (Check wrong = check_lists(text.documents, text.file)) return *std::move(wrong);
      for (Object& object : objects_of(text.documents)) {
        if (Check wrong = read_first(object, text.file)) return *std::move(wrong);
        objects_.emplace_back(std::move(object), &text.file);
      }
    }
    if (nodes_.empty()) return nothing("node", "nodes");
    for (const auto& [object, file] : objects_) {
      if (object.kind != "Pod") continue;
      if (Check wrong = read_pod(object, *file)) return *std::move(wrong);
    }
    if (!has_pods_) return nothing("pod", "pods -A");
    if (Check wrong = check_resources()) return *std::move(wrong);
    choose_resources();
    Result<inventory::Description> description = describe();
    if (!description) {
      Error error = std::move(description).error();
      error.file = files();
      return error;
    }
    return finish(*std::move(description));
  }

 private:
  std::string files() const {
    std::string all;
    for (const ObjectText& text : texts_) all += (all.empty() ? "" : ", ") + text.file;
    return all;
  }

  Error nothing(std::string_view word, std::string_view command) const {
    return {.message = fmt::format("there is no {} in what was read; `kubectl get {} -o json` prints them",
                                   word, command),
            .file = files()};
  }

  static Error wrong(const Object& object, const std::string& file, std::string_view key,
                     std::string message) {
    return {.message = std::move(message), .key = object.key(key), .file = file, .line = object.root->line};
  }

  // Nodes and namespaces: what pods refer to, in whatever order they come.
  Check read_first(const Object& object, const std::string& file) {
    if (std::find(kReadKinds.begin(), kReadKinds.end(), object.kind) == kReadKinds.end()) {
      ++passed_over_[object.kind.empty() ? "an object without a kind" : object.kind];
      return {};
    }
    if (object.name().empty()) return wrong(object, file, "metadata.name", "missing");
    const bool is_within = object.kind == "Pod" || object.kind == "ResourceQuota";
    const std::string_view space = is_within ? object.metadata("namespace") : std::string_view();
    for (const std::string_view name : {object.name(), space}) {
      if (!is_name(name)) return wrong(object, file, "metadata.name", kNotAName);
    }
    const std::string full = fmt::format("{} {}/{}", object.kind, space, object.name());
    const auto [earlier, is_new] = seen_.emplace(full, object.root->line);
    if (!is_new) {
      return wrong(object, file, "metadata.name",
                   fmt::format("a second {} '{}'; the first is on line {}", lower_case(object.kind),
                               object.name(), earlier->second));
    }
    if (object.kind == "Namespace") namespace_labels_.emplace(object.name(), labels_of(object));
    if (object.kind == "ResourceQuota") return read_quota(object, file);
    return object.kind == "Node" ? add_node(object, file) : Check{};
  }

  // What a namespace may request: `requests.cpu`, or `cpu`, which means the same. Of several the least
  // counts.
  Check read_quota(const Object& object, const std::string& file) {
    const std::string space(object.metadata("namespace"));
    const Node* hard = value_at(*object.root, "/spec/hard");
    const bool is_scoped = is_listed(object, "/spec/scopes") || is_listed(object, "/spec/scopeSelector");
    if (!options_.team_label.empty() || is_scoped) {
      quotas_not_kept_[is_scoped ? "quotas with scopes"
                                 : "quotas of namespaces, where teams are values of a label"]
          .add(fmt::format("{}/{}", space, object.name()));
      return {};
    }
    for (const Node::Entry& each : hard == nullptr ? std::vector<Node::Entry>() : hard->entries) {
      constexpr std::string_view kRequests = "requests.";
      const bool is_request = each.key.starts_with(kRequests);
      const std::string resource = each.key.substr(is_request ? kRequests.size() : 0);
      if (!is_request && resource != "cpu" && resource != "memory" && resource != kPods) {
        quotas_not_kept_["quotas of other things than requests"].add(
            fmt::format("{}/{} {}", space, object.name(), each.key));
        continue;
      }
      const Result<Units> units = read_capped_units(resource, each.value.text, Rounding::down);
      if (!units) {
        return Error{.message = units.error().message,
                     .key = object.key("spec.hard." + each.key),
                     .file = file,
                     .line = each.line};
      }
      const auto [known, is_new] = quotas_[space].emplace(resource, Hard{.least = *units});
      known->second.least = std::min(known->second.least, *units);
      known->second.shown.insert(fmt::format("{}/{} {}", space, object.name(), each.key));
    }
    return {};
  }

  static bool is_listed(const Object& object, std::string_view pointer) {
    const Node* node = value_at(*object.root, pointer);
    return node != nullptr && !node->entries.empty();
  }

  Check add_node(const Object& object, const std::string& file) {
    Result<NodeRow> node = read_node_row(object, file);
    if (!node) return std::move(node).error();
    node_numbers_.emplace(node->name, nodes_.size());
    nodes_.push_back(*std::move(node));
    return {};
  }

  Check read_pod(const Object& object, const std::string& file) {
    has_pods_ = true;
    const Owner owner = owner_of(object);
    const std::string space =
        object.metadata("namespace").empty() ? "default" : std::string(object.metadata("namespace"));
    const std::string shown = fmt::format("{}/{}", space, owner.name);
    if (is_done(object)) {
      done_.add(shown);
      return {};
    }
    Result<Amounts> requests = scheduled_requests(object, file, options_.default_request);
    if (!requests) return requests.error();
    const Result<PlacementRule> rule = read_placement_rule(object, file);
    if (!rule) return rule.error();
    requests->emplace(kPods, 1);
    const Node* node = value_at(*object.root, "/spec/nodeName");
    const std::string where = node == nullptr ? "" : node->text;
    if (owner.kind == "DaemonSet" || owner.kind == "Node" || is_static(object)) {
      take_off_node(where.empty() ? std::string(named_node(*rule)) : where, *requests, shown);
      return {};
    }
    for (const std::string_view unsaid : unsaid_rules(object)) unsaid_[unsaid].add(shown);
    if (is_there(object, "/metadata/deletionTimestamp")) ending_.add(shown);
    Result<std::size_t> number = rule_number(*rule, file);
    if (!number) return number.error();
    pods_.push_back({.team = team_of(object, space, shown),
                     .name = owner.name,
                     .requests = &*requests_.insert(*std::move(requests)).first,
                     .rule = *number,
                     .node = where});
    if (!where.empty() && !node_numbers_.contains(where)) {
      unknown_.add("on " + where);
      pods_.back().node.clear();
    }
    return {};
  }

  static bool is_there(const Object& object, std::string_view pointer) {
    const Node* node = value_at(*object.root, pointer);
    return node != nullptr && !node->text.empty();
  }

  void take_off_node(const std::string& where, const Amounts& requests, const std::string& shown) {
    const auto node = node_numbers_.find(where);
    if (node == node_numbers_.end()) {
      homeless_.add(shown);
      return;
    }
    system_.add(shown);
    for (const auto& [resource, units] : requests) {
      const auto capacity = nodes_[node->second].allocatable.find(resource);
      const Units left = capacity == nodes_[node->second].allocatable.end() ? 0 : capacity->second;
      if (left < units) crowded_.add("on " + where);
      if (capacity != nodes_[node->second].allocatable.end())
        capacity->second = std::max<Units>(0, left - units);
      taken_[resource] = capped_sum(taken_[resource], std::min(left, units));
    }
  }

  std::string team_of(const Object& pod, const std::string& space, const std::string& shown) {
    if (options_.team_label.empty()) return space;
    const NodeLabels labels = labels_of(pod);
    if (const auto own = labels.find(options_.team_label); own != labels.end() && !own->second.empty())
      return own->second;
    if (const auto known = namespace_labels_.find(space); known != namespace_labels_.end()) {
      const auto of_space = known->second.find(options_.team_label);
      if (of_space != known->second.end() && !of_space->second.empty()) return of_space->second;
    }
    without_label_.add(shown);
    return space;
  }

  // Those of taints that Kubernetes itself sets on a node in trouble are left out, unless a node has it: most
  // pods have them. So are those that Kubernetes refuses, which tolerate nothing.
  std::vector<Toleration> tolerations_to_keep(const PlacementRule& rule) const {
    constexpr std::string_view kOfKubernetes = "node.kubernetes.io/";
    std::vector<Toleration> kept;
    std::copy_if(rule.tolerations.begin(), rule.tolerations.end(), std::back_inserter(kept),
                 [&](const Toleration& each) {
                   if (check_toleration(each)) return false;
                   if (each.key.empty()) return each.op == Toleration::Operator::exists;
                   return !each.key.starts_with(kOfKubernetes) || set_taints().contains(each.key);
                 });
    return kept;
  }

  // What every node meets of system and architecture is left out: most pods ask for it.
  std::optional<std::map<std::string, LabelCondition>> labels_to_keep(const PlacementRule& rule) const {
    constexpr std::array<std::string_view, 4> kOfAll = {"kubernetes.io/os", "kubernetes.io/arch",
                                                        "beta.kubernetes.io/os", "beta.kubernetes.io/arch"};
    auto select = selected_labels(rule);
    if (!select) return select;
    std::erase_if(*select, [&](const auto& each) {
      return std::find(kOfAll.begin(), kOfAll.end(), each.first) != kOfAll.end() &&
             std::all_of(nodes_.begin(), nodes_.end(), [&](const NodeRow& node) {
               const auto own = node.labels.find(each.first);
               return own != node.labels.end() && holds(each.second, std::string_view(own->second));
             });
    });
    return select;
  }

  // The keys of the taints of open nodes.
  const std::set<std::string_view>& set_taints() const {
    if (!set_taints_) {
      set_taints_.emplace();
      for (const NodeRow& node : nodes_) {
        if (node.is_closed) continue;
        for (const Taint& taint : node.taints) set_taints_->insert(taint.key);
      }
    }
    return *set_taints_;
  }

  // Rules of the same words are evaluated once.
  Result<std::size_t> rule_number(const PlacementRule& rule, const std::string& file) {
    const auto [known, is_new] = rule_numbers_.emplace(words_of(rule), rules_.size());
    if (!is_new) return known->second;
    if ((rules_.size() + 1) * nodes_.size() > kMostChecks) {
      return Error{.message = fmt::format("more than {} different rules of placement for {} nodes",
                                          rules_.size(), nodes_.size()),
                   .file = file};
    }
    inventory::Rule evaluated{
        .allowed = {}, .select = labels_to_keep(rule), .tolerates = tolerations_to_keep(rule)};
    for (const NodeRow& node : nodes_)
      evaluated.allowed.push_back(allows(rule, node.name, node.labels, node.taints));
    rules_.push_back(std::move(evaluated));
    return rules_.size() - 1;
  }

  // Has a node each resource that the caller wants to keep?
  Check check_resources() const {
    std::set<std::string_view> known;
    for (const NodeRow& node : nodes_) {
      for (const auto& [resource, units] : node.allocatable) known.insert(resource);
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    for (const std::string& resource : options_.resources) {
      if (!known.contains(resource)) {
        return Error{
            .message = fmt::format("no node has a resource '{}'{}", resource, known_names(resource, names)),
            .key = "--resource"};
      }
    }
    return {};
  }

  // CPU and memory; devices of any node; and what else a pod asks for, or the caller.
  void choose_resources() {
    std::set<std::string> others(options_.resources.begin(), options_.resources.end());
    for (const NodeRow& node : nodes_) {
      for (const auto& [resource, units] : node.allocatable) {
        if (units > 0 && is_extended(resource)) others.insert(resource);
      }
    }
    for (const Amounts& requests : requests_) {
      for (const auto& [resource, units] : requests) {
        if (resource != kPods) others.insert(resource);
      }
    }
    resources_ = {"cpu", "memory"};
    for (const std::string& resource : others) {
      if (resource != "cpu" && resource != "memory") resources_.push_back(resource);
    }
  }

  ResourceVector vector_of(const Amounts& amounts) const {
    ResourceVector vector;
    for (const std::string& resource : resources_) {
      const auto found = amounts.find(resource);
      vector.push_back(found == amounts.end() ? Quantity() : quantity_of(resource, found->second));
    }
    return vector;
  }

  Result<inventory::Description> describe() {
    // A node of the control plane counts while a pod runs there that its taint allows.
    std::vector<bool> is_used(nodes_.size(), false);
    for (const PodRow& pod : pods_) {
      if (pod.node.empty()) continue;
      const std::size_t node = node_numbers_.at(pod.node);
      if (rules_[pod.rule].allowed[node]) is_used[node] = true;
    }
    inventory::Inventory found{.resources = resources_,
                               .machines = {},
                               .rules = std::move(rules_),
                               .tasks = {},
                               .tolerance = options_.tolerance,
                               .name_label = "kubernetes.io/hostname",
                               .task_word = "pod",
                               .machine_word = "node"};
    for (const NodeRow& node : nodes_) {
      const bool is_closed = node.is_closed || (node.is_control_plane && !is_used[found.machines.size()]);
      found.machines.push_back({.name = node.name,
                                .capacity = vector_of(node.allocatable),
                                .labels = node.labels,
                                .taints = node.taints,
                                .kind = kind_of(node),
                                .is_closed = is_closed});
    }
    std::map<const Amounts*, ResourceVector> demands;
    for (const Amounts& requests : requests_) demands.emplace(&requests, vector_of(requests));
    for (const PodRow& pod : pods_) {
      inventory::Tasks tasks{
          .team = pod.team, .name = pod.name, .demand = demands.at(pod.requests), .rule = pod.rule};
      if (!pod.node.empty()) tasks.machine = node_numbers_.at(pod.node);
      found.tasks.push_back(std::move(tasks));
    }
    for (const auto& [space, quota] : quotas_) {
      std::vector<std::optional<Quantity>> limit(resources_.size());
      for (std::size_t r = 0; r < resources_.size(); ++r) {
        if (const auto hard = quota.find(resources_[r]); hard != quota.end())
          limit[r] = quantity_of(resources_[r], hard->second.least);
      }
      const bool any =
          std::any_of(limit.begin(), limit.end(), [](const auto& each) { return each.has_value(); });
      if (any) found.limits.emplace(space, std::move(limit));
    }
    return inventory::describe(found);
  }

  // Quotas of what no pod requests and no node has, and of namespaces without a pod.
  void find_quotas_without_limit(const Cluster& cluster) {
    std::set<std::string_view> teams;
    for (const auto& group : cluster.groups) teams.insert(group.name);
    for (const User& user : cluster.users) teams.insert(user.name);
    for (const auto& [space, quota] : quotas_) {
      for (const auto& [resource, hard] : quota) {
        const bool is_known = std::find(resources_.begin(), resources_.end(), resource) != resources_.end();
        const bool has_pods = teams.contains(space);
        if (is_known && has_pods) continue;
        Tally& tally = quotas_not_kept_[has_pods ? "quotas of resources that no pod asks for and no node has"
                                                 : "quotas of namespaces without a pod"];
        for (const std::string& shown : hard.shown) tally.add(shown);
      }
    }
  }

  ClusterImport finish(inventory::Description description) {
    find_quotas_without_limit(description.cluster);
    ClusterImport import{.cluster = std::move(description.cluster),
                         .nodes = {},
                         .provenance = {},
                         .notices = std::move(description.notices)};
    for (const std::vector<std::size_t>& machines : description.machines) {
      std::vector<std::string>& names = import.nodes.emplace_back();
      for (const std::size_t i : machines) names.push_back(nodes_[i].name);
    }
    import.provenance = {
        fmt::format("From {} nodes and {} pods of a Kubernetes cluster.", nodes_.size(),
                    static_cast<std::int64_t>(pods_.size()) + done_.count + system_.count + homeless_.count),
        options_.team_label.empty()
            ? "A user is a namespace, a task a pod that runs or waits. Its demand is what Kubernetes "
              "reserves for it."
            : fmt::format(
                  "A user is a value of the label {}, a task a pod that runs or waits. Its demand is what "
                  "Kubernetes reserves for it.",
                  options_.team_label),
        "Limits are not kept. What runs now is under `running`."};
    import.provenance.insert(import.provenance.end(), description.entries.begin(), description.entries.end());
    add_notices(import.notices);
    return import;
  }

  void add_notices(std::vector<std::string>& notices) const {
    const auto note = [&](const Tally& tally, std::string_view what) {
      if (tally.count > 0) notices.push_back(tally.notice(what, "pod"));
    };
    std::string amounts;
    for (const std::string& resource : resources_) {
      const auto taken = taken_.find(resource);
      if (taken != taken_.end() && taken->second > 0)
        amounts += fmt::format(", {} {}", resource, units_text(resource, taken->second));
    }
    note(system_,
         fmt::format("taken off the capacity of their nodes, daemon sets and static pods{}", amounts));
    note(crowded_, "daemon sets and static pods that request more than their node has");
    note(homeless_, "left out, daemon sets and static pods on no node that was read");
    note(done_, "left out, done");
    note(ending_, "counted, although they are ending");
    note(unknown_, "counted as waiting, on nodes that were not read");
    note(without_label_,
         fmt::format("without the label {}, and in the team of their namespace", options_.team_label));
    for (const auto& [words, tally] : quotas_not_kept_)
      notices.push_back(tally.notice(fmt::format("not kept, {}", words), "item"));
    for (const auto& [words, tally] : unsaid_) note(tally, fmt::format("not kept, {}", words));
    add_object_notices(notices);
  }

  void add_object_notices(std::vector<std::string>& notices) const {
    std::set<std::string_view> soft, left_out;
    for (const NodeRow& node : nodes_) {
      for (const Taint& taint : node.taints) {
        if (taint.effect == "PreferNoSchedule") soft.insert(taint.key);
      }
      for (const auto& [resource, units] : node.allocatable) {
        if (units > 0 && std::find(resources_.begin(), resources_.end(), resource) == resources_.end())
          left_out.insert(resource);
      }
    }
    const auto listed = [](const std::set<std::string_view>& names) {
      const std::vector<std::string_view> all(names.begin(), names.end());
      return first_names(all, kNamedInNotice);
    };
    if (!soft.empty())
      notices.push_back(fmt::format("not kept, taints with PreferNoSchedule: {}", listed(soft)));
    if (!left_out.empty()) {
      notices.push_back(fmt::format("left out, resources that no pod asks for (--resource keeps one): {}",
                                    listed(left_out)));
    }
    std::string kinds;
    for (const auto& [kind, count] : passed_over_)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
    if (!kinds.empty()) notices.push_back("passed over: " + kinds);
  }

  std::span<const ObjectText> texts_;
  const ClusterImportOptions& options_;
  std::vector<std::pair<Object, const std::string*>> objects_;  // with their file
  std::unordered_map<std::string, int> seen_;                   // with their line
  std::map<std::string, std::int64_t> passed_over_;             // by kind
  std::map<std::string, NodeLabels, std::less<>> namespace_labels_;
  std::vector<NodeRow> nodes_;
  std::map<std::string, std::size_t, std::less<>> node_numbers_;
  std::vector<PodRow> pods_;
  std::set<Amounts> requests_;                                 // of the pods, most of which have equal ones
  std::map<std::string, std::map<std::string, Hard>> quotas_;  // of namespaces
  std::map<std::string_view, Tally> quotas_not_kept_;          // by the reason
  bool has_pods_ = false;
  std::vector<inventory::Rule> rules_;
  mutable std::optional<std::set<std::string_view>> set_taints_;
  std::map<std::string, std::size_t> rule_numbers_;
  std::vector<std::string> resources_;
  Amounts taken_;  // by daemon sets and static pods
  Tally done_, ending_, unknown_, system_, homeless_, crowded_, without_label_;
  std::map<std::string_view, Tally> unsaid_;
};

}  // namespace

Result<ClusterImport> import_cluster(std::span<const ObjectText> texts, const ClusterImportOptions& options) {
  return ClusterImporter(texts, options).import();
}

}  // namespace mirab::kubernetes
