#include "client/service.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace mirab::client {
namespace {

constexpr std::size_t kMostOfPage = 1'000;

std::uint64_t revision_of(const net::Response& response) {
  std::uint64_t revision = 0;
  for (const auto& [name, value] : response.fields) {
    if (name == "mirab-revision") std::from_chars(value.data(), value.data() + value.size(), revision);
  }
  return revision;
}

Result<Answer> answer_of(const net::Response& response) {
  Answer answer{.status = response.status,
                .revision = revision_of(response),
                .retry_after = net::retry_after(response)};
  answer.body = Json::parse(response.body, nullptr, false);
  if (answer.body.is_object()) return answer;
  return Error{.message = fmt::format("answered {} without the JSON of a service; is this the address of a "
                                      "`mirab serve` or `mirab kube`?",
                                      response.status)};
}

}  // namespace

std::string text_at(const Json& value, const char* key) {
  const auto found = value.find(key);
  return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Error error_of(const Answer& problem, const std::string& subject) {
  std::string message = text_at(problem.body, "title");
  if (message.empty()) message = fmt::format("the service answered {}", problem.status);
  if (const std::string detail = text_at(problem.body, "detail"); !detail.empty()) message += ": " + detail;
  if (const auto differs = problem.body.find("differs");
      differs != problem.body.end() && differs->is_array()) {
    std::string keys;
    for (const Json& key : *differs) {
      if (key.is_string()) keys += (keys.empty() ? "" : ", ") + key.get<std::string>();
    }
    message += fmt::format(" ({} differ{})", keys, differs->size() == 1 ? "s" : "");
  }
  return {.message = message, .key = text_at(problem.body, "key"), .file = subject};
}

std::string target_of(std::initializer_list<std::string_view> parts, const Query& query) {
  std::string target = "/v1";
  for (const std::string_view part : parts) target += "/" + net::percent_encoded(part);
  char separator = '?';
  for (const auto& [name, value] : query) {
    target += fmt::format("{}{}={}", separator, name, net::percent_encoded(value));
    separator = '&';
  }
  return target;
}

std::string JobName::target(const std::string& more) const {
  std::string path = target_of({"queues", queue, "jobs", name});
  return more.empty() ? path : path + "/" + more;
}

Result<JobName> read_job_name(const std::string& text, const std::string& key) {
  const std::size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size())
    return Error{.message = fmt::format("'{}' is no job: a job is named as QUEUE/NAME", text), .key = key};
  return JobName{.queue = text.substr(0, slash), .name = text.substr(slash + 1)};
}

Result<Answer> Service::answered(const net::Response& response) const {
  Result<Answer> answer = answer_of(response);
  if (answer && answer->status == 401) answer->token_file = token_file_;
  return answer;
}

Result<Answer> Service::ask(const std::string& method, const std::string& target, const Json& body) {
  net::Request request{.method = method, .target = target};
  if (!body.is_null()) request.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Result<net::Response> response = http_->send(request, net::HttpClient::Repeat::yes);
  if (!response) return response.error();
  return answered(*response);
}

Result<Answer> Service::list(std::initializer_list<std::string_view> parts, Query query, std::size_t most) {
  Answer all;
  for (;;) {
    const std::size_t have = all.body.is_null() ? 0 : all.body["items"].size();
    Query of_page = query;
    of_page.emplace_back("limit", std::to_string(std::min(most - have, kMostOfPage)));
    Result<Answer> answer = get(target_of(parts, of_page));
    if (!answer || answer->is_problem()) return answer;
    const auto items = answer->body.find("items");
    if (items == answer->body.end() || !items->is_array())
      return Error{.message = "the service answered a list without items"};
    const std::string next = text_at(answer->body, "page");
    if (all.body.is_null()) {
      all = *std::move(answer);
    } else {
      for (Json& item : *items) all.body["items"].push_back(std::move(item));
      all.body.erase("page");
      if (!next.empty()) all.body["page"] = next;
    }
    if (next.empty() || all.body["items"].size() >= most) return all;
    std::erase_if(query, [](const auto& each) { return each.first == "page"; });
    query.emplace_back("page", next);
  }
}

Result<Answer> Service::stream(const std::string& target, std::chrono::seconds silence,
                               const std::function<bool(std::string_view)>& take) {
  const Result<net::Streamed> streamed = http_->stream({.method = "GET", .target = target}, silence, take);
  if (!streamed) return streamed.error();
  if (streamed->is_silent)
    return Error{.message = fmt::format("the stream was silent for {} s", silence.count())};
  const net::Response& answer = streamed->answer;
  if (answer.status == 200) return Answer{.status = 200, .revision = revision_of(answer)};
  return answered(answer);
}

}  // namespace mirab::client
