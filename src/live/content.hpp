#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/scheduling/engine.hpp>

#include "live/amounts.hpp"
#include "live/answers.hpp"

struct evp_md_ctx_st;  // of OpenSSL

namespace mirab::live {

// The bodies of PUT, read strictly: an unknown key, a wrong type, an amount of an unknown resource is a
// problem with the JSON pointer of the key. What is left out has its default.

using Labels = std::map<std::string, std::string>;
inline constexpr std::size_t kMostLabels = 32;  // of a thing

struct ServerContent {
  Amounts capacity;
  Labels labels = {};
  std::optional<bool> drained = {};  ///< `state`; left out: unchanged
  friend bool operator==(const ServerContent&, const ServerContent&) = default;
};

struct TenantContent {
  /// By the names of service: `requests_per_s`, `submits_per_s`, `burst`, `queued_jobs`, `waiting_tasks`,
  /// `watches`. Those left out have the service's defaults.
  std::map<std::string, std::int64_t> limits = {};
  friend bool operator==(const TenantContent&, const TenantContent&) = default;
};

/// Of queues and groups alike.
struct QuotaContent {
  Quantity weight{1};
  std::optional<Amounts> guarantee = {};
  std::optional<Amounts> limit = {};  ///< kNoLimit where there is none
  std::optional<Amounts> reserved = {};
  friend bool operator==(const QuotaContent&, const QuotaContent&) = default;
};

struct GroupContent {
  std::string parent = {};  ///< empty: the root
  QuotaContent quota = {};
  friend bool operator==(const GroupContent&, const GroupContent&) = default;
};

struct QueueContent {
  std::string tenant;
  std::string group = {};  ///< empty: the root
  QuotaContent quota = {};
  friend bool operator==(const QueueContent&, const QueueContent&) = default;
};

struct JobContent {
  scheduling::JobSubmitted terms;            ///< without its user
  std::vector<std::string> role_names = {};  ///< of terms.roles, in their order
  std::int64_t attempts = 1;
  Labels labels = {};
  Json spec = Json::object();  ///< what the executor gets
};

/// The terms of each role as of a job of its own; those of a job without roles as they are.
std::vector<scheduling::JobSubmitted> terms_by_role(const scheduling::JobSubmitted& terms);

/// How many tasks the job has, of all its roles.
std::int64_t tasks_of(const scheduling::JobSubmitted& terms);
/// 0 where it has none.
std::int64_t priority_of(const scheduling::JobSubmitted& terms);

enum class Ended { succeeded, failed, lost, cancelled, preempted };
std::string_view word_of(Ended ended);

struct OutcomeContent {
  std::optional<Ended> outcome = Ended::succeeded;  ///< none: `running`, it has started
  std::optional<std::int64_t> exit_code = {};
  std::optional<std::int64_t> attempt = {};
  Json usage = Json::object();  ///< whole numbers by name: cpu_ns, memory_peak
  std::string reason = {};
};

struct PolicyContent {
  scheduling::EngineOptions options;  ///< without resources
};

struct TokenContent {
  Scopes scopes = {};
  std::string tenant = {};
  std::string server = {};
  std::optional<Wall> expires = {};
  std::string secret_sha256 = {};  ///< given by the service, not by the caller
};

/// Of DELETE, and of what only the service itself says.
struct Nothing {};

using Content = std::variant<Nothing, ServerContent, TenantContent, GroupContent, QueueContent, JobContent,
                             OutcomeContent, PolicyContent, TokenContent>;

/// What a command does, and what its record says under `do`.
enum class Do {
  server_put,
  server_delete,
  tenant_put,
  tenant_delete,
  group_put,
  group_delete,
  queue_put,
  queue_delete,
  job_put,
  job_cancel,
  outcome_put,
  policy_put,
  token_put,
  token_delete,
  server_silent,  ///< its executor is silent: it takes nothing new
  server_back,    ///< it speaks again
  server_lost     ///< given up: its tasks wait again
};

/// `server-put`, and back; nothing for another word.
std::string_view word_of(Do what);
std::optional<Do> do_of(std::string_view word);

/// One value of JSON: UTF-8, at most 16 levels deep, no key twice, nothing behind it.
Parsed<Json> read_json(std::string_view text);
/// Visits each `{` and `[` outside of texts with its level, from 1, until `visit` returns false. Makes
/// nothing.
void for_each_bracket(std::string_view text, const std::function<bool(int level, char bracket)>& visit);

/// The body of a command. In normal form all defaults are filled in and amounts are in base units.
Parsed<Content> read_content(Do what, const Json& body, const Units& units,
                             Units::Form form = Units::Form::people);

/// Reads back as the same content. Of a token with its secret's hash.
Json normal_form(const Content& content, const Units& units);

/// SHA-256 in 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// The same of bytes that come in parts.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// Of all that was added. Ends it.
  std::string text();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

/// The names of things: text on one line of at most 253 bytes, without `/`.
std::optional<Problem> check_name(const std::string& name, std::string_view kind, const std::string& key);
/// The same of a name that somebody gives to a new thing: it also looks like what it is. Things that have
/// such a name from earlier versions keep it.
std::optional<Problem> check_new_name(const std::string& name, std::string_view kind, const std::string& key);

}  // namespace mirab::live
