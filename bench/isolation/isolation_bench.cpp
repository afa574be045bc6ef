// Cost isolation: what a tenant feels while another, within its limits, asks the dearest things that it may,
// and while somebody without a token asks what anybody may. Each load runs in slices of a few seconds, in
// turn with as many connections that read one small job, so that other work on the machine weighs on both
// alike.
//
// bench_isolation [--seconds N] [--load NAME]...: N seconds of each load. Prints a table on standard error
// and the goals on standard output; ends with status 1 where one does not hold.
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "service/forked_service.hpp"
#include "service/http_load.hpp"

namespace mirab::bench {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr int kConnections = 16;
constexpr int kAnonymous = 64;
constexpr int kJobs = 10'000;  // of the tenant that asks much: what its limit allows

/// The service with two tenants: `dear`, with as many jobs as it may have, half of which run, and `quiet`.
struct Cluster {
  Cluster() : admin(service.port(), service.token()) {
    for (int n = 0; n < 100; ++n)
      admin.must("PUT", fmt::format("/v1/servers/n{}", n), R"({"capacity":{"cpu":51,"memory":"1Ti"}})");
    for (const char* tenant : {"dear", "quiet"}) {
      admin.must("PUT", fmt::format("/v1/tenants/{}", tenant), "{}");
      admin.must("PUT", fmt::format("/v1/queues/{}", tenant), fmt::format(R"({{"tenant":"{}"}})", tenant));
    }
    dear = token_of("dear");
    quiet = token_of("quiet");
    for (int first = 0; first < kJobs; first += 500) {
      std::string text = R"({"jobs":[)";
      for (int n = first; n < first + 500; ++n)
        text +=
            fmt::format(R"({}{{"queue":"dear","name":"j{}","demand":{{"cpu":1}},"labels":{{"of":"{}"}}}})",
                        n == first ? "" : ",", n, n % 10);
      admin.must("POST", "/v1/jobs:submit", text + "]}");
    }
    admin.must("PUT", "/v1/queues/quiet/jobs/small", R"({"demand":{"cpu":1}})");
  }
  std::string token_of(const std::string& tenant) {
    return json::parse(admin.must("PUT", "/v1/tokens/" + tenant,
                                  fmt::format(R"({{"scopes":["submit","read"],"tenant":"{}"}})", tenant)))
        .at("secret");
  }

  ForkedService service;
  Asker admin;
  std::string dear;
  std::string quiet;
};

/// Connections that send all of a body of 4 MiB but its end, and hold it as long as they are let.
class Hoarders {
 public:
  Hoarders(int port, const std::string& token, int count)
      : bytes_(fmt::format("POST /v1/jobs:submit HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           "Authorization: Bearer {}\r\nContent-Length: {}\r\n\r\n",
                           token, kBody) +
               std::string(count == 0 ? 0 : kBody - 1, ' ')) {
    for (int n = 0; n < count; ++n) threads_.emplace_back([this, port] { run(port); });
  }
  ~Hoarders() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Hoarders(const Hoarders&) = delete;
  Hoarders& operator=(const Hoarders&) = delete;
  int refused() const { return refused_; }

 private:
  static constexpr std::size_t kBody = std::size_t{4} << 20U;

  void run(int port) {
    while (!is_over_) {
      const int handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<std::uint16_t>(port));
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      if (::connect(handle, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) hold(handle, bytes_);
      ::close(handle);
    }
  }

