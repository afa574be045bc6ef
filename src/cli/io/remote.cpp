#include "cli/io/remote.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <random>
#include <sys/stat.h>
#include <utility>

#include "client/tables.hpp"
#include "model/names.hpp"
#include "net/http_client.hpp"

namespace mirab::cli {
namespace {

constexpr const char* kHere = "http://127.0.0.1:7417";
constexpr std::size_t kMostNames = 1'000;  // among which those that are near are looked for

/// Was all of it read? Of a list that was cut off it cannot be told what is missing.
bool is_whole(const Result<client::Answer>& list) {
  return is_good(list) && client::text_at(list->body, "page").empty();
}

/// The names of a list; nothing where it could not be read, or is too long.
std::optional<std::vector<std::string>> names_of(const Result<client::Answer>& list) {
  if (!is_whole(list)) return {};
  std::vector<std::string> names;
  for (const client::Json& item : list->body.at("items")) names.push_back(client::text_at(item, "name"));
  return names;
}

/// `; did you mean vision? Known are speech and vision`; nothing where there is none.
std::string known(const std::string& written, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return known_names(written, std::vector<std::string_view>(names.begin(), names.end()));
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 20;
  return first_names(std::vector<std::string_view>(names.begin(), names.end()), kMostNamed);
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The queues that the token may see. Of those of other tenants a service says less, unless it hides nothing.
struct SeenQueues {
  std::vector<std::string> names;
  std::map<std::string, std::string> tenants;  // by name; without those of which it says less
};

std::optional<SeenQueues> queues_of(client::Service& service) {
  const Result<client::Answer> list = service.list({"queues"}, {}, kMostNames);
  if (!is_whole(list)) return {};
  SeenQueues queues;
  for (const client::Json& item : list->body.at("items")) {
    const std::string name = client::text_at(item, "name");
    queues.names.push_back(name);
    if (item.contains("tenant")) queues.tenants.emplace(name, client::text_at(item, "tenant"));
  }
  return queues;
}

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string home() {
  const std::string folder = from_environment("HOME");
  return folder.empty() ? "." : folder;
}

/// Where a token is looked for when none is named: the file of the environment, then that of the
/// configuration, then that of the administrator of a service on this machine. Empty: nowhere.
std::string token_place(bool is_here) {
  if (const std::string named = from_environment("MIRAB_TOKEN_FILE"); !named.empty()) return named;
  std::string folder = from_environment("XDG_CONFIG_HOME");
  if (folder.empty()) folder = home() + "/.config";
  const std::string configured = folder + "/mirab/token";
  std::error_code unseen;
  if (std::filesystem::exists(configured, unseen)) return configured;
  const std::string of_admin = state_file() + ".admin-token";
  return is_here && std::filesystem::exists(of_admin, unseen) ? of_admin : "";
}

/// The token in a file. Errors: cannot be read, or holds no token.
Result<std::string> read_token(const std::string& file) {
  Result<std::string> token = net::read_token(file);
  if (!token) {
    Error error = std::move(token).error();
    error.key = "--token-file";
    return error;
  }
  struct stat about {};
  if (::stat(file.c_str(), &about) == 0 && (about.st_mode & 077U) != 0)
    report_notes({fmt::format("{}: other users of this machine can read the token in it", file)});
  return token;
}

}  // namespace

std::string state_file() {
  if (const std::string all = from_environment("STATE_DIRECTORY"); !all.empty())
    return all.substr(0, all.find(':')) + "/mirab.db";  // systemd separates several with a colon
  return home() + "/.local/state/mirab/mirab.db";
}

void add_remote_options(CLI::App& app, RemoteOptions& options) {
  constexpr const char* kGroup = "Options of the connection";
  app.add_option("--server", options.server, "The service; default: $MIRAB_SERVER, else this machine")
      ->type_name("URL")
      ->group(kGroup);
  app.add_option("--token-file", options.token_file, "The file with the token")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_option("--ca", options.ca_file, "Trust only these certificates, as PEM")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_flag("--plaintext", options.allows_plaintext, "Send the token beyond this machine without TLS")
      ->group(kGroup);
}

std::string remote_words() {
  return fmt::format(
      "The service is that of --server, else of $MIRAB_SERVER, else {}. The token is read from a file: that "
      "of "
      "--token-file, else of $MIRAB_TOKEN_FILE, else ~/.config/mirab/token, else, for a service on this "
      "machine, the admin token that `mirab serve` made in the state folder. A request that fails on its way "
      "is repeated for ten seconds.",
      kHere);
}

Result<client::Service> connect(const RemoteOptions& options) {
  std::string server = options.server;
  if (server.empty()) server = from_environment("MIRAB_SERVER");
  const std::string key = options.server.empty() && !server.empty() ? "MIRAB_SERVER" : "--server";
  const Result<net::Url> url = net::read_url(server.empty() ? kHere : server, key);
  if (!url) return url.error();
  net::HttpClientOptions http{.url = *url, .ca = {.file = options.ca_file}, .seed = std::random_device()()};
  const bool is_readable = net::is_readable_on_the_way(*url);
  std::string file = options.token_file;
  if (file.empty()) file = token_place(!url->has_tls && !is_readable);
  if (!file.empty()) {
    if (is_readable && !options.allows_plaintext)
      return Error{.message = fmt::format("{} would send the token beyond this machine without TLS; "
                                          "take https, or allow it with --plaintext",
                                          url->text),
                   .key = key};
    const Result<std::string> token = read_token(file);
    if (!token) return token.error();
    http.credentials.token = *token;
  }
  http.waits = [text = url->text](const std::string& why) {
    report_notes({fmt::format("{}: {}; trying again", text, why)});
  };
  Result<std::unique_ptr<net::HttpClient>> opened = net::HttpClient::open(std::move(http));
  if (!opened) return opened.error();
  return client::Service(*std::move(opened), std::move(file));
}

bool is_good(const Result<client::Answer>& answer) { return answer && !answer->is_problem(); }

Exit report_failure(const Result<client::Answer>& answer, const std::string& subject) {
  if (!answer) {
    Error error = answer.error();
    if (!subject.empty()) error.message += fmt::format(" (asked for {})", subject);
    return report_error(error, Exit::failed);
  }
  Error error = client::error_of(*answer, subject);
  if (answer->status == 401)
    error.message += answer->token_file.empty()
                         ? "; give its file with --token-file"
                         : fmt::format("; the one in {} is not valid, or no longer", answer->token_file);
  return report_error(error, answer->is_bad_input() ? Exit::bad_input : Exit::failed);
}

std::optional<Error> missing_job(client::Service& service, const client::JobName& job) {
  const std::string subject = job.name.empty() ? job.queue : job.text();
  const auto queues = queues_of(service);
  if (!queues) return {};
  if (queues->names.empty())
    return Error{.message = fmt::format("{}: there is {}", subject, client::kNoQueue)};
  std::vector<std::string> own;
  for (const auto& [name, tenant] : queues->tenants) own.push_back(name);
  if (!is_among(queues->names, job.queue))
    return Error{.message = fmt::format("{}: there is no queue '{}'{}; `mirab queues` lists them", subject,
                                        job.queue, known(job.queue, own))};
  if (!is_among(own, job.queue))
    return Error{.message = fmt::format("{}: the queue '{}' belongs to another tenant{}", subject, job.queue,
                                        own.empty() ? "" : "; this token's are " + some_of(own))};
  if (job.name.empty()) return {};
  const auto jobs = names_of(service.list({"queues", job.queue, "jobs"}, {}, kMostNames));
  if (!jobs || is_among(*jobs, job.name)) return {};
  return Error{.message = fmt::format("{}: there is no job '{}' in this queue{}; `mirab jobs {}` lists them",
                                      subject, job.name, known(job.name, *jobs), job.queue)};
}

std::optional<Error> missing_server(client::Service& service, const std::string& server) {
  const auto servers = names_of(service.list({"servers"}, {}, kMostNames));
  if (!servers || is_among(*servers, server)) return {};
  return Error{.message = fmt::format("there is no server '{}'{}; `mirab servers` lists them", server,
                                      known(server, *servers))};
}

Exit report_missing(client::Service& service, const Result<client::Answer>& answer,
                    const client::JobName& job) {
  const std::string subject = job.name.empty() ? job.queue : job.text();
  if (!answer || answer->status != 404) return report_failure(answer, subject);
  if (const auto missing = missing_job(service, job)) return report_error(*missing);
  if (!job.name.empty()) return report_failure(answer, subject);
  // It can be seen, and yet not be used.
  const auto queues = queues_of(service);
  if (!queues || !queues->tenants.contains(job.queue)) return report_failure(answer, subject);
  return report_error(
      Error{.message = fmt::format("{}: the queue belongs to the tenant '{}'; this token is of another",
                                   subject, queues->tenants.at(job.queue))});
}

}  // namespace mirab::cli
