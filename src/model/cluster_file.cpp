// The cluster file (docs/reference/cluster-file.md), read to a Problem key by key. What can be wrong with a
// cluster as such is for Problem::from to say; this file says what is wrong with its text, and adds the
// lines.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <gmpxx.h>
#include <map>
#include <optional>
#include <set>

#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/model/cluster_file.hpp>

#include "model/document.hpp"
#include "model/exact.hpp"
#include "model/field_reader.hpp"
#include "model/names.hpp"
#include "model/quotas.hpp"
#include "model/teams_file.hpp"
#include "model/yaml_text.hpp"

namespace mirab {

namespace {

// What a group of any file has.
constexpr std::array<std::string_view, 6> kGroupKeys = {"name",  "weight",   "guarantee",
                                                        "limit", "reserved", "groups"};

// Does the problem get what the file says is running?
enum class OwnRunning { kept, left_out };

// Does the text read like the pattern, in which a `*` stands for any text? O(pattern × text).
bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t next = pattern.find('*'); next != std::string_view::npos; next = pattern.find('*')) {
    const std::size_t at = text.find(pattern.substr(0, next));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + next);
    pattern.remove_prefix(next + 1);
  }
  return text.ends_with(pattern);
}

/// A name in a list of a group's members.
struct MemberName {
  std::string name;
  std::size_t group;
  std::string key;
  int line;

  bool is_pattern() const { return name.find('*') != std::string::npos; }
};

// Reads one document.
class ClusterReader : FieldReader {
 public:
  ClusterReader(const Node& root, std::string file) : FieldReader(std::move(file)), root_(root) {}

  Result<Problem> read(OwnRunning running) {
    read_cluster();
    if (failed()) return *error();
    if (running == OwnRunning::left_out) cluster_.running.reset();
    Result<Problem> problem = Problem::from(std::move(cluster_));
    if (Check wrong = blamed(problem)) return *std::move(wrong);
    return problem;
  }

  /// The groups of a teams file; resources and servers are the cluster's. With `absent` a name that no member
  /// has is none of the file's errors but is added there, and groups without a member are left out.
  Result<Teams> read_teams(const Problem& cluster, std::span<const std::string> members,
                           std::string_view members_key, std::vector<std::string>* absent) {
    static constexpr std::array<std::string_view, 2> kKeys = {"version", "groups"};
    cluster_.resources = cluster.resources();
    cluster_.servers = cluster.servers();
    members_key_ = members_key;
    if (expect_map(root_, "", kKeys)) read_groups(required(root_, "", "groups"), "groups", {});
    Teams teams{.groups = {}, .group_of = std::vector<std::optional<std::size_t>>(members.size())};
    if (!failed()) assign(members, teams, absent);
    if (failed()) return *error();
    if (absent != nullptr) keep_groups_with_members(teams);
    if (Check bad = check_teams(cluster, members, teams)) return *std::move(bad);
    teams.groups = std::move(cluster_.groups);
    for (const std::string& key : group_keys_)
      teams.positions.push_back({.key = key, .file = file(), .line = line_of(root_, key)});
    return teams;
  }

  /// The groups of a live cluster's teams file, and the names of their members.
  Result<std::vector<Group>> read_live_teams(std::vector<std::string> resources, ResourceVector capacity,
                                             std::string_view members_key) {
    static constexpr std::array<std::string_view, 2> kKeys = {"version", "groups"};
    cluster_.resources = std::move(resources);
    cluster_.servers = {{.name = "all", .capacity = std::move(capacity)}};
    members_key_ = members_key;
    if (expect_map(root_, "", kKeys)) read_groups(required(root_, "", "groups"), "groups", {});
    if (failed()) return *error();
    return cluster_.groups;
  }