  /// Until an answer or the end comes.
  void hold(int handle, std::string_view bytes) {
    while (!is_over_) {
      pollfd waits{.fd = handle, .events = POLLIN, .revents = 0};
      if (!bytes.empty()) waits.events |= POLLOUT;
      ::poll(&waits, 1, 100);
      if ((waits.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
        ++refused_;
        return;
      }
      if ((waits.revents & POLLOUT) == 0) continue;
      const ssize_t sent = ::send(handle, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  std::string bytes_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> refused_ = 0;
  std::vector<std::thread> threads_;
};

/// What one who asks much sends.
struct Load {
  std::string name;
  int connections = kConnections;
  std::function<std::vector<Lane>(const Cluster&, int connections)> lanes = {};
  int hoarders = 0;
  std::function<void(Cluster&)> prepare = {};  ///< makes what it asks for
};

/// A lane that asks for the same all the time.
std::function<std::vector<Lane>(const Cluster&, int)> asks(std::string method, std::string target,
                                                           std::string body = {}) {
  return [=](const Cluster& cluster, int connections) {
    const std::string bytes = http_request(method, target, cluster.dear, body);
    return std::vector<Lane>{{.connections = connections, .request = [bytes] { return bytes; }}};
  };
}

/// Each connection of the lane asks for the next page of the list.
std::function<std::vector<Lane>(const Cluster&, int)> pages(std::string target) {
  return [=](const Cluster& cluster, int connections) {
    const auto page = std::make_shared<std::string>();
    const std::string token = cluster.dear;
    return std::vector<Lane>{{.connections = connections,
                              .request =
                                  [page, token, target] {
                                    return http_request(
                                        "GET", target + (page->empty() ? "" : "&page=" + *page), token);
                                  },
                              .answered =
                                  [page](std::string_view body) {
                                    constexpr std::string_view kPage = R"("page":")";
                                    const std::size_t at = body.rfind(kPage);
                                    page->clear();
                                    if (at == std::string_view::npos) return;
                                    const std::string_view rest = body.substr(at + kPage.size());
                                    *page = rest.substr(0, rest.find('"'));
                                  }}};
  };
}

/// Polls that want what happened some time ago, which the service still has in memory.
std::vector<Lane> old_events(const Cluster& cluster, int connections) {
  Asker asker(cluster.service.port(), cluster.service.token());
  const std::uint64_t revision = json::parse(asker.must("GET", "/v1/cluster")).at("revision");
  return asks("GET", fmt::format("/v1/events?wait=0s&after={}", revision - kJobs))(cluster, connections);
}

/// Makes a queue of the tenant that asks much, with jobs that have these further keys.
void put_jobs(Cluster& cluster, const std::string& queue, int jobs, const std::string& more) {
  cluster.admin.must("PUT", "/v1/queues/" + queue, R"({"tenant":"dear"})");
  for (int n = 0; n < jobs; ++n)
    cluster.admin.must("PUT", fmt::format("/v1/queues/{}/jobs/j{}", queue, n),
                       fmt::format(R"({{"demand":{{"cpu":1}},{}}})", more));
}

/// 100 jobs of 60 KiB each.
void put_large_jobs(Cluster& cluster) {
  json servers = json::array();
  for (int n = 0; n < 600; ++n) servers.push_back(fmt::format("{:0>97}", n));
  put_jobs(cluster, "large", 100, R"("servers":)" + servers.dump());
}

constexpr int kLabels = 32;  // as many as a job may have

void put_jobs_with_labels(Cluster& cluster) {
  json labels = json::object();
  for (int n = 0; n < kLabels; ++n) labels[fmt::format("l{:02}", n)] = "v";
  put_jobs(cluster, "labels", 2'000, R"("labels":)" + labels.dump());
}

/// All labels are there but the last.
std::string many_labels() {
  std::string target = "/v1/queues/labels/jobs?limit=1000";
  for (int n = 0; n < kLabels; ++n)
    target += fmt::format("&label=l{:02}={}", n, n + 1 < kLabels ? "v" : "other");
  return target;
}

/// A job with as many tasks as may wait, which all run.
void put_many_tasks(Cluster& cluster) {
  constexpr int kTasks = 1'000'000;
  cluster.admin.must("PUT", "/v1/servers/huge",
                     fmt::format(R"({{"capacity":{{"cpu":{}}}}})", kTasks + kJobs));  // others come there too
  put_jobs(cluster, "tasks", 1, fmt::format(R"("tasks":{},"servers":["huge"])", kTasks));
  for (;;) {
    const json queue = json::parse(cluster.admin.must("GET", "/v1/queues/tasks"));
    if (queue.at("running") == kTasks) return;
    std::this_thread::sleep_for(100ms);
  }
}

std::vector<Lane> absent_cancels(const Cluster& cluster, int connections) {
  const auto number = std::make_shared<int>();
  const std::string token = cluster.dear;
  return {{.connections = connections, .request = [number, token] {
             return http_request("DELETE", fmt::format("/v1/queues/dear/jobs/none-{}", (*number)++), token);
           }}};
}

/// What anybody may ask, and what needs a token without one.
std::vector<Lane> anonymous(const Cluster&, int connections) {
  const auto number = std::make_shared<std::size_t>();
  return {{.connections = connections, .request = [number] {
             static constexpr const char* kTargets[] = {"/openapi.json", "/docs",      "/",
                                                        "/livez",        "/v1/queues", "/none"};
             return fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                                kTargets[(*number)++ % std::size(kTargets)]);
           }}};
}

constexpr const char* kWhatIf = R"({"changes":[{"add_servers":{"like":"n0","count":10000}}]})";

std::vector<Load> all_loads() {
  std::vector<Load> loads = {{.name = "labels", .lanes = asks("GET", "/v1/queues/dear/jobs?label=no=no")},
                             {.name = "usage", .lanes = asks("GET", "/v1/usage")},
                             {.name = "shares", .lanes = asks("GET", "/v1/shares")},
                             {.name = "tasks", .lanes = pages("/v1/tasks?limit=1000")},
                             {.name = "events", .lanes = old_events},
                             {.name = "what-ifs", .lanes = asks("POST", "/v1/whatif", kWhatIf)},
                             {.name = "bodies", .connections = 0, .hoarders = kConnections},
                             {.name = "cancels", .lanes = absent_cancels}};
  Load mixed{.name = "mixed", .hoarders = 4};
  mixed.lanes = [alone = loads](const Cluster& cluster, int) {
    std::vector<Lane> lanes;
    for (const Load& load : alone) {
      if (!load.lanes) continue;
      for (Lane& lane : load.lanes(cluster, 2)) lanes.push_back(std::move(lane));
    }
    return lanes;
  };
  loads.push_back(std::move(mixed));
  loads.push_back({.name = "large-jobs",
                   .lanes = asks("GET", "/v1/queues/large/jobs?limit=1000"),
                   .prepare = put_large_jobs});
  loads.push_back(
      {.name = "many-labels", .lanes = asks("GET", many_labels()), .prepare = put_jobs_with_labels});
  loads.push_back({.name = "many-tasks",
                   .lanes = pages("/v1/tasks?limit=1000&job=tasks%2Fj0&server=none"),
                   .prepare = put_many_tasks});
  loads.push_back({.name = "anonymous", .connections = kAnonymous, .lanes = anonymous});
  return loads;
}

/// What the quiet tenant measured.
struct Felt {
  Lane reads;
  Lane submits;
};

/// What came of a load.
struct Outcome {
  Felt base;
  Felt beside;
  double grown_mib = 0;
  double journal_mib = 0;
  std::map<int, int> statuses = {};
  int hoarders_refused = 0;
  std::string failure = {};

  double reads() const { return beside.reads.quantile(0.99) / base.reads.quantile(0.99); }
  double submits() const { return beside.submits.quantile(0.99) / base.submits.quantile(0.99); }
};

/// The quiet tenant asks 100 and submits 40 times a second, beside the lanes, for so long.
void slice(const Cluster& cluster, std::vector<Lane> lanes, std::chrono::milliseconds time, int& number,
           Felt& felt, std::map<int, int>* statuses) {
  Lane reads{.connections = 8,
             .request = [&] { return http_request("GET", "/v1/queues/quiet/jobs/small", cluster.quiet); },
             .per_s = 100};
  Lane submits{.connections = 8,
               .request =
                   [&] {
                     return http_request("PUT", fmt::format("/v1/queues/quiet/jobs/s{}", number++),
                                         cluster.quiet, R"({"demand":{"cpu":1}})");
                   },
               .per_s = 40};
  std::string failure;
  std::thread others([&] {
    std::vector<Lane*> driven;
    for (Lane& lane : lanes) driven.push_back(&lane);
    try {
      if (!driven.empty()) drive(cluster.service.port(), driven, time);
    } catch (const std::exception& wrong) {
      failure = wrong.what();
    }
  });
  try {
    drive(cluster.service.port(), {&reads, &submits}, time);
  } catch (const std::exception& wrong) {
    failure = wrong.what();
  }
  others.join();
  if (!failure.empty()) throw std::runtime_error(failure);
  for (const auto& [status, count] : reads.statuses) {
    if (status != 200) throw std::runtime_error(fmt::format("{} reads were answered {}", count, status));
  }
  for (const auto& [status, count] : submits.statuses) {
    if (status != 201) throw std::runtime_error(fmt::format("{} submits were answered {}", count, status));
  }
  felt.reads.ms.insert(felt.reads.ms.end(), reads.ms.begin(), reads.ms.end());
  felt.submits.ms.insert(felt.submits.ms.end(), submits.ms.begin(), submits.ms.end());
  for (const Lane& lane : lanes) {
    for (const auto& [status, count] : lane.statuses) {
      if (statuses != nullptr) (*statuses)[status] += count;
    }
  }
}

/// By how much the memory of the process grows, at most, until it is asked.
class Watch {
 public:
  Watch(const ForkedService& service, std::uint64_t begin)
      : begin_(begin), most_(begin), thread_([this, &service] {
          while (!is_over_) {
            most_ = std::max(most_, service.resident());
            std::this_thread::sleep_for(20ms);
          }
        }) {}
  ~Watch() { end(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  double grown_mib() {
    end();
    return static_cast<double>(most_ - begin_) / (1 << 20U);
  }

 private:
  void end() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::uint64_t begin_;
  std::uint64_t most_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

Outcome run(const Load& load, std::chrono::milliseconds time) {
  Outcome outcome;
  try {
    Cluster cluster;
    if (load.prepare) load.prepare(cluster);
    int number = 0;
    Felt warm;
    const int count = std::max(load.connections, load.hoarders);
    // With a token that has no limits, so that these are answered and not refused.
    const auto small = [&] {
      const std::string bytes = http_request("GET", "/v1/queues/dear/jobs/j0", cluster.service.token());
      return std::vector<Lane>{{.connections = load.name == "anonymous" ? kAnonymous : count,
                                .request = [bytes] { return bytes; }}};
    };
    const std::uint64_t before = cluster.service.resident();
    slice(cluster, small(), 2s, number, warm, nullptr);
    // What is made once a minute, such as the copy for long questions, is not in the figures of a short run.
    if (load.lanes) slice(cluster, load.lanes(cluster, load.connections), 2s, number, warm, nullptr);
    const auto slices = std::max<std::int64_t>(1, time / 5s);
    const auto each = time / slices;
    for (std::int64_t n = 0; n < slices; ++n) {
      slice(cluster, small(), each, number, outcome.base, nullptr);
      const std::uint64_t journal = cluster.service.journal();
      Watch memory(cluster.service, before);
      {
        Hoarders hoarders(cluster.service.port(), cluster.dear, load.hoarders);
        slice(cluster, load.lanes ? load.lanes(cluster, load.connections) : std::vector<Lane>(), each, number,
              outcome.beside, &outcome.statuses);
        outcome.hoarders_refused += hoarders.refused();
      }
      outcome.grown_mib = std::max(outcome.grown_mib, memory.grown_mib());
      outcome.journal_mib += static_cast<double>(cluster.service.journal() - journal) / (1 << 20U);
    }
  } catch (const std::exception& wrong) {
    outcome.failure = wrong.what();
  }
  return outcome;
}

std::string text_of(const Load& load, const Outcome& outcome) {
  if (!outcome.failure.empty()) return fmt::format("{:11} {}\n", load.name, outcome.failure);
  std::string answers;
  for (const auto& [status, count] : outcome.statuses) answers += fmt::format(" {}: {}", status, count);
  if (load.hoarders > 0) answers += fmt::format(" bodies refused: {}", outcome.hoarders_refused);
  const auto cell = [](const Lane& base, const Lane& beside) {
    return fmt::format("{:8.2f} {:8.2f} {:6.2f}", base.quantile(0.99), beside.quantile(0.99),
                       beside.quantile(0.99) / base.quantile(0.99));
  };
  return fmt::format(
      "{:11} {}  {}  {:7.1f} {:7.2f}  {}\n", load.name, cell(outcome.base.reads, outcome.beside.reads),
      cell(outcome.base.submits, outcome.beside.submits), outcome.grown_mib, outcome.journal_mib, answers);
}

/// The worst of a figure over the loads, as an entry of the summary.
json judge(const json& goal, const std::vector<std::pair<std::string, Outcome>>& outcomes) {
  const std::string id = goal.at("id");
  double worst = 0;
  std::string of;
  bool has_failed = false;
  for (const auto& [name, outcome] : outcomes) {
    const double value = id == "isolation/reads-p99"     ? outcome.reads()
                         : id == "isolation/submits-p99" ? outcome.submits()
                                                         : outcome.grown_mib;
    has_failed = has_failed || !outcome.failure.empty();
    if (outcome.failure.empty() && value <= worst) continue;
    of = outcome.failure.empty() ? name : name + ": " + outcome.failure;
    if (outcome.failure.empty()) worst = value;
  }
  return {{"id", id},
          {"value", worst},
          {"unit", goal.at("unit")},
          {"goal", fmt::format("<= {}", goal.at("at_most").get<double>())},
          {"holds", !has_failed && worst <= goal.at("at_most").get<double>()},
          {"detail", goal.at("detail").get<std::string>() + "; most: " + of}};
}

int run(const std::vector<std::string>& arguments) {
  std::chrono::seconds time = 60s;
  std::vector<std::string> names;
  for (std::size_t n = 0; n + 1 < arguments.size(); n += 2) {
    if (arguments[n] == "--seconds") {
      time = std::chrono::seconds(std::stoi(arguments[n + 1]));
    } else if (arguments[n] == "--load") {
      names.push_back(arguments[n + 1]);
    } else {
      throw std::runtime_error("usage: bench_isolation [--seconds N] [--load NAME]...");
    }
  }
  std::vector<std::pair<std::string, Outcome>> outcomes;
  fmt::print(stderr, "p99 in ms of the quiet tenant, beside a small job and beside the load; MiB\n");
  fmt::print(stderr, "{:11} {:>8} {:>8} {:>6}  {:>8} {:>8} {:>6}  {:>7} {:>7}   answers to the load\n",
             "load", "reads", "beside", "x", "submits", "beside", "x", "memory", "journal");
  for (const Load& load : all_loads()) {
    if (!names.empty() && std::find(names.begin(), names.end(), load.name) == names.end()) continue;
    outcomes.emplace_back(load.name, run(load, time));
    fmt::print(stderr, "{}", text_of(load, outcomes.back().second));
  }
  std::ifstream goals(MIRAB_BENCH_GOALS);
  json entries = json::array();
  for (const json& goal : json::parse(goals)) entries.push_back(judge(goal, outcomes));
  std::cout << entries.dump(1) << '\n';
  return std::all_of(entries.begin(), entries.end(), [](const json& each) { return each.at("holds"); }) ? 0
                                                                                                        : 1;
}

}  // namespace
}  // namespace mirab::bench

int main(int count, char** given) {
  try {
    std::signal(SIGPIPE, SIG_IGN);
    return mirab::bench::run({given + 1, given + count});
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 2;
  }
}
