// The limits of pods as a table, JSON and CSV.
#include "report/outcome/pod_limits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/names.hpp"
#include "report/outcome/comparison.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

// One row a container: request, old and new limit of every resource; below them the sums, and what to know.

namespace {

using kubernetes::Container;
using kubernetes::Role;
using kubernetes::Units;
using kubernetes::units_text;
using kubernetes::Workload;

constexpr double kMebibyte = 1 << 20;

// As Kubernetes writes it, unless that is many digits.
std::string readable(const std::string& resource, Units units) {
  constexpr std::size_t kMaxDigits = 8;
  const std::string exact = units_text(resource, units);
  return exact.size() <= kMaxDigits ? exact : fixed(static_cast<double>(units) / kMebibyte, 1) + "Mi";
}

std::string container_words(const Container& container) {
  const std::string name = shorten(container.name, kLongNameWidth);
  return container.role == Role::init      ? name + " (init)"
         : container.role == Role::sidecar ? name + " (sidecar)"
                                           : name;
}

std::string pod_words(const Workload& workload) {
  const std::string name = shorten(workload.name, kLongNameWidth);
  return workload.pods == 1 ? name : fmt::format("{} ×{}", name, workload.pods);
}

class PodLimitsRows {
 public:
  explicit PodLimitsRows(const std::vector<std::string>& resources) : resources_(resources) {
    table_.columns = {{.min_width = 8}, {}};
    table_.rows = {{{""}, {""}}, {{"pod"}, {"container"}}};
    for (const std::string& resource : resources) {
      table_.columns.insert(table_.columns.end(), {{Align::right, 4}, {Align::right}, {Align::right}});
      table_.rows[0].push_back({resource, 3, Align::center});
      for (const char* heading : {"request", "old limit", "new limit"}) table_.rows[1].push_back({heading});
    }
    table_.add_rule();
  }

  // `amount(r, which)` is the request, old limit or new limit of resource r, or nothing.
  template <class Amount>
  void add(const std::string& pod, const std::string& container, const Amount& amount) {
    std::vector<Cell> row{{pod}, {container}};
    for (std::size_t r = 0; r < resources_.size(); ++r) {
      for (int which = 0; which < 3; ++which) {
        const std::optional<Units> units = amount(r, which);
        row.push_back({units ? readable(resources_[r], *units) : kNone});
      }
    }
    table_.rows.push_back(std::move(row));
  }

  void add_rule() { table_.add_rule(); }
  std::string text() const { return render(table_); }

