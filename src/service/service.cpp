#include "service/service.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <thread>

#include "api/requests.hpp"
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
    const live::Wall ends{std::chrono::seconds(server.figures().certificate_expiry_s)};
    journal("info", "certificate", {{"expires", live::text_of(ends)}});
  }
}

Check check_transport(const ServiceOptions& options) {
  const net::ServerOptions& server = options.server;
  if (server.certificate_file.empty() != server.key_file.empty())
    return Error{.message = "--tls-cert and --tls-key go together",
                 .key = server.key_file.empty() ? "--tls-key" : "--tls-cert"};
  if (!server.certificate_file.empty() || options.allows_plaintext) return std::nullopt;
  const bool is_local = net::is_loopback(server.address);
  if (is_local && (!options.metrics || net::is_loopback(options.metrics->address))) return std::nullopt;
  return Error{
      .message =
          "tokens would cross the network unprotected: give --tls-cert and --tls-key, or --plaintext "
          "where something else protects them",
      .key = is_local ? "--metrics-listen" : "--listen"};
}

/// A second listener for /metrics, /livez and /readyz, with a thread of its own: a monitor sees the service
/// also when the API is crowded. Its tokens are its own copy.
class MonitorDoor final : public net::Handler {
 public:
  explicit MonitorDoor(Api& api) : api_(api) {}

  net::Admission admit(net::Request& head) override {
    net::Admission admission;
    if (auto wrong = problem_of(head)) {
      api_.refusals().note(wrong->status, [&] {
        return live::Json{{"from", head.address}, {"status", wrong->status}};
      });
      admission.refusal = std::make_unique<net::Response>(api::response_of(*wrong));
    }
    return admission;
  }
  void handle(net::Request request, std::shared_ptr<net::Exchange> exchange) override {
    const std::string_view path = api::path_read(request);
    if (path == "/livez") return exchange->answer(api::response_of(api_.livez()));
    if (path == "/readyz") return exchange->answer(api::response_of(api_.readyz()));
    api_.metrics_text(*server_, [exchange = std::move(exchange)](std::string text) {
      exchange->answer(api::text_response("text/plain; version=0.0.4", std::move(text)));
    });
  }
  void refused(std::string_view address, int status, std::string_view why) override {
    api_.refused(address, status, why);
  }
  net::Response refusal(int status, std::string_view why) override { return api_.refusal(status, why); }

  /// Before the first request.
  void connect(net::Server& server) { server_ = &server; }

  /// A row of the table `token`. On this door's thread, or before there is one.
  void set_token(const std::string& id, const live::Json& columns) { tokens_.set(id, columns); }

 private:
  std::optional<live::Problem> problem_of(const net::Request& head) const {
    const std::string_view path = api::path_read(head);
    if (path == "/livez" || path == "/readyz") return std::nullopt;
    if (path != "/metrics") return live::not_found();
    const auto caller = tokens_.find(api::bearer_of(head), wall_now());
    if (!caller) return api::problem(401, "no-token", "A valid token is needed");
    if ((api::set_of(caller->scopes) & (api::kMetrics | api::kOperator | api::kAdmin)) == 0)
      return live::scope_problem();
    return std::nullopt;
  }

  Api& api_;
  net::Server* server_ = nullptr;
  TokenTable tokens_;
};

/// Runs a server on a thread until it goes.
class ServerThread {
 public:
  explicit ServerThread(net::Server& server) : server_(server), thread_([&server] { server.run(); }) {}
  ~ServerThread() {
    server_.stop(std::chrono::milliseconds(0));
    thread_.join();
  }
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;

 private:
  net::Server& server_;
  std::thread thread_;
};

std::string url_of(const net::Server& server, const std::string& address) {
  return fmt::format("{}://{}:{}", server.has_tls() ? "https" : "http",
                     address.find(':') == std::string::npos ? address : "[" + address + "]", server.port());
}

/// The rows that the I/O thread needs: tokens, tenants and servers.
Check load_rows(Store& store, Api& api, MonitorDoor& door) {
  for (const std::string table : {live::kServerTable, live::kTokenTable, live::kTenantTable}) {
    const auto failure = store.read_table(table, [&](const std::string& key, const std::string& columns) {
      const auto name = live::Json::parse(key).at(0).get<std::string>();
      const live::Json row = live::Json::parse(columns);
      api.set_row(table, name, row);
      if (table == live::kTokenTable) door.set_token(name, row);
    });
    if (failure) return Error{.message = failure->message};
  }
  return std::nullopt;
}

/// Tells systemd, at the first call and each ten seconds, that the start goes on: the limit of its time
/// counts from then.
class StartGoesOn {
 public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (said_ && now - *said_ < std::chrono::seconds(10)) return;
    said_ = now;
    notify("EXTEND_TIMEOUT_USEC=600000000");
  }

 private:
  std::optional<std::chrono::steady_clock::time_point> said_ = {};
};

}  // namespace

