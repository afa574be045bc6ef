// Files that are packed. A file that is too large to be held in memory is read by Lines.
#include "model/packing.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <zlib.h>

#include <mirab/model/assert.hpp>

namespace mirab {
namespace {

struct Packing {
  std::string_view first_bytes;
  std::string_view name;
};

constexpr std::array kPackings = {Packing{"\x1f\x8b", "gzip"},
                                  Packing{"\xfd"
                                          "7zXZ",
                                          "xz"},
                                  Packing{"BZh", "bzip2"}, Packing{"\x28\xb5\x2f\xfd", "zstd"},
                                  Packing{"PK\x03\x04", "zip"}};

struct Unpacking {
  std::string text;
  std::string complaint;  // why it ends there; empty at the end of the file, or where the text is too long
};

Unpacking unpack(std::string_view gzip, std::size_t most) {
  constexpr int kGzip = 16;  // added to the window's bits: a gzip file, not a bare stream
  constexpr std::size_t kStep = 65'536;
  z_stream stream{};
  MIRAB_ASSERT(inflateInit2(&stream, MAX_WBITS + kGzip) == Z_OK, "zlib has memory for one stream");
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(gzip.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(gzip.size());
  Unpacking unpacking;
  std::string& text = unpacking.text;
  for (bool is_open = true; unpacking.complaint.empty() && text.size() <= most;) {
    if (!is_open) {
      // Zeros may follow, as on tapes, or another stream.
      while (stream.avail_in > 0 && *stream.next_in == 0) ++stream.next_in, --stream.avail_in;
      if (stream.avail_in == 0) break;
      is_open = *stream.next_in == 0x1f && inflateReset(&stream) == Z_OK;
      if (!is_open) unpacking.complaint = "bytes follow the end of the gzip stream";
      continue;
    }
    const std::size_t had = text.size();
    text.resize(had + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + had);
    stream.avail_out = kStep;
    const int status = inflate(&stream, Z_NO_FLUSH);
    text.resize(had + (kStep - stream.avail_out));
    is_open = status != Z_STREAM_END;
    if (status == Z_BUF_ERROR) {
      unpacking.complaint = "the file is truncated: its gzip stream has no end";
    } else if (status != Z_OK && status != Z_STREAM_END) {
      unpacking.complaint = fmt::format("the gzip stream is damaged: {}",
                                        stream.msg == nullptr ? "unknown compression" : stream.msg);
    }
  }
  inflateEnd(&stream);
  return unpacking;
}

}  // namespace

std::optional<std::string_view> packing_of(std::string_view bytes) {
  const auto* found = std::find_if(kPackings.begin(), kPackings.end(),
                                   [&](const Packing& each) { return bytes.starts_with(each.first_bytes); });
  return found == kPackings.end() ? std::nullopt : std::optional(found->name);
}

Result<std::string> unpacked(std::string_view gzip, std::size_t most) {
  Unpacking unpacking = unpack(gzip, most);
  if (unpacking.text.size() > most) return Error{.message = fmt::format("more than {} bytes", most)};
  if (!unpacking.complaint.empty()) return Error{.message = std::move(unpacking.complaint)};
  return std::move(unpacking.text);
}

std::string unpacked_beginning(std::string_view gzip, std::size_t most) {
  std::string text = unpack(gzip, most).text;
  text.resize(std::min(text.size(), most));
  return text;
}

}  // namespace mirab
