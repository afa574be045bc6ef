// Whatever bytes come as a head, they are refused or understood; what is understood has one reading only: the
// head ends where the bytes end, and it says in one way alone where the body ends.

#include "net/framing.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <mirab/model/assert.hpp>

#include "model/names.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mirab::net;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto end = head_size(bytes);
  Head head;
  if (!end) {
    MIRAB_ASSERT(check_head(bytes, {}, head).has_value(), "a head without its end is refused");
    return 0;
  }
  const std::string_view whole = bytes.substr(0, *end);
  if (const auto error = check_head(whole, {}, head)) {
    MIRAB_ASSERT(error->status >= 400 && error->status < 600 && !error->why.empty(), "a refusal says why");
    return 0;
  }
  MIRAB_ASSERT(!(head.is_chunked && head.content_length > 0), "a body has one end");
  MIRAB_ASSERT(head.is_http_1_1 || !head.is_chunked, "HTTP/1.0 knows no chunks");
  MIRAB_ASSERT(head.fields.size() <= HeadLimits{}.fields, "the limits hold");
  if (const auto target = read_target(head.target)) {
    for (const auto& segment : target->segments)
      MIRAB_ASSERT(mirab::is_utf8(segment) && !segment.empty(), "decoded segments are text");
  }
  return 0;
}
