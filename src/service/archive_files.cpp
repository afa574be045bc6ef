// The files of an archive: groups of batches as gzip streams, which `zcat` reads as well.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>
#include <zlib.h>

#include <mirab/model/assert.hpp>

#include "live/content.hpp"
#include "service/archive.hpp"

namespace mirab::service {
namespace {

constexpr int kGzipStream = 16 + MAX_WBITS;

std::string gzip(const std::string& text) {
  z_stream stream{};
  MIRAB_ASSERT(deflateInit2(&stream, 1, Z_DEFLATED, kGzipStream, 8, Z_DEFAULT_STRATEGY) == Z_OK,
               "zlib has memory for one stream");
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  std::string copy = text;  // zlib asks for bytes that are not const
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int status = deflate(&stream, Z_FINISH);
  MIRAB_ASSERT(status == Z_STREAM_END, "the bound holds the stream");
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

enum class Unpacked { whole, cut, damaged };

/// The gzip stream of `bytes` from `at` on, and how many of them it takes. (zlib asks for bytes that are not
/// const, and leaves them as they are.)
Unpacked unpack(std::string& bytes, std::size_t at, std::string& text, std::size_t& taken) {
  z_stream stream{};
  MIRAB_ASSERT(inflateInit2(&stream, kGzipStream) == Z_OK, "zlib has memory for one stream");
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data() + at);
  stream.avail_in = static_cast<uInt>(bytes.size() - at);
  std::string room(std::size_t{1} << 16U, '\0');
  text.clear();
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(room, 0, room.size() - stream.avail_out);
  }
  taken = stream.total_in;
  inflateEnd(&stream);
  if (status == Z_STREAM_END) return Unpacked::whole;
  return status == Z_BUF_ERROR ? Unpacked::cut : Unpacked::damaged;
}

std::optional<std::uint64_t> revision_in(std::string_view name, std::string_view begin,
                                         std::string_view end) {
  if (name.size() != begin.size() + 20 + end.size() || name.substr(0, begin.size()) != begin ||
      name.substr(begin.size() + 20) != end)
    return std::nullopt;
  std::uint64_t revision = 0;
  for (const char digit : name.substr(begin.size(), 20)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    revision = revision * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return revision;
}

}  // namespace

std::string packed(const ArchivedGroup& group) {
  std::string text = live::Json{{"archive", 1},
                                {"cluster_id", group.cluster_id},
                                {"decision_version", group.decision_version},
                                {"libm", group.libm},
                                {"previous", group.previous},
                                {"batches", group.batches.size()}}
                         .dump() +
                     "\n";
  for (const live::Batch& batch : group.batches) {
    text += live::Json{{"first", batch.first},
                       {"last", batch.last},
                       {"wall", batch.wall.time_since_epoch().count()},
                       {"hash", batch.hash},
                       {"bytes", batch.body.size()}}
                .dump() +
            "\n" + batch.body;
  }
  return gzip(text);
}

Result<ArchivedGroup> group_of(std::string_view text) {
  const auto next_line = [&text]() {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const live::Json line = live::Json::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  try {
    const live::Json head = next_line();
    if (const int form = head.at("archive").get<int>(); form != 1)
      return Error{.message = fmt::format("its form is {}; this version reads 1", form)};
    ArchivedGroup group{.cluster_id = head.at("cluster_id").get<std::string>(),
                        .decision_version = head.at("decision_version").get<std::uint64_t>(),
                        .libm = head.at("libm").get<std::string>(),
                        .previous = head.at("previous").get<std::string>()};
    for (auto left = head.at("batches").get<std::uint64_t>(); left > 0; --left) {
      const live::Json line = next_line();
      live::Batch batch;
      batch.first = line.at("first").get<std::uint64_t>();
      batch.last = line.at("last").get<std::uint64_t>();
      batch.wall = live::Wall(std::chrono::milliseconds(line.at("wall").get<std::int64_t>()));
      batch.hash = line.at("hash").get<std::string>();
      const auto bytes = line.at("bytes").get<std::uint64_t>();
      if (bytes > text.size()) return Error{.message = "a batch has no end"};
      batch.body = text.substr(0, bytes);
      text.remove_prefix(bytes);
      group.batches.push_back(std::move(batch));
    }
    if (group.batches.empty() || !text.empty()) return Error{.message = "this is no group of an archive"};
    return group;
  } catch (const live::Json::exception&) {
    return Error{.message = "this is no group of an archive"};
  }
}

Result<ArchiveFolder> list_archive(const std::string& folder) {
  ArchiveFolder listed;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (const auto revision = revision_in(name, "log-", ".gz")) listed.logs.push_back({name, *revision});
    if (const auto revision = revision_in(name, "base-", ".db")) listed.bases.push_back({name, *revision});
  }
  if (error) return Error{.message = error.message(), .file = folder};
  const auto earlier = [](const ArchiveFile& a, const ArchiveFile& b) { return a.revision < b.revision; };
  std::sort(listed.logs.begin(), listed.logs.end(), earlier);
  std::sort(listed.bases.begin(), listed.bases.end(), earlier);
  return listed;
}

ArchiveRead read_archive_file(const std::string& file, const std::function<bool(ArchivedGroup&)>& visit) {
  ArchiveRead read;
  std::ifstream input(file, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
  if (!input.is_open() || input.bad()) {
    read.wrong = Error{.message = "it cannot be read", .file = file};
    return read;
  }
  std::uint64_t last = 0;
  const auto damaged = [&](const std::string& why) {
    const std::string where = last == 0 ? "at its beginning" : fmt::format("after revision {}", last);
    read.wrong = Error{.message = fmt::format("the archive is damaged {}: {}", where, why), .file = file};
  };
  std::string text;
  while (read.whole_bytes < content.size()) {
    std::size_t taken = 0;
    const Unpacked what = unpack(content, read.whole_bytes, text, taken);
    if (what == Unpacked::cut) {
      read.is_cut = true;
      return read;
    }
    if (what == Unpacked::damaged) {
      damaged("its compressed bytes contradict themselves");
      return read;
    }
    Result<ArchivedGroup> group = group_of(text);
    if (!group) {
      damaged(group.error().message);
      return read;
    }
    read.whole_bytes += taken;
    last = group->batches.back().last;
    if (!visit(*group)) return read;
  }
  return read;
}

}  // namespace mirab::service
