// Answers, problems and wall-clock times as JSON.
#include "live/answers.hpp"

#include <array>
#include <charconv>
#include <fmt/format.h>

namespace mirab::live {
namespace {

constexpr std::string_view kPattern = "0000-00-00T00:00:00";

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  const char* const first = text.data() + at;
  const auto [end, bad] = std::from_chars(first, first + count, value);
  if (bad != std::errc() || end != first + count) return {};
  return value;
}

bool has_form(std::string_view text) {
  if (text.size() < kPattern.size()) return false;
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kPattern[i] == '0' ? !digit : text[i] != kPattern[i]) return false;
  }
  return true;
}

/// Milliseconds of `.123`, cut off; the text is left behind them.
std::optional<int> milliseconds_of(std::string_view& text) {
  if (text.empty() || text[0] != '.') return 0;
  int value = 0;
  std::size_t count = 1;
  for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count) {
    if (count <= 3) value = value * 10 + (text[count] - '0');
  }
  if (count == 1) return {};
  for (std::size_t more = count; more <= 3; ++more) value *= 10;
  text.remove_prefix(count);
  return value;
}

/// `Z`, or an offset.
std::optional<std::chrono::minutes> offset_of(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return {};
  const auto hours = digits(text, 1, 2);
  const auto minutes = digits(text, 4, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return {};
  const std::chrono::minutes offset(*hours * 60 + *minutes);
  return text[0] == '-' ? -offset : offset;
}

}  // namespace

std::string text_of(Wall wall) {
  const auto day = std::chrono::floor<std::chrono::days>(wall);
  const std::chrono::year_month_day date(day);
  const auto ms = (wall - day).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), ms / 3'600'000,
                     ms / 60'000 % 60, ms / 1'000 % 60, ms % 1'000);
}

std::optional<Wall> wall_of(std::string_view text) {
  if (!has_form(text)) return {};
  const std::chrono::year_month_day date{
      std::chrono::year(*digits(text, 0, 4)), std::chrono::month(static_cast<unsigned>(*digits(text, 5, 2))),
      std::chrono::day(static_cast<unsigned>(*digits(text, 8, 2)))};
  const int hour = *digits(text, 11, 2);
  const int minute = *digits(text, 14, 2);
  const int second = *digits(text, 17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return {};
  std::string_view rest = text.substr(kPattern.size());
  const auto ms = milliseconds_of(rest);
  const auto offset = offset_of(rest);
  if (!ms || !offset) return {};
  return Wall(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) + std::chrono::milliseconds(*ms) - *offset;
}

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
  return {.status = 400, .type = "bad-json", .title = "Not the JSON that is expected", .detail = std::move(detail)};
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

Problem not_found() {
  return {.status = 404, .type = "not-found", .title = "There is no such thing here"};
}

Problem scope_problem() {
  return {.status = 403, .type = "scope", .title = "The token does not allow this"};
}

Problem conflict(std::string type, std::string detail) {
  const std::string title = type == "name-taken" ? "The name is taken"
                            : type == "in-use"   ? "It is in use"
                                                 : "Less than is in use";
  return {.status = 409, .type = std::move(type), .title = title, .detail = std::move(detail)};
}

Problem changed(std::string detail) {
  return {.status = 412, .type = "changed", .title = "The condition does not hold", .detail = std::move(detail)};
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
  return {.status = 429,
          .type = std::move(type),
          .title = "A limit is reached",
          .detail = std::move(detail),
          .retry_after_s = "1"};
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
