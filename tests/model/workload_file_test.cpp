#include <chrono>
#include <gmock/gmock.h>

#include <mirab/model/random.hpp>
#include <mirab/model/workload_file.hpp>

#include "random_cases.hpp"
#include "support/files.hpp"

// The format is ours: docs/reference/workload-file.md.
namespace mirab {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

const std::string head = R"({"mirab": "workload", "version": 1, "resources": ["cpu", "memory"], "span": 100})"
                         "\n";
const std::string above = head + R"({"user": "ann"}
{"user": "bob", "weight": 2.5}
{"request": 0, "demand": {"cpu": 0.0125, "memory": "4Gi"}}
{"request": 1, "demand": {"cpu": 2}, "servers": ["big"], "select": {"zone": ["a", "b"], "disk": "ssd"}}
{"usage": 0, "step": 300, "of": [[1, 0.5], [0, 2e-3]]}
)";
const std::string a_job = R"({"job": "j1", "at": 12.5, "user": "bob", "request": 1, "runtime": 0.5})"
                          "\n";

Workload read(const std::string& text) {
  Result<Workload> workload = read_workload_text(text, "w");
  if (workload) return *std::move(workload);
  ADD_FAILURE() << describe(workload.error());
  return {};
}

std::string refusal(const std::string& text) {
  const Result<Workload> workload = read_workload_text(text, "w");
  return workload ? "accepted" : describe(workload.error());
}

/// The error for a line below the good ones.
std::string refusal_of(const std::string& line) {
  const std::string said = refusal(above + a_job + line);
  EXPECT_TRUE(said == "accepted" || said.starts_with("w:8: ")) << said;
  return said.starts_with("w:8: ") ? said.substr(5) : said;
}

void expect_equal(const Workload& a, const Workload& b) {
  EXPECT_EQ(a.resources, b.resources);
  EXPECT_EQ(a.users, b.users);
  EXPECT_EQ(a.requests, b.requests);
  EXPECT_EQ(a.usages, b.usages);
  EXPECT_EQ(a.jobs, b.jobs);
  EXPECT_EQ(a.changes, b.changes);
  EXPECT_EQ(a.span, b.span);
}

