#include "service/postgres.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <grp.h>
#include <libpq-fe.h>
#include <memory>
#include <pwd.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mirab::bench {
namespace {

/// The folder of its programs: Debian keeps those of each version apart.
std::string programs() {
  std::string found;
  std::error_code ignored;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    const std::string folder = (version.path() / "bin").string();
    if (std::filesystem::exists(folder + "/postgres")) found = std::max(found, folder);
  }
  if (found.empty()) throw std::runtime_error("PostgreSQL is not installed; tools/setup bench installs it");
  return found;
}

/// Starts a program of PostgreSQL, which does not run as root: then it is its own user's.
pid_t spawn(const std::vector<std::string>& words) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  if (::getuid() == 0) {
    const passwd* user = ::getpwnam("postgres");
    if (user == nullptr || ::setgid(user->pw_gid) != 0 || ::initgroups("postgres", user->pw_gid) != 0 ||
        ::setuid(user->pw_uid) != 0)
      ::_exit(1);
  }
  if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
    ::_exit(1);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(1);
}

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

Connection connect(const std::filesystem::path& folder) {
  return {PQconnectdb(fmt::format("host={} dbname=postgres user=postgres", folder.string()).c_str()),
          &PQfinish};
}

void run(PGconn* connection, PGresult* result) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> held(result, &PQclear);
  const auto status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(connection));
}

}  // namespace

Postgres::Postgres() {
  std::string pattern = (std::filesystem::temp_directory_path() / "mirab-postgres-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  if (::getuid() == 0) {
    const passwd* user = ::getpwnam("postgres");
    if (user == nullptr || ::chown(pattern.c_str(), user->pw_uid, user->pw_gid) != 0)
      throw std::runtime_error("no user for PostgreSQL");
  }
  const std::string data = pattern + "/data";
  int status = 0;
  ::waitpid(spawn({programs() + "/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"}),
            &status, 0);
  if (status != 0) throw std::runtime_error("initdb failed");
  process_ = spawn({programs() + "/postgres", "-D", data, "-k", pattern, "-c", "listen_addresses=", "-c",
                    "synchronous_commit=on", "-c", "max_connections=200"});
  Connection connection = connect(folder_);
  for (int n = 0; PQstatus(connection.get()) != CONNECTION_OK; ++n) {
    if (n == 300) throw std::runtime_error("PostgreSQL does not start");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    connection = connect(folder_);
  }
  run(connection.get(),
      PQexec(connection.get(),
             "CREATE TABLE job(id bigserial PRIMARY KEY, queue text NOT NULL, name text NOT NULL,"
             " content jsonb NOT NULL, UNIQUE(queue, name));"
             "CREATE TABLE status(job bigint PRIMARY KEY REFERENCES job, state text NOT NULL,"
             " changed timestamptz NOT NULL DEFAULT now());"));
}

Postgres::~Postgres() {
  if (process_ > 0) {
    ::kill(process_, SIGINT);
    ::waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

double Postgres::submit(int threads, int jobs) const {
  static std::atomic<int> names = 0;
  std::atomic<int> left = jobs;
  std::atomic<bool> has_failed = false;
  const auto begin = std::chrono::steady_clock::now();
  const auto work = [&] {
    const Connection connection = connect(folder_);
    try {
      run(connection.get(),
          PQprepare(
              connection.get(), "submit",
              "WITH made AS (INSERT INTO job(queue, name, content) VALUES($1, $2, $3::jsonb) RETURNING id)"
              " INSERT INTO status(job, state) SELECT id, 'waiting' FROM made",
              3, nullptr));
      while (left.fetch_sub(1) > 0) {
        const std::string name = fmt::format("p{}", names++);
        const std::array<const char*, 3> values = {"ml", name.c_str(), R"({"tasks":1,"demand":{"cpu":1}})"};
        run(connection.get(),
            PQexecPrepared(connection.get(), "submit", 3, values.data(), nullptr, nullptr, 0));
      }
    } catch (const std::runtime_error&) {
      has_failed = true;
    }
  };
  std::vector<std::thread> pool;
  for (int n = 0; n < threads; ++n) pool.emplace_back(work);
  for (std::thread& thread : pool) thread.join();
  if (has_failed) throw std::runtime_error("PostgreSQL refused a submit");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace mirab::bench
