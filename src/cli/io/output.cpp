#include "cli/io/output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

#include <mirab/model/assert.hpp>

#include "report/text/width.hpp"

namespace mirab::cli {
namespace {

constexpr mode_t kNewFile = 0666;  // less the umask
constexpr mode_t kPermissions = 0777;

Error system_error(const std::string& file) {
  return {.message = std::strerror(errno), .key = {}, .file = file};
}

/// Writes it all; false, with errno set, when the system refuses.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Check write_in_place(const std::string& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return system_error(file);
  const bool written = write_all(descriptor, text);
  Check failure = written ? Check{} : system_error(file);
  if (::close(descriptor) != 0 && !failure) failure = system_error(file);
  return failure;
}

/// The file that a symbolic link stands for, so that renaming replaces the file and not the link.
std::string resolve_links(const std::string& file) {
  std::error_code none;
  const std::filesystem::path real = std::filesystem::canonical(file, none);
  return none ? file : real.string();
}

/// The permission bits of a file that is not there yet.
mode_t new_file_bits() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return kNewFile & ~mask;
}

/// A text in a temporary file, which takes its place by commit(); without that nothing of it stays.
class Pending {
 public:
  explicit Pending(const Text& text) : file_(text.destination), target_(resolve_links(text.destination)) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  Check write(std::string_view text, mode_t permissions) {
    std::string temporary = target_ + ".XXXXXX";
    const int descriptor = ::mkstemp(temporary.data());
    if (descriptor < 0) return system_error(file_);
    temporary_ = temporary;
    const bool written = write_all(descriptor, text) && ::fchmod(descriptor, permissions) == 0;
    Check failure = written ? Check{} : system_error(file_);
    if (::close(descriptor) != 0 && !failure) failure = system_error(file_);
    return failure;
  }

  Check commit() {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) return system_error(file_);
    temporary_.clear();
    return {};
  }

 private:
  std::string file_;
  std::string target_;
  std::string temporary_;
};

Check write_in_place(const Text& text) {
  if (text.destination != kStandardOutput) return write_in_place(text.destination, text.text);
  return write_all(STDOUT_FILENO, text.text) ? Check{} : system_error("standard output");
}

}  // namespace

Check write_texts(std::span<const Text> texts) {
  std::deque<Pending> pending;
  std::vector<const Text*> in_place;
  for (const Text& text : texts) {
    struct stat status {};
    const bool standard = text.destination == kStandardOutput;
    const bool exists = !standard && ::stat(text.destination.c_str(), &status) == 0;
    if (standard || (exists && !S_ISREG(status.st_mode))) {
      in_place.push_back(&text);
      continue;
    }
    const mode_t permissions = exists ? status.st_mode & kPermissions : new_file_bits();
    if (Check failure = pending.emplace_back(text).write(text.text, permissions)) return failure;
  }
  for (const Text* text : in_place)
    if (Check failure = write_in_place(*text)) return failure;
  for (Pending& each : pending)
    if (Check failure = each.commit()) return failure;
  return {};
}

Check write_text(const std::string& destination, std::string_view text) {
  const Text one{destination, std::string(text)};
  return write_texts({&one, 1});
}

Check check_writable(const std::string& destination) {
  if (destination == kStandardOutput) return {};
  struct stat status {};
  const bool exists = ::stat(destination.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return system_error(destination);
  }
  if (exists && !S_ISREG(status.st_mode)) {
    return ::access(destination.c_str(), W_OK) == 0 ? Check{} : system_error(destination);
  }
  const std::string folder = std::filesystem::path(resolve_links(destination)).parent_path();
  const bool opens = ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
  return opens ? Check{} : system_error(destination);
}

Check make_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure) return {};
  return Error{.message = failure.message(), .file = folder};
}

Check check_folder(const std::string& folder) {
  std::error_code none;
  std::filesystem::path there = std::filesystem::absolute(folder, none);
  const bool too_long =
      std::ranges::any_of(there, [](const auto& part) { return part.native().size() > NAME_MAX; });
  // A link to nowhere is there: no folder can be made in its place.
  while (there.has_relative_path() &&
         std::filesystem::symlink_status(there, none).type() == std::filesystem::file_type::not_found)
    there = there.parent_path();
  const bool opens = ::access((there / "").c_str(), W_OK | X_OK) == 0;  // the slash: nothing but a folder
  if (opens && too_long) errno = ENAMETOOLONG;
  return opens && !too_long ? Check{} : system_error(folder);
}

bool would_replace(const std::string& destination, const std::string& input) {
  const bool is_file = !destination.empty() && destination != kStandardOutput && input != kStandardInput;
  return is_file && same_file(destination, input);
}

