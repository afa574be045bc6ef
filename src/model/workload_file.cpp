#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/model/workload_file.hpp>

#include "model/document.hpp"
#include "model/field_reader.hpp"
#include "model/lines.hpp"
#include "model/names.hpp"
#include "model/seconds.hpp"

/// What the reader and the writer of workload files both know of their lines.
namespace mirab {

/// What the head calls the file.
inline constexpr std::string_view kWorkloadMagic = "workload";

/// A usage with more amounts than this goes on in a further line, unless one step has as many. Derived: an
/// amount has up to 20 digits and signs, so that the line stays shorter than a fifth of the longest.
inline constexpr std::size_t kMostAmountsInALine = 10'000;

// The workload file (docs/reference/workload-file.md): line by line to a Workload. What a line is, its own
// key says: `mirab` (the head, first of all), `job`, `server`, `user`, `request` or `usage`. A line names
// only what stands above it, so that one pass is enough.
//
// Cost: O(bytes). A line is parsed alone; a job costs a look into the table of users.

namespace {

// Takes one line after the other; after the first that is wrong, none.
class WorkloadReader : FieldReader {
 public:
  explicit WorkloadReader(const std::string& file) : FieldReader(file) {}

  /// Is there more to be read? Not after an error.
  bool take(std::string_view line, int number) {
    if (line.empty()) return true;
    Result<Node> node = read_json_line(line, file(), number);
    if (!node) return wrong_ = node.error(), false;
    take(*node);
    return !failed();
  }

  Result<Workload> finish() {
    if (wrong_) return *wrong_;
    if (!has_head_) fail("mirab", "missing: the file is empty; its first line is the head", 1);
    if (failed()) return *error();
    return std::move(workload_);
  }

 private:
  void take(const Node& line) {
    if (line.kind != Node::Kind::map) return fail("", "a line must be a JSON object", line.line);
    if (!std::exchange(has_head_, true)) return head(line);
    if (line.find("job") != nullptr) return job(line);
    if (line.find("server") != nullptr) return change(line);
    if (line.find("usage") != nullptr) return usage(line);
    if (line.find("request") != nullptr) return request(line);
    if (line.find("user") != nullptr) return user(line);
    fail("", "must have one of the keys job, server, user, request, usage", line.line);
  }

  void head(const Node& line) {
    static constexpr std::array<std::string_view, 5> kKeys = {"mirab", "version", "resources", "span",
                                                              "provenance"};
    if (!expect_map(line, "", kKeys)) return;
    if (required(line, "", "mirab").text != kWorkloadMagic) {
      fail("mirab", fmt::format("must be \"{}\": this is another kind of file", kWorkloadMagic), line.line);
    }
    if (required(line, "", "version").text != "1") {
      fail("version", "must be 1, the version of this format", line.line);
    }
    for (const Node::Entry& entry : list(required(line, "", "resources"), "resources")) {
      add_resource(text(entry.value, fmt::format("resources[{}]", workload_.resources.size())), line.line);
    }
    if (workload_.resources.empty()) fail("resources", "must name at least one resource", line.line);
    if (workload_.resources.size() > kMostResources) {
      fail("resources", fmt::format("are more than {}", kMostResources), line.line);
    }
    workload_.span = seconds(required(line, "", "span"), "span");
    if (workload_.span == Duration::zero()) fail("span", "must be more than 0 seconds", line.line);
    if (workload_.span > kLongestWorkload) fail("span", "must be at most a hundred years", line.line);
    if (const Node* lines = line.find("provenance")) texts(*lines, "provenance");
  }

  void add_resource(std::string name, int line) {
    auto& resources = workload_.resources;
    const std::string key = fmt::format("resources[{}]", resources.size());
    if (name.empty()) fail(key, "must not be empty", line);
    if (std::find(resources.begin(), resources.end(), name) != resources.end()) {
      fail(key, fmt::format("duplicate name '{}'", name), line);
    }
    resources.push_back(std::move(name));
  }

