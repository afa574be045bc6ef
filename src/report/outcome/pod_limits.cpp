// The limits of pods as a table, JSON and CSV.
#include "report/outcome/pod_limits.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

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

constexpr Units kMebibyte = 1 << 20;

// As Kubernetes writes it, unless that is many digits, or a power of 1000 beside the powers of 1024 of
// others.
std::string readable(const std::string& resource, Units units) {
  constexpr std::size_t kMaxDigits = 8;
  const std::string exact = units_text(resource, units);
  const bool in_thousands = kubernetes::counts_bytes(resource) && units >= kMebibyte && exact.back() != 'i';
  if (exact.size() <= kMaxDigits && !in_thousands) return exact;
  const double mebibytes = static_cast<double>(units) / static_cast<double>(kMebibyte);
  constexpr double kMany = 1'000'000;  // of a cluster
  return mebibytes < kMany ? fixed(mebibytes, 1) + "Mi" : fixed(mebibytes / 1024, 1) + "Gi";
}

// The unit of all amounts of bytes in the columns of a resource, and its decimals.
struct ColumnUnit {
  std::string_view text;
  Units units;
  int decimals;
};

// Less than this is printed in bytes.
constexpr Units kFewBytes = 1000;

// The largest power of 1024 of which each amount is at least one.
ColumnUnit column_unit(std::vector<Units> amounts) {
  std::erase_if(amounts, [](Units amount) { return amount < kFewBytes; });
  constexpr std::array<std::string_view, 4> kNames = {"Ti", "Gi", "Mi", "Ki"};
  const auto all_in = [&](Units unit) {
    return std::all_of(amounts.begin(), amounts.end(), [&](Units amount) { return amount % unit == 0; });
  };
  constexpr Units kBase = 1024;
  Units least = std::numeric_limits<Units>::max();
  for (const Units amount : amounts) least = std::min(least, amount);
  Units unit = kBase * kBase * kBase * kBase;
  std::size_t name = 0;
  for (; unit > kBase && unit > least; unit /= kBase) ++name;
  return {kNames[name], unit, all_in(unit) ? 0 : 1};
}

std::string container_words(const Container& container) {
  return container.role == Role::init      ? container.name + " (init)"
         : container.role == Role::sidecar ? container.name + " (sidecar)"
                                           : container.name;
}

std::string pod_words(const Workload& workload) {
  return workload.pods == 1 ? workload.name : fmt::format("{} ×{}", workload.name, workload.pods);
}

// What some pod asks for of resources that have no limit but the request.
std::vector<std::string> devices_of(const PodLimits& all) {
  std::set<std::string> devices;
  for (const Workload& workload : all.pods.workloads) {
    for (const auto& [device, units] : workload.devices) devices.insert(device);
  }
  return {devices.begin(), devices.end()};
}

/// Which columns a table has, and how wide its names may be.
struct Layout {
  std::vector<std::size_t> resources;
  std::vector<std::string> devices;
  std::size_t name_width = SIZE_MAX;
};

class PodLimitsRows {
 public:
  PodLimitsRows(const PodLimits& all, const Layout& layout) : all_(all), layout_(layout) {
    table_.columns = {{.min_width = 8}, {}};
    table_.rows = {{{""}, {""}}, {{"pod"}, {"container"}}};
    for (const std::size_t r : layout.resources) {
      table_.columns.insert(table_.columns.end(), {{Align::right, 4}, {Align::right}, {Align::right}});
      table_.rows[0].push_back({all.pods.resources[r], 3, Align::center});
      for (const char* heading : {"request", "old limit", "new limit"}) table_.rows[1].push_back({heading});
    }
    for (const std::string& device : layout.devices) {
      table_.columns.push_back({Align::right, 4});
      table_.rows[0].push_back({""});
      table_.rows[1].push_back({device});
    }
    table_.add_rule();
    for (std::size_t r = 0; r < all.pods.resources.size(); ++r) units_.push_back(unit_of(r));
  }

