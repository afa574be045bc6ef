#include "service/api.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "api/requests.hpp"
#include "live/content.hpp"

namespace mirab::service {
namespace {

using api::page_response;
using api::problem;
using api::response_of;
using api::text_response;
using api::whole_number;

constexpr std::int64_t kWatchesOfTenant = 64;
constexpr std::size_t kBodies = std::size_t{256} << 20U;           // bytes, until they are answered
constexpr std::size_t kBodiesOfTenants = std::size_t{240} << 20U;  // the others keep a reserve
constexpr std::size_t kBodiesOfTenant = std::size_t{16} << 20U;
constexpr std::size_t kBytesOfOne = 4096;  // of a body or of a command's answer: each counts as one
// What a stream that begins in the past pays ahead.
constexpr std::uint64_t kLooksOfChange = 16;
constexpr std::uint64_t kChangesAhead = 20'000;
// How long those wait for their refusal that ask too often, so that they cannot ask it all the time.
constexpr std::chrono::milliseconds kPatience{1000};  // without a token
constexpr std::chrono::milliseconds kPatienceOfTenant{100};

/// Bytes that the body may have, as far as the head says.
std::size_t body_bytes_of(const net::Request& head, const Route& route) {
  const std::size_t most = api::body_bytes(route);
  if (!head.field("transfer-encoding").empty()) return most;
  return std::min<std::size_t>(most, whole_number(head.field("content-length")).value_or(0));
}

/// As how many of its rate a body counts, or an answer to a command.
double price_of(std::size_t bytes) {
  return static_cast<double>(std::max<std::size_t>(1, bytes / kBytesOfOne));
}

/// What a body counts against: of a question that of requests, as its own counts what it looks at.
RateOf rate_of_body(const Route& route) {
  return route.rate == RateOf::submits ? RateOf::submits : RateOf::requests;
}

/// What an answer that refuses says of it.
std::string why_of(const live::Answer& answer) {
  return answer.body.is_object() ? answer.body.value("detail", "") : "";
}

/// What a rate counts, in words.
std::string_view word_of(RateOf of) {
  switch (of) {
    case RateOf::requests:
      return "requests";
    case RateOf::submits:
      return "submits";
    case RateOf::questions:
      return "questions";
    case RateOf::what_ifs:
      return "what-ifs";
    case RateOf::looks:
      return "looks at things";
    case RateOf::cancels:
      return "cancels";
  }
  return "requests";
}

}  // namespace

Api::Api(const std::string& version, bool logs_requests, Silence silence)
    : logs_requests_(logs_requests),
      description_(text_response("application/json", api::openapi_document(version))),
      description_page_(text_response("text/html; charset=utf-8", api::api_page())),
      bodies_(kBodies, kBodiesOfTenant, kBodiesOfTenants),
      heartbeats_(silence) {}

/// What is known of a request once its head was admitted.
struct Api::Asked : api::Asked {
  live::Caller caller = {};
  bool is_table = false;       ///< `Accept: text/csv` of a route that has it
  BodyRoom::Held room = {};    ///< of its body
  std::size_t body_bytes = 0;  ///< for which it has that
  double paid = 1;             ///< of the rate of a question
  double paid_for_body = 0;    ///< of the rate that its body counts against
  Steady::time_point at = Steady::now();
};

void Api::refused(std::string_view address, int status, std::string_view why) {
  metrics_.count(nullptr, status, {});
  refusals_.note(status, [&] { return live::Json{{"from", address}, {"status", status}, {"why", why}}; });
}

net::Response Api::refusal(int status, std::string_view why) { return api::response_of_refusal(status, why); }

net::Admission Api::admit(net::Request& head) {
  auto asked = std::make_shared<Asked>();
  asked->caller.from = head.address;
  net::Admission admission;
  if (auto refusal = check(*asked, head)) {
    metrics_.count(asked->route, refusal->response.status, Steady::now() - asked->at);
    note_refusal(*asked, refusal->response.status, refusal->why);
    admission.refusal = std::make_unique<net::Response>(std::move(refusal->response));
    return admission;
  }
  admission.body_bytes = api::body_bytes(*asked->route);
  head.note = std::move(asked);
  return admission;
}

Api::Refusal Api::refusal_of(const live::Problem& wrong) {
  return {.response = response_of(wrong), .why = wrong.detail};
}

void Api::refuse(const Asked& asked, net::Exchange& exchange, Refusal refusal) {
  metrics_.count(asked.route, refusal.response.status, Steady::now() - asked.at);
  note_refusal(asked, refusal.response.status, refusal.why);
  exchange.answer(std::move(refusal.response));
}

/// Any thread.
void Api::note_refusal(const Asked& asked, int status, const std::string& why) {
  refusals_.note(status, [&] {
    live::Json fields = {{"from", asked.caller.from},
                         {"tenant", asked.caller.tenant},
                         {"by", asked.caller.by},
                         {"status", status},
                         {"route", asked.route == nullptr ? "none" : asked.route->path}};
    if (asked.route != nullptr) fields["method"] = asked.route->method;
    if (!why.empty()) fields["why"] = why;
    return fields;
  });
}

std::optional<Api::Refusal> Api::check_token(Asked& asked, const net::Request& head) {
  auto caller = tokens_.find(api::bearer_of(head), wall_now());
  if (!caller) {
    if (auto refusal = check_client(asked, head)) return refusal;
    return refusal_of(problem(401, "no-token", "A valid token is needed"));
  }
  asked.caller = *std::move(caller);
  asked.caller.from = head.address;
  return std::nullopt;
}

/// Who has no token may ask so often, by its address. Who asks more often also waits for that answer.
std::optional<Api::Refusal> Api::check_client(const Asked& asked, const net::Request& head) {
  const bool is_health = asked.route != nullptr && (asked.route->action == api::Action(Own::livez) ||
                                                    asked.route->action == api::Action(Own::readyz));
  const auto wait = (is_health ? health_rates_ : client_rates_).take(head.address, asked.at);
  if (!wait) return std::nullopt;
  live::Problem wrong =
      live::too_many("client-rate", "more requests without a token than this address may send");
  wrong.retry_after_s = std::to_string(static_cast<std::int64_t>(std::ceil(*wait)));
  Refusal refusal = refusal_of(wrong);
  refusal.response.after = kPatience;
  return refusal;
}

/// Who asks for what, and with which right? The token comes first: without one no caller learns which routes
/// there are names for.
std::optional<Api::Refusal> Api::check(Asked& asked, const net::Request& head) {
  const auto target = net::read_target(head.target);
  if (!target) {
    if (auto refusal = check_client(asked, head)) return refusal;
    return refusal_of(live::bad_request("", "malformed target"));
  }
  std::vector<std::string> allowed;
  const auto found = api::match(head.method, *target, allowed);
  if (!found) {
    if (auto refusal = check_token(asked, head)) return refusal;
    if (auto refusal = take_rate(asked, RateOf::requests, 1)) return refusal;
    if (allowed.empty()) return refusal_of(live::not_found());
    return Refusal{.response = api::method_refusal(allowed)};
  }
  static_cast<api::Asked&>(asked) = api::asked_of(*found, *target, head);
  const Route& route = *asked.route;
  if (route.scopes == api::kNoToken) {
    if (auto refusal = check_client(asked, head)) return refusal;
  } else {
    if (auto refusal = check_token(asked, head)) return refusal;
  }
  // What is refused for another reason counts as well. Cancels are not held back by other requests.
  const bool is_cancel = route.rate == RateOf::cancels;
  if (auto refusal = take_rate(asked, is_cancel ? RateOf::cancels : RateOf::requests, 1)) return refusal;
  if (route.scopes != api::kNoToken && (api::set_of(asked.caller.scopes) & route.scopes) == 0)
    return refusal_of(live::scope_problem());
  if (const auto wrong = api::wrong_parameter(asked)) return refusal_of(*wrong);
  asked.is_table = route.action == api::Action(Own::usage) && head.field("accept").substr(0, 8) == "text/csv";
  const std::uint64_t length = whole_number(head.field("content-length")).value_or(0);
  if (length > api::body_bytes(route)) return std::nullopt;  // the server refuses it
  asked.body_bytes = body_bytes_of(head, route);
  if (auto refusal = take_room(asked)) return refusal;
  if (std::holds_alternative<live::Ask>(route.action) || route.rate == RateOf::questions ||
      route.action == api::Action(Own::events)) {
    if (auto refusal = take_rate(asked, RateOf::looks, 1)) return refusal;
  }
  // To read it takes long: its bytes are paid before, where they are known.
  if (rate_of_body(route) == RateOf::requests) asked.paid_for_body = 1;
  if (auto refusal = pay_body(asked, length)) return refusal;
  const bool is_paid = route.rate == rate_of_body(route) || is_cancel;
  return is_paid ? std::nullopt : take_rate(asked, route.rate, asked.paid);
}

std::optional<Api::Refusal> Api::pay_body(Asked& asked, std::size_t bytes) {
  return pay_for_body(asked, price_of(bytes));
}

std::optional<Api::Refusal> Api::pay_for_body(Asked& asked, double price) {
  if (price <= asked.paid_for_body) return std::nullopt;
  auto refusal = take_rate(asked, rate_of_body(*asked.route), price, asked.paid_for_body);
  if (!refusal) asked.paid_for_body = price;
  return refusal;
}

/// The bytes of a body are held until the answer.
std::optional<Api::Refusal> Api::take_room(Asked& asked) {
  if (asked.body_bytes == 0) return std::nullopt;
  auto room = bodies_.take(asked.caller.tenant, asked.body_bytes);
  if (auto* const held = std::get_if<BodyRoom::Held>(&room)) {
    asked.room = std::move(*held);
    return std::nullopt;
  }
  const live::Answer full = full_answer(std::get<Full>(room), "bytes in bodies of requests under way");
  return Refusal{.response = response_of(full), .why = why_of(full)};
}

std::optional<Api::Refusal> Api::take_rate(const Asked& asked, RateOf of, double amount, double paid) {
  const auto now = Steady::now();
  rates_.charge(asked.caller.tenant, of, -paid);
  if (!rates_.take(asked.caller.tenant, of, amount, now)) return std::nullopt;
  rates_.charge(asked.caller.tenant, of, paid);
  const auto wait = rates_.take(asked.caller.tenant, of, amount, now);
  const Rate rate = rates_.rate(asked.caller.tenant, of);
  live::Problem wrong = live::too_many(
      "rate", fmt::format("more {} than this tenant's limit of {} a second, {} at once, allows", word_of(of),
                          rate.per_s, rate.burst));
  wrong.retry_after_s = std::to_string(static_cast<std::int64_t>(std::ceil(*wait)));
  Refusal refusal = refusal_of(wrong);
  refusal.response.after = kPatienceOfTenant;
  refusal.response.fields.emplace_back("RateLimit-Policy", fmt::format("\"default\";q={};w=1", rate.per_s));
  refusal.response.fields.emplace_back("RateLimit", fmt::format("\"default\";r=0;t={}", wrong.retry_after_s));
  return refusal;
}

/// Of any thread. Below 0: it is given back. What is let go of at the end comes when the server is gone.
void Api::charge(const std::string& tenant, RateOf of, double amount) {
  if (tenant.empty() || amount == 0 || is_stopping_.load()) return;
  server_->post([this, tenant, of, amount] { rates_.charge(tenant, of, amount); });
}

void Api::handle(net::Request request, std::shared_ptr<net::Exchange> exchange) {
  const auto asked = std::static_pointer_cast<Asked>(request.note);
  const Reply reply = [this, asked, exchange](live::Answer answer) {
    net::Response response = response_of(answer);
    if (asked->is_table && answer.status == 200) {
      response.type = "text/csv; charset=utf-8";
      response.body = live::csv_of_usage(answer.body);
    }
    if (answer.looks > 1) charge(asked->caller.tenant, RateOf::looks, static_cast<double>(answer.looks - 1));
    const RateOf of = asked->route->rate;
    if (std::holds_alternative<live::Do>(asked->route->action)) {
      const double more = price_of(response.body.size()) - std::max(1.0, asked->paid_for_body);
      if (more > 0) charge(asked->caller.tenant, of, more);
    }
    const bool has_no_room = answer.status == 429 || answer.status == 503;
    if (has_no_room && (of == RateOf::questions || of == RateOf::what_ifs))
      charge(asked->caller.tenant, of, -asked->paid);
    metrics_.count(asked->route, answer.status, Steady::now() - asked->at);
    if (const auto* what = std::get_if<live::Do>(&asked->route->action))
      metrics_.count_command(*what, answer.status);
    if (asked->route->action == api::Action(Own::submits) && answer.status == 200) {
      for (const live::Json& each : answer.body["answers"])
        metrics_.count_command(live::Do::job_put, each.value("status", 500));
    }
    if (has_no_room) {
      note_refusal(*asked, answer.status, why_of(answer));
    } else if (logs_requests_ || answer.status >= 500) {
      journal(answer.status >= 500 ? "error" : "info", "request",
              {{"route", asked->route->path},
               {"method", asked->route->method},
               {"tenant", asked->caller.tenant},
               {"by", asked->caller.by},
               {"status", answer.status},
               {"revision", answer.revision},
               {"ms", std::chrono::duration<double, std::milli>(Steady::now() - asked->at).count()}});
    }
    exchange->answer(std::move(response));
  };
  if (!request.body.empty() && asked->route->schema.empty())
    return reply(live::answer_of(live::bad_request("", "this route takes no body"), 0));
  if (auto refusal = pay_body(*asked, request.body.size()))  // it came in chunks
    return refuse(*asked, *exchange, *std::move(refusal));
  if (const auto* what = std::get_if<Own>(&asked->route->action)) {
    if (*what == Own::submits) return submits(asked, request, *exchange, reply);
    return own(*what, asked, exchange, reply);
  }
  if (std::holds_alternative<live::Do>(asked->route->action)) return command(asked, request, reply);
  question(asked, request, *exchange, reply);
}

void Api::command(const std::shared_ptr<Asked>& asked, const net::Request& request, const Reply& reply) {
  const auto what = std::get<live::Do>(asked->route->action);
  const auto refuse = [&](const live::Problem& wrong) { reply(live::answer_of(wrong, 0)); };
  live::Json body;
  if (!asked->route->schema.empty()) {
    auto read = live::read_json(request.body);
    if (const auto* wrong = std::get_if<live::Problem>(&read)) return refuse(*wrong);
    body = std::get<live::Json>(std::move(read));
  }
  if (what == live::Do::policy_put && asked->first("dry_run") == "true") {
    live::Query query{.what = live::Ask::policy_dry_run, .given = asked->given, .body = std::move(body)};
    return pipeline_->ask(std::move(query), asked->caller, Lane::worker, 0, reply);
  }
  if (what == live::Do::job_put && pipeline_->figures().is_disk_full.load())
    return refuse(problem(507, "disk-full", "The disk is full", "cancel and finish still work"));
  live::Conditions conditions{.if_match = std::string(request.field("if-match")),
                              .if_none_match_any = request.field("if-none-match") == "*"};
  std::string secret;
  if (what == live::Do::token_put) {
    auto content = live::read_content(what, body, pipeline_->units());
    if (const auto* wrong = std::get_if<live::Problem>(&content)) return refuse(*wrong);
    const auto& token = std::get<live::TokenContent>(std::get<live::Content>(content));
    secret = make_secret(kind_of(token.scopes));
  }
  auto parsed = live::parse_command(asked->caller, what, asked->target, body, pipeline_->units(),
                                    std::move(conditions), secret.empty() ? "" : live::sha256(secret));
  if (const auto* wrong = std::get_if<live::Problem>(&parsed)) return refuse(*wrong);
  auto command = std::get<live::Command>(std::move(parsed));
  command.failed = asked->first("failed") == "true";
  Reply final_reply = reply;
  if (!secret.empty()) {
    final_reply = [reply, secret = std::move(secret)](live::Answer answer) {
      if (answer.status == 201) answer.body["secret"] = secret;
      reply(std::move(answer));
    };
  }
  if (what == live::Do::server_put && asked->caller.scopes.executor &&
      asked->caller.server == asked->target.name)
    heartbeats_.beat(asked->target.name, Steady::now());
  pipeline_->submit(std::move(command), asked->route->lane, std::move(final_reply));
}

void Api::submits(const std::shared_ptr<Asked>& asked, const net::Request& request, net::Exchange& exchange,
                  const Reply& reply) {
  auto body = live::read_submits(request.body);
  if (const auto* wrong = std::get_if<live::Problem>(&body)) return reply(live::answer_of(*wrong, 0));
  if (pipeline_->figures().is_disk_full.load())
    return reply(
        live::answer_of(problem(507, "disk-full", "The disk is full", "cancel and finish still work"), 0));
  auto parsed = live::parse_submits(asked->caller, std::get<live::Json>(body), pipeline_->units());
  if (const auto* wrong = std::get_if<live::Problem>(&parsed)) return reply(live::answer_of(*wrong, 0));
  auto& commands = std::get<std::vector<live::Parsed<live::Command>>>(parsed);
  if (auto refusal = pay_for_body(*asked, static_cast<double>(commands.size())))
    return refuse(*asked, exchange, *std::move(refusal));
  pipeline_->submit(std::move(commands), asked->caller.tenant, reply);
}

void Api::question(const std::shared_ptr<Asked>& asked, const net::Request& request, net::Exchange& exchange,
                   const Reply& reply) {
  auto query = api::query_of(*asked, request);
  if (const auto* wrong = std::get_if<live::Problem>(&query)) return reply(live::answer_of(*wrong, 0));
  if (asked->route->action == api::Action(live::Ask::what_if)) {
    const double price = live::price_of_what_if(std::get<live::Query>(query).body, pipeline_->units());
    if (auto refusal = take_rate(*asked, RateOf::what_ifs, price, asked->paid))
      return refuse(*asked, exchange, *std::move(refusal));
    asked->paid = price;
  }
  const std::uint64_t at_least = whole_number(asked->first("at_least")).value_or(0);
  pipeline_->ask(std::get<live::Query>(std::move(query)), asked->caller, asked->route->lane, at_least, reply);
}

void Api::answer_itself(const Asked& asked, net::Exchange& exchange, net::Response response) {
  metrics_.count(asked.route, response.status, Steady::now() - asked.at);
  exchange.answer(std::move(response));
}

void Api::own(Own what, const std::shared_ptr<Asked>& asked, const std::shared_ptr<net::Exchange>& exchange,
              const Reply& reply) {
  switch (what) {
    case Own::submits:
      return;  // in submits()
    case Own::livez:
      return reply(livez());
    case Own::readyz:
      return reply(readyz());
    case Own::metrics:
      note_figures();
      return metrics_text(*server_, [this, asked, held = exchange](std::string text) {
        answer_itself(*asked, *held, text_response("text/plain; version=0.0.4", std::move(text)));
      });
    case Own::openapi:
      return answer_itself(*asked, *exchange, description_.answer(*asked));
    case Own::docs:
      return answer_itself(*asked, *exchange, description_page_.answer(*asked));
    case Own::page:
      if (auto page = page_response(*asked)) return answer_itself(*asked, *exchange, *std::move(page));
      return reply(live::answer_of(live::not_found(), 0));
    case Own::audit: {
      const auto limit =
          std::clamp<std::uint64_t>(whole_number(asked->first("limit")).value_or(100), 1, 1000);
      pipeline_->audit(whole_number(asked->first("after")).value_or(0), limit, reply);
      return;
    }
    case Own::task_explain:
      return pipeline_->explain_task(asked->target.name, asked->caller, reply);
    case Own::assignments: {
      const auto wait = live::parse_duration(asked->given.contains("wait") ? asked->first("wait") : "0s");
      if (!wait) return reply(live::answer_of(live::bad_request("/wait", wait.error().message), 0));
      if (asked->caller.server != asked->target.name) return reply(live::answer_of(live::not_found(), 0));
      heartbeats_.beat(asked->target.name, Steady::now());
      live::Query query{.what = live::Ask::assignments, .name = asked->target.name, .given = asked->given};
      query.given.erase("wait");
      const Reply with_silence = [reply, lost_after = heartbeats_.silence().lost_after](live::Answer answer) {
        if (answer.status == 200) answer.body["lost_after"] = live::duration_text(lost_after);
        reply(std::move(answer));
      };
      return pipeline_->assignments(std::move(query), asked->caller,
                                    whole_number(asked->first("after")).value_or(0),
                                    std::min(std::chrono::duration_cast<std::chrono::milliseconds>(*wait),
                                             std::chrono::milliseconds(60'000)),
                                    with_silence);
    }
    case Own::usage: {
      const auto usage = live::usage_asked({.given = asked->given}, wall_now());
      if (const auto* wrong = std::get_if<live::Problem>(&usage)) return reply(live::answer_of(*wrong, 0));
      return pipeline_->usage(std::get<live::UsageAsked>(usage), asked->caller, reply);
    }
    case Own::events:
      return watch(asked, *exchange, reply);
  }
}

bool Api::is_alive() const {
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now().time_since_epoch()).count();
  const PipelineFigures& figures = pipeline_->figures();
  return now - std::min(figures.core_alive_ms.load(), figures.reader_alive_ms.load()) < 30'000;
}

live::Answer Api::livez() const {
  return {.status = is_alive() ? 200 : 503, .body = {{"status", is_alive() ? "alive" : "stuck"}}};
}

live::Answer Api::readyz() const {
  const bool is_ready = pipeline_->figures().is_ready.load() && !is_stopping_.load();
  return {.status = is_ready ? 200 : 503,
          .body = {{"status", is_ready ? "ready" : "not ready"},
                   {"disk_full", pipeline_->figures().is_disk_full.load()}}};
}

void Api::metrics_text(net::Server& server, std::function<void(std::string)> use) {
  pipeline_->gauges([this, &server, use = std::move(use)](const live::Gauges& gauges) {
    server.post([this, gauges, use] {
      net::ServerFigures figures;
      {
        const std::lock_guard guard(figures_mutex_);
        figures = server_figures_;
      }
      use(metrics_.text(pipeline_->figures(), figures, gauges));
    });
  });
}

void Api::watch(const std::shared_ptr<Asked>& asked, net::Exchange& exchange, const Reply& reply) {
  const PipelineFigures& figures = pipeline_->figures();
  const auto refuse_watch = [&] {
    reply(live::answer_of(live::too_many("watches",
                                         "as many watches are open as this tenant's limit allows: close one, "
                                         "or ask an administrator for a "
                                         "higher limit `watches`"),
                          0));
  };
  auto read = api::watch_of(*asked);
  if (const auto* wrong = std::get_if<live::Problem>(&read)) return reply(live::answer_of(*wrong, 0));
  auto& [watch, waits] = std::get<api::WatchAsked>(read);
  watch.caller = asked->caller;
  watch.expires = tokens_.expires(asked->caller.by);
  if (!watch.is_from_now && watch.after + 1 < figures.oldest_revision.load())
    return reply(
        live::answer_of(live::compacted(figures.oldest_revision.load()), figures.reader_revision.load()));
  if (waits) {
    std::vector<Open>* const open = watches_of(asked->caller.tenant);
    if (open == nullptr) return refuse_watch();
    const auto held = std::make_shared<bool>(true);  // as long as the reply is owed
    open->push_back([is_held = std::weak_ptr<bool>(held)] { return !is_held.expired(); });
    watch.reply = [reply, held](live::Answer answer) { reply(std::move(answer)); };
    if (!pipeline_->watch(std::move(watch))) reply(busy_answer("too many watches"));
    return;
  }
  if (figures.watchers.load() >= 10'000) return reply(busy_answer("too many watches"));
  std::vector<Open>* const open = watches_of(asked->caller.tenant);
  if (open == nullptr) return refuse_watch();
  // Charged only when it is sent, a crowd of streams would come in before the first one has paid.
  const std::uint64_t present = figures.reader_revision.load();
  const std::uint64_t behind = watch.is_from_now || watch.after > present ? 0 : present - watch.after;
  const auto ahead = std::make_shared<double>(
      static_cast<double>(kLooksOfChange * std::min<std::uint64_t>(behind, kChangesAhead)));
  const std::string& tenant = asked->caller.tenant;
  if (*ahead > 0) {
    if (auto refusal = take_rate(*asked, RateOf::looks, *ahead))
      return refuse(*asked, exchange, *std::move(refusal));
  }
  watch.paid_ahead = std::shared_ptr<void>(
      nullptr, [this, tenant, ahead](void*) { charge(tenant, RateOf::looks, -std::exchange(*ahead, 0)); });
  metrics_.count(asked->route, 200, Steady::now() - asked->at);
  watch.stream = exchange.stream(api::stream_head());
  if (watch.stream == nullptr) return;
  watch.charge = [this, tenant, ahead](std::int64_t looks) {
    const double paid = std::min(*ahead, static_cast<double>(looks));
    *ahead -= paid;
    charge(tenant, RateOf::looks, static_cast<double>(looks) - paid);
  };
  open->push_back([stream = std::weak_ptr<net::EventStream>(watch.stream)] {
    const auto held = stream.lock();
    return held != nullptr && !held->is_closed();
  });
  pipeline_->watch(std::move(watch));
}

/// The open watches of a tenant; nothing where it may have no more.
std::vector<Api::Open>* Api::watches_of(const std::string& tenant) {
  std::vector<Open>& open = watches_[tenant];
  std::erase_if(open, [](const Open& is_open) { return !is_open(); });
  const bool is_full = !tenant.empty() &&
                       std::cmp_greater_equal(open.size(), rates_.limit(tenant, "watches", kWatchesOfTenant));
  return is_full ? nullptr : &open;
}

void Api::set_row(const std::string& table, const std::string& key, const live::Json& columns) {
  if (table == live::kTenantTable) {
    if (columns.is_null()) watches_.erase(key);
    return rates_.set_tenant(key, columns);
  }
  if (table == live::kServerTable) {
    std::optional<ServerState> state;
    if (columns.is_object())
      state = {.is_silent = columns.value("silent", false), .is_lost = columns.value("state", "") == "lost"};
    return heartbeats_.set_server(key, state, Steady::now());
  }
  if (table != live::kTokenTable) return;
  const std::string before = tokens_.server_of(key);
  tokens_.set(key, columns);
  const std::string server = tokens_.server_of(key);
  if (server == before) return;
  if (!server.empty()) heartbeats_.expect(server, Steady::now());
  if (!before.empty()) heartbeats_.release(before);
}

void Api::turn(Steady::time_point now) {
  refusals_.turn();
  note_figures();
  check_heartbeats(now);
}

void Api::note_figures() {
  const std::lock_guard guard(figures_mutex_);
  server_figures_ = server_->figures();
}

void Api::check_heartbeats(Steady::time_point now) {
  for (const Heartbeats::Saying& saying : heartbeats_.check(now)) {
    live::Command command;
    command.caller.by = "service";
    command.what = saying.what;
    command.target.name = saying.server;
    command.by_service = true;
    journal("warning", live::word_of(saying.what), {{"server", saying.server}});
    // Where it is not taken, the command is sent again.
    pipeline_->submit(std::move(command), Lane::urgent,
                      [this, what = saying.what](const live::Answer& answer) {
                        metrics_.count_command(what, answer.status);
                      });
  }
}

}  // namespace mirab::service
