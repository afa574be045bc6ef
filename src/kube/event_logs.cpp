#include "kube/event_logs.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace mirab::kube {

Result<EventLogs> EventLogs::in(const std::string& folder, Wall begun, Failed failed) {
  std::error_code wrong;
  std::filesystem::create_directories(folder, wrong);
  if (wrong) return Error{.message = wrong.message(), .file = folder};
  std::string time = text_of(begun);
  std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == '.'; });
  EventLogs logs(fmt::format("{}/engine-{}", folder, time), std::move(failed));
  if (Check bad = logs.open_next()) return *std::move(bad);
  return logs;
}

// A file that is there is another process's.
Check EventLogs::open_next() {
  do {
    file_ = fmt::format("{}-{}.jsonl", stem_, ++number_);
    open_.reset(std::fopen(file_.c_str(), "wxe"));
  } while (!open_ && errno == EEXIST);
  if (!open_) return Error{.message = std::strerror(errno), .file = file_};
  // A line is shorter, so that it is written in one piece.
  std::setvbuf(open_.get(), nullptr, _IOFBF, std::size_t{1} << 20);
  return {};
}

void EventLogs::write(const std::string& line, bool begins) {
  if (has_failed_) return;
  if (begins && has_begun_ && open_next()) return give_up();
  has_begun_ = true;
  const bool is_written = std::fputs(line.c_str(), open_.get()) >= 0 &&
                          std::fputc('\n', open_.get()) == '\n' && std::fflush(open_.get()) == 0;
  if (!is_written) give_up();
}

void EventLogs::give_up() {
  const std::string why = std::strerror(errno);
  has_failed_ = true;
  open_.reset();
  failed_(file_, why);
}

}  // namespace mirab::kube
