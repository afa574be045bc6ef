#include "net/framing.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "model/names.hpp"

namespace mirab::net {
namespace {

/// The letters of a token (RFC 9110 section 5.6.2): methods and names of fields.
bool is_token_letter(char letter) {
  const bool is_alphanumeric = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                               (letter >= '0' && letter <= '9');
  return is_alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_letter);
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_value_letter(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return letter == '\t' || (byte >= 0x20 && byte != 0x7f);
}

bool is_target_letter(char letter) { return letter > 0x20 && letter < 0x7f && letter != '#'; }

/// `METHOD target HTTP/1.x`, with exactly one space between the parts.
std::optional<FramingError> read_request_line(std::string_view line, const HeadLimits& limits, Head& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return FramingError{400, "malformed request line"};
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(head.method) || head.method.size() > 16) return FramingError{400, "malformed method"};
  if (head.target.size() > limits.target_bytes) return FramingError{414, "the target is too long"};
  if (!head.target.starts_with('/') || head.target.starts_with("//") ||
      !std::all_of(head.target.begin(), head.target.end(), is_target_letter))
    return FramingError{400, "the target must be a path that begins with one /"};
  if (version == "HTTP/1.1") {
    head.is_http_1_1 = true;
  } else if (version != "HTTP/1.0") {
    return version.starts_with("HTTP/") ? FramingError{400, "only HTTP/1.1 and HTTP/1.0 are spoken"}
                                        : FramingError{400, "malformed version"};
  }
  return std::nullopt;
}

/// Fields of which a second one makes the request doubtful.
constexpr std::array<std::string_view, 5> kOnce = {"host", "content-length", "transfer-encoding",
                                                   "authorization", "expect"};

std::optional<FramingError> read_field(std::string_view line, Head& head) {
  const std::size_t colon = line.find(':');
  if (line.front() == ' ' || line.front() == '\t') return FramingError{400, "a folded line"};
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
    return FramingError{400, "malformed name of a field"};
  const std::string_view value = without_blanks(line.substr(colon + 1));
  if (!std::all_of(value.begin(), value.end(), is_value_letter))
    return FramingError{400, "a control character in a field"};
  std::string name = lower_case(line.substr(0, colon));
  const bool is_once = std::find(kOnce.begin(), kOnce.end(), name) != kOnce.end();
  const auto has_name = [&](const auto& field) { return field.first == name; };
  if (is_once && std::any_of(head.fields.begin(), head.fields.end(), has_name))
    return FramingError{400, "a field stands twice that may stand once"};
  head.fields.emplace_back(std::move(name), value);
  return std::nullopt;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (lower_case(without_blanks(list.substr(0, comma))) == word) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

/// Where the body ends, from the fields.
std::optional<FramingError> read_length(Head& head) {
  bool has_length = false;
  for (const auto& [name, value] : head.fields) {
    if (name == "content-length") {
      has_length = true;
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), head.content_length);
      const bool is_plain = !value.empty() && value.size() <= 18 && value.front() != '-' &&
                            error == std::errc() && end == value.data() + value.size();
      if (!is_plain) return FramingError{400, "Content-Length must be a plain number"};
    } else if (name == "transfer-encoding") {
      if (!head.is_http_1_1) return FramingError{400, "Transfer-Encoding in HTTP/1.0"};
      if (value != "chunked") return FramingError{400, "the only transfer coding is chunked"};
      head.is_chunked = true;
    } else if (name == "expect") {
      if (lower_case(value) != "100-continue")
        return FramingError{417, "the only expectation is 100-continue"};
      head.expects_continue = head.is_http_1_1;
    } else if (name == "upgrade" && value.empty()) {
      return FramingError{400, "an empty Upgrade"};
    }
  }
  if (head.is_chunked && has_length) return FramingError{400, "both Content-Length and Transfer-Encoding"};
  if (head.is_http_1_1 && head.field("host").empty()) return FramingError{400, "Host is missing"};
  const std::string_view connection = head.field("connection");
  head.keeps_alive = head.is_http_1_1 ? !has_word(connection, "close") : has_word(connection, "keep-alive");
  return std::nullopt;
}

int hex_digit(char letter) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t value = kDigits.find(lower_case({&letter, 1}));
  return value == std::string_view::npos ? -1 : static_cast<int>(value);
}

}  // namespace

std::string_view Head::field(std::string_view name) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& each) { return each.first == name; });
  return found == fields.end() ? std::string_view() : found->second;
}

std::optional<FramingError> check_head(std::string_view bytes, const HeadLimits& limits, Head& head) {
  head = {};
  if (bytes.size() > limits.bytes) return FramingError{431, "the head is too long"};
  if (!bytes.ends_with("\r\n\r\n")) return FramingError{400, "the head is not whole"};
  bytes.remove_suffix(2);
  bool is_first = true;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find("\r\n");
    if (end == std::string_view::npos) return FramingError{400, "a line ends without CR LF"};
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 2);
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
      return FramingError{400, "a line break or zero within a line"};
    if (line.empty()) return FramingError{400, "an empty line before the end"};
    if (is_first) {
      is_first = false;
      if (const auto error = read_request_line(line, limits, head)) return error;
      continue;
    }
    if (head.fields.size() == limits.fields) return FramingError{431, "too many fields"};
    if (const auto error = read_field(line, head)) return error;
  }
  if (is_first) return FramingError{400, "the request line is missing"};
  return read_length(head);
}

std::optional<std::size_t> head_size(std::string_view bytes, std::size_t searched) {
  const std::size_t end = bytes.find("\r\n\r\n", searched < 3 ? 0 : searched - 3);
  if (end == std::string_view::npos) return std::nullopt;
  return end + 4;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[at] != '%') {
      result += text[at];
    } else {
      if (at + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[at + 1]);
      const int low = hex_digit(text[at + 2]);
      if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
      result += static_cast<char>(high * 16 + low);
      at += 2;
    }
  }
  if (!is_utf8(result)) return std::nullopt;
  return result;
}

std::optional<Target> read_target(std::string_view target) {
  Target result;
  const std::size_t mark = target.find('?');
  std::string_view path = target.substr(0, mark);
  if (path.empty() || path.front() != '/') return std::nullopt;
  path.remove_prefix(1);
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    auto segment = percent_decoded(path.substr(0, slash));
    if (!segment || segment->empty() || *segment == "." || *segment == "..") return std::nullopt;
    result.segments.push_back(std::move(*segment));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  std::string_view query = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    const std::size_t equals = part.find('=');
    auto name = percent_decoded(part.substr(0, equals), true);
    auto value =
        equals == std::string_view::npos ? std::string() : percent_decoded(part.substr(equals + 1), true);
    if (!name || !value) return std::nullopt;
    if (!name->empty()) result.query.emplace_back(std::move(*name), std::move(*value));
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace mirab::net
