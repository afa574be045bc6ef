// The calls of the API server that the scheduler makes, and what comes back.
//
// Source: the Kubernetes API, core/v1 Binding and PodCondition, events.k8s.io/v1 Event, meta/v1 Status.
#include "kubernetes/scheduler/requests.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kubernetes/objects.hpp"

namespace mirab::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr const char* kJson = "application/json";
constexpr std::size_t kLongestNote = 1024;  // bytes, as the API server allows
constexpr int kFound = 200;

std::string path_of(const PodName& pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", pod.space, pod.name);
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// No half of a character at its end.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

std::string text_in(const Json& map, const char* key) {
  const auto found = map.find(key);
  return found != map.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string message_of(const Reply& reply) {
  const Json status = Json::parse(reply.body, nullptr, false);
  if (!status.is_object()) return reply.body.substr(0, kLongestNote);
  return text_in(status, "message");
}

bool is_of_budget(const Reply& reply) {
  if (reply.status != kTooMany) return false;
  const Json status = Json::parse(reply.body, nullptr, false);
  if (!status.is_object() || !status.contains("details") || !status["details"].is_object()) return false;
  const auto causes = status["details"].find("causes");
  return causes != status["details"].end() && causes->is_array() &&
         std::any_of(causes->begin(), causes->end(), [](const Json& cause) {
           return cause.is_object() && text_in(cause, "reason") == "DisruptionBudget";
         });
}

Request bind_request(const PodName& pod, const std::string& node, const std::string& decision) {
  const Json body = {{"apiVersion", "v1"},
                     {"kind", "Binding"},
                     {"metadata",
                      {{"name", pod.name},
                       {"namespace", pod.space},
                       {"uid", pod.uid},
                       {"annotations", {{"mirab.io/decision", decision}}}}},
                     {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}};
  return {.method = "POST", .path = path_of(pod) + "/binding", .content_type = kJson, .body = dumped(body)};
}

Request look_request(const PodName& pod) { return {.method = "GET", .path = path_of(pod)}; }

Request nomination_request(const PodName& pod, const std::string& node) {
  const Json body = {{"metadata", {{"uid", pod.uid}}}, {"status", {{"nominatedNodeName", node}}}};
  return {.method = "PATCH",
          .path = path_of(pod) + "/status",
          .content_type = "application/strategic-merge-patch+json",
          .body = dumped(body)};
}

Request eviction_request(const PodName& pod, std::string_view version, EvictionRun run) {
  Json options = {{"preconditions", {{"uid", pod.uid}}}};
  if (run == EvictionRun::dry) options["dryRun"] = {"All"};
  const Json body = {{"apiVersion", fmt::format("policy/{}", version)},
                     {"kind", "Eviction"},
                     {"metadata", {{"name", pod.name}, {"namespace", pod.space}}},
                     {"deleteOptions", options}};
  return {.method = "POST", .path = path_of(pod) + "/eviction", .content_type = kJson, .body = dumped(body)};
}

Request condition_request(const PodName& pod, std::string_view reason, const std::string& message,
                          const std::string& since, Wall now) {
  const Json condition = {{"type", "PodScheduled"},
                          {"status", "False"},
                          {"reason", reason},
                          {"message", message},
                          {"lastProbeTime", nullptr},
                          {"lastTransitionTime", since.empty() ? text_of(now).substr(0, 19) + "Z" : since}};
  const Json body = {{"metadata", {{"uid", pod.uid}}}, {"status", {{"conditions", {condition}}}}};
  return {.method = "PATCH",
          .path = path_of(pod) + "/status",
          .content_type = "application/strategic-merge-patch+json",
          .body = dumped(body)};
}

Request event_request(const PodName& pod, const PodEvent& event, const std::string& reporter,
                      const std::string& instance, std::uint64_t number, Wall now) {
  std::string time = text_of(now);
  time.insert(time.size() - 1, "000");  // MicroTime
  const Json body = {
      {"apiVersion", "events.k8s.io/v1"},
      {"kind", "Event"},
      {"metadata",
       {{"name", fmt::format("{}.{:x}{:08x}", cut(pod.name, 200), now.time_since_epoch().count(), number)},
        {"namespace", pod.space}}},
      {"eventTime", time},
      {"type", event.type},
      {"reason", event.reason},
      {"action", event.action},
      {"note", cut(event.note, kLongestNote)},
      {"reportingController", reporter},
      {"reportingInstance", cut(instance, 128)},
      {"regarding",
       {{"apiVersion", "v1"},
        {"kind", "Pod"},
        {"name", pod.name},
        {"namespace", pod.space},
        {"uid", pod.uid}}}};
  return {.method = "POST",
          .path = fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", pod.space),
          .content_type = kJson,
          .body = dumped(body)};
}

std::optional<LookedAt> looked_at(const Reply& reply) {
  const Result<Node> pod = read_json_line(reply.body, "", 0, kManagedFields);
  if (!pod) return {};
  const Node* const uid = value_at(*pod, "/metadata/uid");
  const Node* const node = value_at(*pod, "/spec/nodeName");
  if (uid == nullptr || uid->text.empty()) return {};
  return LookedAt{.uid = uid->text, .node = node == nullptr ? std::string() : node->text};
}

Reply deliver(const Request& request, const std::function<Reply(const Request&)>& ask) {
  if (request.looks_for.empty()) return ask(request);
  Reply look = ask({.method = "GET", .path = request.path.substr(0, request.path.rfind('/'))});
  look.id = request.id;
  look.is_of_look = true;
  const std::optional<LookedAt> seen = look.status == kFound ? looked_at(look) : std::nullopt;
  const bool is_free = seen && seen->uid == request.looks_for && seen->node.empty();
  return is_free ? ask(request) : look;
}

}  // namespace mirab::kubernetes
