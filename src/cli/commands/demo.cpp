#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

#include "cli/demo/player.hpp"
#include "cli/demo/trace.hpp"
#include "cli/io/output.hpp"
#include "cli/io/remote.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "live/amounts.hpp"
#include "service/recovery.hpp"
#include "service/service.hpp"

namespace mirab::cli {
namespace {

struct DemoFlags {
  std::string trace{demo::trace_names().front()};
  std::string listen = "127.0.0.1:0";
  std::string file;
  std::uint64_t speed = 0;  ///< 0: that of the trace
};

/// A folder of this run alone, which goes with it.
class OwnFolder {
 public:
  OwnFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mirab-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) name_ = name;
  }
  ~OwnFolder() {
    std::error_code ignored;
    if (!name_.empty()) std::filesystem::remove_all(name_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  const std::string& name() const { return name_; }  ///< empty: it could not be made

 private:
  std::string name_;
};

/// The secret of a token with which one sees what this team sees.
Result<std::string> token_of_team(client::Service& service, const std::string& team) {
  const Result<client::Answer> answer = service.ask("PUT", client::target_of({"tokens", "of-" + team}),
                                                    {{"scopes", {"submit", "read"}}, {"tenant", team}});
  if (!answer) return answer.error();
  if (answer->is_problem()) return client::error_of(*answer, team);
  return client::text_at(answer->body, "secret");
}

std::string first_line(const std::string& file) {
  const Result<InputText> input = read_input(file);
  return input ? input->text.substr(0, input->text.find('\n')) : "";
}

std::string welcome(const demo::Trace& trace, double speed, const std::string& url, const std::string& file,
                    const std::string& team, const std::string& team_token) {
  const std::string admin = file + ".admin-token";
  return fmt::format(
      "A replay of {}; it is {:g} times as fast.\n"
      "\n"
      "address                  {}/\n"
      "token that may do all    {}\n"
      "token of the team {:<7}{}\n"
      "\n"
      "In another terminal:\n"
      "  export MIRAB_SERVER={} MIRAB_TOKEN_FILE={}\n"
      "  mirab queues                      who has what, and what is fair\n"
      "  mirab jobs QUEUE --state waiting  what waits there\n"
      "  mirab why QUEUE/NAME              why it waits, and what would help\n"
      "  mirab whatif --add-servers 5 --like {}\n"
      "\n"
      "Ctrl-C ends it.\n",
      trace.title, speed, url, first_line(admin), team, team_token, url, admin, trace.servers.front().first);
}

/// The client that plays the trace, on a thread of its own.
class Playing {
 public:
  Playing(const demo::Trace& trace, double speed, std::string file)
      : trace_(trace), speed_(speed), file_(std::move(file)) {}
  ~Playing() {
    stop();
    if (thread_.joinable()) thread_.join();
  }
  Playing(const Playing&) = delete;
  Playing& operator=(const Playing&) = delete;

  void start(const std::string& url) {
    thread_ = std::thread([this, url] {
      Check wrong = play(url);
      if (!wrong || is_over_) return;
      failure_ = *std::move(wrong);
      ::kill(::getpid(), SIGTERM);
    });
  }
  void stop() { is_over_ = true; }

  /// Why it ended by itself. Not before it has ended.
  const std::optional<Error>& wait() {
    if (thread_.joinable()) thread_.join();
    return failure_;
  }

 private:
  Check play(const std::string& url) {
    RemoteOptions remote;
    remote.server = url;
    remote.token_file = file_ + ".admin-token";
    Result<client::Service> service = connect(remote);
    if (!service) return service.error();
    if (Check wrong = demo::set_up(*service, trace_)) return wrong;
    const std::string team = "batch";  // of every trace: the one whose jobs wait
    const Result<std::string> token = token_of_team(*service, team);
    if (!token) return token.error();
    if (Check wrong = write_text(kStandardOutput, welcome(trace_, speed_, url, file_, team, *token)))
      return wrong;
    demo::Player player(*service, trace_, speed_, is_over_);
    return player.play([](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); });
  }

  const demo::Trace& trace_;
  double speed_;
  std::string file_;
  std::atomic<bool> is_over_ = false;
  std::optional<Error> failure_;
  std::thread thread_;
};

Exit run_demo(const DemoFlags& flags) {
  const auto endpoint = net::read_endpoint(flags.listen, "--listen");
  if (!endpoint) return report_error(endpoint.error());
  if (!net::is_loopback(endpoint->address))
    return report_error({.message = "a demo is for this machine alone", .key = "--listen"});
  if (!flags.file.empty() && std::filesystem::exists(flags.file))
    return report_error({.message = "there is such a file already", .file = flags.file});
  const Result<demo::Trace> trace = demo::read_trace(flags.trace);
  if (!trace) return report_error(trace.error(), Exit::failed);

  std::optional<OwnFolder> folder;
  if (flags.file.empty()) folder.emplace();
  const std::string file = folder ? folder->name() + "/demo.db" : flags.file;
  if (folder && folder->name().empty())
    return report_error({.message = "no temporary folder could be made"}, Exit::failed);
  if (const Check failure = service::init_file({.file = file, .resources = trace->resources}))
    return report_error(*failure);

  Playing playing(*trace, flags.speed == 0 ? trace->speed : static_cast<double>(flags.speed), file);
  service::ServiceOptions options{.file = file, .reserve_bytes = 0, .version = MIRAB_VERSION};
  options.server.address = endpoint->address;
  options.server.port = endpoint->port;
  options.ready = [&](const std::string& url) { playing.start(url); };
  options.stopping = [&] { playing.stop(); };
  const Result<int> status = service::serve(options);
  if (!status) return report_error(status.error());
  if (const std::optional<Error>& failure = playing.wait()) return report_error(*failure, Exit::failed);
  return static_cast<Exit>(*status);
}

}  // namespace

