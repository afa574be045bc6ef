// What the scheduler may do: asked at the start, and written as a manifest.
//
// Source: the Kubernetes API, authorization.k8s.io/v1 SelfSubjectAccessReview, rbac.authorization.k8s.io/v1.
#include "kubernetes/scheduler/permissions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "kubernetes/objects.hpp"
#include "model/document.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

std::string full_resource(const Permission& permission) {
  return permission.subresource.empty() ? std::string(permission.resource)
                                        : fmt::format("{}/{}", permission.resource, permission.subresource);
}

// The rules of a role: the verbs of each resource together.
std::string rules_text(std::span<const Permission> permissions, std::string_view only_name) {
  std::map<std::pair<std::string_view, std::string>, std::vector<std::string_view>> verbs;
  for (const Permission& each : permissions) verbs[{each.group, full_resource(each)}].push_back(each.verb);
  std::string text;
  for (const auto& [resource, of_it] : verbs) {
    // A name cannot be said of what is only being created.
    std::vector<std::string_view> named;
    for (const std::string_view verb : of_it) {
      if (verb != "create" || only_name.empty()) named.push_back(verb);
    }
    const auto rule = [&, of = resource](const std::vector<std::string_view>& of_rule,
                                         std::string_view name) {
      text += fmt::format("- apiGroups: [\"{}\"]\n  resources: [\"{}\"]\n  verbs: [{}]\n", of.first,
                          of.second, fmt::join(of_rule, ", "));
      if (!name.empty()) text += fmt::format("  resourceNames: [{}]\n", name);
    };
    if (named.size() < of_it.size()) rule({"create"}, "");
    if (!named.empty()) rule(named, only_name);
  }
  return text;
}

constexpr std::string_view kFlowSchema = R"(---
# Its requests do not wait behind those of others.
apiVersion: flowcontrol.apiserver.k8s.io/{version}
kind: FlowSchema
metadata: {{name: mirab}}
spec:
  priorityLevelConfiguration: {{name: workload-high}}
  matchingPrecedence: 800
  distinguisherMethod: {{type: ByUser}}
  rules:
  - subjects:
    - kind: ServiceAccount
      serviceAccount: {{name: mirab, namespace: {space}}}
    resourceRules:
    - {{verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true}}
)";

constexpr std::string_view kManifest =
    R"(# A scheduler for pods with `schedulerName: {scheduler}`: mirab kube.
apiVersion: v1
kind: Namespace
metadata: {{name: {space}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: mirab, namespace: {space}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: mirab-scheduler}}
rules:
{rules}---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: mirab-scheduler}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: mirab-scheduler}}
subjects:
- {{kind: ServiceAccount, name: mirab, namespace: {space}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: mirab-lease, namespace: {space}}}
rules:
{lease_rules}---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: mirab-lease, namespace: {space}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: mirab-lease}}
subjects:
- {{kind: ServiceAccount, name: mirab, namespace: {space}}}
{flow}{config}---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: mirab, namespace: {space}}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: mirab}}}}
  template:
    metadata: {{labels: {{app: mirab}}}}
    spec:
      serviceAccountName: mirab
      schedulerName: default-scheduler
      priorityClassName: system-cluster-critical
      containers:
      - name: mirab
        image: {image}
        args: [kube, --scheduler-name, {scheduler}, --lease-namespace, {space}, --listen, "0.0.0.0:7418"{args}]
        ports: [{{name: metrics, containerPort: 7418}}]
        livenessProbe: {{httpGet: {{path: /healthz, port: metrics}}, periodSeconds: 10}}
        readinessProbe: {{httpGet: {{path: /readyz, port: metrics}}, periodSeconds: 5}}
        resources: {{requests: {{cpu: 100m, memory: 200Mi}}, limits: {{memory: 1Gi}}}}
        securityContext: {{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsNonRoot: true}}
{volumes})";

// A file of teams, as the pods see it.
constexpr std::string_view kTeamsConfig = R"(---
apiVersion: v1
kind: ConfigMap
metadata: {{name: mirab-teams, namespace: {space}}}
data:
  teams.yaml: |
{text})";
constexpr std::string_view kTeamsVolume = R"(        volumeMounts: [{name: teams, mountPath: /etc/mirab}]
      volumes: [{name: teams, configMap: {name: mirab-teams}}]
)";

