// YuniKorn's queues: https://yunikorn.apache.org/docs/user_guide/queue_config
#include "teams/yunikorn.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <string>

#include "model/names.hpp"
#include "teams/objects.hpp"

namespace mirab::teams {
namespace {

using kubernetes::ObjectText;

constexpr std::string_view kYunikornPrints =
    "a queues.yaml has `partitions`, and `kubectl get configmap yunikorn-configs -n yunikorn -o yaml` prints "
    "one";

/// A queues.yaml.
struct QueuesText {
  std::string file;
  const Node* root;
};

/// A queue, by its path without the root: `tenants.batch`.
struct Queue {
  std::string path;
  std::string name;
  bool is_leaf;
};

class YunikornImport {
 public:
  explicit YunikornImport(std::span<const ObjectText> texts) : texts_(texts) {}

  Result<ImportedTeams> import() {
    Result<QueuesText> text = find_text();
    if (!text) return std::move(text).error();
    FieldReader fields(text->file);
    read(fields, *text->root);
    if (fields.failed()) return *fields.error();
    if (groups_.empty())
      return Error{.message = fmt::format("there is no queue below root; {}", kYunikornPrints),
                   .file = text->file};
    name_groups();
    place_namespaces();
    Result<ImportedTeams> teams = arrange("namespaces", std::move(groups_), std::move(not_kept_));
    if (!teams) return teams;
    teams->provenance = {
        "From the queues of YuniKorn. A guarantee is `resources.guaranteed`, a limit `resources.max`; vcore "
        "is cpu.",
        "YuniKorn has no weights: where queues beside each other borrow, it compares them by what they are "
        "guaranteed. Here they are alike, with a weight of 1."};
    return teams;
  }

 private:
  /// The text itself, or what a ConfigMap holds; of several, that of `yunikorn-configs`, which overrides the
  /// defaults.
  Result<QueuesText> find_text() {
    std::optional<QueuesText> found;
    for (const ObjectText& text : texts_) {
      for (const Node& document : text.documents) {
        if (document.find("partitions") == nullptr) continue;
        if (found)
          return Error{
              .message = "a second text with `partitions`; give one", .key = "partitions", .file = text.file};
        found = QueuesText{.file = text.file, .root = &document};
      }
    }
    if (found) return *std::move(found);
    const std::vector<FoundObject> objects = all_objects(texts_);
    const FoundObject* map = nullptr;
    for (const FoundObject& each : objects) {
      const bool holds_queues = each.object.kind == "ConfigMap" && each.at("/data/queues.yaml") != nullptr;
      if (holds_queues && (map == nullptr || each.name() == "yunikorn-configs")) map = &each;
    }
    if (map == nullptr) return no_queues(texts_, objects, kYunikornPrints);
    const Node& value = *map->at("/data/queues.yaml");
    const std::string file = fmt::format("{}, {} of the ConfigMap on line {}", *map->file,
                                         map->object.key("data.queues.yaml"), map->object.root->line);
    Result<Node> document = read_document(value.text, Syntax::yaml, file);
    if (!document) return std::move(document).error();
    inner_ = *std::move(document);
    return QueuesText{.file = file, .root = &inner_};
  }

  void read(FieldReader& fields, const Node& root) {
    if (!fields.expect_map(root, "")) return;
    const std::vector<Node::Entry>& partitions =
        fields.list(fields.required(root, "", "partitions"), "partitions");
    if (fields.failed()) return;
    if (partitions.empty()) return fields.fail("partitions", "must have a partition", root.line);
    if (partitions.size() > 1)
      return fields.fail("partitions[1]",
                         "a second partition: its nodes are another cluster. Give one at a time",
                         partitions[1].value.line);
    const Node& partition = partitions[0].value;
    if (!fields.expect_map(partition, "partitions[0]")) return;
    static constexpr std::array<std::string_view, 3> kKept = {"name", "queues", "placementrules"};
    name_other_keys(&partition, "", kKept, {}, "partition", "default", not_kept_);
    if (const Node* queues = partition.find("queues"))
      read_queues(fields, *queues, "partitions[0].queues", "");
    if (const Node* rules = partition.find("placementrules"))
      read_rules(fields, *rules, "partitions[0].placementrules");
  }

  void read_queues(FieldReader& fields, const Node& queues, const std::string& key,
                   const std::string& above) {
    if (queues.kind == Node::Kind::null) return;
    std::size_t q = 0;
    for (const Node::Entry& entry : fields.list(queues, key)) {
      const std::string queue_key = fmt::format("{}[{}]", key, q++);
      if (fields.failed() || !fields.expect_map(entry.value, queue_key)) return;
      const std::string name =
          lower_case(fields.text(fields.required(entry.value, queue_key, "name"), queue_key + ".name"));
      if (fields.failed()) return;
      if (name.empty() || name.find('.') != std::string::npos)
        return fields.fail(queue_key + ".name", "must be a name without a point", entry.value.line);
      // A list without root stands below it.
      const bool is_root = above.empty() && name == "root";
      const std::string path = above.empty() || is_root ? name : fmt::format("{}.{}", above, name);
      if (!is_root) read_queue(fields, entry.value, queue_key, path, above);
      if (const Node* below = entry.value.find("queues"))
        read_queues(fields, *below, queue_key + ".queues", is_root ? "" : path);
    }
  }

