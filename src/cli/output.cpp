#include "cli/output.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

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
std::string behind_links(const std::string& file) {
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

Check write_beside_and_rename(const std::string& file, std::string_view text, mode_t permissions) {
  const std::string target = behind_links(file);
  std::string beside = target + ".XXXXXX";
  const int descriptor = ::mkstemp(beside.data());
  if (descriptor < 0) return system_error(file);
  const bool written = write_all(descriptor, text) && ::fchmod(descriptor, permissions) == 0;
  Check failure = written ? Check{} : system_error(file);
  if (::close(descriptor) != 0 && !failure) failure = system_error(file);
  if (!failure && ::rename(beside.c_str(), target.c_str()) != 0) failure = system_error(file);
  if (failure) ::unlink(beside.c_str());
  return failure;
}

}  // namespace

Check write_text(const std::string& destination, std::string_view text) {
  if (destination == kStandardOutput) {
    if (!write_all(STDOUT_FILENO, text)) return system_error("standard output");
    return {};
  }
  struct stat status {};
  const bool exists = ::stat(destination.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return write_in_place(destination, text);
  return write_beside_and_rename(destination, text, exists ? status.st_mode & kPermissions : new_file_bits());
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
  const std::string folder = std::filesystem::path(behind_links(destination)).parent_path();
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

void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // Opened the wrong way round on purpose: reading the input or writing the output then fails.
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace mirab::cli
