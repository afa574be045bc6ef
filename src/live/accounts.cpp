// What was: series over time, and what was used, as answers.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "live/history.hpp"
#include "live/views.hpp"
#include "model/csv_table.hpp"

namespace mirab::live {
namespace {

constexpr std::int64_t kMostStepsGiven = 10'000;
constexpr std::int64_t kHour = 3'600;
constexpr double kMsOfHour = 3'600'000;

std::int64_t unix_s(Wall wall) {
  return std::chrono::floor<std::chrono::seconds>(wall).time_since_epoch().count();
}

Wall wall_at(std::int64_t second) { return Wall(std::chrono::seconds(second)); }

std::int64_t floor_to(std::int64_t value, std::int64_t step) {
  return value - ((value % step) + step) % step;
}
std::int64_t ceil_to(std::int64_t value, std::int64_t step) { return floor_to(value + step - 1, step); }

/// A time of the query: RFC 3339, or seconds since 1970.
Parsed<std::int64_t> given_time(const Query& query, const std::string& name, std::int64_t fallback) {
  constexpr std::int64_t kYear10000 = 253'402'300'800;
  const auto text = given(query, name);
  if (!text) return fallback;
  if (const auto wall = wall_of(*text)) return unix_s(*wall);
  std::int64_t second = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, second);
  if (read.ec == std::errc() && read.ptr == end && second >= 0 && second < kYear10000) return second;
  return bad_request("/" + name,
                     "a time such as 2027-03-01T08:00:00Z, or seconds since 1970, is expected here");
}

/// From and to; a problem where they are no span of time.
Parsed<std::pair<std::int64_t, std::int64_t>> given_span(const Query& query, std::int64_t last,
                                                         std::int64_t length) {
  const auto to = given_time(query, "to", last);
  if (const auto* const problem = std::get_if<Problem>(&to)) return *problem;
  const auto end = std::get<std::int64_t>(to);
  const auto from = given_time(query, "from", end - length);
  if (const auto* const problem = std::get_if<Problem>(&from)) return *problem;
  const auto begin = std::get<std::int64_t>(from);
  if (begin >= end) return bad_request("/from", "a time before `to` is expected here");
  return std::pair(begin, end);
}

/// The step that was asked for, or the finest one that gives a chart of 1,000 points or fewer.
Parsed<std::int64_t> given_step(const Query& query, std::int64_t length, std::int64_t age) {
  const auto text = given(query, "step");
  if (!text) {
    for (const std::int64_t step : {10, 60, 600, 3'600, 21'600, 86'400}) {
      const bool is_kept = std::any_of(
          History::kLevels.begin(), History::kLevels.end(),
          [&](const History::Level& level) { return step % level.step == 0 && age <= level.kept; });
      if (is_kept && length / step <= 1'000) return step;
    }
    return ceil_to(length / 1'000, 86'400);
  }
  const Result<Duration> read = parse_duration(*text);
  if (!read) return bad_request("/step", read.error().message);
  const auto step = std::chrono::duration_cast<std::chrono::seconds>(*read).count();
  if (step < History::kLevels[0].step || step % History::kLevels[0].step != 0)
    return bad_request("/step", "10s or a multiple of it is expected here");
  return step;
}

/// What the caller may see of the history; nothing where it may see none of it.
std::optional<History::Which> visible(const Reading& reading, Measure measure, const std::string& queue,
                                      const std::string& resource) {
  const bool sees_all = reading.sees_all() || reading.others == Others::all;
  if (measure == Measure::used) {
    const auto names = reading.state.settings.units.names();
    const bool is_there = std::find(names.begin(), names.end(), resource) != names.end();
    if (!sees_all || !is_there) return {};
    return History::Which{.measure = measure, .name = resource};
  }
  if (sees_all) return History::Which{.measure = measure, .name = queue};
  const Queue* const present = reading.state.queue(queue);
  if (present == nullptr) return {};
  if (!reading.owns(*present) && (reading.others == Others::nothing || measure != Measure::share)) return {};
  return History::Which{.measure = measure, .name = queue, .tenant = present->content.tenant};
}

}  // namespace

Answer history_of(const Reading& reading, const History& history, const Query& query) {
  const auto series = given(query, "series");
  const auto measure = measure_of(series.value_or("share"));
  if (!measure)
    return reading.refuse(bad_request("/series", "share, running, waiting or used is expected here"));
  const bool is_of_queue = *measure != Measure::used;
  const std::string kind = is_of_queue ? "queue" : "resource";
  const auto name = given(query, kind);
  if (!name)
    return reading.refuse(
        bad_request("/" + kind, fmt::format("the series {} needs a {}", word_of(*measure), kind)));
  const auto which = visible(reading, *measure, is_of_queue ? *name : "", is_of_queue ? "" : *name);
  if (!which || (!history.knows(*which) && is_of_queue && reading.state.queue(*name) == nullptr))
    return reading.refuse(not_found());
  const std::int64_t now = std::max(history.end(), unix_s(reading.state.last.wall));
  const auto span = given_span(query, now, kHour);
  if (const auto* const problem = std::get_if<Problem>(&span)) return reading.refuse(*problem);
  const auto& [from, to] = std::get<0>(span);
  const auto step_read = given_step(query, to - from, now - from);
  if (const auto* const problem = std::get_if<Problem>(&step_read)) return reading.refuse(*problem);
  const std::int64_t step = std::get<std::int64_t>(step_read);
  if ((to - from) / step > kMostStepsGiven)
    return reading.refuse(
        bad_request("/step", fmt::format("at most {} steps are given at once", kMostStepsGiven)));
  const History::Window window{.from = floor_to(from, step), .to = ceil_to(to, step), .step = step};
  Json times = Json::array();
  Json values = Json::array();
  std::int64_t at = window.from;
  for (const double value : history.values(*which, window)) {
    times.push_back(at);
    values.push_back(std::isnan(value) ? Json() : Json(value));
    at += step;
  }
  Json body = {{"series", word_of(*measure)},
               {kind, *name},
               {"from", text_of(wall_at(window.from))},
               {"to", text_of(wall_at(window.to))},
               {"step", step},
               {"t", std::move(times)},
               {"v", std::move(values)}};
  body["revision"] = reading.state.last.revision;
  return {.status = 200, .body = std::move(body), .revision = reading.state.last.revision};
}

// What was used.

namespace {

void add_use_of(std::vector<double>& sums, const Amounts& demand, Wall from, Wall to) {
  sums.resize(demand.size());
  for (std::size_t r = 0; r < demand.size(); ++r)
    sums[r] += static_cast<double>(demand[r]) * static_cast<double>((to - from).count());
}

}  // namespace

void add_use(Uses& uses, UsedBy by, const Amounts& demand, Wall from, Wall to) {
  while (from < to) {
    by.hour = floor_to(unix_s(from), kHour);
    const Wall end = std::min(to, wall_at(by.hour + kHour));
    add_use_of(uses[by], demand, from, end);
    from = end;
  }
}

Parsed<UsageAsked> usage_asked(const Query& query, Wall now) {
  const std::int64_t present = ceil_to(unix_s(now) + 1, kHour);
  const auto span = given_span(query, present, 24 * kHour);
  if (const auto* const problem = std::get_if<Problem>(&span)) return *problem;
  const auto& [from, to] = std::get<0>(span);
  const std::string by = given(query, "by").value_or("queue");
  if (by != "queue" && by != "group" && by != "tenant")
    return bad_request("/by", "queue, group or tenant is expected here");
  return UsageAsked{.from = floor_to(from, kHour), .to = ceil_to(to, kHour), .by = by};
}

Answer usage_of(const Reading& reading, const UsageAsked& asked, Uses ended, const Moment& present) {
  const State& state = reading.state;
  WallTimes walls = state.walls;
  walls.note(present);
  const Units& units = state.settings.units;
  const Wall from = wall_at(asked.from);
  const Wall to = wall_at(asked.to);
  std::size_t rows = ended.size();
  for (const auto& [name, queue] : state.queues) {
    const UsedBy by{
        .hour = asked.from, .queue = name, .tenant = queue.content.tenant, .group = queue.content.group};
    for (const auto& entry : queue.jobs) {
      const Job& job = entry.second;
      if (!job.id) continue;
      state.engine.for_each_task(*job.id, [&](const Engine::TaskState& task) {
        ++rows;
        const Amounts demand = state.demand_of(job, job.role_of(task.role), state.name_of(task.server));
        walls.for_each_piece(task.started, present.now, [&](Wall begin, Wall end) {
          const Wall first = std::max(from, begin);
          const Wall last = std::min(to, end);
          if (first < last) add_use_of(ended[by], demand, first, last);
        });
      });
    }
  }
  const bool sees_all = reading.sees_all() || reading.others == Others::all;
  std::map<std::string, std::vector<double>> sums;
  for (const auto& [by, amounts] : ended) {
    if (by.hour < asked.from || by.hour >= asked.to) continue;
    if (!sees_all && by.tenant != reading.caller.tenant) continue;
    std::vector<double>& sum = sums[asked.by == "queue"   ? by.queue
                                    : asked.by == "group" ? by.group
                                                          : by.tenant];
    sum.resize(units.size());
    for (std::size_t r = 0; r < amounts.size() && r < sum.size(); ++r) sum[r] += amounts[r];
  }
  Json items = Json::array();
  for (const auto& [name, sum] : sums) {
    Json hours = Json::object();
    for (std::size_t r = 0; r < sum.size(); ++r) {
      const Resource& resource = units.resources()[r];
      hours[resource.name] = sum[r] / kMsOfHour * std::pow(10.0, resource.exponent);
    }
    items.push_back({{asked.by, name}, {"hours", std::move(hours)}});
  }
  Answer answer{.status = 200,
                .body = {{"from", text_of(from)},
                         {"to", text_of(to)},
                         {"until", text_of(std::min(to, present.wall))},
                         {"by", asked.by},
                         {"resources", units.names()},
                         {"items", std::move(items)},
                         {"revision", state.last.revision}},
                .revision = state.last.revision};
  answer.looks = static_cast<std::int64_t>(1 + rows / kRowsOfLook + bytes_of(answer.body) / kBytesOfLook);
  return answer;
}

std::string csv_of_usage(const Json& body) {
  const std::string by = body.at("by").get<std::string>();
  std::string text = by;
  for (const Json& resource : body.at("resources")) text += "," + csv_field(resource.get<std::string>());
  text += "\r\n";
  for (const Json& item : body.at("items")) {
    text += csv_field(item.at(by).get<std::string>());
    for (const Json& resource : body.at("resources"))
      text += fmt::format(",{}", item.at("hours").at(resource.get<std::string>()).get<double>());
    text += "\r\n";
  }
  return text;
}

}  // namespace mirab::live
