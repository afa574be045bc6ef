#include "client/jobs.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "model/document.hpp"

namespace mirab::client {
namespace {

/// Keys whose values are whole numbers, wherever they stand but below names that somebody chose.
constexpr std::array<std::string_view, 7> kWholeKeys{"tasks",    "gang",       "per_server", "attempts",
                                                     "priority", "most_apart", "count"};
constexpr std::array<std::string_view, 8> kFreeKeys{"labels",    "env",       "select", "demand",
                                                    "demand_on", "guarantee", "limit",  "reserved"};

template <class Keys>
bool is_one_of(std::string_view key, const Keys& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Json scalar(const std::string& key, const std::string& text, bool is_free) {
  if (!is_free && is_one_of(key, kWholeKeys)) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, bad] = std::from_chars(text.data(), end, number);
    if (bad == std::errc() && stop == end) return number;
  }
  if (!is_free && key == "preemptible" && (text == "true" || text == "false")) return text == "true";
  return text;
}

/// A value of a file as JSON; what is no whole number or truth is a text, which the API takes for amounts and
/// weights too.
Json json_of(const std::string& key, const Node& node, bool is_free) {
  switch (node.kind) {
    case Node::Kind::null:
      return nullptr;
    case Node::Kind::scalar:
      return scalar(key, node.text, is_free);
    case Node::Kind::list: {
      Json list = Json::array();
      for (const Node::Entry& entry : node.entries) list.push_back(json_of(key, entry.value, is_free));
      return list;
    }
    case Node::Kind::map:
      break;
  }
  Json map = Json::object();
  for (const Node::Entry& entry : node.entries)
    map[entry.key] = json_of(entry.key, entry.value, is_free || is_one_of(key, kFreeKeys));
  return map;
}

Result<Node> read_node(const std::string& file) {
  const Result<InputText> input = read_input(file);
  if (!input) return input.error();
  return read_document(input->text, input->syntax, input->name);
}

/// The list of a document: the document itself, or what is under `key`, or one map alone.
Result<std::vector<const Node*>> entries_of(const Node& root, const std::string& key,
                                            const std::string& file) {
  const Node* list = &root;
  if (root.kind == Node::Kind::map) {
    list = root.find(key);
    if (list == nullptr) return std::vector<const Node*>{&root};
    if (root.entries.size() != 1)
      return Error{
          .message = fmt::format("stands alone, or the file is one of them"), .key = key, .file = file};
  }
  if (list->kind != Node::Kind::list)
    return Error{.message = fmt::format("a list of {} is expected", key), .file = file, .line = list->line};
  std::vector<const Node*> entries;
  for (const Node::Entry& entry : list->entries) entries.push_back(&entry.value);
  return entries;
}

/// `{cpu: 1500m, gpu: 1}` of `cpu=1500m` and `gpu=1`.
Result<Json> map_of(const std::vector<std::string>& texts, const std::string& key) {
  Json map = Json::object();
  for (const std::string& text : texts) {
    const auto pair = read_pair(text, key);
    if (!pair) return pair.error();
    if (map.contains(pair->first))
      return Error{.message = fmt::format("'{}' is given twice", pair->first), .key = key};
    map[pair->first] = pair->second;
  }
  return map;
}

Result<Json> selection_of(const std::vector<std::string>& texts) {
  Json select = Json::object();
  for (const std::string& text : texts) {
    const auto pair = read_pair(text, "--select");
    if (!pair) return pair.error();
    select[pair->first].push_back(pair->second);
  }
  return select;
}

Result<Json> spread_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  Json spread = {{"label", text.substr(0, equals)}};
  if (equals == std::string::npos) return spread;
  const std::string most = text.substr(equals + 1);
  spread["most_apart"] = scalar("most_apart", most, false);
  if (!spread["most_apart"].is_number())
    return Error{.message = fmt::format("'{}' is not a whole number", most), .key = "--spread"};
  return spread;
}

}  // namespace