  /// What of those groups is wrong whatever the capacity, where `read_live_teams` took 100.
  Check check_live_teams() {
    std::map<std::string_view, std::size_t> groups;
    for (const MemberName& each : member_names_) {
      const auto [own, is_new] = groups.emplace(each.name, each.group);
      if (is_new) continue;
      const std::string_view kind = members_key_.substr(0, members_key_.size() - 1);
      fail(each.key,
           fmt::format("the {} '{}' is already in the group '{}'", kind, each.name,
                       cluster_.groups[own->second].name),
           each.line);
      return error();
    }
    Cluster cluster = cluster_;
    if (has_amounts_) {  // so much that no sum of guarantees is more
      for (Quantity& amount : cluster.servers[0].capacity) amount = Quantity(4'000'000'000'000'000'000);
    }
    for (Group& group : cluster.groups) {
      // Which is more is not known before the capacity is.
      if (has_parts_ && has_amounts_) group.quota = {};
      // A group of the file may be without members, and a problem's may not.
      cluster.users.push_back({.name = fmt::format("member {} of {}", cluster.users.size(), group.name),
                               .demand = ResourceVector(cluster.resources.size(), Quantity(1)),
                               .group = group.name});
    }
    if (cluster.groups.empty()) {
      fail("groups", "must have at least one group", root_.line);
      return error();
    }
    const QuotaUnit unit = has_amounts_ ? QuotaUnit::amount : QuotaUnit::percent;
    Cluster without_quotas = cluster;
    for (Group& group : without_quotas.groups) group.quota = {};
    if (unit == QuotaUnit::percent) {
      for (std::string& each : without_quotas.resources) {
        if (each.empty()) each = "a resource without a name";  // which stands for every resource
      }
    }
    const Result<Problem> problem = Problem::from(std::move(without_quotas));
    if (!problem) return blamed(problem);
    const Check wrong = check_quotas(cluster, problem->tree(), exact_pool(*problem), unit,
                                     [](std::size_t /*node*/, const EffectiveAmounts& /*amounts*/) {});
    return wrong ? Check(in_file(*wrong)) : wrong;
  }

  const std::vector<MemberName>& member_names() const { return member_names_; }

  /// Where a key of the problem stands.
  FilePosition position(const std::string& key) {
    read_cluster();
    std::string in_file = key_in_file(key);
    const int line = line_of(root_, in_file);
    return {.key = std::move(in_file), .line = line};
  }

 private:
  void read_cluster() {
    static constexpr std::array<std::string_view, 8> kKeys = {"version", "title",  "resources", "servers",
                                                              "merged",  "groups", "users",     "running"};
    if (root_.kind == Node::Kind::null)
      return fail("resources", "missing: the file is empty; it needs the keys resources, servers and users",
                  1);
    if (!expect_map(root_, "", kKeys)) return;
    if (const Node* version = root_.find("version"); version != nullptr && version->text != "1") {
      fail("version", "must be 1, the version of this format", version->line);
    }
    if (const Node* title = root_.find("title")) read_title(*title);
    if (root_.find("resources") == nullptr) {
      fail("resources", "missing: list the resources, such as `resources: [cpu, memory]`", root_.line);
    }
    for (const Node::Entry& entry : list(required(root_, "", "resources"), "resources"))
      cluster_.resources.push_back(
          text(entry.value, fmt::format("resources[{}]", cluster_.resources.size())));
    if (cluster_.resources.size() > kMostResources) return;  // Problem::from says it
    for (const Node::Entry& entry : rows("servers")) {
      cluster_.servers.push_back(server(entry.value, fmt::format("servers[{}]", cluster_.servers.size())));
      if (failed()) return;
    }
    if (const Node* merged = root_.find("merged")) read_merged(*merged);
    if (const Node* groups = root_.find("groups")) read_groups(*groups, "groups", {});
    std::size_t number = 0;
    for (const Node::Entry& entry : rows("users")) {
      if (failed()) return;
      read_user(entry.value, fmt::format("users[{}]", number++));
    }
    if (const Node* list = root_.find("running"))
      cluster_.running = running(*list, "running", running_places_);
  }

  void read_title(const Node& node) {
    cluster_.title = text(node, "title");
    if (failed()) return;
    if (Check bad = check_name(cluster_.title, "cluster", "title")) fail(bad->key, bad->message, node.line);
  }

  void read_merged(const Node& node) {
    static constexpr std::array<std::string_view, 3> kKeys = {"nodes", "classes", "largest_difference"};
    if (!expect_map(node, "merged", kKeys)) return;
    cluster_.merged = {
        .nodes = whole(required(node, "merged", "nodes"), "merged.nodes"),
        .classes = whole(required(node, "merged", "classes"), "merged.classes"),
        .largest_difference =
            amount(required(node, "merged", "largest_difference"), "merged.largest_difference").value()};
    if (failed()) return;
    double servers = 0;
    for (const Server& server : cluster_.servers) servers += static_cast<double>(server.count);
    if (static_cast<double>(cluster_.merged->nodes) > servers)
      return fail("merged.nodes", "is more than all servers of the file", node.line);
    if (std::cmp_greater(cluster_.merged->classes, cluster_.servers.size()))
      return fail("merged.classes", "is more than the entries of servers", node.line);
  }

