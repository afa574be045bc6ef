#include "api/gauges.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/prometheus_text.hpp"

namespace mirab::api {
namespace {

constexpr std::size_t kQueuesShown = 200;
constexpr const char* kOther = "other";

/// The oldest queues as they are, the rest as one; a queue of that name is of the rest.
std::vector<live::Gauges::OfQueue> folded(const std::vector<live::Gauges::OfQueue>& queues) {
  std::vector<live::Gauges::OfQueue> shown;
  live::Gauges::OfQueue other{.queue = kOther};
  bool has_other = false;
  for (const live::Gauges::OfQueue& each : queues) {
    if (shown.size() < kQueuesShown && each.queue != kOther) {
      shown.push_back(each);
      continue;
    }
    has_other = true;
    other.waiting += each.waiting;
    other.running += each.running;
    other.share += each.share;
    other.oldest_wait_s = std::max(other.oldest_wait_s, each.oldest_wait_s);
  }
  if (has_other) shown.push_back(std::move(other));
  return shown;
}

}  // namespace

std::string text_of(const live::Gauges& gauges) {
  using OfQueue = live::Gauges::OfQueue;
  const std::vector<OfQueue> queues = folded(gauges.queues);
  PrometheusText text;
  const auto add = [&](std::string_view name, std::string_view help, const auto& value_of) {
    if (queues.empty()) return;
    text.begin(PrometheusText::Kind::gauge, name, help);
    for (const OfQueue& each : queues) text.add(static_cast<double>(value_of(each)), {{"queue", each.queue}});
  };
  add("mirab_waiting_tasks", "Tasks that wait", [](const OfQueue& each) { return each.waiting; });
  add("mirab_running_tasks", "Tasks that run", [](const OfQueue& each) { return each.running; });
  add("mirab_dominant_share_ratio", "What the queue has of the resource of which it has most",
      [](const OfQueue& each) { return each.share; });
  add("mirab_oldest_wait_seconds", "Since the submission of the oldest job with a task that waits",
      [](const OfQueue& each) { return each.oldest_wait_s; });
  if (gauges.used.empty()) return text.take();
  text.begin(PrometheusText::Kind::gauge, "mirab_resource_used_ratio", "Used of the capacity");
  for (const auto& [resource, ratio] : gauges.used) text.add(ratio, {{"resource", resource}});
  return text.take();
}

}  // namespace mirab::api
