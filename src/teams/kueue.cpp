// Kueue's quotas, apis/kueue/v1beta2: clusterqueue_types.go, cohort_types.go, localqueue_types.go.
#include "teams/kueue.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string>

#include "model/exact.hpp"
#include "teams/objects.hpp"

namespace mirab::teams {
namespace {

using kubernetes::ObjectText;

constexpr std::string_view kKueue = "kueue.x-k8s.io";
constexpr std::string_view kKueuePrints =
    "`kubectl get clusterqueues,cohorts,localqueues,resourceflavors -A -o yaml` prints what is read";

// Kueue counts pods where a queue has a quota of them. Of any other resource a queue without a quota has
// none.
constexpr std::string_view kCountedPods = "pods";

/// A resource of a flavor.
struct Cell {
  std::string flavor;
  std::string resource;

  auto operator<=>(const Cell&) const = default;
};

struct CellQuota {
  mpq_class nominal = 0;
  std::optional<mpq_class> borrowing = {};  ///< without a value: no limit
  std::optional<mpq_class> lending = {};    ///< without a value: all
};

/// A cell of a cohort with its members.
struct CellTotal {
  mpq_class nominal = 0;
  mpq_class kept = 0;  ///< of it, what the queues below do not lend, or this one
  std::optional<mpq_class> most = 0;
};

/// A ClusterQueue or a Cohort.
struct Holder {
  const FoundObject* object;  ///< nothing of a cohort that is only named
  std::string name;
  std::optional<std::size_t> cohort = {};
  std::vector<std::size_t> members = {};
  mpq_class weight = 1;
  std::map<Cell, CellQuota> quotas = {};
  bool is_cohort = false;
  bool is_held = false;
  FilePosition position = {};
  std::vector<std::string> namespaces = {};
};

class KueueImport {
 public:
  explicit KueueImport(std::span<const ObjectText> texts) : texts_(texts), objects_(all_objects(texts)) {}

  Result<ImportedTeams> import() {
    for (const FoundObject& found : objects_) {
      if (Check wrong = read(found)) return *std::move(wrong);
    }
    if (queues_.empty()) return no_queues(texts_, objects_, kKueuePrints);
    for (const FoundObject* each : local_queues_) {
      if (Check wrong = assign(*each)) return *std::move(wrong);
    }
    name_flavors();
    name_queues_without_namespaces();
    std::vector<Group> groups;
    for (const Holder& holder : holders_) groups.push_back(group(holder));
    // Parents that are not there and cycles of cohorts are found before anything is summed.
    if (const Result<ImportedTeams> tree = arrange("namespaces", groups, {}); !tree) return tree;
    for (std::size_t h = 0; h < holders_.size(); ++h) {
      if (!holders_[h].cohort) sum(h);
    }
    for (std::size_t h = 0; h < holders_.size(); ++h) set_quotas(h, groups[h]);
    Result<ImportedTeams> teams = arrange("namespaces", std::move(groups), std::move(not_kept_));
    if (!teams) return teams;
    teams->provenance = {
        "From the ClusterQueues of Kueue. A guarantee is the nominal quota, summed over flavors; a limit "
        "adds what "
        "may be borrowed; what is not lent is reserved.",
        "As in Kueue, a queue without a cohort and a tree of cohorts get no more than their quotas, even "
        "where the "
        "nodes have more: take the limits of the outermost groups away to divide all that there is."};
    return teams;
  }

 private:
  Check read(const FoundObject& found) {
    const bool is_queue = found.is("ClusterQueue", kKueue), is_cohort = found.is("Cohort", kKueue);
    if (is_queue || is_cohort) {
      if (Check wrong = check_named(found)) return wrong;
      return is_queue ? read_queue(found) : read_cohort(found);
    }
    if (found.is("LocalQueue", kKueue)) {
      if (Check wrong = check_named(found)) return wrong;
      local_queues_.push_back(&found);
    } else if (found.is("ResourceFlavor", kKueue)) {
      flavors_[found.name()] = &found;
    } else {
      leave_out(found, not_kept_);
    }
    return {};
  }

