#include "service/doctor.hpp"

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
#include <sys/timex.h>
#include <unistd.h>

#include "service/store.hpp"

namespace mirab::service {
namespace {

constexpr double kSlowSyncMs = 50;
constexpr double kMostSyncs = 20'000;            // in a second: no disk writes as often to what keeps it
constexpr std::chrono::minutes kClockBehind{1};  // behind the log: more than two clocks differ by

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

/// When the log was last written; nothing where it cannot be read.
std::optional<live::Wall> last_written(const std::string& file) {
  auto store = open_store({.file = file, .reads_only = true, .is_unknown = true, .reserve_bytes = 0});
  if (!store) return {};
  return (*store)->log_ends().last_wall;
}

bool is_clock_synchronised() {
  timex clock{};
  return ::adjtimex(&clock) >= 0 && (clock.status & STA_UNSYNC) == 0;
}

}  // namespace

Finding finding_of_sync(double ms) {
  if (ms < 0) return {false, "the disk cannot be written and synced"};
  const double syncs = 1000 / std::max(ms, 1e-6);
  const std::string takes = fmt::format("a sync of the disk takes {:.3f} ms, {:.0f} in a second", ms, syncs);
  if (ms >= kSlowSyncMs)
    return {false, takes + ": each change waits for one; a faster disk makes answers faster"};
  if (syncs > kMostSyncs)
    return {false, takes +
                       ": no disk is as fast. It does not keep what it acknowledges, so a power loss may "
                       "take changes that were answered; put the file on another disk, unless the cache "
                       "of this one has a battery"};
  return {true, takes};
}

Finding finding_of_clock(live::Wall wall, std::optional<live::Wall> last) {
  const std::string says = fmt::format("the clock says {}", live::text_of(wall));
  if (!last) return {false, says + "; the log cannot be read to compare it"};
  if (wall + kClockBehind < *last)
    return {false, fmt::format("{}, before the log was last written, {}: the clock is or was wrong; what "
                               "happens from now on has earlier times than what was",
                               says, live::text_of(*last))};
  return {true, fmt::format("{}; the log was last written at {}", says, live::text_of(*last))};
}

Finding finding_of_time_service(bool is_synchronised) {
  if (is_synchronised) return {true, "the clock is synchronised"};
  return {false,
          "the clock is not synchronised: start a time service, such as systemd-timesyncd or chrony. "
          "Decisions do not need it, times in answers and of tokens do"};
}

std::vector<Finding> examine(const std::string& file) {
  std::vector<Finding> findings = {rights_of(file, "the file")};
  if (const std::string token = file + ".admin-token"; is_there(token))
    findings.push_back(rights_of(token, "the admin token"));
  std::error_code error;
  const auto folder = std::filesystem::absolute(file).parent_path();
  const auto space = std::filesystem::space(folder, error);
  const double free_mib = error ? 0 : static_cast<double>(space.available) / (1 << 20);
  findings.push_back(
      {free_mib >= 1024, fmt::format("{:.0f} MiB are free; 1024 or more are enough", free_mib)});
  const double sync = sync_ms((folder / ".mirab-doctor").string());
  findings.push_back(finding_of_sync(sync));
  findings.push_back(finding_of_clock(wall_now(), last_written(file)));
  findings.push_back(finding_of_time_service(is_clock_synchronised()));
  findings.push_back({sqlite3_threadsafe() != 0, fmt::format("SQLite {}", sqlite3_libversion())});
  findings.push_back({true, OpenSSL_version(OPENSSL_VERSION)});
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  findings.push_back(
      {files.rlim_cur >= 4096, fmt::format("{} files may be open; each connection is one", files.rlim_cur)});
  return findings;
}

}  // namespace mirab::service
