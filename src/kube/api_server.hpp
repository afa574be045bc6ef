// A Kubernetes API server as a program sees it: collections listed and watched, requests sent, as whom a
// kubeconfig says. HTTP/1.1 over libcurl (net::HttpClient); one connection, so one object for each watch and
// each thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <mirab/model/result.hpp>

#include "kube/access.hpp"
#include "kubernetes/api/reflector.hpp"
#include "kubernetes/api/resources.hpp"
#include "net/http_client.hpp"

namespace mirab::kube {

struct ApiServerOptions {
  std::chrono::milliseconds answer_time{60'000};  ///< of a whole answer
  /// A watch without a byte for so long is asked for again. Bookmarks come every minute, if they come. One
  /// more try is in time before what is known is too old to decide by.
  std::chrono::seconds silence{75};
  std::uint64_t seed = 0;  ///< of pauses and the length of watches
  /// Asked about once a second while it waits; true: what it does ends with an error. From the same thread.
  std::function<bool()> is_stopped = {};
};

struct Answer {
  int status = 0;
  std::string body = {};
  std::optional<std::chrono::seconds> retry_after = {};

  bool is_good() const { return status >= 200 && status < 300; }
  /// Of an answer that is not good.
  kubernetes::ApiStatus refusal() const { return kubernetes::read_status(status, body); }
};

/// Not for several threads at once.
class ApiServer {
 public:
  /// Nothing is sent yet. Errors: a URL, a certificate, a key or a token that cannot be read or used; a token
  /// that would leave this machine without TLS.
  static Result<std::unique_ptr<ApiServer>> open(const Access& access, ApiServerOptions options = {});

  /// All objects of a collection, page by page, from a quorum: begin_list(), put() of each, end_list().
  /// Pauses and 410 between pages are the reflector's. Errors: no first answer; refused, where that is
  /// forbidden (403) with the permission as key, `list pods`; failed `tries` times in a row; refused for now
  /// for longer than a minute.
  Check list(const kubernetes::Resource& resource, kubernetes::ObjectSink& sink, int tries = 4);

  /// The next step of the reflector: its pause, its request, and what comes of it given to `sink`. A watch
  /// ends after 300 to 600 s. Failures are the reflector's: see its trouble().
  void step(kubernetes::Reflector& reflector, kubernetes::ObjectSink& sink);

  /// Sends once, and repeats nothing but what a 401 refused, with a token that was read again. `target` is
  /// encoded already; `type` is that of the body: `application/json`, `application/merge-patch+json`,
  /// `application/strategic-merge-patch+json`. Errors: no answer; it is unknown what came
  /// of it.
  Result<Answer> send(const std::string& method, const std::string& target, const std::string& body = {},
                      const std::string& type = "application/json");

 private:
  ApiServer(std::string url, std::unique_ptr<net::HttpClient> http, ApiServerOptions options)
      : url_(std::move(url)), http_(std::move(http)), options_(std::move(options)) {}

  bool is_stopped() const { return options_.is_stopped && options_.is_stopped(); }
  bool wait(std::chrono::milliseconds time) const;

  std::string url_;
  std::unique_ptr<net::HttpClient> http_;
  ApiServerOptions options_;
};

}  // namespace mirab::kube
