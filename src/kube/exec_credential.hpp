// Credentials that a command prints, as client-go runs it: `exec` of a kubeconfig.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <mirab/model/result.hpp>

#include "kubernetes/api/kubeconfig.hpp"
#include "model/wall.hpp"
#include "net/credentials.hpp"

namespace mirab::kube {

/// What a command printed.
struct ExecCredential {
  net::Issued issued = {};
  std::optional<Wall> expires = {};  ///< nothing: it stays until it is refused
};

/// Reads what a command of `version` (`v1`, `v1beta1`) printed. Errors, which hold no secret of it: no
/// ExecCredential; of another version; neither a token nor a certificate with its key; a token, certificate
/// or time that is none. Pure.
Result<ExecCredential> read_exec_credential(const std::string& output, const std::string& version);

/// The last lines of what a command said, on one line, without what looks like a token.
std::string last_words(const std::string& said);

/// Keeps what the command printed until it expires or is refused, for all connections. Several threads.
class ExecCredentials {
 public:
  using Clock = std::function<Wall()>;

  /// `access` has an `exec`.
  ExecCredentials(const kubernetes::ApiAccess& access, Clock clock,
                  std::chrono::milliseconds time = std::chrono::seconds(30))
      : access_(access), clock_(std::move(clock)), time_(time) {}

  /// As net::Issuer says. The command runs again where what it printed has expired, and where `refused` is
  /// that; after a failure, or a run for one of these reasons, not for kPause. Errors, at the place of
  /// `exec`: the command is not found, with the hint how to install it; it fails, with its own last words;
  /// those of read_exec_credential.
  Result<std::shared_ptr<const net::Issued>> now(const net::Issued* refused,
                                                 const std::function<bool()>& is_stopped);

  static constexpr std::chrono::seconds kPause{5};

 private:
  Result<ExecCredential> run(const std::function<bool()>& is_stopped) const;

  kubernetes::ApiAccess access_;
  Clock clock_;
  std::chrono::milliseconds time_;
  std::timed_mutex mutex_;
  std::shared_ptr<const net::Issued> issued_ = nullptr;
  std::optional<Wall> expires_ = {};
  std::optional<Error> failure_ = {};  ///< of the latest run
  std::optional<Wall> rests_until_ = {};
};

}  // namespace mirab::kube
