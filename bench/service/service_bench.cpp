// The service under load, with the load generator on the same machine. Each contender starts a service of
// its own, on a new file in the temporary folder; PostgreSQL does the same work beside it.
#include <benchmark/benchmark.h>
#include <cmath>
#include <fmt/format.h>
#include <future>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#include <mirab/model/random.hpp>

#include "service/forked_service.hpp"
#include "service/http_load.hpp"
#include "service/postgres.hpp"

namespace mirab::bench {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr const char* kJob = R"({"tasks":1,"demand":{"cpu":1}})";

/// A tenant with a queue, and servers.
void set_up(Asker& admin, int servers, int cpus, int queues = 1) {
  admin.must("PUT", "/v1/tenants/research", "{}");
  for (int n = 0; n < servers; ++n)
    admin.must("PUT", fmt::format("/v1/servers/n{}", n),
               fmt::format(R"({{"capacity":{{"cpu":{},"memory":"1Ti","gpu":8}}}})", cpus));
  for (int n = 0; n < queues; ++n)
    admin.must("PUT", fmt::format("/v1/queues/q{}", n), R"({"tenant":"research"})");
}

std::string put_job(const std::string& token, int number, int queue = 0, const char* job = kJob) {
  return http_request("PUT", fmt::format("/v1/queues/q{}/jobs/j{}", queue, number), token, job);
}

/// The text of a list of submits.
std::string batch_of(int& number, int jobs, int queue, int tasks = 1) {
  std::string text = R"({"jobs":[)";
  for (int n = 0; n < jobs; ++n)
    text += fmt::format(R"({}{{"queue":"q{}","name":"b{}","tasks":{},"demand":{{"cpu":1}}}})",
                        n == 0 ? "" : ",", queue, number++, tasks);
  return text + "]}";
}

/// All answers have this status, or the measurement is none.
void expect_all(const Lane& lane, int status) {
  for (const auto& [each, count] : lane.statuses) {
    if (each != status) throw std::runtime_error(fmt::format("{} answers with status {}", count, each));
  }
}

/// A contender: `measure` returns the seconds of one operation. Where it throws it has no time.
template <class Measure>
void measure(benchmark::State& state, Measure measure_one) {
  for ([[maybe_unused]] auto _ : state) {
    try {
      state.SetIterationTime(measure_one());
    } catch (const std::exception& failure) {
      state.SkipWithError(failure.what());
      return;
    }
  }
}

double seconds_each(const Lane& lane, double things = 1) {
  return lane.seconds / (static_cast<double>(lane.ms.size()) * things);
}

void add_quantiles(benchmark::State& state, const Lane& lane) {
  state.counters["p50_ms"] = lane.quantile(0.5);
  state.counters["p99_ms"] = lane.quantile(0.99);
}

// ---- submits

void submits(benchmark::State& state) {
  measure(state, [&] {
    ForkedService service;
    Asker admin(service.port(), service.token());
    set_up(admin, 100, 1'000);
    int number = 0;
    Lane lane{.connections = static_cast<int>(state.range(0)),
              .request = [&] { return put_job(service.token(), number++); }};
    drive(service.port(), {&lane}, 1s);  // warm
    drive(service.port(), {&lane}, 3s);
    expect_all(lane, 201);
    add_quantiles(state, lane);
    return seconds_each(lane);
  });
}

void batches(benchmark::State& state) {
  measure(state, [&] {
    ForkedService service;
    Asker admin(service.port(), service.token());
    set_up(admin, 100, 10'000);
    int number = 0;
    Lane lane{.connections = 8, .request = [&] {
                return http_request("POST", "/v1/jobs:submit", service.token(), batch_of(number, 100, 0));
              }};
    drive(service.port(), {&lane}, 3s);
    expect_all(lane, 200);
    add_quantiles(state, lane);
    return seconds_each(lane, 100);
  });
}

void postgres(benchmark::State& state) {
  measure(state, [&] {
    const Postgres database;
    const int threads = static_cast<int>(state.range(0));
    database.submit(threads, 2'000);  // warm
    constexpr int kJobs = 10'000;
    return database.submit(threads, kJobs) / kJobs;
  });
}

// ---- executors

/// From sending the outcome of a task until the executor's poll names the task that takes its place.
void finish_to_placement(benchmark::State& state) {
  measure(state, [&] {
    ForkedService service;
    Asker admin(service.port(), service.token());
    set_up(admin, 1, 1);
    for (int n = 0; n < 400; ++n) admin.must("PUT", fmt::format("/v1/queues/q0/jobs/j{}", n), kJob);
    const std::string token = json::parse(admin.must(
        "PUT", "/v1/tokens/e", R"({"scopes":["executor"],"tenant":"research","server":"n0"})"))["secret"];
    Asker executor(service.port(), token);
    Lane lane;
    json assigned = json::parse(executor.must("GET", "/v1/servers/n0/assignments"));
    while (lane.ms.size() < 300) {
      const std::string task = assigned.at("run").at(0).at("task");
      auto next =
          std::async(std::launch::async, [&, after = assigned.at("revision").get<std::uint64_t>()]() mutable {
            while (true) {  // the poll may show the end of the task before the next one is there
              json now = json::parse(
                  executor.must("GET", fmt::format("/v1/servers/n0/assignments?after={}&wait=30s", after)));
              if (!now.at("run").empty() && now["run"][0]["task"] != task) return now;
              after = now.at("revision");
            }
          });
      std::this_thread::sleep_for(2ms);  // the poll waits
      const auto begin = Clock::now();
      admin.must("PUT", fmt::format("/v1/tasks/{}/outcome", task), R"({"outcome":"succeeded"})");
      assigned = next.get();
      lane.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
    add_quantiles(state, lane);
    return lane.quantile(0.5) / 1'000;
  });
}

// ---- questions

void get_job(benchmark::State& state) {
  measure(state, [&] {
    ForkedService service;
    Asker admin(service.port(), service.token());
    set_up(admin, 10, 100);
    for (int n = 0; n < 1'000; ++n) admin.must("PUT", fmt::format("/v1/queues/q0/jobs/j{}", n), kJob);
    int number = 0;
    Lane lane{.connections = 64, .request = [&] {
                return http_request("GET", fmt::format("/v1/queues/q0/jobs/j{}", number++ % 1'000),
                                    service.token());
              }};
    drive(service.port(), {&lane}, 1s);
    drive(service.port(), {&lane}, 3s);
    expect_all(lane, 200);
    add_quantiles(state, lane);
    return seconds_each(lane);
  });
}

/// A steady load of submits whose p99 tells whether something else disturbs the decisions.
Lane steady_submits(const std::string& token, int& number) {
  const auto next = [&number, token] {
    const int now = number++;
    return put_job(token, now, now % 1'000);
  };
  return {.connections = 16, .request = next, .per_s = 1'000};
}

/// 1,000 servers that are full, 1,000 queues with a job that runs and one that waits.
void explain(benchmark::State& state) {
  measure(state, [&] {
    ForkedService service;
    Asker admin(service.port(), service.token());
    set_up(admin, 1'000, 1, 1'000);
    for (int n = 0; n < 1'000; ++n) admin.must("PUT", fmt::format("/v1/queues/q{}/jobs/runs", n), kJob);
    for (int n = 0; n < 1'000; ++n) admin.must("PUT", fmt::format("/v1/queues/q{}/jobs/waits", n), kJob);
    int number = 0;
    Lane before = steady_submits(service.token(), number);
    drive(service.port(), {&before}, 3s);
    expect_all(before, 201);
    int asked = 0;
    Lane questions{.connections = 16,
                   .request =
                       [&] {
                         return http_request(
                             "GET", fmt::format("/v1/queues/q{}/jobs/waits/explain", asked++ % 1'000),
                             service.token());
                       },
                   .per_s = 200};
    Lane during = steady_submits(service.token(), number);
    drive(service.port(), {&during, &questions}, 3s);
    expect_all(questions, 200);
    expect_all(during, 201);
    add_quantiles(state, questions);
    state.counters["submits_p99"] = during.quantile(0.99) / before.quantile(0.99);
    return questions.quantile(0.5) / 1'000;
  });
}

/// 100,000 running tasks and as many that wait.
void what_if(benchmark::State& state) {
  measure(state, [&] {
    ForkedService service;
    Asker admin(service.port(), service.token());
    set_up(admin, 1'000, 100, 1'000);
    int number = 0;
    for (int n = 0; n < 1'000; ++n) admin.must("POST", "/v1/jobs:submit", batch_of(number, 2, n, 100));
    int names = 0;
    Lane before = steady_submits(service.token(), names);
    drive(service.port(), {&before}, 3s);
    expect_all(before, 201);
    Lane questions{.connections = 1, .request = [&] {
                     return http_request(
                         "POST", "/v1/whatif", service.token(),
                         R"({"changes":[{"queue":"q1","weight":"2"},{"drain":"n3"}],"show":["queues"]})");
                   }};
    Lane during = steady_submits(service.token(), names);
    drive(service.port(), {&during, &questions}, 3s);
    expect_all(questions, 200);
    expect_all(during, 201);
    add_quantiles(state, questions);
    state.counters["submits_p99"] = during.quantile(0.99) / before.quantile(0.99);
    return questions.quantile(0.5) / 1'000;
  });
}

// ---- preemption

/// 300 groups of ten queues on 20 servers that are full, with preemption. Somebody sends a thousand jobs a
/// second, in lists or one by one, to queues drawn at random, while another tenant submits 40.
void submits_beside_preemption(benchmark::State& state) {
  measure(state, [&] {
    constexpr std::uint64_t kQueues = 3'000;
    constexpr int kJobsPerS = 1'000;
    ForkedService service;
    Asker admin(service.port(), service.token());
    set_up(admin, 20, 64);
    const auto token_of = [&](const std::string& tenant, const char* limits) {
      admin.must("PUT", "/v1/tenants/" + tenant, limits);
      const std::string token = admin.must("PUT", "/v1/tokens/" + tenant,
                                           fmt::format(R"({{"scopes":["submit"],"tenant":"{}"}})", tenant));
      return json::parse(token)["secret"].get<std::string>();
    };
    const std::string many = token_of("many", R"({"limits":{"requests_per_s":100000,"submits_per_s":100000,
                                                             "burst":100000,"queued_jobs":100000}})");
    const std::string quiet = token_of("quiet", "{}");
    admin.must("PUT", "/v1/queues/quiet", R"({"tenant":"quiet"})");
    for (std::uint64_t n = 0; n < kQueues; ++n) {
      if (n % 10 == 0) admin.must("PUT", fmt::format("/v1/groups/g{}", n / 10), "{}");
      admin.must("PUT", fmt::format("/v1/queues/m{}", n),
                 fmt::format(R"({{"tenant":"many","group":"g{}"}})", n / 10));
    }
    admin.must("PUT", "/v1/cluster/policy",
               R"({"discipline":"drf","placement":"first-fit","preemption":{"tasks":1000000,"per":"1s"}})");
    Random random(1);
    int number = 0;
    const auto list = [&] {
      std::string text = R"({"jobs":[)";
      for (std::int64_t n = 0; n < state.range(0); ++n) {
        const auto cpus = std::uint64_t{1} << random.below(4);
        text += fmt::format(
            R"({}{{"queue":"m{}","name":"j{}","tasks":{},"demand":{{"cpu":{},"memory":"{}Gi"}}}})",
            n == 0 ? "" : ",", random.below(kQueues), number++, 1 + random.below(4), cpus,
            cpus * (1 + random.below(4)));
      }
      return http_request("POST", "/v1/jobs:submit", many, text + "]}");
    };
    int names = 0;
    const auto drive_both = [&](std::chrono::milliseconds time) {
      Lane lists{.connections = 8,
                 .request = list,
                 .per_s = static_cast<double>(kJobsPerS) / static_cast<double>(state.range(0))};
      Lane submits{.connections = 8,
                   .request =
                       [&] {
                         return http_request("PUT", fmt::format("/v1/queues/quiet/jobs/s{}", names++), quiet,
                                             R"({"demand":{"cpu":1}})");
                       },
                   .per_s = 40};
      drive(service.port(), {&submits, &lists}, time);
      expect_all(lists, 200);
      expect_all(submits, 201);
      return submits;
    };
    drive_both(2s);  // the servers are full
    const Lane submits = drive_both(10s);
    add_quantiles(state, submits);
    state.counters["max_ms"] = submits.quantile(1);
    return submits.quantile(0.5) / 1'000;
  });
}

// ---- watchers

void watch_fan_out(benchmark::State& state) {
  measure(state, [&] {
    ForkedService service;
    Asker admin(service.port(), service.token());
    set_up(admin, 10, 10'000);
    Watchers watchers(service.port(), service.token(), 100);
    admin.must("GET", "/v1/cluster");
    std::this_thread::sleep_for(200ms);  // the watches begin
    int number = 0;
    const auto begin = Clock::now();
    auto load = std::async(std::launch::async, [&] {
      std::uint64_t last = 0;
      for (int n = 0; n < 40; ++n)
        last = json::parse(admin.must("POST", "/v1/jobs:submit", batch_of(number, 100, 0)))["revision"];
      return last;
    });
    const std::uint64_t last = load.get();
    const std::size_t messages = watchers.read_until(last);
    return std::chrono::duration<double>(Clock::now() - begin).count() / static_cast<double>(messages);
  });
}

// ---- size

void million_running(benchmark::State& state) {
  measure(state, [&] {
    ForkedService service;
    const auto empty = static_cast<double>(service.resident());
    {
      Asker admin(service.port(), service.token());
      set_up(admin, 1'000, 1'000);
      int number = 0;
      for (int n = 0; n < 10; ++n) admin.must("POST", "/v1/jobs:submit", batch_of(number, 100, 0, 1'000));
      for (int n = 0; n < 1'200; ++n) {
        const json cluster = json::parse(admin.must("GET", "/v1/cluster"));
        if (cluster["totals"]["running"] == 1'000'000) break;
        if (n == 1'199) throw std::runtime_error("not all tasks run");
        std::this_thread::sleep_for(50ms);
      }
    }
    service.stop();
    const double seconds = service.start();
    state.counters["bytes"] = (static_cast<double>(service.resident()) - empty) / 1e6;
    return seconds;
  });
}

#define MIRAB_ONCE Iterations(1)->Repetitions(3)->UseManualTime()
BENCHMARK(submits)->Arg(128)->Arg(1)->MIRAB_ONCE;
BENCHMARK(postgres)->Arg(16)->Arg(128)->MIRAB_ONCE;
BENCHMARK(batches)->MIRAB_ONCE;
BENCHMARK(finish_to_placement)->MIRAB_ONCE;
BENCHMARK(get_job)->MIRAB_ONCE;
BENCHMARK(explain)->MIRAB_ONCE;
BENCHMARK(what_if)->MIRAB_ONCE;
BENCHMARK(submits_beside_preemption)->Arg(1'000)->Arg(1)->MIRAB_ONCE;
BENCHMARK(watch_fan_out)->MIRAB_ONCE;
BENCHMARK(million_running)->MIRAB_ONCE;

}  // namespace
}  // namespace mirab::bench
