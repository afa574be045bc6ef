// The description of the API, made from the route table: OpenAPI 3.1, the page of the reference, and a page
// for people.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "api/routes.hpp"

namespace mirab::api {
namespace {

using Ordered = nlohmann::ordered_json;

/// The bodies of requests are closed: a key that is not here is an error. Answers may gain keys.
constexpr const char* kSchemas = R"json({
"Amount": {"description": "A number, or a text such as 500m, 4Gi, 1.5", "type": ["string", "number"]},
"Amounts": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Amount"}},
"BaseAmounts": {"description": "In base units", "type": "object", "additionalProperties": {"type": "integer"}},
"Labels": {"type": "object", "maxProperties": 32, "additionalProperties": {"type": "string", "maxLength": 255}},
"Weight": {"description": "A decimal number of 0 or more", "type": ["string", "integer"]},
"ServerContent": {"type": "object", "additionalProperties": false, "required": ["capacity"], "properties": {
  "capacity": {"$ref": "#/components/schemas/Amounts"}, "labels": {"$ref": "#/components/schemas/Labels", "default": {}},
  "state": {"description": "Left out: unchanged; open where the server is new", "enum": ["open", "drained"]}}},
"TenantContent": {"type": "object", "additionalProperties": false, "properties": {
  "limits": {"description": "What is left out has its default", "type": "object", "default": {}, "additionalProperties": false, "properties": {
    "requests_per_s": {"type": "integer", "default": 200}, "submits_per_s": {"type": "integer", "default": 100},
    "burst": {"type": "integer", "default": 2000}, "queued_jobs": {"type": "integer", "default": 10000},
    "waiting_tasks": {"type": "integer", "default": 1000000}, "watches": {"type": "integer", "default": 64}}}}},
"GroupContent": {"type": "object", "additionalProperties": false, "properties": {
  "parent": {"description": "Left out: the root", "type": "string"}, "weight": {"$ref": "#/components/schemas/Weight", "default": "1"},
  "guarantee": {"$ref": "#/components/schemas/Amounts"}, "limit": {"$ref": "#/components/schemas/Amounts", "description": "A resource left out has none"},
  "reserved": {"$ref": "#/components/schemas/Amounts"}}},
"QueueContent": {"type": "object", "additionalProperties": false, "required": ["tenant"], "properties": {
  "tenant": {"type": "string"}, "group": {"description": "Left out: the root", "type": "string"}, "weight": {"$ref": "#/components/schemas/Weight", "default": "1"},
  "guarantee": {"$ref": "#/components/schemas/Amounts"}, "limit": {"$ref": "#/components/schemas/Amounts", "description": "A resource left out has none"},
  "reserved": {"$ref": "#/components/schemas/Amounts"}}},
"JobContent": {"type": "object", "additionalProperties": false, "properties": {
  "tasks": {"type": "integer", "minimum": 1, "default": 1}, "demand": {"$ref": "#/components/schemas/Amounts", "description": "Of each task; required where there are no roles"},
  "gang": {"description": "How many tasks start together", "type": "integer", "minimum": 1, "default": 1}, "per_server": {"type": "integer", "minimum": 1},
  "servers": {"description": "Left out: all", "type": "array", "items": {"type": "string"}}, "pack": {"type": "string"},
  "select": {"type": "object", "default": {}, "additionalProperties": {"type": "array", "minItems": 1, "items": {"type": "string"}}},
  "spread": {"type": "object", "additionalProperties": false, "required": ["label"], "properties": {
    "label": {"type": "string"}, "most_apart": {"type": "integer", "minimum": 1, "default": 1}}},
  "demand_on": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Amounts"}}, "attempts": {"type": "integer", "minimum": 1, "default": 1}, "priority": {"type": "integer", "default": 0},
  "preemptible": {"type": "boolean", "default": true}, "roles": {"type": "array", "minItems": 1, "maxItems": 100, "items": {"$ref": "#/components/schemas/Role"}},
  "labels": {"$ref": "#/components/schemas/Labels", "default": {}}, "spec": {"$ref": "#/components/schemas/Spec"}}},
"Role": {"description": "Tasks of a gang that take the same, in place of the tasks, demand, gang and demand_on of the job", "type": "object",
  "additionalProperties": false, "required": ["name", "demand"], "properties": {"name": {"type": "string", "maxLength": 253},
  "tasks": {"type": "integer", "minimum": 1, "default": 1}, "demand": {"$ref": "#/components/schemas/Amounts"}}},
"Spec": {"description": "What the executor runs", "type": "object", "additionalProperties": false, "properties": {
  "argv": {"type": "array", "items": {"type": "string"}},
  "env": {"type": "object", "additionalProperties": {"type": "string"}},
  "time_limit": {"description": "Such as 90s, 2h", "type": "string", "examples": ["90s", "2h"]},
  "when_lost": {"enum": ["rerun", "stop"], "default": "rerun"}}},
"Submits": {"type": "object", "additionalProperties": false, "required": ["jobs"], "properties": {
  "jobs": {"type": "array", "maxItems": 1000, "items": {"type": "object", "required": ["queue", "name"], "properties": {
    "queue": {"type": "string"}, "name": {"type": "string"}}}}}},
"OutcomeContent": {"type": "object", "additionalProperties": false, "required": ["outcome"], "properties": {
  "outcome": {"enum": ["running", "succeeded", "failed", "lost", "cancelled", "preempted"]}, "exit_code": {"type": "integer"},
  "attempt": {"type": "integer"}, "reason": {"type": "string"},
  "usage": {"type": "object", "additionalProperties": {"type": "integer"}}}},
"TokenContent": {"type": "object", "additionalProperties": false, "required": ["scopes"], "properties": {
  "scopes": {"type": "array", "items": {"enum": ["admin", "operator", "submit", "read", "executor", "metrics"]}},
  "tenant": {"type": "string"}, "server": {"type": "string"}, "expires": {"type": "string", "format": "date-time"}}},
"Policy": {"type": "object", "additionalProperties": false, "required": ["discipline", "placement"], "properties": {
  "discipline": {"type": "string", "examples": ["drf", "asset", "tsf", "round-robin", "fifo"]},
  "placement": {"type": "string", "examples": ["best-fit", "first-fit", "worst-fit"]}, "tie": {"enum": ["first", "last", "random"], "default": "first"},
  "share_scale": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Weight"}},
  "half_life": {"type": "string", "examples": ["1h"]},
  "reservations": {"type": "object", "additionalProperties": false, "required": ["after"], "properties": {
    "after": {"type": "string", "examples": ["10m"]}, "servers": {"type": "integer", "minimum": 1, "default": 1},
    "at_most": {"type": "string", "examples": ["1h"]}}},
  "preemption": {"type": "object", "additionalProperties": false, "required": ["tasks", "per"], "properties": {
    "tasks": {"type": "integer", "minimum": 1}, "per": {"type": "string", "examples": ["10s"]}}}}},
"WhatIf": {"type": "object", "required": ["changes"], "properties": {
  "changes": {"type": "array", "maxItems": 100, "items": {"type": "object"}},
  "show": {"type": "array", "default": ["queues"], "items": {"type": "string"}}}},
"Thing": {"type": "object"},
"Cluster": {"type": "object", "required": ["id", "policy", "resources", "totals"], "properties": {
  "resources": {"type": "array", "items": {"type": "object"}}, "totals": {"type": "object"}}},
"Server": {"type": "object", "required": ["name", "labels", "capacity", "capacity_base", "state"], "properties": {
  "name": {"type": "string"}, "labels": {"$ref": "#/components/schemas/Labels"},
  "capacity": {"$ref": "#/components/schemas/Amounts"}, "capacity_base": {"$ref": "#/components/schemas/BaseAmounts"},
  "used": {"$ref": "#/components/schemas/Amounts"}, "used_base": {"$ref": "#/components/schemas/BaseAmounts"},
  "held": {"$ref": "#/components/schemas/Amounts", "description": "What other schedulers have placed there; a part of used"},
  "held_base": {"$ref": "#/components/schemas/BaseAmounts"},
  "tasks": {"type": "integer"}, "stopping": {"description": "Tasks that are to stop", "type": "integer"},
  "state": {"enum": ["open", "drained", "lost"]}, "revision": {"type": "integer"},
  "silent": {"description": "Present while its executor does not answer; it then gets no tasks", "const": true}}},
"Explanation": {"type": "object", "required": ["job", "says"], "properties": {
  "revision": {"type": "integer"},
  "job": {"type": "string"}, "state": {"type": "string"}, "verdict": {"type": "string"}, "says": {"type": "string"},
  "next_step": {"type": "string", "description": "What would help"}, "waiting": {"type": "integer"}, "running": {"type": "integer"},
  "failures": {"description": "Tasks that failed", "type": "object", "required": ["tasks", "latest"]},
  "preempted": {"description": "Tasks that ended for others", "type": "object", "required": ["tasks", "latest"], "properties": {
    "tasks": {"type": "integer"}, "latest": {"type": "object"}, "for": {"type": "string", "description": "The job, if it may be seen"},
    "says": {"type": "string"}}},
  "servers": {"description": "How many, by what is in the way there", "type": "object", "required": ["total"]},
  "ahead": {"description": "How many queues and jobs come before", "type": "object", "required": ["queues", "tied", "own"]},
  "holders": {"description": "Who holds most of what is lacking", "type": "array", "items": {"type": "object", "required": ["queue", "share"]}},
  "key": {"type": ["number", "null"], "description": "Of its queue: the lower comes first"},
  "last": {"type": "string", "description": "A node above it of weight 0, which comes last beyond its guarantee"},
  "over_budget": {"$ref": "#/components/schemas/OverBudget"},
  "with_weight": {"type": "number", "description": "With more its queue comes before the others"},
  "constraints": {"type": "array", "items": {"type": "object", "required": ["wish", "excludes", "alone"]}},
  "gang": {"type": "object", "required": ["together", "room"]}, "nearest_miss": {"type": "object", "required": ["server", "to_free"]},
  "kept_for_it": {"type": "object", "required": ["server", "since", "missing"]},
  "covered_by": {"description": "Whose guarantee covers it", "type": "string"},
  "server": {"type": "string"}, "reason": {"type": "string", "description": "Why it does not go to the server"},
  "label": {"type": "string"}, "missing": {"$ref": "#/components/schemas/Amounts"},
  "wishes": {"type": "string", "description": "Of a pod of Kubernetes: what it asks of nodes"},
  "condition": {"type": "object", "description": "Of a pod of Kubernetes: the condition PodScheduled"},
  "missing_base": {"$ref": "#/components/schemas/BaseAmounts"}}},
"OverBudget": {"description": "Tasks that the budget of preemption keeps from ending", "type": "object", "required": ["tasks", "left"], "properties": {
  "tasks": {"type": "integer", "description": "How many would end"}, "left": {"type": "integer", "description": "How many may end now"},
  "free_at": {"type": "string", "format": "date-time", "description": "When the budget allows them; left out: never"},
  "first": {"type": "string", "description": "The queue for which they would end, if it may be seen"}}},
"WhatIfAnswer": {"type": "object", "required": ["settled", "invariant"], "properties": {
  "revision": {"type": "integer"},
  "settled": {"type": "boolean"}, "steps": {"type": "integer"}, "queues": {"type": "array", "items": {"type": "object"}},
  "jobs": {"type": "array", "items": {"type": "object"}}, "over_budget": {"$ref": "#/components/schemas/OverBudget"},
  "invariant": {"type": "string"}}},
"Job": {"type": "object", "required": ["queue", "name", "uid", "state"], "properties": {
  "queue": {"type": "string"}, "name": {"type": "string"}, "uid": {"type": "string"},
  "state": {"enum": ["waiting", "running", "succeeded", "failed", "cancelled"]},
  "tasks": {"type": "integer"}, "demand": {"$ref": "#/components/schemas/Amounts"},
  "demand_base": {"$ref": "#/components/schemas/BaseAmounts"},
  "roles": {"description": "In place of demand", "type": "array", "items": {"type": "object", "required": ["name", "tasks", "demand", "demand_base", "waiting", "running"]}},
  "waiting": {"type": "integer"},
  "running": {"type": "integer"}, "succeeded": {"type": "integer"}, "failed": {"type": "integer"},
  "cancelled": {"type": "integer"}, "revision": {"type": "integer"}}},
"List": {"type": "object", "required": ["items"], "properties": {
  "items": {"type": "array", "items": {"type": "object"}}, "revision": {"type": "integer"}, "page": {"type": ["string", "null"]}}},
"SubmitsAnswer": {"type": "object", "required": ["answers", "revision"], "properties": {
  "revision": {"type": "integer"}, "answers": {"type": "array", "items": {
    "type": "object", "required": ["status"], "properties": {"status": {"type": "integer"}}}}}},
"Assignments": {"type": "object", "required": ["revision", "run", "stop", "lost_after"], "properties": {
  "revision": {"type": "integer"},
  "lost_after": {"type": "string", "description": "without a poll for so long, the server is given up"},
  "run": {"type": "array", "items": {"type": "object", "required": ["task", "attempt", "job", "demand", "spec"]}},
  "stop": {"type": "array", "items": {"type": "object", "required": ["task", "why"]}}}},
"Changes": {"type": "object", "required": ["changes", "revision"], "properties": {
  "revision": {"type": "integer"}, "changes": {"type": "array", "items": {
    "type": "object", "required": ["revision", "at", "events"], "properties": {
      "revision": {"type": "integer"}, "at": {"type": "string", "format": "date-time"},
      "events": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["kind"]}}}}}}},
