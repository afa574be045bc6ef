// A service on the other end of the network: where it is, which token it wants, and what its answers mean for
// the command that asked.
#pragma once

#include <optional>
#include <string>

#include <mirab/model/result.hpp>

#include "cli/program.hpp"
#include "client/service.hpp"

namespace CLI {
class App;
}

namespace mirab::cli {

/// The file of a service that was started without one, in the state folder of the user or of the systemd
/// unit.
std::string state_file();

struct RemoteOptions {
  std::string server;      ///< empty: $MIRAB_SERVER, else the service on this machine
  std::string token_file;  ///< empty: token_place()
  std::string ca_file;     ///< empty: the certificates that the system trusts
  bool allows_plaintext = false;
};

/// Adds --server, --token-file, --ca and --plaintext.
void add_remote_options(CLI::App& app, RemoteOptions& options);

/// What a manual says of them.
std::string remote_words();

/// The service, with the token. Notes on standard error when a request has to be repeated. Errors: a URL that
/// is none, a token that cannot be read or would be readable on its way.
Result<client::Service> connect(const RemoteOptions& options);

/// Is it an answer, and no problem?
bool is_good(const Result<client::Answer>& answer);

/// Reports why an answer is not good, with the problem's title, detail and key; `subject`, what was asked
/// about, stands before it. The status: bad_input where the caller can mend it, else failed.
Exit report_failure(const Result<client::Answer>& answer, const std::string& subject);

/// Says which is not there, the queue or the job (without a name: the queue), with the names that there are
/// and how to list them; or that the queue is another tenant's. Nothing: neither, or it cannot be told.
std::optional<Error> missing_job(client::Service& service, const client::JobName& job);
/// The same of a server.
std::optional<Error> missing_server(client::Service& service, const std::string& server);

/// As report_failure, of a queue or job: where it is not there, as missing_job says it.
Exit report_missing(client::Service& service, const Result<client::Answer>& answer,
                    const client::JobName& job);

}  // namespace mirab::cli