 private:
  const std::vector<std::string>& resources_;
  Table table_;
};

std::string node_words(const PodLimits& all) {
  std::string text = all.node.node.empty() ? "a node with" : "node " + all.node.node + " with";
  for (std::size_t r = 0; r < all.node.resources.size(); ++r) {
    text += fmt::format("{} {} {}", r == 0 ? "" : ",", all.node.resources[r],
                        readable(all.node.resources[r], all.node.units[r]));
  }
  return text;
}

std::string eviction_of(const kubernetes::Eviction& each, const Workload& workload) {
  const std::string count = each.pods < workload.pods ? fmt::format("{} of ", each.pods) : "";
  const std::string priority = workload.priority != 0 ? fmt::format(", priority {}", workload.priority) : "";
  return fmt::format("{}{} ({}{}, {} above its request)", count, pod_words(workload),
                     quality_name(each.quality), priority, readable(each.resource, each.above));
}

// A sentence for each resource that would run out.
std::vector<std::string> eviction_words(const PodLimits& all) {
  constexpr std::size_t kMaxNamed = 4;
  std::vector<std::string> sentences;
  for (const std::string& resource : all.pods.resources) {
    std::string names;
    std::size_t count = 0;
    for (const kubernetes::Eviction& each : all.limits.evictions) {
      if (each.resource != resource || ++count > kMaxNamed) continue;
      names += (count > 1 ? ", then " : "") + eviction_of(each, all.pods.workloads[each.workload]);
    }
    if (count == 0) continue;
    if (count > kMaxNamed) names += fmt::format(" and {} more", count - kMaxNamed);
    sentences.push_back(
        fmt::format("If all used what the old limits allow, {} would run out, and Kubernetes would evict {}.",
                    resource, names));
  }
  return sentences;
}

std::string remarks(const PodLimits& all, std::size_t width) {
  const kubernetes::Limits& limits = all.limits;
  std::string text;
  if (limits.status == Status::not_converged) {
    text += fmt::format("{}: NOT CONVERGED: {} {}\n", limits.mechanism, limits.certificate.kind,
                        magnitude(limits.certificate.value));
  }
  for (const std::string& evicted : eviction_words(all)) text += broken(printable(evicted), width);
  for (const std::string& notice : limits.notices)
    text += broken("note: " + printable(notice), width, "      ");
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string limits_table(const PodLimits& all, std::size_t width) {
  const kubernetes::Limits& limits = all.limits;
  PodLimitsRows rows(all.pods.resources);
  std::size_t pods = 0;
  for (std::size_t w = 0; w < all.pods.workloads.size(); ++w) {
    const Workload& workload = all.pods.workloads[w];
    pods += static_cast<std::size_t>(workload.pods);
    for (std::size_t c = 0; c < workload.containers.size(); ++c) {
      const Container& container = workload.containers[c];
      rows.add(c == 0 ? pod_words(workload) : "", container_words(container),
               [&](std::size_t r, int which) -> std::optional<Units> {
                 if (which == 0) return container.needs[r].request;
                 return which == 1 ? container.needs[r].limit : limits.workloads[w].limits[c][r];
               });
    }
  }
  rows.add_rule();
  rows.add("all pods", "", [&](std::size_t r, int which) -> std::optional<Units> {
    if (which == 0) return limits.requested[r];
    return which == 1 ? limits.limited_before[r] : limits.limited[r];
  });
  const std::size_t page = std::min(width, kPageWidth);
  const std::string head = fmt::format("{}: {} on {}, shared by {}", all.title, counted(pods, "pod"),
                                       node_words(all), limits.mechanism);
  return broken(printable(head), page) + "\n" + rows.text() + remarks(all, page);
}

namespace {

using Json = nlohmann::ordered_json;
using kubernetes::Container;
using kubernetes::Role;
using kubernetes::Units;
using kubernetes::units_text;
using kubernetes::Workload;

// An amount by resource; `amount` gives it for each, or nothing.
template <class Amount>
Json units_by_resource(const std::vector<std::string>& resources, const Amount& amount) {
  Json json = Json::object();
  for (std::size_t r = 0; r < resources.size(); ++r) {
    const std::optional<Units> units = amount(r);
    json[resources[r]] = units ? Json(units_text(resources[r], *units)) : Json();
  }
  return json;
}

std::string_view role_name(Role role) {
  return role == Role::init ? "init" : role == Role::sidecar ? "sidecar" : "main";
}

Json container_json(const std::vector<std::string>& resources, const Container& container,
                    const std::vector<Units>& limits) {
  return {
      {"name", container.name},
      {"role", role_name(container.role)},
      {"request", units_by_resource(
                      resources, [&](std::size_t r) { return std::optional(container.needs[r].request); })},
      {"old_limit", units_by_resource(resources, [&](std::size_t r) { return container.needs[r].limit; })},
      {"limit", units_by_resource(resources, [&](std::size_t r) { return std::optional(limits[r]); })}};
}

Json pods_json(const PodLimits& all) {
  Json pods = Json::array();
  for (std::size_t w = 0; w < all.pods.workloads.size(); ++w) {
    const Workload& workload = all.pods.workloads[w];
    const kubernetes::WorkloadLimits& limits = all.limits.workloads[w];
    Json containers = Json::array();
    for (std::size_t c = 0; c < workload.containers.size(); ++c)
      containers.push_back(container_json(all.pods.resources, workload.containers[c], limits.limits[c]));
    Json share = Json::object();
    for (std::size_t r = 0; r < all.pods.resources.size(); ++r)
      share[all.pods.resources[r]] = kubernetes::plain_number(all.pods.resources[r], limits.share[r]);
    pods.push_back({{"name", workload.name},
                    {"kind", workload.kind},
                    {"namespace", workload.space},
                    {"pods", workload.pods},
                    {"weight", limits.weight},
                    {"share", std::move(share)},
                    {"containers", std::move(containers)}});
  }
  return pods;
}

Json evictions_json(const PodLimits& all) {
  Json evictions = Json::array();
  for (const kubernetes::Eviction& each : all.limits.evictions) {
    evictions.push_back({{"name", all.pods.workloads[each.workload].name},
                         {"pods", each.pods},
                         {"resource", each.resource},
                         {"above_request", units_text(each.resource, each.above)},
                         {"qos", quality_name(each.quality)},
                         {"priority", all.pods.workloads[each.workload].priority}});
  }
  return evictions;
}

}  // namespace

Json limits_json(const PodLimits& all) {
  const kubernetes::Limits& limits = all.limits;
  const std::vector<std::string>& resources = all.pods.resources;
  return {
      {"version", 1},
      {"mechanism", limits.mechanism},
      {"status", status_name(limits.status)},
      {"certificate", certificate_json(limits.certificate)},
      {"recalculated", limits.recalculated},
      {"node", all.node.node},
      {"allocatable",
       units_by_resource(resources, [&](std::size_t r) { return std::optional(all.node.units[r]); })},
      {"requested",
       units_by_resource(resources, [&](std::size_t r) { return std::optional(limits.requested[r]); })},
      {"old_limits", units_by_resource(resources, [&](std::size_t r) { return limits.limited_before[r]; })},
      {"limits",
       units_by_resource(resources, [&](std::size_t r) { return std::optional(limits.limited[r]); })},
      {"pods", pods_json(all)},
      {"evictions", evictions_json(all)},
      {"notices", limits.notices}};
}

using kubernetes::plain_number;
using kubernetes::Units;

std::string limits_csv(const PodLimits& limits) {
  const kubernetes::Pods& pods = limits.pods;
  std::string csv = csv_record({"pod", "pods", "container", "resource", "request", "old_limit", "new_limit"});
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    const kubernetes::Workload& workload = pods.workloads[w];
    for (std::size_t c = 0; c < workload.containers.size(); ++c) {
      const kubernetes::Container& container = workload.containers[c];
      for (std::size_t r = 0; r < pods.resources.size(); ++r) {
        const auto number = [&](Units units) {
          return csv_number(plain_number(pods.resources[r], static_cast<double>(units)));
        };
        const kubernetes::Need& need = container.needs[r];
        csv += csv_record({workload.name, std::to_string(workload.pods), container.name, pods.resources[r],
                           number(need.request), need.limit ? number(*need.limit) : "",
                           number(limits.limits.workloads[w].limits[c][r])});
      }
    }
  }
  return csv;
}

}  // namespace mirab::report