"History": {"type": "object", "required": ["series", "from", "to", "step", "t", "v"], "properties": {
  "series": {"enum": ["share", "running", "waiting", "used"]}, "queue": {"type": "string"}, "resource": {"type": "string"},
  "from": {"type": "string", "format": "date-time"}, "to": {"type": "string", "format": "date-time"},
  "step": {"type": "integer", "description": "seconds"},
  "t": {"type": "array", "items": {"type": "integer", "description": "Unix seconds, the begin of a step"}},
  "v": {"type": "array", "items": {"type": ["number", "null"], "description": "the mean of the step; null: not known"}}}},
"Usage": {"type": "object", "required": ["from", "to", "by", "items"], "properties": {
  "from": {"type": "string", "format": "date-time"}, "to": {"type": "string", "format": "date-time"},
  "until": {"type": "string", "format": "date-time", "description": "what runs is counted up to here"},
  "by": {"enum": ["queue", "group", "tenant"]}, "resources": {"type": "array", "items": {"type": "string"}},
  "items": {"type": "array", "items": {"type": "object", "required": ["hours"], "properties": {
    "hours": {"type": "object", "additionalProperties": {"type": "number"}}}}}}},
"Audit": {"type": "object", "required": ["items", "after"], "properties": {
  "after": {"type": "integer"}, "items": {"type": "array", "items": {
    "type": "object", "required": ["revision", "at", "by", "from", "do"]}}}},
