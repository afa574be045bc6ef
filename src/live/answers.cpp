// Answers and problems as JSON.
#include "live/answers.hpp"

#include <fmt/format.h>

namespace mirab::live {

std::vector<std::string> words_of(const Scopes& scopes) {
  std::vector<std::string> words;
  if (scopes.admin) words.emplace_back("admin");
  if (scopes.operates) words.emplace_back("operator");
  if (scopes.submit) words.emplace_back("submit");
  if (scopes.read) words.emplace_back("read");
  if (scopes.executor) words.emplace_back("executor");
  if (scopes.metrics) words.emplace_back("metrics");
  return words;
}

Problem bad_json(std::string detail) {
  return {.status = 400,
          .type = "bad-json",
          .title = "Not the JSON that is expected",
          .detail = std::move(detail)};
}

Problem bad_request(std::string key, std::string detail) {
  return {.status = 400,
          .type = "bad-request",
          .title = "The request is not understood",
          .detail = std::move(detail),
          .key = std::move(key)};
}

Problem too_large(std::string key, std::string detail) {
  return {.status = 413,
          .type = "too-large",
          .title = "Too large",
          .detail = std::move(detail),
          .key = std::move(key)};
}

Problem within(Problem problem, const std::string& key) {
  problem.key = key + problem.key;
  return problem;
}

Problem not_found() { return {.status = 404, .type = "not-found", .title = "There is no such thing here"}; }

Problem scope_problem() { return {.status = 403, .type = "scope", .title = "The token does not allow this"}; }

Problem conflict(std::string type, std::string detail) {
  const std::string title = type == "name-taken" ? "The name is taken"
                            : type == "in-use"   ? "It is in use"
                                                 : "Less than is in use";
  return {.status = 409, .type = std::move(type), .title = title, .detail = std::move(detail)};
}

Problem changed(std::string detail) {
  return {
      .status = 412, .type = "changed", .title = "The condition does not hold", .detail = std::move(detail)};
}

Problem compacted(Revision oldest) {
  Problem problem{.status = 410,
                  .type = "compacted",
                  .title = "The log no longer goes back so far",
                  .detail = "list again, and watch from the revision of the list"};
  problem.more["oldest"] = oldest;
  return problem;
}

Problem unprocessable(std::string type, std::string key, std::string detail) {
  const std::string title = type == "oversized"          ? "No server can hold this"
                            : type == "never-fits"       ? "This can never start"
                            : type == "over-limit"       ? "More than the tenant may have"
                            : type == "bad-weight"       ? "Not a weight"
                            : type == "unknown-resource" ? "There is no such resource"
                            : type == "bad-amount"       ? "Not an amount of this resource"
                            : type == "unknown-name"     ? "What it refers to is not there"
                            : type == "not-supported"    ? "Not supported yet"
                                                         : "The cluster refuses this";
  return {.status = 422,
          .type = std::move(type),
          .title = title,
          .detail = std::move(detail),
          .key = std::move(key)};
}

Problem too_many(std::string type, std::string detail) {
  return {.status = 429, .type = std::move(type), .title = "A limit is reached", .detail = std::move(detail)};
}

std::string pointer_to(const std::string& key, std::string_view member) {
  std::string text = key + "/";
  for (const char letter : member) {
    if (letter == '~') {
      text += "~0";
    } else if (letter == '/') {
      text += "~1";
    } else {
      text += letter;
    }
  }
  return text;
}

namespace {

std::size_t bytes_of_text(std::string_view text) {
  std::size_t bytes = text.size() + 2;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\' || letter == '\n' || letter == '\t' || letter == '\r' ||
        letter == '\b' || letter == '\f') {
      bytes += 1;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      bytes += 5;  // as in \u001f
    }
  }
  return bytes;
}

}  // namespace

std::size_t bytes_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::string:
      return bytes_of_text(json.get_ref<const std::string&>());
    case Json::value_t::number_integer:
      return fmt::formatted_size("{}", json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return fmt::formatted_size("{}", json.get<std::uint64_t>());
    case Json::value_t::number_float:
      return fmt::formatted_size("{}", json.get<double>());
    case Json::value_t::array:
    case Json::value_t::object:
      break;
    default:
      return json.is_boolean() && !json.get<bool>() ? 5 : 4;
  }
  std::size_t bytes = json.empty() ? 2 : 1;
  if (json.is_array()) {
    for (const Json& each : json) bytes += bytes_of(each) + 1;
  } else {
    for (const auto& [key, value] : json.get_ref<const Json::object_t&>())
      bytes += bytes_of_text(key) + bytes_of(value) + 2;
  }
  return bytes;
}

Json json_of(const Problem& problem) {
  Json json = {{"type", "/problems/" + problem.type}, {"title", problem.title}, {"status", problem.status}};
  if (problem.status == 401 || problem.status == 403 || problem.status == 404) return json;
  if (!problem.detail.empty()) json["detail"] = problem.detail;
  if (!problem.key.empty()) json["key"] = problem.key;
  json.update(problem.more);
  return json;
}

Answer answer_of(const Problem& problem, Revision revision) {
  Answer answer{.status = problem.status, .body = json_of(problem), .revision = revision};
  answer.retry_after_s = problem.retry_after_s;
  const bool constant = problem.status == 401 || problem.status == 403 || problem.status == 404;
  if (!constant) answer.body["revision"] = revision;
  return answer;
}

}  // namespace mirab::live
