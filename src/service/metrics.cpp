#include "service/metrics.hpp"

#include <algorithm>
#include <mutex>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>
#include <unordered_map>

#include "api/gauges.hpp"
#include "api/prometheus_text.hpp"
#include "live/content.hpp"

namespace mirab::service {

struct Metrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests = prometheus::BuildCounter()
                                                          .Name("mirab_http_requests_total")
                                                          .Help("Answered requests")
                                                          .Register(registry);
  prometheus::Family<prometheus::Histogram>& seconds_family =
      prometheus::BuildHistogram()
          .Name("mirab_http_request_seconds")
          .Help("From the head of a request to its answer")
          .Register(registry);
  prometheus::Histogram& seconds =
      seconds_family.Add({}, prometheus::Histogram::BucketBoundaries{0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                                     0.025, 0.05, 0.1, 0.25, 1, 5});
  prometheus::Family<prometheus::Counter>& commands = prometheus::BuildCounter()
                                                          .Name("mirab_commands_total")
                                                          .Help("Commands by what came of them")
                                                          .Register(registry);

  prometheus::Histogram& commit_seconds =
      prometheus::BuildHistogram()
          .Name("mirab_commit_seconds")
          .Help("Transactions of the log, with their sync")
          .Register(registry)
          .Add({}, prometheus::Histogram::BucketBoundaries{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                                           0.01, 0.025, 0.05, 0.1, 0.5, 2.5});
  prometheus::Histogram& commit_records =
      prometheus::BuildHistogram()
          .Name("mirab_commit_records")
          .Help("Records in a transaction of the log")
          .Register(registry)
          .Add({}, prometheus::Histogram::BucketBoundaries{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500});

  std::mutex mutex;  ///< of the two below
  std::unordered_map<std::uint64_t, prometheus::Counter*> by_route;
  std::unordered_map<std::uint64_t, prometheus::Counter*> by_command;
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::count(const Route* route, int status, std::chrono::nanoseconds took) {
  const auto index =
      route == nullptr ? api::routes().size() : static_cast<std::size_t>(route - api::routes().data());
  prometheus::Counter* counter = nullptr;
  {
    const std::lock_guard guard(families_->mutex);
    prometheus::Counter*& place = families_->by_route[index * 1000 + static_cast<std::size_t>(status)];
    if (place == nullptr) {
      const std::string name =
          route == nullptr ? "none" : std::string(route->method) + " " + std::string(route->path);
      place = &families_->requests.Add({{"route", name}, {"status", std::to_string(status)}});
    }
    counter = place;
  }
  counter->Increment();
  families_->seconds.Observe(std::chrono::duration<double>(took).count());
}

void Metrics::count_command(live::Do what, int status) {
  const char* const result = status < 400 ? "done" : status < 500 ? "refused" : "failed";
  const auto key = static_cast<std::uint64_t>(what) * 8 + static_cast<std::uint64_t>(status / 100);
  prometheus::Counter* counter = nullptr;
  {
    const std::lock_guard guard(families_->mutex);
    prometheus::Counter*& place = families_->by_command[key];
    if (place == nullptr)
      place = &families_->commands.Add({{"do", std::string(live::word_of(what))}, {"result", result}});
    counter = place;
  }
  counter->Increment();
}

void Metrics::count_commit(std::chrono::nanoseconds took, std::uint64_t records) {
  families_->commit_seconds.Observe(std::chrono::duration<double>(took).count());
  families_->commit_records.Observe(static_cast<double>(records));
}

std::string Metrics::text(const PipelineFigures& figures, const net::ServerFigures& server,
                          const live::Gauges& gauges) {
  api::PrometheusText now;
  const auto counter = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    now.counter(name, help, static_cast<double>(value));
  };
  const auto gauge = [&](std::string_view name, std::string_view help, auto value) {
    now.gauge(name, help, static_cast<double>(value));
  };
  const bool has_archive = figures.has_archive;
  const bool has_tls = server.certificate_expiry_s != 0;
  const std::uint64_t archived = figures.archive_revision, durable = figures.durable_revision;

  if (has_archive)
    counter("mirab_archive_failures_total", "Tries to archive that failed", figures.archive_failures);
  counter("mirab_decisions_total", "Tasks placed", figures.placed);
  counter("mirab_state_mismatch_total", "The two engines differed", figures.mismatches);
  counter("mirab_refused_connections_total", "Connections over a limit", server.refused_connections);
  if (has_tls)
    counter("mirab_tls_failed_reloads_total", "Certificates that could not be used", server.failed_reloads);

  now.begin(api::PrometheusText::Kind::gauge, "mirab_revision", "The latest revision there");
  if (has_archive) now.add(static_cast<double>(archived), {{"at", "archive"}});
  now.add(static_cast<double>(figures.reader_revision), {{"at", "reader"}});
  now.add(static_cast<double>(durable), {{"at", "durable"}});
  now.add(static_cast<double>(figures.core_revision), {{"at", "core"}});
  if (has_archive) {
    const std::int64_t behind_ms = archived < durable ? steady_ms() - figures.archive_level_ms : 0;
    gauge("mirab_archive_lag_seconds", "Since the archive had all that is on the disk",
          static_cast<double>(behind_ms) / 1000);
  }
  gauge("mirab_leader", "1 where this process decides", 1);
  gauge("mirab_watchers", "Open watches", figures.watchers.load());
  gauge("mirab_connections", "Open connections", server.connections);
  gauge("mirab_log_bytes", "Size of the file", figures.log_bytes.load());
  gauge("mirab_disk_full", "1 while submits are refused for want of room", figures.is_disk_full ? 1 : 0);
  const auto unix_now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  gauge("mirab_snapshot_age_seconds", "Since the latest snapshot", unix_now - figures.snapshot_at_s);
  if (has_tls)
    gauge("mirab_tls_expiry_timestamp_seconds", "End of the certificate", server.certificate_expiry_s);
  return prometheus::TextSerializer().Serialize(families_->registry.Collect()) + now.take() +
         api::text_of(gauges);
}

void journal(std::string_view level, std::string_view what, const live::Json& fields) {
  const auto wall = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  nlohmann::ordered_json line = {{"at", live::text_of(wall)}, {"level", level}, {"what", what}};
  for (const auto& [key, value] : fields.items()) {
    if (value.is_string()) {
      line[key] = value.get_ref<const std::string&>().substr(0, 200);
    } else {
      line[key] = value;
    }
  }
  // Bytes that are no UTF-8 (a text cut within a letter) are replaced, and all else beyond ASCII is escaped.
  const std::string text = line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace mirab::service