TEST(WorkloadFile, ReadsEveryKey) {
  const Workload workload = read(above + a_job +
                                 R"({"server": "big", "instance": 3, "at": 12.5, "change": "down"}
{"job": "j2", "at": 20, "user": "ann", "request": 0, "tasks": 8, "gang": 4, "per_server": 2, "runtime": 7, "cut": true, "usage": 0}
{"server": "new", "instance": 0, "at": 30, "change": "up", "capacity": {"cpu": 4, "memory": "8Gi"}, "labels": {"zone": "a"}}
)");
  EXPECT_THAT(workload.resources, ElementsAre("cpu", "memory"));
  EXPECT_EQ(workload.span, seconds(100));
  EXPECT_THAT(workload.users, ElementsAre(Submitter{"ann"}, Submitter{"bob", *Quantity::parse("2.5")}));
  ASSERT_EQ(workload.requests.size(), 2u);
  EXPECT_THAT(workload.requests[0].demand, ElementsAre(*Quantity::parse("0.0125"), *Quantity::parse("4Gi")));
  EXPECT_THAT(*workload.requests[1].servers, ElementsAre("big"));
  EXPECT_THAT(workload.requests[1].select,
              ElementsAre(Pair("disk", ElementsAre("ssd")), Pair("zone", ElementsAre("a", "b"))));
  EXPECT_THAT(workload.usages, ElementsAre(Usage{seconds(300), {{1, 0.5}, {0, 0.002}}}));
  const Job first{
      .name = "j1", .submitted = milliseconds(12'500), .user = 1, .request = 1, .runtime = milliseconds(500)};
  const Job second{.name = "j2",
                   .submitted = seconds(20),
                   .user = 0,
                   .request = 0,
                   .tasks = 8,
                   .gang = 4,
                   .per_server = 2,
                   .runtime = seconds(7),
                   .known = Runtime::cut,
                   .usage = 0};
  EXPECT_THAT(workload.jobs, ElementsAre(first, second));
  const ServerChange down{ServerChange::Kind::down, milliseconds(12'500), "big", 3};
  const ServerChange up{ServerChange::Kind::up, seconds(30), "new", 0, {Quantity(4), *Quantity::parse("8Gi")},
                        {{"zone", "a"}}};
  EXPECT_THAT(workload.changes, ElementsAre(down, up));
}

// A random workload that uses everything a file can say.
class RandomWorkload {
 public:
  explicit RandomWorkload(std::uint64_t seed) : random_(seed) {}

  Workload draw() {
    const std::size_t m = 1 + random_.below(3);
    Workload workload;
    for (std::size_t r = 0; r < m; ++r) workload.resources.push_back(name("r", r));
    for (std::size_t i = 0; i < 1 + random_.below(4); ++i) {
      workload.users.push_back({name("u", i), positive()});
    }
    for (std::size_t i = 0; i < 1 + random_.below(4); ++i) workload.requests.push_back(request(m));
    for (std::size_t i = 0; i < random_.below(3); ++i) workload.usages.push_back(usage(m));
    workload.span = nanoseconds(static_cast<std::int64_t>(1 + random_.bits() / 8));
    std::vector<Duration> times(random_.below(20));
    for (Duration& at : times) at = nanoseconds(static_cast<std::int64_t>(random_.below(span_of(workload))));
    std::sort(times.begin(), times.end());
    for (const Duration at : times) {
      if (random_.below(4) == 0) {
        workload.changes.push_back(change(at, m));
      } else {
        workload.jobs.push_back(job(at, workload));
      }
    }
    return workload;
  }

 private:
  static std::uint64_t span_of(const Workload& workload) {
    return static_cast<std::uint64_t>(workload.span.count()) + 1;
  }

  std::string name(const std::string& prefix, std::size_t i) {
    static const std::vector<std::string> odd = {"", " \"", "\\", "é", "\t", "{", "true", "1"};
    return prefix + std::to_string(i) + odd[random_.below(odd.size())];
  }

  Quantity positive() {
    const auto digits = static_cast<std::int64_t>(1 + (random_.bits() >> (4 + random_.below(58))));
    return *Quantity::parse(std::to_string(digits) + "e-" + std::to_string(random_.below(30)));
  }
  Quantity amount() { return random_.below(3) == 0 ? Quantity() : positive(); }

  ResourceVector amounts(std::size_t m) {
    ResourceVector vector(m);
    for (Quantity& value : vector) value = amount();
    return vector;
  }

  std::vector<std::string> names(const std::string& prefix) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < 1 + random_.below(3); ++i) all.push_back(name(prefix, i));
    return all;
  }

  Request request(std::size_t m) {
    Request request{.demand = amounts(m)};
    request.demand[random_.below(m)] = positive();
    if (random_.below(2) == 0) request.servers = names("s");
    if (random_.below(2) == 0) request.select.emplace(name("l", 0), names("v"));
    return request;
  }

  Usage usage(std::size_t m) {
    Usage usage{.step = runtime(), .of = {}};
    const std::size_t steps = random_.below(10) == 0 ? 12'000 : 1 + random_.below(4);
    for (std::size_t s = 0; s < steps; ++s) {
      auto& of = usage.of.emplace_back(m);
      for (double& value : of) value = random_.below(4) == 0 ? 0 : random_.unit() * 1e3;
    }
    return usage;
  }

  Duration runtime() {
    return nanoseconds(static_cast<std::int64_t>(1 + (random_.bits() >> (3 + random_.below(60)))));
  }

  Job job(Duration at, const Workload& workload) {
    Job job{.name = name("j", random_.below(100)),
            .submitted = at,
            .user = static_cast<std::uint32_t>(random_.below(workload.users.size())),
            .request = static_cast<std::uint32_t>(random_.below(workload.requests.size())),
            .tasks = static_cast<std::int64_t>(1 + random_.below(5)),
            .runtime = runtime()};
    job.gang = static_cast<std::int64_t>(1 + random_.below(static_cast<std::uint64_t>(job.tasks)));
    if (random_.below(3) == 0) job.per_server = static_cast<std::int64_t>(1 + random_.below(9));
    if (random_.below(3) == 0) job.known = Runtime::cut;
    if (!workload.usages.empty() && random_.below(2) == 0) {
      job.usage = static_cast<std::uint32_t>(random_.below(workload.usages.size()));
    }
    return job;
  }

  ServerChange change(Duration at, std::size_t m) {
    ServerChange change{ServerChange::Kind::down, at, name("s", 0),
                        static_cast<std::int64_t>(random_.below(3))};
    // One that is known goes and comes in turn.
    const auto known = is_up_.try_emplace({change.server, change.instance}, random_.below(2) == 0).first;
    known->second = !known->second;
    if (!known->second) return change;
    change.kind = ServerChange::Kind::up;
    change.capacity = amounts(m);
    if (random_.below(2) == 0) change.labels.emplace(name("l", 0), name("v", 0));
    return change;
  }

  Random random_;
  std::map<std::pair<std::string, std::int64_t>, bool> is_up_;  // by server and instance
};

TEST(WorkloadFile, ReadingWhatIsWrittenGivesAnEqualWorkload) {
  for (std::uint64_t seed = 1; seed <= random_cases(300); ++seed) {
    SCOPED_TRACE("RandomWorkload(" + std::to_string(seed) + ").draw()");
    const Workload workload = RandomWorkload(seed).draw();
    const std::string text = write_workload(workload, {"from \"nowhere\""});
    const Workload again = read(text);
    expect_equal(again, workload);
    EXPECT_EQ(write_workload(again, {"from \"nowhere\""}), text);
    if (HasFailure()) return;
  }
}

TEST(WorkloadFile, GzipAndPlainFilesHoldTheSame) {
  const TemporaryFolder folder;
  const Result<Workload> plain = read_workload_file(folder.write("plain", above + a_job));
  const Result<Workload> gzip = read_workload_file(folder.write_gzip("gzip", above + a_job));
  ASSERT_TRUE(plain) << describe(plain.error());
  ASSERT_TRUE(gzip) << describe(gzip.error());
  expect_equal(*plain, *gzip);
}

TEST(WorkloadFile, ATruncatedGzipIsAnErrorWithItsLine) {
  const TemporaryFolder folder;
  std::string text = above;
  for (int i = 0; i < 1000; ++i) text += a_job;
  const std::string whole = read_text(folder.write_gzip("whole", text));
  const std::string path = folder.write("cut", std::string_view(whole).substr(0, whole.size() - 9));
  const Result<Workload> workload = read_workload_file(path);
  ASSERT_FALSE(workload);
  EXPECT_THAT(describe(workload.error()), StartsWith(path + ":"));
  EXPECT_THAT(describe(workload.error()), HasSubstr("the file is truncated: its gzip stream has no end"));
}

TEST(WorkloadFile, TheHeadComesFirstAndSaysWhatTheFileIs) {
  EXPECT_EQ(refusal(""), "w:1: mirab: missing: the file is empty; its first line is the head");
  EXPECT_EQ(refusal(a_job), "w:1: job: unknown key; known are mirab, version, resources, span, provenance");
  EXPECT_EQ(refusal(R"({"mirab": "event log", "version": 1, "resources": ["cpu"], "span": 1})"),
            "w:1: mirab: must be \"workload\": this is another kind of file");
  EXPECT_EQ(refusal(R"({"mirab": "workload", "version": 2, "resources": ["cpu"], "span": 1})"),
            "w:1: version: must be 1, the version of this format");
  EXPECT_EQ(refusal(R"({"mirab": "workload", "version": 1, "resources": [], "span": 1})"),
            "w:1: resources: must name at least one resource");
  EXPECT_EQ(refusal(R"({"mirab": "workload", "version": 1, "resources": ["a", "a"], "span": 1})"),
            "w:1: resources[1]: duplicate name 'a'");
  EXPECT_EQ(refusal(R"({"mirab": "workload", "version": 1, "resources": ["a"], "span": 0})"),
            "w:1: span: must be more than 0 seconds");
  EXPECT_EQ(refusal(R"({"mirab": "workload", "version": 1, "resources": ["a"]})"), "w:1: span: missing");
}

TEST(WorkloadFile, WhatAJobNamesStandsAboveIt) {
  EXPECT_THAT(refusal_of(R"({"job": "j", "at": 13, "user": "bo", "request": 0, "runtime": 1})"),
              StartsWith("user: 'bo' has no line above; did you mean bob?"));
  EXPECT_EQ(refusal_of(R"({"job": "j", "at": 13, "user": "bob", "request": 2, "runtime": 1})"),
            "request: request 2 has no line above");
  EXPECT_EQ(refusal_of(R"({"job": "j", "at": 13, "user": "bob", "request": 0, "runtime": 1, "usage": 1})"),
            "usage: usage 1 has no line above");
}

TEST(WorkloadFile, TimeGoesForwardAndStaysWithinTheSpan) {
  EXPECT_EQ(refusal_of(R"({"job": "j", "at": 12.499, "user": "bob", "request": 0, "runtime": 1})"),
            "at: 12.499 s is before 12.5 s, the time of the line above");
  EXPECT_EQ(refusal_of(R"({"server": "s", "instance": 0, "at": 3, "change": "down"})"),
            "at: 3 s is before 12.5 s, the time of the line above");
  EXPECT_EQ(refusal_of(R"({"job": "j", "at": 100.001, "user": "bob", "request": 0, "runtime": 1})"),
            "at: 100.001 s is beyond the span of 100 s");
  EXPECT_EQ(refusal_of(R"({"job": "j", "at": -1, "user": "bob", "request": 0, "runtime": 1})"),
            "at: '-1' is negative; an amount is at least 0");
}

TEST(WorkloadFile, TimesAreWithinAHundredYears) {
  EXPECT_EQ(refusal(R"({"mirab": "workload", "version": 1, "resources": ["cpu"], "span": 3153600000.5})"),
            "w:1: span: must be at most a hundred years");
  EXPECT_EQ(refusal_of(R"({"job": "j", "at": 13, "user": "bob", "request": 0, "runtime": 3153600001})"),
            "runtime: must be at most a hundred years");
}

TEST(WorkloadFile, TasksAreAtMostAHundredMillionInAll) {
  const std::string job = R"({"job": "j", "at": 13, "user": "bob", "request": 0, "runtime": 1, "tasks": )";
  EXPECT_EQ(refusal_of(job + "99999999}"), "accepted");
  EXPECT_EQ(refusal_of(job + "100000000}"), "tasks: make more than 100000000 in all") << "with that above";
  EXPECT_EQ(refusal_of(job + "9000000000000000000}"), "tasks: make more than 100000000 in all");
}

TEST(WorkloadFile, AServerGoesAndComesInTurn) {
  const auto change = [](const std::string& server, int instance, const std::string& to) {
    return R"({"server": ")" + server + R"(", "instance": )" + std::to_string(instance) +
           R"(, "at": 13, "change": )" + (to == "up" ? R"("up", "capacity": {"cpu": 1}})" : R"("down"})");
  };
  const std::string down = change("s", 0, "down");
  EXPECT_EQ(refusal(above + down + "\n" + change("s", 0, "down")), "w:8: change: server 0 of 's' goes twice");
  EXPECT_EQ(refusal(above + down + "\n" + change("s", 0, "up") + "\n" + change("s", 0, "up")),
            "w:9: change: server 0 of 's' comes twice");
  EXPECT_EQ(refusal(above + down + "\n" + change("s", 1, "down") + "\n" + change("t", 0, "down") + "\n" +
                    change("s", 0, "up") + "\n" + down),
            "accepted");
}

TEST(WorkloadFile, AmountsArePositiveAndOfKnownResources) {
  EXPECT_EQ(refusal_of(R"({"request": 2, "demand": {"cpu": -1}})"),
            "demand.cpu: '-1' is negative; an amount is at least 0");
  EXPECT_THAT(refusal_of(R"({"request": 2, "demand": {"gpu": 1}})"),
              StartsWith("demand.gpu: unknown resource"));
  EXPECT_EQ(refusal_of(R"({"request": 2, "demand": {"cpu": 0}})"),
            "demand: at least one amount must be more than 0");
  EXPECT_EQ(refusal_of(R"({"request": 3, "demand": {"cpu": 1}})"), "request: must be 2, the next number");
  EXPECT_EQ(refusal_of(R"({"usage": 1, "step": 1, "of": [[1]]})"),
            "of[0]: must have 2 amounts, one for each resource");
  EXPECT_EQ(refusal_of(R"({"usage": 1, "step": 1, "of": [[1, -2]]})"),
            "of[0][1]: must be a number from 0, not '-2'");
  EXPECT_EQ(refusal_of(R"({"usage": 1, "of": [[1, 2]]})"), "usage: must be 0, the next number");
  EXPECT_EQ(
      refusal_of(R"({"server": "s", "instance": 0, "at": 13, "change": "up", "capacity": {"cpu": -4}})"),
      "capacity.cpu: '-4' is negative; an amount is at least 0");
}

TEST(WorkloadFile, EveryOtherSlipIsAnErrorThatNamesItsKey) {
  for (const auto& [line, said] : std::vector<std::pair<std::string, std::string>>{
           {R"({"job": "j", "at": 13, "user": "bob", "request": 0, "runtime": 0})",
            "runtime: must be more than 0 seconds"},
           {R"({"job": "j", "at": 13, "user": "bob", "request": 0})", "runtime: missing"},
           {R"({"job": "j", "at": 13, "user": "bob", "request": 0, "runtime": 1, "tasks": 0})",
            "tasks: must be a whole number from 1 up to 2^63 - 1, not '0'"},
           {R"({"job": "j", "at": 13, "user": "bob", "request": 0, "runtime": 1, "gang": 2})",
            "gang: must not be more than the tasks"},
           {R"({"job": "j", "at": 13, "user": "bob", "request": 0, "runtime": 1, "cut": "no"})",
            "cut: must be true or false"},
           {R"({"job": "", "at": 13, "user": "bob", "request": 0, "runtime": 1})", "job: must not be empty"},
           {R"({"user": "ann"})", "user: duplicate user name 'ann'"},
           {R"({"user": "eve", "weight": 0})", "weight: must be more than 0"},
           {R"({"server": "s", "instance": 0, "at": 13, "change": "gone"})", "change: must be up or down"},
           {R"({"server": "s", "instance": 0, "at": 13, "change": "up"})", "capacity: missing"},
           {R"({"server": "s", "instance": 0, "at": 13, "change": "down", "capacity": {}})",
            "change: a server that goes down has no capacity and no labels"},
           {R"({"colour": 1})", "must have one of the keys job, server, user, request, usage"},
           {R"([1])", "a line must be a JSON object"},
       }) {
    EXPECT_EQ(refusal_of(line), said) << line;
  }
  EXPECT_THAT(refusal_of(R"({"job": "j", "task": 1})"), StartsWith("task: unknown key; did you mean tasks?"));
  EXPECT_THAT(refusal_of(R"({"job": "j")"), HasSubstr("unexpected end of input"));
  EXPECT_THAT(refusal_of(R"({"job": "j", "job": "k"})"), HasSubstr("duplicate key"));
}

TEST(WorkloadFile, AFileThatCannotBeOpenedIsNamed) {
  const Result<Workload> workload = read_workload_file("/nowhere/w");
  ASSERT_FALSE(workload);
  EXPECT_THAT(describe(workload.error()), StartsWith("/nowhere/w: cannot be read"));
}

}  // namespace
}  // namespace mirab