"Health": {"type": "object", "required": ["status"]},
"OpenApi": {"type": "object"}, "Text": {"type": "string"},
"Problem": {"type": "object", "required": ["type", "title", "status"], "properties": {
  "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
  "detail": {"type": "string"}, "key": {"type": "string"}, "revision": {"type": "integer"}}}
})json";

std::vector<std::string> scope_words(ScopeSet scopes) {
  std::vector<std::string> words;
  for (const auto& [bit, word] : {std::pair<ScopeSet, const char*>{kAdmin, "admin"},
                                  {kOperator, "operator"},
                                  {kSubmit, "submit"},
                                  {kRead, "read"},
                                  {kExecutor, "executor"},
                                  {kMetrics, "metrics"}}) {
    if ((scopes & bit) != 0) words.emplace_back(word);
  }
  return words;
}

/// Calls `use` for the names in braces of a path.
template <class Use>
void for_each_name(std::string_view path, Use use) {
  for (std::size_t from = path.find('{'); from != std::string_view::npos; from = path.find('{', from + 1))
    use(std::string(path.substr(from + 1, path.find('}', from) - from - 1)));
}

std::string answer_type(const Route& route) {
  if (route.action == Action(Own::metrics)) return "text/plain";
  if (route.action == Action(Own::docs) || route.path == "/") return "text/html";
  if (route.action == Action(Own::page)) return "text/javascript";
  return "application/json";
}

