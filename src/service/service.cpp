#include "service/service.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

#include "service/api.hpp"
#include "service/metrics.hpp"
#include "service/notify.hpp"
#include "service/recovery.hpp"
#include "service/store.hpp"

namespace mirab::service {
namespace {

/// When a file was last changed; the epoch where it is not there.
std::filesystem::file_time_type changed_at(const std::string& file) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  return error ? std::filesystem::file_time_type() : time;
}

void reload(net::Server& server) {
  if (const Check failure = server.reload_certificate()) {
    journal("error", "certificate", {{"why", describe(*failure)}});
  } else if (server.has_tls()) {
    journal("info", "certificate", {{"expires", server.figures().certificate_expiry_s}});
  }
}

Check check_transport(const ServiceOptions& options) {
  const net::ServerOptions& server = options.server;
  if (server.certificate_file.empty() != server.key_file.empty())
    return Error{.message = "--tls-cert and --tls-key go together",
                 .key = server.key_file.empty() ? "--tls-key" : "--tls-cert"};
  if (!server.certificate_file.empty() || options.allows_plaintext || net::is_loopback(server.address))
    return std::nullopt;
  return Error{
      .message =
          "tokens would cross the network unprotected: give --tls-cert and --tls-key, or --plaintext "
          "where something else protects them",
      .key = "--listen"};
}

/// The rows that the I/O thread needs: tokens, tenants and servers.
Check load_rows(Store& store, Api& api) {
  for (const char* table : {"server", "token", "tenant"}) {
    const auto failure = store.read_table(table, [&](const std::string& key, const std::string& columns) {
      api.set_row(table, live::Json::parse(key).at(0).get<std::string>(), live::Json::parse(columns));
    });
    if (failure) return Error{.message = failure->message};
  }
  return std::nullopt;
}

}  // namespace

Result<int> serve(const ServiceOptions& options) {
  if (Check failure = check_transport(options)) return *std::move(failure);
  if (options.silence.silent_after < std::chrono::seconds(1) ||
      options.silence.lost_after <= options.silence.silent_after)
    return Error{.message = "it must be longer than --silent-after, and that at least 1s",
                 .key = "--lost-after"};
  auto store = open_store({.file = options.file, .reserve_bytes = options.reserve_bytes});
  if (!store) return std::move(store).error();
  auto recovered = recover(**store, options.pipeline.others);
  if (!recovered) {
    Error error = std::move(recovered).error();
    if (error.file.empty()) error.file = options.file;
    return error;
  }
  for (const std::string& note : recovered->notes) journal("warning", "recovery", {{"why", note}});

  Api api(options.version, options.pipeline.others, options.logs_requests, options.silence);
  if (Check failure = load_rows(**store, api)) return *std::move(failure);
  auto server = net::Server::open(options.server, api);
  if (!server) return std::move(server).error();

  std::unique_ptr<Pipeline> pipeline;
  PipelineEvents events;
  events.say = [](std::string_view level, std::string_view what, const live::Json& fields) {
    journal(level, what, fields);
  };
  events.rows = [&](std::shared_ptr<const std::vector<live::Row>> rows) {
    (*server)->post([&api, &pipeline, rows = std::move(rows)] {
      for (const live::Row& row : *rows) {
        const auto key = row.key.at(0).get<std::string>();
        api.set_row(row.table, key, row.columns);
        if (row.table == "token") pipeline->token_changed(key);
      }
    });
  };
  events.broken = [](const std::string& why) {
    // After a failed sync it is unknown what the disk holds: only a new start reads it again.
    journal("error", "store-failed", {{"why", why}});
    std::_Exit(kStoreFailed);
  };
  const std::uint64_t replayed = recovered->replayed;
  PipelineOptions of_pipeline = options.pipeline;
  of_pipeline.file = options.file;
  pipeline = Pipeline::start(of_pipeline, std::move(events), *std::move(store), *std::move(recovered));
  api.connect(*pipeline, **server);

  (*server)->on_signal({SIGTERM, SIGINT, SIGHUP}, [&](int number) {
    if (number == SIGHUP) return reload(**server);
    journal("info", "stopping", {{"signal", number}});
    notify("STOPPING=1");
    api.stop();
    pipeline->let_go();
    (*server)->stop(std::chrono::seconds(5));
  });
  auto certificate_time = changed_at(options.server.certificate_file);
  (*server)->every(std::chrono::seconds(1), [&] {
    api.check_heartbeats(std::chrono::steady_clock::now());
    if (api.is_alive()) notify("WATCHDOG=1");
    if (!(*server)->has_tls()) return;
    const auto time =
        std::max(changed_at(options.server.certificate_file), changed_at(options.server.key_file));
    if (time != std::exchange(certificate_time, time)) reload(**server);
  });
  journal("info", "started",
          {{"file", options.file},
           {"revision", pipeline->figures().durable_revision.load()},
           {"replayed", replayed}});
  const std::string& address = options.server.address;
  fmt::print(stderr, "listening on {}://{}:{}\n", (*server)->has_tls() ? "https" : "http",
             address.find(':') == std::string::npos ? address : "[" + address + "]", (*server)->port());
  notify("READY=1");
  (*server)->run();
  pipeline->stop();
  journal("info", "stopped", {{"revision", pipeline->figures().durable_revision.load()}});
  return 0;
}

}  // namespace mirab::service
