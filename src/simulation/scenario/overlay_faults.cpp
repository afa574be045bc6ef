// What goes wrong in `kind: overlay`, and when (docs/simulate.md). Times are in seconds.
#include <array>

#include "simulation/overlay/check.hpp"
#include "simulation/overlay/option_table.hpp"
#include "simulation/scenario/overlay_parts.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kMostOfAKind = 100'000;

std::uint32_t read_node(const Node& map, const std::string& key, ScenarioFields& fields) {
  return static_cast<std::uint32_t>(
      fields.whole_between(fields.required(map, key, "node"), key + ".node", 0, kMostOverlayServers - 1,
                           "servers are numbered from 0 to one less than there are"));
}

Duration read_at(const Node& map, const std::string& key, ScenarioFields& fields) {
  return fields.seconds(fields.required(map, key, "at_s"), key + ".at_s");
}

struct Span {
  Duration from{}, to{};
};

Span read_span(const Node& map, const std::string& key, ScenarioFields& fields) {
  return {fields.seconds(fields.required(map, key, "from_s"), key + ".from_s"),
          fields.seconds(fields.required(map, key, "to_s"), key + ".to_s")};
}

Partition read_partition(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 5> kKeys = {"from_s", "to_s", "nodes", "users", "gateway"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  const Span span = read_span(node, key, fields);
  Partition partition{.from = span.from, .to = span.to};
  if (const Node* nodes = node.find("nodes"))
    partition.nodes = fields.part(*nodes, key + ".nodes", "a part of the servers, which are drawn");
  if (const Node* users = node.find("users"))
    partition.users = fields.part(*users, key + ".users", "a part of the users, who are drawn");
  if (const Node* gateway = node.find("gateway"))
    partition.gateway = static_cast<Partition::Side>(fields.word(*gateway, key + ".gateway", kSideWords));
  return partition;
}

Crash read_crash(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 4> kKeys = {"at_s", "node", "back_s", "memory"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  Crash crash{.at = read_at(node, key, fields), .node = read_node(node, key, fields)};
  if (const Node* back = node.find("back_s")) crash.back = fields.seconds(*back, key + ".back_s");
  if (const Node* memory = node.find("memory"))
    crash.memory = static_cast<Memory>(fields.word(*memory, key + ".memory", kMemoryWords));
  return crash;
}

Slow read_slow(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 4> kKeys = {"from_s", "to_s", "node", "factor"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  const Span span = read_span(node, key, fields);
  return {.from = span.from,
          .to = span.to,
          .node = read_node(node, key, fields),
          .factor = fields.not_negative(fields.required(node, key, "factor"), key + ".factor")};
}

template <class Change>
Change read_change(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 2> kKeys = {"at_s", "node"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  return {.at = read_at(node, key, fields), .node = read_node(node, key, fields)};
}

Restart read_restart(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 1> kKeys = {"at_s"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  return {.at = read_at(node, key, fields)};
}

UserPause read_pause(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 3> kKeys = {"user", "from_s", "to_s"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  const Span span = read_span(node, key, fields);
  return {.from = span.from,
          .to = span.to,
          .user = fields.name(fields.required(node, key, "user"), key + ".user")};
}

// `read` for each entry of the list; none when it is not there.
template <class Each>
std::vector<Each> read_list(const Node* node, const std::string& key, ScenarioFields& fields,
                            Each (*read)(const Node&, const std::string&, ScenarioFields&)) {
  std::vector<Each> all;
  if (node == nullptr) return all;
  for (const Node::Entry& entry : fields.entries(*node, key, kMostOfAKind)) {
    all.push_back(read(entry.value, item_key(key, all.size()), fields));
    if (fields.failed()) break;
  }
  return all;
}

}  // namespace

Faults read_faults(const Node& node, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 11> kKeys = {"loss",    "duplicate",  "reorder", "corrupt",
                                                             "until_s", "partitions", "crashes", "slow",
                                                             "joins",   "leaves",     "restarts"};
  Faults faults;
  if (!fields.expect_map(node, "faults", kKeys)) return faults;
  const auto probability = [&](const char* name, double& value) {
    if (const Node* at = node.find(name))
      value = fields.part(*at, std::string("faults.") + name, "a probability below 1");
  };
  probability("loss", faults.loss);
  probability("duplicate", faults.duplicate);
  probability("reorder", faults.reorder);
  probability("corrupt", faults.corrupt);
  if (const Node* until = node.find("until_s")) faults.until = fields.seconds(*until, "faults.until_s");
  faults.partitions = read_list(node.find("partitions"), "faults.partitions", fields, read_partition);
  faults.crashes = read_list(node.find("crashes"), "faults.crashes", fields, read_crash);
  faults.slow = read_list(node.find("slow"), "faults.slow", fields, read_slow);
  faults.joins = read_list(node.find("joins"), "faults.joins", fields, read_change<Join>);
  faults.leaves = read_list(node.find("leaves"), "faults.leaves", fields, read_change<Leave>);
  faults.restarts = read_list(node.find("restarts"), "faults.restarts", fields, read_restart);
  return faults;
}

std::vector<UserPause> read_pauses(const Node& node, ScenarioFields& fields) {
  return read_list(&node, "pauses", fields, read_pause);
}

}  // namespace mirab::simulation