bool same_file(const std::string& one, const std::string& other) {
  if (one == kStandardOutput || other == kStandardOutput) return one == other;
  std::error_code none;
  const auto place = [&](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file, none), none);
  };
  const bool same = place(one) == place(other) || std::filesystem::equivalent(one, other, none);
  return same && !std::filesystem::is_other(place(one), none);
}

void reserve_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // Opened the wrong way round on purpose: reading the input or writing the output then fails.
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

namespace {

Check check_against_inputs(const Destination& destination, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (!input.empty() && would_replace(destination.file, input)) {
      return Error{.message = fmt::format("output '{}' would overwrite an input file", destination.file),
                   .key = destination.key};
    }
  }
  return {};
}

Check check_against_others(const Destination& destination, std::span<const Destination> others) {
  for (const Destination& other : others) {
    if (!other.file.empty() && same_file(other.file, destination.file)) {
      return Error{.message = fmt::format("'{}' is already written by {}", destination.file, other.key),
                   .key = destination.key};
    }
  }
  return {};
}

Check check_can_be_written(const Destination& destination) {
  const Check refusal = check_writable(destination.file);
  if (!refusal) return {};
  return Error{.message = fmt::format("'{}' cannot be written: {}", destination.file, refusal->message),
               .key = destination.key};
}

}  // namespace

Check check_destinations(const std::vector<Destination>& destinations,
                         const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (destinations[i].file.empty()) continue;
    if (Check wrong = check_against_inputs(destinations[i], inputs)) return wrong;
    if (Check wrong = check_against_others(destinations[i], std::span(destinations).first(i))) return wrong;
    if (Check wrong = check_can_be_written(destinations[i])) return wrong;
  }
  return {};
}

Check check_folder(const Destination& folder) {
  const Check refusal = check_folder(folder.file);
  if (!refusal) return {};
  std::error_code none;
  const bool is_there = std::filesystem::is_directory(folder.file, none);
  return Error{.message = fmt::format("'{}' cannot be {}: {}", folder.file, is_there ? "written in" : "made",
                                      refusal->message),
               .key = folder.key};
}

namespace {

constexpr const char* kBackToLineStart = "\r\033[K";

bool is_terminal(const std::string& destination) {
  return destination == kStandardOutput && ::isatty(STDOUT_FILENO) != 0;
}

/// A variable of the environment; empty when it is not set.
std::string_view environment(const char* variable) {
  const char* written = std::getenv(variable);
  return written == nullptr ? "" : written;
}

/// The environment's COLUMNS; 0 when it is not set to a number.
std::size_t columns_by_environment() {
  const std::string_view text = environment("COLUMNS");
  std::size_t columns = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return failure == std::errc{} && end == text.data() + text.size() ? columns : 0;
}

/// What the terminal says; 0 when it does not know.
std::size_t columns_by_terminal() {
  struct winsize size {};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

std::size_t columns_of(const std::string& destination) {
  if (destination != kStandardOutput) return SIZE_MAX;
  if (const std::size_t columns = columns_by_environment(); columns > 0) return columns;
  if (!is_terminal(destination)) return SIZE_MAX;
  if (const std::size_t columns = columns_by_terminal(); columns > 0) return columns;
  return report::kPageWidth;
}

report::Terminal terminal_of(const std::string& destination) {
  return {
      .width = columns_of(destination),
      .bold = is_terminal(destination) && environment("NO_COLOR").empty() && environment("TERM") != "dumb"};
}

bool shows_progress() { return ::isatty(STDERR_FILENO) != 0; }

void show_progress(const std::string& text) {
  fmt::print(stderr, "{}{}", kBackToLineStart, report::printable(text));
  std::fflush(stderr);
}

std::function<void(std::uint64_t, std::uint64_t)> progress_line(
    std::function<std::string(std::uint64_t, std::uint64_t)> text) {
  if (!shows_progress()) return {};
  return [text = std::move(text)](std::uint64_t done, std::uint64_t of) {
    show_progress(done >= of ? "" : text(done, of));
  };
}

std::string gzipped(std::string_view text) {
  constexpr int kGzip = 16;  // added to the window's bits: a gzip file, not a bare stream
  constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
  z_stream stream{};
  const int begun =
      deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 9, Z_DEFAULT_STRATEGY);
  MIRAB_ASSERT(begun == Z_OK, "zlib has memory for one stream");

  std::string bytes;
  std::array<Bytef, std::size_t{64} * 1024> chunk{};
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::string_view part = text.substr(0, kMaxAtOnce);
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
