// Where a request ends, decided by this project alone: the head of an HTTP/1.x request is checked, byte for
// byte, before a library sees it. Two programs that disagree about the end of a request let one client's
// bytes be read as another's request (request smuggling, RFC 9112 section 11.2), so whatever is doubtful is
// refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mirab::net {

/// The limits of a head.
struct HeadLimits {
  std::size_t bytes = 16 * 1024;
  std::size_t fields = 64;
  std::size_t target_bytes = 2 * 1024;
};

/// A head that was understood. Names of fields are in small letters; views point into the checked bytes.
struct Head {
  std::string_view method;
  std::string_view target;  ///< origin form: begins with `/`
  bool is_http_1_1 = false;
  bool is_chunked = false;
  std::uint64_t content_length = 0;
  bool expects_continue = false;
  bool keeps_alive = false;
  std::vector<std::pair<std::string, std::string_view>> fields;

  /// The value of the first field of this name (small letters); empty when there is none.
  std::string_view field(std::string_view name) const;
};

/// Why a head is refused: 400, 413, 414 or 431. The connection is closed after the answer.
struct FramingError {
  int status = 400;
  std::string_view why;
};

/// Checks the bytes of a head, from the request line to the empty line, both included.
/// Refused are: anything but `\r\n` at the end of a line; folded lines; white space around the name of a
/// field; control characters; a target that is not in origin form; two of host, content-length,
/// transfer-encoding, authorization; a length that is no plain number; a transfer coding but exactly
/// `chunked`; both length fields; `Transfer-Encoding` in HTTP/1.0; HTTP/1.1 without `Host`; what is over a
/// limit.
std::optional<FramingError> check_head(std::string_view bytes, const HeadLimits& limits, Head& head);

/// The number of bytes of the head at the front of `bytes`, with its empty line; none while it is not whole.
/// `searched` bytes are known to hold no end.
std::optional<std::size_t> head_size(std::string_view bytes, std::size_t searched = 0);

/// `%41` becomes `A`. None for a broken escape, for a zero byte and for what is not UTF-8.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space = false);

/// A target in its parts, decoded: `/v1/queues/a%2Fb?x=1` is {"v1", "queues", "a/b"} and {x: 1}.
struct Target {
  std::vector<std::string> segments;
  std::vector<std::pair<std::string, std::string>> query;  ///< in order; names may repeat
};

/// None where a part cannot be decoded, and for empty segments but the last, `.` and `..`.
std::optional<Target> read_target(std::string_view target);

}  // namespace mirab::net
