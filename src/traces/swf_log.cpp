#include "traces/swf_log.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "model/lines.hpp"

namespace mirab::traces::swf {

namespace {

constexpr std::array<std::string_view, kMostFields> kNames = {"job number",
                                                              "submit time",
                                                              "wait time",
                                                              "run time",
                                                              "allocated processors",
                                                              "average CPU time",
                                                              "used memory",
                                                              "requested processors",
                                                              "requested time",
                                                              "requested memory",
                                                              "status",
                                                              "user",
                                                              "group",
                                                              "executable",
                                                              "queue",
                                                              "partition",
                                                              "preceding job",
                                                              "think time",
                                                              "field 19",
                                                              "field 20",
                                                              "field 21",
                                                              "field 22",
                                                              "field 23",
                                                              "field 24"};

constexpr std::int64_t kMostOfAHead = std::int64_t{1} << 31;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void take_comment(std::string_view line, Head& head) {
  const std::string_view text = trimmed(line.substr(1));
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return;
  head.emplace(text.substr(0, colon), trimmed(text.substr(colon + 1)));
}

Result<Entry> cut(std::string_view line, std::size_t fields, const std::string& file, int number) {
  std::array<std::string_view, kMostFields> texts;
  std::size_t found = 0;
  while (!(line = trimmed(line)).empty()) {
    const std::string_view text = line.substr(0, line.find_first_of(" \t"));
    if (found < kMostFields) texts[found] = text;
    ++found;
    line.remove_prefix(text.size());
  }
  if (found == fields) return Entry(texts, file, number);
  return Error{
      .message = fmt::format("{} fields where {} belong", found, fields), .file = file, .line = number};
}

}  // namespace

Result<double> Entry::value(std::size_t field) const {
  const std::string_view written = text(field);
  double value = 0;
  const auto [end, failed] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (failed == std::errc() && end == written.data() + written.size() && std::isfinite(value)) return value;
  return error(field, "is not a number");
}

Result<std::optional<std::int64_t>> Entry::known(std::size_t field, std::int64_t most) const {
  const Result<double> read = value(field);
  if (!read) return read.error();
  if (*read == -1) return std::optional<std::int64_t>();
  if (*read < 0) return error(field, "is negative; only -1 may be, for what is unknown");
  if (*read > static_cast<double>(most)) return error(field, fmt::format("is more than {}", most));
  return std::optional(static_cast<std::int64_t>(*read));
}

Error Entry::error(std::size_t field, const std::string& message) const {
  return {.message = fmt::format("\"{}\" {}", text(field), message),
          .key = std::string(kNames[field]),
          .file = *file_,
          .line = line_};
}

Result<Head> read_log(const std::string& path, std::size_t fields,
                      const std::function<Check(const Entry&)>& visit) {
  Result<Lines> lines = Lines::open(path);
  if (!lines) return lines.error();
  Head head;
  bool any = false;
  while (true) {
    const auto line = lines->next();
    if (!line) return line.error();
    if (!line->has_value()) break;
    const std::string_view text = trimmed(**line);
    if (text.empty()) continue;
    if (text.front() == ';') {
      take_comment(text, head);
      continue;
    }
    const Result<Entry> entry = cut(text, fields, path, lines->number());
    if (!entry) return entry.error();
    if (Check failed = visit(*entry)) return *failed;
    any = true;
  }
  if (!any) return Error{.message = "the log has no job", .file = path};
  return head;
}

std::optional<std::int64_t> number_in(const Head& head, std::string_view name) {
  const auto entry = head.find(name);
  if (entry == head.end()) return {};
  std::int64_t number = 0;
  const std::string& text = entry->second;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || number < 1 || number > kMostOfAHead) return {};
  return number;
}

}  // namespace mirab::traces::swf
