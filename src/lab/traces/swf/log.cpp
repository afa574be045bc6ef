// Logs in the Standard Workload Format and the jobs in them.
#include "lab/traces/swf/log.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <mirab/model/quantity.hpp>

#include "model/lines.hpp"
#include "model/names.hpp"

namespace mirab::traces::swf {

namespace {

constexpr std::array<std::string_view, kMaxFields> kNames = {"job number",
                                                             "submit time",
                                                             "wait time",
                                                             "run time",
                                                             "allocated processors",
                                                             "average CPU time",
                                                             "used memory",
                                                             "requested processors",
                                                             "requested time",
                                                             "requested memory",
                                                             "status",
                                                             "user",
                                                             "group",
                                                             "executable",
                                                             "queue",
                                                             "partition",
                                                             "preceding job",
                                                             "think time",
                                                             "field 19",
                                                             "field 20",
                                                             "field 21",
                                                             "field 22",
                                                             "field 23",
                                                             "field 24"};

constexpr std::int64_t kMostOfAHead = std::int64_t{1} << 31;  // nodes or processors, far beyond any machine

void take_comment(std::string_view line, int number, Head& head) {
  const std::string_view text = trimmed(line.substr(1));
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return;
  head.emplace(text.substr(0, colon), HeadEntry{std::string(trimmed(text.substr(colon + 1))), number});
}

Result<Entry> cut(std::string_view line, const LogFormat& format, const std::string& file, int number) {
  std::array<std::string_view, kMaxFields> texts;
  std::size_t found = 0;
  while (!(line = trimmed(line)).empty()) {
    const std::string_view text = line.substr(0, line.find_first_of(" \t"));
    if (found < kMaxFields) texts[found] = text;
    ++found;
    line.remove_prefix(text.size());
  }
  if (found == format.fields) return Entry(texts, file, number);
  return Error{.message = fmt::format("{} {} instead of the {} of {}", found, found == 1 ? "field" : "fields",
                                      format.fields, format.name),
               .file = file,
               .line = number};
}

}  // namespace

Result<double> Entry::value(std::size_t field) const {
  const std::string_view written = text(field);
  double value = 0;
  const auto [end, failed] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (failed == std::errc() && end == written.data() + written.size() && std::isfinite(value)) return value;
  return error(field, "is not a number");
}

Result<std::optional<std::int64_t>> Entry::known(std::size_t field, std::int64_t most) const {
  const Result<double> read = value(field);
  if (!read) return read.error();
  if (*read == -1) return std::optional<std::int64_t>();
  if (*read < 0) return error(field, "is negative; only -1 may be, for what is unknown");
  if (*read > static_cast<double>(most)) return error(field, fmt::format("is more than {}", most));
  return std::optional(static_cast<std::int64_t>(std::ceil(*read)));
}

Result<std::optional<Duration>> Entry::time(std::size_t field, std::int64_t most) const {
  const auto rounded = known(field, most);
  if (!rounded) return rounded.error();
  if (!*rounded) return std::optional<Duration>();
  const Result<Quantity> exact = Quantity::parse(text(field));
  const auto nanoseconds = exact ? count_units(*exact, -9, Rounding::down) : std::nullopt;
  return std::optional(nanoseconds ? Duration(*nanoseconds) : std::chrono::seconds(**rounded));
}

Error Entry::error(std::size_t field, const std::string& message) const {
  return {.message = fmt::format("\"{}\" {}", text(field), message),
          .key = std::string(kNames[field]),
          .file = *file_,
          .line = line_};
}

Result<Head> read_log(const std::string& path, const LogFormat& format,
                      const std::function<Check(const Entry&)>& visit) {
  Result<Lines> lines = Lines::open(path);
  if (!lines) return lines.error();
  Head head;
  bool any = false;
  while (true) {
    const auto line = lines->next();
    if (!line) return line.error();
    if (!line->has_value()) break;
    const std::string_view text = trimmed(**line);
    if (text.empty()) continue;
    if (text.front() == ';') {
      take_comment(text, lines->number(), head);
      continue;
    }
    const Result<Entry> entry = cut(text, format, path, lines->number());
    if (!entry) return entry.error();
    if (Check failed = visit(*entry)) return *failed;
    any = true;
  }
  if (!any) return Error{.message = "the log has no job", .file = path};
  return head;
}

Result<std::optional<std::int64_t>> number_in(const Head& head, std::string_view name,
                                              const std::string& file) {
  const auto entry = head.find(name);
  const auto is_unknown = [](std::string_view text) {
    return text.empty() || text == "-1" || text == "unknown";
  };
  if (entry == head.end() || is_unknown(lower_case(entry->second.text))) return std::optional<std::int64_t>();
  std::int64_t number = 0;
  const auto& [text, line] = entry->second;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest =
      trimmed({end, text.data() + text.size()});  // nothing, or a remark in brackets
  const bool is_remark = rest.empty() || rest.front() == '(' || rest.front() == '[';
  if (failed == std::errc() && number >= 1 && number <= kMostOfAHead && is_remark)
    return std::optional(number);
  return Error{.message = fmt::format("\"{}\" is no whole number from 1 to {}; only a remark in brackets may "
                                      "stand behind it",
                                      printable(text).substr(0, 40), kMostOfAHead),
               .key = std::string(name),
               .file = file,
               .line = line};
}

namespace {

using std::chrono::seconds;

/// 68 years: the sum of three such times fits into a Duration.
constexpr std::int64_t kMostSeconds = std::int64_t{1} << 31;

/// Parts of an interrupted job: 2 to be continued, 3 the last, completed, 4 the last, killed.
bool is_part(std::int64_t status) { return status >= 2 && status <= 4; }

/// No value for any negative time: logs write end − start where one of them is missing.
Result<std::optional<Duration>> runtime(const Entry& entry) {
  const Result<double> ran = entry.value(run);
  if (!ran) return ran.error();
  return *ran < 0 ? std::optional<Duration>() : entry.time(run, kMostSeconds);
}

}  // namespace

std::string first_days(std::int64_t days) {
  return fmt::format("Only the jobs submitted within the first {} days.", days);
}

Result<std::optional<Times>> Jobs::times(const Entry& entry) {
  for (const Field name : {Field::number, Field::user}) {
    if (!is_utf8(entry.text(name)) || has_control(entry.text(name)))
      return entry.error(name, "is no text without control characters");
  }
  const auto submitted = entry.time(submit, kMostSeconds);
  if (!submitted) return submitted.error();
  if (!*submitted) return entry.error(submit, "is unknown");
  const auto waited = entry.time(wait, kMostSeconds);
  if (!waited) return waited.error();
  const auto ran = runtime(entry);
  if (!ran) return ran.error();
  const auto how = entry.known(status);
  if (!how) return how.error();
  if (first_ && **submitted < latest_) return entry.error(submit, "is before that of the job above");
  latest_ = **submitted;
  if (!first_) first_ = latest_;

  constexpr std::int64_t kDay = 24 * 3600;
  const auto since_first = std::chrono::duration_cast<seconds>(latest_ - *first_);
  if (days_ && since_first.count() >= *days_ * kDay) return std::optional<Times>();

  if (is_part(how->value_or(1))) return ++parts_, std::optional<Times>();
  if (!*ran) return ++without_runtime_, std::optional<Times>();
  const bool is_instant = **ran == Duration::zero();
  if (is_instant) ++instant_;
  const Times times{.submitted = latest_ - *first_,
                    .runtime = is_instant ? seconds(1) : **ran,
                    .user = user(std::string(entry.text(Field::user)))};
  end_ = std::max(end_, times.submitted + waited->value_or(Duration::zero()) + times.runtime);
  return std::optional(times);
}

void Jobs::add(const Entry& entry, const Times& times, const Request& request, std::int64_t tasks) {
  workload_.jobs.push_back({.name = std::string(entry.text(number)),
                            .submitted = times.submitted,
                            .user = times.user,
                            .request = requests_.number(request),
                            .tasks = tasks,
                            .gang = tasks,
                            .runtime = times.runtime,
                            .requested = times.requested});
}

Result<Workload> Jobs::finish(std::vector<std::string> resources, const std::vector<Server>& servers,
                              const std::string& file) {
  workload_.resources = std::move(resources);
  workload_.requests = requests_.take();
  workload_.span = end_;
  std::vector<double> rooms;
  for (const Request& request : workload_.requests) rooms.push_back(room_for(request, servers));
  fitting_nowhere_ = std::erase_if(
      workload_.jobs, [&](const Job& job) { return static_cast<double>(job.tasks) > rooms[job.request]; });
  if (workload_.jobs.empty()) return Error{.message = "no job of the log fits on its servers", .file = file};
  forget_unused(workload_);
  return std::move(workload_);
}

std::uint32_t Jobs::user(const std::string& name) {
  const auto next = static_cast<std::uint32_t>(workload_.users.size());
  const auto [place, is_new] = user_of_.try_emplace(name, next);
  if (is_new) workload_.users.push_back({.name = name == "-1" ? "unknown" : "u-" + name});
  return place->second;
}

std::vector<std::string> Jobs::notices() const {
  std::vector<std::string> notices;
  note(notices, "left out, jobs that never ran or whose end is unknown", without_runtime_);
  note(notices, "left out, parts of interrupted jobs, whose sum stands in the log", parts_);
  note(notices, "left out, jobs that do not fit on the servers", fitting_nowhere_);
  note(notices, "taken for 1 s, runtimes of 0 s", instant_);
  return notices;
}

}  // namespace mirab::traces::swf
