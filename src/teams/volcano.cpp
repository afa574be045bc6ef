// Volcano's queues, staging/src/volcano.sh/apis/pkg/apis/scheduling/v1beta1/types.go.
#include "teams/volcano.hpp"

#include <array>
#include <fmt/format.h>
#include <set>
#include <string>

#include "model/exact.hpp"
#include "teams/objects.hpp"

namespace mirab::teams {
namespace {

using kubernetes::ObjectText;

constexpr std::string_view kVolcano = "scheduling.volcano.sh";
constexpr std::string_view kVolcanoPrints =
    "`kubectl get queues.scheduling.volcano.sh,namespaces -o yaml` prints what is read";
constexpr std::string_view kVolcanoRoot = "root";
constexpr std::string_view kVolcanoDefault = "default";  // of pods that name no queue

class VolcanoImport {
 public:
  explicit VolcanoImport(std::span<const ObjectText> texts) : texts_(texts), objects_(all_objects(texts)) {}

  Result<ImportedTeams> import() {
    std::size_t queues = 0;
    for (const FoundObject& found : objects_) {
      if (found.is("Queue", kVolcano)) {
        ++queues;
        if (Check wrong = read_queue(found)) return *std::move(wrong);
      } else if (found.object.kind != "Namespace") {
        leave_out(found, not_kept_);
      }
    }
    if (queues == 0) return no_queues(texts_, objects_, kVolcanoPrints);
    if (groups_.empty())
      return Error{.message = fmt::format("there is no queue but root; {}", kVolcanoPrints),
                   .file = texts_.front().file};
    for (const FoundObject& found : objects_) {
      if (found.object.kind != "Namespace") continue;
      if (Check wrong = check_named(found)) return *std::move(wrong);
      assign(found);
    }
    name_queues_without_members();
    Result<ImportedTeams> teams = arrange("namespaces", std::move(groups_), std::move(not_kept_));
    if (!teams) return teams;
    teams->provenance = {
        "From the Queues of Volcano. A guarantee is `deserved`, and at least `guarantee`, which is reserved; "
        "a limit "
        "is `capability`."};
    return teams;
  }

 private:
  Check read_queue(const FoundObject& found) {
    if (Check wrong = check_named(found)) return wrong;
    static constexpr std::array<std::string_view, 5> kKept = {"weight", "capability", "deserved", "guarantee",
                                                              "parent"};
    static constexpr std::array<OwnValue, 5> kOwn = {{{"reclaimable", "true"},
                                                      {"dequeueStrategy", "traverse"},
                                                      {"priority", "0"},
                                                      {"state", "Open"},
                                                      {"type", ""}}};
    if (found.name() == kVolcanoRoot) {
      if (found.at("/spec/capability") != nullptr || found.at("/spec/deserved") != nullptr)
        not_kept_.say(
            "not kept, amounts of the queue root: that is the cluster, which has what its nodes have");
      return {};
    }
    name_other_keys(found.at("/spec"), "", kKept, kOwn, "queue", found.name(), not_kept_);
    for (const char* key : {"volcano.sh/hierarchy", "volcano.sh/hierarchy-weights"}) {
      const Node* const annotations = found.at("/metadata/annotations");
      if (annotations != nullptr && annotations->find(key) != nullptr)
        not_kept_.add(fmt::format("not kept, the annotation {}", key), "queue", found.name());
    }
    FieldReader fields(*found.file);
    const auto key = [&](const char* within) { return found.object.key(within); };
    Group group{.id = found.name(),
                .name = found.name(),
                .kind = "queue",
                .parent = {},
                .position = found.position("/metadata/name")};
    const std::string parent = found.text_at("/spec/parent");
    if (!parent.empty() && parent != kVolcanoRoot) {
      group.parent = parent;
      group.position = found.position("/spec/parent");
    }
    if (const Node* weight = found.at("/spec/weight"))
      group.weight = rational(fields.amount(*weight, key("spec.weight")));
    group.limit.amounts = read_amounts(fields, found.at("/spec/capability"), key("spec.capability"));
    group.reserved.amounts =
        read_amounts(fields, found.at("/spec/guarantee/resource"), key("spec.guarantee.resource"));
    group.guarantee.amounts = read_amounts(fields, found.at("/spec/deserved"), key("spec.deserved"));
    for (const auto& [resource, amount] : group.reserved.amounts) {
      mpq_class& guaranteed = group.guarantee.amounts[resource];
      if (guaranteed < amount) guaranteed = amount;
    }
    const std::string state = found.text_at("/status/state");
    group.is_closed = state == "Closed" || state == "Closing";
    groups_.push_back(std::move(group));
    places_.emplace(found.name(), groups_.size() - 1);
    return fields.error();
  }

  /// A namespace that names no queue has those of its pods: by themselves the queue `default`.
  void assign(const FoundObject& space) {
    has_namespaces_ = true;
    const Node* const annotations = space.at("/metadata/annotations");
    const Node* const named =
        annotations == nullptr ? nullptr : annotations->find("scheduling.volcano.sh/queue-name");
    const std::string queue = named == nullptr ? std::string(kVolcanoDefault) : named->text;
    const auto found = places_.find(queue);
    if (found != places_.end()) {
      groups_[found->second].members.push_back(space.name());
    } else if (named != nullptr) {
      not_kept_.add(fmt::format("left out, of a queue '{}' that is not there", queue), "namespace",
                    space.name());
    }
  }

  void name_queues_without_members() {
    if (!has_namespaces_)
      not_kept_.say(
          "no queue has a namespace, since none was read: kubectl get namespaces -o yaml prints them, with "
          "the "
          "annotation scheduling.volcano.sh/queue-name");
    std::set<std::string> parents;
    for (const Group& group : groups_) {
      if (group.parent) parents.insert(*group.parent);
    }
    for (const Group& group : groups_) {
      if (group.members.empty() && !parents.contains(group.id))
        not_kept_.add("without a namespace: write its namespaces in", "queue", group.name);
    }
  }

  std::span<const ObjectText> texts_;
  std::vector<FoundObject> objects_;
  std::vector<Group> groups_ = {};
  std::map<std::string, std::size_t> places_ = {};  // of queues by name
  bool has_namespaces_ = false;
  NotKept not_kept_ = {};
};

}  // namespace

Result<ImportedTeams> import_volcano(std::span<const ObjectText> texts) {
  return VolcanoImport(texts).import();
}

}  // namespace mirab::teams