  Server server(const Node& node, const std::string& key) {
    static constexpr std::array<std::string_view, 6> kKeys = {"name",   "capacity", "count",
                                                              "labels", "taints",   "overfull"};
    Server server;
    if (!expect_map(node, key, kKeys)) return server;
    server.name = text(required(node, key, "name"), key + ".name");
    server.capacity = amounts(required(node, key, "capacity"), key + ".capacity");
    if (const Node* count = node.find("count")) server.count = whole(*count, key + ".count");
    if (const Node* labels = node.find("labels")) server.labels = this->labels(*labels, key + ".labels");
    if (const Node* taints = node.find("taints")) server.taints = this->taints(*taints, key + ".taints");
    if (const Node* overfull = node.find("overfull"))
      server.is_overfull = truth(*overfull, key + ".overfull");
    return server;
  }

  // Groups and the groups within them, each after its parent.
  void read_groups(const Node& node, const std::string& key, const std::optional<std::string>& parent) {
    std::vector<std::string_view> keys(kGroupKeys.begin(), kGroupKeys.end());
    if (!members_key_.empty()) keys.push_back(members_key_);
    std::size_t number = 0;
    for (const Node::Entry& entry : list(node, key)) {
      const std::string group_key = fmt::format("{}[{}]", key, number++);
      if (failed() || !expect_map(entry.value, group_key, keys)) return;
      Group group{.name = text(required(entry.value, group_key, "name"), group_key + ".name"),
                  .parent = parent};
      if (const Node* weight = entry.value.find("weight"))
        group.weight = amount(*weight, group_key + ".weight");
      group.quota = quota(entry.value, group_key);
      const std::string name = group.name;
      add_group(std::move(group), group_key);
      if (!members_key_.empty()) read_members(entry.value, group_key);
      if (const Node* groups = entry.value.find("groups")) read_groups(*groups, group_key + ".groups", name);
    }
  }

  // The names of the members of the latest group.
  void read_members(const Node& group, const std::string& group_key) {
    const Node* const names = group.find(members_key_);
    if (names == nullptr) return;
    const std::string key = fmt::format("{}.{}", group_key, members_key_);
    std::size_t number = 0;
    for (const Node::Entry& entry : list(*names, key)) {
      const std::string member_key = fmt::format("{}[{}]", key, number++);
      member_names_.push_back({.name = text(entry.value, member_key),
                               .group = cluster_.groups.size() - 1,
                               .key = member_key,
                               .line = entry.value.line});
    }
  }

  // Plain names first; then those with a `*`, in the order of the file.
  void assign(std::span<const std::string> members, Teams& teams, std::vector<std::string>* absent) {
    const std::string_view kind = members_key_.substr(0, members_key_.size() - 1);
    const std::vector<std::string_view> known(members.begin(), members.end());
    std::map<std::string_view, std::size_t> index;
    for (std::size_t n = 0; n < members.size(); ++n) index.emplace(members[n], n);
    for (const MemberName& each : member_names_) {
      if (each.is_pattern()) continue;
      const auto found = index.find(each.name);
      if (found == index.end() && absent != nullptr) {
        absent->push_back(each.name);
        continue;
      }
      if (found == index.end())
        return fail(each.key,
                    fmt::format("there is no {} '{}'{}", kind, each.name, known_names(each.name, known)),
                    each.line);
      std::optional<std::size_t>& group = teams.group_of[found->second];
      if (group)
        return fail(each.key,
                    fmt::format("the {} '{}' is already in the group '{}'", kind, each.name,
                                cluster_.groups[*group].name),
                    each.line);
      group = each.group;
    }
    for (const MemberName& each : member_names_) {
      if (!each.is_pattern()) continue;
      bool matches_any = false;
      for (std::size_t n = 0; n < members.size(); ++n) {
        if (!matches(each.name, members[n])) continue;
        matches_any = true;
        if (!teams.group_of[n]) teams.group_of[n] = each.group;
      }
      if (!matches_any && absent != nullptr)
        absent->push_back(each.name);
      else if (!matches_any)
        return fail(each.key, fmt::format("no {} is called '{}'", kind, each.name), each.line);
    }
  }

  // Leaves out the groups that have no member, nor a group with one.
  void keep_groups_with_members(Teams& teams) {
    std::set<std::string> kept;
    for (const std::optional<std::size_t>& group : teams.group_of) {
      if (group) kept.insert(cluster_.groups[*group].name);
    }
    for (auto group = cluster_.groups.rbegin(); group != cluster_.groups.rend(); ++group) {
      if (group->parent && kept.contains(group->name)) kept.insert(*group->parent);
    }
    std::vector<Group> groups;
    std::vector<std::string> keys;
    std::vector<std::size_t> places(cluster_.groups.size());
    for (std::size_t g = 0; g < cluster_.groups.size(); ++g) {
      places[g] = groups.size();
      if (!kept.contains(cluster_.groups[g].name)) continue;
      groups.push_back(std::move(cluster_.groups[g]));
      keys.push_back(std::move(group_keys_[g]));
    }
    cluster_.groups = std::move(groups);
    group_keys_ = std::move(keys);
    for (std::optional<std::size_t>& group : teams.group_of) {
      if (group) group = places[*group];
    }
  }