  Check read_queue(const FoundObject& found) {
    if (const Node* old = found.at("/spec/resources"))
      return Error{.message = "belongs to a version before v1beta1, which is not read",
                   .key = found.object.key("spec.resources"),
                   .file = *found.file,
                   .line = old->line};
    const auto [known, is_new] = queues_.emplace(found.name(), holders_.size());
    if (!is_new)
      return error_at(found.position("/metadata/name"),
                      fmt::format("a second ClusterQueue '{}'", found.name()));
    const std::size_t place = holders_.size();
    holders_.push_back({.object = &found, .name = found.name()});
    if (Check wrong = read_holder(found, place, {"cohortName", "cohort"})) return wrong;
    const std::string stop = found.text_at("/spec/stopPolicy");
    holders_[place].is_held = stop == "Hold" || stop == "HoldAndDrain";
    if (!holders_[place].is_held && !stop.empty() && stop != "None")
      return error_at(found.position("/spec/stopPolicy"), "must be None, Hold or HoldAndDrain");
    if (stop == "HoldAndDrain")
      not_kept_.add("not kept, that HoldAndDrain ends what runs", "queue", found.name());
    static constexpr std::array<std::string_view, 6> kKept = {"resourceGroups", "cohort",     "cohortName",
                                                              "fairSharing",    "stopPolicy", "preemption"};
    static constexpr std::array<OwnValue, 1> kOwn = {{{"queueingStrategy", "BestEffortFIFO"}}};
    name_other_keys(found.at("/spec"), "", kKept, kOwn, "queue", found.name(), not_kept_);
    name_preemption(found);
    return {};
  }

  Check read_cohort(const FoundObject& found) {
    const std::size_t place = cohort(found.name());
    if (holders_[place].object != nullptr)
      return error_at(found.position("/metadata/name"), fmt::format("a second Cohort '{}'", found.name()));
    holders_[place].object = &found;
    if (Check wrong = read_holder(found, place, {"parentName", "parent"})) return wrong;
    static constexpr std::array<std::string_view, 4> kKept = {"resourceGroups", "parent", "parentName",
                                                              "fairSharing"};
    name_other_keys(found.at("/spec"), "", kKept, {}, "cohort", found.name(), not_kept_);
    return {};
  }

  /// What ClusterQueues and Cohorts have both: quotas, a weight and a cohort around them, under either name.
  Check read_holder(const FoundObject& found, std::size_t place,
                    std::array<std::string_view, 2> cohort_keys) {
    holders_[place].position = found.position("/metadata/name");
    for (const std::string_view key : cohort_keys) {
      const std::string pointer = fmt::format("/spec/{}", key);
      const std::string name = found.text_at(pointer);
      if (name.empty()) continue;
      holders_[place].position = found.position(pointer);
      if (!kubernetes::is_name(name)) return error_at(found.position(pointer), kubernetes::kNotAName);
      const std::size_t parent = cohort(name);
      holders_[place].cohort = parent;
      holders_[parent].members.push_back(place);
      break;
    }
    FieldReader fields(*found.file);
    if (const Node* weight = found.at("/spec/fairSharing/weight"))
      holders_[place].weight = rational(fields.amount(*weight, found.object.key("spec.fairSharing.weight")));
    if (const Node* groups = found.at("/spec/resourceGroups"))
      read_groups(fields, *groups, found.object.key("spec.resourceGroups"), holders_[place]);
    return fields.error();
  }

  void read_groups(FieldReader& fields, const Node& groups, const std::string& key, Holder& holder) {
    std::size_t g = 0;
    for (const Node::Entry& group : fields.list(groups, key)) {
      const std::string flavors_key = fmt::format("{}[{}].flavors", key, g++);
      const Node* const flavors = group.value.find("flavors");
      if (flavors == nullptr) return fields.fail(flavors_key, "missing", group.value.line);
      std::size_t f = 0;
      for (const Node::Entry& flavor : fields.list(*flavors, flavors_key)) {
        const std::string flavor_key = fmt::format("{}[{}]", flavors_key, f++);
        const std::string name =
            fields.text(fields.required(flavor.value, flavor_key, "name"), flavor_key + ".name");
        const std::string resources_key = flavor_key + ".resources";
        const Node& resources = fields.required(flavor.value, flavor_key, "resources");
        if (fields.failed()) return;
        std::size_t r = 0;
        for (const Node::Entry& resource : fields.list(resources, resources_key)) {
          read_quota(fields, resource.value, fmt::format("{}[{}]", resources_key, r++), name, holder);
          if (fields.failed()) return;
        }
      }
    }
  }

