#include "service/forked_service.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "service/recovery.hpp"
#include "service/service.hpp"

namespace mirab::bench {

ForkedService::ForkedService() {
  std::string pattern = (std::filesystem::temp_directory_path() / "mirab-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  file_ = (folder_ / "mirab.db").string();
  journal_ = (folder_ / "journal").string();
  if (const auto failure = service::init_file({.file = file_})) throw std::runtime_error(describe(*failure));
  std::ifstream(file_ + ".admin-token") >> token_;
  start();
}

ForkedService::~ForkedService() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

double ForkedService::start() {
  const int said = ::open(journal_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (said < 0) throw std::runtime_error("no journal");
  std::fflush(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(said, STDERR_FILENO);
    service::ServiceOptions options;
    options.file = file_;
    options.server.address = "127.0.0.1";
    options.server.port = 0;
    options.server.connections_per_address = 0;
    const auto status = service::serve(options);
    if (!status) fmt::print(stderr, "{}\n", describe(status.error()));
    ::_exit(status ? *status : 1);
  }
  ::close(said);
  constexpr std::string_view kListens = "listening on http://127.0.0.1:";
  while (true) {
    std::ifstream file(journal_);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t at = text.find(kListens);
    if (at != std::string::npos && text.find('\n', at) != std::string::npos) {
      port_ = std::atoi(text.c_str() + at + kListens.size());
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    if (::waitpid(process_, nullptr, WNOHANG) == process_) {
      process_ = -1;
      throw std::runtime_error("the service does not start: " + text);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
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

std::uint64_t ForkedService::journal() const {
  std::error_code error;
  const auto size = std::filesystem::file_size(journal_, error);
  return error ? 0 : size;
}

}  // namespace mirab::bench
