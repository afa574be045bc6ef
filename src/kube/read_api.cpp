#include "kube/read_api.hpp"

#include <utility>

#include "api/requests.hpp"
#include "api/routes.hpp"

namespace mirab::kube {
namespace {

constexpr api::Offer kReads = api::Offer::reads;

/// `localhost:7418`, `127.0.0.1`, `[::1]:7418`: a page of another site that has its name point here comes
/// with that name.
bool is_this_machine(std::string host) {
  if (const std::size_t colon = host.rfind(':'); colon != std::string::npos && !host.ends_with(']'))
    host.resize(colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host == "localhost" || net::is_loopback(host);
}

std::optional<live::Problem> refused_here(const net::Request& head) {
  const char* const title = "Only from this machine";
  if (!net::is_loopback(head.address))
    return api::problem(403, "not-from-here", title, "take kubectl port-forward, or ssh");
  const std::string host(head.field("host"));
  const std::string origin(head.field("origin"));
  if (!is_this_machine(host) || (!origin.empty() && origin != "http://" + host))
    return api::problem(403, "not-from-here", title, "ask for localhost");
  return {};
}

net::Response described(const api::Asked& asked, std::string_view version) {
  static const api::Document kDescription(
      api::text_response("application/json", api::openapi_document(version, kReads)));
  static const api::Document kPage(api::text_response("text/html; charset=utf-8", api::api_page(kReads)));
  switch (std::get<api::Own>(asked.route->action)) {
    case api::Own::openapi:
      return kDescription.answer(asked);
    case api::Own::docs:
      return kPage.answer(asked);
    default:
      break;
  }
  auto page = api::page_response(asked);
  return page ? *std::move(page) : api::response_of(live::not_found());
}

void watch(Answering& answering, const api::Asked& asked, const std::shared_ptr<net::Exchange>& exchange) {
  auto read = api::watch_of(asked);
  if (const auto* wrong = std::get_if<live::Problem>(&read))
    return exchange->answer(api::response_of(*wrong));
  auto& [watch, waits] = std::get<api::WatchAsked>(read);
  if (const auto gone = answering.gone(watch)) return exchange->answer(api::response_of(*gone));
  if (waits) {
    watch.reply = [exchange](const live::Answer& answer) { exchange->answer(api::response_of(answer)); };
  } else {
    watch.stream = exchange->stream(api::stream_head());
    if (watch.stream == nullptr) return;
  }
  answering.watch(std::move(watch));
}

}  // namespace

net::Admission admit_read(net::Request& head) {
  net::Admission admission;
  const auto refuse = [&](net::Response response) {
    admission.refusal = std::make_unique<net::Response>(std::move(response));
    return std::move(admission);
  };
  if (const auto wrong = refused_here(head)) return refuse(api::response_of(*wrong));
  const auto target = net::read_target(head.target);
  if (!target) return refuse(api::response_of(live::bad_request("", "malformed target")));
  std::vector<std::string> allowed;
  const auto found = api::match(head.method, *target, allowed);
  if (!found && allowed.empty()) return refuse(api::response_of(live::not_found()));
  if (!found || !api::is_offered(*found->route, kReads)) {
    if (found && found->route->method == "GET") return refuse(api::response_of(live::not_found()));
    return refuse(api::method_refusal(api::methods_of(*target, kReads)));
  }
  api::Asked asked = api::asked_of(*found, *target, head);
  if (const auto wrong = api::wrong_parameter(asked)) return refuse(api::response_of(*wrong));
  admission.body_bytes = api::body_bytes(*asked.route);
  head.note = std::make_shared<api::Asked>(std::move(asked));
  return admission;
}

void answer_read(Answering& answering, std::string_view version, const net::Request& request,
                 const std::shared_ptr<net::Exchange>& exchange) {
  const api::Asked& asked = *std::static_pointer_cast<api::Asked>(request.note);
  if (const auto* own = std::get_if<api::Own>(&asked.route->action)) {
    if (*own == api::Own::events) return watch(answering, asked, exchange);
    return exchange->answer(described(asked, version));
  }
  auto query = api::query_of(asked, request);
  if (const auto* wrong = std::get_if<live::Problem>(&query))
    return exchange->answer(api::response_of(*wrong));
  answering.ask(
      {.query = std::get<live::Query>(std::move(query)),
       .is_long = asked.route->lane == api::Lane::worker,
       .at_least = api::whole_number(asked.first("at_least")).value_or(0),
       .reply = [exchange](const live::Answer& answer) { exchange->answer(api::response_of(answer)); }});
}

}  // namespace mirab::kube