Ordered operation_of(const Route& route, Offer offer) {
  Ordered operation;
  operation["summary"] = route.summary;
  std::string id(route.method);
  for (const char letter : route.path)
    id += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  operation["operationId"] = id;
  operation["parameters"] = Ordered::array();
  for_each_name(route.path, [&](const std::string& name) {
    operation["parameters"].push_back({{"name", name},
                                       {"in", "path"},
                                       {"required", true},
                                       {"schema", {{"type", "string"}, {"maxLength", 253}}}});
  });
  for (const auto& [name, values, is_list] : parameters_of(route)) {
    const bool is_number = name == "after" || name == "at_least" || name == "limit";
    Ordered schema = {{"type", is_number ? "integer" : "string"}};
    if (!values.empty()) schema["enum"] = values;
    if (is_list) schema = {{"type", "array"}, {"items", schema}};
    operation["parameters"].push_back({{"name", name}, {"in", "query"}, {"schema", std::move(schema)}});
  }
  const auto body = [](std::string_view schema, const std::string& type) {
    return Ordered{{type, {{"schema", {{"$ref", "#/components/schemas/" + std::string(schema)}}}}}};
  };
  if (!route.schema.empty())
    operation["requestBody"] = {{"required", true}, {"content", body(route.schema, "application/json")}};
  operation["responses"]["200"] = {{"description", "Done"},
                                   {"content", body(route.answer, answer_type(route))}};
  if (route.action == Action(Own::events))
    operation["responses"]["200"]["content"].update(body("Text", "text/event-stream"));
  if (route.action == Action(Own::usage))
    operation["responses"]["200"]["content"].update(body("Text", "text/csv"));
  if (route.method == "PUT")
    operation["responses"]["201"] = {{"description", "Made"},
                                     {"content", body(route.answer, "application/json")}};
  operation["responses"]["default"] = {{"description", "A problem (RFC 9457)"},
                                       {"content", body("Problem", "application/problem+json")}};
  if (offer == Offer::reads) return operation;
  if (route.scopes == kNoToken) {
    operation["security"] = Ordered::array();
  } else {
    operation["x-scopes"] = scope_words(route.scopes);
  }
  return operation;
}

