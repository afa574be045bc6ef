// A workload as JSON lines (docs/workload-file.md): the head, what jobs refer to, then jobs and changes of
// servers in the order of time. Numbers are written so that they read back as the same.

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include <mirab/model/assert.hpp>
#include <mirab/model/workload_file.hpp>

#include "model/seconds.hpp"
#include "model/workload_lines.hpp"

namespace mirab {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string list(std::span<const std::string> texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted(text);
  return "[" + list + "]";
}

/// Amounts of 0 are left out.
std::string amounts(const Workload& workload, const ResourceVector& vector) {
  MIRAB_ASSERT(vector.size() == workload.resources.size(), "an amount for each resource");
  std::string map;
  for (std::size_t r = 0; r < vector.size(); ++r) {
    if (vector[r].is_zero()) continue;
    map += (map.empty() ? "" : ", ") + quoted(workload.resources[r]) + ": " + vector[r].text();
  }
  return "{" + map + "}";
}

void write_head(Out out, const Workload& workload, const std::vector<std::string>& provenance) {
  fmt::format_to(out, R"({{"mirab": "{}", "version": 1, "resources": {}, "span": {})", kWorkloadMagic,
                 list(workload.resources), seconds_text(workload.span));
  if (!provenance.empty()) fmt::format_to(out, R"(, "provenance": {})", list(provenance));
  fmt::format_to(out, "}}\n");
}

void write(Out out, const Submitter& user) {
  fmt::format_to(out, R"({{"user": {})", quoted(user.name));
  if (user.weight != Quantity{1}) fmt::format_to(out, R"(, "weight": {})", user.weight.text());
  fmt::format_to(out, "}}\n");
}

void write(Out out, const Workload& workload, std::size_t number) {
  const Request& request = workload.requests[number];
  fmt::format_to(out, R"({{"request": {}, "demand": {})", number, amounts(workload, request.demand));
  if (request.servers) fmt::format_to(out, R"(, "servers": {})", list(*request.servers));
  if (!request.select.empty()) {
    std::string select;
    for (const auto& [label, values] : request.select) {
      select += (select.empty() ? "" : ", ") + quoted(label) + ": " + list(values);
    }
    fmt::format_to(out, R"(, "select": {{{}}})", select);
  }
  fmt::format_to(out, "}}\n");
}

void write(Out out, const Usage& usage, std::size_t number, std::size_t resources) {
  MIRAB_ASSERT(!usage.of.empty(), "a usage has a step");
  const std::size_t steps = std::max<std::size_t>(1, kMostAmountsInALine / resources);
  for (std::size_t first = 0; first < usage.of.size(); first += steps) {
    fmt::format_to(out, R"({{"usage": {})", number);
    if (first == 0) fmt::format_to(out, R"(, "step": {})", seconds_text(usage.step));
    fmt::format_to(out, R"(, "of": [)");
    const std::size_t last = std::min(first + steps, usage.of.size());
    for (std::size_t s = first; s < last; ++s) {
      fmt::format_to(out, "{}[{}]", s == first ? "" : ", ", fmt::join(usage.of[s], ", "));
    }
    fmt::format_to(out, "]}}\n");
  }
}

void write(Out out, const Workload& workload, const Job& job) {
  fmt::format_to(out, R"({{"job": {}, "at": {}, "user": {}, "request": {})", quoted(job.name),
                 seconds_text(job.submitted), quoted(workload.users.at(job.user).name), job.request);
  if (job.tasks != 1) fmt::format_to(out, R"(, "tasks": {})", job.tasks);
  if (job.gang != 1) fmt::format_to(out, R"(, "gang": {})", job.gang);
  if (job.per_server) fmt::format_to(out, R"(, "per_server": {})", *job.per_server);
  fmt::format_to(out, R"(, "runtime": {})", seconds_text(job.runtime));
  if (job.known == Runtime::cut) fmt::format_to(out, R"(, "cut": true)");
  if (job.usage) fmt::format_to(out, R"(, "usage": {})", *job.usage);
  fmt::format_to(out, "}}\n");
}

void write(Out out, const Workload& workload, const ServerChange& change) {
  const bool up = change.kind == ServerChange::Kind::up;
  fmt::format_to(out, R"({{"server": {}, "instance": {}, "at": {}, "change": "{}")", quoted(change.server),
                 change.instance, seconds_text(change.at), up ? "up" : "down");
  if (up) fmt::format_to(out, R"(, "capacity": {})", amounts(workload, change.capacity));
  if (!change.labels.empty()) {
    std::string labels;
    for (const auto& [label, value] : change.labels) {
      labels += (labels.empty() ? "" : ", ") + quoted(label) + ": " + quoted(value);
    }
    fmt::format_to(out, R"(, "labels": {{{}}})", labels);
  }
  fmt::format_to(out, "}}\n");
}

}  // namespace

std::string write_workload(const Workload& workload, const std::vector<std::string>& provenance) {
  std::string text;
  const Out out(text);
  write_head(out, workload, provenance);
  for (const Submitter& user : workload.users) write(out, user);
  for (std::size_t i = 0; i < workload.requests.size(); ++i) write(out, workload, i);
  for (std::size_t i = 0; i < workload.usages.size(); ++i) {
    write(out, workload.usages[i], i, workload.resources.size());
  }
  auto change = workload.changes.begin();
  for (const Job& job : workload.jobs) {
    for (; change != workload.changes.end() && change->at <= job.submitted; ++change) {
      write(out, workload, *change);
    }
    write(out, workload, job);
  }
  for (; change != workload.changes.end(); ++change) write(out, workload, *change);
  return text;
}

}  // namespace mirab