  void user(const Node& line) {
    static constexpr std::array<std::string_view, 2> kKeys = {"user", "weight"};
    if (!expect_map(line, "", kKeys)) return;
    Submitter user{.name = name(line, "user")};
    if (const Node* weight = line.find("weight")) user.weight = amount(*weight, "weight");
    if (!failed() && user.weight.is_zero()) fail("weight", "must be more than 0", line.line);
    const auto place = static_cast<std::uint32_t>(workload_.users.size());
    if (!user_of_.emplace(user.name, place).second) {
      fail("user", fmt::format("duplicate user name '{}'", user.name), line.line);
    }
    workload_.users.push_back(std::move(user));
  }

  void request(const Node& line) {
    static constexpr std::array<std::string_view, 4> kKeys = {"request", "demand", "servers", "select"};
    if (!expect_map(line, "", kKeys)) return;
    expect_next(line, "request", workload_.requests.size());
    Request request{.demand = amounts(required(line, "", "demand"), "demand", workload_.resources)};
    const auto is_zero = [](const Quantity& amount) { return amount.is_zero(); };
    if (std::all_of(request.demand.begin(), request.demand.end(), is_zero)) {
      fail("demand", "at least one amount must be more than 0", line.line);
    }
    if (const Node* servers = line.find("servers")) request.servers = texts(*servers, "servers");
    if (const Node* select = line.find("select")) request.select = choices(*select, "select");
    workload_.requests.push_back(std::move(request));
  }

  // A usage with the number of the last one goes on with it.
  void usage(const Node& line) {
    static constexpr std::array<std::string_view, 3> kKeys = {"usage", "step", "of"};
    if (!expect_map(line, "", kKeys)) return;
    std::vector<Usage>& usages = workload_.usages;
    const bool goes_on = line.find("step") == nullptr && !usages.empty();
    expect_next(line, "usage", usages.size() - (goes_on ? 1 : 0));
    if (!goes_on) {
      usages.push_back({.step = seconds(required(line, "", "step"), "step"), .of = {}});
      if (usages.back().step == Duration::zero()) fail("step", "must be more than 0 seconds", line.line);
    }
    const std::vector<Node::Entry>& steps = list(required(line, "", "of"), "of");
    if (steps.empty()) fail("of", "must have a step", line.line);
    for (const Node::Entry& entry : steps) {
      usages.back().of.push_back(step(entry.value, fmt::format("of[{}]", &entry - steps.data())));
    }
  }

  std::vector<double> step(const Node& node, const std::string& key) {
    std::vector<double> used;
    for (const Node::Entry& entry : list(node, key)) {
      used.push_back(used_amount(entry.value, fmt::format("{}[{}]", key, used.size())));
    }
    if (used.size() != workload_.resources.size()) {
      fail(key, fmt::format("must have {} amounts, one for each resource", workload_.resources.size()),
           node.line);
    }
    return used;
  }

  double used_amount(const Node& node, const std::string& key) {
    double amount = 0;
    const char* const last = node.text.data() + node.text.size();
    const auto [end, wrong] = std::from_chars(node.text.data(), last, amount);
    if (wrong == std::errc{} && end == last && std::isfinite(amount) && amount >= 0) return amount;
    fail(key, fmt::format("must be a number from 0, not '{}'", node.text.substr(0, 40)), node.line);
    return 0;
  }

  void job(const Node& line) {
    static constexpr std::array<std::string_view, 11> kKeys = {"job",       "at",   "user",       "request",
                                                               "tasks",     "gang", "per_server", "runtime",
                                                               "requested", "cut",  "usage"};
    if (!expect_map(line, "", kKeys)) return;
    Job job{.name = name(line, "job"),
            .submitted = time(line),
            .user = known_user(line),
            .request = known(line, "request", workload_.requests.size()),
            .runtime = seconds(required(line, "", "runtime"), "runtime")};
    if (job.runtime == Duration::zero()) fail("runtime", "must be more than 0 seconds", line.line);
    if (job.runtime > kLongestWorkload) fail("runtime", "must be at most a hundred years", line.line);
    if (const Node* requested = line.find("requested")) {
      job.requested = seconds(*requested, "requested");
      if (*job.requested == Duration::zero()) fail("requested", "must be more than 0 seconds", line.line);
      if (*job.requested > kLongestWorkload) fail("requested", "must be at most a hundred years", line.line);
    }
    if (const Node* tasks = line.find("tasks")) job.tasks = whole(*tasks, "tasks");
    count_tasks(job.tasks, line.line);
    if (const Node* gang = line.find("gang")) job.gang = whole(*gang, "gang");
    if (job.gang > job.tasks) fail("gang", "must not be more than the tasks", line.line);
    if (const Node* most = line.find("per_server")) job.per_server = whole(*most, "per_server");
    if (line.find("usage") != nullptr) job.usage = known(line, "usage", workload_.usages.size());
    if (const Node* cut = line.find("cut"); cut != nullptr && truth(*cut, "cut")) job.known = Runtime::cut;
    workload_.jobs.push_back(std::move(job));
  }

