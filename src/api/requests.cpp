#include "api/requests.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "api/page/page_files.hpp"
#include "live/content.hpp"

namespace mirab::api {
namespace {

constexpr std::chrono::milliseconds kLongestPoll{60'000};

/// `open, drained or lost`.
std::string alternatives(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return text;
}

}  // namespace

live::Problem problem(int status, std::string type, std::string title, std::string detail, std::string key) {
  live::Problem made;
  made.status = status;
  made.type = std::move(type);
  made.title = std::move(title);
  made.detail = std::move(detail);
  made.key = std::move(key);
  return made;
}

net::Response response_of(const live::Answer& answer) {
  net::Response response;
  response.status = answer.status;
  if (answer.is_problem()) response.type = "application/problem+json";
  if (answer.status == 304) {
    response.type.clear();
  } else {
    // Whatever the answer holds, it is sent as valid UTF-8.
    response.body = answer.text.empty()
                        ? answer.body.dump(-1, ' ', false, live::Json::error_handler_t::replace)
                        : answer.text;
    response.body += '\n';
  }
  if (!answer.etag.empty()) response.fields.emplace_back("ETag", answer.etag);
  if (answer.revision != 0 && answer.status != 401 && answer.status != 403 && answer.status != 404)
    response.fields.emplace_back("Mirab-Revision", std::to_string(answer.revision));
  if (!answer.retry_after_s.empty()) response.fields.emplace_back("Retry-After", answer.retry_after_s);
  if (answer.status == 401) response.fields.emplace_back("WWW-Authenticate", "Bearer");
  response.fields.emplace_back("Cache-Control", "no-store");
  response.fields.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

net::Response response_of(const live::Problem& wrong) { return response_of(live::answer_of(wrong, 0)); }

net::Response response_of_refusal(int status, std::string_view why) {
  const bool is_large = status == 413 || status == 414 || status == 431;
  return response_of(problem(status, is_large ? "too-large" : "bad-request", std::string(net::reason(status)),
                             std::string(why)));
}

net::Response method_refusal(const std::vector<std::string>& allowed) {
  net::Response response =
      response_of(problem(405, "method", "Method not allowed", "this path knows other methods"));
  std::string list;
  for (const std::string& method : allowed) list += (list.empty() ? "" : ", ") + method;
  response.fields.emplace_back("Allow", list);
  return response;
}

std::string_view path_read(const net::Request& head) {
  if (head.method != "GET" && head.method != "HEAD") return {};
  return std::string_view(head.target).substr(0, head.target.find('?'));
}

std::string_view bearer_of(const net::Request& head) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = head.field("authorization");
  return given.starts_with(kBearer) ? given.substr(kBearer.size()) : std::string_view();
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

Asked asked_of(const Match& match, const net::Target& target, const net::Request& head) {
  return {.route = match.route,
          .target = match.target,
          .given = {target.query.begin(), target.query.end()},
          .takes_gzip = head.field("accept-encoding").find("gzip") != std::string_view::npos,
          .if_none_match = std::string(head.field("if-none-match"))};
}

std::optional<live::Problem> wrong_parameter(const Asked& asked) {
  if (asked.given.empty()) return std::nullopt;
  const std::vector<Parameter> parameters = parameters_of(*asked.route);
  for (const auto& given : asked.given) {
    const auto& [name, value] = given;
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& each) { return each.name == given.first; });
    const std::string key = live::pointer_to({}, name);
    if (known == parameters.end()) return live::bad_request(key, "this route has no such parameter");
    if (!known->is_list && asked.given.count(name) > 1)
      return live::bad_request(key, "this parameter is given once at most");
    const auto& values = known->values;
    if (!values.empty() && std::find(values.begin(), values.end(), value) == values.end())
      return live::bad_request(key, alternatives(values) + " is expected here");
  }
  for (const char* name : {"after", "at_least"}) {
    if (asked.given.contains(name) && !whole_number(asked.first(name)))
      return live::bad_request(std::string("/") + name, "a revision is expected here");
  }
  return std::nullopt;
}

live::Parsed<live::Query> query_of(const Asked& asked, const net::Request& request) {
  live::Query query{.what = std::get<live::Ask>(asked.route->action),
                    .name = asked.target.name,
                    .queue = asked.target.queue,
                    .given = asked.given,
                    .if_none_match = std::string(request.field("if-none-match"))};
  query.given.erase("at_least");
  if (asked.route->schema.empty()) return query;
  auto body = live::read_json(request.body);
  if (auto* const wrong = std::get_if<live::Problem>(&body)) return std::move(*wrong);
  query.body = std::get<live::Json>(std::move(body));
  return query;
}

live::Parsed<WatchAsked> watch_of(const Asked& asked) {
  WatchAsked found;
  Watch& watch = found.watch;
  watch.is_from_now = !asked.given.contains("after");
  watch.after = whole_number(asked.first("after")).value_or(0);
  watch.at_once = asked.given.contains("now");
  const auto [first, last] = asked.given.equal_range("kind");
  std::set<std::string> kinds;  // each once: there are no more than the table of routes has
  for (auto kind = first; kind != last; ++kind) kinds.insert(kind->second);
  watch.filter.kinds.assign(kinds.begin(), kinds.end());
  watch.filter.queue = asked.first("queue");
  auto job = live::job_asked(watch.filter.queue, asked.first("job"));
  if (auto* const wrong = std::get_if<live::Problem>(&job)) return std::move(*wrong);
  watch.filter.job = std::get<std::string>(std::move(job));
  watch.filter.server = asked.first("server");
  if (!asked.given.contains("wait")) return found;
  const auto wait = live::parse_duration(asked.first("wait"));
  if (!wait) return live::bad_request("/wait", wait.error().message);
  watch.wait = std::min(std::chrono::duration_cast<std::chrono::milliseconds>(*wait), kLongestPoll);
  found.waits = true;
  return found;
}

net::Response stream_head() {
  net::Response head{.status = 200, .type = "text/event-stream"};
  head.fields.emplace_back("Cache-Control", "no-store");
  head.fields.emplace_back("X-Accel-Buffering", "no");
  return head;
}

net::Response text_response(std::string type, std::string text) {
  net::Response response{.status = 200, .type = std::move(type), .body = std::move(text)};
  response.fields.emplace_back("X-Content-Type-Options", "nosniff");
  response.fields.emplace_back("Content-Security-Policy",
                               "default-src 'none'; style-src 'self'; frame-ancestors 'none'");
  response.fields.emplace_back("Referrer-Policy", "no-referrer");
  return response;
}

Document::Document(net::Response response)
    : response_(std::move(response)), etag_('"' + live::sha256(response_.body).substr(0, 32) + '"') {
  response_.fields.emplace_back("ETag", etag_);
}

net::Response Document::answer(const Asked& asked) const {
  if (asked.if_none_match != etag_) return response_;
  return {.status = 304, .type = {}, .body = {}, .fields = response_.fields};
}

namespace {

/// Scripts and styles come from here alone, and nothing is sent elsewhere.
Document page_document(const PageFile& file, bool is_gzip) {
  net::Response response{.status = 200, .type = file.type};
  response.body = is_gzip ? std::string(file.gzip) : inflated(file.gzip);
  if (is_gzip) response.fields.emplace_back("Content-Encoding", "gzip");
  response.fields.emplace_back("Vary", "Accept-Encoding");
  response.fields.emplace_back("Cache-Control",
                               file.is_immutable ? "public, max-age=31536000, immutable" : "no-cache");
  response.fields.emplace_back("Content-Security-Policy",
                               "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; "
                               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.fields.emplace_back("X-Content-Type-Options", "nosniff");
  response.fields.emplace_back("Referrer-Policy", "no-referrer");
  return Document(std::move(response));
}

}  // namespace

std::optional<net::Response> page_response(const Asked& asked) {
  const PageFile* const file = page_file(asked.target.name);
  if (file == nullptr) return std::nullopt;
  static std::mutex mutex;
  static std::map<std::pair<const PageFile*, bool>, Document> documents;
  const std::lock_guard guard(mutex);
  const std::pair key(file, asked.takes_gzip);
  auto found = documents.find(key);
  if (found == documents.end()) found = documents.emplace(key, page_document(*file, asked.takes_gzip)).first;
  return found->second.answer(asked);
}

}  // namespace mirab::api