  std::string text() {
    for (std::size_t w = 0; w < all_.pods.workloads.size(); ++w) add_pod(w);
    table_.add_rule();
    add("all pods", "", [&](std::size_t r, int which) -> std::optional<Units> {
      if (which == 0) return all_.limits.requested[r];
      return which == 1 ? all_.limits.limited_before[r] : all_.limits.limited[r];
    });
    for (const std::string& device : layout_.devices) {
      if (!all_.space.empty()) {  // what the others ask for is not known here
        table_.rows.back().push_back({kNone});
        continue;
      }
      Units sum = 0;
      for (const Workload& workload : all_.pods.workloads) sum += workload.pods * requested(workload, device);
      table_.rows.back().push_back({std::to_string(sum)});
    }
    return render(table_);
  }

 private:
  // Nothing of what is not counted in bytes.
  std::optional<ColumnUnit> unit_of(std::size_t r) const {
    if (!kubernetes::counts_bytes(all_.pods.resources[r])) return {};
    std::vector<Units> amounts{all_.limits.requested[r], all_.limits.limited_before[r].value_or(0),
                               all_.limits.limited[r]};
    for (std::size_t w = 0; w < all_.pods.workloads.size(); ++w) {
      const std::vector<Container>& containers = all_.pods.workloads[w].containers;
      for (std::size_t c = 0; c < containers.size(); ++c) {
        const kubernetes::Need& need = containers[c].needs[r];
        amounts.insert(amounts.end(),
                       {need.request, need.limit.value_or(0), all_.limits.workloads[w].limits[c][r]});
      }
    }
    return column_unit(amounts);
  }

  std::string amount_text(std::size_t r, Units amount) const {
    if (!units_[r] || (amount > 0 && amount < kFewBytes)) return readable(all_.pods.resources[r], amount);
    if (amount == 0) return "0";
    const double count = static_cast<double>(amount) / static_cast<double>(units_[r]->units);
    return fmt::format("{:.{}f}{}", count, units_[r]->decimals, units_[r]->text);
  }

  void add_pod(std::size_t w) {
    const Workload& workload = all_.pods.workloads[w];
    for (std::size_t c = 0; c < workload.containers.size(); ++c) {
      const Container& container = workload.containers[c];
      add(c == 0 ? shorten_middle(pod_words(workload), layout_.name_width) : "",
          shorten(container_words(container), layout_.name_width),
          [&](std::size_t r, int which) -> std::optional<Units> {
            if (which == 0) return container.needs[r].request;
            return which == 1 ? container.needs[r].limit : all_.limits.workloads[w].limits[c][r];
          });
      if (c > 0) continue;
      for (const std::string& device : layout_.devices) {
        const Units units = requested(workload, device);
        table_.rows.back().push_back({units == 0 ? kNone : std::to_string(units)});
      }
    }
  }

  static Units requested(const Workload& workload, const std::string& device) {
    const auto found = workload.devices.find(device);
    return found == workload.devices.end() ? 0 : found->second;
  }

  // `amount(r, which)` is the request, old limit or new limit of resource r, or nothing.
  template <class Amount>
  void add(const std::string& pod, const std::string& container, const Amount& amount) {
    std::vector<Cell> row{{pod}, {container}};
    for (const std::size_t r : layout_.resources) {
      for (int which = 0; which < 3; ++which) {
        const std::optional<Units> units = amount(r, which);
        row.push_back({units ? amount_text(r, *units) : kNone});
      }
    }
    table_.rows.push_back(std::move(row));
  }

  const PodLimits& all_;
  const Layout& layout_;
  std::vector<std::optional<ColumnUnit>> units_;  // [r]
  Table table_;
};

