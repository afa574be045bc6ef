// As whom a client asks: a certificate of its own, and a bearer token that may change while it runs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <mirab/model/result.hpp>

namespace mirab::net {

/// A certificate or key in PEM: a file, or the text itself. Neither: there is none.
struct Pem {
  std::string file = {};
  std::string text = {};
};

/// What somebody else gives out for a time: a token, or a certificate with its key, or both.
struct Issued {
  std::string token = {};
  Pem certificate = {};
  Pem key = {};
};

/// The credentials of now: the same object until there are others. `refused`: a server answered 401 to these;
/// null: to none. May take long, and ends early with an error where `is_stopped`, which may be empty, says
/// so. Several clients may share one, from several threads.
using Issuer = std::function<Result<std::shared_ptr<const Issued>>(const Issued* refused,
                                                                   const std::function<bool()>& is_stopped)>;

struct Credentials {
  Pem certificate = {};  ///< of the client, with its key
  Pem key = {};
  std::string token = {};       ///< bearer token
  std::string token_file = {};  ///< comes before `token`; read again each minute and after a 401
  Issuer issuer = {};           ///< asked at each request; what stands above comes before what it gives
};

/// Errors, with the file: it cannot be read. An empty name is no file.
Check check_readable(const std::string& file);

/// Is it 16 KiB of visible ASCII at most, so that nothing in it ends the line of a request's head?
bool is_bearer_token(std::string_view text);

/// The token in a file, without its line end. Errors: cannot be read; holds no token, which is 16 KiB of
/// visible ASCII at most.
Result<std::string> read_token(const std::string& file);

/// The token of now. One owner.
class TokenSource {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kMaxAge{60};

  /// Errors: those of read_token.
  static Result<TokenSource> open(const Credentials& credentials, Time now);

  /// Empty: there is none. The file is read again where what was read is older than kMaxAge. What cannot be
  /// read then leaves the token as it is.
  const std::string& token(Time now);

  /// Reads the file again, since the token was refused. Is it another one now?
  bool renew(Time now);

 private:
  std::string file_;
  std::string token_;
  Time read_at_;
};

}  // namespace mirab::net