  void count_tasks(std::int64_t more, int line) {
    if (more > kMostWorkloadTasks - tasks_)
      return fail("tasks", fmt::format("make more than {} in all", kMostWorkloadTasks), line);
    tasks_ += more;
  }

  void change(const Node& line) {
    static constexpr std::array<std::string_view, 6> kKeys = {"server", "instance", "at",
                                                              "change", "capacity", "labels"};
    if (!expect_map(line, "", kKeys)) return;
    ServerChange change{.kind = kind(required(line, "", "change")),
                        .at = time(line),
                        .server = name(line, "server"),
                        .instance = from_zero(required(line, "", "instance"), "instance")};
    if (change.kind == ServerChange::Kind::up) {
      change.capacity = amounts(required(line, "", "capacity"), "capacity", workload_.resources);
      if (const Node* labels = line.find("labels")) change.labels = this->labels(*labels, "labels");
    } else if (line.find("capacity") != nullptr || line.find("labels") != nullptr) {
      fail("change", "a server that goes down has no capacity and no labels", line.line);
    }
    follow(change, line.line);
    workload_.changes.push_back(std::move(change));
  }

  // A server that went is not there to go again, nor one that came to come. Whether it was there at the
  // beginning, the cluster file alone tells.
  void follow(const ServerChange& change, int line) {
    const auto [known, is_new] = latest_change_.try_emplace({change.server, change.instance}, change.kind);
    if (!is_new && known->second == change.kind)
      return fail("change",
                  fmt::format("server {} of '{}' {} twice", change.instance, change.server,
                              change.kind == ServerChange::Kind::up ? "comes" : "goes"),
                  line);
    known->second = change.kind;
  }

  ServerChange::Kind kind(const Node& node) {
    if (node.text != "up" && node.text != "down") fail("change", "must be up or down", node.line);
    return node.text == "down" ? ServerChange::Kind::down : ServerChange::Kind::up;
  }

  std::string name(const Node& line, const std::string& key) {
    std::string name = text(*line.find(key), key);
    if (name.empty()) fail(key, "must not be empty", line.line);
    return name;
  }

  Duration seconds(const Node& node, const std::string& key) {
    const Result<Duration> duration = parse_seconds(node.text);
    if (duration) return *duration;
    fail(key, duration.error().message, node.line);
    return {};
  }

  // When it happens: not before what stands above, and within the span.
  Duration time(const Node& line) {
    const Duration at = seconds(required(line, "", "at"), "at");
    if (at < latest_) {
      fail("at",
           fmt::format("{} s is before {} s, the time of the line above", seconds_text(at),
                       seconds_text(latest_)),
           line.line);
    }
    if (at > workload_.span) {
      fail("at",
           fmt::format("{} s is beyond the span of {} s", seconds_text(at), seconds_text(workload_.span)),
           line.line);
    }
    return latest_ = at;
  }

  std::int64_t from_zero(const Node& node, const std::string& key) {
    return node.text == "0" ? 0 : whole(node, key);
  }

  std::uint32_t known_user(const Node& line) {
    const std::string written = text(required(line, "", "user"), "user");
    if (const auto user = user_of_.find(written); user != user_of_.end()) return user->second;
    std::vector<std::string_view> names;
    if (!failed()) {
      for (const Submitter& user : workload_.users) names.push_back(user.name);
    }
    fail("user", fmt::format("'{}' has no line above{}", written, known_names(written, names)), line.line);
    return 0;
  }