Result<int> serve(const ServiceOptions& options) {
  if (Check failure = check_transport(options)) return *std::move(failure);
  if (options.silence.silent_after < std::chrono::seconds(1) ||
      options.silence.lost_after <= options.silence.silent_after)
    return Error{.message = "it must be longer than --silent-after, and that at least 1s",
                 .key = "--lost-after"};
  if (Check failure = finish_init(options.file)) return *std::move(failure);
  auto store = open_store({.file = options.file, .reserve_bytes = options.reserve_bytes});
  if (!store) return std::move(store).error();
  auto recovered = recover(**store, options.pipeline.others, StartGoesOn());
  if (!recovered) {
    Error error = std::move(recovered).error();
    if (error.file.empty()) error.file = options.file;
    return error;
  }
  for (const std::string& note : recovered->notes) journal("warning", "recovery", {{"why", note}});

  if (recovered->was_adopted) {
    if (const auto failure = keep_adopted(**store, *recovered)) return Error{.message = failure->message};
  }
  std::optional<ArchiveWriter> archive;
  if (!options.archive.empty()) {
    auto opened = ArchiveWriter::open(options.archive, **store,
                                      recovered->was_adopted ? recovered->decider.revision() : 0);
    if (!opened) return std::move(opened).error();
    archive.emplace(*std::move(opened));
  }
  if (const std::size_t unread = load_history(**store, recovered->reader.history()); unread > 0)
    journal("warning", "history", {{"unread_rows", unread}});

  Api api(options.version, options.logs_requests, options.silence);
  MonitorDoor door(api);
  if (Check failure = load_rows(**store, api, door)) return *std::move(failure);
  auto server = net::Server::open(options.server, api);
  if (!server) return std::move(server).error();

  std::unique_ptr<net::Server> monitor;
  if (options.metrics) {
    net::ServerOptions of_monitor = options.server;
    of_monitor.address = options.metrics->address;
    of_monitor.port = options.metrics->port;
    of_monitor.connections = 64;
    of_monitor.connections_per_address = std::min<std::size_t>(16, options.server.connections_per_address);
    auto opened = net::Server::open(of_monitor, door);
    if (!opened) {
      Error error = std::move(opened).error();
      if (error.key == "--listen") error.key = "--metrics-listen";
      return error;
    }
    monitor = *std::move(opened);
    door.connect(*monitor);
  }

  std::unique_ptr<Pipeline> pipeline;
  PipelineEvents events;
  events.say = [](std::string_view level, std::string_view what, const live::Json& fields) {
    journal(level, what, fields);
  };
  events.committed = [&api](std::chrono::nanoseconds took, std::uint64_t records) {
    api.metrics().count_commit(took, records);
  };
  events.rows = [&](std::shared_ptr<const std::vector<live::Row>> rows) {
    if (monitor != nullptr) {
      monitor->post([&door, rows] {
        for (const live::Row& row : *rows) {
          if (row.table == live::kTokenTable) door.set_token(row.key.at(0).get<std::string>(), row.columns);
        }
      });
    }
    (*server)->post([&api, &pipeline, rows = std::move(rows)] {
      for (const live::Row& row : *rows) {
        const auto key = row.key.at(0).get<std::string>();
        api.set_row(row.table, key, row.columns);
        if (row.table == live::kTokenTable) pipeline->token_changed(key);
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
  pipeline = Pipeline::start(of_pipeline, std::move(events), *std::move(store), *std::move(recovered),
                             std::move(archive));
  api.connect(*pipeline, **server);

  (*server)->on_signal({SIGTERM, SIGINT, SIGHUP}, [&](int number) {
    if (number == SIGHUP) {
      if (monitor != nullptr) monitor->post([&] { reload(*monitor); });
      return reload(**server);
    }
    journal("info", "stopping", {{"signal", number}});
    notify("STOPPING=1");
    if (options.stopping) options.stopping();
    api.stop();
    pipeline->let_go();
    (*server)->stop(std::chrono::seconds(5));
  });
  auto certificate_time = changed_at(options.server.certificate_file);
  (*server)->every(std::chrono::seconds(1), [&] {
    api.turn(std::chrono::steady_clock::now());
    if (api.is_alive()) notify("WATCHDOG=1");
    if (!(*server)->has_tls()) return;
    const auto time =
        std::max(changed_at(options.server.certificate_file), changed_at(options.server.key_file));
    if (time == std::exchange(certificate_time, time)) return;
    reload(**server);
    if (monitor != nullptr) monitor->post([&] { reload(*monitor); });
  });
  journal("info", "started",
          {{"file", options.file},
           {"revision", pipeline->figures().durable_revision.load()},
           {"replayed", replayed}});
  std::optional<ServerThread> monitoring;
  if (monitor != nullptr) {
    monitoring.emplace(*monitor);
    journal("info", "metrics", {{"url", url_of(*monitor, options.metrics->address) + "/metrics"}});
  }
  const std::string url = url_of(**server, options.server.address);
  fmt::print(stderr, "listening on {}\n", url);
  notify("READY=1");
  if (options.ready) options.ready(url);
  (*server)->run();
  monitoring.reset();
  pipeline->stop();
  server->reset();  // before the monitor: what it never ran may hold exchanges of the monitor
  journal("info", "stopped", {{"revision", pipeline->figures().durable_revision.load()}});
  return 0;
}

}  // namespace mirab::service
