// The event logs of the engines of a process, as files: what each learned, what it decided, in an order that
// replays (mirab/scheduling/event_log.hpp).
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include <mirab/model/result.hpp>

#include "model/wall.hpp"

namespace mirab::kube {

/// One thread.
class EventLogs {
 public:
  using Failed = std::function<void(const std::string& file, const std::string& why)>;

  /// The folder is made where there is none. `begun`: when the process did, in names of files. `failed`
  /// is called once when a log cannot be written: then no more is. Errors: no folder in which a file can be
  /// written.
  static Result<EventLogs> in(const std::string& folder, Wall begun, Failed failed);

  /// A line, without its end; the first of a log begins a new file. It is with the kernel on return.
  void write(const std::string& line, bool begins);

  const std::string& file() const { return file_; }  ///< that is written now

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  EventLogs(std::string stem, Failed failed) : stem_(std::move(stem)), failed_(std::move(failed)) {}
  Check open_next();
  void give_up();

  std::string stem_;  // of names: the folder and the time
  Failed failed_;
  int number_ = 0;
  std::string file_;
  std::unique_ptr<std::FILE, Close> open_;
  bool has_begun_ = false;  // a line is in the file that in() opened
  bool has_failed_ = false;
};

}  // namespace mirab::kube