  // The number of a request or usage that stands above.
  std::uint32_t known(const Node& line, const std::string& key, std::size_t count) {
    const std::int64_t number = from_zero(required(line, "", key), key);
    if (std::cmp_less(number, count)) return static_cast<std::uint32_t>(number);
    fail(key, fmt::format("{} {} has no line above", key, number), line.line);
    return 0;
  }

  // Requests and usages are numbered from 0, in their order.
  void expect_next(const Node& line, const std::string& key, std::size_t next) {
    const std::int64_t number = from_zero(required(line, "", key), key);
    if (!std::cmp_equal(number, next)) fail(key, fmt::format("must be {}, the next number", next), line.line);
  }

  Workload workload_;
  std::unordered_map<std::string, std::uint32_t> user_of_;
  std::map<std::pair<std::string, std::int64_t>, ServerChange::Kind> latest_change_;  // by server, instance
  std::int64_t tasks_ = 0;                                                            // of all jobs
  Duration latest_{};
  bool has_head_ = false;
  std::optional<Error> wrong_;  // of a line that is no JSON
};

}  // namespace

Result<Workload> read_workload_file(const std::string& path) {
  Result<Lines> lines = Lines::open(path, Lines::kLongestWorkloadLine);
  if (!lines) return lines.error();
  WorkloadReader reader(path);
  while (true) {
    const Result<std::optional<std::string_view>> line = lines->next();
    if (!line) return line.error();
    if (!line->has_value() || !reader.take(**line, lines->number())) return reader.finish();
  }
}

Result<Workload> read_workload_text(std::string_view text, const std::string& name) {
  WorkloadReader reader(name);
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!reader.take(line, number)) break;
  }
  return reader.finish();
}

// A workload as JSON lines (docs/reference/workload-file.md): the head, what jobs refer to, then jobs and
// changes of servers in the order of time. Numbers are written so that they read back as the same.

namespace {

using Out = std::back_insert_iterator<std::string>;

std::string list(std::span<const std::string> texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + json_string(text);
  return "[" + list + "]";
}

/// Amounts of 0 are left out.
std::string amounts(const Workload& workload, const ResourceVector& vector) {
  MIRAB_ASSERT(vector.size() == workload.resources.size(), "an amount for each resource");
  std::string map;
  for (std::size_t r = 0; r < vector.size(); ++r) {
    if (vector[r].is_zero()) continue;
    map += (map.empty() ? "" : ", ") + json_string(workload.resources[r]) + ": " + vector[r].text();
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
  fmt::format_to(out, R"({{"user": {})", json_string(user.name));
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
      select += (select.empty() ? "" : ", ") + json_string(label) + ": " + list(values);
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
  fmt::format_to(out, R"({{"job": {}, "at": {}, "user": {}, "request": {})", json_string(job.name),
                 seconds_text(job.submitted), json_string(workload.users.at(job.user).name), job.request);
  if (job.tasks != 1) fmt::format_to(out, R"(, "tasks": {})", job.tasks);
  if (job.gang != 1) fmt::format_to(out, R"(, "gang": {})", job.gang);
  if (job.per_server) fmt::format_to(out, R"(, "per_server": {})", *job.per_server);
  fmt::format_to(out, R"(, "runtime": {})", seconds_text(job.runtime));
  if (job.requested) fmt::format_to(out, R"(, "requested": {})", seconds_text(*job.requested));
  if (job.known == Runtime::cut) fmt::format_to(out, R"(, "cut": true)");
  if (job.usage) fmt::format_to(out, R"(, "usage": {})", *job.usage);
  fmt::format_to(out, "}}\n");
}

void write(Out out, const Workload& workload, const ServerChange& change) {
  const bool up = change.kind == ServerChange::Kind::up;
  fmt::format_to(out, R"({{"server": {}, "instance": {}, "at": {}, "change": "{}")",
                 json_string(change.server), change.instance, seconds_text(change.at), up ? "up" : "down");
  if (up) fmt::format_to(out, R"(, "capacity": {})", amounts(workload, change.capacity));
  if (!change.labels.empty()) {
    std::string labels;
    for (const auto& [label, value] : change.labels) {
      labels += (labels.empty() ? "" : ", ") + json_string(label) + ": " + json_string(value);
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
