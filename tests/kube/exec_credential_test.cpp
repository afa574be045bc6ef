// Commands that print credentials: scripts that the tests write stand in for those of the clouds.
#include "kube/exec_credential.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kube/command.hpp"
#include "support/files.hpp"

namespace mirab::kube {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kToken = "sEcReT-tOkEn";

/// What a command prints.
std::string credential(const std::string& status, const std::string& version = "v1") {
  return fmt::format(
      R"({{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/{}","status":{{{}}}}})",
      version, status);
}

std::string with_token(const std::string& token, const std::string& expires = "") {
  return credential(
      fmt::format(R"("token":"{}"{})", token,
                  expires.empty() ? "" : fmt::format(R"(,"expirationTimestamp":"{}")", expires)));
}

/// A pipe with a name. Its reader sees the end when nobody has it open for writing any more: the processes of
/// a script that opened it are then over.
class NamedPipe {
 public:
  explicit NamedPipe(std::string path) : path_(std::move(path)) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    reader_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_GE(reader_, 0);
  }
  ~NamedPipe() { ::close(reader_); }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;

  /// The line of a shell by which it, and what it starts, hold the pipe open.
  std::string opened() const { return fmt::format("exec 9> '{}'; echo begun >&9\n", path_); }

  /// Waits until a script has opened it.
  bool has_begun() const {
    std::array<char, 16> bytes;
    return is_ready(POLLIN) && ::read(reader_, bytes.data(), bytes.size()) == 6;
  }
  /// Waits until all that opened it are over.
  bool are_all_over() const {
    std::array<char, 16> bytes;
    return is_ready(POLLHUP) && ::read(reader_, bytes.data(), bytes.size()) == 0;
  }

 private:
  bool is_ready(short event) const {
    pollfd file{.fd = reader_, .events = event, .revents = 0};
    return ::poll(&file, 1, 60'000) == 1 && (file.revents & event) != 0;
  }

  std::string path_;
  int reader_;
};

/// Another file as standard input, as long as it lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : before_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  ~StandardInput() {
    if (before_ >= 0) ::dup2(before_, STDIN_FILENO);
    ::close(before_ >= 0 ? before_ : STDIN_FILENO);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int before_;
};

class ExecCredentialTest : public testing::Test {
 protected:
  ExecCredentialTest() {
    access.server = "https://big.example:6443";
    access.exec = kubernetes::ExecCommand{
        .version = "v1", .named = {.key = "users[0].user.exec", .file = "config", .line = 7}};
  }

  /// Makes the lines of a shell the command. It counts how often it ran.
  void script(const std::string& lines) {
    access.exec->command =
        folder.write("plugin", fmt::format("#!/bin/sh\necho x >> '{}'\n{}\n", folder.path("runs"), lines));
    std::filesystem::permissions(access.exec->command, std::filesystem::perms::owner_all);
  }
  void prints(const std::string& text) {
    folder.write("output", text);
    script(fmt::format("cat '{}'", folder.path("output")));
  }
  std::size_t runs() const { return read_text(folder.path("runs")).size() / 2; }

  /// The token of one run.
  std::string token() {
    ExecCredentials asked(access, [this] { return now; });
    const auto issued = asked.now(nullptr, {});
    if (!issued) ADD_FAILURE() << describe(issued.error());
    return issued ? (*issued)->token : "";
  }
  /// The error of one run, which holds no token.
  std::string error_of(std::chrono::milliseconds time = 30s) {
    ExecCredentials asked(
        access, [this] { return now; }, time);
    const auto issued = asked.now(nullptr, {});
    EXPECT_FALSE(issued);
    if (issued) return "";
    EXPECT_THAT(describe(issued.error()), Not(HasSubstr(kToken)));
    EXPECT_EQ(issued.error().file, "config");
    EXPECT_EQ(issued.error().key, "users[0].user.exec");
    EXPECT_EQ(issued.error().line, 7);
    return issued.error().message;
  }

  TemporaryFolder folder;
  kubernetes::ApiAccess access;
  Wall now = *wall_of("2027-03-01T08:00:00Z");
};

TEST_F(ExecCredentialTest, ItsTokenIsKeptUntilItExpires) {
  prints(with_token("one", "2027-03-01T08:15:00Z"));
  ExecCredentials asked(access, [this] { return now; });
  const auto first = asked.now(nullptr, {});
  ASSERT_TRUE(first) << describe(first.error());
  EXPECT_EQ((*first)->token, "one");
  prints(with_token("two", "2027-03-01T08:30:00Z"));
  now += 899s;
  EXPECT_EQ(*asked.now(nullptr, {}), *first) << "the same, so that connections are kept";
  EXPECT_EQ(runs(), 1U);
  now += 1s;
  EXPECT_EQ((*asked.now(nullptr, {}))->token, "two");
  EXPECT_EQ(runs(), 2U);
}

