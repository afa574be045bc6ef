// What scontrol, squeue and sacct print with --json, as the records that their texts would give.
//
// Source: the data parsers 0.0.37 to 0.0.44 of Slurm 21.08 to 25.11. A number is written plainly, or as
// {"set": true, "infinite": false, "number": 4}; a word as itself, or as a list with flags after it.
#include "slurm/json_records.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "model/document.hpp"
#include "model/names.hpp"

namespace mirab::slurm {
namespace {

/// A text of more bytes may have more values than are read. Most are the cores of each socket, which are
/// then passed over, and lines are no longer counted.
constexpr std::size_t kLongText = std::size_t{1} << 25;
constexpr LeftOut kSockets{.map = "", .key = "sockets"};  // in each map of a list

/// The value under keys within keys.
const Node* below(const Node& map, std::initializer_list<std::string_view> keys) {
  const Node* node = &map;
  for (const std::string_view key : keys) {
    if ((node = node->find(key)) == nullptr) return nullptr;
  }
  return node;
}

/// A scalar, a number that is set and finite, or a list with `joint` between its parts; else empty.
std::string text_of(const Node* node, char joint = ',') {
  if (node == nullptr) return {};
  if (node->kind == Node::Kind::scalar) return printable(node->text);  // as on a line of text
  std::string text;
  if (node->kind == Node::Kind::list) {
    for (const Node::Entry& entry : node->entries) {
      if (!text.empty()) text += joint;
      text += text_of(&entry.value);
    }
  } else if (const Node* const number = node->find("number")) {
    const bool is_number = text_of(node->find("set")) != "false" && text_of(node->find("infinite")) != "true";
    if (is_number) text = text_of(number);
  }
  return text;
}

/// A field of a record, and where it stands: below one key or two.
struct Field {
  std::string_view name;
  std::string_view key, below = {};
};

void add_texts(const Node& object, std::span<const Field> fields, Record& record) {
  for (const Field& field : fields) {
    const Node* node = object.find(field.key);
    if (node != nullptr && !field.below.empty()) node = node->find(field.below);
    std::string text = text_of(node);
    if (!text.empty()) record.fields.emplace(field.name, std::move(text));  // the first that says something
  }
}

constexpr auto kNodeFields = std::to_array<Field>({{"nodename", "name"},
                                                   {"nodename", "hostname"},
                                                   {"cputot", "cpus"},
                                                   {"realmemory", "real_memory"},
                                                   {"memspeclimit", "specialized_memory"},
                                                   {"gres", "gres"},
                                                   {"partitions", "partitions"},
                                                   {"availablefeatures", "features"},
                                                   {"activefeatures", "active_features"}});

Record node_record(const Node& object) {
  Record record{.fields = {}, .line = object.line};
  add_texts(object, kNodeFields, record);
  if (const std::string cpus = text_of(object.find("effective_cpus")); !cpus.empty() && cpus != "0")
    record.fields.emplace("cpuefctv", cpus);
  record.fields.emplace("state",
                        text_of(object.find("state"), '+') + '+' + text_of(object.find("state_flags"), '+'));
  return record;
}

/// Of squeue and scontrol, then of sacct.
constexpr auto kJobFields = std::to_array<Field>({{"jobid", "job_id"},
                                                  {"arraytaskid", "array_task_string"},
                                                  {"arraytaskid", "array_task_id"},
                                                  {"account", "account"},
                                                  {"user", "user_name"},
                                                  {"partition", "partition"},
                                                  {"nodelist", "nodes"},
                                                  {"numnodes", "node_count"},
                                                  {"numcpus", "cpus"},
                                                  {"numtasks", "tasks"},
                                                  {"reqtres", "tres_req_str"},
                                                  {"alloctres", "tres_alloc_str"},
                                                  {"tresperjob", "tres_per_job"},
                                                  {"trespernode", "tres_per_node"},
                                                  {"trespersocket", "tres_per_socket"},
                                                  {"trespertask", "tres_per_task"},
                                                  {"features", "features"},
                                                  {"excnodelist", "excluded_nodes"},
                                                  {"reqnodelist", "required_nodes"},
                                                  {"dependency", "dependency"},
                                                  {"reservation", "resv_name"},
                                                  {"reason", "state_reason"},
                                                  {"hold", "hold"},
                                                  {"arraytaskid", "array", "task"},
                                                  {"user", "user"},
                                                  {"user", "association", "user"},
                                                  {"account", "association", "account"},
                                                  {"numnodes", "allocation_nodes"},
                                                  {"numcpus", "required", "CPUs"},
                                                  {"features", "constraints"},
                                                  {"reservation", "reservation", "name"},
                                                  {"reason", "state", "reason"}});

/// `cpu=4,mem=512M,gres/gpu=2` of sacct's list of types, names and counts.
std::string tres_text(const Node* list) {
  std::string text;
  if (list == nullptr) return text;
  for (const Node::Entry& entry : list->entries) {
    const std::string type = text_of(entry.value.find("type")), name = text_of(entry.value.find("name"));
    const std::string count = text_of(entry.value.find("count"));
    if (count.empty() || count.front() == '-') continue;  // energy that is not known
    text += fmt::format("{}{}{}{}={}{}", text.empty() ? "" : ",", type, name.empty() ? "" : "/", name, count,
                        type == "mem" ? "M" : "");
  }
  return text;
}

/// Of a state and its flags the last that says more than the first: `["RUNNING", "COMPLETING"]` completes.
std::string job_state(const Node& object) {
  const Node* state = object.find("job_state");
  if (state == nullptr) state = below(object, {"state", "current"});
  if (state == nullptr || state->kind != Node::Kind::list) return text_of(state);
  constexpr auto kFlags =
      std::to_array<std::string_view>({"COMPLETING", "CONFIGURING", "STAGE_OUT", "RESIZING", "SIGNALING",
                                       "STOPPED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"});
  for (const Node::Entry& each : state->entries) {
    if (std::find(kFlags.begin(), kFlags.end(), each.value.text) != kFlags.end()) return each.value.text;
  }
  return state->entries.empty() ? "" : state->entries.front().value.text;
}

/// What the job holds on each node: of 22.05 a list of the nodes, later a list within them.
void add_on_nodes(const Node& object, Record& record) {
  const Node* nodes = below(object, {"job_resources", "nodes", "allocation"});
  if (nodes == nullptr) nodes = below(object, {"job_resources", "allocated_nodes"});
  if (nodes == nullptr || nodes->kind != Node::Kind::list) return;
  const Node* const gres = object.find("gres_detail");  // in the same order
  for (std::size_t i = 0; i < nodes->entries.size(); ++i) {
    const Node& node = nodes->entries[i].value;
    Record& part = record.on_nodes.emplace_back(Record{.fields = {}, .line = node.line});
    constexpr auto kFields = std::to_array<Field>({{"nodes", "name"},
                                                   {"nodes", "nodename"},
                                                   {"cpus", "cpus", "count"},
                                                   {"mem", "memory", "allocated"},
                                                   {"mem", "memory_allocated"}});
    add_texts(node, kFields, part);
    if (gres != nullptr && gres->entries.size() == nodes->entries.size())
      part.fields.emplace("gres", text_of(&gres->entries[i].value));
  }
}

Record job_record(const Node& object) {
  Record record{.fields = {}, .line = object.line};
  add_texts(object, kJobFields, record);
  record.fields.emplace("jobstate", job_state(object));
  for (const auto& [name, key] : {std::pair("alloctres", "allocated"), std::pair("reqtres", "requested")})
    record.fields.emplace(name, tres_text(below(object, {"tres", key})));
  for (const auto& [name, key] :
       {std::pair("minmemorycpu", "memory_per_cpu"), std::pair("minmemorynode", "memory_per_node")}) {
    std::string memory = text_of(object.find(key));
    if (memory.empty()) memory = text_of(below(object, {"required", key}));
    if (!memory.empty()) record.fields.emplace(name, memory + "M");
  }
  // Some versions have one of the two, some both.
  const std::string shared = text_of(object.find("shared"));
  const bool is_exclusive = shared == "none" || text_of(object.find("exclusive")) == "true";
  record.fields.emplace("oversubscribe", is_exclusive ? "NO" : shared);
  std::string part = text_of(object.find("het_job_id"));
  if (part.empty()) part = text_of(below(object, {"het", "job_id"}));
  if (part != "0") record.fields.emplace("hetjobid", part);
  add_on_nodes(object, record);
  return record;
}

const Node* list_in(const Node& map, std::string_view key) {
  const Node* const list = map.find(key);
  return list != nullptr && list->kind == Node::Kind::list ? list : nullptr;
}

}  // namespace

Result<std::vector<Record>> read_json(std::string_view text, const std::string& file) {
  const Result<Node> root = text.size() < kLongText ? read_document(text, Syntax::json, file)
                                                    : read_json_line(text, file, 1, kSockets);
  if (!root) return root.error();
  std::vector<Record> records;
  if (const Node* const nodes = list_in(*root, "nodes")) {
    for (const Node::Entry& entry : nodes->entries) records.push_back(node_record(entry.value));
    return records;
  }
  if (const Node* const jobs = list_in(*root, "jobs")) {
    for (const Node::Entry& entry : jobs->entries) records.push_back(job_record(entry.value));
    return records;
  }
  return Error{.message =
                   "has neither a list `nodes` nor one of `jobs`, as `scontrol show nodes`, `squeue` and "
                   "`sacct` print with --json",
               .file = file,
               .line = root->line};
}

}  // namespace mirab::slurm