/// The keys of objects that schemas name, each as it begins in JSON, and the words that a value may be.
void add_words(const Ordered& schema, std::set<std::string>& words) {
  if (!schema.is_structured()) return;
  if (schema.is_object() && schema.contains("properties")) {
    for (const auto& each : schema["properties"].items()) words.insert("\\\"" + each.key() + "\\\":");
  }
  if (schema.is_object() && schema.contains("enum")) {
    for (const Ordered& word : schema["enum"]) words.insert("\\\"" + word.get<std::string>() + "\\\"");
  }
  for (const auto& each : schema.items()) add_words(each.value(), words);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// "`state` (`open`, `drained`, `lost`)"; long lists of words are in the OpenAPI document alone.
std::string parameter_words(const Parameter& parameter) {
  constexpr std::size_t kMostWords = 8;
  std::vector<std::string> words;
  for (const std::string_view value : parameter.values) words.push_back(fmt::format("`{}`", value));
  const bool is_listed = !words.empty() && words.size() <= kMostWords;
  return fmt::format("`{}`{}", parameter.name, is_listed ? " (" + joined(words) + ")" : "");
}

/// What a value of this schema is, in words.
std::string type_words(const Ordered& schema) {
  if (schema.contains("enum")) {
    std::vector<std::string> words;
    for (const Ordered& word : schema["enum"]) words.push_back("`" + word.get<std::string>() + "`");
    return joined(words);
  }
  if (schema.contains("$ref")) {
    const auto name = schema["$ref"].get<std::string>();
    const std::string of = name.substr(name.rfind('/') + 1);
    return of == "Amounts"  ? "amounts"
           : of == "Labels" ? "map to texts"
           : of == "Weight" ? "decimal number"
                            : "object";
  }
  const Ordered type = schema.value("type", Ordered());
  if (type == "integer")
    return schema.contains("minimum") ? fmt::format("whole number from {}", schema["minimum"].dump())
                                      : "whole number";
  if (type == "boolean") return "true or false";
  if (type == "array") return "list: " + type_words(schema.value("items", Ordered::object()));
  if (type == "string") return schema.value("format", "") == "date-time" ? "time, RFC 3339" : "text";
  if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
    return "map: " + type_words(schema["additionalProperties"]);
  return "object";
}

/// A row for each key of an object, and for those of the objects in it.
std::string key_rows(const Ordered& schemas, const Ordered& schema, const std::string& before) {
  std::string text;
  const Ordered required = schema.value("required", Ordered::array());
  const Ordered properties = schema.value("properties", Ordered::object());
  for (const auto& entry : properties.items()) {
    const std::string key = before + entry.key();
    const Ordered& value = entry.value();
    const bool is_required = std::find(required.begin(), required.end(), entry.key()) != required.end();
    const Ordered fallback = value.value("default", Ordered());
    text +=
        fmt::format("| `{}` | {} | {} | {} |\n", key, type_words(value),
                    is_required          ? "required"
                    : fallback.is_null() ? "none"
                                         : "`" + fallback.dump() + "`",
                    value.value("description", value.value("examples", Ordered()).is_null()
                                                   ? ""
                                                   : "such as " + value["examples"][0].get<std::string>()));
    const bool is_list = value.value("type", Ordered()) == "array";
    const Ordered inner = is_list ? value.value("items", Ordered::object()) : value;
    const auto name = inner.value("$ref", std::string());
    const std::string of = name.substr(name.rfind('/') + 1);
    text += key_rows(schemas, schemas.contains(of) ? schemas[of] : inner, key + (is_list ? "[]." : "."));
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '<') {
      result += "&lt;";
    } else if (letter == '&') {
      result += "&amp;";
    } else {
      result += letter;
    }
  }
  return result;
}

}  // namespace

