// As whom a client asks: a certificate of its own, and a bearer token that may change while it runs.
#pragma once

#include <chrono>
#include <string>

#include <mirab/model/result.hpp>

namespace mirab::net {

/// A certificate or key in PEM: a file, or the text itself. Neither: there is none.
struct Pem {
  std::string file = {};
  std::string text = {};
};

struct Credentials {
  Pem certificate = {};  ///< of the client, with its key
  Pem key = {};
  std::string token = {};       ///< bearer token
  std::string token_file = {};  ///< comes before `token`; read again each minute and after a 401
};

/// Errors, with the file: it cannot be read. An empty name is no file.
Check check_readable(const std::string& file);

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
