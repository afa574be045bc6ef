#include "model/lines.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace mirab {

namespace {

/// What zlib holds against a file after a short read; nothing when the file simply ended.
std::optional<std::string> complaint(gzFile file) {
  int code = Z_OK;
  const char* message = gzerror(file, &code);
  if (code == Z_OK || code == Z_STREAM_END) return std::nullopt;
  if (code == Z_BUF_ERROR) return "the file is truncated: its gzip stream has no end";
  if (code == Z_ERRNO) return fmt::format("cannot be read: {}", std::strerror(errno));
  return fmt::format("the gzip stream is damaged: {}", message);
}

}  // namespace

Result<Lines> Lines::open(const std::string& path, std::size_t longest) {
  errno = 0;
  File file(gzopen(path.c_str(), "rb"));
  if (!file) {
    const char* why = errno == 0 ? "out of memory" : std::strerror(errno);
    return Error{.message = fmt::format("cannot be opened: {}", why), .file = path};
  }
  return Lines(std::move(file), path, longest);
}

Lines::Lines(File file, std::string path, std::size_t longest)
    : file_(std::move(file)),
      path_(std::move(path)),
      longest_(longest),
      buffer_(4 * longest),
      // Nothing is unread yet, but it is known where it will stand.
      unread_(buffer_.data(), 0) {  // NOLINT(bugprone-string-constructor)
  gzbuffer(file_.get(), 128 * 1024);
}

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

std::uint64_t Lines::bytes_read() const {
  const z_off_t offset = gzoffset(file_.get());
  return offset < 0 ? 0 : static_cast<std::uint64_t>(offset);
}

/// Moves what is unread to the front of the buffer and fills the rest. The buffer holds several of the
/// longest lines, so a line without an end in it is too long, or is the last.
void Lines::refill() {
  if (unread_.size() > longest_) return;
  const std::size_t kept = unread_.size();
  const std::size_t room = buffer_.size() - kept;
  std::memmove(buffer_.data(), unread_.data(), kept);

  errno = 0;
  const int got = gzread(file_.get(), buffer_.data() + kept, static_cast<unsigned>(room));
  unread_ = std::string_view(buffer_.data(), kept + static_cast<std::size_t>(std::max(got, 0)));
  if (got == static_cast<int>(room)) return;
  at_end_ = true;
  complaint_ = complaint(file_.get());
}

Error Lines::error(std::string message) const {
  return {.message = std::move(message), .file = path_, .line = number_ + 1};
}

}  // namespace mirab
