#include "cli/gzip.hpp"

#include <algorithm>
#include <array>
#include <zlib.h>

#include <mirab/model/assert.hpp>

namespace mirab::cli {

std::string gzipped(std::string_view text) {
  constexpr int kGzip = 16;  // added to the window's bits: a gzip file, not a bare stream
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
  z_stream stream{};
  const int begun =
      deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 9, Z_DEFAULT_STRATEGY);
  MIRAB_ASSERT(begun == Z_OK, "zlib has memory for one stream");

  std::string bytes;
  std::array<Bytef, std::size_t{64} * 1024> chunk{};
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::string_view part = text.substr(0, kMostAtOnce);
      text.remove_prefix(part.size());
      // zlib's next_in is not const, and zlib does not write there.
      stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(part.data()));
      stream.avail_in = static_cast<uInt>(part.size());
    }
    stream.next_out = chunk.data();
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    bytes.append(reinterpret_cast<const char*>(chunk.data()), chunk.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return bytes;
}

}  // namespace mirab::cli