  void read_queue(FieldReader& fields, const Node& node, const std::string& key, const std::string& path,
                  const std::string& above) {
    Group group{.id = path,
                .name = path,
                .kind = "queue",
                .position = {.key = key + ".name", .file = fields.file(), .line = node.line}};
    if (!above.empty()) group.parent = above;
    if (const Node* resources = node.find("resources"); resources != nullptr &&
                                                        resources->kind != Node::Kind::null &&
                                                        fields.expect_map(*resources, key + ".resources")) {
      group.guarantee.amounts = amounts(fields, *resources, key, "guaranteed");
      group.limit.amounts = amounts(fields, *resources, key, "max");
    }
    const Node* const below = node.find("queues");
    const Node* const parent = node.find("parent");
    const bool is_leaf =
        (below == nullptr || below->entries.empty()) && (parent == nullptr || parent->text != "true");
    queues_.push_back({.path = path, .name = path.substr(path.rfind('.') + 1), .is_leaf = is_leaf});
    groups_.push_back(std::move(group));
    static constexpr std::array<std::string_view, 5> kKept = {"name", "parent", "queues", "resources",
                                                              "properties"};
    name_other_keys(&node, "", kKept, {}, "queue", path, not_kept_);
    name_other_keys(node.find("properties"), "", {}, {}, "queue", path, not_kept_);
  }

  static Amounts amounts(FieldReader& fields, const Node& resources, const std::string& key,
                         const char* name) {
    Amounts read = read_amounts(fields, resources.find(name), fmt::format("{}.resources.{}", key, name));
    if (auto cores = read.extract("vcore"); !cores.empty()) {
      cores.key() = "cpu";
      read.insert(std::move(cores));
    }
    return read;
  }

  /// The first rule that takes the queue from the namespace says below which queue that is.
  void read_rules(FieldReader& fields, const Node& rules, const std::string& key) {
    if (rules.kind == Node::Kind::null) return;
    std::size_t r = 0;
    for (const Node::Entry& entry : fields.list(rules, key)) {
      const std::string rule_key = fmt::format("{}[{}]", key, r++);
      if (fields.failed() || !fields.expect_map(entry.value, rule_key)) return;
      const std::string name =
          fields.text(fields.required(entry.value, rule_key, "name"), rule_key + ".name");
      const Node* const value = entry.value.find("value");
      const bool is_namespace = name == "tag" && value != nullptr && value->text == "namespace";
      std::optional<std::string> parent = std::string();
      if (const Node* rule = entry.value.find("parent")) parent = fixed_path(*rule);
      if (!is_namespace || !parent || namespaces_below_) {
        not_kept_.add("not kept", "placement rule", fmt::format("{} ({})", printable(name), rule_key));
        continue;
      }
      namespaces_below_ = parent;
      if (entry.value.find("filter") != nullptr)
        not_kept_.add("not kept, filter", "placement rule",
                      fmt::format("{} ({})", printable(name), rule_key));
      const Node* const creates = entry.value.find("create");
      if (creates != nullptr && creates->text == "true")
        not_kept_.say(
            fmt::format("not kept: YuniKorn makes a queue below {} for each namespace that has none here; "
                        "such a namespace "
                        "stands outside the groups",
                        parent->empty() ? "root" : *parent));
    }
  }

  /// `root.tenants` of a chain of fixed rules is `tenants`; nothing where a rule is not fixed.
  static std::optional<std::string> fixed_path(const Node& rule) {
    const Node *name = rule.find("name"), *value = rule.find("value"), *parent = rule.find("parent");
    if (name == nullptr || name->text != "fixed" || value == nullptr) return {};
    std::string path = lower_case(value->text);
    if (path == "root") return std::string();
    if (path.starts_with("root.")) return path.substr(5);
    if (parent == nullptr) return path;
    const std::optional<std::string> above = fixed_path(*parent);
    if (!above) return {};
    return above->empty() ? path : fmt::format("{}.{}", *above, path);
  }

  /// The last part of its path where no other queue has it.
  void name_groups() {
    std::map<std::string, int> known;
    for (const Queue& queue : queues_) ++known[queue.name];
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      if (known[queues_[q].name] == 1) groups_[q].name = queues_[q].name;
    }
  }

  void place_namespaces() {
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      const Queue& queue = queues_[q];
      if (!queue.is_leaf) continue;
      const bool is_below = namespaces_below_ && groups_[q].parent.value_or("") == *namespaces_below_;
      if (is_below) {
        groups_[q].members = {queue.name};
      } else {
        not_kept_.add(
            "without a namespace, since no placement rule takes it from there: write its namespaces in",
            "queue", queue.path);
      }
    }
  }

  std::span<const ObjectText> texts_;
  Node inner_ = {};
  std::vector<Queue> queues_ = {};  // as groups_
  std::vector<Group> groups_ = {};
  std::optional<std::string> namespaces_below_ = {};  // the path of a queue; empty: the root
  NotKept not_kept_ = {};
};

}  // namespace

Result<ImportedTeams> import_yunikorn(std::span<const ObjectText> texts) {
  return YunikornImport(texts).import();
}

}  // namespace mirab::teams