  // What is wrong with the groups as such is for Problem::from to say. Its members stand for users, who must
  // demand something.
  Check check_teams(const Problem& problem, std::span<const std::string> members, const Teams& teams) {
    Cluster cluster = cluster_;
    const std::vector<double>& pool = problem.pool();
    const auto most = static_cast<std::size_t>(std::max_element(pool.begin(), pool.end()) - pool.begin());
    const Quantity some = std::max_element(cluster.servers.begin(), cluster.servers.end(),
                                           [&](const Server& a, const Server& b) {
                                             return a.capacity[most] < b.capacity[most];
                                           })
                              ->capacity[most];
    for (std::size_t n = 0; n < members.size(); ++n) {
      User user{.name = members[n], .demand = ResourceVector(cluster.resources.size())};
      user.demand[most] = some;
      if (teams.group_of[n]) user.group = cluster.groups[*teams.group_of[n]].name;
      cluster.users.push_back(std::move(user));
    }
    return blamed(Problem::from(std::move(cluster)));
  }

  // What is wrong with a problem, where it stands in the file.
  Check blamed(const Result<Problem>& checked) const { return checked ? Check() : in_file(checked.error()); }

  Error in_file(Error wrong) const {
    wrong.key = key_in_file(wrong.key);
    wrong.file = file();
    wrong.line = line_of(root_, wrong.key);
    return wrong;
  }

  void add_group(Group group, std::string key) {
    cluster_.groups.push_back(std::move(group));
    group_keys_.push_back(std::move(key));
  }
  void add_user(User user, std::string key) {
    cluster_.users.push_back(std::move(user));
    user_keys_.push_back(std::move(key));
  }

  Quota quota(const Node& node, const std::string& key) {
    Quota quota;
    if (const Node* guarantee = node.find("guarantee"))
      quota.guarantee = parts(*guarantee, key + ".guarantee", Quantity());
    if (const Node* reserved = node.find("reserved"))
      quota.reserved = parts(*reserved, key + ".reserved", Quantity());
    if (const Node* limit = node.find("limit")) quota.limit = limits(*limit, key + ".limit");
    return quota;
  }

  // Amounts by resource, or a part of the capacity: `25%` of one resource, or of each.
  std::vector<std::optional<Quantity>> limits(const Node& node, const std::string& key) {
    std::vector<std::optional<Quantity>> amounts(cluster_.resources.size());
    if (node.kind == Node::Kind::scalar && node.text.ends_with('%')) {
      for (std::size_t r = 0; r < amounts.size(); ++r) amounts[r] = amount_or_part(node, key, r);
      return amounts;
    }
    if (node.kind == Node::Kind::scalar) {
      fail(key, "must be an amount for each resource, like {cpu: 64}, or a part of everything, like 25%",
           node.line);
      return amounts;
    }
    if (!expect_map(node, key)) return amounts;
    for (const Node::Entry& entry : node.entries) {
      const std::optional<std::size_t> r = resource(entry, key, cluster_.resources);
      if (!r) return amounts;
      amounts[*r] = amount_or_part(entry.value, key + "." + entry.key, *r);
    }
    return amounts;
  }

  ResourceVector parts(const Node& node, const std::string& key, Quantity left_out) {
    ResourceVector amounts;
    for (const std::optional<Quantity>& each : limits(node, key)) amounts.push_back(each.value_or(left_out));
    return amounts;
  }

  Quantity amount_or_part(const Node& node, const std::string& key, std::size_t r) {
    const bool is_part = node.kind == Node::Kind::scalar && node.text.ends_with('%');
    (is_part ? has_parts_ : has_amounts_) = true;
    if (!is_part) return amount(node, key);
    const Result<Quantity> percent =
        Quantity::parse(std::string_view(node.text).substr(0, node.text.size() - 1));
    if (!percent || *percent > Quantity(100)) {
      fail(key, fmt::format("must be a part from 0% to 100%, not '{}'", node.text.substr(0, 40)), node.line);
      return {};
    }
    mpq_class capacity = 0;
    for (const Server& server : cluster_.servers) {
      if (r < server.capacity.size())
        capacity += rational(server.capacity[r]) * static_cast<long>(server.count);
    }
    return rounded_down(capacity * rational(*percent) / 100);
  }

