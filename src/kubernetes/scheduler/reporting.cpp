// What people see of pods that wait.
#include "kubernetes/scheduler/reporting.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "kubernetes/scheduler/reasons.hpp"

namespace mirab::kubernetes {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kFirstLook = seconds(1), kRepeat = seconds(10);
constexpr Duration kLookAgain = seconds(60), kLookSeldom = minutes(5);
constexpr Duration kWriteAgain = minutes(5), kWriteSeldom = minutes(30);

// Numbers come and go; which kinds of reason there are stays.
std::string without_numbers(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

std::string unsupported_text(const SeenPod& pod) {
  if (!pod.fault.empty())
    return fmt::format("mirab cannot read {}: {}; the pod waits.", pod.unsupported, pod.fault);
  return fmt::format("mirab cannot honour {} yet; the pod waits. Another scheduler can: spec.schedulerName",
                     pod.unsupported);
}

WaitingReport gathering_report(const PodRecord& pod, std::size_t there) {
  const SeenPod& seen = pod.seen;
  if (!pod.apart.empty()) {
    const std::string text = fmt::format(
        "mirab starts only equal pods together: {} from those of the first pod of the gang {}; the pod "
        "waits.",
        pod.apart, seen.gang);
    return {.reason = "NotSupported", .first = text, .text = text};
  }
  const std::string text =
      there > static_cast<std::size_t>(seen.gang_size)
          ? fmt::format("The gang {} has {} pods, more than its size of {}; the pod waits.", seen.gang, there,
                        seen.gang_size)
          : fmt::format("The gang {} has {} of its {} pods.", seen.gang, there, seen.gang_size);
  return {.reason = "WaitingForGang", .first = without_numbers(text), .text = text};
}

}  // namespace

std::optional<WaitingReport> report_of(const std::string& uid, const KnownCluster& cluster, Time now) {
  const PodRecord* pod = cluster.pod(uid);
  if (pod == nullptr) return {};
  switch (pod->standing) {
    case Standing::refused: {
      const std::string text = unsupported_text(pod->seen);
      return WaitingReport{.reason = "NotSupported", .first = text, .text = text};
    }
    case Standing::lacking: {
      const std::size_t nodes = cluster.node_count();
      const std::string text =
          fmt::format("0/{0} nodes are available: {0} Insufficient {1}.", nodes, cluster.lacks(uid));
      return WaitingReport{.reason = "Unschedulable", .first = without_numbers(text), .text = text};
    }
    case Standing::gathering:
      return gathering_report(*pod, cluster.companions(uid).all);
    case Standing::waiting: {
      const auto why = cluster.why(uid, now);
      if (!why) return {};
      WaitingText text = waiting_text(*why, cluster.resources());
      return WaitingReport{.reason = "Unschedulable",
                           .first = without_numbers(std::move(text.reason)),
                           .text = std::move(text.text)};
    }
    case Standing::foreign:
    case Standing::gated:
    case Standing::resting:
    case Standing::nominated:
    case Standing::ending:
    case Standing::placed:
    case Standing::bound:
    case Standing::homeless:
      break;
  }
  return {};
}

void Reporting::take_out(const std::string& uid, const Entry& entry) {
  first_.erase({entry.due, uid});
  again_.erase({entry.due, uid});
}

void Reporting::look_again(const std::string& uid, Entry& entry, Time when) {
  take_out(uid, entry);
  entry.due = when;
  (entry.first.empty() ? first_ : again_).emplace(when, uid);
}

void Reporting::changed(const std::string& uid, Time now) {
  const auto [found, is_new] = entries_.try_emplace(uid);
  if (is_new) found->second.due = Time::max();
  found->second.look_pause = kLookAgain;
  found->second.write_pause = kWriteAgain;
  look_again(uid, found->second, now + kFirstLook);
}

void Reporting::forget(const std::string& uid) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return;
  take_out(uid, found->second);
  entries_.erase(found);
}

std::optional<Time> Reporting::due() const {
  if (first_.empty() && again_.empty()) return {};
  const Time next = std::min(first_.empty() ? Time::max() : first_.begin()->first,
                             again_.empty() ? Time::max() : again_.begin()->first);
  return std::max(next, not_before_);
}

