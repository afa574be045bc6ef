#include "model/lines.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>
#include <zlib.h>

#include <mirab/model/assert.hpp>

namespace mirab {
namespace {

constexpr std::string_view kCannotBeRead = "cannot be read";

}  // namespace

// The bytes of a file, unpacked when it is gzip: one stream after the other, up to the end of the file.
// zlib's own reader of files would pass over what follows the last stream in silence.
class Lines::Text {
 public:
  explicit Text(int descriptor) : descriptor_(descriptor), packed_(kPacked) {}
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() {
    ::close(descriptor_);
    if (form_ == Form::gzip) inflateEnd(&stream_);
  }

  /// As many bytes as there is room for; fewer where the text ends, or complaint() says why it cannot be
  /// read.
  std::size_t read(char* to, std::size_t room);
  const std::optional<std::string>& complaint() const { return complaint_; }
  std::uint64_t bytes_read() const { return from_file_ - stream_.avail_in; }

 private:
  static constexpr std::size_t kPacked = 128 * 1024;  // bytes read at a time. Harmless from 16 KiB on.
  enum class Form { unknown, plain, gzip };

  bool fill();
  void recognise();
  bool begins_stream();
  void unpack();
  void complain(std::string why) {
    complaint_ = std::move(why);
    at_end_ = true;
  }

  int descriptor_;
  Form form_ = Form::unknown;
  std::vector<Bytef> packed_;  // as it is on the disk; stream_.next_in is what is left of it
  z_stream stream_{};
  std::uint64_t from_file_ = 0;
  bool in_stream_ = true;
  bool at_end_ = false;
  std::optional<std::string> complaint_;
};

/// The next bytes of the file, as many as there is room for; false at its end.
bool Lines::Text::fill() {
  std::size_t filled = 0;
  while (filled < packed_.size()) {
    const ssize_t got = ::read(descriptor_, packed_.data() + filled, packed_.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) complain(fmt::format("{}: {}", kCannotBeRead, std::strerror(errno)));
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  from_file_ += filled;
  stream_.next_in = packed_.data();
  stream_.avail_in = static_cast<uInt>(filled);
  return filled > 0;
}

void Lines::Text::recognise() {
  constexpr int kGzip = 16;  // added to the window's bits: a gzip file, not a bare stream
  const bool is_gzip = stream_.avail_in >= 2 && packed_[0] == 0x1f && packed_[1] == 0x8b;
  form_ = is_gzip ? Form::gzip : Form::plain;
  if (is_gzip)
    MIRAB_ASSERT(inflateInit2(&stream_, MAX_WBITS + kGzip) == Z_OK, "zlib has memory for one stream");
}

/// Does another stream follow the one that has ended? Zeros may, as on tapes.
bool Lines::Text::begins_stream() {
  while (stream_.avail_in > 0 && *stream_.next_in == 0) {
    ++stream_.next_in;
    --stream_.avail_in;
  }
  if (stream_.avail_in == 0) return false;
  in_stream_ = *stream_.next_in == 0x1f && inflateReset(&stream_) == Z_OK;
  if (!in_stream_) complain("bytes follow the end of the gzip stream");
  return in_stream_;
}

/// Makes one step from the packed bytes to what stream_.next_out has room for.
void Lines::Text::unpack() {
  if (!in_stream_ && !begins_stream()) return;
  const int status = inflate(&stream_, Z_NO_FLUSH);
  in_stream_ = status != Z_STREAM_END;
  if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
    complain(fmt::format("the gzip stream is damaged: {}",
                         stream_.msg == nullptr ? "unknown compression" : stream_.msg));
}

std::size_t Lines::Text::read(char* to, std::size_t room) {
  stream_.next_out = reinterpret_cast<Bytef*>(to);
  stream_.avail_out = static_cast<uInt>(room);
  while (stream_.avail_out > 0 && !at_end_) {
    if (stream_.avail_in == 0 && !fill()) {
      const bool is_cut = form_ == Form::gzip && in_stream_ && !complaint_;
      if (is_cut) complain("the file is truncated: its gzip stream has no end");
      at_end_ = true;
      break;
    }
    if (form_ == Form::unknown) recognise();
    if (form_ == Form::gzip) {
      unpack();
      continue;
    }
    const uInt size = std::min(stream_.avail_in, stream_.avail_out);
    std::memcpy(stream_.next_out, stream_.next_in, size);
    stream_.next_in += size;
    stream_.avail_in -= size;
    stream_.next_out += size;
    stream_.avail_out -= size;
  }
  return room - stream_.avail_out;
}

Result<Lines> Lines::open(const std::string& path, std::size_t longest) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return Error{.message = fmt::format("{}: {}", kCannotBeRead, std::strerror(errno)), .file = path};
  return Lines(std::make_unique<Text>(descriptor), path, longest);
}

Lines::Lines(std::unique_ptr<Text> text, std::string path, std::size_t longest)
    : text_(std::move(text)),
      path_(std::move(path)),
      longest_(longest),
      buffer_(4 * longest),
      // Nothing is unread yet, but it is known where it will stand.
      unread_(buffer_.data(), 0) {}  // NOLINT(bugprone-string-constructor)

Lines::~Lines() = default;
Lines::Lines(Lines&& other) noexcept = default;
Lines& Lines::operator=(Lines&& other) noexcept = default;

Result<std::optional<std::string_view>> Lines::next() {
  std::size_t end = unread_.find('\n');
  if (end == std::string_view::npos && !at_end_) {
    refill();
    end = unread_.find('\n');
  }
  const bool is_last = end == std::string_view::npos;
  std::string_view line = unread_.substr(0, end);
  if (line.size() > longest_) return error(fmt::format("the line is longer than {} bytes", longest_));
  if (is_last && complaint_) return error(*complaint_);
  if (is_last && line.empty()) return std::optional<std::string_view>();

  unread_.remove_prefix(is_last ? unread_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  return std::optional(line);
}

std::uint64_t Lines::bytes_read() const { return text_->bytes_read(); }

/// Moves what is unread to the front of the buffer and fills the rest. The buffer holds several of the
/// longest lines, so a line without an end in it is too long, or is the last.
void Lines::refill() {
  if (unread_.size() > longest_) return;
  const std::size_t kept = unread_.size();
  const std::size_t room = buffer_.size() - kept;
  std::memmove(buffer_.data(), unread_.data(), kept);

  const std::size_t got = text_->read(buffer_.data() + kept, room);
  unread_ = std::string_view(buffer_.data(), kept + got);
  if (got == room) return;
  at_end_ = true;
  complaint_ = text_->complaint();
}

Error Lines::error(std::string message) const {
  const bool of_the_file = message.starts_with(kCannotBeRead);  // such as a folder; it has no lines
  return {.message = std::move(message), .file = path_, .line = of_the_file ? 0 : number_ + 1};
}

}  // namespace mirab