  // A user, or each of its task shapes.
  void read_user(const Node& node, const std::string& key) {
    static constexpr std::array<std::string_view, 14> kKeys = {
        "name",  "demand",    "weight", "tasks",    "servers", "select",          "demand_on",
        "group", "guarantee", "limit",  "reserved", "shapes",  "may_fit_nowhere", "tolerates"};
    if (!expect_map(node, key, kKeys)) return;
    const Node* const shapes = node.find("shapes");
    User user;
    user.name = text(required(node, key, "name"), key + ".name");
    if (const Node* weight = node.find("weight")) user.weight = amount(*weight, key + ".weight");
    if (const Node* group = node.find("group")) user.group = text(*group, key + ".group");
    user.quota = quota(node, key);
    if (shapes == nullptr) {
      read_tasks(node, key, user);
      add_user(std::move(user), key);
    } else {
      read_shapes(node, *shapes, key, user);
    }
  }

  // What its tasks take, how many there are, and where they may run.
  void read_tasks(const Node& node, const std::string& key, User& user) {
    user.demand = amounts(required(node, key, "demand"), key + ".demand");
    if (const Node* tasks = node.find("tasks")) user.tasks = amount(*tasks, key + ".tasks");
    read_placement(node, key, user);
    if (const Node* others = node.find("demand_on");
        others != nullptr && expect_map(*others, key + ".demand_on")) {
      for (const Node::Entry& other : others->entries) {
        user.demand_on.emplace(other.key, amounts(other.value, key + ".demand_on." + other.key));
      }
    }
    if (const Node* waits = node.find("may_fit_nowhere"))
      user.may_fit_nowhere = truth(*waits, key + ".may_fit_nowhere");
  }

  void read_placement(const Node& node, const std::string& key, User& user) {
    if (const Node* servers = node.find("servers")) {
      static constexpr std::array<std::string_view, 1> kKeys = {"not"};
      const std::string servers_key = key + ".servers";
      if (servers->kind != Node::Kind::map) {
        user.servers = texts(*servers, servers_key);
      } else if (expect_map(*servers, servers_key, kKeys)) {
        user.not_servers = texts(required(*servers, servers_key, "not"), servers_key + ".not");
      }
    }
    if (const Node* select = node.find("select")) user.select = conditions(*select, key + ".select");
    if (const Node* taints = node.find("tolerates"))
      user.tolerates = tolerations(*taints, key + ".tolerates");
  }

  // A user with several task shapes is a group whose members are the shapes.
  void read_shapes(const Node& node, const Node& shapes, const std::string& key, const User& user) {
    static constexpr std::array<std::string_view, 9> kKeys = {"name",      "demand",          "tasks",
                                                              "weight",    "servers",         "select",
                                                              "demand_on", "may_fit_nowhere", "tolerates"};
    for (const std::string_view own : {"demand", "tasks", "demand_on", "may_fit_nowhere"}) {
      if (const Node* value = node.find(own))
        return fail(fmt::format("{}.{}", key, own), "a user with `shapes` has it in each of its shapes",
                    value->line);
    }
    User all = user;
    read_placement(node, key, all);
    check_servers(all, key);
    add_group({.name = user.name,
               .parent = user.group,
               .weight = user.weight,
               .quota = user.quota,
               .is_user = true},
              key);
    if (list(shapes, key + ".shapes").empty())
      return fail(key + ".shapes", "must have at least one shape", shapes.line);
    std::set<std::string> names;
    for (const Node::Entry& entry : shapes.entries) {
      const std::string shape_key = fmt::format("{}.shapes[{}]", key, names.size());
      if (failed() || !expect_map(entry.value, shape_key, kKeys)) return;
      User shape;
      shape.shape = text(required(entry.value, shape_key, "name"), shape_key + ".name");
      if (Check bad = check_name(*shape.shape, "shape", shape_key + ".name"))
        return fail(bad->key, bad->message, entry.value.line);
      if (!names.insert(*shape.shape).second)
        return fail(shape_key + ".name",
                    fmt::format("duplicate name: the user has already a shape '{}'", *shape.shape),
                    entry.value.line);
      shape.name = fmt::format("{}/{}", user.name, *shape.shape);
      shape.group = user.name;
      if (const Node* weight = entry.value.find("weight"))
        shape.weight = amount(*weight, shape_key + ".weight");
      read_tasks(entry.value, shape_key, shape);
      check_servers(shape, shape_key);
      narrow(shape, all, shape_key);
      add_user(std::move(shape), shape_key);
    }
  }

  // Before they are narrowed, so that a name that no server has is not lost.
  void check_servers(const User& user, const std::string& key) {
    if (user.servers) check_servers(*user.servers, key + ".servers");
    check_servers(user.not_servers, key + ".servers.not");
  }