  void read_quota(FieldReader& fields, const Node& node, const std::string& key, const std::string& flavor,
                  Holder& holder) {
    const std::string resource = fields.text(fields.required(node, key, "name"), key + ".name");
    CellQuota quota;
    const auto limit = [&](const char* name) -> std::optional<mpq_class> {
      const Node* const value = node.find(name);
      if (value == nullptr || value->kind == Node::Kind::null) return {};
      return rational(fields.amount(*value, fmt::format("{}.{}", key, name)));
    };
    quota.nominal =
        rational(fields.amount(fields.required(node, key, "nominalQuota"), key + ".nominalQuota"));
    quota.borrowing = limit("borrowingLimit");
    quota.lending = limit("lendingLimit");
    if (fields.failed()) return;
    resources_[resource].insert(flavor);
    if (!holder.quotas.emplace(Cell{.flavor = flavor, .resource = resource}, quota).second)
      fields.fail(key, fmt::format("a second quota of {} in the flavor '{}'", resource, flavor), node.line);
  }

  std::size_t cohort(const std::string& name) {
    const auto [known, is_new] = cohorts_.emplace(name, holders_.size());
    if (is_new) holders_.push_back({.object = nullptr, .name = name, .is_cohort = true});
    return known->second;
  }

  /// A namespace belongs to one queue: that of its LocalQueue `default`, or else of the first.
  Check assign(const FoundObject& local) {
    const std::string space = local.space();
    if (space.empty()) return error_at(local.position("/metadata/namespace"), "missing");
    const std::string name = fmt::format("{}/{}", space, local.name());
    const std::string queue = local.text_at("/spec/clusterQueue");
    static constexpr std::array<std::string_view, 2> kKept = {"clusterQueue", "stopPolicy"};
    name_other_keys(local.at("/spec"), "", kKept, {}, "LocalQueue", name, not_kept_);
    if (const std::string stop = local.text_at("/spec/stopPolicy"); !stop.empty() && stop != "None")
      not_kept_.add(fmt::format("not kept, stopPolicy {}", stop), "LocalQueue", name);
    const auto found = queues_.find(queue);
    if (found == queues_.end()) {
      not_kept_.add(fmt::format("left out, of a ClusterQueue '{}' that is not there", queue), "LocalQueue",
                    name);
      return {};
    }
    const auto [own, is_new] = queue_of_.emplace(space, found->second);
    if (is_new) {
      holders_[found->second].namespaces.push_back(space);
    } else if (own->second != found->second) {
      std::string other = queue;
      if (local.name() == "default") {
        other = holders_[own->second].name;
        std::erase(holders_[own->second].namespaces, space);
        holders_[found->second].namespaces.push_back(space);
        own->second = found->second;
      }
      not_kept_.add(fmt::format("not kept, a second queue '{}' of one namespace", other), "namespace", space);
    }
    return {};
  }

  void name_preemption(const FoundObject& found) {
    const Node* const rules = found.at("/spec/preemption");
    if (rules == nullptr) return;
    const bool is_any =
        std::any_of(rules->entries.begin(), rules->entries.end(), [](const Node::Entry& each) {
          const Node* const policy =
              each.value.kind == Node::Kind::map ? each.value.find("policy") : &each.value;
          return policy != nullptr && policy->text != "Never";
        });
    if (is_any) not_kept_.add("not kept, preemption", "queue", found.name());
  }

  /// A sum over flavors lets a team have all of it in any flavor.
  void name_flavors() {
    std::map<std::set<std::string>, std::vector<std::string>> summed;
    for (const auto& [resource, flavors] : resources_) {
      if (flavors.size() > 1) summed[flavors].push_back(resource);
    }
    for (const auto& [flavors, resources] : summed) {
      not_kept_.say(
          fmt::format("summed over the flavors {}: {}; a quota holds for any of these nodes. Where they "
                      "differ, as GPUs of two "
                      "models do, give each a resource name of its own, or divide by ps-dsf",
                      fmt::join(flavors, ", "), fmt::join(resources, ", ")));
    }
    for (const auto& [name, flavor] : flavors_) {
      for (const char* key : {"nodeLabels", "nodeTaints", "tolerations", "topologyName"}) {
        if (flavor->at(fmt::format("/spec/{}", key)) != nullptr)
          not_kept_.add(fmt::format("not kept, {}", key), "flavor", name);
      }
    }
  }

