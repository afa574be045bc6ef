#include "kube/command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <mirab/model/assert.hpp>

namespace mirab::kube {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostSaid = std::size_t{8} << 10U;
constexpr milliseconds kLook{50};  // between two looks at the clock

/// Both ends of a pipe; they are closed in a program that is started.
class Pipe {
 public:
  Pipe() {
    const int failed = ::pipe2(ends_.data(), O_CLOEXEC);
    if (failed != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close(std::size_t end) {
    if (ends_.at(end) >= 0) ::close(ends_.at(end));
    ends_.at(end) = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

/// Keeps the signals that would end this process, and are not ignored, from this thread as long as it lives:
/// there is time to end first what was started. Then they come. Another thread that has a handler for them,
/// or waits for them, gets them at once.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      struct sigaction action {};
      ::sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  bool came() const {
    sigset_t pending;
    sigset_t of_these;
    ::sigpending(&pending);
    ::sigandset(&of_these, &pending, &held_);
    return ::sigisemptyset(&of_these) == 0;
  }

 private:
  sigset_t held_;
  sigset_t before_;
};

/// `NAME=value`, each name once.
std::vector<std::string> environment_of(const Command& command) {
  std::map<std::string, std::string> values;
  for (char** each = ::environ; *each != nullptr; ++each) {
    const std::string_view line(*each);
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos)
      values[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  for (const auto& [name, value] : command.environment) values[name] = value;
  std::vector<std::string> lines;
  lines.reserve(values.size());
  for (const auto& [name, value] : values) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// In a process group of its own, so that all that it starts can be ended with it.
Result<pid_t> start(const Command& command, const Pipe& output, const Pipe& said) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output.writer(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, said.writer(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> words = {command.program};
  words.insert(words.end(), command.args.begin(), command.args.end());
  std::vector<std::string> environment = environment_of(command);
  pid_t process = 0;
  const int failed = ::posix_spawn(&process, command.program.c_str(), &files, &attributes,
                                   pointers_to(words).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0)
    return Error{.message = fmt::format("'{}' cannot be run: {}", command.program, std::strerror(failed))};
  return process;
}

/// Reads what is there. False: nothing more will come.
bool read_some(int file, std::string& text) {
  std::array<char, 4096> bytes;
  const ssize_t count = ::read(file, bytes.data(), bytes.size());
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

std::string failure_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("ended with status {}", WEXITSTATUS(status));
}

/// Why it has to end now; nothing while it may go on.
std::optional<std::string> reason_to_end(const Command& command, const Ran& ran, Steady::time_point begin,
                                         const HeldSignals& signals,
                                         const std::function<bool()>& is_stopped) {
  if (ran.output.size() > command.most_bytes)
    return fmt::format("prints more than {} bytes", command.most_bytes);
  if (Steady::now() - begin >= command.time)
    return fmt::format("did not end within {} s", static_cast<double>(command.time.count()) / 1000);
  if (signals.came() || (is_stopped && is_stopped())) return "was stopped";
  return {};
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return name;
    return Error{.message = fmt::format("'{}' cannot be run: {}", name, std::strerror(errno))};
  }
  const char* const folders = std::getenv("PATH");
  std::string_view rest = folders == nullptr ? "" : folders;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (!folder.starts_with('/')) continue;
    const std::string path = fmt::format("{}/{}", folder, name);
    std::error_code unseen;
    if (std::filesystem::is_regular_file(path, unseen) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return Error{.message = fmt::format("'{}' is not in PATH", name)};
}

Result<Ran> run_command(const Command& command, const std::function<bool()>& is_stopped) {
  const HeldSignals signals;
  Pipe output;
  Pipe said;
  if (output.reader() < 0 || said.reader() < 0)
    return Error{.message = fmt::format("'{}' cannot be run: {}", command.program, std::strerror(errno))};
  const Steady::time_point begin = Steady::now();
  const Result<pid_t> process = start(command, output, said);
  if (!process) return process.error();
  output.close(1);
  said.close(1);

  Ran ran;
  int status = 0;
  bool has_ended = false;
  std::array<pollfd, 2> files{{{.fd = output.reader(), .events = POLLIN, .revents = 0},
                               {.fd = said.reader(), .events = POLLIN, .revents = 0}}};
  std::optional<std::string> reason;
  while (!has_ended && !reason) {
    const bool may_read = files[0].fd >= 0 || files[1].fd >= 0;
    // Without anything to read it is about to end.
    const milliseconds wait = may_read ? kLook : milliseconds(2);
    ::poll(files.data(), files.size(), static_cast<int>(wait.count()));
    // What it has printed is there when it has ended, and is read below.
    const pid_t ended = ::waitpid(*process, &status, WNOHANG);
    // Where who started Mirab ignores the ends of processes, only that it has ended is known, and not how.
    has_ended = ended == *process || (ended < 0 && errno == ECHILD);
    for (std::size_t i = 0; i < files.size(); ++i) {
      std::string& text = i == 0 ? ran.output : ran.said;
      if ((files.at(i).revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !read_some(files.at(i).fd, text))
        files.at(i).fd = -1;  // poll() passes it over
    }
    if (ran.said.size() > 2 * kMostSaid) ran.said.erase(0, ran.said.size() - kMostSaid);
    if (!has_ended) reason = reason_to_end(command, ran, begin, signals, is_stopped);
  }
  // What it left running in the background does not hold up the answer.
  while (!reason && ::poll(files.data(), files.size(), 0) > 0) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      std::string& text = i == 0 ? ran.output : ran.said;
      if (files.at(i).revents != 0 && !read_some(files.at(i).fd, text)) files.at(i).fd = -1;
    }
    reason = reason_to_end(command, ran, begin, signals, is_stopped);
  }
  if (reason) ::kill(-*process, SIGKILL);
  if (!has_ended) ::waitpid(*process, &status, 0);
  ran.failure = reason ? *std::move(reason) : failure_of(status);
  if (ran.said.size() > kMostSaid) ran.said.erase(0, ran.said.size() - kMostSaid);
  return ran;
}

}  // namespace mirab::kube