  void check_servers(const std::vector<std::string>& servers, const std::string& key) {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const std::string& name = servers[i];
      const auto is_it = [&](const Server& server) { return server.name == name; };
      if (std::any_of(cluster_.servers.begin(), cluster_.servers.end(), is_it)) continue;
      std::vector<std::string_view> known;
      for (const Server& server : cluster_.servers) known.push_back(server.name);
      const std::string server_key = fmt::format("{}[{}]", key, i);
      return fail(server_key, fmt::format("there is no server '{}'{}", name, known_names(name, known)),
                  line_of(root_, server_key));
    }
  }

  // A shape runs where both itself and its user may, and tolerates what either does.
  void narrow(User& shape, const User& all, const std::string& key) {
    const auto keep = [](std::vector<std::string>& own, const std::vector<std::string>& allowed) {
      std::erase_if(own, [&](const std::string& each) {
        return std::find(allowed.begin(), allowed.end(), each) == allowed.end();
      });
    };
    if (!shape.servers) {
      shape.servers = all.servers;
    } else if (all.servers) {
      keep(*shape.servers, *all.servers);
    }
    shape.not_servers.insert(shape.not_servers.end(), all.not_servers.begin(), all.not_servers.end());
    for (const auto& [label, condition] : all.select) {
      LabelCondition& own = shape.select[label];
      LabelCondition narrowed = both(own, condition);
      if (!can_hold(narrowed) && can_hold(own) && can_hold(condition)) {
        const std::string label_key = fmt::format("{}.select.{}", key, label);
        return fail(label_key,
                    fmt::format("no server can be both: the user '{}' selects {}{}, its shape '{}' {}{}",
                                all.name, yaml_key(label), yaml_condition(condition), *shape.shape,
                                yaml_key(label), yaml_condition(own)),
                    line_of(root_, label_key));
      }
      own = std::move(narrowed);
    }
    shape.tolerates.insert(shape.tolerates.end(), all.tolerates.begin(), all.tolerates.end());
  }

  // Problem::from numbers groups and shapes in one list each; the file nests them.
  std::string key_in_file(const std::string& key) const {
    const auto translated = [&](std::string_view list, const std::vector<std::string>& keys) -> std::string {
      if (!key.starts_with(list)) return {};
      const std::size_t end = key.find(']');
      const std::size_t number = std::stoul(key.substr(list.size(), end - list.size()));
      if (number >= keys.size()) return {};
      const bool is_user = keys[number].starts_with("users");
      std::string rest = key.substr(end + 1);
      if (is_user && rest == ".parent") rest = ".group";
      return keys[number] + rest;
    };
    if (std::string found = translated("users[", user_keys_); !found.empty()) return found;
    if (std::string found = translated("groups[", group_keys_); !found.empty()) return found;
    constexpr std::string_view kRunning = "running[";
    if (key.starts_with(kRunning)) {
      const std::size_t end = key.find(']');
      const std::size_t number = std::stoul(key.substr(kRunning.size(), end - kRunning.size()));
      if (number < running_places_.size()) return running_places_[number].key(key.substr(end + 1));
    }
    return key;
  }

  // The servers or the users, unless their amounts would not fit into memory.
  const std::vector<Node::Entry>& rows(const std::string& key) {
    static const std::vector<Node::Entry> kNone;
    const Node& node = required(root_, "", key);
    const std::size_t resources = std::max<std::size_t>(1, cluster_.resources.size());
    if (node.entries.size() <= kMostAmounts / resources) return list(node, key);
    fail(key,
         fmt::format("{} of them with {} resources are more than {} amounts", node.entries.size(), resources,
                     kMostAmounts),
         node.line);
    return kNone;
  }

  ResourceVector amounts(const Node& node, const std::string& key) {
    return FieldReader::amounts(node, key, cluster_.resources);
  }

  const Node& root_;
  Cluster cluster_;
  std::vector<std::string> group_keys_;  // where each group stands in the file
  std::vector<std::string> user_keys_;   // where each user or shape stands in the file
  std::vector<RunningPlace> running_places_;

  // Of a teams file.
  std::string_view members_key_;  // none in a cluster file
  std::vector<MemberName> member_names_;
  bool has_parts_ = false, has_amounts_ = false;  // some quota has a percentage; an amount
};

Result<Problem> read_cluster(const Result<Node>& document, const std::string& name, OwnRunning running) {
  if (!document) return document.error();
  return ClusterReader(*document, name).read(running);
}

Syntax syntax_of(const std::string& path) { return path.ends_with(".json") ? Syntax::json : Syntax::yaml; }

