// One row a container: request, old and new limit of every resource; below them the sums, and what to know.
#include <algorithm>
#include <fmt/format.h>

#include "report/comparison.hpp"
#include "report/figures.hpp"
#include "report/limits.hpp"
#include "report/table.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

using kubernetes::Container;
using kubernetes::Role;
using kubernetes::Units;
using kubernetes::units_text;
using kubernetes::Workload;

constexpr std::size_t kNameWidth = 32;
constexpr double kMebibyte = 1 << 20;
const std::string kNone = "–";

// As Kubernetes writes it, unless that is many digits.
std::string readable(const std::string& resource, Units units) {
  constexpr std::size_t kMostDigits = 8;
  const std::string exact = units_text(resource, units);
  return exact.size() <= kMostDigits ? exact : fixed(static_cast<double>(units) / kMebibyte, 1) + "Mi";
}

std::string container_words(const Container& container) {
  const std::string name = shorten(container.name, kNameWidth);
  return container.role == Role::init      ? name + " (init)"
         : container.role == Role::sidecar ? name + " (sidecar)"
                                           : name;
}

std::string pod_words(const Workload& workload) {
  const std::string name = shorten(workload.name, kNameWidth);
  return workload.pods == 1 ? name : fmt::format("{} ×{}", name, workload.pods);
}

class Rows {
 public:
  explicit Rows(const std::vector<std::string>& resources) : resources_(resources) {
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
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> sentences;
  for (const std::string& resource : all.pods.resources) {
    std::string names;
    std::size_t count = 0;
    for (const kubernetes::Eviction& each : all.limits.evictions) {
      if (each.resource != resource || ++count > kMostNamed) continue;
      names += (count > 1 ? ", then " : "") + eviction_of(each, all.pods.workloads[each.workload]);
    }
    if (count == 0) continue;
    if (count > kMostNamed) names += fmt::format(" and {} more", count - kMostNamed);
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
  for (const std::string& evicted : eviction_words(all)) text += broken(printable(evicted), width, "  ");
  for (const std::string& notice : limits.notices)
    text += broken("note: " + printable(notice), width, "      ");
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string limits_table(const PodLimits& all, std::size_t width) {
  const kubernetes::Limits& limits = all.limits;
  Rows rows(all.pods.resources);
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
  return broken(printable(head), page, "  ") + "\n" + rows.text() + remarks(all, page);
}

}  // namespace mirab::report