  void name_queues_without_namespaces() {
    for (const auto& [name, place] : queues_) {
      if (holders_[place].namespaces.empty())
        not_kept_.add("without a namespace, since no LocalQueue names it", "queue", name);
    }
  }

  /// Without quotas.
  Group group(const Holder& holder) const {
    Group group{.id = id(holder),
                .name = holder.name,
                .kind = holder.is_cohort ? "cohort" : "queue",
                .parent = {},
                .position = holder.position,
                .weight = holder.weight,
                .is_closed = holder.is_held,
                .members = holder.namespaces};
    if (holder.cohort) group.parent = id(holders_[*holder.cohort]);
    return group;
  }

  static std::string id(const Holder& holder) {
    return fmt::format("{}/{}", holder.is_cohort ? "Cohort" : "ClusterQueue", holder.name);
  }

  /// The cells of a holder with those below it: what they have, keep, and may have.
  const std::map<Cell, CellTotal>& sum(std::size_t h) {
    const Holder& holder = holders_[h];
    std::map<Cell, CellTotal> totals;
    for (const std::size_t member : holder.members) {
      for (const auto& [cell, below] : sum(member)) {
        CellTotal& total = totals[cell];
        total.nominal += below.nominal;
        total.kept += below.kept;
      }
    }
    for (const auto& [cell, quota] : holder.quotas) totals[cell].nominal += quota.nominal;
    for (auto& [cell, total] : totals) {
      const auto own = holder.quotas.find(cell);
      const CellQuota quota = own == holder.quotas.end() ? CellQuota{} : own->second;
      const mpq_class lendable = total.nominal - total.kept;
      if (quota.lending && *quota.lending < lendable) total.kept += lendable - *quota.lending;
      total.most = total.nominal;
      if (holder.cohort && quota.borrowing) *total.most += *quota.borrowing;
      if (holder.cohort && !quota.borrowing) total.most.reset();
    }
    return totals_[h] = std::move(totals);
  }

  void set_quotas(std::size_t h, Group& group) const {
    const Holder& holder = holders_[h];
    const bool has_held = std::any_of(holder.members.begin(), holder.members.end(),
                                      [&](std::size_t member) { return holders_[member].is_held; });
    std::set<std::string> without_limit;
    for (const auto& [cell, total] : totals_.at(h)) {
      // A cohort has what its members have, unless it adds something, or a queue that is held lends it.
      if (!holder.is_cohort || !holder.quotas.empty() || has_held)
        group.guarantee.amounts[cell.resource] += total.nominal;
      if (total.kept > 0) group.reserved.amounts[cell.resource] += total.kept;
      if (!total.most) without_limit.insert(cell.resource);
      group.limit.amounts[cell.resource] += total.most.value_or(0);
    }
    for (const std::string& resource : without_limit) group.limit.amounts.erase(resource);
    if (holder.is_cohort) return;
    for (const auto& [resource, flavors] : resources_) {
      const bool has_quota =
          std::any_of(holder.quotas.begin(), holder.quotas.end(),
                      [&own = resource](const auto& each) { return each.first.resource == own; });
      if (!has_quota && resource != kCountedPods) group.limit.amounts[resource] = 0;
    }
  }

  std::span<const ObjectText> texts_;
  std::vector<FoundObject> objects_;
  std::vector<Holder> holders_ = {};
  std::map<std::string, std::size_t> queues_ = {}, cohorts_ = {};  // by name
  std::map<std::string, std::size_t> queue_of_ = {};               // of a namespace
  std::map<std::string, std::set<std::string>> resources_ = {};    // with their flavors
  std::map<std::string, const FoundObject*> flavors_ = {};
  std::vector<const FoundObject*> local_queues_ = {};
  std::map<std::size_t, std::map<Cell, CellTotal>> totals_ = {};
  NotKept not_kept_ = {};
};

}  // namespace

Result<ImportedTeams> import_kueue(std::span<const ObjectText> texts) { return KueueImport(texts).import(); }

}  // namespace mirab::teams