std::vector<Request> Reporting::work(const KnownCluster& cluster, Time now, Wall wall,
                                     std::uint64_t& number) {
  std::vector<Request> requests;
  while (not_before_ <= now) {
    // Who was not reported yet comes before those who were: autoscalers wait for it.
    const bool has_first = !first_.empty() && first_.begin()->first <= now;
    const auto& queue = has_first ? first_ : again_;
    if (queue.empty() || queue.begin()->first > now) break;
    const std::string uid = queue.begin()->second;
    Entry& entry = entries_.at(uid);
    const std::optional<WaitingReport> report = report_of(uid, cluster, now);
    if (!report) {
      forget(uid);
      continue;
    }
    const bool is_other = report->first != entry.first;
    const bool is_time = now - entry.written >= entry.write_pause;
    // To look costs as well.
    const double cost = is_other || is_time ? 2 : 1;
    if (const std::optional<double> wait = bucket_.take(rate(), cost, now)) {
      not_before_ = now + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*wait));
      break;
    }
    if (is_other || is_time) {
      const SeenPod& pod = cluster.pod(uid)->seen;
      const PodName name{.space = pod.space, .name = pod.name, .uid = uid};
      requests.push_back(condition_request(name, report->reason, report->text, pod.unscheduled_since, wall));
      requests.back().id = ++number;
      asked_.emplace(number, uid);
      const PodEvent event{.type = "Warning",
                           .reason = report->reason == "Unschedulable" ? "FailedScheduling" : report->reason,
                           .action = "Scheduling",
                           .note = report->text};
      ++number;
      requests.push_back(event_request(name, event, options_.reporter, options_.instance, number, wall));
      requests.back().id = number;
      requests.back().wants_reply = false;
      entry.write_pause =
          entry.first.empty() || is_other ? kWriteAgain : std::min(entry.write_pause * 2, kWriteSeldom);
      entry.first = report->first;
      entry.written = now;
    }
    look_again(uid, entry, now + entry.look_pause);
    entry.look_pause = std::min(entry.look_pause * 2, kLookSeldom);
  }
  return requests;
}

void Reporting::answer(const Reply& reply, Time now) {
  const auto found = asked_.find(reply.id);
  if (found == asked_.end()) return;
  const std::string uid = std::move(found->second);
  asked_.erase(found);
  const bool is_lost = reply.status == 0 || reply.status == 429 || reply.status >= 500;
  const auto entry = entries_.find(uid);
  if (!is_lost || entry == entries_.end()) return;
  take_out(uid, entry->second);
  entry->second.first.clear();
  entry->second.due = Time::max();
  look_again(uid, entry->second, now + kRepeat);
}

Request Reporting::outcome_event(const BindOutcome& outcome, Wall wall, std::uint64_t& number) const {
  PodEvent event{.action = "Binding"};
  if (outcome.what == BindOutcome::What::bound) {
    event.reason = "Scheduled";
    event.note =
        fmt::format("Successfully assigned {}/{} to {}", outcome.pod.space, outcome.pod.name, outcome.node);
  } else {
    event.type = "Warning";
    event.reason = "FailedBinding";
    event.note =
        fmt::format("the API server refused to bind the pod to {}: {}; {}", outcome.node, outcome.why,
                    outcome.what == BindOutcome::What::parked ? "it is tried again in 10 minutes"
                                                              : "it is tried again in a moment");
  }
  return numbered(outcome.pod, event, wall, number);
}

Request Reporting::preempted_event(const Ended& ended, Wall wall, std::uint64_t& number) const {
  const PodEvent event{.reason = "Preempted",
                       .action = "Preempting",
                       .note = fmt::format("Preempted by {} on node {}", ended.newcomer, ended.node)};
  return numbered(ended.pod, event, wall, number);
}

Request Reporting::numbered(const PodName& pod, const PodEvent& event, Wall wall,
                            std::uint64_t& number) const {
  ++number;
  Request request = event_request(pod, event, options_.reporter, options_.instance, number, wall);
  request.id = number;
  request.wants_reply = false;
  return request;
}

}  // namespace mirab::kubernetes
