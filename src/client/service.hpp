// A service as its clients see it: questions by the paths of its API, answers as JSON, problems as errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/result.hpp>

#include "net/http_client.hpp"

namespace mirab::client {

/// In the order in which the service sent it.
using Json = nlohmann::ordered_json;

/// An answer of a service, which may be a problem (RFC 9457).
struct Answer {
  int status = 0;
  Json body = {};
  std::uint64_t revision = 0;  ///< of what it shows; 0: it does not say
  /// Of 401: where the token that was sent came from; empty: none was sent.
  std::string token_file = {};
  std::optional<std::chrono::seconds> retry_after = {};  ///< after which the service takes it, as it says

  bool is_problem() const { return status >= 400; }
  /// Is it the caller's to mend? Else it is the service's, or a limit that passes.
  bool is_bad_input() const { return status >= 400 && status < 500 && status != 429; }
};

/// The text under a key; empty where there is none, or the value is no object.
std::string text_at(const Json& value, const char* key);

/// A problem's title and detail with its key; `subject`, what was asked about, stands first.
Error error_of(const Answer& problem, const std::string& subject);

using Query = std::vector<std::pair<std::string, std::string>>;

/// `/v1/queues/ml/jobs?limit=10` for {"queues", "ml", "jobs"} and {limit: 10}: encoded.
std::string target_of(std::initializer_list<std::string_view> parts, const Query& query = {});

/// A job as it is named everywhere: `ml/train-17` is the job train-17 of the queue ml.
struct JobName {
  std::string queue;
  std::string name;

  std::string text() const { return queue + "/" + name; }
  std::string target(const std::string& more = {}) const;
};

/// Errors, with the key: no slash, or nothing on one side of it.
Result<JobName> read_job_name(const std::string& text, const std::string& key);

/// Not for several threads at once.
class Service {
 public:
  /// `token_file`: where its token came from; empty: it has none.
  explicit Service(std::unique_ptr<net::HttpClient> http, std::string token_file = {})
      : http_(std::move(http)), token_file_(std::move(token_file)) {}

  /// Asks; what failed on the way is asked again (net::HttpClient), which the names in the API make safe.
  /// Errors: there was no answer, or none of such a service.
  Result<Answer> ask(const std::string& method, const std::string& target, const Json& body = {});
  Result<Answer> get(const std::string& target) { return ask("GET", target); }

  /// All items of a list, page by page, `most` of them at most. The answer's body has `items`, and `page`
  /// where there are more. The first page that is a problem is the answer.
  Result<Answer> list(std::initializer_list<std::string_view> parts, Query query, std::size_t most);

  /// As net::HttpClient::stream.
  Result<Answer> stream(const std::string& target, std::chrono::seconds silence,
                        const std::function<bool(std::string_view)>& take);

 private:
  Result<Answer> answered(const net::Response& response) const;

  std::unique_ptr<net::HttpClient> http_;
  std::string token_file_;
};

}  // namespace mirab::client
