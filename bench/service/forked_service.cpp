#include "service/forked_service.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "service/recovery.hpp"
#include "service/service.hpp"

namespace mirab::bench {

ForkedService::ForkedService() {
  std::string pattern = (std::filesystem::temp_directory_path() / "mirab-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  file_ = (folder_ / "mirab.db").string();
  if (const auto failure = service::init_file({.file = file_})) throw std::runtime_error(describe(*failure));
  std::ifstream(file_ + ".admin-token") >> token_;
  start();
}

ForkedService::~ForkedService() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  if (said_ >= 0) ::close(said_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

double ForkedService::start() {
  int said[2];
  if (::pipe(said) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(said[1], STDERR_FILENO);
    service::ServiceOptions options;
    options.file = file_;
    options.server.address = "127.0.0.1";
    options.server.port = 0;
    options.server.connections_per_address = 0;
    const auto status = service::serve(options);
    if (!status) fmt::print(stderr, "{}\n", describe(status.error()));
    ::_exit(status ? *status : 1);
  }
  ::close(said[1]);
  std::string text;
  constexpr const char* kListens = "listening on http://127.0.0.1:";
  std::size_t at = std::string::npos;
  while (at == std::string::npos || text.find('\n', at) == std::string::npos) {
    char bytes[4096];
    const ssize_t count = ::read(said[0], bytes, sizeof bytes);
    if (count <= 0) throw std::runtime_error("the service does not start: " + text);
    text.append(bytes, static_cast<std::size_t>(count));
    at = text.find(kListens);
  }
  port_ = std::atoi(text.c_str() + at + std::char_traits<char>::length(kListens));
  if (said_ >= 0) ::close(said_);
  said_ = said[0];  // what it prints later is not read, and is little
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void ForkedService::stop() {
  ::kill(process_, SIGTERM);
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("the service did not end well");
}

std::uint64_t ForkedService::resident() const {
  std::ifstream file(fmt::format("/proc/{}/statm", process_));
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace mirab::bench