std::string openapi_document(std::string_view version, Offer offer) {
  Ordered document;
  document["openapi"] = "3.1.0";
  document["info"] = {
      {"title", "Mirab"},
      {"version", version},
      {"description", offer == Offer::all
                          ? "Fair sharing of a cluster: submit, ask who has what and why, watch"
                          : "Fair sharing of a cluster: ask who has what and why, watch"}};
  for (const Route& route : routes()) {
    if (!is_offered(route, offer)) continue;
    std::string method(route.method);
    for (char& letter : method) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    document["paths"][std::string(route.path)][method] = operation_of(route, offer);
  }
  document["components"]["schemas"] = Ordered::parse(kSchemas);
  if (offer == Offer::reads) return document.dump(1) + "\n";
  document["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  document["security"] = Ordered::array({{{"token", Ordered::array()}}});
  return document.dump(1) + "\n";
}

std::string api_markdown() {
  std::string text =
      "# The API of `mirab serve`\n\n"
      "Made from the table of routes by `mirab generate api`. Bodies are JSON; a running service\n"
      "describes them at `/openapi.json` (OpenAPI 3.1) and `/docs`. Send `Authorization: Bearer TOKEN`.\n\n"
      "| method | path | scopes | parameters | what |\n|---|---|---|---|---|\n";
  for (const Route& route : routes()) {
    std::vector<std::string> parameters;
    for (const Parameter& each : parameters_of(route)) parameters.push_back(parameter_words(each));
    const std::string scopes =
        route.scopes == kNoToken ? "without a token" : joined(scope_words(route.scopes));
    text += fmt::format("| {} | `{}` | {} | {} | {} |\n", route.method, route.path, scopes,
                        joined(parameters), route.summary);
  }
  text +=
      "\n## Bodies\n\n"
      "`parent.key` is a key of an object, `list[].key` one of each object of a list.\n";
  const auto schemas = Ordered::parse(kSchemas);
  for (const Route& route : routes()) {
    if (route.schema.empty()) continue;
    text += fmt::format("\n`{} {}`:\n\n| key | type | default | |\n|---|---|---|---|\n", route.method,
                        route.path);
    text += key_rows(schemas, schemas[std::string(route.schema)], "");
  }
  text += fmt::format(
      "\nA key that is not listed is an error, except in the items of `jobs:submit`, which have the keys\n"
      "of a job besides, and the changes of `whatif`: [examples](../how-to/use-a-service.md#with-curl).\n"
      "Amounts are a map from resources to numbers or texts such as `500m`, `4Gi` and `1.5`. A body has\n"
      "at most {} KiB, that of `jobs:submit` {} MiB, with jobs of at most 64 KiB.\n"
      "\nA list of `jobs:submit` is applied in parts of 64 jobs, and others get their turn between them.\n"
      "Where one part is refused (503, 507) that is the answer to the list, and what the parts before it\n"
      "did stays done: send the list again, since a job that is there already is answered as it was.\n"
      "\n## Answers\n\n"
      "Every answer carries `Mirab-Revision`, except those whose bytes must not differ (401, 403, 404).\n"
      "A read with `?at_least=N` waits up to five seconds until it shows revision N. Problems are\n"
      "`application/problem+json` with `key`, a JSON pointer to what is wrong. A stream of events ends\n"
      "when its token expires, is changed or revoked; resume it with another and `after`. `page` of a\n"
      "list names the next page; after an upgrade it may get 400: list again from the beginning.\n"
      "`label` and `kind` may be given more than once.\n"
      "\n| status | when |\n|---|---|\n"
      "| 200, 201 | done; made |\n"
      "| 400, 413, 414, 431 | malformed, too large |\n"
      "| 401, 403, 404 | no valid token; not with these scopes; not there, or not to be seen |\n"
      "| 409, 412, 410 | another content under this name; changed meanwhile; the log no longer goes back so "
      "far |\n"
      "| 422 | it can never fit, or an amount is no whole number of base units |\n"
      "| 429 | over a limit of the tenant; `Retry-After` says when, where that is known |\n"
      "| 500 `internal` | the service could not answer; its log says why |\n"
      "| 503, 507 | busy, the outcome is unknown: send it again under the same name; the disk is full |\n",
      kBodyBytes / 1024, kSubmitsBytes / 1024 / 1024);
  return text;
}

std::string fuzz_dictionary() {
  std::set<std::string> words;
  for (const Route& route : routes()) {
    words.emplace(route.method);
    words.emplace(route.path);
    for (const Parameter& parameter : parameters_of(route)) {
      words.insert(std::string(parameter.name) + "=");
      for (const std::string_view value : parameter.values) words.emplace(value);
    }
  }
  add_words(Ordered::parse(kSchemas), words);
  for (const char* word :
       {"HTTP/1.1\\x0d\\x0a", "HTTP/1.0\\x0d\\x0a", "Host: a\\x0d\\x0a", "Content-Length: 1\\x0d\\x0a",
        "Transfer-Encoding: chunked\\x0d\\x0a", "Authorization: Bearer ", "\\x0d\\x0a\\x0d\\x0a"})
    words.emplace(word);
  std::string text = "# Made by `mirab generate api-words` from the table of routes.\n";
  for (const std::string& word : words) text += "\"" + word + "\"\n";
  return text;
}

std::string api_page(Offer offer) {
  std::string rows;
  for (const Route& route : routes()) {
    if (!is_offered(route, offer)) continue;
    rows += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n", route.method,
                        escaped(route.path), offer == Offer::all ? joined(scope_words(route.scopes)) : "none",
                        escaped(route.summary));
  }
  return "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Mirab: the API</title>\n"
         "<h1>The API of this service</h1><p>Bodies are described in <a "
         "href=\"/openapi.json\">/openapi.json</a>.</p>\n"
         "<table><thead><tr><th>method<th>path<th>scopes<th>what</thead><tbody>\n" +
         rows + "</tbody></table></html>\n";
}

}  // namespace mirab::api