Result<std::pair<std::string, std::string>> read_pair(const std::string& text, const std::string& key) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return Error{.message = fmt::format("'{}' is not of the form NAME=VALUE", text), .key = key};
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<Json> body_of(const JobWords& job) {
  Json body = Json::object();
  if (job.tasks) body["tasks"] = *job.tasks;
  Result<Json> demand = map_of(job.demand, "--demand");
  if (!demand) return demand.error();
  body["demand"] = *std::move(demand);
  if (job.gang) body["gang"] = *job.gang;
  if (job.per_server) body["per_server"] = *job.per_server;
  if (!job.select.empty()) {
    Result<Json> select = selection_of(job.select);
    if (!select) return select.error();
    body["select"] = *std::move(select);
  }
  if (!job.spread.empty()) {
    Result<Json> spread = spread_of(job.spread);
    if (!spread) return spread.error();
    body["spread"] = *std::move(spread);
  }
  if (job.attempts) body["attempts"] = *job.attempts;
  if (job.priority) body["priority"] = *job.priority;
  if (!job.labels.empty()) {
    Result<Json> labels = map_of(job.labels, "--label");
    if (!labels) return labels.error();
    body["labels"] = *std::move(labels);
  }
  Json spec = Json::object();
  if (!job.argv.empty()) spec["argv"] = job.argv;
  if (!job.env.empty()) {
    Result<Json> env = map_of(job.env, "--env");
    if (!env) return env.error();
    spec["env"] = *std::move(env);
  }
  if (!job.time_limit.empty()) spec["time_limit"] = job.time_limit;
  if (!spec.empty()) body["spec"] = std::move(spec);
  return body;
}

Result<std::vector<FileJob>> read_jobs(const std::string& file,
                                       const std::function<std::string()>& new_name) {
  const Result<Node> root = read_node(file);
  if (!root) return root.error();
  const auto entries = entries_of(*root, "jobs", file);
  if (!entries) return entries.error();
  std::vector<FileJob> jobs;
  std::set<std::string> names;
  for (const Node* const entry : *entries) {
    const auto refuse = [&](const std::string& message) {
      return Error{.message = message, .file = file, .line = entry->line};
    };
    if (entry->kind != Node::Kind::map) return refuse("a job is a map with queue, name, tasks, demand, …");
    FileJob job{.body = json_of({}, *entry, false), .line = entry->line};
    if (!job.body.contains("queue") || !job.body["queue"].is_string())
      return refuse("a job needs the key queue");
    if (!job.body.contains("name")) job.body["name"] = new_name();
    if (!job.body["name"].is_string()) return refuse("the name of a job is a text");
    job.job = {.queue = job.body["queue"], .name = job.body["name"]};
    if (!names.insert(job.job.text()).second)
      return refuse(fmt::format("the job {} is there twice", job.job.text()));
    jobs.push_back(std::move(job));
  }
  if (jobs.empty()) return Error{.message = "there is no job in it", .file = file};
  return jobs;
}

Result<Json> read_changes(const std::string& file) {
  const Result<Node> root = read_node(file);
  if (!root) return root.error();
  const auto entries = entries_of(*root, "changes", file);
  if (!entries) return entries.error();
  Json changes = Json::array();
  for (const Node* const entry : *entries) changes.push_back(json_of({}, *entry, false));
  return changes;
}

std::string uuid_of(std::array<std::uint64_t, 2> random) {
  random[0] = (random[0] & ~std::uint64_t{0xF000}) | 0x4000;                         // version 4
  random[1] = (random[1] & ~(std::uint64_t{3} << 62U)) | (std::uint64_t{1} << 63U);  // variant
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", random[0] >> 32U, random[0] >> 16U & 0xFFFFU,
                     random[0] & 0xFFFFU, random[1] >> 48U, random[1] & 0xFFFFFFFFFFFFU);
}

}  // namespace mirab::client
