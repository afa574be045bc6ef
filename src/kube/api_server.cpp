#include "kube/api_server.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <thread>

namespace mirab::kube {
namespace {

using kubernetes::Reflector;
using std::chrono::milliseconds;

net::Pem pem_of(const kubernetes::Pem& pem) { return {.file = pem.file, .text = pem.text}; }

std::string target_of(const Reflector::Step& step) {
  std::string target = step.path;
  char separator = '?';
  for (const auto& [name, value] : step.query) {
    target += fmt::format("{}{}={}", separator, name, net::percent_encoded(value));
    separator = '&';
  }
  return target;
}

/// Is the refusal of a list one that no pause will mend?
bool is_final(int status) { return status >= 400 && status < 500 && status != 410 && status != 429; }

}  // namespace

Result<std::unique_ptr<ApiServer>> ApiServer::open(const Access& access, ApiServerOptions options) {
  Result<net::Url> url = read_server(access.api);
  if (!url) return std::move(url).error();
  Result<std::unique_ptr<net::HttpClient>> http =
      net::HttpClient::open({.url = *url,
                             .ca = pem_of(access.api.ca),
                             .server_name = access.api.server_name,
                             .is_insecure = access.api.is_insecure,
                             .proxy_url = access.api.proxy_url,
                             .credentials = {.certificate = pem_of(access.api.certificate),
                                             .key = pem_of(access.api.key),
                                             .token = access.api.token,
                                             .token_file = access.api.token_file,
                                             .issuer = access.issuer},
                             .fields = {{"User-Agent", "mirab"}, {"Accept", "application/json"}},
                             .answer_time = options.answer_time,
                             .patience = milliseconds(0),
                             .seed = options.seed,
                             .is_stopped = options.is_stopped});
  if (!http) return std::move(http).error();
  return std::unique_ptr<ApiServer>(new ApiServer(url->text, *std::move(http), std::move(options)));
}

Check ApiServer::list(const kubernetes::Resource& resource, kubernetes::ObjectSink& sink, int tries) {
  constexpr milliseconds kLongestWait{60'000};
  Reflector reflector(resource, options_.seed);
  bool was_answered = false;
  for (int failures = 0; !reflector.is_current();) {
    step(reflector, sink);
    const std::optional<Error>& trouble = reflector.trouble();
    if (!trouble) {
      failures = 0;
      was_answered = true;
      continue;
    }
    ++failures;
    // Without any answer so far the address or a certificate is wrong, rather than the network.
    const bool is_unanswered = reflector.refused_with() == 0 && !was_answered;
    was_answered = true;
    const bool is_over = is_unanswered || is_final(reflector.refused_with()) || failures >= tries ||
                         reflector.pause() > kLongestWait || is_stopped();
    if (!is_over) continue;
    Error error = *trouble;
    if (error.file.starts_with('/')) error.file = url_ + error.file;
    return error;
  }
  return {};
}

void ApiServer::step(Reflector& reflector, kubernetes::ObjectSink& sink) {
  if (!wait(reflector.pause())) return reflector.end(Error{.message = "stopped", .file = url_});
  const Reflector::Step step = reflector.next();
  const net::Request request{.method = "GET", .target = target_of(step)};
  Result<net::Response> response = Error{};
  if (step.what == Reflector::Do::list) {
    response = http_->send(request, net::HttpClient::Repeat::no);
  } else {
    Result<net::Streamed> streamed = http_->stream(
        request, options_.silence, [&](std::string_view bytes) { return reflector.take_bytes(bytes, sink); });
    if (!streamed) return reflector.end(std::move(streamed).error());
    if (streamed->is_silent) return reflector.fall_silent();
    if (streamed->answer.status == 200) return reflector.end();
    response = std::move(streamed->answer);
  }
  if (!response) return reflector.end(std::move(response).error());
  reflector.take_answer(response->status, net::retry_after(*response), response->body, sink);
}

Result<Answer> ApiServer::send(const std::string& method, const std::string& target, const std::string& body,
                               const std::string& type) {
  net::Request request{.method = method, .target = target};
  if (!body.empty()) {
    request.fields = {{"content-type", type}};
    request.body = body;
  }
  Result<net::Response> response = http_->send(request, net::HttpClient::Repeat::no);
  if (!response) return std::move(response).error();
  return Answer{.status = response->status,
                .body = std::move(response->body),
                .retry_after = net::retry_after(*response)};
}

bool ApiServer::wait(milliseconds time) const {
  constexpr milliseconds kSlice{200};
  for (; time.count() > 0 && !is_stopped(); time -= kSlice)
    std::this_thread::sleep_for(std::min(time, kSlice));
  return !is_stopped();
}

}  // namespace mirab::kube