Command add_demo(CLI::App& app) {
  auto flags = std::make_shared<DemoFlags>();
  CLI::App* command = app.add_subcommand("demo", "Serve a cluster that lives: a replay of a real trace");
  const auto names = demo::trace_names();
  take_one_of(command->add_option("TRACE", flags->trace, "What is replayed")->capture_default_str(),
              {names.begin(), names.end()});
  take_whole_number(
      command
          ->add_option("--speed", flags->speed, "Times as fast; default: the trace takes some eight minutes")
          ->type_name("N"),
      1, 100'000);
  command->add_option("--listen", flags->listen, "Where to listen, on this machine; port 0: any")
      ->type_name("ADDR:PORT")
      ->capture_default_str();
  command
      ->add_option("--file", flags->file,
                   "Keep the service's file as FILE; default: it is removed at the end")
      ->type_name("FILE");
  Manual manual;
  manual.paragraphs = {
      "Starts `mirab serve` on a file of its own, makes servers, teams and queues, submits the jobs of a "
      "trace "
      "at their times, and ends their tasks when they are over. No machine runs anything. All "
      "questions work as with any service: who has what, why a job waits, what if. When the trace is over, "
      "it "
      "begins again.",
      "google is an hour of 60 machines of Google's trace of 2011; its amounts, which are relative, stand "
      "for "
      "64 CPUs and 256 GiB of the largest machine. openb is two days of Alibaba's GPU cluster of 2023 on 12 "
      "of "
      "its servers. Neither tells of teams: those are made up, in openb of the pods' classes of service.",
      "It prints its address, and two tokens to log in with: of the administrator, and of one team, which "
      "sees its own. SIGTERM or Ctrl-C ends it."};
  manual.examples = {{"mirab demo", "Google's hour in some eight minutes"},
                     {"mirab demo openb --speed 1000", "Two days with GPUs in three minutes"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_demo(*flags); }};
}

}  // namespace mirab::cli