std::string indented(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    lines += line.empty() ? "\n" : fmt::format("    {}\n", line);
  }
  return lines;
}

}  // namespace

std::string Permission::words() const {
  return fmt::format("{} {}{}{}", verb, full_resource(*this), group.empty() ? "" : ".", group);
}

std::vector<Permission> permissions(const Uses& uses) {
  std::vector<Permission> asked;
  for (const Permission& each : kPermissions) {
    if (each.use == Permission::For::label_teams && !uses.label_teams) continue;
    if (each.use == Permission::For::preemption && !uses.preemption) continue;
    asked.push_back(each);
  }
  return asked;
}

std::string access_review(const Permission& permission, std::string_view space, std::string_view name) {
  nlohmann::json attributes = {
      {"verb", permission.verb}, {"group", permission.group}, {"resource", permission.resource}};
  if (!permission.subresource.empty()) attributes["subresource"] = permission.subresource;
  if (!space.empty()) attributes["namespace"] = space;
  if (!name.empty()) attributes["name"] = name;
  const nlohmann::json review = {{"apiVersion", "authorization.k8s.io/v1"},
                                 {"kind", "SelfSubjectAccessReview"},
                                 {"spec", {{"resourceAttributes", attributes}}}};
  return review.dump();
}

bool is_allowed(std::string_view answer) {
  const nlohmann::json review = nlohmann::json::parse(answer, nullptr, false);
  if (!review.is_object() || !review.contains("status") || !review["status"].is_object()) return false;
  const auto allowed = review["status"].find("allowed");
  return allowed != review["status"].end() && allowed->is_boolean() && allowed->get<bool>();
}

std::string manifest(const ManifestOptions& options) {
  const std::string space = json_string(options.space);  // a name may look like a number
  const std::string flow = options.flow_schema == "none"
                               ? std::string()
                               : fmt::format(fmt::runtime(kFlowSchema), fmt::arg("space", space),
                                             fmt::arg("version", options.flow_schema));
  std::string args, config;
  if (!options.team_label.empty())
    args += fmt::format(", --team, {}", json_string("label=" + options.team_label));
  if (options.preempts) args += ", --preempt";
  if (!options.teams_file.empty()) {
    args += ", --teams, /etc/mirab/teams.yaml";
    config = fmt::format(fmt::runtime(kTeamsConfig), fmt::arg("space", space),
                         fmt::arg("text", indented(options.teams_file)));
  }
  const std::vector<Permission> asked =
      permissions({.label_teams = !options.team_label.empty(), .preemption = options.preempts});
  return fmt::format(
      fmt::runtime(kManifest), fmt::arg("space", space), fmt::arg("image", json_string(options.image)),
      fmt::arg("scheduler", json_string(options.scheduler)), fmt::arg("rules", rules_text(asked, "")),
      fmt::arg("lease_rules", rules_text(kLeasePermissions, "mirab")), fmt::arg("flow", flow),
      fmt::arg("config", config), fmt::arg("args", args),
      fmt::arg("volumes", config.empty() ? std::string_view() : kTeamsVolume));
}

Check check_manifest(const ManifestOptions& options) {
  for (const auto& [key, name] : {std::pair<const char*, const std::string&>{"--namespace", options.space},
                                  {"--scheduler-name", options.scheduler}}) {
    if (is_dns_label(name)) continue;
    return Error{.message = fmt::format("must be a name of Kubernetes, 1 to 63 of a-z, 0-9 and -, which is "
                                        "neither first nor last, not '{}'",
                                        name),
                 .key = key};
  }
  const bool has_blank = options.image.find_first_of(" \t\r\n") != std::string::npos;
  if (options.image.empty() || has_blank || has_control(options.image) || !is_utf8(options.image)) {
    return Error{
        .message = fmt::format("must be the name of an image, without blanks, not '{}'", options.image),
        .key = "--image"};
  }
  return {};
}

}  // namespace mirab::kubernetes
