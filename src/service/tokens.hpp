// Tokens and rates: who a request is from, and how many of them are taken.
//
// A token is `mirab_<kind>_<30 letters of base62: 178 bits><6 letters: CRC-32>`: scanners for secrets find
// it, and a mistyped one is refused without a look-up. Kept is its SHA-256 only; a random secret needs no
// slow hash.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <mirab/model/result.hpp>

#include "api/routes.hpp"
#include "live/answers.hpp"
#include "model/rate.hpp"

namespace mirab::service {

/// A new secret, from the system's random generator. `kind`: `admin`, `operator`, `tenant`, `executor`,
/// `metrics`.
std::string make_secret(std::string_view kind);

/// The kind by which a token with these scopes is known.
std::string_view kind_of(const live::Scopes& scopes);

/// Has the text the form of a token, with its check sum?
bool has_form_of_secret(std::string_view text);

/// 32 random letters and digits: the id of a cluster.
std::string random_name(std::size_t letters);

/// The tokens that count. One thread (I/O).
class TokenTable {
 public:
  /// The row of table `token`: null when the token is gone.
  void set(const std::string& id, const live::Json& columns);

  /// Whose secret it is; nothing when it is no token's or has expired. Compared in constant time.
  std::optional<live::Caller> find(std::string_view secret, live::Wall now) const;

  /// When the token of a caller (`token:7f3a`) expires; nothing: never.
  std::optional<live::Wall> expires(std::string_view by) const;

  /// The server of the executor whose token it is; empty: of none.
  std::string server_of(const std::string& id) const;

  std::size_t size() const { return by_hash_.size(); }

 private:
  struct Entry {
    live::Caller caller;
    std::optional<live::Wall> expires;
    std::string hash;
  };
  std::unordered_map<std::string, Entry> by_hash_;  ///< SHA-256 in hexadecimal
  std::unordered_map<std::string, std::string> hash_of_;
};

using Bucket = mirab::Bucket<std::chrono::steady_clock>;

using api::RateOf;

/// The rates of each tenant. Callers without a tenant have none.
class RateTable {
 public:
  /// The columns of the tenant's row, with its `limits`; null when it is gone.
  void set_tenant(const std::string& tenant, const live::Json& columns);
  Rate rate(const std::string& tenant, RateOf of) const;
  std::optional<double> take(const std::string& tenant, RateOf of, double amount,
                             Bucket::Clock::time_point now);
  /// What was found to cost more afterwards; below 0: less.
  void charge(const std::string& tenant, RateOf of, double amount);
  std::int64_t limit(const std::string& tenant, const std::string& name, std::int64_t otherwise) const;

 private:
  std::map<std::string, std::map<std::string, std::int64_t>> limits_;
  std::map<std::pair<std::string, RateOf>, Bucket> buckets_;
};

}  // namespace mirab::service