TEST_F(ExecCredentialTest, ItRunsAgainWhereTheTokenIsRefusedButNotAllTheTime) {
  prints(with_token("one"));
  ExecCredentials asked(access, [this] { return now; });
  const auto first = *asked.now(nullptr, {});
  prints(with_token("two"));
  const auto second = *asked.now(first.get(), {});
  EXPECT_EQ(second->token, "two");
  EXPECT_EQ(*asked.now(first.get(), {}), second) << "another connection was refused as well";
  EXPECT_EQ(*asked.now(second.get(), {}), second) << "it ran just now";
  EXPECT_EQ(runs(), 2U);
  now += ExecCredentials::kPause;
  EXPECT_NE(*asked.now(second.get(), {}), second);
  EXPECT_EQ(runs(), 3U);
}

TEST_F(ExecCredentialTest, AfterAFailureItRestsAndThenRunsAgain) {
  script("echo no network >&2; exit 1");
  ExecCredentials asked(access, [this] { return now; });
  EXPECT_FALSE(asked.now(nullptr, {}));
  const auto failed = asked.now(nullptr, {});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, EndsWith("ended with status 1; it says: no network"));
  EXPECT_EQ(runs(), 1U);
  prints(with_token("one"));
  now += ExecCredentials::kPause;
  EXPECT_EQ((*asked.now(nullptr, {}))->token, "one");
}

TEST_F(ExecCredentialTest, ItGetsItsWordsAndVariablesAndNoInputFileOrSignal) {
  access.exec->args = {"get token", "--cluster=big"};
  access.exec->environment = {{"AWS_PROFILE", "prod"}, {"HOME", "/nowhere"}};
  script(
      "test \"$1,$2\" = 'get token,--cluster=big' || exit 3\n"
      "test \"$AWS_PROFILE,$HOME\" = prod,/nowhere || exit 4\n"
      "test -n \"$PATH\" || exit 5\n"
      "read line && exit 6\n"
      "test -e /proc/$$/fd/77 && exit 8\n"
      "sh -c 'kill -USR1 $$' && exit 9\n"
      "sh -c 'kill -USR2 $$' && exit 10\n"
      "test \"$KUBERNETES_EXEC_INFO\" = '" +
      std::string(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)") +
      R"("spec":{"interactive":false}})" + "' || exit 7\n" + "echo '" + with_token("one") + "'");
  const StandardInput input(folder.write("input", "a line\n"));
  const int open = ::dup2(STDIN_FILENO, 77);  // a file that a program would inherit
  EXPECT_EQ(open, 77);
  const auto before = std::signal(SIGUSR1, SIG_IGN);
  sigset_t blocked;
  sigset_t mask;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  EXPECT_EQ(token(), "one");
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  std::signal(SIGUSR1, before);
  ::close(open);
}

TEST_F(ExecCredentialTest, V1beta1IsToldAboutTheClusterWhereItAsksForThat) {
  access.ca.file = folder.write("ca.pem", "-----BEGIN X-----\nabc\n");
  access.server_name = "inner.example";
  access.exec->version = "v1beta1";
  access.exec->provides_cluster = true;
  access.exec->cluster_config = R"({"audience":"a"})";
  script("printf %s \"$KUBERNETES_EXEC_INFO\" > '" + folder.path("info") + "'\necho '" +
         credential(R"("token":"one")", "v1beta1") + "'");
  EXPECT_EQ(token(), "one");
  EXPECT_EQ(
      read_text(folder.path("info")),
      R"({"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","spec":{"cluster":)"
      R"({"certificate-authority-data":"LS0tLS1CRUdJTiBYLS0tLS0KYWJjCg==","config":{"audience":"a"},)"
      R"("server":"https://big.example:6443","tls-server-name":"inner.example"},"interactive":false}})");
}

TEST_F(ExecCredentialTest, AClientCertificateComesWithItsKey) {
  const auto read = read_exec_credential(
      credential(R"("clientCertificateData":"-----BEGIN C-----\n","clientKeyData":"-----BEGIN K-----\n")"),
      "v1");
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(read->issued.certificate.text, "-----BEGIN C-----\n");
  EXPECT_EQ(read->issued.key.text, "-----BEGIN K-----\n");
  EXPECT_EQ(read->issued.token, "");
  EXPECT_FALSE(read->expires);
}

TEST_F(ExecCredentialTest, WhatIsNoCredentialIsAnErrorWithoutIt) {
  struct Case {
    std::string output, words;
  };
  const std::string secret = fmt::format(R"("token":"{}")", kToken);
  for (const Case& each : std::vector<Case>{
           {"", "prints no ExecCredential as JSON"},
           {kToken, "prints no ExecCredential as JSON"},
           {fmt::format(R"({{"token":"{}")", kToken), "prints no ExecCredential as JSON"},
           {fmt::format(R"({{"kind":"{}"}})", kToken), "prints no ExecCredential as JSON"},
           {credential(secret, "v1beta1"),
            "is not of client.authentication.k8s.io/v1: client.authentication.k8s.io/v1beta1"},
           {fmt::format(R"({{"kind":"ExecCredential","apiVersion":"{}"}})", kToken),
            "is not of client.authentication.k8s.io/v1"},
           {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})",
            "without a status"},
           {credential(""), "neither a token nor a client certificate"},
           {credential(fmt::format(R"("token":"{} x")", kToken)), "prints a token that is not visible ASCII"},
           {credential(fmt::format(R"("clientKeyData":"{}")", kToken)), "they come together"},
           {credential(fmt::format(R"("clientKeyData":"{0}","clientCertificateData":"{0}")", kToken)),
            "that is not PEM"},
           {credential(secret + R"(,"expirationTimestamp":"soon")"),
            "prints an expirationTimestamp that is no"}}) {
    prints(each.output);
    EXPECT_THAT(error_of(), HasSubstr(each.words)) << each.output;
  }
}