Result<Problem> read_cluster(const std::string& path, OwnRunning running) {
  if (path == "-") {  // a pipe has to be held in memory to see in which syntax it is written
    const Result<InputText> input = read_input(path);
    if (!input) return input.error();
    return read_cluster(read_document(input->text, input->syntax, input->name), input->name, running);
  }
  Result<std::ifstream> input = open_file(path);
  if (!input) return input.error();
  return read_cluster(read_document(*input, syntax_of(path), path), path, running);
}

}  // namespace

Result<Problem> read_cluster_file(const std::string& path) { return read_cluster(path, OwnRunning::kept); }

Result<Problem> read_cluster_file(const std::string& path, const std::string& allocation) {
  const Result<Problem> problem = read_cluster(path, OwnRunning::left_out);
  return problem ? with_allocation_file(*problem, allocation) : problem;
}

FilePosition position_in_cluster_file(const std::string& path, const std::string& key) {
  std::ifstream input(path, std::ios::binary);
  if (path == "-" || !input.is_open()) return {.key = key};
  const Result<Node> document = read_document(input, syntax_of(path), path);
  return document ? ClusterReader(*document, path).position(key) : FilePosition{.key = key};
}

Result<Problem> read_cluster_text(std::string_view text, Syntax syntax, const std::string& name) {
  return read_cluster(read_document(text, syntax, name), name, OwnRunning::kept);
}

Result<Teams> read_teams_file(const std::string& path, const Problem& cluster,
                              std::span<const std::string> members, std::string_view members_key) {
  Result<std::ifstream> input = open_file(path);
  if (!input) return input.error();
  Result<Node> document = read_document(*input, syntax_of(path), path);
  if (!document) return document.error();
  return ClusterReader(*document, path).read_teams(cluster, members, members_key, nullptr);
}

namespace {

// The groups of a teams file, with the users of a problem in them.
Result<Teams> teams_of(const Problem& problem, const std::string& path, std::vector<std::string>& absent) {
  const Result<InputText> input = read_input(path);
  if (!input) return input.error();
  const Result<Node> document = read_document(input->text, input->syntax, input->name);
  if (!document) return document.error();
  const auto members_key = teams_members_key(input->text, input->syntax);
  if (!members_key)
    return Error{.message = "no teams file: that has groups, and the names of users in them",
                 .key = "groups",
                 .file = input->name};
  std::vector<std::string> members;
  for (const Group& group : problem.groups()) {
    if (!group.is_user)
      return Error{.message = fmt::format("the cluster file has groups of its own, such as '{}'", group.name),
                   .key = "groups",
                   .file = input->name};
    members.push_back(group.name);
  }
  for (const User& user : problem.users()) {
    if (!user.shape) members.push_back(user.name);
  }
  Result<Teams> teams =
      ClusterReader(*document, input->name).read_teams(problem, members, *members_key, &absent);
  if (teams && teams->groups.empty())
    return Error{.message = absent.empty()
                                ? "name no user"
                                : fmt::format("name no user of the cluster: '{}' is none", absent[0]),
                 .key = "groups",
                 .file = input->name};
  return teams;
}

}  // namespace

Result<Problem> with_teams_file(const Problem& problem, const std::string& path,
                                std::vector<std::string>& absent) {
  Result<Teams> teams = teams_of(problem, path, absent);
  if (!teams) return std::move(teams).error();
  Cluster cluster = problem.cluster();
  std::size_t next = 0;  // of the members, which are in the order of the cluster
  const auto next_group = [&]() -> std::optional<std::string> {
    const std::optional<std::size_t> group = teams->group_of[next++];
    return group ? std::optional(teams->groups[*group].name) : std::nullopt;
  };
  for (Group& group : cluster.groups) group.parent = next_group();
  for (User& user : cluster.users) {
    if (!user.shape) user.group = next_group();
  }
  cluster.groups.insert(cluster.groups.begin(), teams->groups.begin(), teams->groups.end());
  return Problem::from(std::move(cluster));
}

FilePosition position_in_files(const std::string& path, const std::string& teams_path,
                               const std::string& key) {
  constexpr std::string_view kGroups = "groups[";
  if (teams_path.empty() || !key.starts_with(kGroups)) return position_in_cluster_file(path, key);
  std::vector<std::string> absent;
  const Result<Problem> problem = read_cluster(path, OwnRunning::left_out);
  if (!problem) return {.key = key};
  const Result<Teams> teams = teams_of(*problem, teams_path, absent);
  if (!teams) return {.key = key};
  const std::size_t end = key.find(']');
  const std::size_t group = std::stoul(key.substr(kGroups.size(), end - kGroups.size()));
  const std::string rest = key.substr(end + 1);
  const std::size_t count = teams->positions.size();
  if (group >= count) return position_in_cluster_file(path, fmt::format("groups[{}]{}", group - count, rest));
  FilePosition position = teams->positions[group];
  position.key += rest;
  return position;
}

