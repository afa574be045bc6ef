#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/service.hpp"

namespace mirab::service {
namespace {

Finding rights_of(const std::string& file, const char* what) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {false, fmt::format("{}: {}", file, std::strerror(errno))};
  const unsigned mode = status.st_mode & 0777U;
  const bool is_well = (mode & 077U) == 0;
  return {is_well,
          fmt::format("{} has mode {:o}{}", what, mode, is_well ? "" : ": others may read it; chmod 600")};
}

/// The median of syncs of 4 KiB each, in milliseconds; below 0: it failed.
double sync_ms(const std::string& file) {
  const int handle = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (handle < 0) return -1;
  std::vector<double> times;
  const std::string page(4096, 'x');
  for (int round = 0; round < 21; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    if (::write(handle, page.data(), page.size()) != 4096 || ::fdatasync(handle) != 0) times.clear();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  ::close(handle);
  ::unlink(file.c_str());
  if (times.size() < 21) return -1;
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  return times[10];
}

}  // namespace

std::vector<Finding> examine(const std::string& file) {
  std::vector<Finding> findings = {rights_of(file, "the file")};
  if (const std::string token = file + ".admin-token"; std::filesystem::exists(token))
    findings.push_back(rights_of(token, "the admin token"));
  std::error_code error;
  const auto folder = std::filesystem::absolute(file).parent_path();
  const auto space = std::filesystem::space(folder, error);
  const double free_mib = error ? 0 : static_cast<double>(space.available) / (1 << 20);
  findings.push_back({free_mib >= 1024, fmt::format("{:.0f} MiB are free; 1024 or more are well", free_mib)});
  const double sync = sync_ms((folder / ".mirab-doctor").string());
  findings.push_back({sync >= 0 && sync < 50, sync < 0
                                                  ? "the disk cannot be written and synced"
                                                  : fmt::format("a sync of the disk takes {:.2f} ms", sync)});
  findings.push_back({sqlite3_threadsafe() != 0, fmt::format("SQLite {}", sqlite3_libversion())});
  findings.push_back({true, OpenSSL_version(OPENSSL_VERSION)});
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  findings.push_back(
      {files.rlim_cur >= 4096, fmt::format("{} files may be open; each connection is one", files.rlim_cur)});
  return findings;
}

}  // namespace mirab::service