TEST_F(ExecCredentialTest, ItsLastWordsAreShownWithoutWhatLooksLikeAToken) {
  script(
      "for i in 1 2 3 4 5 6; do echo \"line $i\" >&2; done\n"
      "printf 'got eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJtZSJ9.c2ln \\033[31mred\\n' >&2\n"
      "echo '" +
      with_token(kToken) + "'\nexit 255");
  const std::string said = error_of();
  EXPECT_THAT(said,
              EndsWith("plugin' ended with status 255; it says: line 3 / line 4 / line 5 / line 6 / got "
                       "(left out) ?[31mred"));
}

TEST_F(ExecCredentialTest, ACommandThatIsNotFoundComesWithItsHint) {
  access.exec->command = "mirab-no-such-plugin";
  access.exec->install_hint = "Install it:\n  apt install plugin\n";
  EXPECT_EQ(error_of(), "'mirab-no-such-plugin' is not in PATH; Install it: / apt install plugin");
  access.exec->command = folder.path("none");
  EXPECT_EQ(error_of(),
            fmt::format("'{}' cannot be run: No such file or directory; Install it: / apt install "
                        "plugin",
                        folder.path("none")));
  access.exec->install_hint = "";
  access.exec->command = folder.write("text", "#!/bin/sh\n");
  EXPECT_THAT(error_of(), EndsWith("cannot be run: Permission denied"));
}

TEST_F(ExecCredentialTest, ABareNameIsLookedUpInPath) {
  prints(with_token("one"));
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
  access.exec->command = "plugin";
  EXPECT_EQ(token(), "one");
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(ExecCredentialTest, ItEndsWithWhatItStartedWhenItsTimeIsOver) {
  const NamedPipe pipe(folder.path("pipe"));
  script(pipe.opened() + "echo 'open a browser' >&2\nsleep 600 &\nsleep 600");
  EXPECT_THAT(error_of(2s), HasSubstr("did not end within 2 s; it says: open a browser"));
  EXPECT_TRUE(pipe.has_begun());
  EXPECT_TRUE(pipe.are_all_over());
  script("kill -9 $$");
  EXPECT_THAT(error_of(), EndsWith("was ended by signal 9"));
  script("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done");
  EXPECT_THAT(error_of(), EndsWith("prints more than 1048576 bytes"));
}

TEST_F(ExecCredentialTest, ItEndsWhenWhoAskedForItIsStopped) {
  const NamedPipe pipe(folder.path("pipe"));
  script(pipe.opened() + "sleep 600 &\nsleep 600");
  ExecCredentials asked(access, [this] { return now; });
  const auto issued = asked.now(nullptr, [&] { return pipe.has_begun(); });
  ASSERT_FALSE(issued);
  EXPECT_THAT(issued.error().message, EndsWith("was stopped"));
  EXPECT_TRUE(pipe.are_all_over());
}

// Who waits for the first credentials at a terminal may press Ctrl-C.
TEST_F(ExecCredentialTest, ItEndsWhenASignalEndsTheProgramThatAskedForIt) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const NamedPipe pipe(folder.path(fmt::format("pipe{}", signal)));
    script(pipe.opened() + "sleep 600 &\nsleep 600");
    const Command command{.program = access.exec->command, .time = 100s};
    const pid_t process = ::fork();
    if (process == 0) {
      std::signal(signal, SIG_DFL);
      const Result<Ran> ran = run_command(command, {});
      ::_exit(ran ? 1 : 2);
    }
    EXPECT_TRUE(pipe.has_begun());
    ::kill(process, signal);
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << "the signal ends it, after the command";
    EXPECT_TRUE(pipe.are_all_over());
  }
}

TEST_F(ExecCredentialTest, WhatItLeavesRunningDoesNotHoldItUp) {
  script("sleep 30 &\necho '" + with_token("one") + "'");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(token(), "one");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

}  // namespace
}  // namespace mirab::kube