namespace {

// The resources that quotas of the groups name, each once.
void name_resources(const Node& groups, std::vector<std::string>& resources) {
  for (const Node::Entry& group : groups.entries) {
    for (const std::string_view key : {"guarantee", "limit", "reserved"}) {
      const Node* quota = group.value.find(key);
      if (quota == nullptr || quota->kind != Node::Kind::map) continue;
      for (const Node::Entry& each : quota->entries) {
        if (std::find(resources.begin(), resources.end(), each.key) == resources.end())
          resources.push_back(each.key);
      }
    }
    if (const Node* within = group.value.find("groups")) name_resources(*within, resources);
  }
}

}  // namespace

Result<LiveTeams> LiveTeams::read(const std::string& path, std::string_view members_key) {
  Result<std::ifstream> input = open_file(path);
  if (!input) return input.error();
  Result<Node> document = read_document(*input, syntax_of(path), path);
  if (!document) return document.error();
  LiveTeams teams;
  teams.file_ = path;
  teams.members_key_ = members_key;
  teams.root_ = std::make_shared<const Node>(*std::move(document));
  if (const Node* groups = teams.root_->find("groups")) name_resources(*groups, teams.resources_);
  std::vector<std::string> resources = teams.resources_;
  if (resources.empty()) resources.emplace_back();                 // what stands for every resource
  const ResourceVector capacity(resources.size(), Quantity(100));  // so that a percentage is what is written
  ClusterReader reader(*teams.root_, path);
  const Result<std::vector<Group>> groups = reader.read_live_teams(resources, capacity, members_key);
  if (!groups) return groups.error();
  if (Check wrong = reader.check_live_teams()) return *std::move(wrong);
  for (const Group& each : *groups) teams.groups_.emplace(each.name, teams.groups_.size());
  for (const MemberName& each : reader.member_names()) {
    if (each.is_pattern()) {
      teams.patterns_.emplace_back(each.name, each.group);
    } else {
      teams.members_.emplace(each.name, each.group);
    }
  }
  return teams;
}

namespace {

// Has a group the key, or one that is written nearly so?
bool any_group_has(const Node& groups, std::string_view key) {
  const std::array<std::string_view, 1> known = {key};
  return std::any_of(groups.entries.begin(), groups.entries.end(), [&](const Node::Entry& entry) {
    const std::vector<Node::Entry>& own = entry.value.entries;
    const Node* below = entry.value.find("groups");
    const auto is_it = [&](const Node::Entry& each) {
      const bool is_of_all = std::find(kGroupKeys.begin(), kGroupKeys.end(), each.key) != kGroupKeys.end();
      return !is_of_all && !nearest_names(each.key, known).empty();
    };
    return std::any_of(own.begin(), own.end(), is_it) || (below != nullptr && any_group_has(*below, key));
  });
}

}  // namespace

std::optional<std::string_view> teams_members_key(std::string_view text, Syntax syntax) {
  const Result<Node> document = read_document(text, syntax, "");
  if (!document) return {};
  const Node* const groups = document->find("groups");
  if (groups == nullptr || groups->kind != Node::Kind::list) return {};
  for (const char* part : {"resources", "servers", "users", "running"}) {
    if (document->find(part) != nullptr) return {};
  }
  return any_group_has(*groups, "namespaces") ? "namespaces" : "users";
}

std::vector<Group> LiveTeams::groups(std::span<const std::string> resources,
                                     const ResourceVector& capacity) const {
  std::vector<std::string> all(resources.begin(), resources.end());
  for (const std::string& each : resources_) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  ResourceVector of_all = capacity;
  of_all.resize(all.size());
  Result<std::vector<Group>> groups =
      ClusterReader(*root_, file_).read_live_teams(std::move(all), std::move(of_all), members_key_);
  MIRAB_ASSERT(groups, "a teams file that was read before");
  for (Group& group : *groups) {
    if (group.quota.guarantee) group.quota.guarantee->resize(resources.size());
    if (!group.quota.limit.empty()) group.quota.limit.resize(resources.size());
    if (!group.quota.reserved.empty()) group.quota.reserved.resize(resources.size());
  }
  return *std::move(groups);
}

std::optional<std::size_t> LiveTeams::group_of(std::string_view member) const {
  if (const auto own = members_.find(member); own != members_.end()) return own->second;
  for (const auto& [pattern, group] : patterns_) {
    if (matches(pattern, member)) return group;
  }
  return {};
}

std::optional<std::size_t> LiveTeams::group_called(std::string_view name) const {
  const auto found = groups_.find(name);
  return found == groups_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace mirab