std::size_t width_of(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, display_width(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

// With names as long as fit; both columns of names are narrowed alike, to no less than 8.
std::string narrowed(const PodLimits& all, Layout layout, std::size_t width) {
  std::string text = PodLimitsRows(all, layout).text();
  constexpr std::size_t kLeast = 8;
  for (layout.name_width = kLongNameWidth; width_of(text) > width && layout.name_width >= kLeast;
       --layout.name_width)
    text = PodLimitsRows(all, layout).text();
  return text;
}

// One table, or one for each resource where that is too wide.
std::string tables(const PodLimits& all, std::size_t width) {
  Layout whole{.resources = {}, .devices = devices_of(all)};
  for (std::size_t r = 0; r < all.pods.resources.size(); ++r) whole.resources.push_back(r);
  std::string text = PodLimitsRows(all, whole).text();
  if (width_of(text) <= width) return text;
  text.clear();
  for (const std::size_t r : whole.resources) {
    const bool is_last = r + 1 == whole.resources.size();
    const Layout one{.resources = {r}, .devices = is_last ? whole.devices : std::vector<std::string>()};
    text += (text.empty() ? "" : "\n") + narrowed(all, one, width);
  }
  return text;
}

std::string node_words(const PodLimits& all) {
  std::string text = all.nodes > 1           ? fmt::format("{} nodes with", all.nodes)
                     : all.node.node.empty() ? "a node with"
                                             : "node " + all.node.node + " with";
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

// A sentence for each resource of which some template gets no more than its request.
std::vector<std::string> full_node_words(const PodLimits& all) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> sentences;
  for (std::size_t r = 0; r < all.pods.resources.size(); ++r) {
    std::vector<std::string> names;
    for (std::size_t w = 0; w < all.pods.workloads.size(); ++w) {
      const std::vector<std::string>& nodes = all.limits.workloads[w].full_node;
      if (r < nodes.size() && !nodes[r].empty())
        names.push_back(fmt::format("{} ({})", all.pods.workloads[w].name, nodes[r]));
    }
    if (names.empty()) continue;
    const std::vector<std::string_view> words(names.begin(), names.end());
    sentences.push_back(fmt::format(
        "The {} limit is the request where one node leaves no more, since a template has one limit on "
        "all its nodes. In brackets such a node: {}.",
        all.pods.resources[r], first_names(words, kMostNamed)));
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
  for (const std::string& full : full_node_words(all)) text += broken(printable(full), width);
  for (const std::string& notice : limits.notices)
    text += broken("note: " + printable(notice), width, "      ");
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string limits_table(const PodLimits& all, std::size_t width) {
  const kubernetes::Limits& limits = all.limits;
  std::size_t pods = 0;
  for (const Workload& workload : all.pods.workloads) pods += static_cast<std::size_t>(workload.pods);
  const std::size_t page = std::min(width, kPageWidth);
  const std::string what = all.nodes > 1 ? fmt::format("{} of {}", counted(pods, "pod"),
                                                       counted(all.pods.workloads.size(), "template"))
                                         : counted(pods, "pod");
  const std::string head =
      fmt::format("{}: {}{} on {}, shared by {}{}", all.title, what,
                  all.space.empty() ? "" : " in namespace " + all.space, node_words(all), limits.mechanism,
                  all.space.empty() ? "" : " with all other pods there");
  return broken(printable(head), page) + "\n" + tables(all, width) + remarks(all, page);
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
    Json full = Json::object();
    for (std::size_t r = 0; r < limits.full_node.size(); ++r) {
      if (!limits.full_node[r].empty()) full[all.pods.resources[r]] = limits.full_node[r];
    }
    pods.push_back({{"name", workload.name},
                    {"kind", workload.kind},
                    {"namespace", workload.space},
                    {"pods", workload.pods},
                    {"weight", limits.weight},
                    {"devices", workload.devices},
                    {"share", std::move(share)},
                    {"containers", std::move(containers)}});
    if (!full.empty()) pods.back()["full_node"] = std::move(full);
  }
  return pods;
}

// Each node of a cluster, and how many pods of each template run there.
Json on_nodes_json(const PodLimits& all) {
  Json nodes = Json::array();
  for (const kubernetes::NodePods& each : all.on_nodes) {
    Json counts = Json::object();
    for (const auto& [workload, count] : each.pods) counts[all.pods.workloads[workload].name] = count;
    nodes.push_back(
        {{"name", each.node.node},
         {"allocatable", units_by_resource(all.pods.resources,
                                           [&](std::size_t r) { return std::optional(each.node.units[r]); })},
         {"pods", std::move(counts)}});
  }
  return nodes;
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
      {"nodes", all.nodes},
      {"namespace", all.space.empty() ? Json() : Json(all.space)},
      {"allocatable",
       units_by_resource(resources, [&](std::size_t r) { return std::optional(all.node.units[r]); })},
      {"requested",
       units_by_resource(resources, [&](std::size_t r) { return std::optional(limits.requested[r]); })},
      {"old_limits", units_by_resource(resources, [&](std::size_t r) { return limits.limited_before[r]; })},
      {"limits",
       units_by_resource(resources, [&](std::size_t r) { return std::optional(limits.limited[r]); })},
      {"pods", pods_json(all)},
      {"on_nodes", on_nodes_json(all)},
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
